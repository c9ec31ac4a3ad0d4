"""From ranked candidates to the hits of one answer: history below what replaced it, no repeats, no single voice.

Whatever changes a place here is a factor on the score, so that the explanation still multiplies out.
"""

import re

import numpy as np

from engine.candidates import directions
from engine.columns import SOURCES, STATUSES
from engine.commands import Recall
from engine.memory import Int64Array, Source, Status
from engine.policy import RecallPolicy
from engine.question import Candidates, Question
from engine.ranking import Boost, Float64Array, Ranked, boosted, moved
from engine.relevance import successor_slot
from engine.state import UserState

_CAPPED = np.array([source in (Source.TOOL, Source.DOCUMENT, Source.AGENT) for source in SOURCES])
_LOOKED_AT = 3  # Times the hits asked for: no repeat from further down reaches the answer.
_JUST_BELOW = 0.999
_ALIKE_AMONG = 10
_PAST = re.compile(
    r"之前|以前|曾|当时|那时|最初|原来|起初|第一次|过去|\b(did|was|were|had|first|originally|initially|previously|before|earlier"
    r"|used to|back then)\b",
    re.IGNORECASE,
)


def settled(
    state: UserState, recall: Recall, question: Question, found: Candidates, order: Ranked, *, shelves: tuple[str, ...]
) -> Ranked:
    """Superseded memories below their successors, the newer of two that are alike first, repeats below the first."""
    order = _history_below(state, found, order)
    if recall.intent != "history":
        order = _newer_first(state, question, found, order, shelves)
    return _repeats_below(state, found, order, _LOOKED_AT * recall.top_k, question.policy)


def _newer_first(
    state: UserState, question: Question, found: Candidates, order: Ranked, shelves: tuple[str, ...]
) -> Ranked:
    """A statement that something changed stands before an older one of the same matter, though nothing says which.

    Texts that were imported, or said while no rule knew them for a correction, stand side by side. Among the first
    ten hits the newer takes the place of the older, which comes right behind it: nothing leaves the answer. What
    another person said, or what is said of another, changes nothing; and a question about the past asks for either.
    """
    policy, columns = question.policy, state.columns
    best = np.argsort(-order.scores, kind="stable")[:_ALIKE_AMONG]
    best = best[columns.status[found.slots[best]] == STATUSES.index(Status.ACTIVE)]
    slots, scores = found.slots[best], order.scores[best]
    said, changes = columns.said_at_ms[slots], columns.changes[slots] > 0
    newer = (said > said[:, None]) | ((said == said[:, None]) & (slots > slots[:, None]))
    fits = np.triu(newer & changes & (scores >= policy.newer_share * scores[:, None]), 1)
    if not fits.any() or _PAST.search(question.text):
        return order
    own = directions(state, question, slots, shelves)
    speaker, subject = columns.speaker[slots], columns.subject[slots]
    fits &= (speaker == speaker[:, None]) & (subject == subject[:, None])
    fits &= own @ own.T >= policy.newer_alike
    placed = scores.copy()
    for older, newest in np.argwhere(fits).tolist():
        if placed[newest] < placed[older] == scores[older]:
            placed[newest], placed[older] = scores[older], scores[older] * _JUST_BELOW
    places = order.scores.copy()
    places[best] = placed
    return moved(order, "newer", places)


def _history_below(state: UserState, found: Candidates, order: Ranked) -> Ranked:
    """A superseded memory never outranks the current one, nor an older one a newer one of the same chain."""
    rows = np.flatnonzero(state.columns.status[found.slots] == STATUSES.index(Status.SUPERSEDED))
    if len(rows) == 0:
        return order
    row_of = {int(slot): row for row, slot in enumerate(found.slots)}
    factors: Float64Array = np.ones(len(found.slots))
    newest_first = sorted(rows.tolist(), key=lambda row: -int(state.columns.said_at_ms[found.slots[row]]))
    for row in newest_first:
        successor = successor_slot(state, int(found.slots[row]))
        above = None if successor is None else row_of.get(successor)
        if above is None or order.scores[row] <= 0.0:
            continue
        limit = order.scores[above] * factors[above] * _JUST_BELOW
        factors[row] = min(1.0, limit / order.scores[row])
    return boosted(order, Boost("superseded", factors, 1.0))


def _repeats_below(state: UserState, found: Candidates, order: Ranked, looked_at: int, policy: RecallPolicy) -> Ranked:
    """The same statement twice tells nothing new; the second makes place for something else."""
    best = np.argsort(-order.scores, kind="stable")[:looked_at]
    seen: set[int] = set()
    repeats = []
    for row, wording in zip(best.tolist(), state.columns.wording[found.slots[best]].tolist(), strict=True):
        if wording in seen:
            repeats.append(row)
        seen.add(wording)
    if not repeats:
        return order
    factors: Float64Array = np.ones(len(found.slots))
    factors[repeats] = policy.repeat_factor
    return boosted(order, Boost("repeat", factors, 1.0))


def chosen(state: UserState, found: Candidates, rows: Int64Array, *, top_k: int, floor: float) -> list[int]:
    """The first `top_k` rows, but no more than half from tools, documents and agents while others are relevant.

    `rows` are in the order of the ranking and so is the answer; capped rows fill the places that nobody else takes.
    """
    capped = _CAPPED[state.columns.source[found.slots[rows]]]
    others = int((found.relevance[rows[~capped]] >= floor).sum())
    if others and capped.any():
        room = max(1, top_k // 2, top_k - others)
        rows = rows[~capped | (np.cumsum(capped) <= room)]
    return [int(row) for row in rows[:top_k]]
