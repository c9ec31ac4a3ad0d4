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

import numpy as np

from actors.parts import HostLimits, HostParts
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
    refused: int = 0  # Texts of which the model made nothing usable.
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """One text that waits for its vector in the space that its user is in now."""

    actor: UserMemory
    parts: HostParts
    memory_id: str
    content: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A text that the model made nothing usable of, and when it may be tried again. The text itself is not kept."""

    content_hash: int
    until_ms: float
    tries: int


class VectorQueue:
    """Turns stand-ins into the model's vectors. All methods run on the loop; only `passages` runs in the thread."""

    def __init__(
        self,
        embedder: Callable[[HostParts], Awaitable[DocumentEmbedder]],
        limits: HostLimits,
        placed: Callable[[UserMemory], None] = lambda actor: None,
    ) -> None:
        self.counts = QueueCounts()
        self._embedder = embedder
        self._limits = limits
        self._placed = placed
        self._users: dict[str, UserMemory] = {}  # in the order of their turns
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._refused: dict[tuple[str, str], Refused] = {}  # by user and memory
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
                vectors = await self.embed(batch[0].parts, [wanted.content for wanted in batch])
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
            waiting = self._may_be_tried(actor)
            if not waiting:
                self._come_back(actor)
                continue
            self._users[user_id] = actor  # To the end of the line.
            return [
                Wanted(actor, actor.parts, memory_id, actor.state.memories[memory_id].content)
                for memory_id in choose(waiting, actor.parts.limits.embed_batch)
            ]
        return []

    def _may_be_tried(self, actor: UserMemory) -> dict[str, None]:
        """What waits, without the texts that were refused a while ago and have not changed."""
        waiting = actor.state.unembedded
        if not self._refused:
            return waiting
        now_ms = actor.parts.monotonic_ms()
        found = {memory_id: self._refused.get((actor.user_id, memory_id)) for memory_id in waiting}
        return {
            memory_id: None
            for memory_id, refused in found.items()
            if refused is None
            or now_ms >= refused.until_ms
            or refused.content_hash != hash(actor.state.memories[memory_id].content)
        }

    def _come_back(self, actor: UserMemory) -> None:
        """A user whose every waiting text was refused leaves the queue until the first may be tried again."""
        held = [self._refused[actor.user_id, memory_id].until_ms for memory_id in actor.state.unembedded]
        delay_ms = max(0.0, min(held) - actor.parts.monotonic_ms())
        asyncio.get_running_loop().call_later(delay_ms / 1000, self.want, actor)

    def _refuse(self, wanted: Wanted) -> None:
        """Leave a text alone for a while, longer each time; the others need not wait for it."""
        actor, key = wanted.actor, (wanted.actor.user_id, wanted.memory_id)
        before, content_hash = self._refused.get(key), hash(wanted.content)
        tries = before.tries + 1 if before is not None and before.content_hash == content_hash else 1
        delay_ms = min(self._limits.embed_retry_ms * 2 ** min(tries, 20), self._limits.embed_retry_max_ms)
        self._refused[key] = Refused(content_hash, actor.parts.monotonic_ms() + delay_ms, tries)
        self.counts.refused += 1

    async def embed(self, parts: HostParts, texts: Sequence[str]) -> Float32Array:
        """Vectors of one space, made in the thread of the lowest priority. Raises: what an embedder may raise."""
        embedder = await self._embedder(parts)
        at_once = parts.limits.embed_at_once
        return await asyncio.get_running_loop().run_in_executor(self._thread, in_turns, embedder, texts, at_once)

    def _place(self, batch: Sequence[Wanted], vectors: Float32Array) -> None:
        for wanted, vector in zip(batch, vectors, strict=True):
            actor = wanted.actor
            if actor.parts is not wanted.parts:
                self.counts.outdated += 1
                continue
            if not np.isfinite(vector).all():
                self._refuse(wanted)
                continue
            self._refused.pop((actor.user_id, wanted.memory_id), None)
            if actor.lifecycle.active and place_vector(actor.state, wanted.memory_id, wanted.content, vector):
                actor.vectors_placed += 1
                self.counts.embedded += 1
            else:
                self.counts.outdated += 1
        self._placed(batch[0].actor)


def in_turns(embedder: DocumentEmbedder, texts: Sequence[str], at_once: int) -> Float32Array:
    """Vectors of a batch in small calls, so that a query that needs the model waits for one text and not for all."""
    return np.concatenate([embedder.passages(texts[at : at + at_once]) for at in range(0, len(texts), at_once)])


def choose(waiting: dict[str, None], count: int) -> list[str]:
    """Half from the newest end, half from the oldest. `waiting` is ordered oldest first."""
    newest = list(islice(reversed(waiting), -(-count // 2)))
    oldest = islice(waiting, count)
    return list(dict.fromkeys([*newest, *oldest]))[:count]


def lower_priority() -> None:
    """Give way to whatever answers calls. On Linux priority belongs to a thread; elsewhere it stays as it is."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
