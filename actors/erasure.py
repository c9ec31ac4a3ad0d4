"""Purging memories for good, and erasing a whole user.

A purge is an event like any other, so it is durable before anything is scrubbed: from then on no recovery can bring
the text back into sight. The scrub then writes verified snapshots without it and trims the journal to them. When the
scrub fails the reply still holds (the memory is unfindable) and the next sweep scrubs again, well before
`complete_by`. What the store's own append-only file still holds goes when it is rewritten (actors/rewriting.py): once
for all purges of a while, or at once for a caller who waits.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from actors.answers import readable
from actors.audit import note_erasure
from actors.parts import HostParts
from actors.passivate import Scrubbed, scrub
from actors.replies import Reply
from actors.requests import Request, pack
from actors.user_memory import Note, UserMemory, receipt_note, written_reply
from engine.bound import bound_to
from engine.change import decide_purge
from engine.errors import RearviewError

COMPLETE_WITHIN_MS = 3_600_000


async def purge(actor: UserMemory, request: Request) -> Reply:
    """Drop one memory for good, and what holds its text beside it. Durable and unfindable when it returns."""
    waits = request.args.get("wait") is True
    async with actor.one_writer:
        actor.must_be_active()
        first = await actor.receipt_of(request)
        scrubbed = None
        if first is None:
            note = _doomed(actor, request)
            decision = decide_purge(actor.state, cast("list[str]", note["ids"]), now_ms=cast(int, note["at"]))
            receipt = actor.new_receipt(request, note, entries_count=1, now_ms=cast(int, note["at"]))
            first = await actor.commit(decision.events, receipt)
            seq = actor.seq
            if first is None:
                scrubbed = await scrub_if_possible(actor)
        if first is not None:
            note, seq = receipt_note(first), first.seq
            if actor.must_scrub and waits:
                await scrub_if_possible(actor)
    # Other writes go on while the file is rewritten.
    gone = not actor.must_scrub and await gone_from_file(actor.parts, scrubbed, waits=waits)
    return written_reply(actor, erased_reply(note, scrubbed, file_rewritten=gone), seq)


def _doomed(actor: UserMemory, request: Request) -> Note:
    memory_id = readable(actor, request.args).memory_id
    derived = bound_to(actor.state, [memory_id])
    ids = [memory_id, *derived]
    return {
        "ids": ids,
        "memories": len(ids),
        "vectors": sum(actor.state.vector_of(one) is not None for one in ids),
        "at": actor.parts.now_ms(),
        "derived": derived,
        "cache": actor.drop_caches(),
    }


async def scrub_if_possible(actor: UserMemory) -> Scrubbed | None:
    """Scrub now, or leave it to the next sweep (`must_scrub` stays true)."""
    try:
        return await scrub(actor)
    except (RearviewError, OSError):
        return None


async def gone_from_file(parts: HostParts, scrubbed: Scrubbed | None, *, waits: bool) -> bool:
    """Whether the store's own file no longer holds what was dropped. `waits`: have it rewritten now, within limits.

    Without a drop of this very call (it was done before, under the same key) every drop so far must be gone.
    """
    try:
        if waits:
            async with asyncio.timeout(parts.limits.rewrite_wait_ms / 1000):
                await parts.rewrites.rewrite()
        now = await parts.rewrites.progress()
    except (RearviewError, OSError):  # The builtin TimeoutError is an OSError. A sweep rewrites it later.
        return False
    return now.done >= (now.wanted if scrubbed is None else scrubbed.drop)


def erased_reply(note: Note, scrubbed: Scrubbed | None, *, file_rewritten: bool) -> Reply:
    """What the caller gets for a purge or an erasure. The receipt is a hash of what went and when, and no content."""
    at_ms = note["at"]
    assert isinstance(at_ms, int)
    return {
        "erased": {
            "memories": note["memories"],
            "vectors": note["vectors"],
            "snapshots": 0 if scrubbed is None else scrubbed.snapshots,
            "journal_entries": 0 if scrubbed is None else scrubbed.journal_entries,
            "cache": note.get("cache", 0),
        },
        "derived": note.get("derived", []),
        "aof_rewritten": file_rewritten,
        "receipt": receipt_hash(note["ids"], note["memories"], note["vectors"], at_ms),
        "complete_by": at_ms + COMPLETE_WITHIN_MS,
    }


def receipt_hash(ids: object, memories: object, vectors: object, at_ms: int) -> str:
    """What proves later which erasure was meant: a hash of ids, counts and the time."""
    return hashlib.sha256(pack([ids, memories, vectors, at_ms])).hexdigest()


async def erase(actor: UserMemory, request: Request) -> Reply:
    """Drop the user's text, vectors, journal and snapshots. The actor stops; the next call meets a new user."""
    async with actor.one_writer:
        actor.must_be_active()
        held = Held(
            ids=sorted(actor.state.memories),
            vectors=sum(len(index) for index in actor.state.vectors.values()),
            cache=actor.drop_caches(),
        )
        note, scrubbed = await erase_stored(actor.user_id, actor.parts, held)
        actor.lifecycle.to("erased")
    return await erasure_reply(request, actor.parts, note, scrubbed)


async def erase_damaged(request: Request, parts: HostParts) -> Reply:
    """Erase a user whose stored bytes cannot be read any more."""
    note, scrubbed = await erase_stored(request.user_id, parts, Held())
    return await erasure_reply(request, parts, note, scrubbed)


@dataclass(frozen=True, slots=True)
class Held:
    """What an actor held when it was erased."""

    ids: Sequence[str] = ()
    vectors: int = 0
    cache: int = 0


async def erase_stored(user_id: str, parts: HostParts, held: Held) -> tuple[Note, Scrubbed]:
    """Erase what is stored.

    The journal goes first. If what follows fails, the leftover snapshots make the user unreadable and not half
    readable, and erasing again finishes the work.
    """
    now_ms = parts.now_ms()
    await parts.rewrites.want(soon=True)  # As in `scrub`: so that the wish outlives this process.
    await parts.journal.open(user_id)  # From now on no owner of before can append to the journal that begins anew.
    entries = await parts.journal.erase(user_id)
    snapshots = await parts.snapshots.erase(user_id)
    await parts.schedule.set_due(user_id, None)
    if parts.audit_entries_max:
        receipt = receipt_hash(held.ids, len(held.ids), held.vectors, now_ms)
        await note_erasure(parts.journal, user_id, now_ms, receipt=receipt, memories=len(held.ids))
    drop = await parts.rewrites.want(soon=True)
    note = {
        "ids": list(held.ids),
        "memories": len(held.ids),
        "vectors": held.vectors,
        "cache": held.cache,
        "at": now_ms,
    }
    return note, Scrubbed(entries, snapshots, drop)


async def erasure_reply(request: Request, parts: HostParts, note: Note, scrubbed: Scrubbed) -> Reply:
    """The reply of an erasure. `seq` is 0: the user begins anew."""
    gone = await gone_from_file(parts, scrubbed, waits=request.args.get("wait") is True)
    return {**erased_reply(note, scrubbed, file_rewritten=gone), "seq": 0, "durability": parts.durability}
