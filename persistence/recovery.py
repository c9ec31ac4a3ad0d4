"""Reads a user back: newest valid snapshot and the journal after it, every entry checked against the chain.

The order: the newest valid snapshot, if the journal goes on from it without a gap up to the head; else the next older
one; else the journal alone, if it starts at 1; else nothing, with an error. Two things are never taken for a new user:
a store that was emptied, and one that was put back to an older day. Both end before a snapshot that we hold.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Protocol

from engine.errors import Corrupt
from persistence.codec import entry_chain
from persistence.values import NO_CHAIN, Entry, Head, Recovered, Snapshot


class ReadableJournal(Protocol):
    """What recovery needs of a journal."""

    def read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]: ...


class ReadableSnapshots(Protocol):
    """What recovery needs of a snapshot store."""

    def newest_first(self, user_id: str) -> AsyncIterator[Snapshot]: ...

    async def highest_seq(self, user_id: str) -> int | None: ...


class Recover:
    """`recover` bound to a journal and a snapshot store; see `actors.ports.Recovery`."""

    def __init__(self, journal: ReadableJournal, snapshots: ReadableSnapshots) -> None:
        self._recover = partial(recover, journal, snapshots)

    async def __call__(self, user_id: str, head: Head) -> Recovered:
        return await self._recover(user_id, head)


async def recover(journal: ReadableJournal, snapshots: ReadableSnapshots, user_id: str, head: Head) -> Recovered:
    """A snapshot (or none) and the verified entries after it, up to `head.seq`.

    `head` is what opening the journal returned. Entries beyond it belong to a newer owner and are left alone.
    Raises: Corrupt with what to do; Unavailable when a store cannot be read.
    """
    claimed = await snapshots.highest_seq(user_id)
    if claimed is not None and claimed > head.seq:
        raise Corrupt.of(_older_than_snapshot(head, claimed))
    first_trouble = ""
    async for snapshot in snapshots.newest_first(user_id):
        if snapshot.epoch > head.epoch:
            raise Corrupt.of(_older_than_snapshot(head, snapshot.seq))
        try:
            return Recovered(snapshot, await _tail(journal, user_id, snapshot.seq, snapshot.chain, head))
        except Corrupt as error:
            first_trouble = first_trouble or error.sentence
    try:
        return Recovered(None, await _tail(journal, user_id, 0, NO_CHAIN, head))
    except Corrupt as error:
        raise Corrupt.of(
            f"{first_trouble or error.sentence} Nothing was changed. Restore the store and the snapshots "
            "from one backup, or run `rearview doctor` to see what is left."
        ) from error


async def _tail(journal: ReadableJournal, user_id: str, after_seq: int, chain: bytes, head: Head) -> tuple[Entry, ...]:
    """Entries after `after_seq` up to the head. Raises Corrupt on a gap or where the chain does not hold."""
    entries: list[Entry] = []
    seq = after_seq
    if seq < head.seq:
        async for entry in journal.read(user_id, after_seq):
            if entry.seq != seq + 1:
                raise Corrupt.of(f"The journal has a gap: entry {seq + 1} is missing.")
            seq, chain = entry.seq, entry_chain(chain, entry.seq, entry.body)
            if chain != entry.chain:
                raise Corrupt.of(f"Journal entry {seq} was altered: it does not match its chain hash.")
            entries.append(entry)
            if seq == head.seq:
                break
    if seq != head.seq:
        raise Corrupt.of(f"The journal has a gap: it should end at {head.seq}, but entry {seq + 1} is missing.")
    if chain != head.chain:
        raise Corrupt.of(f"The journal's head does not match the chain at {seq}.")
    return tuple(entries)


def _older_than_snapshot(head: Head, seq: int) -> str:
    what = "was emptied" if head.seq == 0 else "was put back to an older state"
    return (
        f"The store {what}: its journal ends at {head.seq}, but a snapshot of {seq} exists. This user is not taken "
        "for a new one. Restore the newer store, or move the newer snapshots away to accept the loss."
    )
