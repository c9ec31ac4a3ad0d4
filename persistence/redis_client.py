"""Commands to one Redis or Valkey server, with errors that say whether a write can have happened.

redis-py's own client cannot tell us: it retries (which wrote one entry twice) and raises the same error for a refused
connection and for a lost reply. So this drives its connections directly, in two steps. Whatever fails before the
command is sent is Unavailable; whatever fails from then on is Indeterminate, except a reply that is itself a refusal.

A connection that was interrupted between command and reply is closed, never reused: the late reply would be read by
the next command, which may belong to another user.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from hiredis import pack_command
from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)

from engine.errors import Indeterminate, RearviewError, Unavailable
from persistence.round_trips import Command, RoundTrips
from persistence.sentinel import SCHEMES, Sentinels

NO_FUNCTION = "no_function"
"""Code of the Unavailable raised when the server lost our function library."""

STORE_FULL = "store_full"
"""Code of the Unavailable raised when the server has reached its `maxmemory`."""

NOT_PRIMARY = "store_read_only"
"""Code of the Unavailable raised when the server is a replica."""

_REFUSALS = (ResponseError, BusyLoadingError, AuthenticationError, AuthorizationError)
_REFUSED: dict[type[RedisError], tuple[str, str]] = {
    OutOfMemoryError: (STORE_FULL, "The store is full (maxmemory); it takes no writes until it has room."),
    ReadOnlyError: (NOT_PRIMARY, "The store is a read-only replica."),
    BusyLoadingError: ("", "The store is still loading its files."),
    NoPermissionError: ("", "The store's user may not run a command that is needed."),
    AuthenticationError: ("", "The store refused the password."),
    AuthorizationError: ("", "The store refused the password."),
}


class RedisClient:
    """A few connections to one server, shared by all users of a process. Belongs to one event loop."""

    def __init__(
        self, url: str, *, connect_timeout_s: float = 2.0, reply_timeout_s: float = 5.0, connections_max: int = 32
    ) -> None:
        """`url` is `unix:///path`, `redis://…`, `rediss://…` or one of Sentinels (persistence/sentinel.py).

        Connects later. Raises: ValueError for another one.
        """
        self._sentinels = Sentinels.of(url) if url.startswith(SCHEMES) else None
        options: dict[str, Any] = dict(self._sentinels.options if self._sentinels else parse_url(url))
        kind = SSLConnection if self._sentinels and self._sentinels.tls else Connection
        self._connection: Callable[..., AbstractConnection] = options.pop("connection_class", kind)
        # Protocol 2 needs no greeting. The timeouts are ours (one per phase, below), so redis-py gets none.
        self._options = {"protocol": 2, "retry": Retry(NoBackoff(), 0), "socket_connect_timeout": connect_timeout_s}
        self._options |= options | {"socket_timeout": None}
        self._connect_timeout_s = connect_timeout_s
        self._reply_timeout_s = reply_timeout_s
        self._free = asyncio.Semaphore(connections_max)
        self._trips = RoundTrips(self._exchange)
        self._idle: list[AbstractConnection] = []  # Used from the end, so that surplus connections stay cold.

    async def write(self, *words: bytes | str | int) -> Any:
        """A command that changes something. Raises Unavailable (surely not done) or Indeterminate (may be done)."""
        return await self._trips.ask(_command(words, Indeterminate))

    async def look_up(self, *words: bytes | str | int) -> Any:
        """A read with a short answer, which shares a round trip with the writes. Raises Unavailable."""
        return await self._trips.ask(_command(words, Unavailable))

    async def read(self, *words: bytes | str | int) -> Any:
        """A command that may be repeated at will, so that every trouble is Unavailable. Has a connection to itself."""
        (answer,) = await self._exchange([_command(words, Unavailable)])
        if isinstance(answer, RearviewError):
            raise answer
        return answer

    async def close(self) -> None:
        """Close the idle connections; commands under way finish on theirs."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.disconnect()

    async def _exchange(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands in one write and read their replies; each reply may be an error of our tree instead."""
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                connection = await self._take()
        except (RedisError, OSError) as error:  # The builtin TimeoutError is an OSError.
            sentence = _cannot_reach(error)
            return [Unavailable.of(sentence) for _ in commands]
        answers: list[Any] = []
        clean = False
        try:
            async with asyncio.timeout(self._reply_timeout_s):
                await connection.send_packed_command([command.packed for command in commands], check_health=False)
                for command in commands:
                    answers.append(await _reply(connection, command))
            # One that was the primary and is a replica now stays one: let the next connection look for the new one.
            clean = not any(isinstance(answer, Unavailable) and answer.code == NOT_PRIMARY for answer in answers)
        except (RedisError, OSError):
            lost = "The store did not answer; the connection was lost or too slow."
            answers += [command.lost.of(lost) for command in commands[len(answers) :]]
        finally:
            # Also on cancellation, which is why this is no `except`.
            if clean:
                self._idle.append(connection)
            else:
                await connection.disconnect(nowait=True)
            self._free.release()
        return answers

    async def _take(self) -> AbstractConnection:
        """A connection that is connected and has nothing to read. Raises RedisError, OSError."""
        await self._free.acquire()
        ready = False
        try:
            connection = await self._connected()
            ready = True
            return connection
        finally:
            if not ready:
                self._free.release()

    async def _connected(self) -> AbstractConnection:
        while self._idle:
            connection = self._idle.pop()
            try:
                if connection.is_connected and not await connection.can_read():
                    return connection
            except (RedisError, OSError):
                pass  # The server closed it while it was idle. Nothing was sent on it; take another.
            await connection.disconnect(nowait=True)
        options = self._options
        if self._sentinels is not None:
            host, port = await self._sentinels.primary()
            options = {**options, "host": host, "port": port}
        connection = self._connection(**options)
        await connection.connect()  # type: ignore[no-untyped-call]
        return connection


def _command(words: tuple[bytes | str | int, ...], lost: type[RearviewError]) -> Command:
    return Command(pack_command(words), lost)  # type: ignore[arg-type] # Its stub forgets the dots of the tuple.


async def _reply(connection: AbstractConnection, command: Command) -> Any:
    """The next reply. A refusal leaves the connection in order; anything else is raised."""
    try:
        return await connection.read_response()
    except _REFUSALS as error:
        return _refusal(error, command.lost)


def _cannot_reach(error: Exception) -> str:
    if isinstance(error, _REFUSALS):
        for kind, (_, sentence) in _REFUSED.items():
            if isinstance(error, kind):
                return sentence
    return "The store cannot be reached."


def _refusal(error: RedisError, lost: type[RearviewError]) -> RearviewError:
    """What a refusing reply means. Only its first word is kept: the rest may hold keys, and keys hold user ids."""
    for kind, (code, sentence) in _REFUSED.items():
        if isinstance(error, kind):
            return Unavailable.of(sentence, code=code)
    text = str(error)
    if text.startswith("Function not found"):
        return Unavailable.of("The store lost the journal's functions.", code=NO_FUNCTION)
    if " script: " in text:
        # A script that broke half-way is not rolled back.
        return lost.of("A function of the journal failed inside the store.")
    if text.startswith("MISCONF"):
        return Unavailable.of("The store cannot write to its disk, so it takes no writes.")
    word = text.split(" ", 1)[0]
    return Unavailable.of(f"The store refused the command ({word if word.isupper() else 'error'}).")
