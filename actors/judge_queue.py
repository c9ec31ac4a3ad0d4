"""Opinions asked for after the write, one at a time, for the users of one host in turn.

What waits is marked in the memories themselves, so it survives a restart: a user who arrives brings along what still
waits. A text that the model cannot judge is asked about a few times and then left as the rules decided; a model that
cannot be reached is asked again at longer and longer intervals, and meanwhile nothing is lost but time.
"""

import asyncio
from collections.abc import Callable

from actors.judging import CONTENT_CODES, Judging
from actors.parts import HostLimits
from actors.user_memory import UserMemory
from engine.errors import RearviewError, Unavailable
from engine.revision import UNJUDGED, decide_revision, unjudged


class JudgeQueue:
    """Revises what rules stored. All methods run on the host's loop."""

    def __init__(self, judging: Judging, limits: HostLimits, changed: Callable[[UserMemory], None]) -> None:
        self._judging = judging
        self._limits = limits
        self._changed = changed
        self._waiting: dict[str, tuple[UserMemory, dict[str, int]]] = {}  # user -> memory id -> tries so far
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def arrived(self, actor: UserMemory) -> None:
        """Take in what this user still has waiting."""
        if self._judging.on:
            for memory_id in unjudged(actor.state):
                self.want(actor, memory_id)

    def want(self, actor: UserMemory, memory_id: str) -> None:
        """Note that a memory waits. One that does not is no error."""
        memory = actor.state.memories.get(memory_id)
        if memory is None or UNJUDGED not in memory.marks or not self._judging.on:
            return
        held, waiting = self._waiting.get(actor.user_id, (actor, {}))
        if held is not actor:
            waiting = {}  # The user came back as a new actor; the old one can change nothing any more.
        waiting.setdefault(memory_id, 0)
        self._waiting[actor.user_id] = (actor, waiting)
        actor.judge_waiting = len(waiting)
        self._work.set()
        self._idle.clear()

    async def drained(self) -> None:
        """Wait until nothing waits any more."""
        await self._idle.wait()

    async def run(self) -> None:
        """Work until cancelled."""
        delay_ms = self._limits.embed_retry_ms
        while True:
            await self._work.wait()
            chosen = self._next()
            if chosen is None:
                self._work.clear()
                self._idle.set()
                continue
            actor, memory_id, tries = chosen
            try:
                await self._revise(actor, memory_id)
            except Unavailable as error:
                self._again(actor, memory_id, tries + (error.code in CONTENT_CODES))
                await asyncio.sleep(delay_ms / 1000)
                delay_ms = min(2 * delay_ms, self._limits.embed_retry_max_ms)
                continue
            except RearviewError:
                continue  # The actor stopped; the user's next one brings the memory along.
            delay_ms = self._limits.embed_retry_ms

    def _next(self) -> tuple[UserMemory, str, int] | None:
        while self._waiting:
            user_id = next(iter(self._waiting))
            actor, waiting = self._waiting.pop(user_id)
            if not waiting or not actor.lifecycle.active:
                continue
            memory_id = next(iter(waiting))
            tries = waiting.pop(memory_id)
            actor.judge_waiting = len(waiting)
            self._waiting[user_id] = (actor, waiting)  # To the end of the line.
            return actor, memory_id, tries
        return None

    def _again(self, actor: UserMemory, memory_id: str, tries: int) -> None:
        if tries < self._limits.judge_tries:
            self.want(actor, memory_id)
            held = self._waiting.get(actor.user_id)
            if held is not None and memory_id in held[1]:
                held[1][memory_id] = tries

    async def _revise(self, actor: UserMemory, memory_id: str) -> None:
        """Ask about one memory and make what follows durable. Raises: RearviewError."""
        memory = actor.state.memories.get(memory_id)
        if memory is None or UNJUDGED not in memory.marks:
            return
        actor.calls += 1  # It must not be passivated while it is asked about.
        try:
            opinion = await self._judging.of_memory(actor, memory)
            async with actor.one_writer:
                actor.must_be_active()
                events = decide_revision(actor.state, memory, opinion, now_ms=actor.parts.now_ms())
                await actor.commit(events)
        finally:
            actor.calls -= 1
        self._changed(actor)
        if not events:
            self.want(actor, memory_id)  # It changed while it was asked about; its new text waits like any other.
