"""A calibration curve as text: a plot of relevance over score, and a table of what was measured beside what it says."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.calibration import Calibration

COLUMNS, ROWS = 61, 11
BINS = 8
CURVE, MEASURED, BOTH = "·", "o", "O"

Float64Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of alike score: how many, how many of them are answers, and what the curve says of them on the mean."""

    low: float
    high: float
    count: int
    answered: float
    said: float


def bins_of(curve: Calibration, scores: Float64Array, answers: Float64Array, count: int = BINS) -> list[Bin]:
    """As many pairs in each as in any other. Shapes: (n,), (n,)."""
    order = np.argsort(scores, kind="stable")
    said = curve.relevance(scores.astype(np.float32))
    return [
        Bin(
            float(scores[part].min()),
            float(scores[part].max()),
            len(part),
            float(answers[part].mean()),
            float(said[part].mean()),
        )
        for part in np.array_split(order, min(count, max(1, len(order))))
        if len(part)
    ]


def error_of(bins: Sequence[Bin]) -> float:
    """How far the curve is off, on the mean over all pairs."""
    total = sum(b.count for b in bins)
    return sum(b.count * abs(b.answered - b.said) for b in bins) / total if total else 0.0


def plot(curve: Calibration, bins: Sequence[Bin]) -> list[str]:
    """The curve, with what was measured."""
    middles = [(b.low + b.high) / 2.0 for b in bins]
    low, high = min(curve.scores[0], *middles, curve.scores[1]), max(curve.scores[-1], *middles, curve.scores[-2])
    grid = [[" "] * COLUMNS for _ in range(ROWS)]

    def mark(score: float, relevance: float, sign: str) -> None:
        column = round((score - low) / (high - low) * (COLUMNS - 1))
        line = ROWS - 1 - round(relevance * (ROWS - 1))
        grid[line][column] = BOTH if grid[line][column] not in (" ", sign) else sign

    xs = np.linspace(low, high, COLUMNS).astype(np.float32)
    for x, y in zip(xs.tolist(), curve.relevance(xs).tolist(), strict=True):
        mark(x, y, CURVE)
    for middle, b in zip(middles, bins, strict=True):
        mark(middle, b.answered, MEASURED)
    lines = [f"{1.0 - i / (ROWS - 1):4.1f} |{''.join(cells).rstrip()}" for i, cells in enumerate(grid)]
    return [*lines, "     +" + "-" * COLUMNS, f"      {low:<{COLUMNS - 8}.3f}{high:>8.3f}"]


def table(bins: Sequence[Bin]) -> list[str]:
    """What was measured beside what the curve says."""
    head = f"{'score':>18} {'pairs':>7} {'answers':>9} {'the curve says':>16}"
    return [
        head,
        *(
            f"{b.low:8.3f} to {b.high:6.3f} {b.count:>7} {100 * b.answered:>7.1f} % {100 * b.said:>14.1f} %"
            for b in bins
        ),
    ]


def knots(curve: Calibration) -> list[str]:
    """The curve's own points."""
    return [
        f"{'score':>10} {'relevance':>10}",
        *(
            f"{score:>10.3f} {relevance:>10.3f}"
            for score, relevance in zip(curve.scores, curve.relevances, strict=True)
        ),
    ]
