"""What a new statement does to what was known."""

import pytest

from engine.events import MemoryMerged, MemorySuperseded, MemoryWritten
from engine.memory import Sensitivity, Status, Tier
from engine.policy import DAY_MS
from tests.engine.deciding import NOW_MS, Desk

FACT: dict[str, object] = {"category": "fact", "tier": "semantic"}


def test_the_same_statement_is_stored_once() -> None:
    desk = Desk()
    first = desk.write("家里的猫叫年糕，是只橘猫。", days_ago=5)
    second = desk.write("家里的猫叫年糕，是只橘猫")
    assert second.outcome == "merged"
    assert first.memory is not None
    assert second.memory is not None
    assert second.memory.memory_id == first.memory.memory_id
    assert desk.texts() == ["家里的猫叫年糕，是只橘猫。"]
    assert desk.memory(first.memory.memory_id).said_at_ms == NOW_MS
    assert [one.relation for one in second.related] == ["same"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("我女儿在学书法", "我女兒在學書法"),
        ("备用药箱放在书房最下层抽屉。", "备用药箱就放在书房最下面那层抽屉里。"),
        ("我养了两只乌龟", "I've got two pet turtles."),
        ("I've lived alone since the divorce.", "Ever since the divorce I've been living on my own."),
    ],
)
def test_the_same_fact_in_other_words_or_another_script_is_one(older: str, newer: str) -> None:
    desk = Desk()
    desk.write(older, days_ago=9, **FACT)
    desk.write(newer, **FACT)
    assert len(desk.texts()) == 1


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("订单 440917 已发货", "订单 440971 已发货"),
        ("我左眼近视 225 度", "我右眼近视 275 度"),
        ("东院食堂的灶台烧的是沼气。", "西院食堂的灶台烧的是沼气。"),
        ("The blue van runs on diesel.", "The white van runs on petrol."),
        ("我发工资是每月十号", "我老公发工资是每月十五号"),
        ("I like my eggs runny.", "My dad likes his eggs hard."),
        ("会议室 A 能坐六人", "会议室 B 能坐二十人"),
        ("我发小名叫夏天", "我最受不了夏天"),
        ("My left shoulder is fine.", "My right shoulder hurts."),
        ("Parcel 7781 has arrived.", "Parcel 7718 has arrived."),
    ],
)
def test_look_alikes_about_other_things_both_stay(older: str, newer: str) -> None:
    desk = Desk()
    desk.write(older, days_ago=9, **FACT)
    desk.write(newer, **FACT)
    assert sorted(desk.texts()) == sorted([older, newer])


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("我住在苏州", "我搬到无锡了"),
        ("I live in Ghent.", "I moved to Bruges last week."),
        ("我在云栖物流做调度员。", "我在云帆物流做调度员。"),
        ("地下车库夜里可以给电动车充电。", "地下车库夜里不可以给电动车充电。"),
        ("I don't have a car.", 'Scrap "no car", I bought one last week.'),
        ("我叫韩璐。", "更正，我的名字写作韩露。"),
        ("房租每月三千", "房租每月三千六"),
        ("I drive a hatchback.", "我把两厢车换成 SUV 了"),
        ("我对虾不过敏", "查出来了，我对虾过敏"),
    ],
)
def test_a_newer_fact_supersedes_and_both_point_at_each_other(older: str, newer: str) -> None:
    desk = Desk()
    first = desk.write(older, days_ago=30, **FACT)
    second = desk.write(newer, days_ago=2, **FACT)
    assert second.outcome == "superseded"
    assert first.memory is not None
    assert second.memory is not None
    old, new = desk.memory(first.memory.memory_id), desk.memory(second.memory.memory_id)
    assert (old.status, new.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert old.superseded_by == new.memory_id
    assert new.supersedes == (old.memory_id,)
    assert old.valid_to_ms == new.valid_from_ms == NOW_MS - 2 * DAY_MS
    assert isinstance(second.events[0], MemoryWritten)
    assert isinstance(second.events[1], MemorySuperseded)


def test_preferences_coexist_unless_the_text_says_it_replaces() -> None:
    desk = Desk()
    for days_ago, text in ((30, "我喜欢看科幻片"), (20, "我喜欢看纪录片"), (10, "我也喜欢看动画片")):
        desk.write(text, days_ago=days_ago, category="preference")
    assert len(desk.texts()) == 3
    desk = Desk()
    desk.write("写周报我习惯用飞书文档。", days_ago=30, category="preference")
    desk.write("写周报我改用语雀了。", days_ago=20, category="preference")
    assert desk.texts() == ["写周报我改用语雀了。"]


def test_a_then_b_then_a_ends_at_a() -> None:
    desk = Desk()
    outcomes = [
        desk.write(text, days_ago=days_ago, **FACT).outcome
        for days_ago, text in ((90, "办公室在南楼"), (40, "办公室临时搬到北楼"), (1, "办公室在南楼"))
    ]
    assert outcomes == ["stored", "superseded", "superseded"]
    assert desk.texts() == ["办公室在南楼"]
    assert sorted(desk.texts(Status.SUPERSEDED)) == ["办公室临时搬到北楼", "办公室在南楼"]


def test_old_news_that_arrives_late_is_history() -> None:
    desk = Desk()
    desk.write("我现在穿 L 码", days_ago=5, **FACT)
    late = desk.write("我穿 M 码", days_ago=400, **FACT)
    assert late.outcome == "stored"
    assert late.rule == "late_arrival"
    assert late.memory is not None
    stored = desk.memory(late.memory.memory_id)
    assert stored.status is Status.SUPERSEDED
    assert stored.valid_to_ms == NOW_MS - 5 * DAY_MS
    assert desk.texts() == ["我现在穿 L 码"]


def test_a_tool_does_not_displace_the_users_own_word() -> None:
    desk = Desk()
    desk.write("我手机尾号 6183", days_ago=8, **FACT)
    decision = desk.write("CRM 登记手机尾号 9027", source="tool", days_ago=1, **FACT)
    assert (decision.outcome, decision.rule) == ("pending", "outranked")
    assert desk.texts() == ["我手机尾号 6183"]


def test_the_user_corrects_a_tool() -> None:
    desk = Desk()
    desk.write("会员资料：生日 04/09", source="tool", days_ago=90, **FACT)
    desk.write("我的生日登记错了，是 9 月 4 日", days_ago=4, **FACT)
    assert desk.texts() == ["我的生日登记错了，是 9 月 4 日"]


def test_a_tools_newer_status_replaces_its_older_one() -> None:
    desk = Desk()
    desk.write("订单 6620 状态：待发货", source="tool", days_ago=9, category="event", tier="semantic")
    desk.write("订单 6620 状态：已签收", source="tool", days_ago=2, category="event", tier="semantic")
    assert desk.texts() == ["订单 6620 状态：已签收"]


def test_a_statement_of_less_confidence_waits() -> None:
    desk = Desk()
    desk.write("我住在苏州", days_ago=30, confidence=1.0, **FACT)
    assert desk.write("我搬到无锡了", confidence=0.4, **FACT).outcome == "pending"
    assert desk.texts() == ["我住在苏州"]


def test_a_guess_does_not_confirm_itself_by_repetition() -> None:
    desk = Desk()
    first = desk.write("用户可能在合肥居住", source="agent", days_ago=3)
    again = desk.write("用户可能在合肥居住", source="agent", confidence=1.0)
    assert again.outcome == "merged"
    assert isinstance(again.events[0], MemoryMerged)
    assert first.memory is not None
    kept = desk.memory(first.memory.memory_id)
    assert (kept.status, kept.confidence) == (Status.PENDING, 0.5)
    assert kept.tier is Tier.WORKING


def test_the_users_word_settles_a_guess() -> None:
    desk = Desk()
    desk.write("They likely drive to work.", source="agent", days_ago=50)
    desk.write("I don't drive; I row across the harbour to work.", days_ago=12, **FACT)
    assert desk.texts() == ["I don't drive; I row across the harbour to work."]
    assert desk.texts(Status.PENDING) == []


def test_a_guess_never_touches_a_statement() -> None:
    desk = Desk()
    desk.write("我住在芜湖", days_ago=60, **FACT)
    assert desk.write("用户可能在合肥居住", source="agent", **FACT).outcome == "pending"
    assert desk.texts() == ["我住在芜湖"]


def test_a_fuller_wording_is_kept_and_the_old_one_is_a_revision() -> None:
    desk = Desk()
    first = desk.write("我住在南京", days_ago=30, **FACT)
    second = desk.write("我住在南京鼓楼区，靠近玄武湖", **FACT)
    assert (second.outcome, second.rule) == ("merged", "refines")
    assert first.memory is not None
    kept = desk.memory(first.memory.memory_id)
    assert kept.content == "我住在南京鼓楼区，靠近玄武湖"
    assert [revision.content for revision in kept.revisions] == ["我住在南京"]


def test_an_older_fact_is_found_however_many_memories_lie_between() -> None:
    desk = Desk()
    desk.write("我的车牌尾号是 618。", days_ago=30, category="fact")
    for text in (
        "女儿周二上钢琴课。",
        "健身房在负一楼。",
        "猫粮放在阳台柜子里。",
        "水表在走廊尽头。",
        "路由器摆在书架顶层。",
        "牙医约在南门诊所。",
    ) * 3:
        desk.write(text, days_ago=20, category="fact")
    desk.write("车换了，现在车牌尾号是 905。", category="fact")
    assert not any("618" in text for text in desk.texts())


def test_measurements_of_different_days_both_stay() -> None:
    desk = Desk()
    desk.write("6月1日早上称重 71.2 公斤。", days_ago=9, category="event")
    desk.write("6月8日早上称重 71.4 公斤。", days_ago=2, category="event")
    assert len(desk.texts()) == 2


def test_details_of_one_matter_do_not_hollow_each_other_out() -> None:
    desk = Desk()
    details = ("工作台选了榉木", "墙面刷防潮涂料", "卷帘门电机要换", "地面做环氧地坪", "装一块洞洞板")
    for detail in details:
        desk.write(f"车库改造记录：{detail}，预算先不动。", category="event")
    text = "".join(desk.texts())
    assert all(detail in text for detail in details)


def test_memories_of_another_space_are_left_alone() -> None:
    desk = Desk()
    desk.write("我住在苏州", days_ago=30, space="work", **FACT)
    assert desk.write("我搬到无锡了", space="home", **FACT).outcome == "stored"
    assert len(desk.texts()) == 2


@pytest.mark.parametrize(
    "newer", ["My salary is 95000 euros a year at the firm", "My salary is 90000 euros a year at the firm"]
)
def test_a_writer_neither_learns_of_nor_changes_what_lies_above_its_ceiling(newer: str) -> None:
    desk = Desk()
    desk.write("My salary is 90000 euros a year at the firm", sensitivity="sensitive", **FACT)
    below = desk.decide(newer, max_sensitivity="normal", **FACT)
    assert (below.outcome, below.related) == ("stored", ())
    above = desk.decide(newer, **FACT)
    assert above.outcome in ("superseded", "merged")
    assert len(above.related) == 1


def test_an_expired_memory_is_neither_merged_with_nor_superseded() -> None:
    desk = Desk()
    desk.write("我对青霉素过敏", ttl_seconds=60)
    desk.now_ms += 61_000
    assert desk.write("我对青霉素过敏").outcome == "stored"


@pytest.mark.parametrize(("first", "second"), [("normal", "sensitive"), ("sensitive", "normal")])
def test_what_was_once_said_as_sensitive_stays_so_when_it_merges(first: str, second: str) -> None:
    desk = Desk()
    known = desk.write("家里的猫叫年糕，是只橘猫。", days_ago=5, sensitivity=first).memory
    merged = desk.write("家里的猫叫年糕，是只橘猫", sensitivity=second)
    assert (merged.outcome, known is not None) == ("merged", True)
    assert merged.memory is not None
    assert merged.memory.sensitivity is Sensitivity.SENSITIVE
    assert desk.memory(merged.memory.memory_id).sensitivity is Sensitivity.SENSITIVE
