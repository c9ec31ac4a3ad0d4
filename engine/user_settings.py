"""What a user may set for themselves. Empty or None means the server's."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import InvalidMemory
from engine.memory import Category, Tier
from engine.normalise import refuse_bad_characters

LANGUAGE_CHARS_MAX = 16
HALF_LIFE_DAYS_MAX = 3_650
CAPACITY_MAX = 10_000_000
_CATEGORIES = frozenset(category.value for category in Category)
_TIERS = frozenset(tier.value for tier in Tier)


@dataclass(frozen=True, slots=True)
class Settings:
    """A user's own settings. Half-lives are days by category, or one number for all; capacities are by tier."""

    time_zone: str = ""
    language: str = ""
    half_life_days: float | Mapping[str, float] | None = None
    capacities: Mapping[str, int] | None = None
    dedicated: bool = False

    def half_life_of(self, category: str, default_days: float) -> float:
        """The half-life in force for a category, in days."""
        own = self.half_life_days
        if isinstance(own, Mapping):
            return own.get(category, default_days)
        return default_days if own is None else own

    def capacity_of(self, tier: str, default: int) -> int:
        """The most active memories that a tier may hold: a user may ask for less than the server allows, not more."""
        return min(default, (self.capacities or {}).get(tier, default))


def check_settings(settings: Mapping[str, object]) -> None:
    """Refuse settings that cannot be used; the time zone is its reader's to check. Raises: InvalidMemory naming it."""
    language = settings["language"]
    if not isinstance(language, str) or len(language) > LANGUAGE_CHARS_MAX:
        raise InvalidMemory.of("It must be a short language tag.", field="language")
    refuse_bad_characters(language, "language")
    _check_half_lives(settings["half_life_days"])
    _check_capacities(settings["capacities"])
    if not isinstance(settings["dedicated"], bool):
        raise InvalidMemory.of("It must be true or false.", field="dedicated")


def _check_half_lives(days: object) -> None:
    if days is None:
        return
    field = "half_life_days"
    if isinstance(days, Mapping):
        _check_names(days, _CATEGORIES, field)
    for number in days.values() if isinstance(days, Mapping) else [days]:
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= HALF_LIFE_DAYS_MAX:
            raise InvalidMemory.of(f"It must be a number of days, at most {HALF_LIFE_DAYS_MAX}.", field=field)


def _check_capacities(capacities: object) -> None:
    if capacities is None:
        return
    if not isinstance(capacities, Mapping):
        raise InvalidMemory.of("It must hold a number for each tier named.", field="capacities")
    _check_names(capacities, _TIERS, "capacities")
    for number in capacities.values():
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= CAPACITY_MAX:
            raise InvalidMemory.of(f"It must be a whole number from 1 to {CAPACITY_MAX}.", field="capacities")


def _check_names(given: Mapping[str, object], known: frozenset[str], field: str) -> None:
    if not set(given) <= known:
        raise InvalidMemory.of(f"It takes: {', '.join(sorted(known))}.", field=field)
