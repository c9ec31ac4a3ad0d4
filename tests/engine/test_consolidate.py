"""Consolidation: what becomes semantic knowledge, how far it is believed, and that it never feeds itself."""

from datetime import UTC, datetime

import pytest

from engine.change import decide_bin
from engine.consolidate import (
    CONSOLIDATED,
    decide_compact,
    decide_compact_meanings,
    decide_consolidate,
    seeds,
    settled_since,
)
from engine.events import MemoryMerged, MemoryWritten
from engine.memory import Category, Memory, Sensitivity, Source, Status, Tier
from engine.policy import Policy
from engine.quarter import next_quarter_ms, quarter_start_ms
from engine.state import UserState, apply, check_state, fold
from engine.working import Around
from tests.engine.deciding import Desk
from tests.engine.remembering import DAY_MS, NOW_MS, memory, state_of


def episode(memory_id: str, content: str, days_ago: int, **more: object) -> Memory:
    said = NOW_MS - days_ago * DAY_MS
    plain = {"category": Category.EVENT, "said_at_ms": said, "expires_at_ms": NOW_MS + 9 * DAY_MS}
    return memory(memory_id, content, tier=Tier.EPISODIC, **{**plain, **more})


def consolidate(state: UserState, now_ms: int = NOW_MS) -> dict[str, int]:
    events, made = decide_consolidate(state, seeds(state, now_ms), Around(now_ms, UTC, Policy()))
    fold(state, events)
    compacted = decide_compact(state, now_ms=now_ms)
    fold(state, compacted)
    check_state(state)
    return {"consolidated": made, "compacted": len(compacted)}


def risen(state: UserState) -> list[Memory]:
    return [one for one in state.memories.values() if CONSOLIDATED in one.marks]


def coffees(*days_ago: int, prefix: str = "e", **more: object) -> list[Memory]:
    said = "I had a flat white at the harbour cafe"
    return [episode(f"{prefix}{days}", said + "!" * (days % 2), days, **more) for days in days_ago]


def test_what_repeats_becomes_one_semantic_memory_with_its_evidence() -> None:
    state = state_of(*coffees(1, 3, 8), episode("other", "The parcel from Ghent arrived", 2))
    assert consolidate(state) == {"consolidated": 1, "compacted": 0}
    [made] = risen(state)
    assert (made.tier, made.status, made.category, made.expires_at_ms) == (
        Tier.SEMANTIC,
        Status.ACTIVE,
        Category.FACT,
        None,
    )
    assert made.content in {one.content for one in coffees(1, 3, 8)}
    assert (set(made.derived_from), made.metadata["evidence"]) == ({"e1", "e3", "e8"}, 3)
    assert {state.memories[i].status for i in ("e1", "e3", "e8", "other")} == {Status.ACTIVE}


@pytest.mark.parametrize(
    "episodes",
    [
        coffees(1, 3),
        coffees(1, 1, 1),
        coffees(1, 3, 8, source=Source.AGENT, confidence=0.9),
        coffees(1, 3, 8, confidence=0.5),
        coffees(1, 3, 8, status=Status.PENDING),
        coffees(1, 3, 8, source=Source.IMPORT),
        [*coffees(1, 3), *coffees(5, prefix="w", space="work")],
        [*coffees(1, 3), *coffees(5, prefix="s", sensitivity=Sensitivity.SENSITIVE)],
        [episode(f"r{n}", f"I ran {n} kilometres along the harbour", n) for n in (4, 5, 6)],
        [*coffees(1, 3), episode("n", "I had no flat white at the harbour cafe", 5)],
    ],
)
def test_too_few_days_other_origins_numbers_and_denials_are_not_consolidated(episodes: list[Memory]) -> None:
    state = state_of(*episodes)
    assert consolidate(state)["consolidated"] == 0


def test_it_is_believed_as_little_as_the_least_of_its_sources() -> None:
    state = state_of(*coffees(1, 3), *coffees(5, prefix="t", source=Source.TOOL, confidence=0.8))
    consolidate(state)
    [made] = risen(state)
    assert (made.source, made.confidence) == (Source.TOOL, 0.8)


def test_twenty_rounds_never_raise_trust() -> None:
    state = state_of(*coffees(1, 3), *coffees(5, prefix="t", source=Source.TOOL, confidence=0.8))
    for n in range(20):
        now_ms = NOW_MS + n * DAY_MS
        for one in coffees(-n, prefix=f"r{n}-", created_at_ms=now_ms, expires_at_ms=now_ms + 30 * DAY_MS):
            apply(state, MemoryWritten(one))
        consolidate(state, now_ms)
    assert len(risen(state)) >= 1
    for made in risen(state):
        sources = [state.memories[i] for i in made.derived_from]
        assert made.confidence <= min(one.confidence for one in sources)
        assert made.source is Source.TOOL or all(one.source is Source.USER for one in sources)
    assert min(made.confidence for made in risen(state)) == 0.8


def test_a_second_round_without_news_changes_nothing() -> None:
    state = state_of(*coffees(1, 3, 8), episode("f", "I am allergic to peanuts", 1, category=Category.FACT))
    assert consolidate(state)["consolidated"] == 2
    before = dict(state.memories)
    assert consolidate(state) == {"consolidated": 0, "compacted": 0}
    assert state.memories == before


def test_what_was_said_again_on_other_days_and_merged_counts_as_repeated() -> None:
    said_again = [MemoryMerged("e9", NOW_MS, NOW_MS - days * DAY_MS, 1.0) for days in (5, 1)]
    state = fold(state_of(*coffees(9)), said_again[:1])
    assert consolidate(state)["consolidated"] == 0
    fold(state, said_again[1:])
    assert consolidate(state)["consolidated"] == 1
    [made] = risen(state)
    assert (made.derived_from, made.metadata["evidence"]) == (("e9",), 3)
    once = fold(state_of(*coffees(9)), [MemoryMerged("e9", NOW_MS, NOW_MS - 9 * DAY_MS, 1.0)] * 5)
    assert consolidate(once)["consolidated"] == 0


def test_a_plain_and_lasting_statement_needs_no_repetition() -> None:
    state = state_of(episode("f", "I am allergic to peanuts", 1, category=Category.FACT))
    assert consolidate(state)["consolidated"] == 1
    [made] = risen(state)
    assert (made.content, made.derived_from, made.tier) == ("I am allergic to peanuts", ("f",), Tier.SEMANTIC)
    assert state.memories["f"].status is Status.ARCHIVED


def test_what_is_known_already_is_not_made_again() -> None:
    state = state_of(
        memory("known", "I am allergic to peanuts."),
        episode("f", "I am allergic to peanuts", 1, category=Category.FACT),
    )
    assert consolidate(state)["consolidated"] == 0
    assert state.memories["f"].status is Status.ACTIVE


def test_what_its_user_binned_is_not_made_again_from_the_same_episodes() -> None:
    state = state_of(*coffees(1, 3, 8))
    consolidate(state)
    fold(state, decide_bin(state, risen(state)[0].memory_id, "", now_ms=NOW_MS, policy=Policy()).events)
    assert consolidate(state)["consolidated"] == 0


def test_semantic_memories_that_say_the_same_word_for_word_are_compacted() -> None:
    state = state_of(
        memory("a", "I keep bees", source=Source.TOOL, confidence=0.8),
        memory("b", "I keep bees."),
        memory("c", "I keep bees", space="work"),
        memory("d", "I keep goats"),
    )
    assert consolidate(state)["compacted"] == 1
    assert [i for i, one in state.memories.items() if one.status is Status.ARCHIVED] == ["a"]


def test_the_same_in_other_words_is_compacted_and_nobody_is_believed_more() -> None:
    desk = Desk()
    state = desk.state
    for number, (content, more) in enumerate(
        [
            ("I am allergic to peanuts.", {"confidence": 0.8}),
            ("I'm allergic to peanuts!", {}),
            ("I am not allergic to peanuts.", {}),
            ("I am allergic to cashews.", {}),
            ("My sister is allergic to peanuts.", {"subject": "other:sister"}),
            ("我对花生过敏。", {"space": "work"}),
        ]
    ):
        apply(state, MemoryWritten(memory(f"m{number}", content, **more)))  # type: ignore[arg-type]
    before = {memory_id: one.confidence for memory_id, one in state.memories.items()}
    ids = settled_since(state, 0, NOW_MS)
    assert ids == [f"m{number}" for number in range(6)]
    fold(state, decide_compact_meanings(state, ids, now_ms=NOW_MS))
    check_state(state)
    assert [one.memory_id for one in state.memories.values() if one.status is Status.ARCHIVED] == ["m0"]
    assert {memory_id: one.confidence for memory_id, one in state.memories.items()} == before
    assert decide_compact_meanings(state, ids, now_ms=NOW_MS) == ()


@pytest.mark.parametrize(
    ("at", "start", "following"),
    [
        ("2026-01-01T00:00:00", "2026-01-01", "2026-04-01"),
        ("2026-03-31T23:59:59", "2026-01-01", "2026-04-01"),
        ("2026-11-30T12:00:00", "2026-10-01", "2027-01-01"),
        ("1969-12-31T23:59:59", "1969-10-01", "1970-01-01"),
    ],
)
def test_quarters_begin_on_the_first_of_their_month(at: str, start: str, following: str) -> None:
    def ms(text: str) -> int:
        return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)

    assert quarter_start_ms(ms(at)) == ms(start)
    assert next_quarter_ms(ms(at)) == ms(following)
