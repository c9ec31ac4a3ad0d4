"""The actor of one user: one mailbox, one writer, one epoch.

Every change goes `decide -> append -> apply -> reply` under one lock: two changes that decided on the same state
would both be right about a state that no longer exists. Durable before visible: when `append` raises, the state
still equals the journal. Visible before answered: the reply is read from the changed state.

When it is no longer sure that state and journal are equal (another owner, an append of unknown outcome) the actor
stops for good, without a snapshot; the next call hydrates a new one. Reads take no lock: `apply` never awaits, so
a read always sees the state between two entries.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import cast

from actors.audit import changes_of, moved, next_entry
from actors.lifecycle import Lifecycle, Phase
from actors.move import Move
from actors.parts import HostParts
from actors.ports import AuditHead, Sealer
from actors.query_cache import QueryCache
from actors.replies import Reply
from actors.requests import Request, pack, unpack
from engine.errors import Conflict, Corrupt, Indeterminate, StaleEpoch, Unavailable
from engine.events import EXPIRED, Event, MemoriesPurged
from engine.forget import due_at_ms
from engine.state import SHELVES, UserState, apply
from persistence.codec import encode_events, entry_chain
from persistence.values import Entry, Head, Receipt

Note = Mapping[str, object]
Later = Callable[[Coroutine[object, object, None]], None]


class UserMemory:
    """State of one user and the right to change it. Built by `actors.hydrate`, held by a host."""

    def __init__(
        self,
        user_id: str,
        state: UserState,
        head: Head,
        *,
        parts: HostParts,
        sealer: Sealer,
        audit: AuditHead,
        lifecycle: Lifecycle,
        later: Later,
    ) -> None:
        self.user_id = user_id
        self.state = state
        self.epoch = head.epoch
        self.seq = head.seq
        self.chain = head.chain
        self.parts = parts
        self.sealer = sealer
        self.audit = audit
        self.audit_anchors: Mapping[int, bytes] = {}  # What the snapshot that this state came from knows of the trail.
        self.lifecycle = lifecycle
        self.later = later  # Runs a coroutine beside the calls, and notes its failure.
        self.stale = False  # The journal did not answer when it was last asked.
        self.calls = 0  # Under way now; an actor with calls is not passivated.
        self.last_call_ms = parts.monotonic_ms()
        self.snapshot_seq = 0
        self.consolidated_seq = -1
        self.compacted_quarter_ms: int | None = None
        self.snapshot_at_ms: int | None = None
        self.vectors_placed = 0  # Since the last snapshot, which would lose them.
        self.must_scrub = False  # Purged text may still be in older snapshots and entries.
        self.scrub_soon = False  # Somebody asked for that purge.
        self.purged_shelves: set[str] = set()  # Their graphs may still hold purged vectors.
        self.due_ms: int | None = None  # What the schedule knows, once it was told.
        self.due_told = False
        self.due_changed = True
        self.query_cache = QueryCache(parts.monotonic_ms)
        self.judged = 0  # Opinions got, failed and waited for since this actor is here.
        self.judge_failures = 0
        self.judge_waiting = 0
        self.one_writer = asyncio.Lock()
        self.one_snapshot = asyncio.Lock()  # So that one of an old space is never the newest.
        self.move: Move | None = None  # Vectors gathered for another space (`actors.reembed`).
        self._owner_checked_ms = parts.monotonic_ms()

    def must_be_active(self) -> None:
        """Raises: Corrupt when quarantined; StaleEpoch when stopped, so that the caller finds the new owner."""
        phase = self.lifecycle.phase
        if phase is Phase.QUARANTINED:
            raise Corrupt.of("this user's stored memory failed a check; nothing is written until it is repaired")
        if phase is not Phase.ACTIVE:
            raise StaleEpoch.of("this owner has stopped")

    async def commit(self, events: Sequence[Event], receipt: Receipt | None = None) -> Receipt | None:
        """Make events durable as one entry, then visible. The caller holds `one_writer`.

        Durable: all events when it returns None; maybe all, maybe none when it raises Indeterminate.
        Returns: None, or the first receipt when this key was done before (then nothing happened now).
        Raises:  what `Journal.append` raises; the state is unchanged then.
        """
        assert self.one_writer.locked(), "one change at a time from decide to apply"
        if not events and receipt is None:
            return None
        entries: tuple[Entry, ...] = ()
        if events:
            seq = self.seq + 1
            body = self.sealer.seal_entry(seq, encode_events(events))
            entries = (Entry(seq, body, entry_chain(self.chain, seq, body)),)
        audit = self._audit_of(events)
        first = await self._append(entries, receipt, audit)
        if first is None and entries:
            self._make_visible(events, entries[0])
        if first is None and audit is not None:
            self._audited(audit)
        return first

    def _audit_of(self, events: Sequence[Event]) -> Entry | None:
        if not events or not self.parts.audit_entries_max:
            return None
        return next_entry(self.audit, self.parts.now_ms(), seq=self.seq + 1, changes=changes_of(events))

    def _audited(self, entry: Entry) -> None:
        self.audit = moved(self.audit, entry)
        most = self.parts.audit_entries_max
        if self.audit.number - self.audit.anchor > most + most // 10:
            self.later(self._shorten_audit())

    async def _shorten_audit(self) -> None:
        """Drop the oldest entries of the trail, so that it stays within its limit."""
        head, most = self.audit, self.parts.audit_entries_max
        if head.number - head.anchor <= most:
            return
        for last in await self.parts.journal.audit_page(self.user_id, head.number - most, 1):
            self.audit = replace(self.audit, anchor=last.seq, anchor_chain=last.chain)
            await self.parts.journal.audit_trim(self.user_id, last)

    async def note(self, **what: object) -> None:
        """Add an audit entry about what changed nothing: an export, a refused attempt. Ids, numbers, words of ours.

        Raises: StaleEpoch, Unavailable, Indeterminate, Corrupt.
        """
        if not self.parts.audit_entries_max:
            return
        async with self.one_writer:
            entry = next_entry(self.audit, self.parts.now_ms(), seq=self.seq, **what)
            try:
                await self.parts.journal.audit_add(self.user_id, entry)
            except (StaleEpoch, Indeterminate):
                self.audit = await self.parts.journal.audit_head(self.user_id)
                raise
            self._audited(entry)

    async def _append(self, entries: tuple[Entry, ...], receipt: Receipt | None, audit: Entry | None) -> Receipt | None:
        try:
            first = await self.parts.journal.append(
                self.user_id,
                entries,
                epoch=self.epoch,
                after_seq=self.seq,
                receipt=receipt,
                now_ms=self.parts.now_ms(),
                audit=audit,
            )
        except Unavailable:
            self.stale = True
            raise
        except StaleEpoch:
            self.lifecycle.to("fenced")
            raise
        except (Indeterminate, asyncio.CancelledError):
            self.lifecycle.to("append_unsure")
            raise
        except Corrupt:
            self.lifecycle.to("bytes_damaged")
            raise
        self._journal_answered()
        return first

    def _make_visible(self, events: Sequence[Event], entry: Entry) -> None:
        done = False
        try:
            for event in events:
                apply(self.state, event)
            done = True
        finally:
            if not done:  # A bug. Half an entry was applied, so this state must never answer again.
                self.lifecycle.to("apply_failed")
        self.seq, self.chain = entry.seq, entry.chain
        self.note_purges(events)
        self._note_due(events)

    def drop_caches(self) -> int:
        """Forget what was kept of texts and queries only to be faster; returns how many went."""
        return self.query_cache.clear() + self.state.readings.clear()

    def note_purges(self, events: Sequence[Event]) -> None:
        """Remember that what these dropped is still in graphs, snapshots and entries."""
        purges = [event for event in events if isinstance(event, MemoriesPurged)]
        if purges:
            self.must_scrub = True
            self.scrub_soon = self.scrub_soon or any(purge.reason != EXPIRED for purge in purges)
            self.purged_shelves.update(SHELVES)

    def _note_due(self, events: Sequence[Event]) -> None:
        """Tell the schedule when something falls due earlier than it knows; later is found out by the next look."""
        self.due_changed = True
        touched = (self.state.memories.get(_memory_id(event)) for event in events)
        deadlines = [at for memory in touched if memory is not None and (at := due_at_ms(memory)) is not None]
        earliest = min(deadlines, default=None)
        if earliest is not None and (self.due_ms is None or earliest < self.due_ms):
            self.due_ms, self.due_told = earliest, True
            self.later(self.parts.schedule.set_due(self.user_id, earliest))

    async def receipt_of(self, request: Request) -> Receipt | None:
        """What the request's key did before. Raises: Conflict when the key belongs to another body."""
        if not request.key:
            return None
        now_ms = self.parts.now_ms()
        first = await self.parts.journal.receipt(self.user_id, request.key, now_ms)
        if first is not None and first.body_hash != request.body_hash():
            raise Conflict.of("this idempotency key was used for another request", code="idempotency_conflict")
        return first

    def new_receipt(self, request: Request, note: Note, *, entries_count: int, now_ms: int) -> Receipt | None:
        """What the request's key will remember; None for a request without a key. `note` never holds text."""
        if not request.key:
            return None
        return Receipt(request.key, request.body_hash(), self.seq + entries_count, pack(note), now_ms)

    async def at_least(self, min_seq: int) -> None:
        """See that this state is as new as the caller has already seen.

        Raises: StaleEpoch when another owner is ahead (this one stops), Unavailable when nobody is.
        """
        if min_seq <= self.seq:
            return
        await self._check_owner()
        if min_seq > self.seq:
            raise Unavailable.of("this user's memory has not reached that seq", code="behind")

    def check_owner_soon(self) -> None:
        """Look whether somebody else writes for this user, at most once in a while and beside the call."""
        now_ms = self.parts.monotonic_ms()
        if now_ms - self._owner_checked_ms >= self.parts.limits.owner_check_ms:
            self._owner_checked_ms = now_ms
            self.later(self._check_owner_quietly())

    async def _check_owner_quietly(self) -> None:
        try:
            await self._check_owner()
        except (StaleEpoch, Unavailable):
            return  # Both are noted: the actor stopped, or it is stale.

    async def _check_owner(self) -> None:
        try:
            async with self.one_writer:  # An append of our own under way would look like somebody else's.
                last_seq = await self.parts.journal.last_seq(self.user_id)
                if last_seq == self.seq or not self.lifecycle.active:
                    self._journal_answered()
                    return
                self.lifecycle.to("fenced")
        except Unavailable:
            self.stale = True
            raise
        raise StaleEpoch.of("another owner has written for this user")

    def _journal_answered(self) -> None:
        self.stale = False
        self._owner_checked_ms = self.parts.monotonic_ms()


def receipt_note(receipt: Receipt) -> Note:
    """What a receipt remembers."""
    return cast(Note, unpack(receipt.outcome))


def written_reply(actor: UserMemory, reply: Reply, seq: int) -> Reply:
    """A reply to a change: with the seq that made it durable."""
    return {**reply, "seq": seq, "durability": actor.parts.durability}


def _memory_id(event: Event) -> str:
    memory = getattr(event, "memory", None)
    found = memory.memory_id if memory is not None else getattr(event, "memory_id", "")
    return cast(str, found)
