"""Filters by arrays find exactly what reading every memory one by one finds, and columns follow every event."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.columns import NOBODY, Columns
from engine.commands import Recall
from engine.events import MemoriesPurged, MemoryBinned, MemoryEdited, MemoryMerged, MemoryRestored, MemoryWritten
from engine.filters import scope_of, statuses_of
from engine.memory import Category, Memory, Sensitivity, Source, Status, Tier
from engine.state import UserState, apply, check_state
from tests.engine.remembering import DAY_MS, NOW_MS, memory, state_of

SMALL_TIMES = st.integers(NOW_MS - 3, NOW_MS + 3)
MEMORIES = st.builds(
    lambda number, **fields: memory(f"m{number}", f"text {number}", **fields),
    st.integers(0, 10**9),
    tier=st.sampled_from(Tier),
    category=st.sampled_from(Category),
    source=st.sampled_from(Source),
    status=st.sampled_from(Status),
    confidence=st.sampled_from([0.25, 0.5, 1.0]),
    space=st.sampled_from(["shared", "work"]),
    sensitivity=st.sampled_from(Sensitivity),
    tags=st.sampled_from([(), ("a",), ("a", "b")]),
    metadata=st.sampled_from([{}, {"k": 1}, {"k": None}]),
    task=st.sampled_from(["", "t"]),
    conversation=st.sampled_from(["", "c"]),
    said_at_ms=SMALL_TIMES,
    occurred_at_ms=st.none() | SMALL_TIMES,
    expires_at_ms=st.none() | SMALL_TIMES,
)
RECALLS = st.builds(
    Recall,
    query=st.just("text"),
    tiers=st.sampled_from([(), ("working",), ("episodic", "semantic")]),
    categories=st.sampled_from([(), ("fact",), ("event", "task")]),
    statuses=st.sampled_from([("active",), ("pending",), ("active", "superseded"), ("deleted",), ("suppressed",)]),
    spaces=st.sampled_from([(), ("work",), ("nowhere",)]),
    tags=st.sampled_from([(), ("a",), ("a", "b")]),
    metadata=st.sampled_from([{}, {"k": 1}, {"k": None}]),
    min_confidence=st.none() | st.just(0.5),
    from_ms=st.none() | SMALL_TIMES,
    to_ms=st.none() | SMALL_TIMES,
    task=st.sampled_from(["", "t"]),
    conversation=st.sampled_from(["", "c", "other"]),
    max_sensitivity=st.sampled_from(["normal", "sensitive"]),
)


def fits(memory: Memory, recall: Recall) -> bool:
    """The rules of the contract, one memory at a time."""
    here = (recall.conversation and memory.conversation == recall.conversation) or (
        recall.task and memory.task == recall.task
    )
    return bool(
        memory.status in statuses_of(recall)
        and not memory.expired(NOW_MS)
        and (not recall.tiers or memory.tier in recall.tiers)
        and (not recall.categories or memory.category in recall.categories)
        and (not recall.spaces or memory.space in recall.spaces)
        and set(recall.tags) <= set(memory.tags)
        and all(key in memory.metadata and memory.metadata[key] == value for key, value in recall.metadata.items())
        and (recall.min_confidence is None or memory.confidence >= recall.min_confidence)
        and (recall.from_ms is None or memory.happened_at_ms >= recall.from_ms)
        and (recall.to_ms is None or memory.happened_at_ms <= recall.to_ms)
        and (recall.max_sensitivity == "sensitive" or memory.sensitivity is Sensitivity.NORMAL)
        and (memory.tier is not Tier.WORKING or memory.status is not Status.ACTIVE or here)
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(MEMORIES, max_size=12, unique_by=lambda each: each.memory_id), RECALLS)
def test_filters_by_arrays_agree_with_reading_every_memory(memories: list[Memory], recall: Recall) -> None:
    state = state_of(*memories)
    allowed = scope_of(state, recall, NOW_MS).allowed
    found = {state.ids[slot] for slot in np.flatnonzero(allowed)}
    assert found == {each.memory_id for each in memories if fits(each, recall)}


@settings(max_examples=60, deadline=None)
@given(st.lists(MEMORIES, max_size=12, unique_by=lambda each: each.memory_id), RECALLS)
def test_what_is_withheld_is_never_allowed(memories: list[Memory], recall: Recall) -> None:
    scope = scope_of(state_of(*memories), recall, NOW_MS)
    for held_back in (scope.expired, scope.sensitive, scope.suppressed):
        assert held_back is None or (held_back.any() and not (scope.allowed & held_back).any())


@settings(max_examples=60, deadline=None)
@given(st.lists(MEMORIES, max_size=12, unique_by=lambda each: each.memory_id), st.lists(SMALL_TIMES, max_size=6))
def test_a_kept_scope_is_the_scope_worked_out_anew_whatever_the_clock_does(
    memories: list[Memory], times: list[int]
) -> None:
    state, plain = state_of(*memories[:-1]), Recall(query="text")
    for now_ms in times:
        allowed = scope_of(state, plain, now_ms).allowed
        assert (allowed == scope_of(state_of(*memories[:-1]), plain, now_ms).allowed).all()
    for last in memories[-1:]:
        apply(state, MemoryWritten(last))
    assert (scope_of(state, plain, NOW_MS).allowed == scope_of(state_of(*memories), plain, NOW_MS).allowed).all()


def test_columns_follow_edits_merges_the_bin_and_the_purge() -> None:
    state = state_of(memory("a", "one", conversation="c"), memory("b", "two", conversation="c"), memory("d", "three"))
    apply(state, MemoryEdited("a", NOW_MS, "", {"category": "event", "space": "work", "content": "uno"}))
    apply(state, MemoryMerged("b", NOW_MS, NOW_MS + DAY_MS, 1.0))
    apply(state, MemoryBinned("d", NOW_MS, NOW_MS + DAY_MS))
    assert rebuilt_equals(state)
    apply(state, MemoryRestored("d", NOW_MS, Status.ACTIVE))
    apply(state, MemoriesPurged(("a",), NOW_MS, "asked"))
    assert rebuilt_equals(state)
    assert state.columns.status[0] == -1
    check_state(state)


@settings(max_examples=60, deadline=None)
@given(st.lists(MEMORIES, min_size=1, max_size=12, unique_by=lambda each: each.memory_id), st.data())
def test_neighbours_are_those_said_next_in_the_same_talk(memories: list[Memory], data: st.DataObject) -> None:
    state = state_of(*memories)
    gone = data.draw(st.sampled_from(memories))
    apply(state, MemoriesPurged((gone.memory_id,), NOW_MS, "asked"))
    kept = [each for each in memories if each is not gone]
    hour = {each.memory_id: each.conversation or str(each.said_at_ms // 3_600_000) for each in kept}
    order = sorted(kept, key=lambda each: (hour[each.memory_id], each.said_at_ms, state.slots[each.memory_id]))
    for first, second in pairwise(order):
        together = hour[first.memory_id] == hour[second.memory_id]
        expected = state.slots[second.memory_id] if together else NOBODY
        assert state.columns.after[state.slots[first.memory_id]] == expected
        if together:
            assert state.columns.before[state.slots[second.memory_id]] == state.slots[first.memory_id]


def rebuilt_equals(state: UserState) -> bool:
    """Columns kept in step are the columns that a fresh reading of all memories gives."""
    fresh = Columns()
    for memory_id, each in state.memories.items():
        fresh.put(state.slots[memory_id], each)
    used = sorted(state.slots.values())
    for name in ("status", "tier", "category", "happened_at_ms", "wording", "talk", "before", "after"):
        assert (getattr(state.columns, name)[used] == getattr(fresh, name)[used]).all(), name
    return True
