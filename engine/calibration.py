"""From dot products to relevance.

Scores of different encoders mean different things: the bundled model gives unrelated short sentences a cosine of 0.8
to 0.9, a centred query gives them about 0. Every threshold in the engine is therefore a relevance, a probability, and
each pair of query encoder and document vector has its own curve from dot product to relevance.

The curve is piecewise linear and never falls, so calibrating never changes the order of documents for one query.
"""

from dataclasses import dataclass

import numpy as np

from engine.memory import Float32Array


@dataclass(frozen=True, slots=True)
class Calibration:
    """A curve through the knots (score, relevance); flat outside the first and the last.

    `scores` rise strictly, `relevances` never fall and stay within 0 to 1. At least two knots.
    """

    scores: tuple[float, ...]
    relevances: tuple[float, ...]

    def __post_init__(self) -> None:
        assert len(self.scores) == len(self.relevances) >= 2, "a curve needs two knots, each with a relevance"
        assert all(a < b for a, b in zip(self.scores, self.scores[1:], strict=False)), "scores must rise"
        assert list(self.relevances) == sorted(self.relevances), "relevance must not fall"
        assert self.relevances[0] >= 0.0, "relevance is a probability"
        assert self.relevances[-1] <= 1.0, "relevance is a probability"

    def relevance(self, scores: Float32Array) -> Float32Array:
        """Probability that each document is about what the query asks.

        Shapes:  (n,) -> (n,); n may be 0.
        Edges:   a score that is not a number has relevance 0.
        """
        curve = np.interp(scores, self.scores, self.relevances)
        return np.where(np.isnan(curve), 0.0, curve).astype(np.float32)
