"""The values a memory is made of. Frozen: only `engine.state.apply` makes a changed copy."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

Float32Array = npt.NDArray[np.float32]
Int64Array = npt.NDArray[np.int64]

TURN = "turn"
"""The mark of a working memory that is a turn of a talk word for word."""
UNTRUSTED = "untrusted"
"""The mark of an imported memory whose importer may not speak for its source: believed as little as any import."""
NO_METADATA: Mapping[str, object] = MappingProxyType({})


class Tier(StrEnum):
    """Where a memory stands between fresh and settled."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"


class Category(StrEnum):
    """What kind of statement it is."""

    PREFERENCE = "preference"
    FACT = "fact"
    EVENT = "event"
    TASK = "task"


class Source(StrEnum):
    """Who said it. `document` is a kind of tool output."""

    USER = "user"
    TOOL = "tool"
    AGENT = "agent"
    DOCUMENT = "document"
    IMPORT = "import"


class Status(StrEnum):
    """Only `active` memories are recalled unless a search asks for others."""

    ACTIVE = "active"
    PENDING = "pending"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    SUPPRESSED = "suppressed"
    QUARANTINED = "quarantined"
    DELETED = "deleted"


class Sensitivity(StrEnum):
    NORMAL = "normal"
    SENSITIVE = "sensitive"


@dataclass(frozen=True, slots=True)
class Revision:
    """A text that an edit replaced. `at_ms` is when it was replaced.

    `space` and `sensitivity` are those it had: an edit may open a memory to more readers, never its earlier texts.
    "" and None mean those of the memory.
    """

    content: str
    at_ms: int
    reason: str
    version: int
    space: str = ""
    sensitivity: Sensitivity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A topic that its user never wants mentioned. `spaces` () means all; `reason` is the user's own, if any."""

    suppression_id: str
    about: str
    created_at_ms: int
    reason: str = ""
    spaces: tuple[str, ...] = ()

    def covers(self, space: str) -> bool:
        """Whether memories of this space may not mention the topic."""
        return not self.spaces or space in self.spaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered statement with its times and origin. All times are integer milliseconds UTC.

    `said_at_ms` is when it was said (ranking and supersession look at it), `created_at_ms` when we stored it,
    `valid_from_ms`/`valid_to_ms` when it was true, `retired_at_ms` when we stopped holding it as current.
    `subject` is "user", "world" or "other:<who>". `marks` are words such as "guess", "hypothetical", "masked".
    `restore_status` is the status to return to when it leaves the bin, `suppressed_from` the one to return to when the
    suppression `suppressed_by` is lifted.
    """

    memory_id: str
    content: str
    tier: Tier
    category: Category
    source: Source
    confidence: float
    importance: float
    status: Status
    created_at_ms: int
    updated_at_ms: int
    said_at_ms: int
    valid_from_ms: int
    space: str = "shared"
    sensitivity: Sensitivity = Sensitivity.NORMAL
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=lambda: NO_METADATA)
    task: str = ""
    conversation: str = ""
    client: str = ""
    occurred_at_ms: int | None = None
    valid_to_ms: int | None = None
    retired_at_ms: int | None = None
    expires_at_ms: int | None = None
    last_accessed_at_ms: int | None = None
    access_count: int = 0
    pinned: bool = False
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    derived_from: tuple[str, ...] = ()
    version: int = 1
    revisions: tuple[Revision, ...] = ()
    subject: str = "user"
    marks: tuple[str, ...] = ()
    rule: str = ""
    restorable_until_ms: int | None = None
    restore_status: Status | None = None
    suppressed_by: str | None = None
    suppressed_from: Status | None = None
    repeats: int = 0  # how often it was said again, which was merged into it

    @property
    def known_from_ms(self) -> int:
        """What was handed over later (an import, a back-filled talk) counts as known from when it was said."""
        return min(self.created_at_ms, self.said_at_ms)

    @property
    def ended_at_ms(self) -> int | None:
        """When it stopped being true, else when it stopped being held; None for what stands."""
        return self.valid_to_ms if self.valid_to_ms is not None else self.retired_at_ms

    def current_at(self, at_ms: int) -> bool:
        """Whether it was known and held at a time."""
        ended = self.ended_at_ms
        return self.known_from_ms <= at_ms and self.valid_from_ms <= at_ms and (ended is None or ended > at_ms)

    def as_of(self, at_ms: int) -> "Memory":
        """As it read at a time: an edit since then is undone. What it stands for now (status, successor) stays."""
        return self.reading(next((one for one in self.revisions if one.at_ms > at_ms), None))

    def as_version(self, version: int) -> "Memory":
        """As it read in one of its versions."""
        return self.reading(next((one for one in self.revisions if one.version >= version), None))

    def reading(self, revision: Revision | None) -> "Memory":
        """As it read before the edit that left this revision; None is as it reads now."""
        if revision is None:
            return self
        before = self.revisions[: self.revisions.index(revision)]
        return replace(
            self,
            content=revision.content,
            version=revision.version,
            revisions=before,
            space=revision.space or self.space,
            sensitivity=revision.sensitivity or self.sensitivity,
        )

    def open_to(self, spaces: Collection[str], max_sensitivity: str) -> bool:
        """Whether a reader of these spaces (none named: all of them) with this ceiling may see it."""
        low_enough = max_sensitivity == Sensitivity.SENSITIVE or self.sensitivity is Sensitivity.NORMAL
        return low_enough and (not spaces or self.space in spaces)

    @property
    def happened_at_ms(self) -> int:
        """The time a `from`/`to` filter looks at: when it happened, else when it was said."""
        return self.said_at_ms if self.occurred_at_ms is None else self.occurred_at_ms

    def expired(self, now_ms: int) -> bool:
        """Whether its lifetime has ended."""
        return self.expires_at_ms is not None and self.expires_at_ms <= now_ms

    def over(self, now_ms: int) -> bool:
        """Whether its lifetime or its time in the bin has ended: unreadable and unrestorable at once, whatever the
        sweep has done so far.
        """
        return self.expired(now_ms) or (self.restorable_until_ms is not None and self.restorable_until_ms <= now_ms)
