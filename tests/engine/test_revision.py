"""What an opinion that comes after the write may change."""

from dataclasses import replace

import numpy as np
import pytest

from engine.decision import Score, WriteDecision
from engine.events import MemoryEdited, MemoryWritten
from engine.judgement import Opinion
from engine.memory import Category, Float32Array, Memory, Sensitivity, Source, Status, Tier
from engine.revision import UNJUDGED, decide_revision, judged_later, unjudged
from engine.state import UserState, apply, check_state, fold

NOW_MS = 1_700_000_000_000
SCORE = Score(density=0.7, relevance=0.5, durability=0.7, explicitness=0.5, total=0.7, threshold=0.6, by="rules")


def one_direction(text: str) -> Float32Array:
    return np.array([1.0, 0.0], np.float32)


def memory(memory_id: str, content: str, **more: object) -> Memory:
    made = Memory(
        memory_id=memory_id,
        content=content,
        tier=Tier.SEMANTIC,
        category=Category.FACT,
        source=Source.USER,
        confidence=1.0,
        importance=0.5,
        status=Status.ACTIVE,
        created_at_ms=NOW_MS,
        updated_at_ms=NOW_MS,
        said_at_ms=NOW_MS,
        valid_from_ms=NOW_MS,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def state_of(*memories: Memory) -> UserState:
    state = UserState("u", dimensions=2, stand_in=one_direction)
    return fold(state, [MemoryWritten(one) for one in memories])


def waiting(memory_id: str, content: str, **more: object) -> Memory:
    return memory(memory_id, content, marks=(UNJUDGED,), **more)


def revised(state: UserState, one: Memory, opinion: Opinion) -> UserState:
    for event in decide_revision(state, one, opinion, now_ms=NOW_MS + 1):
        apply(state, event)
        check_state(state)
    return state


def test_a_new_memory_is_marked_and_found_again_by_its_mark() -> None:
    made = memory("a", "I live in Lyon")
    decision = judged_later(WriteDecision("stored", made, (MemoryWritten(made),), "", "stored", SCORE))
    state = fold(UserState("u", dimensions=2, stand_in=one_direction), decision.events)
    assert list(unjudged(state)) == ["a"]
    assert decision.memory == state.memories["a"]


@pytest.mark.parametrize(
    "change", [{"sensitivity": Sensitivity.SENSITIVE}, {"status": Status.PENDING}, {"status": Status.QUARANTINED}]
)
def test_what_must_not_be_shown_or_does_not_stand_is_not_marked(change: dict[str, object]) -> None:
    made = memory("a", "I live in Lyon", **change)
    decision = WriteDecision("stored", made, (MemoryWritten(made),), "", "stored", SCORE)
    assert judged_later(decision) == decision


def test_what_was_not_scored_or_only_merged_is_not_marked() -> None:
    made = memory("a", "I live in Lyon")
    for decision in (
        WriteDecision("skipped", None, (), "", "chitchat"),
        WriteDecision("stored", made, (MemoryWritten(made),), "", "stored"),
        WriteDecision("merged", made, (), "", "duplicate", SCORE),
    ):
        assert judged_later(decision) == decision


def test_an_opinion_sets_the_importance_and_takes_the_mark_away() -> None:
    one = waiting("a", "I am allergic to peanuts")
    state = revised(state_of(one), one, Opinion(10))
    assert state.memories["a"].importance == 1.0
    assert state.memories["a"].marks == ()
    assert state.memories["a"].status is Status.ACTIVE


@pytest.mark.parametrize("kept", [{"pinned": True}, {"access_count": 1}, {"rule": "confirmed"}])
def test_what_is_next_to_nothing_is_set_aside_unless_somebody_values_it(kept: dict[str, object]) -> None:
    plain = waiting("a", "The bus came at nine")
    assert revised(state_of(plain), plain, Opinion(0)).memories["a"].status is Status.ARCHIVED
    valued = waiting("a", "The bus came at nine", **kept)
    assert revised(state_of(valued), valued, Opinion(0)).memories["a"].status is Status.ACTIVE


def test_a_memory_that_it_replaces_becomes_history() -> None:
    old, new = memory("a", "I live in Nice"), waiting("b", "My home is in Lyon", said_at_ms=NOW_MS + 1)
    state = revised(state_of(old, new), new, Opinion(8, {"a": "replaces"}, {"a": 1}))
    assert state.memories["a"].status is Status.SUPERSEDED
    assert state.memories["a"].superseded_by == "b"
    assert state.memories["b"].supersedes == ("a",)


def test_a_memory_that_says_the_same_is_folded_into_the_older_one() -> None:
    old, new = memory("a", "I work as a nurse"), waiting("b", "My job is nursing")
    state = revised(state_of(old, new), new, Opinion(8, {"a": "same"}, {"a": 1}))
    assert state.memories["b"].status is Status.ARCHIVED
    assert state.memories["a"].status is Status.ACTIVE


@pytest.mark.parametrize(
    ("old", "relation"),
    [
        (memory("a", "I live in Nice", version=2), "replaces"),
        (memory("a", "I live in Nice", said_at_ms=NOW_MS + 60_000), "replaces"),
        (memory("a", "I live in Nice", space="work"), "replaces"),
        (memory("a", "I live in Nice", status=Status.PENDING), "replaces"),
        (memory("a", "My sister lives in Nice"), "replaces"),
        (memory("a", "My order number is 440971"), "same"),
    ],
)
def test_a_relation_that_does_not_hold_changes_nothing(old: Memory, relation: str) -> None:
    new = waiting("b", "I live in Lyon at number 440917")
    state = revised(state_of(old, new), new, Opinion(8, {"a": relation}, {"a": 1}))
    assert state.memories["a"] == old
    assert state.memories["b"].status is Status.ACTIVE


def test_a_lesser_source_never_replaces_the_users_own_word() -> None:
    old, new = memory("a", "I live in Nice"), waiting("b", "I live in Lyon", source=Source.AGENT, confidence=0.5)
    state = revised(state_of(old, new), new, Opinion(8, {"a": "replaces"}, {"a": 1}))
    assert state.memories["a"].status is Status.ACTIVE


def test_an_opinion_of_what_changed_or_went_meanwhile_changes_nothing() -> None:
    one = waiting("a", "I live in Lyon")
    state = state_of(one)
    apply(state, MemoryEdited("a", NOW_MS, "moved", {"content": "I live in Nice"}))
    assert decide_revision(state, one, Opinion(0), now_ms=NOW_MS) == ()
    assert decide_revision(state_of(), one, Opinion(0), now_ms=NOW_MS) == ()
    assert decide_revision(state_of(memory("a", "I live in Lyon")), one, Opinion(0), now_ms=NOW_MS) == ()
