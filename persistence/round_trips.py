"""Group commit: commands of one moment leave in one write, and one flush of the store covers them all.

The store runs whatever lies in its input before it flushes and answers, so commands that arrive together cost one
fsync. Here they also share one round trip: what is asked while trips are under way goes out with the next one. Two
trips, so that one is filled while the other's flush is waited for; measured in bench/decisions.md.

A user has one writer and a writer has one append under way, so a trip never holds two appends of one user, and order
between users means nothing. A caller who goes away takes nothing along: the trip belongs to nobody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import RearviewError, Unavailable

TRIPS_MAX = 2
COMMANDS_MAX = 128
BYTES_MAX = 1024 * 1024
"""A trip with more would keep the others waiting for a single slow read of the store."""
WAITING_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Command:
    """Words of one command, packed, and what its loss means: Unavailable or Indeterminate."""

    packed: bytes
    lost: type[RearviewError]


Answer = Any  # A reply, or the error that stands in its place.
Exchange = Callable[[Sequence[Command]], Awaitable[Sequence[Answer]]]


class RoundTrips:
    """Shares trips among the callers of one client. `exchange` never raises an error of our tree: it returns it."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._waiting: list[tuple[Command, asyncio.Future[Answer]]] = []
        self._trips: set[asyncio.Task[None]] = set()
        self._soon: asyncio.Handle | None = None

    async def ask(self, command: Command) -> Any:
        """Send with the next trip. Raises: what became of this command."""
        if len(self._waiting) >= WAITING_MAX:
            raise Unavailable.of("Too much is waiting for the store.", code="overloaded")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append((command, future))
        self._plan(loop)
        answer = await future
        if isinstance(answer, RearviewError):
            raise answer
        return answer

    def _plan(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave in the next round of the loop, so that whoever asks in this one rides along."""
        if self._soon is None and self._waiting and len(self._trips) < TRIPS_MAX:
            self._soon = loop.call_soon(self._leave)

    def _leave(self) -> None:
        self._soon = None
        loop = asyncio.get_running_loop()
        taken = self._take()
        trip = loop.create_task(self._travel(taken))
        self._trips.add(trip)
        trip.add_done_callback(self._arrived)
        self._plan(loop)

    def _take(self) -> list[tuple[Command, asyncio.Future[Answer]]]:
        size, count = 0, 0
        for command, _ in self._waiting[:COMMANDS_MAX]:
            size += len(command.packed)
            if count and size > BYTES_MAX:
                break
            count += 1
        taken = self._waiting[:count]
        del self._waiting[:count]
        return taken

    def _arrived(self, trip: asyncio.Task[None]) -> None:
        self._trips.discard(trip)
        self._plan(trip.get_loop())

    async def _travel(self, taken: list[tuple[Command, asyncio.Future[Answer]]]) -> None:
        answers: Sequence[Answer] = ()
        try:
            answers = await self._exchange([command for command, _ in taken])
        finally:
            for place, (command, future) in enumerate(taken):
                if not future.done():
                    gone = command.lost.of("The store did not answer; the connection was lost or too slow.")
                    future.set_result(answers[place] if place < len(answers) else gone)
