"""Recall finds what fits, holds back what must not be shown, and counts it."""

import pytest

from engine.events import MemoryBinned, MemorySuperseded
from engine.memory import Category, Sensitivity, Source, Status, Tier
from engine.recall import WITHHELD, Hit, RecallResult, undecided
from engine.state import apply
from tests.engine.remembering import DAY_MS, NOW_MS, day, ids, memory, recall, state_of

ALLERGY = memory("allergy", "我对花生过敏")
TRAM = memory("tram", "I take the tram to the archive")
PIANO = memory("piano", "The piano tuner comes in March", category=Category.EVENT, tier=Tier.EPISODIC)


def test_the_memory_that_shares_the_words_of_the_query_comes_first() -> None:
    state = state_of(ALLERGY, TRAM, PIANO)
    assert ids(recall(state, "花生"))[0] == "allergy"
    assert ids(recall(state, "when does the piano tuner come"))[0] == "piano"


def test_a_memory_is_found_by_its_own_text() -> None:
    state = state_of(ALLERGY, TRAM, PIANO)
    for each in (ALLERGY, TRAM, PIANO):
        result = recall(state, each.content, top_k=1)
        assert ids(result) == [each.memory_id]
        assert result.hits[0].relevance > 0.6


def test_a_fresh_confident_irrelevant_memory_is_not_returned() -> None:
    result = recall(state_of(TRAM), "花生酱怎么做")
    assert result.hits == ()
    assert result.abstained
    assert result.withheld["below_floor"] == 1
    assert "用户" in result.hint


def test_the_hint_speaks_the_language_of_the_query() -> None:
    assert "ask the user" in recall(state_of(), "my blood type").hint
    assert "问用户" in recall(state_of(), "我的血型").hint


@pytest.mark.parametrize("query", ["", "   ", "？！……", "\n"])
def test_a_query_without_a_word_finds_nothing(query: str) -> None:
    result = recall(state_of(ALLERGY), query)
    assert result.hits == ()
    assert result.abstained


def test_an_expired_memory_is_never_found_but_counted() -> None:
    state = state_of(memory("soon", "the parcel code is 4471", expires_at_ms=NOW_MS), TRAM)
    result = recall(state, "parcel code", min_relevance=0.0)
    assert "soon" not in ids(result)
    assert recall(state, "parcel code").withheld["expired"] == 1
    assert ids(recall(state, "parcel code", now_ms=NOW_MS - 1)) == ["soon"]


def test_a_binned_memory_is_not_found_whatever_is_asked() -> None:
    state = state_of(ALLERGY)
    apply(state, MemoryBinned("allergy", NOW_MS, NOW_MS + DAY_MS))
    for statuses in (("active",), ("deleted",), ("active", "deleted", "suppressed")):
        assert recall(state, "花生", statuses=statuses, min_relevance=0.0).hits == ()


def test_a_suppressed_memory_is_counted_but_not_returned() -> None:
    state = state_of(memory("ex", "my ex is called Milo", status=Status.SUPPRESSED), TRAM)
    result = recall(state, "what is my ex called")
    assert result.hits == ()
    assert result.withheld["suppressed"] == 1


def test_sensitive_memories_need_the_right_to_see_them() -> None:
    state = state_of(memory("hiv", "I take medication for HIV", sensitivity=Sensitivity.SENSITIVE))
    held = recall(state, "which medication do I take", max_sensitivity="normal")
    assert held.hits == ()
    assert held.withheld["sensitive"] == 1
    assert ids(recall(state, "which medication do I take")) == ["hiv"]


def test_working_memory_is_found_only_by_a_search_that_names_its_conversation_or_task() -> None:
    state = state_of(memory("step", "step 3 of the migration failed", tier=Tier.WORKING, conversation="c1", task="t1"))
    assert ids(recall(state, "migration step", min_relevance=0.0)) == []
    assert ids(recall(state, "migration step", min_relevance=0.0, conversation="c2")) == []
    assert ids(recall(state, "migration step", conversation="c1")) == ["step"]
    assert ids(recall(state, "migration step", task="t1")) == ["step"]


def test_naming_a_conversation_hides_nothing_else() -> None:
    assert ids(recall(state_of(ALLERGY), "花生", conversation="c9")) == ["allergy"]


def test_min_relevance_replaces_the_floor_and_abstained_does_not_change() -> None:
    state = state_of(TRAM)
    everything = recall(state, "花生酱怎么做", min_relevance=0.0)
    assert ids(everything) == ["tram"]
    assert everything.abstained
    assert recall(state, TRAM.content, min_relevance=0.999).hits == ()


def test_a_superseded_memory_is_returned_only_when_asked_and_never_above_the_current_one() -> None:
    old = memory("old", "my home address is 5 Elm Street", said_at_ms=NOW_MS - 90 * DAY_MS)
    new = memory("new", "my home is 9 Oak Road now", said_at_ms=NOW_MS - DAY_MS, supersedes=("old",))
    state = state_of(old, new)
    apply(state, MemorySuperseded("old", "new", NOW_MS, NOW_MS - DAY_MS))
    query = "what is my home address on Elm Street"
    assert ids(recall(state, query, min_relevance=0.0)) == ["new"]
    both = recall(state, query, statuses=("active", "superseded"))
    assert ids(both) == ["new", "old"]
    assert ids(recall(state, query, intent="history")) == ["new", "old"]


def test_history_comes_newest_first() -> None:
    chain = [
        memory(f"home{i}", f"I live in {city}", said_at_ms=NOW_MS - (4 - i) * 30 * DAY_MS)
        for i, city in enumerate(["Oslo", "Bergen", "Turku"])
    ]
    state = state_of(*chain)
    apply(state, MemorySuperseded("home0", "home1", NOW_MS, chain[1].said_at_ms))
    apply(state, MemorySuperseded("home1", "home2", NOW_MS, chain[2].said_at_ms))
    assert ids(recall(state, "did I live in Oslo", intent="history")) == ["home2", "home1", "home0"]


def test_as_of_shows_what_was_current_then() -> None:
    old = memory("old", "I live in Oslo", said_at_ms=day(2026, 1, 10))
    new = memory("new", "I live in Bergen", said_at_ms=day(2026, 3, 1))
    state = state_of(old, new)
    apply(state, MemorySuperseded("old", "new", day(2026, 3, 1), day(2026, 3, 1)))
    assert ids(recall(state, "where do I live")) == ["new"]
    assert ids(recall(state, "where do I live", as_of_ms=day(2026, 2, 1))) == ["old"]
    assert ids(recall(state, "where do I live", as_of_ms=day(2026, 3, 2))) == ["new"]
    assert ids(recall(state, "where do I live", as_of_ms=day(2025, 12, 1))) == []


def test_from_and_to_look_at_when_it_happened_else_when_it_was_said() -> None:
    state = state_of(
        memory("said", "the licence is electronic", said_at_ms=day(2026, 2, 10)),
        memory("happened", "the licence test", said_at_ms=day(2026, 2, 10), occurred_at_ms=day(2026, 2, 20)),
    )
    found = recall(state, "licence", from_ms=day(2026, 2, 9), to_ms=day(2026, 2, 11), min_relevance=0.0)
    assert ids(found) == ["said"]
    found = recall(state, "licence", from_ms=day(2026, 2, 19), to_ms=day(2026, 2, 21), min_relevance=0.0)
    assert ids(found) == ["happened"]


def test_every_filter_holds_before_anything_is_ranked() -> None:
    wanted = memory(
        "wanted",
        "the fence was painted",
        space="home",
        tags=("garden", "house"),
        metadata={"room": "out"},
        category=Category.TASK,
        tier=Tier.EPISODIC,
        confidence=0.9,
    )
    others = [memory(f"other{i}", "the fence was painted again and again", confidence=0.5) for i in range(20)]
    state = state_of(*others, wanted)
    for filters in (
        {"spaces": ("home",)},
        {"tags": ("garden",)},
        {"tags": ("garden", "house")},
        {"metadata": {"room": "out"}},
        {"categories": ("task",)},
        {"tiers": ("episodic",)},
        {"min_confidence": 0.9},
    ):
        assert ids(recall(state, "fence", top_k=50, min_relevance=0.0, **filters)) == ["wanted"], filters
    assert recall(state, "fence", tags=("garden", "attic"), min_relevance=0.0).hits == ()
    assert recall(state, "fence", spaces=("never seen",), min_relevance=0.0).hits == ()


def test_asking_for_more_than_there_is_returns_what_there_is() -> None:
    assert ids(recall(state_of(TRAM), "tram", top_k=50)) == ["tram"]


def test_one_tool_cannot_fill_the_list_while_others_are_relevant() -> None:
    noisy = [
        memory(f"tool{i}", f"train number {i} to Oslo leaves at {i} o'clock", source=Source.TOOL, confidence=0.8)
        for i in range(20)
    ]
    said = [memory(f"user{i}", f"I like the train to Oslo, seat {i}", confidence=0.5) for i in range(6)]
    found = recall(state_of(*noisy, *said), "train to Oslo leaves", top_k=8)
    assert sum(hit.memory.source is Source.TOOL for hit in found.hits) == 4
    alone = recall(state_of(*noisy), "train to Oslo leaves", top_k=8)
    assert len(alone.hits) == 8


def test_the_same_words_twice_make_place_for_something_else() -> None:
    twice = recall(state_of(memory("a", "the cat refuses fish"), memory("b", "The cat refuses fish.")), "cat fish")
    assert twice.hits[1].score == pytest.approx(twice.hits[0].score / 2, rel=0.05)


def test_what_bears_on_a_request_is_found_without_a_shared_word() -> None:
    state = state_of(ALLERGY, TRAM, memory("vegan", "My sister Ada is vegan"))
    assert "allergy" in ids(recall(state, "推荐个餐厅"))
    assert "allergy" in ids(recall(state, "any good place for dinner?"))
    assert "tram" not in ids(recall(state, "any good place for dinner?"))
    assert "home" in ids(recall(state_of(memory("home", "我住在北京"), TRAM), "附近有什么好玩的"))


def test_what_would_do_harm_comes_before_tastes_and_before_what_concerns_others() -> None:
    state = state_of(
        memory("taste", "我不吃香菜", category=Category.PREFERENCE),
        memory("sister", "我妹妹对海鲜过敏", subject="other:妹妹"),
        memory("own", "我对花生过敏"),
        memory("story", "周日家里聚会"),
    )
    found = {hit.memory.memory_id: hit.why for hit in recall(state, "any good place to eat?").hits}
    assert next(iter(found)) == "own"
    for name, factor in (("own", 1.5), ("sister", 1.3)):
        assert {b["name"]: b["factor"] for b in found[name]["boosts"]}["bears"] == pytest.approx(factor)
    assert "taste" in found


def test_a_memory_said_in_the_future_does_not_break_the_scores() -> None:
    state = state_of(memory("future", "年会定在湖边酒店", said_at_ms=NOW_MS + 10 * DAY_MS), ALLERGY)
    for hit in recall(state, "年会在哪", min_relevance=0.0).hits:
        assert 0.0 <= hit.score <= 1.0


def test_the_reply_has_the_names_of_the_contract() -> None:
    reply = recall(state_of(ALLERGY), "花生").reply("alice")
    assert set(reply) == {"memories", "abstained", "hint", "withheld"}
    hit = reply["memories"][0]  # type: ignore[index]
    assert {"id", "content", "relevance", "score", "why", "status", "said_at"} <= set(hit)
    assert set(reply["withheld"]) == {"expired", "below_floor", "suppressed", "sensitive"}  # type: ignore[call-overload]


def hits_with(*scores: float) -> RecallResult:
    hits = tuple(Hit(ALLERGY, 0.9, score, {}) for score in scores)
    return RecallResult(hits, not hits, "", dict.fromkeys(WITHHELD, 0))


@pytest.mark.parametrize(
    ("scores", "top_k", "wanted"),
    [
        ((), 8, True),
        ((0.9,), 8, False),
        ((0.2,), 8, True),
        ((0.9, 0.8, 0.8, 0.8, 0.7, 0.66), 8, True),
        ((0.9, 0.8, 0.8, 0.8, 0.7, 0.64), 8, False),
        ((0.9, 0.8), 2, True),
        ((0.9, 0.5), 2, False),
    ],
)
def test_a_better_vector_is_wanted_where_nothing_leads(scores: tuple[float, ...], top_k: int, wanted: bool) -> None:
    assert undecided(hits_with(*scores), top_k) is wanted
