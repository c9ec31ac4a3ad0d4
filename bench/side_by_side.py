"""Our requests and the bare things they cannot be faster than, one after the other in every round.

On a shared machine the disk and the processors are slower at one moment than at the next, by a factor of three for an
fsync. Baselines taken a minute before would make a ratio of two machines; taken in turns they make one of two programs.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.loads import Timing
from persistence.codec import entry_chain
from persistence.embedded_valkey import EmbeddedValkey
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.values import NO_CHAIN, Entry

ENTRY_BYTES = 600
RAY_ECHO = """
import asyncio, os, sys, time
import ray
ray.init("local", num_cpus=1, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False,
         logging_level="error", object_store_memory=80 * 1024 * 1024)
@ray.remote(num_cpus=0)
class Echo:
    async def call(self, batch):
        return batch
async def main():
    echo, body = Echo.remote(), b"x" * 200
    for _ in sys.stdin:
        started = time.perf_counter()
        await asyncio.wrap_future(echo.call.remote(body).future())
        print("TOOK", time.perf_counter() - started, flush=True)
asyncio.run(main())
"""

Once = Callable[[], object]


def in_turns(calls: Mapping[str, Once], rounds: int, warm_up: int = 20) -> dict[str, Timing]:
    """Every call once a round. A call that returns a float says itself how many seconds it took."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(warm_up + rounds):
        for name, call in calls.items():
            started = time.perf_counter()
            told = call()
            took = told if isinstance(told, float) else time.perf_counter() - started
            if number >= warm_up:
                seconds[name].append(took)
    return {name: Timing.of(taken) for name, taken in seconds.items()}


@contextmanager
def bare_append(folder: Path) -> Iterator[Once]:
    """One FCALL that appends one entry, `appendfsync always`, through our own client."""
    with asyncio.Runner() as runner:
        valkey = EmbeddedValkey(folder)
        runner.run(valkey.start())
        client = RedisClient(valkey.url)
        journal = RedisJournal(client)
        runner.run(journal.check())
        head = runner.run(journal.open("bare"))
        body, seq, chain = b"x" * ENTRY_BYTES, 0, NO_CHAIN

        async def append() -> float:
            nonlocal seq, chain
            seq += 1
            entry = Entry(seq, body, entry_chain(chain, seq, body))
            started = time.perf_counter()
            await journal.append("bare", [entry], epoch=head.epoch, after_seq=seq - 1, receipt=None, now_ms=0)
            took = time.perf_counter() - started
            chain = entry.chain
            return took

        try:
            yield lambda: runner.run(append())
        finally:
            runner.run(client.close())
            runner.run(valkey.stop())


@contextmanager
def bare_ray() -> Iterator[Once]:
    """One call to an async actor that returns what it gets, in a cluster of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", RAY_ECHO],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
    )
    assert process.stdin is not None and process.stdout is not None

    def once() -> float:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        line = next(line for line in process.stdout if line.startswith("TOOK "))
        return float(line.split()[1])

    try:
        yield once
    finally:
        process.stdin.close()
        process.wait(30)
