"""100,000 memories through a real service, in and out: every id and time equal, and the door's memory stays flat.

The host that owns the user must hold the memories; what may not grow is what the stream passes through. Run it with
`python -m pytest --soak -m recovery tests/recovery/test_transfer_soak.py -s` to see the numbers.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.service import Service, running

pytestmark = [pytest.mark.recovery, pytest.mark.soak, pytest.mark.timeout(2_400)]
MEMORIES = 100_000
GROWTH_MAX_BYTES = 100 * 1024 * 1024
FIRST = datetime(2021, 1, 1, tzinfo=UTC)
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident(pid: int) -> int:
    """Resident bytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES


class Highest:
    """The highest resident size of some processes, by name, over what they had at the beginning."""

    def __init__(self, pids: dict[str, int]) -> None:
        self.pids = pids
        self.before = {name: resident(pid) for name, pid in pids.items()}
        self.highest = dict(self.before)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "Highest":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            for name, pid in self.pids.items():
                self.highest[name] = max(self.highest[name], resident(pid))

    def growth(self, name: str) -> int:
        return self.highest[name] - self.before[name]


def record(number: int) -> dict[str, object]:
    at = (FIRST + timedelta(minutes=number)).isoformat(timespec="milliseconds")
    return {
        "id": f"memory-{number:06d}",
        "content": f"Entry {number}: shelf {number % 977} of hall {number % 31} holds {number * 7} labelled pots.",
        "tier": "semantic",
        "category": "fact",
        "source": "user",
        "created_at": at,
        "updated_at": at,
        "said_at": at,
        "valid_from": at,
        "expires_at": None,
        "confidence": 0.9,
        "tags": [f"t{number % 7}"],
    }


def lines() -> Iterator[bytes]:
    for start in range(0, MEMORIES, 500):
        numbers = range(start, min(start + 500, MEMORIES))
        yield b"".join(json.dumps(record(number)).encode() + b"\n" for number in numbers)


def processes(service: Service) -> dict[str, int]:
    assert service.process is not None
    hosts = service.children("HostActor")
    return {"service": service.process.pid, **{f"host{place}": pid for place, pid in enumerate(hosts)}}


def say(title: str, watched: Highest, seconds: float) -> None:
    grown = ", ".join(f"{name} {watched.growth(name) / 2**20:.0f} MB" for name in watched.pids)
    sys.stdout.write(f"\n{title}: {MEMORIES / seconds:.0f} memories/s, growth {grown}\n")
    sys.stdout.flush()


def test_a_hundred_thousand_memories_come_and_go_in_flat_memory(tmp_path: Path) -> None:
    with running(tmp_path) as service, service.client("big") as client:
        client.timeout = httpx.Timeout(2_000.0)
        client.post("/import", content=json.dumps(record(MEMORIES)).encode())
        client.delete(f"/memories/memory-{MEMORIES:06d}", params={"purge": "true"})
        started = time.monotonic()
        with Highest(processes(service)) as importing:
            reply = client.post("/import", content=lines(), headers={"Content-Type": "application/x-ndjson"})
        say("import", importing, time.monotonic() - started)
        assert (reply.json()["imported"], reply.json()["refused_total"]) == (MEMORIES, 0), reply.text[:500]
        started = time.monotonic()
        seen = 0
        with Highest(processes(service)) as exporting, client.stream("GET", "/export") as stream:
            for line in stream.iter_lines():
                told, given = json.loads(line), record(seen)
                assert told["id"] == given["id"]
                for name in ("content", "tags", "confidence", "source", "tier"):
                    assert told[name] == given[name], name
                for name in ("created_at", "updated_at", "said_at", "valid_from"):
                    assert datetime.fromisoformat(told[name]) == datetime.fromisoformat(str(given[name])), name
                seen += 1
        say("export", exporting, time.monotonic() - started)
        assert seen == MEMORIES
        assert importing.growth("service") < GROWTH_MAX_BYTES
        for name in exporting.pids:
            assert exporting.growth(name) < GROWTH_MAX_BYTES, name
