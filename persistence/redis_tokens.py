"""Bearer tokens in Redis: SHA-256 of the token -> its record. The token itself is never here."""

from persistence import keys
from persistence.redis_client import RedisClient


class RedisTokens:
    """Few and small, so they are read all at once; a service looks again every few seconds."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

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
