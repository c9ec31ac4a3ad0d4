"""A ranking model's second look at what was found. Pure: its scores are passed in.

It changes the order of what passed the floor and adds nothing: a factor between one half and 1 beside the other boosts,
so that the parts still multiply out to the score and a model that is wrong cannot bury a memory that everything else
speaks for.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from engine.recall import Hit, RecallResult

WEAKEST_FACTOR = 0.5


def reranked(result: RecallResult, scores: Sequence[float], *, top_k: int) -> RecallResult:
    """The best `top_k` hits by their score times what the model makes of them.

    Shapes:  one score for each hit, of any scale; higher is better.
    Edges:   scores that are all the same, or not finite, change nothing.
    """
    assert len(scores) == len(result.hits), "one score for each hit"
    given = np.array(scores, dtype=np.float64)
    if len(given) == 0 or not np.isfinite(given).all() or float(np.ptp(given)) == 0.0:
        return replace(result, hits=result.hits[:top_k])
    shares = (given - given.min()) / np.ptp(given)
    factors = WEAKEST_FACTOR + (1.0 - WEAKEST_FACTOR) * shares
    hits = [_scaled(hit, float(factor)) for hit, factor in zip(result.hits, factors, strict=True)]
    hits.sort(key=lambda hit: -hit.score)
    return replace(result, hits=tuple(hits[:top_k]))


def _scaled(hit: Hit, factor: float) -> Hit:
    if factor == 1.0:
        return hit
    boosts = cast("list[dict[str, object]]", hit.why["boosts"])
    why = {**hit.why, "boosts": [*boosts[:-1], {"name": "rerank", "factor": factor}, boosts[-1]]}
    return replace(hit, score=hit.score * factor, why=why)
