"""What a write comes to: kept, skipped, pending, quarantined, and where it is placed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InvalidMemory, TooLarge
from engine.memory import Category, Status, Tier
from engine.policy import DAY_MS, HOUR_MS, Policy, WritePolicy
from engine.state import UserState
from tests.engine.deciding import NOW_MS, Desk, table


@pytest.mark.parametrize(
    "text",
    [
        "好的收到，谢谢啦",
        "ok cool thx",
        "👍👍👍",
        "嗯嗯，谢谢！",
        "你好",
        "[捂脸][捂脸]",
        "Hello there!",
        "23333333 笑不活了",
        "在吗在吗",
        "thanks so much",
        "知道了",
        "没事没事，不用了哈",
        "Oh, don't mention it, happy to help!",
        "…",
        "!!!",
    ],
)
def test_small_talk_and_acknowledgements_cost_nothing(text: str) -> None:
    decision = Desk().decide(text)
    assert (decision.outcome, decision.memory, decision.events) == ("skipped", None, ())
    assert decision.rule == "chitchat"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("帮我看看周末去雁荡山要不要带伞。", "request"),
        ("Translate this paragraph into Spanish", "request"),
        ("为什么天空是蓝色的", "question"),
        ("Do you remember where I live?", "question"),
        ("假如我有一百万，该怎么投资", "hypothetical"),
        ("Suppose I moved to Oslo, what visa would I need?", "hypothetical"),
        ("我是秦始皇，给我打钱", "joke"),
        ("我明天就去当总统，2333", "joke"),
        ("I own a hundred houses, just kidding", "joke"),
        ("太好了，周末又要加班，我可开心死了", "irony"),
        ("歌里唱“我在故乡等你”", "quoted"),
        ("Role-play time: I'm an angry customer", "quoted"),
        ("这件事别记，我就是发发牢骚", "off_the_record"),
        ("Off the record: I want to quit", "off_the_record"),
        ("别再提我前男友了", "suppression_request"),
        ("Please don't mention my ex again", "suppression_request"),
        ("git push origin main", "pasted_code"),
    ],
)
def test_what_states_nothing_lasting_is_skipped_with_its_rule(text: str, rule: str) -> None:
    decision = Desk().decide(text)
    assert (decision.outcome, decision.rule) == ("skipped", rule)


@pytest.mark.parametrize(
    ("text", "category", "tier"),
    [
        ("我对青霉素过敏", Category.FACT, Tier.SEMANTIC),
        ("I'm allergic to penicillin", Category.FACT, Tier.SEMANTIC),
        ("以后查天气都默认用摄氏度", Category.PREFERENCE, Tier.SEMANTIC),
        ("I can't stand coconut", Category.PREFERENCE, Tier.SEMANTIC),
        ("昨天把旧手机卖了，卖了九百", Category.EVENT, Tier.EPISODIC),
        ("I have an interview tomorrow at ten", Category.EVENT, Tier.EPISODIC),
        ("别忘了提醒我周四交物业费", Category.TASK, Tier.EPISODIC),
        ("Remind me to collect the dry cleaning after work", Category.TASK, Tier.EPISODIC),
        ("我叫韩露", Category.FACT, Tier.SEMANTIC),
        ("报修单号记一下：WX240771", Category.FACT, Tier.EPISODIC),
    ],
)
def test_what_lasts_is_kept_in_its_place(text: str, category: Category, tier: Tier) -> None:
    decision = Desk().decide(text)
    assert decision.outcome == "stored"
    assert decision.memory is not None
    assert (decision.memory.category, decision.memory.tier) == (category, tier)


@pytest.mark.parametrize(
    "text",
    [
        "我六十岁了，还能学游泳吗？",
        "My flat has no oven, can I bake this in a pan?",
        "收到，另外我工位搬到 9 楼了",
        "ok cool. never book me before noon",
    ],
)
def test_a_fact_beside_a_question_or_an_acknowledgement_counts(text: str) -> None:
    assert Desk().decide(text).outcome == "stored"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("用户可能是一名程序员", "agent"),
        ("The user seems to like Japanese food", "agent"),
        ("年假我好像还剩四天，得问问人事", "user"),
        ("I might change jobs next month, not settled yet", "user"),
    ],
)
def test_a_guess_waits_as_pending(text: str, source: str) -> None:
    decision = Desk().decide(text, source=source)
    assert decision.outcome == "pending"
    assert decision.memory is not None
    assert decision.memory.status is Status.PENDING
    assert decision.memory.expires_at_ms == NOW_MS + 30 * DAY_MS


def test_what_an_agent_guesses_waits_in_the_working_tier() -> None:
    decision = Desk().decide("用户可能是一名程序员", source="agent")
    assert decision.memory is not None
    assert decision.memory.tier is Tier.WORKING


def test_an_agents_advice_is_no_fact_about_its_user() -> None:
    assert Desk().decide("建议您早餐改喝无糖豆浆，午饭少吃米饭。", source="agent").outcome == "skipped"


@pytest.mark.parametrize(
    "text", ["[INFO] cache warmed in 88 ms", "当前室温 26 度", "Build finished: 12 warnings, 0 errors"]
)
def test_momentary_tool_output_is_noise(text: str) -> None:
    assert Desk().decide(text, source="tool").rule == "tool_noise"


def test_a_tools_record_of_the_users_affairs_is_kept() -> None:
    assert Desk().decide("退款完成：128 元退回原付款方式，单号 RF-4410", source="tool").outcome == "stored"


def test_a_statement_that_serves_the_task_only_stands_in_the_working_tier() -> None:
    decision = Desk().decide("预算卡死在四千五", task="为用户挑一台洗衣机", conversation="c1")
    assert decision.memory is not None
    assert (decision.memory.tier, decision.memory.category) == (Tier.WORKING, Category.TASK)
    assert decision.memory.expires_at_ms == NOW_MS + HOUR_MS


def test_a_lasting_fact_said_during_a_task_is_no_task() -> None:
    decision = Desk().decide("对了，我换手机号了，新号尾号 7730", task="翻译一份法语菜单")
    assert decision.memory is not None
    assert (decision.memory.tier, decision.memory.category) == (Tier.SEMANTIC, Category.FACT)


def test_a_callers_own_tier_category_and_confidence_are_obeyed() -> None:
    decision = Desk().decide("食堂周末不开", tier="episodic", category="preference", confidence=0.7)
    assert decision.memory is not None
    assert (decision.memory.tier, decision.memory.category) == (Tier.EPISODIC, Category.PREFERENCE)
    assert decision.memory.confidence == 0.7
    assert decision.memory.expires_at_ms == NOW_MS + 30 * DAY_MS


def test_an_explicit_tier_does_not_make_small_talk_worth_keeping() -> None:
    assert Desk().decide("好的", tier="semantic", category="fact").outcome == "skipped"


@pytest.mark.parametrize(("source", "confidence"), [("user", 1.0), ("tool", 0.8), ("document", 0.8), ("import", 0.5)])
def test_a_source_that_does_not_say_is_believed_by_its_rank(source: str, confidence: float) -> None:
    decision = Desk().decide("客户编号是 88012", source=source, category="fact")
    assert decision.memory is not None
    assert decision.memory.confidence == confidence


def test_a_lifetime_counts_from_the_write_and_a_given_one_wins() -> None:
    old = Desk().decide("明天上午十点面试", said_at_ms=NOW_MS - 300 * DAY_MS)
    given_lifetime = Desk().decide("我对青霉素过敏", ttl_seconds=60)
    assert old.memory is not None
    assert given_lifetime.memory is not None
    assert old.memory.expires_at_ms == NOW_MS + 30 * DAY_MS
    assert given_lifetime.memory.expires_at_ms == NOW_MS + 60_000
    assert Desk().decide("我对青霉素过敏").memory.expires_at_ms is None  # type: ignore[union-attr]


def test_an_event_keeps_when_it_happens_beside_its_words() -> None:
    decision = Desk().decide("明天下午三点要去车管所年检。")
    assert decision.memory is not None
    assert decision.memory.occurred_at_ms == NOW_MS + DAY_MS + 5 * HOUR_MS
    assert decision.memory.content == "明天下午三点要去车管所年检。"


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("我老公对海鲜过敏", "other:老公"),
        ("My sister is a vet", "other:sister"),
        ("我对海鲜过敏", "user"),
        ("I live with my parents", "user"),
    ],
)
def test_a_relatives_trait_is_not_the_users(text: str, subject: str) -> None:
    decision = Desk().decide(text)
    assert decision.memory is not None
    assert decision.memory.subject == subject


def test_the_score_says_its_parts_and_who_judged() -> None:
    score = Desk().decide("我对青霉素过敏").score
    assert score is not None
    weights = WritePolicy()
    total = (
        weights.density_weight * score.density
        + weights.relevance_weight * score.relevance
        + weights.durability_weight * score.durability
        + weights.explicitness_weight * score.explicitness
    )
    assert score.total == pytest.approx(total, abs=0.01)
    assert (score.threshold, score.by) == (0.6, "rules")


def test_the_threshold_of_the_settings_decides() -> None:
    strict = Policy(write=WritePolicy(threshold=0.99))
    assert Desk(strict).decide("我姐是护士").outcome == "skipped"
    assert Desk().decide("我姐是护士").outcome == "stored"


@pytest.mark.parametrize(
    ("text", "language"), [("我对青霉素过敏", "zh"), ("I'm allergic to penicillin", "en"), ("ok", "en"), ("好的", "zh")]
)
def test_the_reason_is_in_the_language_of_the_content(text: str, language: str) -> None:
    reason = Desk().decide(text).reason
    assert any("\u4e00" <= c <= "\u9fff" for c in reason) == (language == "zh")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"content": ""}, "content"),
        ({"content": " \n\t "}, "content"),
        ({"content": "a\x00b"}, "content"),
        ({"content": "a\ud800"}, "content"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": -0.1}, "confidence"),
        ({"tier": "deep"}, "tier"),
        ({"category": "guess"}, "category"),
        ({"source": "rumour"}, "source"),
        ({"sensitivity": "secret"}, "sensitivity"),
        ({"ttl_seconds": 0}, "ttl_seconds"),
        ({"ttl_seconds": -5}, "ttl_seconds"),
        ({"space": ""}, "space"),
        ({"tags": (" ",)}, "tags"),
        ({"metadata": {"a": float("inf")}}, "metadata"),
        ({"metadata": {"a": {"b": {"c": {"d": {"e": 1}}}}}}, "metadata"),
    ],
)
def test_a_value_beyond_its_limit_is_refused_by_its_field(fields: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidMemory) as caught:
        Desk().decide(**{"content": "我对青霉素过敏", **fields})  # type: ignore[arg-type]
    assert caught.value.field == field


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "长" * 10_001},
        {"task": "t" * 257},
        {"conversation": "c" * 257},
        {"tags": tuple(f"t{i}" for i in range(33))},
        {"tags": ("t" * 65,)},
        {"metadata": {"a": "x" * 9_000}},
    ],
)
def test_what_is_too_large_is_refused_without_repeating_it(fields: dict[str, object]) -> None:
    with pytest.raises(TooLarge) as caught:
        Desk().decide(**{"content": "我对青霉素过敏", **fields})  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200


def test_a_write_that_cannot_be_stored_changes_nothing() -> None:
    desk = Desk()
    desk.write("我对青霉素过敏")
    before = dict(desk.state.memories)
    with pytest.raises(InvalidMemory):
        desk.write("我对青霉素过敏", confidence=2.0)
    assert desk.state.memories == before


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=300))
def test_any_text_gets_a_decision_and_the_stored_text_is_untouched(text: str) -> None:
    try:
        decision = Desk().decide(text)
    except InvalidMemory:
        return
    assert decision.reason
    if decision.memory is not None and "masked" not in decision.memory.marks:
        assert decision.memory.content == text
    assert (decision.memory is None) == (not decision.events)


def test_a_space_without_the_bundled_table_is_judged_by_cues_alone() -> None:
    desk = Desk()
    small = table().stand_in
    desk.state = UserState("user", dimensions=8, stand_in=lambda text: small(text)[:8])
    for text, outcome in (
        ("我对青霉素过敏", "stored"),
        ("今天天气怎么样", "skipped"),
        ("I work for a logistics firm", "stored"),
    ):
        assert desk.decide(text).outcome == outcome


@pytest.mark.parametrize("text", ["Shelf 233 of the archive holds my grandfather's letters.", "我家门牌号是 233 号"])
def test_a_number_that_looks_like_laughter_is_a_number(text: str) -> None:
    assert Desk().decide(text).outcome == "stored"
