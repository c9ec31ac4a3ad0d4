"""Many callers, few calls: requests for one host queue while a call is in flight and go out together as the next.

A Ray call costs about a millisecond whatever it carries, so the batch grows by itself exactly when it pays: an
idle host answers one request at once, a busy one answers many per call. For cheap requests one call in flight is
best: with 16 callers 1, 2 and 4 gave 7,880, 5,260 and 3,699 answers a second (`bench/actor_bench.py`), because a second
call only takes requests that the next batch would have carried. Where answers take the host longer, a second call
keeps it busy while the first one's answers travel. So a second call takes off only when the first has been under way
for a while. What takes really long does not hold a flight: the host parks it. Requests leave in the order they came.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from actors.requests import Answer, Request, batch_of, pack_request, unpack_answers
from engine.errors import RearviewError, Unavailable

Call = Callable[[bytes], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class CoalescerLimits:
    """How much may be under way to one host."""

    in_flight_max: int = 2
    overlap_after_ms: float = 4.0  # A call that takes longer than this does not keep the next one waiting.
    batch_max: int = 256
    waiting_max: int = 10_000


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A request that is packed already and waits for the next call."""

    request_id: int
    row: bytes
    future: asyncio.Future[Answer]


class Coalescer:
    """Requests to one host. `call` raises only errors of our own tree."""

    def __init__(self, call: Call, limits: CoalescerLimits | None = None) -> None:
        self._call = call
        self._limits = limits or CoalescerLimits()
        self._waiting: list[_Waiting] = []
        self._flights: set[asyncio.Task[None]] = set()
        self._last_take_off = 0.0
        self._soon: asyncio.Handle | None = None

    async def ask(self, request: Request) -> Answer:
        """Send with the next call and wait for this request's own answer.

        Raises: Unavailable when too many already wait, InvalidMemory when the request cannot be packed, or whatever
        the call raised.
        """
        row = pack_request(request)
        if len(self._waiting) >= self._limits.waiting_max:
            raise Unavailable.of("too many requests are waiting for this host", code="overloaded")
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(request.request_id, row, future))
        self._plan_take_off()
        return await future

    def _plan_take_off(self) -> None:
        """Take off in the next round of the loop, so that whoever asks in this one rides along, or when it is time."""
        if self._soon is not None or not self._waiting or len(self._flights) >= self._limits.in_flight_max:
            return
        loop = asyncio.get_running_loop()
        wait = self._last_take_off + self._limits.overlap_after_ms / 1000 - loop.time() if self._flights else 0.0
        self._soon = loop.call_later(wait, self._take_off) if wait > 0 else loop.call_soon(self._take_off)

    def _take_off(self) -> None:
        self._soon = None
        loop = asyncio.get_running_loop()
        batch = self._waiting[: self._limits.batch_max]
        del self._waiting[: len(batch)]
        if not batch:
            return
        self._last_take_off = loop.time()
        flight = loop.create_task(self._fly(batch))
        self._flights.add(flight)
        flight.add_done_callback(self._landed)
        self._plan_take_off()

    def _landed(self, flight: asyncio.Task[None]) -> None:
        self._flights.discard(flight)
        if self._soon is not None and not self._flights:  # It was planned for later; now nothing is under way.
            self._soon.cancel()
            self._soon = None
        self._plan_take_off()

    async def _fly(self, batch: list[_Waiting]) -> None:
        waiting = {one.request_id: one.future for one in batch}
        error: RearviewError = Unavailable.of("the host gave no answer", code="host_lost")
        try:
            for answer in unpack_answers(await self._call(batch_of([one.row for one in batch]))):
                future = waiting.pop(answer.request_id)
                if not future.done():  # Its caller may have gone away meanwhile.
                    future.set_result(answer)
        except RearviewError as raised:
            error = raised
        finally:
            for future in waiting.values():
                if not future.done():
                    future.set_exception(error)
