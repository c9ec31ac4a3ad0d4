"""A small linear model over cues: how likely a statement is worth keeping, and of what category it is.

Logistic regression; its inputs are the cues of `engine.cues`, a few pairs of them, what the rest of the text was, and
the statement's static vector, centred. The weights are in `engine.keep_weights` and `engine.category_weights`, made by
bench/train_write_model.py from sentences of our own (bench/data); no labelled test file was trained on. The part
for the vector only means something for the vectors it was fitted to, so it is used when the neutral vector (that of an
empty text) is the one it was fitted with; for any other embedder a second set of weights does without.
"""

import base64
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine import category_weights
from engine.cues import CUE_NAMES
from engine.keep_weights import ALONE_WEIGHTS, KEEP_WEIGHTS, NEUTRAL, VECTOR_WEIGHTS
from engine.memory import Float32Array

_PAIRS = (
    ("day", "future"),
    ("day", "past"),
    ("day", "occasion"),
    ("self", "vague"),
    ("self", "meta"),
    ("self", "agent"),
    ("own", "vague"),
    ("learn", "vague"),
    ("like", "vague"),
    ("passing", "day"),
    ("am", "passing"),
    ("does", "past"),
    ("self", "plan"),
    ("plan", "day"),
    ("like", "self"),
    ("health", "self"),
    ("number", "own"),
    ("standing", "ask"),
    ("rule", "self"),
    ("kin", "possess"),
    ("day", "clock"),
    ("clock", "self"),
    ("am", "self"),
    ("does", "passing"),
    ("passing", "self"),
    ("own", "generic"),
    ("past", "self"),
    ("meta", "vague"),
    ("agent", "meta"),
)
_REST = ("question", "request", "chitchat", "hypothetical")
CATEGORIES = ("preference", "fact", "event", "task")
_SAME_SPACE = 0.999


def _unpacked(numbers: str) -> Float32Array:
    return np.frombuffer(base64.b64decode(numbers), dtype="<f2").astype(np.float32)


_VECTOR_WEIGHTS = _unpacked(VECTOR_WEIGHTS)
_CATEGORY_COLUMNS = {name: column for column, name in enumerate(category_weights.NAMES.split())}
_CATEGORY_WEIGHTS = _unpacked(category_weights.WEIGHTS).reshape(len(CATEGORIES), -1)
_CATEGORY_ALONE_WEIGHTS = _unpacked(category_weights.ALONE_WEIGHTS).reshape(len(CATEGORIES), -1)
_CATEGORY_VECTOR_WEIGHTS = _unpacked(category_weights.VECTOR_WEIGHTS).reshape(len(CATEGORIES), -1)
_NEUTRAL = _unpacked(NEUTRAL)
_HOLDING = frozenset(
    {
        "health",
        "identity",
        "like",
        "possess",
        "standing",
        "habit",
        "number",
        "rule",
        "kin",
        "keeps",
        "learn",
        "milestone",
        "am",
    }
)


def features(cues: frozenset[str], rest: Sequence[str], density: float) -> list[str]:
    """Names of the inputs that are on for a statement."""
    names = ["bias", *(name for name in CUE_NAMES if name in cues)]
    names += [f"{a}+{b}" for a, b in _PAIRS if a in cues and b in cues]
    names += [f"rest:{kind}" for kind in _REST if kind in rest]
    names.append(f"holding:{min(3, len(cues & _HOLDING))}")
    names.append(f"density:{round(4 * density)}")
    if not cues & {"self", "own", "kin"}:
        names.append("nobody")
    return names


@dataclass(frozen=True, slots=True, eq=False)
class TextVectors:
    """Static vectors of texts, centred. `stand_in` gives document vectors, `neutral` is that of an empty text."""

    stand_in: Callable[[str], Float32Array]
    neutral: Float32Array

    @classmethod
    def of(cls, stand_in: Callable[[str], Float32Array]) -> "TextVectors":
        return cls(stand_in, stand_in(""))

    def centred(self, vector: Float32Array) -> Float32Array:
        """The part of a document vector that is its own: all vectors of a model share a large common part."""
        own = vector - (vector @ self.neutral) * self.neutral
        norm = math.sqrt(float(own @ own))
        return own if norm < 1e-6 else (own / norm).astype(np.float32)

    def __call__(self, text: str) -> Float32Array:
        return self.centred(self.stand_in(text))


def own_part(text: str, vectors: TextVectors) -> Float32Array | None:
    """The vector that the weights take, shape (dimensions,); None for vectors that they were not fitted to."""
    fitted = vectors.neutral.shape == _NEUTRAL.shape and float(vectors.neutral @ _NEUTRAL) > _SAME_SPACE
    return vectors(text) if fitted else None


def keep_chance(names: Sequence[str], own: Float32Array | None) -> float:
    """Probability that a statement with these inputs is worth keeping. `own` is its `own_part`."""
    if own is not None:
        logit = sum(KEEP_WEIGHTS.get(name, 0.0) for name in names) + float(_VECTOR_WEIGHTS @ own)
    else:
        logit = sum(ALONE_WEIGHTS.get(name, 0.0) for name in names)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def category_chances(names: Sequence[str], own: Float32Array | None) -> dict[str, float]:
    """Probability of each category for a kept statement, in the order of CATEGORIES. `own` is its `own_part`."""
    columns = [_CATEGORY_COLUMNS[name] for name in names if name in _CATEGORY_COLUMNS]
    if own is None:
        logits = _CATEGORY_ALONE_WEIGHTS[:, columns].sum(axis=1).tolist()
    else:
        logits = (_CATEGORY_WEIGHTS[:, columns].sum(axis=1) + _CATEGORY_VECTOR_WEIGHTS @ own).tolist()
    top = max(logits)
    parts = [math.exp(logit - top) for logit in logits]
    return {category: part / sum(parts) for category, part in zip(CATEGORIES, parts, strict=True)}
