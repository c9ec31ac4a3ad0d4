"""How many memories would have been found but were held back. Counts only, never what they say."""

import numpy as np

from engine.candidates import candidates_of
from engine.columns import BoolArray
from engine.filters import with_allowed
from engine.lexical import STEADY
from engine.question import Question
from engine.relevance import relevance_from
from engine.state import UserState
from engine.tokens import document_tokens, query_weights

_SUPPRESSED_MAX = 64


def relevant_count(state: UserState, question: Question, held_back: BoolArray | None, floor: float) -> int:
    """How many of some memories on the shelves, held back for one reason, would have passed the floor."""
    if held_back is None:
        return 0
    found = candidates_of(state, question, with_allowed(state, held_back))
    return int((found.relevance >= floor).sum())


def relevant_suppressed_count(state: UserState, question: Question, suppressed: BoolArray | None, floor: float) -> int:
    """The same for suppressed ones, which stand in no index: read one by one, the newest few."""
    if suppressed is None:
        return 0
    slots = np.flatnonzero(suppressed)[-_SUPPRESSED_MAX:]
    texts = [state.memory_at(int(slot)).content for slot in slots]
    finding, _ = query_weights(question.text)
    rarity = float(np.log1p(2 * STEADY + 1))
    shared = [sum(finding.get(token, 0.0) for token in set(document_tokens(text))) for text in texts]
    scores = np.array([state.stand_in(text) @ question.query.vector for text in texts], dtype=np.float32)
    calibration = question.space.calibration(question.query.encoder, stand_in=True)
    relevance = relevance_from(
        question,
        by_vector=calibration.relevance(scores).astype(np.float64),
        shared=np.array(shared) * rarity,
        share=np.array(shared) / max(1e-9, sum(finding.values())),
        han=state.columns.han[slots] > 0,
    )
    return int((relevance >= floor).sum())
