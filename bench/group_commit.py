"""`python -m bench.group_commit`: appends a second by many writers at one store, and what they share."""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from persistence.codec import entry_chain
from persistence.embedded_valkey import EmbeddedValkey
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.values import Entry

BODY = b"x" * 300  # About what one write's entry takes.


async def writer(journal: RedisJournal, user: str, until: float) -> list[float]:
    """One user's appends, one after another; seconds each."""
    head = await journal.open(user)
    seq, chain, took = 0, head.chain, []
    while time.perf_counter() < until:
        entry = Entry(seq + 1, BODY, entry_chain(chain, seq + 1, BODY))
        started = time.perf_counter()
        await journal.append(user, [entry], epoch=head.epoch, after_seq=seq, receipt=None, now_ms=1)
        took.append(time.perf_counter() - started)
        seq, chain = entry.seq, entry.chain
    return took


async def passes(client: RedisClient) -> int:
    """How often the store's loop went round: it flushes once each time there was something to write."""
    stats = bytes(await client.read("INFO", "stats")).decode()
    return int(stats.split("eventloop_cycles:", 1)[1].split()[0])


async def measure(url: str, clients: int, seconds: float) -> str:
    client = RedisClient(url)
    journal = RedisJournal(client)
    await journal.check()
    before, worked = await passes(client), time.process_time()
    until = time.perf_counter() + seconds
    rounds = await asyncio.gather(*(writer(journal, f"user-{n}", until) for n in range(clients)))
    worked = time.process_time() - worked
    took = sorted(second for one in rounds for second in one)
    shared = (await passes(client) - before) / len(took)
    await client.close()
    return (
        f"{clients:>3} writers {len(took) / seconds:>7,.0f} a second  p50 {took[len(took) // 2] * 1e3:.2f} ms  "
        f"p99 {took[int(len(took) * 0.99)] * 1e3:.2f} ms  {worked / len(took) * 1e6:.0f} us of our own each  "
        f"{shared:.3f} flushes each"
    )


async def run(seconds: float) -> None:
    for clients in (1, 16, 64):
        with tempfile.TemporaryDirectory() as place:
            server = EmbeddedValkey(Path(place))
            await server.start()
            print(await measure(server.url, clients, seconds), flush=True)
            await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    asyncio.run(run(parser.parse_args().seconds))


if __name__ == "__main__":
    main()
