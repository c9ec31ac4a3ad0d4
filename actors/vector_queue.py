"""The model's vectors, made in the background. Nobody waits for them: a stand-in serves until they come.

What waits is kept by the states themselves (`UserState.unembedded`), so the queue holds only users, is bounded by
the live users, and survives a restart: hydration finds out again what lacks a vector. One thread at the lowest
priority embeds small batches; users take turns, and each batch takes half from the user's newest writes and half
from the oldest, so that a long import does not keep a fresh memory waiting and fresh ones do not starve the import.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from actors.parts import HostLimits
from actors.ports import DocumentEmbedder
from actors.user_memory import UserMemory
from engine.errors import RearviewError
from engine.memory import Float32Array
from engine.state import place_vector

# What an embedder may raise when it cannot do its work; anything else is a bug and ends the queue loudly.
EMBEDDER_FAILURES = (RearviewError, OSError, RuntimeError, ValueError)
LOWEST_PRIORITY = 19


@dataclass(slots=True)
class QueueCounts:
    """For stats and metrics."""

    embedded: int = 0
    outdated: int = 0  # The memory changed or went while its vector was made.
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """One text that waits for its vector."""

    actor: UserMemory
    memory_id: str
    content: str


class VectorQueue:
    """Turns stand-ins into the model's vectors. All methods run on the loop; only `passages` runs in the thread."""

    def __init__(self, embedder: Callable[[], Awaitable[DocumentEmbedder]], limits: HostLimits,
                 placed: Callable[[UserMemory], None] = lambda actor: None) -> None:
        self.counts = QueueCounts()
        self._embedder = embedder
        self._limits = limits
        self._placed = placed
        self._users: dict[str, UserMemory] = {}  # in the order of their turns
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._thread = ThreadPoolExecutor(1, "vectors", initializer=lower_priority)

    def want(self, actor: UserMemory) -> None:
        """Note that this user has texts that wait."""
        if actor.state.unembedded and actor.lifecycle.active:
            self._users[actor.user_id] = actor
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
            batch = self._next_batch()
            if not batch:
                self._work.clear()
                self._idle.set()
                continue
            try:
                vectors = await self._embed([wanted.content for wanted in batch])
            except EMBEDDER_FAILURES:
                self.counts.failures += 1
                await asyncio.sleep(delay_ms / 1000)
                delay_ms = min(2 * delay_ms, self._limits.embed_retry_max_ms)
                continue
            delay_ms = self._limits.embed_retry_ms
            self._place(batch, vectors)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _next_batch(self) -> list[Wanted]:
        """The next texts of the user whose turn it is; users with nothing left leave the queue."""
        while self._users:
            user_id = next(iter(self._users))
            actor = self._users.pop(user_id)
            if not actor.lifecycle.active or not actor.state.unembedded:
                continue
            self._users[user_id] = actor  # To the end of the line.
            return [Wanted(actor, memory_id, actor.state.memories[memory_id].content)
                    for memory_id in choose(actor.state.unembedded, self._limits.embed_batch)]
        return []

    async def _embed(self, texts: Sequence[str]) -> Float32Array:
        embedder = await self._embedder()
        return await asyncio.get_running_loop().run_in_executor(self._thread, embedder.passages, texts)

    def _place(self, batch: Sequence[Wanted], vectors: Float32Array) -> None:
        for wanted, vector in zip(batch, vectors, strict=True):
            actor = wanted.actor
            if actor.lifecycle.active and place_vector(actor.state, wanted.memory_id, wanted.content, vector):
                actor.vectors_placed += 1
                self.counts.embedded += 1
            else:
                self.counts.outdated += 1
        self._placed(batch[0].actor)


def choose(waiting: dict[str, None], count: int) -> list[str]:
    """Half from the newest end, half from the oldest. `waiting` is ordered oldest first."""
    newest = list(islice(reversed(waiting), -(-count // 2)))
    oldest = islice(waiting, count)
    return list(dict.fromkeys([*newest, *oldest]))[:count]


def lower_priority() -> None:
    """Give way to whatever answers calls. On Linux priority belongs to a thread; elsewhere it stays as it is."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
