"""How sure a measured figure is: 95 % intervals over the cases of the labelled file.

By the bootstrap; a share of cases that are either right or wrong by Wilson's formula instead, since resampling 20 right
cases out of 20 would call the result certain. The same seed is used everywhere, so that the same file gives the same
interval. The cases of one user depend on each other, which makes the true interval somewhat wider than the one shown.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
RESAMPLES = 1_000
AUROC_RESAMPLES = 300
_SEED = 20
_OUTER_PERCENT = (2.5, 97.5)
_Z = 1.959964  # of a normal distribution, for the same 95 %


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, the 95 % interval around it, and how many cases it comes from. NaN where there are none."""

    value: float
    low: float
    high: float
    count: int

    @property
    def known(self) -> bool:
        return self.count > 0

    def percent(self) -> str:
        """As `84.0 (77.1 to 91.2)`; `-` where nothing was measured."""
        if not self.known:
            return "-"
        return f"{100 * self.value:.1f} ({100 * self.low:.1f} to {100 * self.high:.1f})"

    def plain(self) -> str:
        """As `0.910 (0.850 to 0.960)`."""
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})" if self.known else "-"


NOTHING = Estimate(float("nan"), float("nan"), float("nan"), 0)


def _picks(count: int, resamples: int = RESAMPLES) -> npt.NDArray[np.int64]:
    return np.random.default_rng(_SEED).integers(count, size=(resamples, count))


def _estimate(value: float, resampled: Float64Array, count: int) -> Estimate:
    low, high = np.nanpercentile(resampled, _OUTER_PERCENT)
    return Estimate(float(value), float(low), float(high), count)


def mean_of(values: Float64Array) -> Estimate:
    """The mean. Shapes: (n,); NaN marks a case that does not count."""
    counted = values[~np.isnan(values)]
    if len(counted) == 0:
        return NOTHING
    if bool(((counted == 0.0) | (counted == 1.0)).all()):
        return _share(float(counted.mean()), len(counted))
    return _estimate(counted.mean(), counted[_picks(len(counted))].mean(axis=1), len(counted))


def _share(share: float, count: int) -> Estimate:
    """Wilson's score interval: Wilson, J. Am. Stat. Assoc. 22 (1927) 209."""
    squared = _Z * _Z / count
    middle = (share + squared / 2.0) / (1.0 + squared)
    reach = _Z / (1.0 + squared) * np.sqrt(share * (1.0 - share) / count + squared / (4.0 * count))
    return Estimate(share, max(0.0, float(middle - reach)), min(1.0, float(middle + reach)), count)


def difference_of(a: Float64Array, b: Float64Array) -> Estimate:
    """The mean of b - a over the same cases: far surer than the difference of two means. Shapes: (n,), (n,)."""
    differences = (b - a)[~np.isnan(b - a)]
    if len(differences) == 0:
        return NOTHING
    return _estimate(differences.mean(), differences[_picks(len(differences))].mean(axis=1), len(differences))


def f1_of(kept: BoolArray, wanted: BoolArray) -> Estimate:
    """F1 of keeping what is wanted. Shapes: (n,), (n,)."""
    if len(kept) == 0:
        return NOTHING
    picks = _picks(len(kept))
    hit, either = kept & wanted, kept.astype(np.float64) + wanted
    f1 = 2.0 * hit.sum() / max(1.0, float(either.sum()))
    return _estimate(f1, 2.0 * hit[picks].sum(axis=1) / np.maximum(1.0, either[picks].sum(axis=1)), len(kept))


def auroc_of(yes: Float64Array, no: Float64Array) -> Estimate:
    """Chance that one of `yes` exceeds one of `no`; equal counts half. Shapes: (n,), (m,)."""
    if len(yes) == 0 or len(no) == 0:
        return NOTHING
    wins = (yes[:, None] > no[None, :]) + 0.5 * (yes[:, None] == no[None, :])
    rows = _picks(len(yes), AUROC_RESAMPLES)
    columns = np.random.default_rng(_SEED + 1).integers(len(no), size=(AUROC_RESAMPLES, len(no)))
    # Weights instead of gathered copies: a resample is how often each row and each column was drawn.
    resampled = np.array(
        [
            np.bincount(r, minlength=len(yes)) @ wins @ np.bincount(c, minlength=len(no)) / (len(yes) * len(no))
            for r, c in zip(rows, columns, strict=True)
        ]
    )
    return _estimate(float(wins.mean()), resampled, len(yes) + len(no))
