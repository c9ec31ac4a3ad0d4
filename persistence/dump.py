"""Everything the store holds, as bytes that a store of the same or a newer release takes back.

Redis's own DUMP and RESTORE carry a checksum and a version and know every type of value, so a key added by a later
release is in the backup without a line here.
"""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from engine.errors import Unavailable
from persistence import keys
from persistence.redis_client import RedisClient

SCAN_COUNT = 1000

_DUMP = """
local found = {}
for _, key in ipairs(KEYS) do
  local value = redis.call('DUMP', key)
  if value then found[#found + 1] = {key, redis.call('PTTL', key), value} end
end
return found
"""


class DumpedKey(NamedTuple):
    """One key: its name, the milliseconds it still has to live (0: no end), its value as DUMP gives it."""

    name: bytes
    ttl_ms: int
    value: bytes


async def key_groups(client: RedisClient) -> dict[bytes, list[bytes]]:
    """Key names that must be read together: those of one user, and under `b""` those of the service.

    Every user's group has every ending that any user's has, so a key made after this look is still asked for.
    Raises: Unavailable.
    """
    names = [name async for name in _names(client)]
    of_service = sorted(name for name in names if b"{" not in name)
    split = [name.rpartition(b"}") for name in names if b"{" in name]
    endings = sorted({ending for _, _, ending in split})
    users = sorted({before + brace for before, brace, _ in split})
    return {b"": of_service, **{user: [user + ending for ending in endings] for user in users}}


async def dump(client: RedisClient, names: list[bytes]) -> list[DumpedKey]:
    """The keys that exist, as they are at one moment. Raises: Unavailable."""
    if not names:
        return []
    rows = await client.read("EVAL", _DUMP, len(names), *names)
    return [DumpedKey(bytes(name), max(0, int(ttl)), bytes(value)) for name, ttl, value in rows]


async def is_empty(client: RedisClient) -> bool:
    """Whether the store has no key of ours. Raises: Unavailable."""
    async for _ in _names(client):
        return False
    return True


async def restore(client: RedisClient, dumped: list[DumpedKey]) -> None:
    """Put keys back; twice is as once. Raises: Unavailable (also when the store is older), Indeterminate."""
    for key in dumped:
        await client.write("RESTORE", key.name, key.ttl_ms, key.value, "REPLACE")


async def restoring(client: RedisClient) -> str:
    """Which backup is being put back here, "" for none. Raises: Unavailable."""
    return bytes(await client.read("GET", keys.RESTORING) or b"").decode("ascii", "replace")


async def begin_restoring(client: RedisClient, digest: str) -> None:
    """Say that what is here is half of a backup from now on. Raises: Unavailable, Indeterminate."""
    await client.write("SET", keys.RESTORING, digest)


async def end_restoring(client: RedisClient) -> None:
    """All of it is back. Raises: Unavailable, Indeterminate."""
    await client.write("DEL", keys.RESTORING)


async def refuse_half_restored(client: RedisClient) -> None:
    """Raises: Unavailable when a restore into this store did not come to its end: some users would be missing."""
    if await restoring(client):
        raise Unavailable.of(
            "A restore into this installation did not come to its end. Run `rearview restore` with the same file again."
        )


async def _names(client: RedisClient) -> AsyncIterator[bytes]:
    cursor: Any = b"0"
    while True:
        cursor, found = await client.read("SCAN", cursor, "MATCH", f"{keys.PREFIX}:*", "COUNT", SCAN_COUNT)
        for name in found:
            yield bytes(name)
        if cursor == b"0":
            return
