"""From storage to a live actor: take the epoch, read back, fold, go.

Taking the epoch comes first. From then on no older owner can append, so what is read afterwards is the end.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from actors.audit import audit_anchors
from actors.lifecycle import Lifecycle
from actors.parts import HostParts
from actors.ports import Sealer
from actors.user_memory import Later, UserMemory
from engine.errors import Corrupt, Indeterminate, Unavailable
from engine.events import MemoriesPurged, SettingsChanged, SuppressionAdded
from engine.lexical import LexicalIndex
from engine.memory import Float32Array
from engine.state import UserState, apply, restore_all
from persistence.codec import decode_events, decode_state, decode_words
from persistence.values import Recovered, Snapshot

# After this many memories the loop gets a turn, so that other users' calls wait a few milliseconds at most.
FOLDED_AT_ONCE = 64
INLINE_BYTES = 64 * 1024  # About 200 memories, 5 ms.


PartsOf = Callable[[str], Awaitable[HostParts]]


async def hydrate(user_id: str, parts: HostParts, later: Later, parts_of: PartsOf | None = None) -> UserMemory:
    """Rebuild a user's state and own it.

    `parts` are those of a user without a snapshot; `parts_of` gives those of the space that a snapshot names.
    Raises: Corrupt when stored bytes fail a check (never an empty user instead), Unavailable, Indeterminate.
    """
    lifecycle = Lifecycle()
    try:
        head = await parts.journal.open(user_id)
        lifecycle.to("epoch_taken")
        sealer, audit = await asyncio.gather(parts.keys.of(user_id), parts.journal.audit_head(user_id))
        recovered = await parts.recovery(user_id, head)
        if recovered.snapshot is not None and parts_of is not None:
            parts = await parts_of(recovered.snapshot.space_id)
        state, purges = await rebuilt(user_id, recovered, parts, sealer)
    except (Unavailable, Indeterminate, OSError) as error:
        lifecycle.to("storage_failed")
        if isinstance(error, Unavailable):
            raise
        # Opening changes nothing but the epoch, so whatever became of it, sending again is safe.
        raise Unavailable.of("this user's memory cannot be read at the moment") from None
    except Corrupt:
        lifecycle.to("bytes_damaged")
        raise
    actor = UserMemory(user_id, state, head, parts=parts, sealer=sealer, audit=audit, lifecycle=lifecycle, later=later)
    if recovered.snapshot is not None:
        actor.snapshot_seq = recovered.snapshot.seq
        actor.audit_anchors = audit_anchors([recovered.snapshot])
    actor.note_purges(purges)
    lifecycle.to("state_rebuilt")
    return actor


async def rebuilt(
    user_id: str, recovered: Recovered, parts: HostParts, sealer: Sealer
) -> tuple[UserState, Sequence[MemoriesPurged]]:
    """The state that was read back, and the purges in the journal's tail. Owns and changes nothing.

    Raises: Corrupt when stored bytes fail a check.
    """
    state = UserState(
        user_id,
        dimensions=parts.space.dimensions,
        stand_in=parts.static.stand_in,
        vector_policy=parts.vector_policy,
        likeness=parts.likeness,
    )
    return state, await _fold(state, recovered, parts, sealer)


async def _fold(state: UserState, recovered: Recovered, parts: HostParts, sealer: Sealer) -> Sequence[MemoriesPurged]:
    """Bring the state to its end; returns the purges on the way, whose texts may still be stored."""
    if recovered.snapshot is not None:
        await _restore(state, recovered.snapshot, parts, sealer)
    purges: list[MemoriesPurged] = []
    for count, entry in enumerate(recovered.entries, start=1):
        for event in decode_events(sealer.open_entry(entry.seq, entry.body)):
            apply(state, event)
            if isinstance(event, MemoriesPurged):
                purges.append(event)
        if count % FOLDED_AT_ONCE == 0:
            await asyncio.sleep(0)
    return purges


async def _restore(state: UserState, snapshot: Snapshot, parts: HostParts, sealer: Sealer) -> None:
    """Fill the state from a snapshot; a large one in a thread, so that other users' calls go on meanwhile."""
    if len(snapshot.state) < INLINE_BYTES:
        _fill(state, snapshot, parts, sealer)
    else:
        await asyncio.to_thread(_fill, state, snapshot, parts, sealer)


def _fill(state: UserState, stored: Snapshot, parts: HostParts, sealer: Sealer) -> None:
    snapshot = sealer.open_snapshot(stored)
    with _without_collections():
        memories, settings, suppressions, trace = decode_state(snapshot.state)
        packed = decode_words(snapshot.words)
        words = None if packed is None else LexicalIndex.unpacked(packed, range(len(memories)))
        restore_all(state, memories, snapshot_vectors(snapshot, parts), words)
        state.trace.fill(trace)
    apply(state, SettingsChanged(settings, 0))
    for suppression in suppressions:
        apply(state, SuppressionAdded(suppression))


@contextmanager
def _without_collections() -> Iterator[None]:
    """What is made here stays, and looking through it again and again for garbage would double the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def snapshot_vectors(snapshot: Snapshot, parts: HostParts) -> Mapping[str, Float32Array]:
    """The model's vectors by memory id; none when another model made them. Raises: Corrupt on a wrong size."""
    if snapshot.space_id != parts.space.space_id or not snapshot.vector_rows:
        return {}
    flat = np.frombuffer(snapshot.vectors, dtype=np.float32)
    if flat.size != len(snapshot.vector_rows) * parts.space.dimensions:
        raise Corrupt.of("a snapshot holds another number of vectors than it says")
    rows = flat.reshape(len(snapshot.vector_rows), parts.space.dimensions)
    return dict(zip(snapshot.vector_rows, rows, strict=True))
