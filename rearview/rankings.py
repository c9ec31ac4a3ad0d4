"""A ranking from words on the command line: `preset=article-b recency_weight=0.2`."""

from collections.abc import Sequence

from engine.policy import RecallPolicy
from engine.presets import PRESETS, recall_policy
from rearview.settings import RecallSettings


def ranking_of(base: RecallSettings, words: Sequence[str]) -> RecallPolicy:
    """The ranking of the settings with numbers changed; `preset=NAME` starts from that one instead.

    Raises: ValueError naming the word that cannot be used.
    """
    preset: str = base.preset
    changes = base.model_dump(exclude={"preset"}, exclude_none=True)
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word} is not KEY=VALUE")
        if name == "preset":
            if value not in PRESETS:
                raise ValueError(f"there is no ranking {value}; there are {', '.join(PRESETS)}")
            preset, changes = value, {}
            continue
        try:
            changes[name] = float(value)
        except ValueError:
            raise ValueError(f"{word}: the value must be a number") from None
    return recall_policy(preset, changes)
