"""The values that storage hands out and takes in. Actors import them from here; persistence never imports actors."""

from collections.abc import Sequence
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
    """One accepted command. `body` is the codec's bytes, or these sealed; `chain` = SHA-256(previous, seq, body)."""

    seq: int
    body: bytes
    chain: bytes


@dataclass(frozen=True, slots=True)
class AuditHead:
    """Where a user's audit trail stands: its last entry, and the last one that was dropped by rule (0 = none)."""

    number: int = 0
    chain: bytes = NO_CHAIN
    anchor: int = 0
    anchor_chain: bytes = NO_CHAIN


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
    """One user's state as of `seq`. `vectors` is raw float32, C order, one row per id in `vector_rows`.

    `words` is the keyword index (`codec.encode_words`), or empty: derived data that saves reading the texts again.
    With a `key_id` the three are sealed (persistence/sealing.py).
    """

    user_id: str
    epoch: int
    seq: int
    chain: bytes
    space_id: str
    state: bytes
    vectors: bytes
    vector_rows: tuple[str, ...]
    key_id: str = ""
    words: bytes = b""
    audit_number: int = 0  # The last audit entry by then (0 = none), and its chain hash: an anchor outside the store.
    audit_chain: bytes = b""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Numbers of drops: the last one asked about, the last that must not wait long, the last that no file holds."""

    wanted: int
    soon: int
    done: int


@dataclass(frozen=True, slots=True)
class Recovered:
    """A snapshot to start from (or none) and the verified entries after it."""

    snapshot: Snapshot | None
    entries: tuple[Entry, ...]


RECEIPT_LIFE_MS = 24 * 60 * 60 * 1000
"""How long an idempotency key is remembered, by the caller's clock."""


def check_entries(entries: Sequence[Entry], after_seq: int, receipt: Receipt | None) -> None:
    """What must hold before every append, in every journal. A violation is a programmer's error: AssertionError."""
    assert entries or receipt is not None, "an append without entries remembers a receipt"
    for seq, entry in enumerate(entries, start=after_seq + 1):
        assert entry.seq == seq, "entries follow after_seq without a gap"
        assert entry.body, "an entry has a body"
        assert len(entry.chain) == 32, "an entry has a SHA-256"
    if receipt is not None:
        assert receipt.key, "a receipt has a key"
        assert len(receipt.body_hash) == 32, "a receipt has a SHA-256 of the body"
