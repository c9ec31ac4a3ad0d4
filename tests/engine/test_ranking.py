"""The arithmetic of the ranking, and the promise that an explanation multiplies out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.memory import Category, Source, Tier
from engine.policy import Policy
from engine.ranking import Boost, Talks, boosted, moved, ranked, recency, spoken_for, stretched, talk_best, unrelated
from engine.state import UserState
from tests.engine.remembering import DAY_MS, NOW_MS, memory, recall, state_of

UNIT = st.floats(0.0, 1.0, width=32)
WEIGHTS = {"semantic": 0.45, "keyword": 0.37, "recency": 0.1, "confidence": 0.08}


@given(hnp.arrays(np.float64, st.tuples(st.just(4), st.integers(0, 20)), elements=UNIT))
def test_scores_stay_within_0_and_1_and_multiply_out(values: np.ndarray) -> None:
    names = ("semantic", "keyword", "recency", "confidence")
    m = values.shape[1]
    boosts = (Boost("fact", np.full(m, 1.2), 1.2), Boost("stale", np.full(m, 0.5), 1.0))
    order = ranked(dict(zip(names, values, strict=True)), WEIGHTS, boosts)
    assert ((order.scores >= 0.0) & (order.scores <= 1.0 + 1e-9)).all()
    for row in range(m):
        parts = sum(WEIGHTS[name] * order.values[name][row] for name in names)
        assert order.scores[row] == pytest.approx(parts * 1.2 * 0.5 * order.scale)


def test_every_hit_explains_its_score_exactly() -> None:
    state = state_of(
        memory("fact", "我住在北京朝阳区"),
        memory("old", "我喜欢北京烤鸭", category=Category.PREFERENCE, said_at_ms=NOW_MS - 90 * DAY_MS),
        memory("event", "Caroline: we went to 北京", category=Category.EVENT, tier=Tier.EPISODIC, conversation="c"),
        memory("tool", "北京 weather is fine", source=Source.TOOL, confidence=0.8),
        memory("again", "我住在北京朝阳区"),
    )
    hits = recall(state, "2026年4月5日我在北京干什么", min_relevance=0.0, conversation="c", intent="preference").hits
    assert len(hits) == 5
    for hit in hits:
        parts = sum(hit.why[name]["part"] for name in WEIGHTS)
        factors = [boost["factor"] for boost in hit.why["boosts"]]
        assert hit.why["boosts"][-1]["name"] == "scale"
        assert hit.score == pytest.approx(parts * np.prod(factors), rel=1e-9)
        for name, weight in WEIGHTS.items():
            part = hit.why[name]
            assert part["weight"] == weight
            assert part["part"] == pytest.approx(part["value"] * part["weight"])
            assert 0.0 <= part["value"] <= 1.0


def test_a_boost_above_one_cannot_be_added_late() -> None:
    order = ranked({name: np.ones(1) for name in WEIGHTS}, WEIGHTS, ())
    with pytest.raises(AssertionError):
        boosted(order, Boost("late", np.full(1, 2.0), 2.0))


def test_recency_halves_with_each_half_life_and_never_passes_1() -> None:
    ages = np.array([0, 7 * DAY_MS, 14 * DAY_MS, -DAY_MS])
    assert recency(ages, np.full(4, 7.0)) == pytest.approx([1.0, 0.5, 0.25, 1.0])


def test_the_half_life_is_the_users_where_they_set_one() -> None:
    state = state_of(memory("a", "the tax folder is purple", said_at_ms=NOW_MS - 30 * DAY_MS))
    assert recall(state, "tax folder").hits[0].why["recency"]["value"] == pytest.approx(0.5 ** (30 / 7))
    object.__setattr__(state, "settings", type(state.settings)(half_life_days=30.0))
    assert recall(state, "tax folder").hits[0].why["recency"]["value"] == pytest.approx(0.5)


def test_stretching_counts_from_what_an_unrelated_memory_gets() -> None:
    assert stretched(np.array([2.0, 4.0, -1.0])) == pytest.approx([0.5, 1.0, 0.0])
    assert stretched(np.array([0.2, 0.4]), lowest=0.1) == pytest.approx([1 / 3, 1.0])
    assert stretched(np.array([], dtype=np.float32)).shape == (0,)
    assert stretched(np.array([0.0, 0.0, -0.3])) == pytest.approx([0.0, 0.0, 0.0])


def test_of_a_few_candidates_none_counts_as_unrelated() -> None:
    assert unrelated(np.array([0.2, 0.3], np.float32)) < 0.02
    assert unrelated(np.full(200, 0.2, np.float32)) == pytest.approx(0.2, abs=0.02)
    assert unrelated(np.array([-0.1, 0.3], np.float32)) == 0.0
    assert unrelated(np.array([], np.float32)) == 0.0


def test_a_turn_gains_from_what_was_said_before_and_after_it() -> None:
    slots = np.array([3, 4, 5, 9])
    talks = Talks.of(
        slots,
        before=np.array([-1, 3, 4, 8], np.int32),
        after=np.array([4, 5, -1, -1], np.int32),
        groups=np.array([0, 0, 0, 1], np.int32),
    )
    spoken = spoken_for(np.array([1.0, 0.0, 0.0, 0.0]), talks, (0.5, 0.25, 0.0), np.ones(4), np.ones(4))
    assert spoken == pytest.approx(np.array([1.0, 0.5, 0.0, 0.0]) / 1.75)
    apart = spoken_for(np.array([1.0, 0.0, 0.0, 0.0]), talks, (0.5, 0.25, 0.0), np.zeros(4), np.ones(4))
    assert apart == pytest.approx(np.array([1.0, 0.0, 0.0, 0.0]) / 1.75)


@given(st.lists(st.tuples(UNIT, st.integers(-1, 3)), max_size=30))
def test_the_best_of_a_talk_is_the_mean_of_its_three_best(turns: list[tuple[float, int]]) -> None:
    values = np.array([value for value, _ in turns], dtype=np.float64)
    groups = np.array([group for _, group in turns], dtype=np.int32)
    if len(turns) == 0:
        return
    best = talk_best(values, groups)
    for row, (_, group) in enumerate(turns):
        theirs = sorted((v for v, g in turns if g == group), reverse=True)[:3]
        assert best[row] == pytest.approx(0.0 if group < 0 else sum(theirs) / 3)


def test_a_fact_outranks_an_equal_event_and_a_stale_preference_falls() -> None:
    state = state_of(
        memory("fact", "the kiln reaches cone six"),
        memory("task", "the kiln reaches cone six!!", category=Category.TASK),
    )
    hits = {hit.memory.memory_id: hit for hit in recall(state, "kiln cone", min_relevance=0.0).hits}
    assert {"name": "fact", "factor": 1.2} in hits["fact"].why["boosts"]
    old = memory("old", "I like rye bread", category=Category.PREFERENCE, said_at_ms=NOW_MS - 61 * DAY_MS)
    new = memory("new", "I like rye rolls", category=Category.PREFERENCE, said_at_ms=NOW_MS - 59 * DAY_MS)
    stale = {hit.memory.memory_id: hit for hit in recall(state_of(old, new), "rye", min_relevance=0.0).hits}
    assert {"name": "stale_preference", "factor": 0.5} in stale["old"].why["boosts"]
    assert "stale_preference" not in [boost["name"] for boost in stale["new"].why["boosts"]]


def test_intent_prefers_the_tier_it_asks_for() -> None:
    state = state_of(
        memory("episode", "the roof leaked", tier=Tier.EPISODIC, category=Category.TASK),
        memory("settled", "the roof leaks", category=Category.TASK),
    )
    for intent, favoured in (("status", "episode"), ("preference", "settled")):
        hits = recall(state, "roof", intent=intent, min_relevance=0.0).hits
        boosted_ids = [h.memory.memory_id for h in hits if f"intent_{intent}" in [b["name"] for b in h.why["boosts"]]]
        assert boosted_ids == [favoured]


def test_what_the_named_speaker_said_gains() -> None:
    state = state_of(
        memory("hers", "Caroline: I adopted a puppy", category=Category.EVENT),
        memory("his", "Dave: I adopted a puppy too", category=Category.EVENT),
    )
    hits = recall(state, "What did Caroline adopt", min_relevance=0.0).hits
    assert hits[0].memory.memory_id == "hers"
    assert {"name": "speaker", "factor": 1.1} in hits[0].why["boosts"]


def test_the_sentence_speaks_the_language_of_the_query() -> None:
    state = state_of(memory("a", "The piano 钢琴 is out of tune"))
    assert "piano" in recall(state, "piano").hits[0].why["sentence"]
    assert "钢琴" in recall(state, "钢琴").hits[0].why["sentence"]
    assert recall(state, "piano").hits[0].why["keyword"]["terms"] == ["piano"]
    assert recall(state, "piano").hits[0].why["semantic"]["encoder"] == "static"


def test_of_preferences_that_fit_equally_well_the_one_said_last_comes_first() -> None:
    state = state_of(
        memory("old", "周末常去河边写生", category=Category.PREFERENCE, said_at_ms=NOW_MS - 5_000),
        memory("new", "周末改去美术馆临摹了", category=Category.PREFERENCE, said_at_ms=NOW_MS),
    )
    assert [hit.memory.memory_id for hit in recall(state, "周末我做什么").hits] == ["new", "old"]


def test_the_sentence_says_what_else_spoke_for_a_memory() -> None:
    allergy = memory("allergy", "我对花生过敏", said_at_ms=NOW_MS - 3 * DAY_MS)
    assert recall(state_of(allergy), "推荐个餐厅").hits[0].why["sentence"] == "与这类请求有关，3 天前说的。"
    assert recall(state_of(allergy), "any place for dinner?").hits[0].why["sentence"] == (
        "Bears on such a request; said 3 days ago."
    )
    oil = memory("oil", "changed the oil", said_at_ms=NOW_MS)
    assert recall(state_of(oil), "what about the oil today").hits[0].why["sentence"] == (
        'Mentions "oil" and lies in the time asked about; said today.'
    )


def test_rows_that_change_places_keep_the_scores_within_0_and_1() -> None:
    order = ranked({name: np.array([1.0, 0.5, 0.0]) for name in WEIGHTS}, WEIGHTS, ())
    swapped = moved(order, "newer", np.array([0.999, 1.0, 0.0]))
    assert swapped.scores == pytest.approx([0.999, 1.0, 0.0])
    assert [float(f) for f in swapped.boosts[-1].factors] == pytest.approx([0.999, 2.0, 1.0])
    assert moved(order, "newer", order.scores.copy()) is order


OLD_QUOTA = memory("old", "the daily quota of my api key is 1,000 calls", said_at_ms=NOW_MS - 90 * DAY_MS)


RAISED = "for my api key the daily quota of calls was raised to 1,200 by the support"


def quota(**fields: object) -> UserState:
    content = str(fields.pop("content", RAISED))
    return state_of(OLD_QUOTA, memory("new", content, said_at_ms=NOW_MS - 60 * DAY_MS, **fields))


def test_what_says_that_something_changed_stands_before_what_it_was() -> None:
    hits = recall(quota(), "what is the daily quota of my api key").hits
    assert [hit.memory.memory_id for hit in hits] == ["new", "old"]
    moved_up = [boost["name"] for boost in hits[0].why["boosts"]]
    assert "newer" in moved_up
    for hit in hits:
        factors = [boost["factor"] for boost in hit.why["boosts"]]
        assert hit.score == pytest.approx(sum(hit.why[name]["part"] for name in WEIGHTS) * np.prod(factors), rel=1e-9)


@pytest.mark.parametrize(("query", "fields"), [
    ("what was the daily quota of my api key", {}),
    ("what is the daily quota of my api key", {"content": "the daily quota of my key for maps is 500 calls"}),
    ("what is the daily quota of my api key", {"subject": "Bob"}),
    ("what is the daily quota of my api key", {"content": f"Bob: {RAISED}"}),
])  # fmt: skip
def test_nothing_changes_places_for_the_past_without_a_change_or_for_somebody_else(
    query: str, fields: dict[str, object]
) -> None:
    hits = recall(quota(**fields), query, min_relevance=0.0).hits
    assert all(boost["name"] != "newer" for hit in hits for boost in hit.why["boosts"])


def test_a_standing_order_counts_more_when_the_user_gave_it() -> None:
    def boosts(source: Source) -> list[str]:
        state = state_of(memory("order", "Always name the version when I ask about packages", source=source))
        return [boost["name"] for boost in recall(state, "which packages", min_relevance=0.0).hits[0].why["boosts"]]

    assert "standing_order" in boosts(Source.USER)
    assert "standing_order" not in boosts(Source.DOCUMENT)
    assert "standing_order" not in boosts(Source.TOOL)


def test_a_turn_that_only_confirms_stands_below_what_it_repeats() -> None:
    said = {"category": Category.EVENT, "tier": Tier.EPISODIC, "conversation": "c"}
    state = state_of(
        memory("said", "today I weighed 69.3 kg on the scale", **said),
        memory("confirmed", "Noted: weighed 69.3 kg on the scale", **said),
    )
    hits = recall(state, "weighed kg scale", min_relevance=0.0).hits
    assert [hit.memory.memory_id for hit in hits] == ["said", "confirmed"]
    assert {"name": "confirmation", "factor": 0.75} in hits[1].why["boosts"]


def test_what_is_like_the_best_gains_from_it_and_the_relevance_stays() -> None:
    state = state_of(
        memory("best", "the kiln in the pottery studio reaches cone six"),
        memory("like", "pottery studio opens at nine"),
        memory("other", "the dentist moved to another street"),
        memory("last", "rye bread rises overnight"),
    )
    without = Policy(recall=replace(Policy().recall, feedback_static=0.0))
    query = "how hot does the kiln get"
    fed = {hit.memory.memory_id: hit for hit in recall(state, query, min_relevance=0.0).hits}
    bare = {hit.memory.memory_id: hit for hit in recall(state, query, min_relevance=0.0, policy=without).hits}
    gained = {name: fed[name].why["semantic"]["value"] - bare[name].why["semantic"]["value"] for name in fed}
    assert gained["like"] > gained["other"]
    assert {name: hit.relevance for name, hit in fed.items()} == {name: hit.relevance for name, hit in bare.items()}


def test_of_a_few_candidates_the_best_change_nothing() -> None:
    state = state_of(
        memory("mine", "I am allergic to peanuts", said_at_ms=NOW_MS - 90 * DAY_MS),
        memory("hers", "My sister is allergic to cats", said_at_ms=NOW_MS - DAY_MS),
    )
    without = Policy(recall=replace(Policy().recall, feedback_static=0.0))
    query = "what am I allergic to?"
    fed, bare = (recall(state, query, min_relevance=0.0, policy=policy).hits for policy in (Policy(), without))
    assert [hit.score for hit in fed] == [hit.score for hit in bare]


@pytest.mark.parametrize(("query", "first"), [
    ("what am I allergic to?", "mine"), ("what is my sister allergic to?", "hers"),
])  # fmt: skip
def test_what_is_said_of_whom_the_question_is_about_gains(query: str, first: str) -> None:
    state = state_of(
        memory("mine", "allergic to peanuts"), memory("hers", "allergic to hazelnuts", subject="other:sister")
    )
    boosted_ids = [
        hit.memory.memory_id
        for hit in recall(state, query, min_relevance=0.0).hits
        if {"name": "subject", "factor": 1.1} in hit.why["boosts"]
    ]
    assert boosted_ids == [first]


def test_a_question_that_names_nobody_prefers_nobody() -> None:
    state = state_of(memory("mine", "allergic to peanuts"), memory("hers", "allergic to nuts", subject="other:sister"))
    for query in ("who is allergic", "is Bob allergic"):
        hits = recall(state, query, min_relevance=0.0).hits
        assert all(boost["name"] != "subject" for hit in hits for boost in hit.why["boosts"])
