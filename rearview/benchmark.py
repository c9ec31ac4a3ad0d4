"""`rearview bench`: how fast a running service answers, from this machine.

Fills a user of its own with made-up memories, measures, and erases that user. Nobody else's memories are touched. What
is measured includes this program: on the service's own machine it takes about a core.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import asdict
from itertools import islice

from adapters.cli.connection import Connection, NoConnection, find_connection
from adapters.cli.show import printable
from adapters.http.client import ProblemError, RearviewClient
from rearview.benchmark_load import Latency, LoadError, Wire, latency, throughput
from rearview.clock import new_id, precise_ms
from rearview.evaluate import progress
from rearview.made_up import queries, statements

DONE, REFUSED, WRONG_USE = 0, 1, 2
POLL_SECONDS = 0.5
ONE_QUESTION = "any good place for dinner?"

Figures = dict[str, Latency | float]


def bench(args: argparse.Namespace) -> int:
    """Measure the service that the flags, the environment or the data directory name."""
    try:
        connection = find_connection(args)
        figures = asyncio.run(_measured(connection, args))
    except NoConnection as error:
        print(f"rearview: {error}", file=sys.stderr)
        return WRONG_USE
    except ProblemError as error:
        print(f"rearview: {printable(error.detail)} [{printable(error.code)}]", file=sys.stderr)
        return REFUSED
    except (LoadError, OSError) as error:
        print(f"rearview: {printable(str(error))}", file=sys.stderr)
        return REFUSED
    print(
        json.dumps({name: asdict(f) if isinstance(f, Latency) else f for name, f in figures.items()})
        if args.json
        else _shown(figures, args)
    )
    return DONE


async def _measured(connection: Connection, args: argparse.Namespace) -> Figures:
    user = f"bench-{new_id()}"
    async with RearviewClient(connection.url, connection.token, user=user) as client:
        try:
            await client.import_lines(_lines(args.memories))
            await _settled(client)
            return await _figures(connection, f"/v1/users/{user}", args)
        finally:
            await client.erase()


async def _lines(count: int) -> AsyncIterator[bytes]:
    for text in islice(statements(), count):
        yield json.dumps({"content": text}, ensure_ascii=False).encode() + b"\n"


async def _settled(client: RearviewClient) -> None:
    """Wait until every memory has its own vector: measure the finished state."""
    while left := (await client.call("GET", "/stats"))["vectors_pending"]:
        progress(f"{left} memories wait for their vectors")
        await asyncio.sleep(POLL_SECONDS)


async def _figures(connection: Connection, prefix: str, args: argparse.Namespace) -> Figures:
    figures: Figures = {}
    search, clock_ms = f"{prefix}/search", precise_ms
    async with AsyncExitStack() as open_wires:
        wires = [
            await open_wires.enter_async_context(Wire(connection.url, connection.token))
            for _ in range(args.connections)
        ]
        first = wires[0]
        figures["search, new texts"] = await latency(first, search, _questions(2), args.calls, clock_ms=clock_ms)
        figures["search, one text"] = await latency(first, search, _question(), args.calls, clock_ms=clock_ms)
        rate = await throughput(wires, search, _questions(3), args.seconds, clock_ms=clock_ms)
        figures["searches a second, new texts"] = rate
        rate = await throughput(wires, search, _question(), args.seconds, clock_ms=clock_ms)
        figures["searches a second, one text"] = rate
        # Last, because every write is a memory more to search.
        writes = f"{prefix}/memories"
        figures["write"] = await latency(first, writes, _statements(), args.calls, clock_ms=clock_ms)
    return figures


def _questions(seed: int) -> Iterator[object]:
    return ({"query": text} for text in queries(seed))


def _question() -> Iterator[object]:
    while True:
        yield {"query": ONE_QUESTION}


def _statements() -> Iterator[object]:
    return ({"content": text} for text in statements(seed=7))


def _shown(figures: Figures, args: argparse.Namespace) -> str:
    lines = [f"{args.memories} memories, {args.connections} connections"]
    for name, figure in figures.items():
        if isinstance(figure, Latency):
            lines.append(f"{name:32} p50 {figure.p50:7.2f} ms   p99 {figure.p99:7.2f} ms   ({figure.calls} calls)")
        else:
            lines.append(f"{name:32} {figure:,.0f}")
    return "\n".join(lines)
