"""What is asked of one user's memory. Plain values, already parsed and bounded by an adapter; times are ms UTC.

The engine checks limits again (`engine.screen`), because an adapter can forget and the engine must not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.memory import NO_METADATA


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Decide and, if it is worth it, keep one statement. "auto" leaves the choice to the engine."""

    content: str
    tier: str = "auto"
    category: str = "auto"
    source: str = "user"
    confidence: float | None = None
    ttl_seconds: int | None = None
    said_at_ms: int | None = None
    occurred_at_ms: int | None = None
    time_zone: str = ""
    offset_minutes: int | None = None  # of `said_at` as the caller wrote it
    task: str = ""
    conversation: str = ""
    space: str = "shared"
    sensitivity: str = "normal"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=lambda: NO_METADATA)
    client: str = ""
    dry_run: bool = False
    max_sensitivity: str = "sensitive"  # What lies above is not met: nothing of it is told, merged or replaced.
    untrusted: bool = False  # Brought along by somebody who may not speak for the source.


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Change a memory on purpose. `None` leaves a field as it is."""

    memory_id: str
    reason: str = ""
    content: str | None = None
    tier: str | None = None
    category: str | None = None
    confidence: float | None = None
    ttl_seconds: int | None = None
    tags: tuple[str, ...] | None = None
    metadata: Mapping[str, object] | None = None
    sensitivity: str | None = None
    space: str | None = None
    pinned: bool | None = None
    if_version: int | None = None
    client: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Find what fits a query. Empty tuples mean "any"."""

    query: str
    top_k: int = 8
    tiers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("active",)
    spaces: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=lambda: NO_METADATA)
    min_confidence: float | None = None
    from_ms: int | None = None
    to_ms: int | None = None
    as_of_ms: int | None = None
    time_zone: str = ""
    task: str = ""
    conversation: str = ""
    intent: str = "auto"
    min_relevance: float | None = None
    rerank: str = "auto"
    max_sensitivity: str = "sensitive"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMemories:
    """A page of memories, newest first. `cursor` is what the last page returned; `as_of_ms` lists what was current
    then, in the words of then.
    """

    status: str = "active"
    tier: str = ""
    category: str = ""
    space: str = ""
    source: str = ""
    conversation: str = ""
    q: str = ""
    as_of_ms: int | None = None
    limit: int = 50
    cursor: str = ""
    spaces: tuple[str, ...] = ()
    max_sensitivity: str = "sensitive"
