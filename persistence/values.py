"""The values that storage hands out and takes in. They live here, because actors import persistence and not the reverse."""

from dataclasses import dataclass

NO_CHAIN = b"\0" * 32
"""The chain hash before the first entry."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a user's journal stands: who may write, the last `seq`, and the chain hash of that entry."""

    epoch: int
    seq: int
    chain: bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted command. `body` is the codec's bytes, `chain` = SHA-256(previous chain, seq, body)."""

    seq: int
    body: bytes
    chain: bytes


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an idempotency key remembers for 24 h. `outcome` is small msgpack and never holds text."""

    key: str
    body_hash: bytes
    seq: int
    outcome: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One user's state as of `seq`. `vectors` is raw float32, C order, one row per id in `vector_rows`."""

    user_id: str
    epoch: int
    seq: int
    chain: bytes
    space_id: str
    state: bytes
    vectors: bytes
    vector_rows: tuple[str, ...]
    key_id: str = ""


@dataclass(frozen=True, slots=True)
class Recovered:
    """A snapshot to start from (or none) and the verified entries after it."""

    snapshot: Snapshot | None
    entries: tuple[Entry, ...]
