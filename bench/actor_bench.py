"""What the actors cost: a host by itself, and through Ray with several numbers of calls in flight.

    python -m bench.actor_bench [--memories 1000] [--seconds 3] [--clients 16]

Prints one line per measurement. The baselines of the same run are a bare Ray echo (one call at a time, and coalesced)
and a bare append of the journal. The stores are the real ones in a temporary directory; vectors come from the bundled
table, so nothing waits for the model.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from actors.coalescer import Coalescer, CoalescerLimits
from actors.directory import Directory
from actors.host import MemoryHost
from actors.local_hosts import LocalHosts
from actors.parts import HostLimits, HostParts
from actors.placement import Placement
from actors.ray_runtime import HostSpec, RayRuntime, start_local
from actors.requests import OK, Answer, Request, pack_answers, unpack_requests
from adapters.models.bundled_e5 import BundledE5
from adapters.models.query_table import QueryTable
from adapters.models.space import bundled_space
from engine.errors import Indeterminate, Unavailable
from persistence.codec import entry_chain
from persistence.embedded_valkey import EmbeddedValkey
from persistence.recovery import Recover
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_schedule import RedisSchedule
from persistence.snapshots import SnapshotStore
from persistence.values import Entry
from rearview.clock import new_id, system_now_ms

CITIES = ("Lyon", "Kyoto", "Lagos", "Quito", "Oslo", "Hanoi", "Porto", "Perth")
THINGS = ("the dentist", "a parcel", "my sister", "the landlord", "a new bike", "the choir", "our cat", "the tax form")
Ask = Callable[[int], Awaitable[object]]


def host_parts(settings: str) -> HostParts:
    """Parts with the real stores. Runs in the host's process."""
    values = json.loads(settings)
    client = RedisClient(values["url"])
    journal, snapshots = RedisJournal(client), SnapshotStore.at(values["snapshots"])
    return HostParts(
        journal=journal,
        snapshots=snapshots,
        recovery=Recover(journal, snapshots),
        schedule=RedisSchedule(client),
        embedder=BundledE5 if values["embed"] else _never,
        static=QueryTable.load(),
        space=bundled_space(),
        now_ms=system_now_ms,
        monotonic_ms=lambda: time.monotonic_ns() / 1e6,
        new_id=new_id,
        coverage_min=0.0,
        limits=HostLimits(embed_retry_ms=10**7),
    )


def _never() -> BundledE5:
    raise Unavailable.of("this run measures without the model")


class EchoActor:
    """The least a host can do with a batch."""

    async def call(self, batch: bytes) -> bytes:
        return pack_answers(Answer(r.request_id, OK, {}) for r in unpack_requests(batch))

    async def raw(self, batch: bytes) -> bytes:
        return batch


def text(number: int) -> str:
    return f"Note {number}: {THINGS[number % 8]} is in {CITIES[number // 8 % 8]} on day {number % 28 + 1}"


async def timed(name: str, clients: int, seconds: float, ask: Ask) -> float:
    """Closed loop: each client asks again as soon as it was answered. Returns requests per second."""
    took: list[float] = []
    until = time.perf_counter() + seconds
    number = 0

    async def client() -> None:
        nonlocal number
        while (start := time.perf_counter()) < until:
            number += 1
            await ask(number)
            took.append(time.perf_counter() - start)

    await asyncio.gather(*(client() for _ in range(clients)))
    rate = len(took) / seconds
    ordered = sorted(took)
    p50, p99 = statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.99)] * 1e3
    print(f"{name:58s} {clients:3d} clients {rate:8.0f}/s  p50 {p50:7.2f} ms  p99 {p99:7.2f} ms", flush=True)
    return rate


async def fill(directory: Directory, users: int, memories: int) -> None:
    for user in range(users):
        for start in range(0, memories, 500):
            numbers = range(start, min(start + 500, memories))
            records = [{"line": n, "content": text(n), "tier": "semantic"} for n in numbers]
            await directory.ask(f"user-{user}", "import_many", {"records": records})


def asking(directory: Directory, op: str, users: int) -> Ask:
    async def search(number: int) -> object:
        return await directory.ask(f"user-{number % users}", "search", {"query": f"{THINGS[number % 8]} {number % 97}"})

    async def write(number: int) -> object:
        args = {"content": f"{text(number)} ({time.monotonic_ns()})", "tier": "semantic"}
        return await directory.ask(f"user-{number % users}", "write", args)

    async def stats(number: int) -> object:
        return await directory.ask(f"user-{number % users}", "settings_get", {})

    return {"search": search, "write": write, "nothing": stats}[op]


async def bare_append(url: str, seconds: float) -> None:
    journal = RedisJournal(RedisClient(url))
    head = await journal.open("bare")
    seq, chain = head.seq, head.chain

    async def append(number: int) -> None:
        nonlocal seq, chain
        body = b"x" * 400
        seq += 1
        chain = entry_chain(chain, seq, body)
        await journal.append(
            "bare", [Entry(seq, body, chain)], epoch=head.epoch, after_seq=seq - 1, receipt=None, now_ms=system_now_ms()
        )

    await timed("journal: bare append with fsync", 1, seconds, append)


async def in_process(url: str, place: Path, options: argparse.Namespace) -> None:
    settings = json.dumps({"url": url, "snapshots": str(place / "local"), "embed": False})
    hosts = LocalHosts(lambda name: host_parts(settings))
    directory = Directory(hosts, Placement.shared(1))
    await fill(directory, 8, options.memories)
    for op in ("nothing", "search", "write"):
        await timed(f"host in this process: {op}", 1, options.seconds, asking(directory, op, 8))
    host = (await hosts.host("host-0")).host
    await hydration(host)
    await hosts.stop()


async def hydration(host: MemoryHost) -> None:
    for actor in list(host.users):
        await host.users.let_go(actor, "idle")
    took = []
    for number in range(8):
        start = time.perf_counter()
        actor = await host.users.actor(f"user-{number}")
        took.append((time.perf_counter() - start) * 1e3)
    median = statistics.median(took)
    print(f"hydrate a user of {len(actor.state.memories)} memories: median {median:.1f} ms", flush=True)


async def through_ray(url: str, place: Path, options: argparse.Namespace, runtime: RayRuntime) -> None:
    import ray

    echo = ray.remote(EchoActor).options(num_cpus=0, max_concurrency=1000).remote()

    async def raw(number: int) -> object:
        return await echo.raw.remote(b"x" * 200)

    async def call(batch: bytes) -> bytes:
        answer: Any = await echo.call.remote(batch)
        return bytes(answer)

    for clients in (1, options.clients):
        await timed("bare Ray echo, a call each", clients, options.seconds, raw)
    for in_flight in (1, 2, 4):
        coalescer = Coalescer(call, CoalescerLimits(in_flight_max=in_flight))

        async def coalesced(number: int, coalescer: Coalescer = coalescer) -> object:
            return await coalescer.ask(Request(number, "u", "echo", {}))

        await timed(f"bare Ray echo, coalesced, {in_flight} in flight", options.clients, options.seconds, coalesced)
    placement = Placement.shared(options.hosts)
    await fill(Directory(runtime, placement), 8, options.memories)
    for op in ("nothing", "search", "write"):
        await timed(f"rearview host, {op}", 1, options.seconds, asking(Directory(runtime, placement), op, 8))
        for in_flight in (1, 2, 4):
            directory = Directory(runtime, placement, CoalescerLimits(in_flight_max=in_flight))
            name = f"rearview {options.hosts} hosts, {op}, {in_flight} in flight"
            await timed(name, options.clients, options.seconds, asking(directory, op, 8))
    await runtime.stop_hosts()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--embed", action="store_true", help="let the model make vectors meanwhile")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        token_file = place / "token"
        token_file.write_text("t" * 43)
        asyncio.run(run(place, token_file, options))


async def run(place: Path, token_file: Path, options: argparse.Namespace) -> None:
    server = EmbeddedValkey(place / "valkey")
    await server.start()
    settings = json.dumps({"url": server.url, "snapshots": str(place / "ray-snapshots"), "embed": options.embed})
    spec = HostSpec(Placement.shared(options.hosts), "bench.actor_bench:host_parts", settings)
    start = time.perf_counter()
    runtime = start_local(spec, temp_dir=place / "r", token_file=token_file)
    print(f"Ray started in {time.perf_counter() - start:.1f} s", flush=True)
    try:
        await bare_append(server.url, options.seconds)
        await in_process(server.url, place, options)
        await through_ray(server.url, place, options, runtime)
    except Indeterminate as error:
        print(f"given up: {error.sentence}")
    finally:
        runtime.shutdown()
        await server.stop()


if __name__ == "__main__":
    main()
