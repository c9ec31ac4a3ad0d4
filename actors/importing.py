"""Import: many records, few journal entries.

Records are decided one after another against the state as it stands before their entry. A record whose id already
came in the same entry must see that one applied, so the entry is closed first. What is refused is named by its line
and code and never stops the rest.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

from actors.importing_talks import decide_talk
from actors.replies import Reply
from actors.requests import Request
from actors.user_memory import UserMemory, receipt_note, written_reply
from actors.zones import zone_of
from engine.errors import InvalidMemory, Rejected
from engine.events import Event, MemoryWritten
from engine.importing import decide_import, decide_import_suppression

CONVERSATIONS = "conversations"
FORMATS = ("", "mem0", CONVERSATIONS)
DECIDED_AT_ONCE = 32
_MEM0_NAMES = {"memory": "content", "created_at": "said_at", "id": "id"}


async def import_many(actor: UserMemory, request: Request) -> Reply:
    """Take records as they are. Durable: everything counted under `imported` when it returns."""
    records = cast("Sequence[Mapping[str, object]]", request.args.get("records") or [])
    form = str(request.args.get("format") or "")
    if form not in FORMATS:
        raise InvalidMemory.of("format is mem0, conversations or left out", field="format")
    async with actor.one_writer:
        actor.must_be_active()
        first = await actor.receipt_of(request)
        if first is not None:
            return written_reply(actor, dict(receipt_note(first)), first.seq)
        batch = _Batch(actor, request)
        for count, record in enumerate(records, start=1):
            if form == CONVERSATIONS:
                await batch.take_talk(record)
            else:
                await batch.take(record if form == "" else from_mem0(record))
            if count % DECIDED_AT_ONCE == 0:
                await asyncio.sleep(0)  # Other users' calls go on while a large file is read.
        return await batch.finish()


class _Batch:
    """Decided records that wait to be appended as one entry."""

    def __init__(self, actor: UserMemory, request: Request) -> None:
        self._actor = actor
        self._request = request
        self._events: list[Event] = []
        self._ids: set[str] = set()
        self._trusted = bool(request.args.get("trusted", True))
        self._imported = 0
        self._refused: list[dict[str, object]] = []

    async def take(self, record: Mapping[str, object]) -> None:
        if record.get("kind") == "suppression":
            return await self._take_suppression(record)
        given_id = str(record.get("id") or "")
        if given_id in self._ids or len(self._events) >= self._actor.parts.limits.import_records_max:
            await self._append()
        parts = self._actor.parts
        memory_id = given_id or parts.new_id()
        zone = zone_of("", self._actor.state.settings.time_zone, None, parts.policy.time_zone)
        try:
            decision = decide_import(
                self._actor.state,
                dict(record),
                memory_id=memory_id,
                now_ms=parts.now_ms(),
                zone=zone,
                policy=parts.policy,
                trusted=self._trusted,
            )
        except Rejected as error:
            self._refused.append({"line": record.get("line", 0), "code": error.code})
            return
        if not decision.events:
            self._refused.append({"line": record.get("line", 0), "code": decision.rule})
            return
        self._events.extend(decision.events)
        self._ids.add(memory_id)
        self._imported += 1

    async def take_talk(self, record: Mapping[str, object]) -> None:
        """One conversation, or one message of one; what it states counts as imported."""
        await self._append()
        try:
            entries = await decide_talk(self._actor, record, client=self._request.client, trusted=self._trusted)
        except Rejected as error:
            self._refused.append({"line": record.get("line", 0), "code": error.code})
            return
        for events in entries:
            await self._actor.commit(events)
            self._imported += sum(isinstance(event, MemoryWritten) for event in events)

    async def _take_suppression(self, record: Mapping[str, object]) -> None:
        """One topic, in an entry of its own: what comes after it is decided in its light."""
        parts = self._actor.parts
        zone = zone_of("", self._actor.state.settings.time_zone, None, parts.policy.time_zone)
        await self._append()
        try:
            event = decide_import_suppression(
                self._actor.state, dict(record), now_ms=parts.now_ms(), zone=zone, policy=parts.policy
            )
        except Rejected as error:
            self._refused.append({"line": record.get("line", 0), "code": error.code})
            return
        await self._actor.commit(() if event is None else (event,))
        self._imported += 1

    async def _append(self) -> None:
        await self._actor.commit(self._events)
        self._events, self._ids = [], set()

    async def finish(self) -> Reply:
        note = {"imported": self._imported, "refused": self._refused}
        actor, entries_count = self._actor, 1 if self._events else 0
        now_ms = actor.parts.now_ms()
        receipt = actor.new_receipt(self._request, note, entries_count=entries_count, now_ms=now_ms)
        await actor.commit(self._events, receipt)
        return written_reply(actor, dict(note), actor.seq)


def from_mem0(record: Mapping[str, object]) -> dict[str, object]:
    """A line of a mem0 export in our words. What has no counterpart here stays in the metadata."""
    plain: dict[str, object] = {"line": record.get("line", 0), "source": "import"}
    plain |= {ours: record[theirs] for theirs, ours in _MEM0_NAMES.items() if record.get(theirs)}
    metadata = record.get("metadata")
    if isinstance(metadata, Mapping):
        plain["metadata"] = dict(metadata)
    categories = record.get("categories")
    if isinstance(categories, list):
        plain["tags"] = [str(one) for one in categories][:32]
    return plain
