"""A small linear model over cues: how likely a statement is worth keeping, and of what category it is.

Logistic regression; its inputs are the cues of `engine.cues`, a few pairs of them, and what the rest of the text was.
The weights are in `engine.keep_weights`, made by bench/train_write_model.py from sentences of our own
(bench/data/write_sentences_*.tsv); no public or labelled test file was trained on. A vector of the text was tried as
a further input and did not help on texts of another style (bench/write_decisions.md).
"""

import math
from collections.abc import Sequence

from engine.cues import CUE_NAMES
from engine.keep_weights import CATEGORY_WEIGHTS, KEEP_WEIGHTS

_PAIRS = (
    ("day", "future"), ("day", "past"), ("day", "occasion"), ("self", "vague"), ("self", "meta"), ("self", "agent"),
    ("own", "vague"), ("learn", "vague"), ("like", "vague"), ("passing", "day"), ("am", "passing"), ("does", "past"),
    ("self", "plan"), ("plan", "day"), ("like", "self"), ("health", "self"), ("number", "own"), ("standing", "ask"),
    ("rule", "self"), ("kin", "possess"), ("past", "self"), ("meta", "vague"), ("agent", "meta"),
)
_REST = ("question", "request", "chitchat", "hypothetical")
CATEGORIES = ("preference", "fact", "event", "task")
_HOLDING = frozenset(
    {"health", "identity", "like", "possess", "standing", "habit", "number", "rule", "kin", "keeps", "learn", "milestone", "am"}
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


def keep_chance(names: Sequence[str]) -> float:
    """Probability that a statement with these inputs is worth keeping."""
    logit = sum(KEEP_WEIGHTS.get(name, 0.0) for name in names)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def category_chances(names: Sequence[str]) -> dict[str, float]:
    """Probability of each category for a kept statement, in the order of CATEGORIES."""
    logits = [sum(weights.get(name, 0.0) for name in names) for weights in CATEGORY_WEIGHTS]
    top = max(logits)
    parts = [math.exp(logit - top) for logit in logits]
    return {category: part / sum(parts) for category, part in zip(CATEGORIES, parts, strict=True)}
