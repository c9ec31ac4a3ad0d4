"""What an actor needs from the world, as Protocols. `persistence` and `adapters.models` fit them by shape.

Every method here is the whole contract: `tests/contract/` runs one suite over each implementation.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace
from persistence.sealing import Sealer
from persistence.values import NO_CHAIN, AuditHead, Entry, Head, Receipt, Recovered, Rewriting, Snapshot


class Journal(Protocol):
    """Append-only facts of each user, fenced by epoch."""

    async def open(self, user_id: str) -> Head:
        """Take over a user: the epoch goes up by one, so that every older owner is fenced from now on."""
        ...

    async def look(self, user_id: str) -> Head | None:
        """The head as it is, without taking over; None for a user the journal does not know."""
        ...

    async def append(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        epoch: int,
        after_seq: int,
        receipt: Receipt | None,
        now_ms: int,
        audit: Entry | None = None,
    ) -> Receipt | None:
        """Make entries durable, all or none. Entries may be empty when only a receipt is to be remembered.
        `audit` is the next entry of the audit trail, durable with them or not at all.

        Returns: None when appended; the first receipt when this key and body were already done (nothing appended).
        Raises:  Conflict, StaleEpoch, Corrupt (another seq than expected), Unavailable (surely not written),
                 Indeterminate (may be written).
        """
        ...

    async def receipt(self, user_id: str, key: str, now_ms: int) -> Receipt | None:
        """What this idempotency key did, if it did anything in the last 24 h."""
        ...

    def read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]:
        """Entries with a larger seq, in order."""
        ...

    async def last_seq(self, user_id: str) -> int: ...

    async def trim(self, user_id: str, to_seq: int) -> int:
        """Drop entries up to and including `to_seq`; returns how many."""
        ...

    async def erase(self, user_id: str) -> int:
        """Drop everything of a user except the fence against older owners; returns how many entries went."""
        ...

    async def audit_head(self, user_id: str) -> AuditHead: ...

    async def audit_add(self, user_id: str, entry: Entry, *, only: bool = False) -> None:
        """One audit entry by itself; `only` drops all before it. Raises: StaleEpoch when it is not the next one."""
        ...

    async def audit_page(self, user_id: str, first: int, count: int) -> list[Entry]:
        """Audit entries from a number on, oldest first."""
        ...

    async def audit_trim(self, user_id: str, last: Entry) -> None:
        """Drop audit entries up to and including this one; the trail is anchored to it."""
        ...

    async def check(self) -> str:
        """The durability in force, "strict" or "relaxed". Raises Unavailable on settings that lose data."""
        ...


class Snapshots(Protocol):
    """Verified copies of a user's state, newest three kept."""

    async def write(self, user_id: str, snapshot: Snapshot) -> None:
        """Durable, read back and verified when it returns; older ones beyond three are gone."""
        ...

    def newest_first(self, user_id: str) -> AsyncIterator[Snapshot]:
        """Only valid ones."""
        ...

    async def oldest_seq(self, user_id: str) -> int | None:
        """Up to where the journal may be trimmed: the oldest verified one, or None while fewer than two are."""
        ...

    async def drop_before(self, user_id: str, seq: int) -> int:
        """Remove those older than `seq`, once two of `seq` or later are verified; returns how many went."""
        ...

    async def erase(self, user_id: str) -> int:
        """Returns how many files went."""
        ...


class Schedule(Protocol):
    """Which user has something due next, also while nobody holds that user in memory."""

    async def set_due(self, user_id: str, due_ms: int | None) -> None: ...

    async def due(self, now_ms: int, limit: int) -> list[str]: ...


class Rewrites(Protocol):
    """Rewrites of the journal's own file, which keeps what was dropped until then. One serves all drops before it."""

    async def want(self, *, soon: bool) -> int:
        """Ask for one after a drop; returns the number that `done` must reach. `soon`: somebody asked for the drop."""
        ...

    async def progress(self) -> Rewriting: ...

    async def rewrite(self) -> Rewriting:
        """Rewrite unless somebody else did meanwhile. Nothing dropped before the call is in any file afterwards.

        Raises: Unavailable when the store may not, cannot, or takes too long.
        """
        ...


class UserKeys(Protocol):
    """Which key seals what is stored of a user. An erasure of the journal drops the key."""

    async def of(self, user_id: str) -> Sealer:
        """Makes a key at the first use. Call it as the user's owner, after `Journal.open`.

        Raises: Unavailable (no master key, or another one), Corrupt (a key that was altered).
        """
        ...

    async def look(self, user_id: str) -> Sealer:
        """For reading only: nobody gets a new key. Raises: as `of`."""
        ...


class SpaceStore(Protocol):
    """Where it is written in which embedding space everybody is. The bytes are those of `actors.spaces`."""

    async def read(self) -> bytes | None: ...

    async def write(self, record: bytes) -> None: ...


class Recovery(Protocol):
    """Reads a user back: `persistence.recovery.recover` bound to a journal and a snapshot store."""

    async def __call__(self, user_id: str, head: Head) -> Recovered: ...


class DocumentEmbedder(Protocol):
    """Turns memory texts into vectors. Slow: only ever called off the writer's path, in a thread."""

    @property
    def space(self) -> EmbeddingSpace: ...

    def passages(self, texts: Sequence[str]) -> Float32Array:
        """Shapes: n texts -> (n, dimensions), unit norm; a row is NaN where the model made nothing usable of a text."""
        ...

    def query(self, text: str) -> Float32Array:
        """The model's own query vector, mean-corrected, ready for a dot product."""
        ...


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query ready for a dot product. `encoder` is "static" or "model"; `coverage` is the share of the text known."""

    vector: Float32Array
    encoder: str
    coverage: float


class StaticEncoder(Protocol):
    """Vectors by table look-up, about 0.05 ms a text. Pure."""

    def encode(self, text: str) -> QueryVector: ...

    def stand_in(self, text: str) -> Float32Array:
        """A document vector to use until the model's own is there; unit norm."""
        ...


Clock = Callable[[], int]
NewId = Callable[[], str]

__all__ = [
    "NO_CHAIN",
    "AuditHead",
    "Clock",
    "DocumentEmbedder",
    "Entry",
    "Head",
    "Journal",
    "NewId",
    "QueryVector",
    "Receipt",
    "Recovered",
    "Recovery",
    "Rewrites",
    "Rewriting",
    "Schedule",
    "Sealer",
    "Snapshot",
    "Snapshots",
    "SpaceStore",
    "StaticEncoder",
    "UserKeys",
]


class HostHandle(Protocol):
    """A host as a caller reaches it."""

    async def call(self, batch: bytes) -> bytes:
        """Send a batch of requests (actors/requests.py). Raises: Unavailable with code "host_lost"."""
        ...


class Hosts(Protocol):
    """All hosts, by name."""

    async def host(self, name: str) -> HostHandle:
        """The host of this name, started if it is not there. Raises: Unavailable with code "host_lost"."""
        ...

    def forget(self, name: str) -> None:
        """Its handle no longer works: find it anew next time."""
        ...
