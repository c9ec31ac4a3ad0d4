"""Who lives on this host: activation, one at a time per user and few at once, and the way out.

A user is in exactly one place here: on the way in (`_arriving`), live (`_live`), on the way out (`_leaving`), or
refused for a while because the stored bytes are damaged (`_damaged`). A call for a user on the way out waits for the
end of it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from actors.hydrate import hydrate
from actors.parts import HostParts
from actors.passivate import passivate
from actors.spaces import Spaces
from actors.user_memory import Later, UserMemory
from engine.errors import Corrupt, RearviewError

USER_BYTES = 60_000
MEMORY_BYTES = 3_500
"""Of a live user, and of each memory with its vector and its words: measured in bench/scale.md."""


def estimated_bytes(actor: UserMemory) -> int:
    """About what a live user takes. What the process holds is no measure: memory that was freed stays with it."""
    return USER_BYTES + MEMORY_BYTES * len(actor.state.memories)


@dataclass(slots=True)
class UserCounts:
    """For stats and metrics."""

    hydrated: int = 0
    passivated: int = 0
    damaged: int = 0
    passivations_failed: int = 0


class LiveUsers:
    """The table of live actors, least recently used first."""

    def __init__(self, parts: HostParts, later: Later, arrived: Callable[[UserMemory], None], spaces: Spaces) -> None:
        self.counts = UserCounts()
        self._parts = parts
        self._spaces = spaces
        self._later = later
        self._arrived = arrived
        self._live: OrderedDict[str, UserMemory] = OrderedDict()
        self._arriving: dict[str, asyncio.Task[UserMemory]] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._damaged: dict[str, tuple[Corrupt, float]] = {}
        self._passivations = asyncio.Semaphore(parts.limits.snapshots_at_once)
        self._hydrations = asyncio.Semaphore(parts.limits.hydrations_at_once)

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self) -> Iterator[UserMemory]:
        return iter(list(self._live.values()))

    async def actor(self, user_id: str) -> UserMemory:
        """The live actor of a user, hydrated if need be.

        Raises: Corrupt, Unavailable.
        """
        actor = self._live.get(user_id)
        if actor is not None:
            if not actor.lifecycle.stopped:
                self._live.move_to_end(user_id)
                return actor
            del self._live[user_id]
        task = self._arriving.get(user_id)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._activate(user_id))
            self._arriving[user_id] = task
            task.add_done_callback(lambda done: self._arriving.pop(user_id, None))
        return await asyncio.shield(task)

    async def _activate(self, user_id: str) -> UserMemory:
        if user_id in self._leaving:
            await asyncio.wait([self._leaving[user_id]])
        self._refuse_if_damaged(user_id)
        async with self._hydrations:
            try:
                actor = await hydrate(user_id, self._spaces.default, self._later, self._spaces.of_snapshot)
            except Corrupt as error:
                self.counts.damaged += 1
                until_ms = self._parts.monotonic_ms() + self._parts.limits.damaged_retry_ms
                self._damaged[user_id] = (error, until_ms)
                raise
        self.counts.hydrated += 1
        self._live[user_id] = actor
        self.make_room()
        self._arrived(actor)
        return actor

    def _refuse_if_damaged(self, user_id: str) -> None:
        error, until_ms = self._damaged.get(user_id, (None, 0.0))
        if error is not None and self._parts.monotonic_ms() < until_ms:
            raise Corrupt(str(error))
        self._damaged.pop(user_id, None)

    def forget_damage(self, user_id: str) -> None:
        """Read the bytes again at the next call."""
        self._damaged.pop(user_id, None)

    def make_room(self) -> None:
        """Let the least recently used go until the others fit, by number and by estimated bytes."""
        limits = self._parts.limits
        excess = len(self._live) - limits.live_users_max
        over = 0
        if limits.memory_bytes_max:
            over = sum(estimated_bytes(actor) for actor in self._live.values()) - limits.memory_bytes_max
        for actor in list(self._live.values()):
            if excess <= 0 and (over <= 0 or len(self._live) == 1):
                return
            if not actor.calls:
                excess, over = excess - 1, over - estimated_bytes(actor)
                self.let_go(actor, "room_needed")

    def let_go(self, actor: UserMemory, reason: str) -> asyncio.Task[None]:
        """Take an actor without calls out of the table and passivate it beside the calls."""
        assert not actor.calls, "an actor under a call stays"
        self._live.pop(actor.user_id, None)
        task = asyncio.get_running_loop().create_task(self._passivate(actor, reason))
        self._leaving[actor.user_id] = task
        task.add_done_callback(lambda done: self._leaving.pop(actor.user_id, None))
        return task

    async def _passivate(self, actor: UserMemory, reason: str) -> None:
        try:
            async with self._passivations:
                await passivate(actor, reason)
            self.counts.passivated += 1
        except (RearviewError, OSError):
            self.counts.passivations_failed += 1

    def let_idle_go(self, now_ms: float) -> None:
        """Passivate whoever nobody asked for in a while."""
        for actor in list(self._live.values()):
            if actor.lifecycle.stopped:
                self._live.pop(actor.user_id, None)
            elif not actor.calls and now_ms - actor.last_call_ms >= self._parts.limits.idle_ms:
                self.let_go(actor, "idle")

    async def let_all_go(self) -> None:
        """Passivate everybody; the host is about to stop and takes no more calls."""
        going = [self.let_go(actor, "host_stopping") for actor in list(self._live.values()) if not actor.calls]
        going.extend(self._leaving.values())
        if going:
            await asyncio.wait(going)
