"""A journal in plain Python, with the semantics of the real one and switches for its faults. Ships for users' tests.

Nothing here survives the process. Two owners that share one instance fence each other as they would through Redis.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from engine.errors import Conflict, Corrupt, Indeterminate, StaleEpoch, Unavailable
from persistence.values import NO_CHAIN, RECEIPT_LIFE_MS, AuditHead, Entry, Head, Receipt, Rewriting, check_entries


class Fault(Enum):
    """What the next append does instead of working."""

    REJECT = "refused: surely not written"
    UNSURE_UNWRITTEN = "the reply is lost, and nothing was written"
    UNSURE_WRITTEN = "the reply is lost, but everything was written"


@dataclass(slots=True)
class _Kept:
    """One user's journal."""

    epoch: int
    seq: int = 0
    chain: bytes = NO_CHAIN
    entries: list[Entry] = field(default_factory=list)
    receipts: dict[str, Receipt] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Append:
    """What one append was asked to do."""

    entries: Sequence[Entry]
    epoch: int
    after_seq: int
    receipt: Receipt | None
    now_ms: int
    audit: Entry | None


class PlainJournal:
    """In memory; see `actors.ports.Journal`. `fail_next` and `reachable` stand for a store in trouble."""

    def __init__(self, durability: str = "strict") -> None:
        self.durability = durability
        self.reachable = True
        self._users: dict[str, _Kept] = {}
        self._epochs: dict[str, int] = {}  # Outlives an erasure, so that an older owner stays fenced.
        self._audits: dict[str, list[Entry]] = {}
        self._audit_heads: dict[str, AuditHead] = {}
        self._before_last: dict[str, bytes] = {}
        self._faults: deque[Fault] = deque()

    def fail_next(self, *faults: Fault) -> None:
        """Queue faults for the next appends, one each."""
        self._faults.extend(faults)

    def entries(self, user_id: str) -> list[Entry]:
        """The list itself, for tests that damage it."""
        return self._users[user_id].entries

    async def open(self, user_id: str) -> Head:
        self._reach()
        self._epochs[user_id] = epoch = self._epochs.get(user_id, 0) + 1
        kept = self._users.setdefault(user_id, _Kept(epoch))
        kept.epoch = epoch
        return Head(epoch, kept.seq, kept.chain)

    async def look(self, user_id: str) -> Head | None:
        self._reach()
        kept = self._users.get(user_id)
        return None if kept is None else Head(kept.epoch, kept.seq, kept.chain)

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
        check_entries(entries, after_seq, receipt)
        self._reach()
        fault = self._faults.popleft() if self._faults else None
        if fault is Fault.REJECT:
            raise Unavailable.of("The journal refused the write.")
        if fault is Fault.UNSURE_UNWRITTEN:
            raise Indeterminate.of("The journal did not answer in time.")
        words = Append(entries, epoch, after_seq, receipt, now_ms, audit)
        done = self._append(user_id, words)
        if fault is Fault.UNSURE_WRITTEN:
            raise Indeterminate.of("The journal did not answer in time.")
        return done

    def _append(self, user_id: str, asked: "Append") -> Receipt | None:
        kept, receipt = self._users.get(user_id), asked.receipt
        if kept is None or kept.epoch != asked.epoch:
            raise StaleEpoch.of("Another owner has taken over this user.")
        if receipt is not None and (before := _live(kept, receipt.key, asked.now_ms)) is not None:
            if before.body_hash != receipt.body_hash:
                raise Conflict.of("This idempotency key was used for another request.")
            return before
        if kept.seq != asked.after_seq:
            raise Corrupt.of(f"The journal ends at {kept.seq}, its owner expected {asked.after_seq}.")
        if asked.audit is not None:
            self._note(user_id, asked.audit)
        kept.entries.extend(asked.entries)
        if asked.entries:
            kept.seq, kept.chain = asked.entries[-1].seq, asked.entries[-1].chain
        if receipt is not None:
            kept.receipts[receipt.key] = receipt
        return None

    async def receipt(self, user_id: str, key: str, now_ms: int) -> Receipt | None:
        self._reach()
        kept = self._users.get(user_id)
        return None if kept is None else _live(kept, key, now_ms)

    async def read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]:
        self._reach()
        kept = self._users.get(user_id)
        for entry in list(kept.entries) if kept is not None else []:
            if entry.seq > after_seq:
                yield entry

    async def last_seq(self, user_id: str) -> int:
        self._reach()
        kept = self._users.get(user_id)
        return 0 if kept is None else kept.seq

    async def trim(self, user_id: str, to_seq: int) -> int:
        self._reach()
        kept = self._users.get(user_id)
        if kept is None:
            return 0
        stay = [entry for entry in kept.entries if entry.seq > to_seq]
        gone = len(kept.entries) - len(stay)
        kept.entries = stay
        return gone

    async def erase(self, user_id: str) -> int:
        self._reach()
        kept = self._users.pop(user_id, None)
        return 0 if kept is None else len(kept.entries)

    async def audit_head(self, user_id: str) -> AuditHead:
        self._reach()
        return self._audit_heads.get(user_id, AuditHead())

    async def audit_add(self, user_id: str, entry: Entry, *, only: bool = False) -> None:
        self._reach()
        self._note(user_id, entry)
        if only:
            await self.audit_trim(user_id, Entry(entry.seq - 1, b"", self._before_last[user_id]))

    async def audit_page(self, user_id: str, first: int, count: int) -> list[Entry]:
        self._reach()
        return [entry for entry in self.audit_entries(user_id) if entry.seq >= first][:count]

    async def audit_trim(self, user_id: str, last: Entry) -> None:
        self._reach()
        head = self._audit_heads[user_id]
        self._audit_heads[user_id] = replace(head, anchor=last.seq, anchor_chain=last.chain)
        self._audits[user_id] = [entry for entry in self.audit_entries(user_id) if entry.seq > last.seq]

    def audit_entries(self, user_id: str) -> list[Entry]:
        """The list itself, for tests that damage it."""
        return self._audits.setdefault(user_id, [])

    def _note(self, user_id: str, entry: Entry) -> None:
        head = self._audit_heads.get(user_id, AuditHead())
        if entry.seq != head.number + 1:
            raise StaleEpoch.of("The audit trail of this user goes on from elsewhere.")
        self._before_last[user_id] = head.chain
        self.audit_entries(user_id).append(entry)
        self._audit_heads[user_id] = replace(head, number=entry.seq, chain=entry.chain)

    async def users(self) -> AsyncIterator[str]:
        """Every user the journal knows."""
        self._reach()
        for user_id in list(self._users):
            yield user_id

    async def check(self) -> str:
        self._reach()
        return self.durability

    def _reach(self) -> None:
        if not self.reachable:
            raise Unavailable.of("The journal cannot be reached.")


class PlainRewrites:
    """Rewrites of a file that is not there; see `actors.ports.Rewrites`. `rewritten` counts them."""

    def __init__(self) -> None:
        self.rewritten = 0
        self.happened = asyncio.Event()
        self.fail = False
        self._wanted = self._soon = self._done = 0

    async def want(self, *, soon: bool) -> int:
        self._wanted += 1
        if soon:
            self._soon = self._wanted
        return self._wanted

    async def progress(self) -> Rewriting:
        return Rewriting(self._wanted, self._soon, self._done)

    async def rewrite(self) -> Rewriting:
        if self.fail:
            raise Unavailable.of("The store could not rewrite its append-only file; is its disk full?")
        if self._done < self._wanted:
            self.rewritten += 1
            self.happened.set()
            self._done = self._wanted
        return await self.progress()


class PlainTokens:
    """Token records in memory; see `persistence.redis_tokens.RedisTokens`."""

    def __init__(self) -> None:
        self._records: dict[str, bytes] = {}
        self._use: dict[tuple[int, str], int] = {}

    async def count_use(self, day: int, used: Mapping[str, int]) -> dict[str, int]:
        for token_id, number in used.items():
            self._use[day, token_id] = self._use.get((day, token_id), 0) + number
        return {token_id: self._use[day, token_id] for token_id in used}

    async def put(self, digest_hex: str, record: bytes) -> None:
        self._records[digest_hex] = record

    async def get_all(self) -> dict[str, bytes]:
        return dict(self._records)

    async def delete(self, digest_hex: str) -> bool:
        return self._records.pop(digest_hex, None) is not None


class PlainSchedule:
    """Due times in memory; see `actors.ports.Schedule`."""

    def __init__(self) -> None:
        self._due_ms: dict[str, int] = {}

    async def set_due(self, user_id: str, due_ms: int | None) -> None:
        if due_ms is None:
            self._due_ms.pop(user_id, None)
        else:
            self._due_ms[user_id] = due_ms

    async def due(self, now_ms: int, limit: int) -> list[str]:
        ready = sorted((due_ms, user_id) for user_id, due_ms in self._due_ms.items() if due_ms <= now_ms)
        return [user_id for _, user_id in ready[:limit]]


class PlainSpaces:
    """The record of spaces in memory; see `actors.ports.SpaceStore`."""

    def __init__(self) -> None:
        self._record: bytes | None = None

    async def read(self) -> bytes | None:
        return self._record

    async def write(self, record: bytes) -> None:
        self._record = record


def _live(kept: _Kept, key: str, now_ms: int) -> Receipt | None:
    found = kept.receipts.get(key)
    return found if found is not None and found.at_ms > now_ms - RECEIPT_LIFE_MS else None
