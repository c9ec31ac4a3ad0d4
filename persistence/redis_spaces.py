"""In which embedding space memories are, and into which they are being moved: one small record for all users."""

from persistence import keys
from persistence.redis_client import RedisClient


class RedisSpaces:
    """See `actors.ports.SpaceStore`. Bytes that only `actors.spaces` reads."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    async def read(self) -> bytes | None:
        """The record, or None where nothing was written yet. Raises Unavailable."""
        found = await self._client.read("GET", keys.SPACES)
        return None if found is None else bytes(found)

    async def write(self, record: bytes) -> None:
        """Durable when it returns, as the journal is. Raises Unavailable, Indeterminate."""
        await self._client.write("SET", keys.SPACES, record)
