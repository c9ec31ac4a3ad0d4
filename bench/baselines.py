"""The bare things that a request cannot be faster than, measured in the same run."""

import asyncio
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.loads import Timing, timed
from persistence.codec import entry_chain
from persistence.embedded_valkey import EmbeddedValkey
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.values import NO_CHAIN, Entry

ECHO = """
import sys, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
class Body(BaseModel):
    query: str
app = FastAPI()
@app.post("/echo")
async def echo(body: Body):
    return {"query": body.query}
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", loop="uvloop", http="httptools")
"""

RAY_ECHO = """
import asyncio, os, statistics, sys, time
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
import ray
ray.init(address="local", num_cpus=1, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False,
         logging_level="error", object_store_memory=80 * 1024 * 1024)
@ray.remote(num_cpus=0)
class Echo:
    async def call(self, batch):
        return batch
async def main():
    echo, body, took = Echo.remote(), b"x" * 200, []
    for count in range(int(sys.argv[1]) + 50):
        started = time.perf_counter()
        await asyncio.wrap_future(echo.call.remote(body).future())
        if count >= 50:
            took.append(time.perf_counter() - started)
    print("TOOK", *took)
asyncio.run(main())
"""


@contextmanager
def bare_fastapi(port: int) -> Iterator[str]:
    """FastAPI and uvicorn with uvloop and httptools, a pydantic body, nothing behind it."""
    process = subprocess.Popen([sys.executable, "-c", ECHO, str(port)])
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(url + "/openapi.json", timeout=1).close()
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def bare_ray(calls: int) -> Timing:
    """One async actor that returns what it gets, called one after another from one driver."""
    done = subprocess.run(
        [sys.executable, "-c", RAY_ECHO, str(calls)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("TOOK "))
    return Timing.of([float(word) for word in line.split()[1:]])


def bare_append(folder: Path, calls: int) -> Timing:
    """One FCALL that appends one entry of 600 bytes, `appendfsync always`, through our own client."""

    async def run() -> Timing:
        valkey = EmbeddedValkey(folder)
        await valkey.start()
        client = RedisClient(valkey.url)
        journal = RedisJournal(client)
        await journal.check()
        head = await journal.open("bench")
        seconds, chain, body = [], NO_CHAIN, b"x" * 600
        for seq in range(1, calls + 1):
            entry = Entry(seq, body, entry_chain(chain, seq, body))
            started = time.perf_counter()
            await journal.append("bench", [entry], epoch=head.epoch, after_seq=seq - 1, receipt=None, now_ms=0)
            seconds.append(time.perf_counter() - started)
            chain = entry.chain
        await client.close()
        await valkey.stop()
        return Timing.of(seconds)

    return asyncio.run(run())


__all__ = ["bare_append", "bare_fastapi", "bare_ray", "timed"]
