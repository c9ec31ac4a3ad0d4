"""Where the primary is, by asking Sentinels: `redis+sentinel://[user:password@]host:port,host:port/name[/database]`.

Asked anew for every connection that is opened, so that after a failover the next connection goes to the new primary.
User and password are the store's own; the Sentinels are asked without any. What an asynchronous failover loses is not
hidden: a user whose snapshot knows more than the new primary is refused (persistence/recovery.py).
"""

import asyncio
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from redis.asyncio.connection import Connection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError

SCHEMES = ("redis+sentinel", "rediss+sentinel")
PORT = 26_379
ASK_SECONDS = 1.0
"""A Sentinel that takes longer is passed over; the others know the same."""


@dataclass(frozen=True, slots=True)
class Sentinels:
    """Addresses of the Sentinels, the name of what they watch, and how its primary is opened."""

    addresses: tuple[tuple[str, int], ...]
    name: str
    options: dict[str, object]
    tls: bool

    @staticmethod
    def of(url: str) -> "Sentinels":
        """Raises: ValueError for a URL that names no Sentinel or nothing to watch."""
        scheme, _, rest = url.partition("://")
        assert scheme in SCHEMES
        place, _, path = rest.partition("/")
        credentials, at, hosts = place.rpartition("@")
        name, _, database = path.partition("/")
        if not hosts or not name or (database and not database.isdigit()):
            raise ValueError("it looks like redis+sentinel://host:port,host:port/name")
        options: dict[str, object] = {"db": int(database or 0)}
        if at:
            user, _, password = credentials.partition(":")
            options |= {"username": unquote(user) or None, "password": unquote(password) or None}
        return Sentinels(
            tuple(_address(part) for part in hosts.split(",")), unquote(name), options, scheme[:6] == "rediss"
        )

    async def primary(self) -> tuple[str, int]:
        """Host and port of the primary. Raises: RedisError when no Sentinel knows it."""
        for host, port in self.addresses:
            try:
                async with asyncio.timeout(ASK_SECONDS):
                    found = await _asked(host, port, self.name)
            except (RedisError, OSError):
                continue  # This one is gone or cut off; another may be there.
            if found is not None:
                return found
        raise NoConnection("no Sentinel knows a primary")


def _address(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text.strip()}")
    if not parts.hostname:
        raise ValueError("a Sentinel has no host name")
    return parts.hostname, parts.port or PORT


async def _asked(host: str, port: int, name: str) -> tuple[str, int] | None:
    connection = Connection(host=host, port=port, protocol=2, retry=Retry(NoBackoff(), 0))
    try:
        await connection.connect()  # type: ignore[no-untyped-call]
        await connection.send_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)
        answer = await connection.read_response()
    finally:
        await connection.disconnect(nowait=True)
    return None if not answer else (bytes(answer[0]).decode(), int(answer[1]))
