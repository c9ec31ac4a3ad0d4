"""A user's state from plain sentences, and recalls of it, with an encoder that only counts letters.

Texts that share pairs of letters are near each other: enough to tell topics apart, and the same on every machine.
"""

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

import numpy as np

from engine.calibration import Calibration
from engine.commands import Recall
from engine.events import MemoryWritten
from engine.memory import Category, Float32Array, Memory, Source, Status, Tier
from engine.policy import Policy
from engine.recall import RecallResult, decide_recall
from engine.spaces import CALIBRATION_KEYS, EmbeddingSpace
from engine.state import UserState, apply

DIMENSIONS = 256
DAY_MS = 86_400_000
NOW_MS = int(datetime(2026, 4, 5, 2, tzinfo=UTC).timestamp() * 1000)
SPACE = EmbeddingSpace(
    "letters",
    DIMENSIONS,
    np.zeros(DIMENSIONS, np.float32),
    dict.fromkeys(CALIBRATION_KEYS, Calibration((0.0, 0.15, 0.5, 1.0), (0.02, 0.1, 0.8, 0.98))),
)


@dataclass(frozen=True)
class LetterVector:
    vector: Float32Array
    encoder: str = "static"
    coverage: float = 1.0


def letters(text: str) -> Float32Array:
    """Unit vector of the letter pairs of a text, shape (DIMENSIONS,)."""
    vector = np.zeros(DIMENSIONS, np.float32)
    folded = "".join(c for c in text.lower() if c.isalnum())
    for first, second in zip(folded, folded[1:] or " ", strict=False):
        vector[zlib.crc32((first + second).encode()) % DIMENSIONS] += 1.0
    norm = float(np.linalg.norm(vector))
    if norm == 0.0:
        vector[0] = norm = 1.0
    return vector / np.float32(norm)


def day(year: int, month: int, day_of_month: int, hour: int = 12) -> int:
    return int(datetime(year, month, day_of_month, hour, tzinfo=UTC).timestamp() * 1000)


def memory(memory_id: str, content: str, **fields: object) -> Memory:
    """An active fact that the user just stated, unless told otherwise."""
    said = fields.pop("said_at_ms", NOW_MS)
    plain: dict[str, object] = {
        "tier": Tier.SEMANTIC,
        "category": Category.FACT,
        "source": Source.USER,
        "confidence": 1.0,
        "importance": 0.5,
        "status": Status.ACTIVE,
        "created_at_ms": said,
        "updated_at_ms": said,
        "said_at_ms": said,
        "valid_from_ms": said,
    }
    return Memory(memory_id=memory_id, content=content, **{**plain, **fields})  # type: ignore[arg-type]


def state_of(*memories: Memory) -> UserState:
    state = UserState("alice", dimensions=DIMENSIONS, stand_in=letters)
    for each in memories:
        apply(state, MemoryWritten(each))
    return state


def recall(
    state: UserState,
    query: str,
    *,
    now_ms: int = NOW_MS,
    zone: tzinfo = UTC,
    policy: Policy | None = None,
    **fields: object,
) -> RecallResult:
    return decide_recall(
        state,
        Recall(query=query, **fields),
        query=LetterVector(letters(query)),
        space=SPACE,
        now_ms=now_ms,  # type: ignore[arg-type]
        zone=zone,
        policy=policy or Policy(),
    )


def ids(result: RecallResult) -> list[str]:
    return [hit.memory.memory_id for hit in result.hits]
