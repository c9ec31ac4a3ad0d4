"""What a simulation knows: every entry that was ever stored, what was acknowledged, and where the process dies."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from actors.user_memory import UserMemory
from engine.events import MemoryWritten
from engine.state import UserState, check_state, fold
from persistence.codec import decode_events
from persistence.plain_journal import PlainJournal
from persistence.plain_snapshots import PlainSnapshots
from persistence.values import Entry, Head, Receipt, Snapshot
from tests.actors.world import DIMENSIONS, PlainStatic


class CrashPoint:
    """Ends the process at its n-th store call, before or after the effect: the call never comes back.

    What else that process had under way goes on, as in a process that was paused and is no owner any more.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.at: int | None = None
        self.after_effect = False
        self.crashed = asyncio.Event()
        self._buried = asyncio.Event()

    def arm(self, at: int | None, *, after_effect: bool = False) -> None:
        self._buried.set()
        self.calls, self.at, self.after_effect = 0, at, after_effect
        self.crashed, self._buried = asyncio.Event(), asyncio.Event()

    async def before(self) -> None:
        self.calls += 1
        if self.calls == self.at and not self.after_effect:
            await self._die()

    async def after(self) -> None:
        if self.calls == self.at and self.after_effect:
            await self._die()

    async def _die(self) -> None:
        self.crashed.set()
        await self._buried.wait()
        raise asyncio.CancelledError


class WatchedJournal(PlainJournal):
    """Remembers every entry for ever, also those that were trimmed."""

    def __init__(self, crash: CrashPoint) -> None:
        super().__init__()
        self.crash = crash
        self.history: dict[str, list[Entry]] = {}
        self.epochs_seen: dict[str, int] = {}

    async def open(self, user_id: str) -> Head:
        await self.crash.before()
        head = await super().open(user_id)
        assert head.epoch > self.epochs_seen.get(user_id, 0), "the epoch only grows"
        self.epochs_seen[user_id] = head.epoch
        await self.crash.after()
        return head

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
        await self.crash.before()
        before = await self.last_seq(user_id)
        try:
            return await super().append(
                user_id, entries, epoch=epoch, after_seq=after_seq, receipt=receipt, now_ms=now_ms, audit=audit
            )
        finally:
            if await self.last_seq(user_id) > before:
                self.history.setdefault(user_id, []).extend(entries)
            await self.crash.after()

    async def receipt(self, user_id: str, key: str, now_ms: int) -> Receipt | None:
        await self.crash.before()
        return await super().receipt(user_id, key, now_ms)

    def read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]:
        return self._read(user_id, after_seq)

    async def _read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]:
        await self.crash.before()
        async for entry in super().read(user_id, after_seq):
            yield entry

    async def trim(self, user_id: str, to_seq: int) -> int:
        await self.crash.before()
        gone = await super().trim(user_id, to_seq)
        await self.crash.after()
        return gone

    def folded(self, user_id: str, to_seq: int | None = None) -> UserState:
        """A fresh fold of everything stored, or of what was stored up to a seq."""
        state = UserState(user_id, dimensions=DIMENSIONS, stand_in=PlainStatic().stand_in)
        for entry in self.history.get(user_id, [])[:to_seq]:
            fold(state, decode_events(entry.body))
        check_state(state)
        return state


class WatchedSnapshots(PlainSnapshots):
    """Snapshots between whose writes a process may die."""

    def __init__(self, crash: CrashPoint) -> None:
        super().__init__(lambda path, reason: None)
        self.crash = crash

    async def write(self, user_id: str, snapshot: Snapshot) -> None:
        await self.crash.before()
        await super().write(user_id, snapshot)
        await self.crash.after()

    async def drop_before(self, user_id: str, seq: int) -> int:
        await self.crash.before()
        dropped = await super().drop_before(user_id, seq)
        await self.crash.after()
        return dropped


@dataclass
class Ledger:
    """What callers were told."""

    acknowledged: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)  # (user, key) -> seq, memory id

    def acknowledge(self, user_id: str, key: str, seq: int, identity: str) -> None:
        told = self.acknowledged.setdefault((user_id, key), (seq, identity))
        assert told == (seq, identity), "the same key hears the same answer for ever"

    def check(self, journal: WatchedJournal) -> None:
        """Everything acknowledged is stored exactly once under its seq, and seqs have no gap."""
        for user_id, entries in journal.history.items():
            assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1)), "seqs have no gap"
            written = Counter(
                event.memory.memory_id
                for entry in entries
                for event in decode_events(entry.body)
                if isinstance(event, MemoryWritten)
            )
            assert not [one for one, count in written.items() if count > 1], "a memory is written once"
            for (owner, key), (seq, identity) in self.acknowledged.items():
                if owner == user_id and identity:
                    events = decode_events(entries[seq - 1].body)
                    ids = {getattr(event, "memory_id", "") for event in events}
                    ids |= {event.memory.memory_id for event in events if isinstance(event, MemoryWritten)}
                    assert identity in ids, f"what {key} was told is in entry {seq}"


def check_actor(actor: UserMemory, journal: WatchedJournal) -> None:
    """A live actor's state is the fold of the journal up to its seq; the owner's seq is the last one."""
    if not actor.lifecycle.active:
        return
    check_state(actor.state)
    folded = journal.folded(actor.user_id, actor.seq)
    assert actor.state.memories == folded.memories, "state equals the fold"
    assert actor.state.settings == folded.settings, "settings equal the fold"
    if journal.epochs_seen[actor.user_id] == actor.epoch:
        assert actor.seq == len(journal.history.get(actor.user_id, [])), "the owner is at the end of the journal"
