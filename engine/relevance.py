"""The probability that a memory is about what a query asks; the floor and abstention look at nothing else."""

import numpy as np

from engine.columns import STATUSES, BoolArray, has_han
from engine.in_time import date_weight, time_strengths
from engine.memory import Float32Array, Int64Array, Status
from engine.open_things import only_closes
from engine.question import Question
from engine.ranking import Float64Array
from engine.state import UserState


def relevance_of(
    state: UserState,
    question: Question,
    slots: Int64Array,
    semantic: Float32Array,
    keyword: Float32Array,
    bearing: Float64Array,
) -> Float64Array:
    """The relevance of candidates. Shapes: (m,) each -> (m,)."""
    strength = state.lexical.strength(question.text)
    shared = keyword * (strength.known_steady / strength.known if strength.known > 0 else 0.0)
    share = np.minimum(1.0, shared / strength.whole_steady) if strength.whole_steady > 0 else shared
    relevance = relevance_from(
        question,
        by_vector=_by_vector(state, question, slots, semantic),
        shared=shared.astype(np.float64),
        share=share.astype(np.float64),
        han=state.columns.han[slots] > 0,
    )
    sure: Float64Array = (bearing > 0.0).astype(np.float64)
    if question.spans:  # Who asks for a day and little else asks for whatever lies in it.
        sure = np.maximum(sure, time_strengths(state, question, slots) * np.clip(date_weight(question) - 1.5, 0.0, 1.0))
    relevance = np.maximum(relevance, question.policy.bearing_relevance * sure)
    if question.open_things:
        closes = [only_closes(state.memory_at(slot).content) for slot in slots.tolist()]
        relevance = relevance * np.where(closes, question.policy.closed_relevance, 1.0)
    return np.asarray(relevance, dtype=np.float64)


def _by_vector(state: UserState, question: Question, slots: Int64Array, semantic: Float32Array) -> Float64Array:
    encoder = question.query.encoder
    relevance = question.space.calibration(encoder, stand_in=False).relevance(semantic)
    if state.unembedded:
        waiting = np.array([state.ids[slot] in state.unembedded for slot in slots.tolist()], dtype=np.bool_)
        stand_in = question.space.calibration(encoder, stand_in=True)
        relevance = np.where(waiting, stand_in.relevance(semantic), relevance)
    return relevance.astype(np.float64)


def relevance_from(
    question: Question, *, by_vector: Float64Array, shared: Float64Array, share: Float64Array, han: BoolArray
) -> Float64Array:
    """Probability that a memory is about what the query asks: calibrated vector score and shared words together.

    Vectors alone separate answerable questions badly (AUROC 0.66 to 0.78 on the harder sets), the words shared alone
    miss paraphrases; their sum on the logit scale does better than either everywhere (bench/recall.md). A text in
    another script can share no words, so nothing is held against it.

    Shapes:  by_vector (0 to 1), shared (idf of shared words), share (of the query's idf), han: (m,) -> (m,).
    """
    policy = question.policy
    certain = np.clip(by_vector, 0.01, 0.99)
    other_script = han != has_han(question.text)
    evidence = (
        policy.relevance_vector * np.log(certain / (1.0 - certain))
        + policy.relevance_words * np.sqrt(shared)
        + policy.relevance_share * share
        + policy.relevance_other_script * other_script
    )
    return np.asarray(1.0 / (1.0 + np.exp(policy.relevance_slope * (policy.relevance_even - evidence))))


def inherited(state: UserState, slots: Int64Array, relevance: Float64Array) -> Float64Array:
    """What replaced a relevant memory is at least as relevant, however it is worded: the old never stands alone."""
    old = np.flatnonzero(state.columns.status[slots] == STATUSES.index(Status.SUPERSEDED))
    row_of = {int(slot): row for row, slot in enumerate(slots)} if len(old) else {}
    for row in old[np.argsort(state.columns.said_at_ms[slots[old]])].tolist():
        successor = successor_slot(state, int(slots[row]))
        above = None if successor is None else row_of.get(successor)
        if above is not None:
            relevance[above] = max(relevance[above], relevance[row])
    return relevance


def successor_slot(state: UserState, slot: int) -> int | None:
    """The slot of the memory that replaced this one, if it is still held."""
    successor = state.memory_at(slot).superseded_by
    return None if successor is None else state.slots.get(successor)
