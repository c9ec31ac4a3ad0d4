"""Which memories are worth ranking for one query: near by vector, sharing words, beside those in a talk, or at the time
that the query names. About two hundred of each; nothing here walks over all memories in Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.columns import CATEGORIES, NOBODY, STATUSES, TIERS, BoolArray, has_han
from engine.filters import Scope, instead
from engine.lexical import STEADY
from engine.memory import Category, Float32Array, Int64Array, Status
from engine.policy import RecallPolicy
from engine.ranking import Float64Array, stretched
from engine.situations import Situation
from engine.spaces import EmbeddingSpace
from engine.state import ASIDE, UserState
from engine.time_words import TimeSpan
from engine.tokens import document_tokens, query_weights

_NEIGHBOURS_OF = 32  # How many of the best bring what stands beside them.
_DATED_MAX = 64
_DAY_SPAN_DAYS = 4.0
_MONTH_SPAN_DAYS = 100.0
_MONTH_STRENGTH = 0.5
_YEAR_STRENGTH = 0.1
_BEARING_MAX = 24
_SUPPRESSED_MAX = 64


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
    policy: RecallPolicy
    spans: tuple[TimeSpan, ...] = ()
    situations: tuple[Situation, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows to rank, slots rising: raw dot product, raw keyword score and relevance of each; all of shape (m,).

    `bearing` marks those that matter in the situation of the request, whatever they share with its words.
    """

    slots: Int64Array
    semantic: Float32Array
    keyword: Float32Array
    bearing: BoolArray
    relevance: Float64Array


_NONE = Candidates(
    np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.float32), np.empty(0, np.bool_), np.empty(0)
)


def candidates_of(state: UserState, question: Question, scope: Scope) -> Candidates:
    """Gather and score them.

    Shapes:  m candidates, at most (shelves + 1) * policy.candidates_max and some neighbours, dated and bearing ones.
    """
    k, vector = question.policy.candidates_max, question.query.vector
    if not scope.shelves:
        return _NONE
    nearest = [state.vectors[shelf].nearest(vector, k, allowed=scope.allowed) for shelf in scope.shelves]
    near_slots = np.concatenate([slots for slots, _ in nearest])
    word_slots, word_scores = state.lexical.search(question.text, limit=k, allowed=scope.allowed)
    bearing = _bearing(state, question, scope)
    dated = _said_then(state, question, scope)
    slots = np.unique(np.concatenate([near_slots, word_slots, bearing, dated])).astype(np.int64)
    slots = _with_successors(state, slots, scope.allowed)
    semantic = np.zeros(len(slots), dtype=np.float32)
    near_rows = np.searchsorted(slots, near_slots)
    semantic[near_rows] = np.concatenate([scores for _, scores in nearest])
    far = np.ones(len(slots), dtype=np.bool_)
    far[near_rows] = False
    semantic[far] = semantic_scores(state, slots[far], question)
    keyword = np.zeros(len(slots), dtype=np.float32)
    keyword[np.searchsorted(slots, word_slots)] = word_scores
    beside = _beside(state, slots, semantic, keyword, scope.allowed)
    if len(beside):
        slots = np.concatenate([slots, beside])
        order = np.argsort(slots)
        slots = slots[order]
        semantic = np.concatenate([semantic, semantic_scores(state, beside, question)])[order]
        keyword = np.concatenate([keyword, np.zeros(len(beside), dtype=np.float32)])[order]
    marked = np.isin(slots, bearing) if len(bearing) else np.zeros(len(slots), dtype=np.bool_)
    relevance = relevance_of(state, question, slots, semantic, keyword, marked)
    return Candidates(slots, semantic, keyword, marked, _inherited(state, slots, relevance))


def _inherited(state: UserState, slots: Int64Array, relevance: Float64Array) -> Float64Array:
    """What replaced a relevant memory is at least as relevant, however it is worded: the old never stands alone."""
    old = np.flatnonzero(state.columns.status[slots] == STATUSES.index(Status.SUPERSEDED))
    row_of = {int(slot): row for row, slot in enumerate(slots)} if len(old) else {}
    for row in old[np.argsort(state.columns.said_at_ms[slots[old]])].tolist():
        successor = successor_slot(state, int(slots[row]))
        above = None if successor is None else row_of.get(successor)
        if above is not None:
            relevance[above] = max(relevance[above], relevance[row])
    return relevance


def semantic_scores(state: UserState, slots: Int64Array, question: Question) -> Float32Array:
    """Dot products with the query. Shapes: (m,) -> (m,)."""
    columns, vector = state.columns, question.query.vector
    scores = np.zeros(len(slots), dtype=np.float32)
    active = columns.status[slots] == STATUSES.index(Status.ACTIVE)
    for code, tier in enumerate(TIERS):
        rows = np.flatnonzero(active & (columns.tier[slots] == code))
        if len(rows):
            scores[rows] = state.vectors[tier.value].scores_of(vector, slots[rows])
    rows = np.flatnonzero(~active)
    if len(rows):
        scores[rows] = state.vectors[ASIDE].scores_of(vector, slots[rows])
    return scores


def relevance_of(
    state: UserState, question: Question, slots: Int64Array, semantic: Float32Array, keyword: Float32Array,
    bearing: BoolArray,
) -> Float64Array:
    """The relevance of candidates. Shapes: (m,) each -> (m,)."""
    strength = state.lexical.strength(question.text)
    shared = keyword * (strength.known_steady / strength.known if strength.known > 0 else 0.0)
    share = np.minimum(1.0, shared / strength.whole_steady) if strength.whole_steady > 0 else shared
    return relevance_from(
        question, by_vector=_by_vector(state, question, slots, semantic), shared=shared.astype(np.float64),
        share=share.astype(np.float64), han=state.columns.han[slots] > 0, bearing=bearing,
    )


def _by_vector(state: UserState, question: Question, slots: Int64Array, semantic: Float32Array) -> Float64Array:
    encoder = question.query.encoder
    relevance = question.space.calibration(encoder, stand_in=False).relevance(semantic)
    if state.unembedded:
        waiting = np.array([state.ids[slot] in state.unembedded for slot in slots.tolist()], dtype=np.bool_)
        stand_in = question.space.calibration(encoder, stand_in=True)
        relevance = np.where(waiting, stand_in.relevance(semantic), relevance)
    return relevance.astype(np.float64)


def relevance_from(
    question: Question, *, by_vector: Float64Array, shared: Float64Array, share: Float64Array, han: BoolArray,
    bearing: BoolArray,
) -> Float64Array:
    """Probability that a memory is about what the query asks: calibrated vector score and shared words together.

    Vectors alone separate answerable questions badly (AUROC 0.66 to 0.78 on the harder sets), the words shared alone
    miss paraphrases; their sum on the logit scale does better than either everywhere (bench/recall.md). A text in
    another script can share no words, so nothing is held against it.

    Shapes:  by_vector (0 to 1), shared (idf of shared words), share (of the query's idf), han, bearing: (m,) -> (m,).
    """
    policy = question.policy
    certain = np.clip(by_vector, 0.01, 0.99)
    other_script = han != has_han(question.text)
    evidence = (
        np.log(certain / (1.0 - certain)) + policy.relevance_words * np.sqrt(shared) + policy.relevance_share * share
        + policy.relevance_other_script * other_script
    )
    relevance = 1.0 / (1.0 + np.exp(policy.relevance_slope * (policy.relevance_even - evidence)))
    return np.asarray(np.maximum(relevance, policy.bearing_relevance * bearing), dtype=np.float64)


def _bearing(state: UserState, question: Question, scope: Scope) -> Int64Array:
    """Facts and preferences that matter in the situation of the request; an event that mentions one is a story."""
    event = CATEGORIES.index(Category.EVENT)
    slots = [
        slot for situation in question.situations
        for slot in state.lexical.search(situation.words, limit=_BEARING_MAX, allowed=scope.allowed)[0].tolist()
        if state.columns.category[slot] != event and situation.bears.search(state.memory_at(slot).content)
    ]
    return np.unique(np.array(slots, dtype=np.int64))


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


def successor_slot(state: UserState, slot: int) -> int | None:
    """The slot of the memory that replaced this one, if it is still held."""
    successor = state.memory_at(slot).superseded_by
    return None if successor is None else state.slots.get(successor)


def _beside(
    state: UserState, slots: Int64Array, semantic: Float32Array, keyword: Float32Array, allowed: BoolArray
) -> Int64Array:
    """Neighbours in the talk of the best candidates, where they may be returned and are not candidates yet."""
    columns = state.columns
    quick = stretched(semantic) + stretched(keyword)
    best = slots[np.argsort(-quick)[:_NEIGHBOURS_OF]]
    beside = np.concatenate([columns.before[best], columns.after[best]]).astype(np.int64)
    beside = beside[(beside != NOBODY) & (beside < len(allowed))]
    return np.setdiff1d(beside[allowed[beside]], slots)


def in_spans(times_ms: Int64Array, spans: Sequence[TimeSpan]) -> BoolArray:
    """Which times lie in any of the spans. Shapes: (n,) -> (n,)."""
    inside = np.zeros(len(times_ms), dtype=np.bool_)
    for span in spans:
        inside |= (times_ms >= span.start_ms) & (times_ms < span.end_ms)
    return inside


def span_strength(span: TimeSpan) -> float:
    """How much it tells that a memory lies in a span: a day much, a year next to nothing."""
    if span.days <= _DAY_SPAN_DAYS:
        return 1.0
    return _MONTH_STRENGTH if span.days <= _MONTH_SPAN_DAYS else _YEAR_STRENGTH


def date_weight(question: Question) -> float:
    """1 for a date beside four words that tell something, more beside fewer: "3月11日有什么安排" asks for the day."""
    left = question.text.lower()
    for span in question.spans:
        left = left.replace(span.phrase, " ")
    telling = [token for token, weight in query_weights(left)[0].items() if weight >= 1.0]
    return 4.0 / min(8, max(1, len(telling)))


def time_strengths(state: UserState, question: Question, slots: Int64Array) -> Float64Array:
    """The strength of the narrowest span in which each memory happened or was said, 0 outside all. Shapes: (m,)."""
    happened, said = state.columns.happened_at_ms[slots], state.columns.said_at_ms[slots]
    strengths: Float64Array = np.zeros(len(slots))
    for span in question.spans:
        then = in_spans(happened, (span,)) | in_spans(said, (span,))
        strengths = np.maximum(strengths, span_strength(span) * then)
    return strengths


def _said_then(state: UserState, question: Question, scope: Scope) -> Int64Array:
    """The nearest of what happened or was said at the time the query names."""
    if not question.spans:
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


def relevant_count(state: UserState, question: Question, scope: Scope, held_back: BoolArray, floor: float) -> int:
    """How many of some memories on the shelves, held back for one reason, would have passed the floor."""
    if not held_back.any():
        return 0
    found = candidates_of(state, question, instead(scope, held_back, state))
    return int((found.relevance >= floor).sum())


def relevant_suppressed_count(state: UserState, question: Question, scope: Scope, floor: float) -> int:
    """The same for suppressed ones, which stand in no index: read one by one, the newest few."""
    slots = np.flatnonzero(scope.suppressed)[-_SUPPRESSED_MAX:]
    if len(slots) == 0:
        return 0
    texts = [state.memory_at(int(slot)).content for slot in slots]
    finding, _ = query_weights(question.text)
    rarity = float(np.log1p(2 * STEADY + 1))
    shared = [sum(finding.get(token, 0.0) for token in set(document_tokens(text))) for text in texts]
    scores = np.array([state.stand_in(text) @ question.query.vector for text in texts], dtype=np.float32)
    calibration = question.space.calibration(question.query.encoder, stand_in=True)
    relevance = relevance_from(
        question, by_vector=calibration.relevance(scores).astype(np.float64),
        shared=np.array(shared) * rarity, share=np.array(shared) / max(1e-9, sum(finding.values())),
        han=state.columns.han[slots] > 0, bearing=np.zeros(len(slots), dtype=np.bool_),
    )
    return int((relevance >= floor).sum())
