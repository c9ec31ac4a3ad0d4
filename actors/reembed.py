"""Moving one user from one model's space into another's, beside the calls.

Vectors of the new model are gathered while the old space answers. When (nearly) every text has one, a second state is
built from the same memories in the new space, in a thread, while writes wait; then it takes the place of the first in
one step, and a snapshot of it makes that last. A crash before that leaves the user in the old space, whole, and the
next round begins anew. No vector of one space is ever compared with one of the other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from actors.move import Move
from actors.parts import HostParts
from actors.passivate import write_snapshot
from actors.replies import Reply
from actors.user_memory import UserMemory
from engine.events import SettingsChanged, SuppressionAdded
from engine.lexical import LexicalIndex, PackedWords
from engine.memory import Float32Array, Memory, Suppression
from engine.state import UserState, apply, restore_all

TEXTS_AT_ONCE = 64
# Texts written in the last moment wait for their vector in the new space, as every new text does.
WAITING_MAX = 8

Embed = Callable[[HostParts, Sequence[str]], Awaitable[Float32Array]]


async def reembed(actor: UserMemory, parts: HostParts, embed: Embed) -> Reply:
    """One step of a move: embed some texts, and change over when few are left.

    Returns: `left`, how many texts still wait, and `moved`, whether the user is in the new space now.
    Raises: Unavailable and what else an embedder may raise; nothing is lost then.
    """
    if actor.parts.space.space_id == parts.space.space_id:
        actor.move = None
        return {"left": 0, "moved": True, "embedded": 0}
    if actor.move is None or actor.move.space_id != parts.space.space_id:
        actor.move = Move(parts.space.space_id)
    move = actor.move
    move.forget_gone(actor.state)
    waiting = move.waiting(actor.state)
    batch = waiting[:TEXTS_AT_ONCE]
    if batch:
        vectors = await embed(parts, [memory.content for memory in batch])
        for memory, vector in zip(batch, vectors, strict=True):
            move.rows[memory.memory_id] = (memory.content, vector if np.isfinite(vector).all() else None)
    left = len(move.waiting(actor.state))
    if left > WAITING_MAX:
        return {"left": left, "moved": False, "embedded": len(batch)}
    async with actor.one_writer:
        actor.must_be_active()
        async with actor.one_snapshot:
            await _change_over(actor, parts, move)
    await write_snapshot(actor, always=True)
    return {"left": 0, "moved": True, "embedded": len(batch)}


async def _change_over(actor: UserMemory, parts: HostParts, move: Move) -> None:
    """The caller holds `one_writer`, so that the memories stay as they are, and `one_snapshot`."""
    before = actor.state
    memories = list(before.memories.values())
    vectors = {
        memory.memory_id: vector
        for memory in memories
        if (row := move.rows.get(memory.memory_id)) is not None
        and row[0] == memory.content
        and (vector := row[1]) is not None
    }
    words = before.lexical.copied().packed([before.slots[memory.memory_id] for memory in memories])
    suppressions, settings = list(before.suppressions.values()), asdict(before.settings)
    after = await asyncio.to_thread(
        _state_in, parts, actor.user_id, memories, vectors, words=words, settings=settings, suppressions=suppressions
    )
    # From here on nothing waits, so that no call sees one half of the change.
    after.trace = actor.state.trace
    actor.state, actor.parts, actor.move = after, parts, None
    actor.query_cache.clear()
    actor.vectors_placed = len(vectors)


def _state_in(
    parts: HostParts,
    user_id: str,
    memories: Sequence[Memory],
    vectors: Mapping[str, Float32Array],
    *,
    words: PackedWords,
    settings: Mapping[str, object],
    suppressions: Sequence[Suppression],
) -> UserState:
    """The same memories in another space."""
    state = UserState(
        user_id,
        dimensions=parts.space.dimensions,
        stand_in=parts.static.stand_in,
        vector_policy=parts.vector_policy,
        likeness=parts.likeness,
    )
    restore_all(state, memories, vectors, LexicalIndex.unpacked(words, range(len(memories))))
    apply(state, SettingsChanged(settings, 0))
    for suppression in suppressions:
        apply(state, SuppressionAdded(suppression))
    return state
