"""Requests against a running service: one after another for latency, over many connections for throughput.

A minimal HTTP client on bare streams: a full one costs more processor time than the service does for a search, and on
one machine that time is taken from the service. Keep-alive, JSON up, JSON back, nothing else.
"""

import asyncio
import json
import ssl
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

Clock = Callable[[], float]
REPLY_BYTES_MAX = 64 * 1024 * 1024


class LoadError(Exception):
    """The service answered with an error, or not at all. The text says which."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of single calls, one after another."""

    p50: float
    p99: float
    calls: int

    @classmethod
    def of(cls, milliseconds: list[float]) -> "Latency":
        ordered = sorted(milliseconds)
        last = min(len(ordered) - 1, int(len(ordered) * 0.99))
        return cls(statistics.median(ordered), ordered[last], len(ordered))


class Wire:
    """One connection."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self._secure = parts.scheme == "https"
        self._host = parts.hostname or "127.0.0.1"
        self._port = parts.port or (443 if self._secure else 80)
        self._fixed = f"Host: {parts.netloc}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> Self:
        context = ssl.create_default_context() if self._secure else None
        self._streams = await asyncio.open_connection(self._host, self._port, ssl=context)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._streams is not None
        self._streams[1].close()
        await self._streams[1].wait_closed()

    async def post(self, path: str, body: object) -> bytes:
        """Send, and wait for the whole answer. Raises: LoadError; OSError when the connection is lost."""
        assert self._streams is not None, "used outside `async with`"
        reader, writer = self._streams
        data = json.dumps(body, ensure_ascii=False).encode()
        writer.write(f"POST {path} HTTP/1.1\r\n{self._fixed}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            answer = await reader.readexactly(_length(head))
        except asyncio.IncompleteReadError:
            raise LoadError("the service closed the connection") from None
        status = int(head.split(" ", 2)[1])
        if status >= 300:
            raise LoadError(f"HTTP {status}: {_code(answer)}")
        return answer


def _length(head: str) -> int:
    for line in head.split("\r\n"):
        if line.startswith("content-length:"):
            return min(int(line.split(":", 1)[1]), REPLY_BYTES_MAX)
    raise LoadError("the answer does not say its length")


def _code(answer: bytes) -> str:
    try:
        told: Any = json.loads(answer)
    except ValueError:
        return "an answer that is not JSON"
    return str(told.get("code", "?")) if isinstance(told, dict) else "?"


async def latency(wire: Wire, path: str, bodies: Iterator[object], calls: int, *, clock_ms: Clock) -> Latency:
    """One call after another, after a tenth as many that do not count. Raises: LoadError, OSError."""
    for _ in range(max(1, calls // 10)):
        await wire.post(path, next(bodies))
    taken = []
    for _ in range(calls):
        started = clock_ms()
        await wire.post(path, next(bodies))
        taken.append(clock_ms() - started)
    return Latency.of(taken)


async def throughput(
    wires: list[Wire], path: str, bodies: Iterator[object], seconds: float, *, clock_ms: Clock
) -> float:
    """Calls a second over several connections, each sending its next as soon as it is answered.

    Raises: LoadError, OSError.
    """
    started = clock_ms()

    async def drive(wire: Wire) -> int:
        done = 0
        while clock_ms() - started < 1000 * seconds:
            await wire.post(path, next(bodies))
            done += 1
        return done

    total = sum(await asyncio.gather(*map(drive, wires)))
    return total / ((clock_ms() - started) / 1000)
