"""Recall: embed -> filters -> candidates -> rank -> floor -> explain. Pure; the query's vector is passed in.

Candidates are what is near by vector, what shares words, and what stands beside those in a conversation; filters were
decided before (`engine.filters`). The floor is on calibrated relevance, not on the blended score: otherwise fresh,
confident, irrelevant memories pass. Nothing walks over all memories: the arrays of `state.columns` do.
"""

from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol

import numpy as np

from engine.columns import CATEGORIES, STATUSES, TIERS
from engine.commands import Recall
from engine.explain import explanation, hint_for
from engine.filters import Scope, scope_of
from engine.memory import Category, Float32Array, Int64Array, Memory, Status
from engine.policy import Policy, RecallPolicy
from engine.ranking import Boost, Float64Array, Ranked, min_max, ranked, recency
from engine.spaces import EmbeddingSpace
from engine.state import ASIDE, UserState
from engine.views import Reply, memory_view


class QueryVector(Protocol):
    """A query ready for a dot product: `vector` (dimensions,), made by `encoder` "static" or "model"."""

    @property
    def vector(self) -> Float32Array: ...
    @property
    def encoder(self) -> str: ...
    @property
    def coverage(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, how well (0 to 1, calibrated), its rank score (0 to 1), and why."""

    memory: Memory
    relevance: float
    score: float
    why: dict[str, object]


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Hits, best first. `withheld` counts what would have been found but was held back, by reason."""

    hits: tuple[Hit, ...]
    abstained: bool
    hint: str
    withheld: dict[str, int]

    def reply(self, user_id: str) -> Reply:
        """The search reply of the contract, without `search_id`, `took_ms` and `seq`."""
        memories = [
            {**memory_view(hit.memory, user_id), "relevance": hit.relevance, "score": hit.score, "why": hit.why}
            for hit in self.hits
        ]
        return {
            "memories": memories, "abstained": self.abstained, "hint": self.hint, "withheld": dict(self.withheld),
        }


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows to rank: slots (m,), the raw dot product, the raw keyword score, and the relevance of each."""

    slots: Int64Array
    semantic: Float32Array
    keyword: Float32Array
    relevance: Float64Array


def decide_recall(
    state: UserState, recall: Recall, *, query: QueryVector, space: EmbeddingSpace, now_ms: int, zone: tzinfo,
    policy: Policy,
) -> RecallResult:
    """Find what fits a query, or say that nothing does.

    Raises: nothing. An empty query finds nothing.
    """
    nothing = {"expired": 0, "below_floor": 0, "suppressed": 0, "sensitive": 0}
    if not any(character.isalnum() for character in recall.query):
        return RecallResult((), True, hint_for(recall.query), nothing)
    scope = scope_of(state, recall, now_ms)
    found = candidates_of(state, recall, scope, query=query, space=space, policy=policy.recall)
    order = rank(state, recall, found, now_ms=now_ms, policy=policy.recall)
    best = np.argsort(-order.scores, kind="stable")
    floor = policy.recall.floor if recall.min_relevance is None else recall.min_relevance
    abstained = not bool((found.relevance >= policy.recall.floor).any())
    kept = [int(row) for row in best if found.relevance[row] >= floor][: recall.top_k]
    withheld = {**nothing, "below_floor": int((found.relevance[best[: recall.top_k]] < floor).sum())}
    hits = tuple(_hit(state, recall, query, found, order, row, now_ms) for row in kept)
    return RecallResult(hits, abstained, hint_for(recall.query) if abstained else "", withheld)


def candidates_of(
    state: UserState, recall: Recall, scope: Scope, *, query: QueryVector, space: EmbeddingSpace, policy: RecallPolicy,
) -> Candidates:
    """The nearest by vector on every shelf and the best by word, with both scores for each.

    Shapes:  m candidates, at most (shelves + 1) * policy.candidates_max.
    """
    k = policy.candidates_max
    slot_lists = [state.vectors[shelf].nearest(query.vector, k, allowed=scope.allowed)[0] for shelf in scope.shelves]
    word_slots, word_scores = state.lexical.search(recall.query, limit=k, allowed=scope.allowed)
    slots = np.unique(np.concatenate([*slot_lists, word_slots])).astype(np.int64)
    semantic, relevance = semantic_scores(state, slots, query=query, space=space)
    keyword = np.zeros(len(slots), dtype=np.float32)
    keyword[np.searchsorted(slots, word_slots)] = word_scores
    return Candidates(slots, semantic, keyword, relevance.astype(np.float64))


def semantic_scores(
    state: UserState, slots: Int64Array, *, query: QueryVector, space: EmbeddingSpace
) -> tuple[Float32Array, Float32Array]:
    """Dot products with the query, and the relevance that the space's calibration gives them. Shapes: (m,), (m,)."""
    columns = state.columns
    scores = np.zeros(len(slots), dtype=np.float32)
    active = columns.status[slots] == STATUSES.index(Status.ACTIVE)
    for code, tier in enumerate(TIERS):
        rows = np.flatnonzero(active & (columns.tier[slots] == code))
        if len(rows):
            scores[rows] = state.vectors[tier.value].scores_of(query.vector, slots[rows])
    rows = np.flatnonzero(~active)
    if len(rows):
        scores[rows] = state.vectors[ASIDE].scores_of(query.vector, slots[rows])
    relevance = space.calibration(query.encoder, stand_in=False).relevance(scores)
    if state.unembedded:
        waiting = np.array([state.ids[slot] in state.unembedded for slot in slots.tolist()], dtype=np.bool_)
        relevance = np.where(waiting, space.calibration(query.encoder, stand_in=True).relevance(scores), relevance)
    return scores, relevance


def rank(state: UserState, recall: Recall, found: Candidates, *, now_ms: int, policy: RecallPolicy) -> Ranked:
    """Parts, boosts and scores of every candidate."""
    columns, slots = state.columns, found.slots
    age_ms = now_ms - columns.said_at_ms[slots]
    half_lives = dict(policy.half_life_days)
    table = np.array([state.settings.half_life_days or half_lives[category.value] for category in CATEGORIES])
    values = {
        "semantic": min_max(found.semantic), "keyword": min_max(found.keyword),
        "recency": recency(age_ms, table[columns.category[slots]]),
        "confidence": columns.confidence[slots].astype(np.float64),
    }
    weights = {
        "semantic": policy.semantic_weight, "keyword": policy.keyword_weight, "recency": policy.recency_weight,
        "confidence": policy.confidence_weight,
    }
    fact = columns.category[slots] == CATEGORIES.index(Category.FACT)
    stale = (columns.category[slots] == CATEGORIES.index(Category.PREFERENCE)) & (
        age_ms > policy.stale_preference_days * 86_400_000
    )
    boosts = (
        Boost("fact", np.where(fact, policy.fact_boost, 1.0), policy.fact_boost),
        Boost("stale_preference", np.where(stale, policy.stale_preference_factor, 1.0), 1.0),
    )
    return ranked(values, weights, boosts)


def _hit(
    state: UserState, recall: Recall, query: QueryVector, found: Candidates, order: Ranked, row: int, now_ms: int
) -> Hit:
    memory = state.memory_at(int(found.slots[row]))
    why = explanation(
        order, row, query=recall.query, encoder=query.encoder, memory=memory,
        terms=state.lexical.matched_terms(recall.query, memory.content), now_ms=now_ms,
    )
    return Hit(memory, float(found.relevance[row]), float(order.scores[row]), why)
