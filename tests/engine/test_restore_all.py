"""A state filled from a snapshot in one go is the state that was filled memory by memory."""

from dataclasses import replace

import numpy as np
import pytest

from engine.columns import NEVER_MS, Columns
from engine.errors import InvalidMemory
from engine.events import MemoryWritten
from engine.lexical import LexicalIndex
from engine.memory import Memory, Sensitivity, Status, Tier
from engine.state import UserState, apply, check_state, restore, restore_all
from engine.vectors import VectorIndex, VectorPolicy
from tests.engine.remembering import DIMENSIONS, NOW_MS, letters, memory

HOUR_MS = 3_600_000
QUERIES = ("garlic", "a trip to Rome", "花生过敏", "Ann: the cat")


def empty() -> UserState:
    return UserState("u", dimensions=DIMENSIONS, stand_in=letters)


def memories() -> list[Memory]:
    """One of everything that columns and shelves tell apart, two of them with the same text."""
    return [
        memory("a", "I am allergic to garlic", said_at_ms=NOW_MS - 5 * HOUR_MS),
        memory("b", "Ann: the cat is called Mimi?", conversation="talk", said_at_ms=NOW_MS - 2),
        memory("c", "Bob: a trip to Rome", conversation="talk", said_at_ms=NOW_MS - 9, tier=Tier.EPISODIC),
        memory("d", "我对花生过敏", space="home", task="move", sensitivity=Sensitivity.SENSITIVE),
        memory("e", "A trip to Rome", status=Status.PENDING, tier=Tier.WORKING, expires_at_ms=NOW_MS + 1),
        memory("f", "A trip to Rome", status=Status.SUPERSEDED, valid_to_ms=NOW_MS, superseded_by="a"),
        memory("g", "My locker is 12", status=Status.DELETED, retired_at_ms=NOW_MS),
        memory("h", "My ex is called Lin", status=Status.SUPPRESSED, suppressed_by="s"),
        memory("i", "garlic bread was for dinner", said_at_ms=NOW_MS - 5 * HOUR_MS + 1),
    ]


def one_by_one(vectors: dict[str, np.ndarray]) -> UserState:
    state = empty()
    for one in memories():
        restore(state, one, vectors.get(one.memory_id))
    return state


def answers(state: UserState) -> list[object]:
    """Everything that a search reads of a state."""
    found: list[object] = [list(state.ids), state.slots, state.memories, list(state.unembedded), set(state.suppressed)]
    found += [getattr(state.columns, name)[: len(state.columns)].tolist() for name in Columns.__annotations__]
    for query in QUERIES:
        slots, scores = state.lexical.search(query, limit=9)
        found += [slots.tolist(), scores.tolist()]
        for index in state.vectors.values():
            slots, scores = index.exact(letters(query), 9)
            found += [slots.tolist(), scores.tolist()]
    return found


@pytest.mark.parametrize("with_words", [True, False])
def test_filling_at_once_and_one_by_one_come_to_the_same(with_words: bool) -> None:
    vectors = {"a": letters("what the model made of it"), "c": letters("and of this")}
    wanted = one_by_one(vectors)
    words = None
    if with_words:
        words = LexicalIndex.unpacked(wanted.lexical.packed(range(len(wanted.ids))), range(len(wanted.ids)))
        assert words is not None
    state = empty()
    restore_all(state, memories(), vectors, words)
    check_state(state)
    assert answers(state) == answers(wanted)


def test_a_state_that_was_filled_at_once_goes_on_like_any_other() -> None:
    wanted, state = one_by_one({}), empty()
    restore_all(state, memories(), {}, None)
    later = [
        MemoryWritten(memory("j", "Cid: another trip to Rome", conversation="talk", said_at_ms=NOW_MS - 5)),
        MemoryWritten(replace(memories()[2], content="Bob: a trip to Oslo", said_at_ms=NOW_MS)),
    ]
    for event in later:
        apply(state, event)
        apply(wanted, event)
    check_state(state)
    assert answers(state) == answers(wanted)


def test_an_index_of_words_that_holds_another_number_of_memories_is_not_believed() -> None:
    state, few = empty(), LexicalIndex()
    few.put(0, "garlic")
    restore_all(state, memories(), {}, few)
    check_state(state)
    assert answers(state) == answers(one_by_one({}))


def test_nothing_to_restore_leaves_an_empty_state_that_works() -> None:
    state = empty()
    restore_all(state, [], {}, None)
    apply(state, MemoryWritten(memory("a", "garlic")))
    check_state(state)
    assert state.columns.expires_at_ms[0] == NEVER_MS


def test_vectors_that_are_not_of_unit_length_are_refused_together() -> None:
    index = VectorIndex(2, VectorPolicy())
    rows = np.array([[1, 0], [0, 1], [0, 2]], np.float32)
    for wrong in (rows, rows * np.float32("nan"), rows[:2]):
        with pytest.raises(InvalidMemory):
            index.fill(np.arange(3), wrong)
        assert len(index) == 0


def test_filling_shares_a_row_between_equal_vectors_old_and_new() -> None:
    index = VectorIndex(2, VectorPolicy())
    index.put(7, np.array([0, 1], np.float32))
    index.fill(np.array([8, 9, 10]), np.array([[1, 0], [0, 1], [1, 0]], np.float32))
    assert index.waiting == 2
    slots, scores = index.exact(np.array([0.6, 0.8], np.float32), 9)
    assert slots.tolist() == [9, 7, 10, 8]
    assert scores.tolist() == pytest.approx([0.8, 0.8, 0.6, 0.6])
    index.remove(8)
    assert index.exact(np.array([1, 0], np.float32), 1)[0].tolist() == [10]
