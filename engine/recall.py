"""Recall: embed -> filters -> candidates -> rank -> floor -> explain. Pure; the query's vector is passed in.

Filters were decided before anything is ranked (`engine.filters`). The floor is on calibrated relevance, not on the
blended score: otherwise fresh, confident, irrelevant memories pass.
"""

from dataclasses import dataclass
from datetime import tzinfo

import numpy as np

from engine.boosts import boosts_of
from engine.candidates import candidates_of
from engine.columns import CATEGORIES, NOBODY
from engine.commands import Recall
from engine.explain import explanation, hint_for, language_of
from engine.feedback import heard
from engine.filters import scope_of
from engine.in_time import date_weight, span_strength, spans_of, time_strengths
from engine.memory import Memory
from engine.open_things import asks_for_open_things
from engine.policy import Policy
from engine.question import Candidates, QueryVector, Question
from engine.ranking import Ranked, Talks, boosted_by, ranked, recency, spoken_for, stretched, talk_best, unrelated
from engine.selection import chosen, settled
from engine.situations import situations_in
from engine.spaces import EmbeddingSpace
from engine.state import UserState
from engine.user_settings import Settings
from engine.views import Reply, memory_view
from engine.withheld import relevant_count, relevant_suppressed_count

_LEAD_OVER, _LEAD_MIN = 6, 0.25
NO_SETTINGS = Settings()
WITHHELD = ("expired", "below_floor", "suppressed", "sensitive")


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, how well (0 to 1, calibrated), its rank score (0 to 1), and why."""

    memory: Memory
    relevance: float
    score: float
    why: dict[str, object]


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Hits, best first. `withheld` counts what would have been found but was held back, by reason.

    `language` is that of the query, "zh" or "en", for whoever puts the hits into words.
    """

    hits: tuple[Hit, ...]
    abstained: bool
    hint: str
    withheld: dict[str, int]
    language: str = "en"

    def reply(self, user_id: str) -> Reply:
        """The search reply of the contract, without `search_id`, `took_ms` and `seq`."""
        memories = [
            {**memory_view(hit.memory, user_id), "relevance": hit.relevance, "score": hit.score, "why": hit.why}
            for hit in self.hits
        ]
        return {"memories": memories, "abstained": self.abstained, "hint": self.hint, "withheld": dict(self.withheld)}


def undecided(result: RecallResult, top_k: int) -> bool:
    """Whether a better query vector is worth its time: nothing fits, or the first hit hardly leads the sixth.

    The lead of 0.25 was read off the recall files (bench/query_encoder.md): half of the questions fall below it, and
    asking the model for those brings half of what asking it for all would.
    """
    if result.abstained:
        return True
    scores = [hit.score for hit in result.hits]
    if len(scores) >= _LEAD_OVER:
        behind = scores[_LEAD_OVER - 1]
    else:
        behind = scores[-1] if scores and len(scores) == top_k else 0.0
    return not scores or scores[0] - behind < _LEAD_MIN


def decide_recall(
    state: UserState,
    recall: Recall,
    *,
    query: QueryVector,
    space: EmbeddingSpace,
    now_ms: int,
    zone: tzinfo,
    policy: Policy,
) -> RecallResult:
    """Find what fits a query, or say that nothing does.

    Raises: nothing. A query without a letter or digit finds nothing.
    """
    if not any(character.isalnum() for character in recall.query):
        return RecallResult((), True, hint_for(recall.query), dict.fromkeys(WITHHELD, 0), language_of(recall.query))
    at_ms = now_ms if recall.as_of_ms is None else recall.as_of_ms
    scope = scope_of(state, recall, now_ms)
    spans = spans_of(state, recall.query, scope.allowed, at_ms, zone)
    open_things = recall.intent != "history" and asks_for_open_things(recall.query)
    question = Question(recall.query, query, space, policy.recall, spans, situations_in(recall.query), open_things)
    found = candidates_of(state, question, scope)
    order = rank(state, recall, question, found, shelves=scope.shelves, at_ms=at_ms)
    order = settled(state, recall, question, found, order, shelves=scope.shelves)
    best = np.argsort(-order.scores, kind="stable")
    floor = policy.recall.floor if recall.min_relevance is None else recall.min_relevance
    passing = best[found.relevance[best] >= floor]
    kept = chosen(state, found, passing, top_k=recall.top_k, floor=policy.recall.floor)
    abstained = not bool((found.relevance >= policy.recall.floor).any())
    return RecallResult(
        hits=tuple(_hit(state, question, found, order, row, at_ms=at_ms) for row in kept),
        abstained=abstained,
        hint=hint_for(recall.query) if abstained else "",
        language=language_of(recall.query),
        withheld={
            "expired": relevant_count(state, question, scope.expired, floor),
            "below_floor": int((found.relevance[best[: recall.top_k]] < floor).sum()),
            "suppressed": relevant_suppressed_count(state, question, scope.suppressed, floor),
            "sensitive": relevant_count(state, question, scope.sensitive, floor),
        },
    )


def rank(
    state: UserState, recall: Recall, question: Question, found: Candidates, *, shelves: tuple[str, ...], at_ms: int
) -> Ranked:
    """Parts, boosts and scores of every candidate."""
    columns, slots, policy = state.columns, found.slots, question.policy
    age_ms = at_ms - columns.said_at_ms[slots]
    half_lives = dict(policy.half_life_days)
    own = state.settings if policy.own_half_lives else NO_SETTINGS
    table = np.array([own.half_life_of(category.value, half_lives[category.value]) for category in CATEGORIES])
    talks = Talks.of(slots, before=columns.before[slots], after=columns.after[slots], groups=columns.talk[slots])
    trust = np.where(columns.conversation[slots] == NOBODY, policy.unnamed_talk, 1.0)
    shares = (policy.before_share, policy.after_share, policy.talk_share)
    words = np.maximum(stretched(found.keyword), policy.bearing_keyword * found.bearing)
    if question.spans:  # The time that a query names is one more of its words.
        share = policy.date_share * date_weight(question)
        words = words + share * time_strengths(state, question, slots)
        words = words / (1.0 + share * max(span_strength(span) for span in question.spans))
    gain = min(policy.model_gain, policy.keyword_weight) if question.query.encoder == "model" else 0.0
    weights = {
        "semantic": policy.semantic_weight + gain,
        "keyword": policy.keyword_weight - gain,
        "recency": policy.recency_weight,
        "confidence": policy.confidence_weight,
    }
    boosts = boosts_of(state, recall, question, found, age_ms=age_ms)
    meaning = stretched(found.semantic, lowest=unrelated(found.semantic))
    first = boosted_by(weights["semantic"] * meaning + weights["keyword"] * words, boosts)
    semantic = heard(state, question, found, first, shelves)
    meaning = stretched(semantic, lowest=unrelated(semantic))
    said = weights["semantic"] + weights["keyword"]  # 0 in a ranking by time and trust alone.
    both = (weights["semantic"] * meaning + weights["keyword"] * words) / (said or 1.0)
    best = talk_best(both, talks.groups)
    values = {
        "semantic": spoken_for(meaning, talks, shares, trust, best),
        "keyword": spoken_for(words, talks, shares, trust, best),
        "recency": recency(age_ms, table[columns.category[slots]]),
        "confidence": columns.confidence[slots].astype(np.float64),
    }
    return ranked(values, weights, boosts)


def _hit(state: UserState, question: Question, found: Candidates, order: Ranked, row: int, *, at_ms: int) -> Hit:
    slot = int(found.slots[row])
    memory = state.memory_at(slot)
    why = explanation(
        order,
        row,
        query=question.text,
        encoder=question.query.encoder,
        memory=memory,
        terms=state.lexical.matched_terms(question.text, memory.content, slot=slot),
        bearing=bool(found.bearing[row] > 0.0),
        now_ms=at_ms,
    )
    return Hit(memory, float(found.relevance[row]), float(order.scores[row]), why)
