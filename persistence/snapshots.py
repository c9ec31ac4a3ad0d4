"""Snapshots of each user: framed, verified when written and when read, the newest three kept.

The owner of a user is the only one who writes for that user, so an unfinished file found here is a crash's and is
removed with the next write. A file that fails its check is reported by name and skipped; it is never repaired, and it
goes when three verified ones are newer.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from typing import ParamSpec, TypeVar

from engine.errors import Corrupt, Unavailable
from persistence import keys
from persistence.files import Files, Stamp, open_files
from persistence.frame import frame, unframe
from persistence.values import Snapshot

KEPT = 3
"""Verified snapshots kept per user."""

TRIM_NEEDS = 2
"""The journal may be trimmed only once this many verified snapshots stand in for it."""

SOUND_MAX = 4096
"""Files remembered as verified; about 300 bytes each."""

_log = logging.getLogger("rearview.snapshots")

OnDamaged = Callable[[str, str], None]
_P = ParamSpec("_P")
_T = TypeVar("_T")


def log_damaged(path: str, reason: str) -> None:
    """The default report: an error in the log. The path holds a hash, no user id."""
    _log.error("snapshot %s is damaged and was skipped: %s", path, reason)


class SnapshotStore:
    """See `actors.ports.Snapshots`."""

    def __init__(self, files: Files, on_damaged: OnDamaged = log_damaged, kept: int = KEPT) -> None:
        assert kept >= TRIM_NEEDS
        self._files = files
        self._on_damaged = on_damaged
        self._kept = kept
        self._sound: OrderedDict[tuple[str, Stamp], int] = OrderedDict()  # Verified since it last changed -> seq.

    @classmethod
    def at(cls, url: str, on_damaged: OnDamaged = log_damaged) -> "SnapshotStore":
        """Below a path or an fsspec URL. Raises ValueError, ImportError for one that cannot be served."""
        return cls(open_files(url), on_damaged)

    async def write(self, user_id: str, snapshot: Snapshot) -> None:
        """Keep one more.

        Durable: when it returns the file was flushed, read back and verified; when it raises, none or a whole one.
        Raises:  Unavailable (disk full, not writable), Corrupt (read back differently).
        """
        assert snapshot.user_id == user_id
        assert len(snapshot.chain) == 32
        rows = len(snapshot.vector_rows)
        if rows and not snapshot.key_id:
            assert len(snapshot.vectors) % (4 * rows) == 0, "one float32 row per id"
        assert rows or not snapshot.vectors, "no vectors without ids"
        await self._run(self._write, user_id, snapshot)

    async def newest_first(self, user_id: str) -> AsyncIterator[Snapshot]:
        """Only valid ones. Damaged ones are reported and skipped. Raises Unavailable when the store cannot be read."""
        for name in await self._run(self._names, user_id):
            snapshot = await self._run(self._read, user_id, name)
            if snapshot is not None:
                yield snapshot

    async def oldest_seq(self, user_id: str) -> int | None:
        """Up to where the journal may be trimmed: the oldest verified one, or None while fewer than two are."""
        return await self._run(self._oldest_seq, user_id)

    async def highest_seq(self, user_id: str) -> int | None:
        """The highest seq that any file's name claims, damaged or not. A journal that ends earlier has lost entries."""
        names = await self._run(self._names, user_id)
        order = keys.snapshot_order(names[0]) if names else None
        return order[0] if order else None

    async def drop_before(self, user_id: str, seq: int) -> int:
        """Remove those older than `seq` and all unfinished files, as a purge must; returns how many snapshots went.

        Raises Unavailable, and Corrupt while fewer than two verified ones of `seq` or later would be left.
        """
        return await self._run(self._drop_before, user_id, seq)

    async def erase(self, user_id: str) -> int:
        """Remove all of a user's files; returns how many snapshots went. Raises Unavailable."""
        return await self._run(self._erase, user_id)

    async def _run(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            if self._files.in_thread:
                return await asyncio.to_thread(work, *args, **kwargs)
            return work(*args, **kwargs)
        except OSError as error:
            raise Unavailable.of(
                f"The snapshot store failed ({error.strerror or type(error).__name__}).", code="snapshot_store"
            ) from error

    def _write(self, user_id: str, snapshot: Snapshot) -> None:
        directory = str(keys.snapshot_directory(user_id))
        self._remove_unfinished(directory)
        taken = {keys.snapshot_order(name) for name in self._names(user_id)}
        number = 0
        while (snapshot.seq, snapshot.epoch, number) in taken:
            number += 1
        parts = frame(snapshot)

        def verify(data: bytes) -> None:
            unframe(data, user_id)
            if data[: len(parts[0]) + len(parts[1])] != parts[0] + parts[1]:
                raise Corrupt.of("A snapshot was read back differently from what was written.")

        name = keys.snapshot_name(snapshot.seq, snapshot.epoch, number)
        self._files.write(f"{directory}/{name}", parts, verify)
        self._note_sound(f"{directory}/{name}", self._files.stamp(f"{directory}/{name}"), snapshot.seq)
        self._prune(user_id)

    def _prune(self, user_id: str) -> None:
        """Remove what is older than the newest `kept` verified ones."""
        names, verified = self._names(user_id), 0
        if len(names) <= self._kept:
            return
        for name in names:
            if verified >= self._kept:
                self._files.remove(self._path(user_id, name))
            elif self._verified_seq(user_id, name) is not None:
                verified += 1

    def _names(self, user_id: str) -> list[str]:
        """Names of finished snapshots, newest first."""
        found = self._files.names(str(keys.snapshot_directory(user_id)))
        ordered = [(order, name) for name in found if (order := keys.snapshot_order(name)) is not None]
        return [name for _, name in sorted(ordered, reverse=True)]

    def _path(self, user_id: str, name: str) -> str:
        return f"{keys.snapshot_directory(user_id)}/{name}"

    def _read(self, user_id: str, name: str) -> Snapshot | None:
        """One snapshot, or None when it is damaged (and reported) or went meanwhile."""
        path = self._path(user_id, name)
        try:
            snapshot = unframe(self._files.read(path), user_id)
            if keys.snapshot_order(name) != (snapshot.seq, snapshot.epoch, _number(name)):
                raise Corrupt.of("The snapshot's name and content disagree about its seq.")
            return snapshot
        except FileNotFoundError:
            return None
        except Corrupt as error:
            self._on_damaged(path, error.sentence)
            return None

    def _verified_seqs(self, user_id: str) -> Sequence[int]:
        seqs = (self._verified_seq(user_id, name) for name in self._names(user_id))
        return [seq for seq in seqs if seq is not None]

    def _verified_seq(self, user_id: str, name: str) -> int | None:
        """The seq of a snapshot that was read and verified since it last changed; None when it is damaged.

        Three snapshots of 10,000 memories take half a second of hashing, after every write, and again to trim.
        What decays on the disk without a change of its file is noticed when it is loaded, and two others stand by.
        """
        path = self._path(user_id, name)
        try:
            stamp = self._files.stamp(path)
        except FileNotFoundError:
            return None
        if stamp is not None and (seq := self._sound.get((path, stamp))) is not None:
            return seq
        snapshot = self._read(user_id, name)
        if snapshot is None:
            return None
        self._note_sound(path, stamp, snapshot.seq)
        return snapshot.seq

    def _note_sound(self, path: str, stamp: Stamp | None, seq: int) -> None:
        if stamp is not None:
            self._sound[path, stamp] = seq
            while len(self._sound) > SOUND_MAX:
                self._sound.popitem(last=False)

    def _oldest_seq(self, user_id: str) -> int | None:
        seqs = self._verified_seqs(user_id)
        return min(seqs) if len(seqs) >= TRIM_NEEDS else None

    def _drop_before(self, user_id: str, seq: int) -> int:
        if sum(kept >= seq for kept in self._verified_seqs(user_id)) < TRIM_NEEDS:
            raise Corrupt.of("Older snapshots stay until two newer ones are written and verified.")
        self._remove_unfinished(str(keys.snapshot_directory(user_id)))
        old = [name for name in self._names(user_id) if (keys.snapshot_order(name) or (seq,))[0] < seq]
        for name in old:
            self._files.remove(self._path(user_id, name))
        return len(old)

    def _erase(self, user_id: str) -> int:
        count = len(self._names(user_id))
        self._files.remove_directory(str(keys.snapshot_directory(user_id)))
        return count

    def _remove_unfinished(self, directory: str) -> None:
        for name in self._files.names(directory):
            if name.endswith(keys.TEMPORARY_SUFFIX):
                self._files.remove(f"{directory}/{name}")


def _number(name: str) -> int:
    order = keys.snapshot_order(name)
    assert order is not None
    return order[2]
