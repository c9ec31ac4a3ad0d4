"""The best of many scored slots, in one order everywhere."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.memory import Int64Array

_Scores = TypeVar("_Scores", npt.NDArray[np.float32], npt.NDArray[np.float64])


def best(slots: Int64Array, scores: _Scores, limit: int) -> tuple[Int64Array, _Scores]:
    """The `limit` highest scores in falling order; of equal ones the higher (newer) slot, also at the cut.

    Shapes:  slots (n,), scores (n,) -> (m,), (m,) with m = min(n, limit).
    """
    if len(scores) > limit:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        kept = (scores >= least).nonzero()[0]
        slots, scores = slots[kept], scores[kept]
    order = np.lexsort((-slots, -scores))[:limit]
    return slots[order], scores[order]
