"""What sealing costs: an entry, and a snapshot of 10,000 memories with their vectors.

    python -m bench.sealing_bench [--memories 10000]

Processor time of one thread, the best of several rounds. The baselines of the same run are encoding the same entry and
reading the same snapshot back without sealing.
"""

import argparse
import os
import time
from collections.abc import Callable

import numpy as np

from engine.events import MemoryWritten
from engine.memory import Category, Memory, Source, Status, Tier
from persistence.codec import decode_events, decode_state, encode_events, encode_state
from persistence.frame import frame, unframe
from persistence.sealing import DataKey, Sealer
from persistence.values import NO_CHAIN, Snapshot

ROUNDS = 5
NOW_MS = 1_760_000_000_000


def memory(number: int) -> Memory:
    return Memory(
        memory_id=f"{number:024x}",
        content=f"My locker {number} in the basement of the archive opens with the number {number * 7919}.",
        tier=Tier.SEMANTIC,
        category=Category.FACT,
        source=Source.USER,
        confidence=1.0,
        importance=0.5,
        status=Status.ACTIVE,
        created_at_ms=NOW_MS,
        updated_at_ms=NOW_MS,
        said_at_ms=NOW_MS,
        valid_from_ms=NOW_MS,
    )


def best_us(work: Callable[[], object], times: int) -> float:
    """Microseconds of processor time for one call."""
    found = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        for _ in range(times):
            work()
        found.append((time.thread_time() - began) / times * 1e6)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=10_000)
    count = parser.parse_args().memories
    sealer = Sealer("alice", DataKey(b"key id 1", os.urandom(32)), seals=True, random_bytes=os.urandom)
    event = [MemoryWritten(memory(1))]
    body = encode_events(event)
    sealed = sealer.seal_entry(7, body)
    print(f"entry of {len(body)} bytes: encode {best_us(lambda: encode_events(event), 2_000):.1f} us")
    print(f"  seal {best_us(lambda: sealer.seal_entry(7, body), 2_000):.1f} us, {len(sealed) - len(body)} bytes more")
    print(f"  decode {best_us(lambda: decode_events(body), 2_000):.1f} us")
    print(f"  open {best_us(lambda: sealer.open_entry(7, sealed), 2_000):.1f} us")
    rows = np.random.default_rng(1).standard_normal((count, 384), dtype=np.float32)
    plain = Snapshot(
        "alice", 1, 7, NO_CHAIN, "e5", encode_state(map(memory, range(count)), {}), rows.tobytes(),
        tuple(f"{number:024x}" for number in range(count)),
    )  # fmt: skip
    stored = sealer.seal_snapshot(plain)
    data = b"".join(frame(plain))
    print(f"snapshot of {count} memories, {len(data) / 1e6:.1f} MB:")
    print(f"  read and check {best_us(lambda: unframe(data, 'alice'), 1) / 1e3:.1f} ms")
    print(f"  decode {best_us(lambda: decode_state(plain.state), 1) / 1e3:.1f} ms")
    print(f"  seal {best_us(lambda: sealer.seal_snapshot(plain), 1) / 1e3:.1f} ms")
    print(f"  open {best_us(lambda: sealer.open_snapshot(stored), 1) / 1e3:.1f} ms")


if __name__ == "__main__":
    main()
