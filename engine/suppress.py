"""Whether a text is about something its user asked never to be reminded of."""

import numpy as np

from engine.columns import STATUSES
from engine.memory import Status
from engine.normalise import content_key
from engine.state import UserState

_SUPPRESSED = STATUSES.index(Status.SUPPRESSED)


def is_suppressed(state: UserState, content: str) -> bool:
    """Whether the same statement was suppressed, in whatever width, case, script or punctuation it comes again."""
    columns = state.columns
    slots = np.flatnonzero(columns.status[: len(columns)] == _SUPPRESSED)
    if not slots.size:
        return False
    key = content_key(content)
    return any(content_key(state.memory_at(int(slot)).content) == key for slot in slots)
