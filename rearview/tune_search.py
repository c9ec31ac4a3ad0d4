"""Looking for better weights of the ranking on labelled questions, without fooling oneself.

A fixed set of settings is tried on every question: the one in force, the presets, and others drawn around the one in
force. Then cross-validation: the questions are dealt into folds, by user where there are enough users, so that no user
helps to choose the setting that is measured on them; for each fold the best setting of all other folds is taken and
measured on the fold. What comes out is an honest estimate of what tuning would bring on other conversations. The
setting that is best on all questions together is the one to use, if that estimate is better than what is in force.

The table of scores is made once, so folds cost nothing more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.presets import HALF_LIFE, PRESETS, WEIGHTS
from rearview.evaluate_intervals import NOTHING, Estimate, Float64Array, difference_of, mean_of

FOLDS = 5
SETTINGS_TRIED = 48
CONCENTRATION = 12.0  # Weights drawn lie about 0.13 around those in force.
HALF_LIVES = (3.0, 7.0, 14.0, 30.0, 60.0, 180.0)
FACT_BOOSTS = (1.0, 1.1, 1.2, 1.4)
_SEED = 5

Numbers = Mapping[str, float]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning found. `chosen` holds the number of the setting chosen without each fold."""

    best: int
    chosen: tuple[int, ...]
    in_force: Estimate
    held_out: Estimate
    gain: Estimate

    @property
    def worth_it(self) -> bool:
        """Whether the gain on questions that chose nothing is surely above zero."""
        return self.gain.low > 0.0


def settings_tried(in_force: Numbers, count: int = SETTINGS_TRIED) -> list[Numbers]:
    """The setting in force first, then the presets, then others around it; `in_force` names every tuned number."""
    dice = np.random.default_rng(_SEED)
    around = np.array([in_force[name] for name in WEIGHTS]) + 0.02  # A weight of 0 may come to something, too.
    tried: list[Numbers] = [dict(in_force)]
    tried += [
        {**in_force, **{name: preset[name] for name in in_force if name in preset}}
        for name, preset in PRESETS.items()
        if name != "default"
    ]
    while len(tried) < count:
        weights = dice.dirichlet(CONCENTRATION * around / around.sum())
        tried.append(
            {
                **in_force,
                **dict(zip(WEIGHTS, (round(float(weight), 3) for weight in weights), strict=True)),
                HALF_LIFE: float(dice.choice(HALF_LIVES)),
                "fact_boost": float(dice.choice(FACT_BOOSTS)),
            }
        )
    return tried[:count]


def folds_of(users: Sequence[int], folds: int = FOLDS) -> Int64Array:
    """The fold of each question: all of one user in one, where there are as many users as folds.

    Shapes:  n users -> (n,).
    """
    dice = np.random.default_rng(_SEED)
    array = np.array(users, dtype=np.int64)
    known = np.unique(array)
    if len(known) < folds:
        return dice.permutation(len(array)) % folds
    fold_of = dict(zip(known.tolist(), (dice.permutation(len(known)) % folds).tolist(), strict=True))
    return np.array([fold_of[user] for user in array.tolist()], dtype=np.int64)


def cross_validated(scores: Float64Array, folds: Int64Array) -> Tuned:
    """Choose on all folds but one, measure on that one.

    Shapes:  scores (settings, questions), the setting in force first; NaN where a question does not count.
             folds (questions,).
    """
    held_out = np.full(scores.shape[1], np.nan)
    chosen = []
    for fold in np.unique(folds).tolist():
        inside = folds == fold
        best = best_of(scores[:, ~inside])
        chosen.append(best)
        held_out[inside] = scores[best, inside]
    return Tuned(
        best=best_of(scores),
        chosen=tuple(chosen),
        in_force=mean_of(scores[0]),
        held_out=mean_of(held_out),
        gain=difference_of(scores[0], held_out) if scores.size else NOTHING,
    )


def best_of(scores: Float64Array) -> int:
    """The setting with the best mean; of equal ones the first, so that the one in force wins a draw."""
    counted = ~np.isnan(scores[0])
    if not counted.any():
        return 0
    return int(np.argmax(np.round(scores[:, counted].mean(axis=1), 9)))


def table_of(settings: Sequence[Numbers], score: Callable[[Numbers], Float64Array]) -> Float64Array:
    """The score of every setting on every question. Shapes: (settings, questions)."""
    return np.array([score(numbers) for numbers in settings])
