"""Many users: 100,000 known, 5,000 live, in one host with a real store and real files. `python -m bench scale`.

Known users are clones: one user is made through the host, and the entries of its journal are appended for the others.
The model's vectors are not made meanwhile (the host's background work does not run); stand-ins take the same room.
Where bringing back from a snapshot is measured, the snapshot holds vectors, as it does once the model has made them.
"""

import asyncio
import gc
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from actors.host import MemoryHost
from actors.replies import Reply
from actors.requests import Request
from engine.state import place_vector
from persistence.codec import entry_chain
from persistence.embedded_valkey import EmbeddedValkey
from persistence.redis_client import RedisClient
from persistence.values import Entry
from rearview.made_up import queries, statements
from rearview.settings import EncryptionSettings, RedisSettings, Settings
from rearview.wiring import host_parts

KEY = "ab" * 32
RECORDS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many of everything."""

    known: int = 100_000
    live: int = 5_000
    few: int = 50
    memories: int = 100
    memories_known: int = 5
    operations: int = 3_000
    clients: int = 8


def resident_mb() -> float:
    """What this process holds, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def ask(host: MemoryHost, user: str, op: str, args: dict[str, object]) -> Reply:
    return await host.run(Request(0, user, op, args))


async def fill(host: MemoryHost, user: str, count: int) -> None:
    """Give a user so many memories, by import."""
    texts = statements(seed=len(user))
    for start in range(0, count, RECORDS_AT_ONCE):
        many = min(RECORDS_AT_ONCE, count - start)
        records = [{"line": line, "content": next(texts), "tier": "semantic"} for line in range(1, many + 1)]
        await ask(host, user, "import_many", {"records": records})


async def cloned(host: MemoryHost, template: str, users: Sequence[str]) -> None:
    """Append the template's entries for others; 64 at a time share round trips and flushes."""
    journal = host.parts.journal
    bodies = [entry.body async for entry in journal.read(template, 0)]

    async def one(user: str) -> None:
        head = await journal.open(user)
        chain, entries = head.chain, []
        for seq, body in enumerate(bodies, start=1):
            chain = entry_chain(chain, seq, body)
            entries.append(Entry(seq, body, chain))
        await journal.append(user, entries, epoch=head.epoch, after_seq=0, receipt=None, now_ms=0)

    for start in range(0, len(users), 64):
        await asyncio.gather(*(one(user) for user in users[start : start + 64]))


async def mixed(host: MemoryHost, users: Sequence[str], sizes: Sizes) -> tuple[list[float], list[float]]:
    """Nine searches to one write over random users; seconds of each search and of each write."""
    dice, asked, texts = random.Random(7), queries(), statements(seed=99)
    searches: list[float] = []
    writes: list[float] = []

    async def client(count: int) -> None:
        for _ in range(count):
            user, started = dice.choice(users), time.perf_counter()
            if dice.random() < 0.1:
                await ask(host, user, "write", {"content": next(texts), "tier": "semantic"})
                writes.append(time.perf_counter() - started)
            else:
                await ask(host, user, "search", {"query": next(asked), "top_k": 5})
                searches.append(time.perf_counter() - started)
            await asyncio.sleep(0)

    await asyncio.gather(*(client(sizes.operations // sizes.clients) for _ in range(sizes.clients)))
    return searches, writes


def told(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"p50 {statistics.median(ordered) * 1e3:6.2f} ms  p99 {ordered[int(len(ordered) * 0.99)] * 1e3:6.2f} ms"


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


async def with_vectors(host: MemoryHost, user: str) -> None:
    """As if the model had made this user's vectors: its snapshot holds them, and no stand-ins are made again."""
    actor = await host.users.actor(user)
    for one in list(actor.state.unembedded):
        text = actor.state.memories[one].content
        place_vector(actor.state, one, text, host.parts.static.stand_in(text))
    actor.vectors_placed += 1


async def hydration(host: MemoryHost, user: str, again: int = 5) -> float:
    """The least seconds of bringing one user back from storage."""
    took = []
    await with_vectors(host, user)
    for _ in range(again):
        for actor in list(host.users):
            if actor.user_id == user:
                await host.users.let_go(actor, "idle")
        gc.collect()
        took.append(await timed(lambda: host.users.actor(user)))
    return min(took)


async def run(sizes: Sizes) -> None:
    with tempfile.TemporaryDirectory(prefix="rv-scale-") as folder:
        place = Path(folder)
        server = EmbeddedValkey(place)
        await server.start()
        key = place / "key"
        key.write_text(KEY)
        key.chmod(0o600)
        settings = Settings(
            data_dir=folder,
            redis=RedisSettings(url=server.url),
            encryption=EncryptionSettings(enabled=False, key_file=str(key)),
        )
        parts = host_parts(settings.model_dump_json())
        limits = replace(parts.limits, live_users_max=sizes.live + 10, memory_bytes_max=0)
        host = MemoryHost(replace(parts, limits=limits))
        try:
            await measure(host, sizes, server)
        finally:
            await server.stop()


async def measure(host: MemoryHost, sizes: Sizes, server: EmbeddedValkey) -> None:
    await fill(host, "template", sizes.memories)
    await fill(host, "small", sizes.memories_known)
    live = [f"live-{n}" for n in range(sizes.live)]
    known = [f"known-{n}" for n in range(sizes.known - sizes.live)]
    took = await timed(lambda: cloned(host, "template", live)) + await timed(lambda: cloned(host, "small", known))
    client = RedisClient(server.url)
    used = int(bytes(await client.read("INFO", "memory")).decode().split("used_memory:", 1)[1].split()[0])
    await client.close()
    print(f"{sizes.known:,} known users appended in {took:.0f} s; the store holds {used / 1e6:.0f} MB", flush=True)
    few = live[: sizes.few]
    for user in few:
        await host.users.actor(user)
    await mixed(host, few, replace(sizes, operations=400))
    searches, writes = await mixed(host, few, sizes)
    base = sorted(searches)[int(len(searches) * 0.99)]
    print(f"{sizes.few:>6,} live: search {told(searches)}   write {told(writes)}", flush=True)
    gc.collect()
    before = resident_mb()
    rest = live[sizes.few :]

    async def wake() -> None:
        await asyncio.gather(*(host.users.actor(user) for user in rest))

    took = await timed(wake)
    gc.collect()
    each = (resident_mb() - before) / len(rest)
    print(f"hydrated {len(rest) / took:,.0f} users a second; {each:.3f} MB a live user; RSS {resident_mb():,.0f} MB")
    gc.freeze()
    searches, writes = await mixed(host, live, sizes)
    ratio = sorted(searches)[int(len(searches) * 0.99)] / base
    print(f"{len(live):>6,} live: search {told(searches)}   write {told(writes)}   p99 {ratio:.2f} x", flush=True)
    cold = [await timed(lambda user=user: ask(host, user, "list", {})) for user in known[:300]]  # type: ignore[misc]
    print(f"first answer for a cold user of {sizes.memories_known} memories: {told(cold)}", flush=True)
    for count in (1_000, 10_000):
        user = f"large-{count}"
        await fill(host, user, count)
        print(f"hydrate {count:,} memories from a snapshot: {await hydration(host, user) * 1e3:.0f} ms", flush=True)


def scale(known: int, live: int) -> None:
    """Print everything."""
    asyncio.run(run(Sizes(known=known, live=live)))
