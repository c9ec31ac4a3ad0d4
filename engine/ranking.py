"""Arithmetic of the ranking, on arrays: one row per candidate, nothing that knows about one memory.

score = (w_s semantic + w_k keyword + w_r recency + w_c confidence) * boosts * scale, every part within 0 to 1 and
`scale` = 1 / the largest product the boosts can reach, so that the score stays within 0 to 1 and can be recomputed
from what `why` shows.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.memory import Float32Array, Int64Array

Float64Array = npt.NDArray[np.float64]
DAY_MS = 86_400_000.0
PARTS = ("semantic", "keyword", "recency", "confidence")


@dataclass(frozen=True, slots=True)
class Boost:
    """One factor per candidate, and the largest that this search could give."""

    name: str
    factors: Float64Array
    largest: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the score of each candidate is made of. `values` and `parts` map the names in PARTS to arrays (m,)."""

    values: dict[str, Float64Array]
    weights: dict[str, float]
    boosts: tuple[Boost, ...]
    scale: float
    scores: Float64Array


def ranked(values: dict[str, Float64Array], weights: dict[str, float], boosts: tuple[Boost, ...]) -> Ranked:
    """Put the parts together.

    Shapes:  values[name] (m,), boosts[i].factors (m,) -> scores (m,).  m may be 0.
    """
    total = sum((weights[name] * values[name] for name in PARTS), start=np.zeros_like(values[PARTS[0]]))
    largest = 1.0
    for boost in boosts:
        total = total * boost.factors
        largest *= max(1.0, boost.largest)
    return Ranked(values, weights, boosts, 1.0 / largest, total / largest)


def min_max(raw: Float32Array | Float64Array) -> Float64Array:
    """Stretch to 0..1 over the candidates of one query; all equal gives 1 where positive, else 0."""
    if len(raw) == 0:
        return np.zeros(0)
    low, high = float(raw.min()), float(raw.max())
    if high - low < 1e-9:
        return np.where(raw > 0, 1.0, 0.0)
    return (raw.astype(np.float64) - low) / (high - low)


def recency(age_ms: Int64Array, half_life_days: Float64Array) -> Float64Array:
    """0.5 ** (age / half-life): 1 for just said, 0.5 after one half-life.

    Shapes:  (m,), (m,) -> (m,).
    Edges:   a negative age (said in the future, or the clock went back) counts as 0, so the value never passes 1.
    """
    age_days = np.maximum(age_ms, 0) / DAY_MS
    return np.asarray(0.5 ** (age_days / half_life_days), dtype=np.float64)


def blend(own: Float64Array, context: Float64Array, share: float) -> Float64Array:
    """Let what stands beside a memory speak for it: (own + share * context) / (1 + share), still within 0 to 1."""
    return (own + share * context) / (1.0 + share)


def group_max(values: Float64Array, groups: npt.NDArray[np.int32]) -> Float64Array:
    """For each candidate the best value of another... of its group; groups below 0 stand alone and get 0.

    Shapes:  (m,), (m,) -> (m,).
    """
    best = np.zeros_like(values)
    known = groups >= 0
    if not known.any():
        return best
    _, place = np.unique(groups[known], return_inverse=True)
    tops = np.zeros(int(place.max()) + 1)
    np.maximum.at(tops, place, values[known])
    best[known] = tops[place]
    return best


def along_chain(
    values: Float64Array, slots: Int64Array, links: npt.NDArray[np.int32], slots_count: int
) -> Float64Array:
    """The value of the candidate that each candidate is linked to, or 0.

    Shapes:  values (m,), slots (m,), links (m,) slots of the neighbours or -1 -> (m,).
    """
    by_slot = np.zeros(slots_count + 1)  # The last place answers for -1, no neighbour.
    by_slot[slots] = values
    return by_slot[links]
