"""Maintenance of everyone, now: the users with something due, found by the schedule and seen to by their own actors."""

import asyncio
from collections import Counter
from collections.abc import Callable

from actors.ports import Schedule
from adapters.observed import Asks

USERS_AT_ONCE = 16
USERS_MAX = 100_000
COUNTS = ("expired", "purged", "archived", "consolidated", "compacted", "snapshots")


async def maintain_everyone(directory: Asks, schedule: Schedule, now_ms: Callable[[], int]) -> dict[str, object]:
    """Do whatever is due by now, and count it.

    What a host changed in the last two seconds may not be in the schedule yet; its own sweep sees to that.
    Raises: Unavailable when the schedule or a host cannot be reached; what was done by then stays done.
    """
    places = asyncio.Semaphore(USERS_AT_ONCE)

    async def maintain(user_id: str) -> dict[str, object]:
        async with places:
            return await directory.ask(user_id, "maintain", {})

    users = await schedule.due(now_ms(), USERS_MAX)
    totals: Counter[str] = Counter()
    for reply in await asyncio.gather(*map(maintain, users)):
        totals.update({name: number for name in COUNTS if isinstance(number := reply.get(name), int)})
    return {"users": len(users), **{name: totals[name] for name in COUNTS}}
