"""Whether a Ray cluster of somebody else's is there. Ray itself goes on trying for minutes, or waits for the dead."""

import asyncio
import socket

from engine.errors import Unavailable

KNOCK_SECONDS = 5.0  # How long a cluster may take to accept a connection.


def host_and_port(address: str) -> tuple[str, int] | None:
    """Of `host:port`; None for another form, which is left to Ray."""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in address or not port.isdigit():
        return None
    return host.strip("[]"), int(port)


def must_answer(address: str) -> None:
    """Knock before Ray does. Raises: Unavailable."""
    where = host_and_port(address)
    if where is None:
        return
    try:
        socket.create_connection(where, timeout=KNOCK_SECONDS).close()
    except (OSError, OverflowError):
        raise Unavailable.of(f"No Ray cluster answers at {address} (ray.address).", code="host_lost") from None


async def answers(address: str) -> bool:
    """Whether the cluster at `address` accepts a connection; True where that cannot be told."""
    where = host_and_port(address)
    if where is None:
        return True
    try:
        async with asyncio.timeout(KNOCK_SECONDS):
            _, writer = await asyncio.open_connection(*where)
    except OSError:
        return False
    writer.close()
    return True
