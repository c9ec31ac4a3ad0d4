"""Which memories are worth ranking for one query: near by vector, sharing words, beside those in a talk, or at the time
that the query names. About two hundred of each; nothing here walks over all memories in Python.
"""

from collections.abc import Iterator

import numpy as np

from engine.columns import CATEGORIES, NOBODY, STATUSES, TIERS, BoolArray
from engine.filters import Scope
from engine.in_time import in_spans
from engine.memory import Category, Float32Array, Int64Array, Status, Tier
from engine.question import Candidates, Question
from engine.relevance import inherited, relevance_of, successor_slot
from engine.state import ASIDE, UserState

_NEIGHBOURS_OF = 16  # How many of the best bring what stands beside them.
_DATED_MAX = 64
_DATED_READ_MAX = 1000
_BEARING_MAX = 24

_NONE = Candidates(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.float32), np.empty(0), np.empty(0))


def candidates_of(state: UserState, question: Question, scope: Scope) -> Candidates:
    """Gather and score them.

    Shapes:  m candidates, at most (shelves + 1) * policy.candidates_max and some neighbours, dated and bearing ones.
    """
    k, vector = question.policy.candidates_max, question.query.vector
    if not scope.shelves:
        return _NONE
    nearest = [state.vectors[shelf].nearest(vector, k, allowed=scope.allowed_on(shelf)) for shelf in scope.shelves]
    near_slots = np.concatenate([slots for slots, _ in nearest])
    word_slots, word_scores = state.lexical.search(question.text, limit=k, allowed=scope.allowed)
    bearing = _bearing(state, question, scope)
    dated = _said_then(state, question, scope)
    beside = _beside(state, near_slots, word_slots, scope.allowed)
    slots = np.unique(np.concatenate([near_slots, word_slots, np.array([*bearing], np.int64), dated, beside]))
    slots = _with_successors(state, slots, scope.allowed)
    semantic, far = np.empty(len(slots), dtype=np.float32), np.ones(len(slots), dtype=np.bool_)
    near_rows = np.searchsorted(slots, near_slots)
    far[near_rows] = False
    semantic[near_rows] = np.concatenate([scores for _, scores in nearest])
    semantic[far] = products(state, question.query.vector, slots[far], scope.shelves)
    keyword = np.zeros(len(slots), dtype=np.float32)
    keyword[np.searchsorted(slots, word_slots)] = word_scores
    bears = np.zeros(len(slots))
    bears[np.searchsorted(slots, [*bearing])] = [*bearing.values()]
    relevance = relevance_of(state, question, slots, semantic, keyword, bears)
    return Candidates(slots, semantic, keyword, bears, inherited(state, slots, relevance))


def products(state: UserState, vector: Float32Array, slots: Int64Array, shelves: tuple[str, ...]) -> Float32Array:
    """Dot products with a vector of memories that stand on these shelves. Shapes: (dimensions,), (m,) -> (m,)."""
    if len(shelves) == 1:
        return state.vectors[shelves[0]].scores_of(vector, slots)
    scores = np.zeros(len(slots), dtype=np.float32)
    for shelf, there in _on_shelves(state, slots, shelves):
        scores[there] = state.vectors[shelf].scores_of(vector, slots[there])
    return scores


def directions(state: UserState, question: Question, slots: Int64Array, shelves: tuple[str, ...]) -> Float32Array:
    """What of their vectors is these memories' own: the mean taken off, unit norm. Shapes: (n,) -> (n, dimensions)."""
    vectors = np.zeros((len(slots), question.space.dimensions), dtype=np.float32)
    for shelf, there in _on_shelves(state, slots, shelves):
        vectors[there] = state.vectors[shelf].vectors_of(slots[there])
    own = vectors - question.space.mean
    norms = np.sqrt(np.einsum("nd,nd->n", own, own))
    unit: Float32Array = own / np.maximum(norms, 1e-6)[:, None]
    return unit


def _on_shelves(state: UserState, slots: Int64Array, shelves: tuple[str, ...]) -> Iterator[tuple[str, BoolArray]]:
    """Which of the slots stand on each shelf."""
    columns = state.columns
    active = columns.status[slots] == STATUSES.index(Status.ACTIVE)
    for shelf in shelves:
        there = ~active if shelf == ASIDE else active & (columns.tier[slots] == TIERS.index(Tier(shelf)))
        if there.any():
            yield shelf, there


def _bearing(state: UserState, question: Question, scope: Scope) -> dict[int, float]:
    """How much facts and preferences bear on the request, by slot; an event that mentions an allergy is a story."""
    event = CATEGORIES.index(Category.EVENT)
    weights: dict[int, float] = {}
    for situation in question.situations:
        for slot in state.lexical.search(situation.words, limit=_BEARING_MAX, allowed=scope.allowed)[0].tolist():
            memory = state.memory_at(slot)
            weight = situation.weight(memory.content, own=memory.subject == "user")
            if weight and state.columns.category[slot] != event:
                weights[slot] = max(weight, weights.get(slot, 0.0))
    return weights


def _with_successors(state: UserState, slots: Int64Array, allowed: BoolArray) -> Int64Array:
    """Where history may be returned, what replaced it comes along, or the old would stand without the new."""
    old = slots[state.columns.status[slots] == STATUSES.index(Status.SUPERSEDED)]
    found: set[int] = set()
    for slot in old.tolist():
        successor = successor_slot(state, slot)
        while successor is not None and successor not in found:
            found.add(successor)
            successor = successor_slot(state, successor)
    held = [slot for slot in found if slot < len(allowed) and allowed[slot]]
    return np.union1d(slots, np.array(held, dtype=np.int64)) if held else slots


def _beside(state: UserState, near_slots: Int64Array, word_slots: Int64Array, allowed: BoolArray) -> Int64Array:
    """What was said next to the best by vector and the best by word, where it may be returned."""
    columns = state.columns
    best = np.concatenate([near_slots[:_NEIGHBOURS_OF], word_slots[:_NEIGHBOURS_OF]])
    beside = np.concatenate([columns.before[best], columns.after[best]]).astype(np.int64)
    beside = beside[(beside != NOBODY) & (beside < len(allowed))]
    kept: Int64Array = beside[allowed[beside]]
    return kept


def _said_then(state: UserState, question: Question, scope: Scope) -> Int64Array:
    """The nearest of what happened or was said at the time the query names."""
    if not question.spans:
        return np.empty(0, dtype=np.int64)
    columns, n = state.columns, len(scope.allowed)
    then = scope.allowed & (
        in_spans(columns.happened_at_ms[:n], question.spans) | in_spans(columns.said_at_ms[:n], question.spans)
    )
    slots = np.flatnonzero(then)
    if len(slots) > _DATED_READ_MAX:
        vector = question.query.vector
        found = [state.vectors[shelf].nearest(vector, _DATED_MAX, allowed=then)[0] for shelf in scope.shelves]
        return np.concatenate(found)
    scores = products(state, question.query.vector, slots, scope.shelves)
    return slots[np.argsort(-scores, kind="stable")[:_DATED_MAX]]
