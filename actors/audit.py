"""The audit trail: what was done for a user, when, under which token, to which memories. Never what they say.

Every change of a user's journal brings one audit entry, appended with it in one step; an export, a refused attempt to
reach the user from outside and an erasure bring one by themselves. Each carries the SHA-256 of the one before it, so
that an entry that was edited, dropped or swapped is found and named. The trail outlives an erasure by one entry: that
it happened.
"""

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from actors.ports import AuditHead, Journal
from actors.replies import Reply
from actors.requests import pack, unpack
from engine.errors import Corrupt, StaleEpoch
from engine.events import (
    Event,
    MemoriesPurged,
    MemoriesUsed,
    MemoryArchived,
    MemoryBinned,
    MemoryConfirmed,
    MemoryEdited,
    MemoryMerged,
    MemoryPromoted,
    MemoryRestored,
    MemorySuperseded,
    MemorySuppressed,
    MemoryWritten,
    SettingsChanged,
    SuppressionAdded,
    SuppressionLifted,
    WorkingCleared,
)
from persistence.codec import entry_chain
from persistence.values import Entry, Snapshot

VERSION = 1
IDS_MAX = 50
"""Ids named in one entry for each kind of change; all are counted."""

KEPT_MIN = 1_000
"""Entries that are never dropped by rule. A trail that begins later has lost some."""

PAGE = 500
BY_ITSELF = "upkeep"
ERASE = "erase"

WORDS: Mapping[type, str] = {
    MemoryWritten: "written",
    MemoryMerged: "merged",
    MemorySuperseded: "superseded",
    MemoryEdited: "edited",
    MemoryBinned: "binned",
    MemoryRestored: "restored",
    MemoryConfirmed: "confirmed",
    MemoryArchived: "archived",
    MemorySuppressed: "suppressed",
    MemoryPromoted: "promoted",
    WorkingCleared: "cleared",
    MemoriesPurged: "purged",
    MemoriesUsed: "used",
    SuppressionAdded: "suppression_added",
    SuppressionLifted: "suppression_lifted",
    SettingsChanged: "settings_changed",
}


@dataclass(frozen=True, slots=True)
class Acting:
    """For whom a host works now: the operation, and the id of the token that asked for it."""

    op: str = BY_ITSELF
    by: str = ""


ACTING: ContextVar[Acting] = ContextVar("acting", default=Acting())  # noqa: B039 - frozen


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a trail is whole; `broken_at` is the number of the first entry that is not as it was written."""

    entries: int
    head: bytes
    broken_at: int | None = None
    reason: str = ""


def changes_of(events: Iterable[Event]) -> list[list[object]]:
    """Per kind of change: its word, how many, and the first ids."""
    ids: dict[str, list[str]] = {}
    for event in events:
        ids.setdefault(WORDS[type(event)], []).extend(_ids(event))
    return [[word, len(found), found[:IDS_MAX]] for word, found in ids.items()]


def next_entry(head: AuditHead, at_ms: int, *, seq: int = 0, **more: object) -> Entry:
    """The entry after the head, for whoever acts now. `more`: ids, numbers and words of ours only."""
    acting = ACTING.get()
    body = pack({"v": VERSION, "at": at_ms, "op": acting.op, "by": acting.by, "seq": seq, **more})
    number = head.number + 1
    return Entry(number, body, entry_chain(head.chain, number, body))


def moved(head: AuditHead, entry: Entry) -> AuditHead:
    """The head after an entry was added."""
    return AuditHead(entry.seq, entry.chain, head.anchor, head.anchor_chain)


async def note_erasure(journal: Journal, user_id: str, at_ms: int, *, receipt: str, memories: int) -> None:
    """Leave one entry of a user: that everything else is gone. Raises: Unavailable, Indeterminate, Corrupt."""
    for last_try in (False, True):
        head = await journal.audit_head(user_id)
        entry = next_entry(head, at_ms, changes=[["erased", memories, []]], receipt=receipt)
        try:
            return await journal.audit_add(user_id, entry, only=True)
        except StaleEpoch:  # A new owner noted something in between.
            if last_try:
                raise


async def audit_page(journal: Journal, user_id: str, *, before: int, limit: int) -> tuple[list[Reply], int, int]:
    """Entries with a smaller number than `before` (0 = all), newest first; the next `before` (0 = end); how many.

    Raises: Unavailable, Corrupt.
    """
    head = await journal.audit_head(user_id)
    last = head.number if not before else min(head.number, before - 1)
    first = max(head.anchor + 1, last - limit + 1)
    entries = await journal.audit_page(user_id, first, max(0, last - first + 1)) if last >= first else []
    shown = [entry_view(entry) for entry in reversed(entries) if entry.seq <= last]
    return shown, first if first > head.anchor + 1 else 0, head.number - head.anchor


def entry_view(entry: Entry) -> Reply:
    """One entry as a caller sees it. Raises: Corrupt."""
    try:
        plain = cast("Mapping[str, object]", unpack(entry.body))
        changes = cast("list[tuple[str, int, list[str]]]", plain.get("changes", []))
        shown: Reply = {
            "number": entry.seq,
            "at": plain["at"],
            "action": plain["op"],
            "by": plain["by"],
            "seq": plain["seq"],
            "changes": [{"what": what, "count": count, "memory_ids": list(ids)} for what, count, ids in changes],
            "hash": entry.chain.hex(),
        }
        more = {name: plain[name] for name in ("receipt", "times", "asked") if name in plain}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Corrupt.of(f"Audit entry {entry.seq} cannot be read.") from error
    return {**shown, **more}


def audit_anchors(snapshots: Iterable[Snapshot]) -> dict[int, bytes]:
    """What snapshots know of a trail: the chain hash of the entry that was the last when they were taken."""
    return {one.audit_number: one.audit_chain for one in snapshots if one.audit_number}


async def verify(journal: Journal, user_id: str, anchors: Mapping[int, bytes] = MappingProxyType({})) -> Verified:
    """Read the whole trail against its chain, as it stood when this began. Raises: Unavailable.

    `anchors`: chain hashes of entries as they are known from elsewhere, by number. They show a trail made anew.
    """
    while True:
        head = await journal.audit_head(user_id)
        found = await _read_through(journal, user_id, head, anchors)
        # Its oldest entries may be dropped by rule meanwhile; then what was seen says nothing.
        if found.broken_at is None or (await journal.audit_head(user_id)).anchor == head.anchor:
            return found


async def _read_through(journal: Journal, user_id: str, head: AuditHead, anchors: Mapping[int, bytes]) -> Verified:
    number, chain, first_op = head.anchor, head.anchor_chain, ""

    def broken(at: int, reason: str) -> Verified:
        return Verified(number - head.anchor, head.chain, at, reason)

    while number < head.number:
        page = await _readable(journal, user_id, number + 1)
        if page is None:
            return broken(number + 1, f"Entry {number + 1} is in no form of ours.")
        for entry in page[: head.number - number]:
            if entry.seq != number + 1:
                return broken(number + 1, f"Entry {number + 1} is missing.")
            if entry_chain(chain, entry.seq, entry.body) != entry.chain:
                sentence = f"Entry {entry.seq} is not as it was written, or does not follow entry {number}."
                return broken(entry.seq, sentence)
            if anchors.get(entry.seq, entry.chain) != entry.chain:
                return broken(entry.seq, f"Entry {entry.seq} is not the one that is known from elsewhere.")
            first_op = first_op or _op(entry)
            number, chain = entry.seq, entry.chain
        if not page:
            return broken(number + 1, f"Entry {number + 1} and what followed it are missing.")
    if max(anchors, default=0) > number:
        return broken(
            number + 1, f"Entry {number + 1} and what followed it are missing; they are known from elsewhere."
        )
    return await _ended(journal, user_id, broken, Reached(head, number, chain, first_op)) or Verified(
        number - head.anchor, head.chain
    )


async def _readable(journal: Journal, user_id: str, first: int) -> list[Entry] | None:
    """A page from here on; one entry where the page holds one of another form, and None where that is the first."""
    for count in (PAGE, 1):
        try:
            return await journal.audit_page(user_id, first, count)
        except Corrupt:
            continue
    return None


@dataclass(frozen=True, slots=True)
class Reached:
    """Where reading ended."""

    head: AuditHead
    number: int
    chain: bytes
    first_op: str


async def _ended(
    journal: Journal, user_id: str, broken: Callable[[int, str], Verified], at: Reached
) -> Verified | None:
    """What only the end tells: another head, a beginning that no rule dropped, entries that nobody noted."""
    head, number = at.head, at.number
    if at.chain != head.chain:
        return broken(number, f"Entry {number} is not the one that the trail's head names.")
    if head.anchor and number - head.anchor < KEPT_MIN and at.first_op != ERASE:
        return broken(head.anchor, f"Entries up to {head.anchor} were dropped, which no rule does.")
    beyond = await journal.audit_page(user_id, number + 1, 1)
    if beyond and beyond[0].seq > (await journal.audit_head(user_id)).number:
        return broken(beyond[0].seq, f"Entry {beyond[0].seq} is unknown to the trail's head.")
    return None


def _op(entry: Entry) -> str:
    try:
        return str(cast("Mapping[str, object]", unpack(entry.body)).get("op"))
    except (ValueError, AttributeError):
        return ""


def _ids(event: Event) -> list[str]:
    match event:
        case MemoryWritten(memory) | MemoryPromoted(memory):
            return [memory.memory_id]
        case MemoriesPurged(memory_ids) | WorkingCleared(memory_ids) | MemoriesUsed(memory_ids):
            return list(memory_ids)
        case SuppressionAdded(suppression):
            return [suppression.suppression_id]
        case SuppressionLifted(suppression_id):
            return [suppression_id]
        case SettingsChanged():
            return []
        case _:
            return [event.memory_id]
