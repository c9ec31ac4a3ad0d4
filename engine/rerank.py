"""A ranking model's second look at what was found. Pure: its scores are passed in.

It changes the order of what passed the floor and adds nothing: a factor between one half and 1 beside the other boosts,
so that the parts still multiply out to the score and a model that is wrong cannot bury a memory that everything else
speaks for. A model that says of each hit whether it is an answer may also drop some; they count as below the floor.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from engine.explain import hint_for
from engine.ranking import Float64Array
from engine.recall import Hit, RecallResult

WEAKEST_FACTOR = 0.5


def reranked(
    result: RecallResult, scores: Sequence[float], *, query: str, top_k: int, drops_below: float | None = None
) -> RecallResult:
    """The best `top_k` hits by their score times what the model makes of them.

    Shapes:  one score for each hit, of any scale; higher is better.
    Edges:   scores that are all the same, or not finite, change nothing.
    """
    assert len(scores) == len(result.hits), "one score for each hit"
    given = np.array(scores, dtype=np.float64)
    if len(given) == 0 or not np.isfinite(given).all():
        return replace(result, hits=result.hits[:top_k])
    if drops_below is not None:
        result, given = _without_strangers(result, given, query, drops_below)
    if len(given) == 0 or float(np.ptp(given)) == 0.0:
        return replace(result, hits=result.hits[:top_k])
    shares = (given - given.min()) / np.ptp(given)
    factors = WEAKEST_FACTOR + (1.0 - WEAKEST_FACTOR) * shares
    hits = [_scaled(hit, float(factor)) for hit, factor in zip(result.hits, factors, strict=True)]
    hits.sort(key=lambda hit: -hit.score)
    return replace(result, hits=tuple(hits[:top_k]))


def _without_strangers(
    result: RecallResult, given: Float64Array, query: str, drops_below: float
) -> tuple[RecallResult, Float64Array]:
    """What the model calls an answer; when it is nothing the search abstains."""
    fits = given >= drops_below
    if fits.all():
        return result, given
    hits = tuple(hit for hit, fit in zip(result.hits, fits.tolist(), strict=True) if fit)
    withheld = {**result.withheld, "below_floor": result.withheld["below_floor"] + int((~fits).sum())}
    hint = result.hint if hits else hint_for(query)
    abstained = result.abstained or not hits
    return replace(result, hits=hits, withheld=withheld, abstained=abstained, hint=hint), given[fits]


def _scaled(hit: Hit, factor: float) -> Hit:
    if factor == 1.0:
        return hit
    boosts = cast("list[dict[str, object]]", hit.why["boosts"])
    why = {**hit.why, "boosts": [*boosts[:-1], {"name": "rerank", "factor": factor}, boosts[-1]]}
    return replace(hit, score=hit.score * factor, why=why)
