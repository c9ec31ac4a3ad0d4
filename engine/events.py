"""What happened, in the past tense. A user's state is the fold of these; they are what the journal holds.

Fields are only ever added, with a default, so that entries written by an older release still read.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.memory import Memory, Sensitivity, Status, Suppression

EXPIRED = "expired"
"""The reason of a purge that nobody asked for: the memory's lifetime was over."""


@dataclass(frozen=True, slots=True)
class MemoryWritten:
    """A new memory, whole, in whatever status the decision gave it."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class MemoryMerged:
    """The same statement was made again; nothing is stored twice. The statement's times and confidence move up."""

    memory_id: str
    at_ms: int
    said_at_ms: int
    confidence: float
    content: str | None = None  # set where the new wording contains the old one and adds to it
    sensitivity: Sensitivity | None = None  # set where it was said as something more sensitive this time


@dataclass(frozen=True, slots=True)
class MemorySuperseded:
    """A newer memory replaces this one, which stays readable as history."""

    memory_id: str
    by: str
    at_ms: int
    valid_to_ms: int


@dataclass(frozen=True, slots=True)
class MemoryEdited:
    """Somebody changed it on purpose. `changes` maps field names of `Memory` to their new plain values."""

    memory_id: str
    at_ms: int
    reason: str
    changes: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class MemoryBinned:
    """Moved to the bin by request; restorable until the deadline."""

    memory_id: str
    at_ms: int
    restorable_until_ms: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MemoryRestored:
    """Out of the bin, or back from superseded or archived, with this status."""

    memory_id: str
    at_ms: int
    status: Status


@dataclass(frozen=True, slots=True)
class MemoryConfirmed:
    """A pending or quarantined memory was found right by its user."""

    memory_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class MemoryArchived:
    """Set aside by rule (capacity, compaction); readable, not recalled."""

    memory_id: str
    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class MemorySuppressed:
    """Its topic is never to be mentioned: no search reaches it until the suppression is lifted."""

    memory_id: str
    at_ms: int
    by: str


@dataclass(frozen=True, slots=True)
class SuppressionAdded:
    """From now on nothing about this topic is kept or recalled."""

    suppression: Suppression


@dataclass(frozen=True, slots=True)
class SuppressionLifted:
    """The topic may be mentioned again. What it had suppressed comes back by events of its own."""

    suppression_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class MemoryPromoted:
    """It moved up a tier, for what it is worth and not for its place in the talk. `memory` is as it stands now."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class WorkingCleared:
    """Working memories whose task is over, or that no longer fit the token budget, and were not worth promoting."""

    memory_ids: tuple[str, ...]
    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class MemoriesPurged:
    """Gone for good: the owner drops text, vectors and keyword rows of these."""

    memory_ids: tuple[str, ...]
    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class MemoriesUsed:
    """These entered a final prompt: the only thing that counts as access.

    `renewed` are those of them whose lifetime begins anew and now ends at `expires_at_ms`.
    """

    memory_ids: tuple[str, ...]
    at_ms: int
    renewed: tuple[str, ...] = ()
    expires_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The user's own settings, whole."""

    settings: Mapping[str, object]
    at_ms: int


Event = (
    MemoryWritten
    | MemoryMerged
    | MemorySuperseded
    | MemoryEdited
    | MemoryBinned
    | MemoryRestored
    | MemoryConfirmed
    | MemoryArchived
    | MemoriesPurged
    | MemoriesUsed
    | SettingsChanged
    | MemorySuppressed
    | SuppressionAdded
    | SuppressionLifted
    | MemoryPromoted
    | WorkingCleared
)

EVENTS: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        MemoryWritten,
        MemoryMerged,
        MemorySuperseded,
        MemoryEdited,
        MemoryBinned,
        MemoryRestored,
        MemoryConfirmed,
        MemoryArchived,
        MemoriesPurged,
        MemoriesUsed,
        SettingsChanged,
        MemorySuppressed,
        SuppressionAdded,
        SuppressionLifted,
        MemoryPromoted,
        WorkingCleared,
    )
}
