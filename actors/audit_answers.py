"""What an actor answers about its user's audit trail, and how refused attempts come into it."""

import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from actors.audit import audit_page, verify
from actors.parts import HostParts
from actors.replies import Reply
from actors.requests import Request
from actors.user_memory import UserMemory
from engine.errors import InvalidMemory

LIMIT_MAX = 200
_CURSOR = re.compile(r"[0-9]{0,15}")
NOTED_EVERY_MS = 60_000
TOKENS_MAX = 10_000

REFUSED = "refused"
"""The operation: the token of this request asked for this user, whom it does not reach."""


async def audit(actor: UserMemory, request: Request, queries: object) -> Reply:
    """A page of the trail, newest first."""
    limit, cursor = request.args.get("limit", 50), request.args.get("cursor", "")
    if type(limit) is not int or not 1 <= limit <= LIMIT_MAX:
        raise InvalidMemory.of(f"limit is between 1 and {LIMIT_MAX}", field="limit")
    if not isinstance(cursor, str) or not _CURSOR.fullmatch(cursor):
        raise InvalidMemory.of("It is not a cursor of this list.", field="cursor", code="invalid_cursor")
    entries, before, total = await audit_page(actor.parts.journal, actor.user_id, before=int(cursor or 0), limit=limit)
    return {"entries": entries, "next_cursor": str(before) if before else "", "total": total}


async def audit_verify(actor: UserMemory, request: Request, queries: object) -> Reply:
    """Whether the trail is as it was written."""
    # What the snapshot knows counts more: the owner read the end of the trail from the store.
    anchors = {actor.audit.number: actor.audit.chain, **actor.audit_anchors}
    found = await verify(actor.parts.journal, actor.user_id, anchors)
    reply: Reply = {"ok": found.broken_at is None, "entries": found.entries, "head": found.head.hex()}
    return reply if found.broken_at is None else {**reply, "broken_at": found.broken_at, "reason": found.reason}


class Refusals:
    """Attempts to reach a user from outside: noted in that user's own trail, at most once a minute for each token.

    Nobody becomes known by being asked for: an attempt on a user who is not there leaves nothing.
    """

    def __init__(self, parts: HostParts, actor: Callable[[str], Awaitable[UserMemory]]) -> None:
        self._parts = parts
        self._actor = actor
        self._seen: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()  # When noted, and times since.

    async def note(self, request: Request) -> Reply:
        """Raises: Unavailable, Indeterminate, StaleEpoch, Corrupt."""
        place, now_ms = (request.user_id, request.by), self._parts.monotonic_ms()
        noted_ms, unsaid = self._seen.get(place, (now_ms - NOTED_EVERY_MS, 0))
        if now_ms - noted_ms < NOTED_EVERY_MS:
            self._seen[place] = (noted_ms, unsaid + 1)
            return {"noted": False}
        self._seen[place] = (now_ms, 0)
        self._seen.move_to_end(place)
        if len(self._seen) > TOKENS_MAX:
            self._seen.popitem(last=False)
        if await self._parts.journal.look(request.user_id) is None:
            return {"noted": False}
        await (await self._actor(request.user_id)).note(times=unsaid + 1)
        return {"noted": True}
