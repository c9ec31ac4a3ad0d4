"""Arithmetic of the ranking, on arrays: one row per candidate, nothing that knows about one memory.

score = (w_s semantic + w_k keyword + w_r recency + w_c confidence) * boosts * scale, every part within 0 to 1 and
`scale` = 1 / the largest product the boosts can reach, so that the score stays within 0 to 1 and can be recomputed
from what `why` shows.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from engine.memory import Float32Array, Int64Array

Float64Array = npt.NDArray[np.float64]
Links = npt.NDArray[np.int32]
DAY_MS = 86_400_000.0
UNRELATED_AMONG = 20
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
    largest = prod(max(1.0, boost.largest) for boost in boosts)
    return Ranked(values, weights, boosts, 1.0 / largest, boosted_by(total, boosts) / largest)


def boosted_by(scores: Float64Array, boosts: tuple[Boost, ...]) -> Float64Array:
    """Scores with every factor on them. Shapes: (m,) -> (m,)."""
    for boost in boosts:
        scores = scores * boost.factors
    return scores


def boosted(order: Ranked, boost: Boost) -> Ranked:
    """One more factor, which can only lower: `scale` stays as it is. A boost that changes nothing is left out."""
    assert boost.largest == 1.0, "a factor above 1 belongs into `ranked`, which keeps the score within 0 to 1"
    if bool((boost.factors == 1.0).all()):
        return order
    return replace(order, boosts=(*order.boosts, boost), scores=order.scores * boost.factors)


def moved(order: Ranked, name: str, scores: Float64Array) -> Ranked:
    """Rows that take each other's places: `scores` are those of `order` in another order, or lower.

    So the score stays within 0 to 1 though some factors are above 1.
    """
    held = order.scores > 0.0
    factors = np.divide(scores, order.scores, out=np.ones_like(scores), where=held)
    if bool((factors == 1.0).all()):
        return order
    boost = Boost(name, factors, float(factors.max()))
    return replace(order, boosts=(*order.boosts, boost), scores=order.scores * factors)


def stretched(raw: Float32Array | Float64Array, *, lowest: float = 0.0) -> Float64Array:
    """Stretch to 0..1 over the candidates of one query: 0 for `lowest` or less, 1 for the best.

    `lowest` is what an unrelated memory gets: no shared word, or a product with a centred query of 0. The lowest
    candidate would not do: of three good candidates one would count as unrelated.
    """
    if len(raw) == 0:
        return np.zeros(0)
    high = float(raw.max())
    if high - lowest < 1e-9:
        return np.zeros(len(raw))
    return np.maximum((raw.astype(np.float64) - lowest) / (high - lowest), 0.0)


def unrelated(products: Float32Array) -> float:
    """What a dot product with an unrelated memory is likely to be: 0 for a centred query, but no less than the lowest
    of many candidates. Of a few candidates all may be related, so their lowest says little.

    Shapes:  (m,) -> a number.
    """
    if len(products) == 0:
        return 0.0
    return max(0.0, float(products.min())) * len(products) / (len(products) + UNRELATED_AMONG)


def recency(age_ms: Int64Array, half_life_days: Float64Array) -> Float64Array:
    """0.5 ** (age / half-life): 1 for just said, 0.5 after one half-life.

    Shapes:  (m,), (m,) -> (m,).
    Edges:   a negative age (said in the future, or the clock went back) counts as 0, so the value never passes 1.
    """
    age_days = np.maximum(age_ms, 0) / DAY_MS
    return np.asarray(0.5 ** (age_days / half_life_days), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Talks:
    """Who stands beside whom among the candidates: rows (or m for nobody), and the talk of each (or -1); all (m,)."""

    before: Int64Array
    after: Int64Array
    groups: Links

    @staticmethod
    def of(slots: Int64Array, *, before: Links, after: Links, groups: Links) -> "Talks":
        """From slots (m,), rising, the slots beside them (or -1), and the number of the talk of each (or -1)."""
        return Talks(_rows_of(slots, before), _rows_of(slots, after), groups)


def _rows_of(slots: Int64Array, wanted: Links) -> Int64Array:
    if len(slots) == 0:
        return np.empty(0, dtype=np.int64)
    places = np.minimum(np.searchsorted(slots, wanted), len(slots) - 1)
    return np.where(slots[places] == wanted, places, len(slots))


def spoken_for(
    own: Float64Array, talks: Talks, shares: tuple[float, float, float], trust: Float64Array, best: Float64Array
) -> Float64Array:
    """Let the turn before, the turn after and the best turns of the same talk speak for a memory.

    (own + trust * (a before + b after + c best)) / (1 + a + b + c), where best is the mean of the talk's three best
    values and trust, 0 to 1, says how surely the memories belong together.

    Shapes:  own, trust, best (m,) -> (m,).
    Edges:   what is no candidate, or in no talk, counts as 0. The value stays within 0 to 1.
    """
    if len(own) == 0:
        return own
    padded = np.append(own, 0.0)  # The last place answers for "no candidate".
    beside = shares[0] * padded[talks.before] + shares[1] * padded[talks.after]
    return np.asarray((own + trust * (beside + shares[2] * best)) / (1.0 + sum(shares)))


def talk_best(values: Float64Array, groups: Links, top: int = 3) -> Float64Array:
    """For each candidate the mean of the `top` best values of its talk; fewer turns count as zeros.

    Shapes:  (m,), (m,) -> (m,).
    """
    if len(values) == 0:
        return values
    order = np.lexsort((-values, groups))
    sorted_groups = groups[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_groups[1:] != sorted_groups[:-1])))
    sizes = np.diff(np.append(starts, len(order)))
    place_in_talk = np.arange(len(order)) - np.repeat(starts, sizes)
    counted = np.where(place_in_talk < top, values[order], 0.0)
    means = np.repeat(np.add.reduceat(counted, starts) / top, sizes)
    best = np.empty_like(values)
    best[order] = np.where(sorted_groups < 0, 0.0, means)
    return best
