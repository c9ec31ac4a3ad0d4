"""Purging memories for good, and erasing a whole user.

A purge is an event like any other, so it is durable before anything is scrubbed: from then on no recovery can bring
the text back into sight. The scrub then writes verified snapshots without it and trims the journal to them. When the
scrub fails the reply still holds (the memory is unfindable) and the next sweep scrubs again, well before
`complete_by`.
"""

import hashlib
from collections.abc import Sequence

from actors.answers import readable
from actors.parts import HostParts
from actors.passivate import Scrubbed, scrub
from actors.replies import Reply
from actors.requests import Request, pack
from actors.user_memory import Note, UserMemory, receipt_note, written_reply
from engine.bound import bound_to
from engine.change import decide_purge
from engine.errors import RearviewError

COMPLETE_WITHIN_MS = 24 * 3_600_000


async def purge(actor: UserMemory, request: Request) -> Reply:
    """Drop one memory for good, and what holds its text beside it. Durable and unfindable when it returns."""
    async with actor.one_writer:
        actor.must_be_active()
        first = await actor.receipt_of(request)
        if first is None:
            now_ms = actor.parts.now_ms()
            memory_id = readable(actor, request.args).memory_id
            derived = bound_to(actor.state, memory_id)
            ids = [memory_id, *derived]
            vectors = sum(actor.state.vector_of(one) is not None for one in ids)
            decision = decide_purge(actor.state, ids, now_ms=now_ms)
            note = {
                "ids": ids,
                "memories": len(ids),
                "vectors": vectors,
                "at": now_ms,
                "derived": derived,
                "cache": actor.query_cache.clear(),
            }
            receipt = actor.new_receipt(request, note, entries_count=1, now_ms=now_ms)
            first = await actor.commit(decision.events, receipt)
            if first is None:
                return written_reply(actor, erased_reply(note, await scrub_if_possible(actor)), actor.seq)
        return written_reply(actor, erased_reply(receipt_note(first), None), first.seq)


async def scrub_if_possible(actor: UserMemory) -> Scrubbed | None:
    """Scrub now, or leave it to the next sweep (`must_scrub` stays true)."""
    try:
        return await scrub(actor)
    except (RearviewError, OSError):
        return None


def erased_reply(note: Note, scrubbed: Scrubbed | None) -> Reply:
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
        "aof_rewritten": False,
        "receipt": hashlib.sha256(pack([note["ids"], note["memories"], note["vectors"], at_ms])).hexdigest(),
        "complete_by": at_ms + COMPLETE_WITHIN_MS,
    }


async def erase(actor: UserMemory) -> Reply:
    """Drop the user's text, vectors, journal and snapshots. The actor stops; the next call meets a new user."""
    async with actor.one_writer:
        actor.must_be_active()
        vectors = sum(len(index) for index in actor.state.vectors.values())
        reply = await erase_stored(actor.user_id, actor.parts, ids=list(actor.state.memories), vectors=vectors)
        actor.lifecycle.to("erased")
        return written_reply(actor, reply, 0)


async def erase_stored(user_id: str, parts: HostParts, *, ids: Sequence[str], vectors: int) -> Reply:
    """Erase what is stored, also of a user whose bytes cannot be read any more.

    The journal goes first. If what follows fails, the leftover snapshots make the user unreadable and not half
    readable, and erasing again finishes the work.
    """
    now_ms = parts.now_ms()
    await parts.journal.open(user_id)  # From now on no owner of before can append to the journal that begins anew.
    entries = await parts.journal.erase(user_id)
    snapshots = await parts.snapshots.erase(user_id)
    await parts.schedule.set_due(user_id, None)
    note = {"ids": sorted(ids), "memories": len(ids), "vectors": vectors, "at": now_ms}
    return erased_reply(note, Scrubbed(entries, snapshots))
