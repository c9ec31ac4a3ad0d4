"""A host's regular look round: idle users, due users, snapshots, unfinished scrubs.

Time may jump. When wall clock and monotonic clock disagree by more than a few minutes since the last look, nothing is
purged at this look: purging cannot be undone, and an expired memory is unfindable anyway.
"""

import asyncio
from collections.abc import Awaitable

from actors.live_users import LiveUsers
from actors.parts import HostParts
from actors.passivate import write_snapshot
from actors.upkeep import do_due, tell_schedule
from actors.user_memory import UserMemory
from engine.errors import RearviewError


class ClockWatch:
    """Notices that the wall clock was moved."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._ahead_ms = parts.now_ms() - parts.monotonic_ms()

    def jumped(self) -> bool:
        """Whether it was moved since the last look."""
        ahead_ms = self._parts.now_ms() - self._parts.monotonic_ms()
        moved_ms, self._ahead_ms = abs(ahead_ms - self._ahead_ms), ahead_ms
        return moved_ms > self._parts.limits.clock_jump_ms


class Sweeper:
    """Runs beside the calls of one host."""

    def __init__(self, users: LiveUsers, parts: HostParts) -> None:
        self.failures = 0
        self.snapshots = 0
        self._users = users
        self._parts = parts
        self._clock = ClockWatch(parts)
        self._writing: set[str] = set()
        self._places = asyncio.Semaphore(parts.limits.snapshots_at_once)

    async def run(self) -> None:
        """Look round until cancelled."""
        while True:
            await asyncio.sleep(self._parts.limits.sweep_ms / 1000)
            await self.look()

    async def look(self) -> None:
        """One look round. What fails is counted and tried again at the next."""
        if not self._clock.jumped():
            await self._do_due()
        for actor in self._users:
            if actor.due_changed and actor.lifecycle.active:
                await self._try(tell_schedule(actor))
        self._users.let_idle_go(self._parts.monotonic_ms())
        self._users.make_room()  # Users grow also without anybody arriving.

    async def _do_due(self) -> None:
        now_ms = self._parts.now_ms()
        try:
            due = await self._parts.schedule.due(now_ms, self._parts.limits.due_users_max)
        except (RearviewError, OSError):
            self.failures += 1
            return
        for user_id in due:
            if self._parts.owns(user_id):
                await self._try(self._wake(user_id))
            elif self._parts.elsewhere is not None:
                await self._try(self._parts.elsewhere(user_id))
        for actor in self._users:
            if actor.must_scrub and actor.lifecycle.active and not actor.one_writer.locked():
                await self._try(self._care(actor))

    async def _wake(self, user_id: str) -> None:
        actor = await self._users.actor(user_id)
        actor.due_changed, actor.due_told = True, False  # The schedule holds a time that is over.
        await self._care(actor)

    async def _care(self, actor: UserMemory) -> None:
        actor.calls += 1
        try:
            await do_due(actor)
        finally:
            actor.calls -= 1

    def snapshot_due(self, actor: UserMemory) -> bool:
        """Whether so much happened since the last snapshot that hydration would get slow."""
        behind = max(actor.seq - actor.snapshot_seq, actor.vectors_placed)
        return behind >= self._parts.limits.snapshot_every and actor.user_id not in self._writing

    async def snapshot(self, actor: UserMemory) -> None:
        """Write one beside the calls."""
        if actor.user_id in self._writing:
            return
        self._writing.add(actor.user_id)
        actor.calls += 1  # It must not be passivated meanwhile.
        try:
            async with self._places:
                if actor.lifecycle.active and await write_snapshot(actor):
                    self.snapshots += 1
        finally:
            actor.calls -= 1
            self._writing.discard(actor.user_id)

    async def _try(self, work: Awaitable[None]) -> None:
        try:
            await work
        except (RearviewError, OSError):
            self.failures += 1
