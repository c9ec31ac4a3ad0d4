"""Many callers, few calls: requests for one host queue while a call is in flight and go out together as the next.

A Ray call costs about a millisecond whatever it carries, so the batch grows by itself exactly when it pays: an
idle host answers one request at once, a busy one answers many per call. For cheap requests one call in flight is
best: with 16 callers 1, 2 and 4 gave 7,880, 5,260 and 3,699 answers a second (`bench/actor_bench.py`), because a second
call only takes requests that the next batch would have carried. Where answers take the host longer, a second call
keeps it busy while the first one's answers travel. So a second call takes off only when the first has been under way
for a while. What takes really long does not hold a flight: the host parks it.

Requests of one user leave in the order they came. Between users a batch is filled in turns, one request of each, so
that somebody with a thousand requests waiting delays a neighbour's one by no more than the flights under way. When the
oldest request has waited for longer than anybody wants to, new ones are refused at once: a queue that only grows helps
nobody.
"""

import asyncio
from collections import OrderedDict, deque
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
    waited_max_ms: float = 5_000.0  # Once the oldest has waited for this long, the host is drowning.


@dataclass(slots=True)
class _Waiting:
    """A request that is packed already and waits for the next call."""

    request_id: int
    row: bytes
    future: asyncio.Future[Answer]
    since: float  # By the loop's clock, in seconds.
    left: bool = False


class Coalescer:
    """Requests to one host. `call` raises only errors of our own tree."""

    def __init__(self, call: Call, limits: CoalescerLimits | None = None) -> None:
        self._call = call
        self._limits = limits or CoalescerLimits()
        self._waiting: OrderedDict[str, deque[_Waiting]] = OrderedDict()  # By user; whose turn it is comes first.
        self._arrivals: deque[_Waiting] = deque()  # Everybody in the order they came; who left is dropped late.
        self._count = 0
        self._flights: set[asyncio.Task[None]] = set()
        self._last_take_off = 0.0
        self._soon: asyncio.Handle | None = None

    async def ask(self, request: Request) -> Answer:
        """Send with the next call and wait for this request's own answer.

        Raises: Unavailable when too many already wait, InvalidMemory when the request cannot be packed, or whatever
        the call raised.
        """
        row = pack_request(request)
        loop = asyncio.get_running_loop()
        self._admit(loop.time())
        future: asyncio.Future[Answer] = loop.create_future()
        waiting = _Waiting(request.request_id, row, future, loop.time())
        self._waiting.setdefault(request.user_id, deque()).append(waiting)
        self._arrivals.append(waiting)
        self._count += 1
        self._plan_take_off()
        return await future

    def _admit(self, now: float) -> None:
        """Raises: Unavailable when whoever joins the queue now would wait for too long."""
        while self._arrivals and self._arrivals[0].left:
            self._arrivals.popleft()
        oldest = self._arrivals[0].since if self._arrivals else now
        if self._count >= self._limits.waiting_max or (now - oldest) * 1000 > self._limits.waited_max_ms:
            raise Unavailable.of("too many requests are waiting for this host", code="overloaded")

    def _next_batch(self) -> list[_Waiting]:
        """One request of each user in turns, until the batch is full."""
        batch: list[_Waiting] = []
        while self._waiting and len(batch) < self._limits.batch_max:
            user, line = self._waiting.popitem(last=False)
            batch.append(line.popleft())
            batch[-1].left = True
            if line:
                self._waiting[user] = line  # At the end: the others are next.
        self._count -= len(batch)
        return batch

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
        batch = self._next_batch()
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
