"""Which memories are worth ranking for one query: near by vector, sharing words, beside those in a talk, or at the time
that the query names. About two hundred of each; nothing here walks over all memories in Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.columns import NOBODY, STATUSES, TIERS, BoolArray
from engine.filters import Scope
from engine.memory import Float32Array, Int64Array, Status
from engine.policy import RecallPolicy
from engine.ranking import Float64Array, min_max
from engine.spaces import EmbeddingSpace
from engine.state import ASIDE, UserState
from engine.time_words import TimeSpan

_NEIGHBOURS_OF = 32  # How many of the best bring what stands beside them.
_DATED_MAX = 64


class QueryVector(Protocol):
    """A query ready for a dot product: `vector` (dimensions,), made by `encoder` "static" or "model"."""

    @property
    def vector(self) -> Float32Array: ...
    @property
    def encoder(self) -> str: ...
    @property
    def coverage(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Question:
    """One query in every form that scoring needs."""

    text: str
    query: QueryVector
    space: EmbeddingSpace
    spans: tuple[TimeSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows to rank, slots rising: slots (m,), raw dot product, raw keyword score and relevance of each (m,)."""

    slots: Int64Array
    semantic: Float32Array
    keyword: Float32Array
    relevance: Float64Array


def candidates_of(state: UserState, question: Question, scope: Scope, policy: RecallPolicy) -> Candidates:
    """Gather and score them.

    Shapes:  m candidates, at most (shelves + 1) * policy.candidates_max and some neighbours and dated ones.
    """
    k, vector = policy.candidates_max, question.query.vector
    lists = [state.vectors[shelf].nearest(vector, k, allowed=scope.allowed)[0] for shelf in scope.shelves]
    word_slots, word_scores = state.lexical.search(question.text, limit=k, allowed=scope.allowed)
    dated = _said_then(state, question, scope)
    slots = np.unique(np.concatenate([*lists, word_slots, dated])).astype(np.int64)
    found = _scored(state, question, slots, word_slots, word_scores)
    beside = _beside(state, found, scope.allowed)
    if len(beside):
        found = _scored(state, question, np.union1d(slots, beside), word_slots, word_scores)
    return found


def _scored(
    state: UserState, question: Question, slots: Int64Array, word_slots: Int64Array, word_scores: Float32Array
) -> Candidates:
    semantic, relevance = semantic_scores(state, slots, question)
    keyword = np.zeros(len(slots), dtype=np.float32)
    keyword[np.searchsorted(slots, word_slots)] = word_scores
    return Candidates(slots, semantic, keyword, relevance)


def semantic_scores(state: UserState, slots: Int64Array, question: Question) -> tuple[Float32Array, Float64Array]:
    """Dot products with the query, and the relevance that the space's calibration gives them. Shapes: (m,), (m,)."""
    columns, query = state.columns, question.query
    scores = np.zeros(len(slots), dtype=np.float32)
    active = columns.status[slots] == STATUSES.index(Status.ACTIVE)
    for code, tier in enumerate(TIERS):
        rows = np.flatnonzero(active & (columns.tier[slots] == code))
        if len(rows):
            scores[rows] = state.vectors[tier.value].scores_of(query.vector, slots[rows])
    rows = np.flatnonzero(~active)
    if len(rows):
        scores[rows] = state.vectors[ASIDE].scores_of(query.vector, slots[rows])
    relevance = question.space.calibration(query.encoder, stand_in=False).relevance(scores)
    if state.unembedded:
        waiting = np.array([state.ids[slot] in state.unembedded for slot in slots.tolist()], dtype=np.bool_)
        stand_in = question.space.calibration(query.encoder, stand_in=True)
        relevance = np.where(waiting, stand_in.relevance(scores), relevance)
    return scores, relevance.astype(np.float64)


def _beside(state: UserState, found: Candidates, allowed: BoolArray) -> Int64Array:
    """Neighbours in the talk of the best candidates, where they may be returned and are not candidates yet."""
    columns = state.columns
    quick = min_max(found.semantic) + min_max(found.keyword)
    best = found.slots[np.argsort(-quick)[:_NEIGHBOURS_OF]]
    beside = np.concatenate([columns.before[best], columns.after[best]]).astype(np.int64)
    beside = beside[(beside != NOBODY) & (beside < len(allowed))]
    return np.setdiff1d(beside[allowed[beside]], found.slots)


def in_spans(times_ms: Int64Array, spans: Sequence[TimeSpan]) -> BoolArray:
    """Which times lie in any of the spans. Shapes: (n,) -> (n,)."""
    inside = np.zeros(len(times_ms), dtype=np.bool_)
    for span in spans:
        inside |= (times_ms >= span.start_ms) & (times_ms < span.end_ms)
    return inside


def _said_then(state: UserState, question: Question, scope: Scope) -> Int64Array:
    """The nearest of what happened or was said at the time the query names."""
    if not question.spans or not scope.shelves:
        return np.empty(0, dtype=np.int64)
    columns, n = state.columns, len(scope.allowed)
    then = scope.allowed & (
        in_spans(columns.happened_at_ms[:n], question.spans) | in_spans(columns.said_at_ms[:n], question.spans)
    )
    if not then.any():
        return np.empty(0, dtype=np.int64)
    nearest = [
        state.vectors[shelf].nearest(question.query.vector, _DATED_MAX, allowed=then)[0] for shelf in scope.shelves
    ]
    return np.concatenate(nearest)
