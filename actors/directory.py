"""Where every request of the service goes: user -> host -> live actor, and back.

A host can die and an owner can be replaced between two calls. Both are met by finding the host anew and asking once
more; after that the caller hears Unavailable. Asking again is harmless for reads, for requests with an idempotency
key and where the error says that nothing was written. A change without a key whose host died may or may not have been
done: its caller hears Indeterminate, because doing it twice would be worse than asking.
"""

import itertools
from collections import Counter
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass

from actors.answers import ANSWERS
from actors.coalescer import Coalescer, CoalescerLimits
from actors.placement import Placement
from actors.ports import HostHandle, Hosts
from actors.replies import Reply
from actors.requests import COLLECT, ERROR, OK, Answer, Request, pack_requests, raised, unpack_answers
from engine.errors import Indeterminate, StaleEpoch, Unavailable

HOST_LOST = "host_lost"
ASKED_PER_USER_MAX = 256
"""Requests of one user that may be unanswered at once; more are refused, so that one caller cannot fill the queues."""

# The id of the token whose request a process answers now; a door sets it, the audit trail names it.
ASKED_BY: ContextVar[str] = ContextVar("asked_by", default="")


@dataclass(frozen=True, slots=True)
class _Line:
    """One host as this process reaches it now."""

    handle: HostHandle
    coalescer: Coalescer


class Directory:
    """Asks users' actors, wherever they live. One per process; its methods run on one loop."""

    def __init__(self, hosts: Hosts, placement: Placement, limits: CoalescerLimits | None = None) -> None:
        self._hosts = hosts
        self._placement = placement
        self._limits = limits
        self._lines: dict[str, _Line] = {}
        self._request_ids = itertools.count(1)
        self._asked: Counter[str] = Counter()

    async def ask(
        self,
        user_id: str,
        op: str,
        args: Mapping[str, object],
        *,
        idempotency_key: str = "",
        min_seq: int = 0,
        client: str = "",
    ) -> Reply:
        """Ask one user's actor.

        Raises: any error of `engine.errors` but StaleEpoch, which becomes Unavailable after one more try.
        """
        if self._asked[user_id] >= ASKED_PER_USER_MAX:
            raise Unavailable.of("too many requests of this user are waiting", code="overloaded")
        asked_by = ASKED_BY.get()
        request = Request(next(self._request_ids), user_id, op, args, idempotency_key, min_seq, client, asked_by)
        self._asked[user_id] += 1
        try:
            return await self._ask_twice(request)
        finally:
            self._asked[user_id] -= 1
            if not self._asked[user_id]:
                del self._asked[user_id]

    async def _ask_twice(self, request: Request) -> Reply:
        name = self._placement.host_of(request.user_id)
        try:
            return await self._ask_at(name, request)
        except StaleEpoch:
            pass
        except Unavailable as error:
            if error.code != HOST_LOST:
                raise
            self._lines.pop(name, None)
            self._hosts.forget(name)
            if not may_repeat(request):
                raise Indeterminate.of("the host was lost; the change may or may not have been made") from None
        try:
            return await self._ask_at(name, request)
        except StaleEpoch:
            raise Unavailable.of("this user's memory is moving; try again") from None

    async def _ask_at(self, name: str, request: Request) -> Reply:
        line = self._lines.get(name)
        if line is None:
            handle = await self._hosts.host(name)
            line = self._lines.setdefault(name, _Line(handle, Coalescer(handle.call, self._limits)))
        answer = await line.coalescer.ask(request)
        if answer.kind not in (OK, ERROR):
            answer = await self._collect(line.handle, answer)
        if answer.kind == ERROR:
            raise raised(answer.value)
        assert isinstance(answer.value, dict)
        return answer.value

    async def _collect(self, handle: HostHandle, parked: Answer) -> Answer:
        """Wait for a reply that takes longer, in a call of its own."""
        request = Request(next(self._request_ids), "", COLLECT, {"ticket": parked.value})
        return unpack_answers(await handle.call(pack_requests([request])))[0]


def may_repeat(request: Request) -> bool:
    """Whether asking twice does no more than asking once."""
    return bool(request.key) or request.op in ANSWERS or request.op in ("maintain", "erase", "refused")
