"""Bearer tokens in Redis: SHA-256 of the token -> its record. The token itself is never here."""

from collections.abc import Mapping

from persistence import keys
from persistence.redis_client import RedisClient


class RedisTokens:
    """Few and small, so they are read all at once; a service looks again every few seconds."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._counted_day = 0

    async def put(self, digest_hex: str, record: bytes) -> None:
        """Durable when it returns, as the journal is. Raises Unavailable, Indeterminate."""
        await self._client.write("HSET", keys.TOKENS, digest_hex, record)

    async def get_all(self) -> dict[str, bytes]:
        """Every record by digest. Raises Unavailable."""
        flat = await self._client.read("HGETALL", keys.TOKENS)
        digests = [bytes(digest).decode("ascii") for digest in flat[::2]]
        return dict(zip(digests, flat[1::2], strict=True))

    async def delete(self, digest_hex: str) -> bool:
        """Whether there was one. Raises Unavailable, Indeterminate."""
        return bool(await self._client.write("HDEL", keys.TOKENS, digest_hex))

    async def count_use(self, day: int, used: Mapping[str, int]) -> dict[str, int]:
        """Add requests of this day (days since 1970-01-01, UTC) by token id; the totals of the same tokens.

        Few tokens have a quota, so each is a command of its own. Raises Unavailable, Indeterminate.
        """
        totals = {
            token_id: int(await self._client.write("HINCRBY", keys.use_of(day), token_id, number))
            for token_id, number in used.items()
        }
        if day != self._counted_day:
            await self._client.write("DEL", keys.use_of(day - 2))  # Somewhere it may still be yesterday.
            self._counted_day = day
        return totals
