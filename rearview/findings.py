"""What a check found, as lines that a person reads; and what can be put right because it is derived."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from adapters.cli.show import printable


class Level(Enum):
    """How bad it is. Only WRONG makes the doctor fail."""

    OK = "ok"
    NOTE = "note"
    WRONG = "WRONG"


Repair = Callable[[], Awaitable[str]]
"""Puts one thing right and says what it did. Raises: RearviewError or OSError when it cannot."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one place. `repair` is set where only derived data must change."""

    level: Level
    place: str
    sentence: str
    repair: Repair | None = None

    def line(self) -> str:
        """As it is printed."""
        hint = " (--repair puts it right)" if self.repair is not None else ""
        return f"{self.level.value:<6} {printable(self.place)}: {printable(self.sentence)}{hint}"


def fine(place: str, sentence: str) -> Finding:
    return Finding(Level.OK, place, sentence)


def note(place: str, sentence: str, repair: Repair | None = None) -> Finding:
    return Finding(Level.NOTE, place, sentence, repair)


def wrong(place: str, sentence: str, repair: Repair | None = None) -> Finding:
    return Finding(Level.WRONG, place, sentence, repair)
