"""From a live actor to storage: snapshots, what they allow to be trimmed, and the way out.

A snapshot is state plus the model's vectors as of one seq. It is taken between two entries and written beside the
calls. The journal is trimmed only up to the oldest snapshot that was read back and verified.
"""

import asyncio
from dataclasses import asdict, dataclass

import numpy as np

from actors.user_memory import UserMemory
from engine.memory import Float32Array, Memory
from engine.state import UserState
from persistence.codec import encode_state, encode_words
from persistence.values import Snapshot

ROWS_AT_ONCE = 512
SCRUB_COPIES = 2  # So that the loss of one file does not lose the user, whose journal is about to be trimmed.


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What a scrub removed."""

    journal_entries: int
    snapshots: int
    drop: int  # The number that a rewrite of the store's file must reach, so that its bytes are gone there too.


async def take_snapshot(actor: UserMemory) -> Snapshot:
    """The state as of now, encoded and sealed beside the calls.

    Memories are frozen values, so the list taken here stays what it was while the actor goes on. A vector is
    looked up later; it counts only while its memory still has the same text.
    """
    state, space = actor.state, actor.parts.space
    memories = list(state.memories.values())
    index, slots = state.lexical.copied(), [state.slots[memory.memory_id] for memory in memories]
    settings, suppressions = asdict(state.settings), list(state.suppressions.values())
    trace = list(state.trace)
    seq, chain, epoch, audit = actor.seq, actor.chain, actor.epoch, actor.audit
    ids, rows = await _model_vectors(state, memories, space.dimensions)
    encoded = await asyncio.to_thread(encode_state, memories, settings, suppressions, trace)
    words = await asyncio.to_thread(lambda: encode_words(index.packed(slots)))
    snapshot = Snapshot(
        user_id=actor.user_id,
        epoch=epoch,
        seq=seq,
        chain=chain,
        space_id=space.space_id,
        state=encoded,
        vectors=rows.tobytes(),
        vector_rows=tuple(ids),
        words=words,
        audit_number=audit.number,
        audit_chain=audit.chain if audit.number else b"",
    )
    return await asyncio.to_thread(actor.sealer.seal_snapshot, snapshot)


async def _model_vectors(state: UserState, memories: list[Memory], dimensions: int) -> tuple[list[str], Float32Array]:
    ids: list[str] = []
    parts = [np.empty((0, dimensions), np.float32)]
    for start in range(0, len(memories), ROWS_AT_ONCE):
        found, rows = _vectors_now(state, memories[start : start + ROWS_AT_ONCE])
        ids += found
        parts += rows
        await asyncio.sleep(0)
    return ids, np.concatenate(parts)


def _vectors_now(state: UserState, memories: list[Memory]) -> tuple[list[str], list[Float32Array]]:
    """The model's vectors of those memories whose text is still the same, shelf by shelf."""
    held: dict[str, list[str]] = {}
    for memory in memories:
        now, shelf = state.memories.get(memory.memory_id), state.shelf(memory.memory_id)
        same = now is not None and now.content == memory.content
        if same and shelf is not None and memory.memory_id not in state.unembedded:
            held.setdefault(shelf, []).append(memory.memory_id)
    rows = [state.vectors[shelf].vectors_of(np.array([state.slots[one] for one in ids])) for shelf, ids in held.items()]
    return [one for ids in held.values() for one in ids], rows


def has_news(actor: UserMemory) -> bool:
    """Whether the last snapshot lacks something that this actor holds."""
    return actor.seq > actor.snapshot_seq or actor.vectors_placed > 0


async def write_snapshot(actor: UserMemory, *, for_trace: bool = False, always: bool = False) -> bool:
    """Write a verified snapshot if there is news, then trim the journal. Returns whether one was written.

    New steps of the trace are news only `for_trace`: a user who only asks needs no snapshot after every question.
    Raises: Unavailable, Corrupt or OSError when storage fails; nothing is trimmed then.
    """
    async with actor.one_snapshot:
        return await _write_snapshot(actor, for_trace=for_trace, always=always)


async def _write_snapshot(actor: UserMemory, *, for_trace: bool, always: bool) -> bool:
    if not always and not has_news(actor) and not (for_trace and actor.state.trace.unsaved):
        return False
    placed, steps = actor.vectors_placed, actor.state.trace.unsaved
    snapshot = await take_snapshot(actor)
    await actor.parts.snapshots.write(actor.user_id, snapshot)
    actor.snapshot_seq = max(actor.snapshot_seq, snapshot.seq)
    actor.snapshot_at_ms = actor.parts.now_ms()
    actor.vectors_placed -= placed
    actor.state.trace.unsaved -= steps
    await _trim(actor)
    return True


async def scrub(actor: UserMemory) -> Scrubbed:
    """Let no purged text survive: only new snapshots, and a journal that begins after them.

    Raises: as `write_snapshot`; `must_scrub` stays true then and the next sweep tries again.
    """
    # Nothing may be appended meanwhile: the journal is trimmed whole, because a stream that keeps an entry may keep
    # the bytes of trimmed ones beside it, and a rewritten file would hold them too.
    assert actor.one_writer.locked(), "one change at a time"
    placed, actor.must_scrub = actor.vectors_placed, False
    soon, done = actor.scrub_soon, False
    try:
        # Asked for twice: after the trim, because only a rewrite that begins then leaves the entries out; and before
        # it, because nothing would remember the wish if this process died in between.
        await actor.parts.rewrites.want(soon=soon)
        async with actor.one_snapshot:
            snapshot = await take_snapshot(actor)
            for _ in range(SCRUB_COPIES):
                await actor.parts.snapshots.write(actor.user_id, snapshot)
        dropped = await actor.parts.snapshots.drop_before(actor.user_id, snapshot.seq)
        trimmed = await actor.parts.journal.trim(actor.user_id, snapshot.seq)
        drop = await actor.parts.rewrites.want(soon=soon)
        actor.scrub_soon, done = False, True
    finally:
        actor.must_scrub = actor.must_scrub or not done
    actor.snapshot_seq, actor.snapshot_at_ms = snapshot.seq, actor.parts.now_ms()
    actor.vectors_placed -= placed
    return Scrubbed(trimmed, dropped, drop)


async def _trim(actor: UserMemory) -> None:
    oldest = await actor.parts.snapshots.oldest_seq(actor.user_id)
    if oldest is not None:
        await actor.parts.journal.trim(actor.user_id, oldest)


async def passivate(actor: UserMemory, reason: str) -> None:
    """Write what the last snapshot lacks and stop. The caller has taken the actor out of its table.

    A snapshot that fails does not keep the actor: the journal has everything but the vectors, which are made again.
    Raises: what failed, after the actor has stopped.
    """
    async with actor.one_writer:
        if not actor.lifecycle.active:
            return
        actor.lifecycle.to(reason)
        outcome = "snapshot_failed"
        try:
            if actor.must_scrub:
                await scrub(actor)
            else:
                # Whoever makes room must leave quickly; the trace of a user who only asked is worth no file then.
                await write_snapshot(actor, for_trace=reason != "room_needed")
            outcome = "snapshot_written"
        finally:
            actor.lifecycle.to(outcome)
