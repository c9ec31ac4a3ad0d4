"""A whole service in one process: actors over plain stores, HTTP and the console, on a real port where one is wanted.

Scores are those of the real policy and the bundled table; document vectors are the table's stand-ins, so that no
model runs.
"""

import asyncio
import itertools
import secrets
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np
import uvicorn
from fastapi import FastAPI

from actors.directory import Directory
from actors.local_hosts import LocalHosts
from actors.parts import HostParts
from actors.placement import Placement
from adapters.console.app import console_routes
from adapters.console.parts import ConsoleParts
from adapters.http.app import create_app
from adapters.http.parts import HttpParts
from adapters.models.query_table import bundled_table
from adapters.models.space import bundled_space
from adapters.rates import Rates
from adapters.tokens import TokenBook
from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace
from engine.vectors import VectorPolicy
from persistence.plain_journal import PlainJournal, PlainSchedule
from persistence.plain_snapshots import PlainSnapshots
from persistence.recovery import Recover
from tests.adapters.http.service import Store

DAY_MS = 86_400_000
HOST = "http://127.0.0.1:8100"
_numbers = itertools.count(1)
# What `rearview.health` tells of a service with two hosts, one of them lost.
FIGURES: dict[str, object] = {
    "hosts": [
        {
            "name": "host-0",
            "up": True,
            "pid": 4711,
            "live_users": 12,
            "hydrated": 30,
            "passivated": 18,
            "damaged": 0,
            "vectors_waiting": 3,
            "judgements_waiting": 0,
            "snapshots": 2,
            "failures": 0,
        },
        {"name": "host-1", "up": False},
    ],
    "store": {
        "up": True,
        "problem": "",
        "figures": {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"},
    },
    "durability": "strict",
    "models": {
        "embedder": "bundled",
        "bundled": True,
        "query_encoder": "static",
        "judge": "",
        "reranker": "",
        "scoring": "off",
        "up": True,
        "purposes": [],
    },
    "latency": [
        {
            "op": "search",
            "count": 900,
            "p50": 1.4,
            "p99": 48.0,
            "edges": [1.0, 2.5, 5.0, 10.0, 25.0, 50.0, None],
            "counts": [300, 380, 120, 60, 25, 14, 1],
        }
    ],
}


class TableEmbedder:
    """Document vectors by the table."""

    @property
    def space(self) -> EmbeddingSpace:
        return bundled_space()

    def passages(self, texts: Sequence[str]) -> Float32Array:
        return np.array([bundled_table().stand_in(text) for text in texts], np.float32)

    def query(self, text: str) -> Float32Array:
        return bundled_table().stand_in(text)


@dataclass(slots=True)
class Console:
    """The application, and the way to its actors and tokens that a test takes to prepare what a page shows."""

    app: FastAPI
    directory: Directory
    tokens: TokenBook
    token: str
    shift_ms: int = 0

    async def ask(self, user: str, op: str, args: Mapping[str, object] | None = None) -> dict[str, Any]:
        return await self.directory.ask(user, op, args or {})

    async def write(self, user: str, content: str, **more: object) -> dict[str, Any]:
        """Keep one memory, whatever the gate would say of it; returns it."""
        record = {"id": f"m{next(_numbers)}", "content": content, "tier": "semantic", "source": "user", **more}
        reply = await self.ask(user, "import_many", {"records": [record]})
        assert reply["imported"] == 1, reply
        return await self.ask(user, "get", {"memory_id": record["id"]})

    def now_ms(self) -> int:
        """The wall clock, moved by a test."""
        return time.time_ns() // 1_000_000 + self.shift_ms


@asynccontextmanager
async def running(**console_parts: object) -> AsyncIterator[Console]:
    """A service on this loop, without a port."""
    journal, snapshots, schedule = PlainJournal(), PlainSnapshots(), PlainSchedule()
    numbers = itertools.count(1)
    made: list[Console] = []

    def now_ms() -> int:
        return made[0].now_ms() if made else time.time_ns() // 1_000_000

    def parts(_: str) -> HostParts:
        return HostParts(
            journal=journal,
            snapshots=snapshots,
            recovery=Recover(journal, snapshots),
            schedule=schedule,
            embedder=TableEmbedder,
            static=bundled_table(),
            space=bundled_space(),
            now_ms=now_ms,
            monotonic_ms=lambda: time.monotonic_ns() / 1e6,
            new_id=lambda: f"id-{next(numbers)}",
            vector_policy=VectorPolicy(graph_above=1_000_000),  # Graphs cost seconds, and no page shows them.
        )

    hosts = LocalHosts(parts)
    directory = Directory(hosts, Placement.shared(1))
    ids = itertools.count(1)
    tokens = TokenBook(
        Store(), now_ms=now_ms, new_id=lambda: f"t{next(ids)}", new_token=lambda: "rv_" + secrets.token_urlsafe(32)
    )
    token, _ = await tokens.create(users=("*",), role="admin")
    rates = Rates(now_ms=now_ms)
    console = ConsoleParts(
        directory=directory,
        verify=tokens.verify,
        rates=rates,
        now_ms=now_ms,
        new_id=lambda: f"form-{next(ids)}-{secrets.token_hex(4)}",
        new_secret=lambda: secrets.token_urlsafe(32),
        **console_parts,  # type: ignore[arg-type]
    )
    app = create_app(
        HttpParts(
            directory=directory,
            tokens=tokens,
            rates=rates,
            now_ms=now_ms,
            new_id=lambda: f"r{next(ids)}",
            extra_routes=console_routes(console),
        )
    )
    made.append(Console(app, directory, tokens, token))
    try:
        yield made[0]
    finally:
        await hosts.stop()


def browser_of(app: FastAPI, **headers: str) -> httpx.AsyncClient:
    """A client that keeps cookies and sends what a browser sends with a form."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url=HOST, headers={"Origin": HOST, "Accept-Language": "en", **headers}
    )


async def sign_in(client: httpx.AsyncClient, token: str) -> httpx.Response:
    return await client.post("/console/sign-in", data={"token": token})


def mark_of(page: httpx.Response) -> str:
    """The session's mark in a page's forms."""
    return page.text.split('name="csrf" value="', 1)[1].split('"', 1)[0]


@dataclass(slots=True)
class Served:
    """A service on a port, in a thread of its own; `do` runs something on its loop."""

    console: Console
    url: str
    loop: asyncio.AbstractEventLoop

    @property
    def token(self) -> str:
        return self.console.token

    def do(self, work: Any, seconds: float = 60) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(seconds)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def served(**console_parts: object) -> Iterator[Served]:
    """A service on a free port of the loopback."""
    up, down = threading.Event(), threading.Event()
    found: list[Served] = []

    async def serve() -> None:
        async with running(**console_parts) as console:
            config = uvicorn.Config(console.app, host="127.0.0.1", port=0, log_level="warning", access_log=False)
            server = _Server(config)
            serving = asyncio.create_task(server.serve())
            while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it.
                await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            found.append(Served(console, f"http://127.0.0.1:{port}", asyncio.get_running_loop()))
            up.set()
            await asyncio.to_thread(down.wait)
            server.should_exit = True
            await serving

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert up.wait(30), "the service did not start"
    try:
        yield found[0]
    finally:
        down.set()
        thread.join(30)
