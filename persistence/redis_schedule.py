"""Which user has something due next, kept in Redis so that users nobody holds in memory are woken on time."""

from persistence import keys
from persistence.redis_client import RedisClient


class RedisSchedule:
    """See `actors.ports.Schedule`. One sorted set for all users: 100,000 of them take about 10 MB."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    async def set_due(self, user_id: str, due_ms: int | None) -> None:
        """When this user is next due; None takes it off. Raises Unavailable (setting it again is harmless)."""
        member = user_id.encode("utf-8")
        if due_ms is None:
            await self._client.read("ZREM", keys.SCHEDULE, member)
        else:
            await self._client.read("ZADD", keys.SCHEDULE, due_ms, member)

    async def due(self, now_ms: int, limit: int) -> list[str]:
        """Users due by now, the longest overdue first. They stay until `set_due` moves them. Raises Unavailable."""
        found = await self._client.read("ZRANGEBYSCORE", keys.SCHEDULE, "-inf", now_ms, "LIMIT", 0, limit)
        return [bytes(member).decode("utf-8") for member in found]
