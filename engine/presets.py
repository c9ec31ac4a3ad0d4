"""Named rankings beside the default, and single numbers of one changed.

`article-a` and `article-b` are the rankings of two articles on agent memory, so that they can be compared with ours
(`rearview tune`). They know no neighbours in a talk, no dates, turns or speakers; what keeps answers right under any
ranking stays: the floor, the order of a fact and what replaced it, and no repeats.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from math import log

from engine.policy import RecallPolicy

WEIGHTS = ("semantic_weight", "keyword_weight", "recency_weight", "confidence_weight")
HALF_LIFE = "half_life_days"
_DEFAULT = RecallPolicy()
_NUMBER_MAX = 1e6
_BARE: Mapping[str, float] = {
    "before_share": 0.0,
    "after_share": 0.0,
    "talk_share": 0.0,
    "speaker_boost": 1.0,
    "subject_boost": 1.0,
    "question_factor": 1.0,
    "personal_boost": 1.0,
    "talk_about_talk_factor": 1.0,
    "confirmation_factor": 1.0,
    "order_boost": 1.0,
    "feedback_static": 0.0,
    "feedback_model": 0.0,
    "newer_share": 2.0,
    "date_share": 0.0,
    "date_boost": 1.0,
    "latest_boost": 1.0,
    "same_talk_boost": 1.0,
    "newer_preference_boost": 1.0,
    "model_gain": 0.0,
    "bearing_boost": 1.0,
}
# exp(-days / 30), as article b has it, halves after 30 ln 2 = 20.8 days.
PRESETS: Mapping[str, Mapping[str, float]] = {
    "default": {},
    "article-a": {
        **_BARE,
        "semantic_weight": 0.6,
        "keyword_weight": 0.0,
        "recency_weight": 0.2,
        "confidence_weight": 0.2,
        HALF_LIFE: 7.0,
        "fact_boost": 1.0,
        "stale_preference_factor": 1.0,
    },
    "article-b": {
        **_BARE,
        "semantic_weight": 0.7,
        "keyword_weight": 0.2,
        "recency_weight": 0.1,
        "confidence_weight": 0.0,
        HALF_LIFE: 30.0 * log(2.0),
        "intent_boost": 1.0,
    },
}
NAMES = tuple(f.name for f in fields(RecallPolicy) if f.name != "own_half_lives")


def recall_policy(
    preset: str = "default", changes: Mapping[str, float] | None = None, *, base: RecallPolicy = _DEFAULT
) -> RecallPolicy:
    """A named ranking with single numbers changed; `half_life_days` is that of every category.

    `base` holds the numbers that neither the preset nor the changes name.
    The four weights are divided by their sum, so that one can be changed alone.
    Raises: ValueError for an unknown preset or name, a number that cannot be used, or four weights of 0.
    """
    if preset not in PRESETS:
        raise ValueError(f"there is no ranking of that name; there are {', '.join(PRESETS)}")
    numbers = {**PRESETS[preset], **(changes or {})}
    if not numbers:
        return base
    if wrong := sorted(name for name, value in numbers.items() if name not in NAMES or not 0.0 <= value <= _NUMBER_MAX):
        raise ValueError(f"not a number of the ranking, or not one that can be used: {', '.join(wrong)}")
    values: dict[str, object] = {name: _like(getattr(base, name), value) for name, value in numbers.items()}
    weights = [float(numbers.get(name, getattr(base, name))) for name in WEIGHTS]
    if sum(weights) <= 0.0:
        raise ValueError("the four weights of the ranking cannot all be 0")
    values |= {name: weight / sum(weights) for name, weight in zip(WEIGHTS, weights, strict=True)}
    return replace(base, **values)  # type: ignore[arg-type]


def _like(default: object, value: float) -> object:
    """A number in the form of the field it stands for. Raises: ValueError for a half-life or a count below 1."""
    if isinstance(default, tuple):
        if value <= 0.0:
            raise ValueError("a half-life must be longer than nothing")
        return tuple((category, float(value)) for category, _ in default)
    if isinstance(default, int):
        if value < 1:
            raise ValueError("at least one candidate is needed")
        return int(value)
    return float(value)
