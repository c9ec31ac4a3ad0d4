"""Positive controls: the same checks on known-bad settings and planted faults. Each must find something."""

import asyncio
import signal
import time
from pathlib import Path

import persistence.redis_journal
from engine.errors import RearviewError
from persistence.redis_client import RedisClient
from tests.faults.book import text_of
from tests.faults.stage import Server, Stage, until
from tests.faults.store_rows import alter
from tests.faults.table import CONTROL, Outcome, Row, check_host
from tests.faults.wire import Wire

LIBRARY = Path(persistence.redis_journal.__file__).with_name("append.lua").read_text("utf-8")


def never_flushed(stage: Stage) -> Outcome:
    """`appendfsync no` and power loss, with the start-up check that refuses such a store left out."""
    store, outcome = stage.store(shim=True, appendfsync="no"), Outcome()
    host = stage.host(store, checked=False, snapshot_every=100_000)
    stage.writing(host, 300).finish()
    store.lose_power()
    outcome.injections = 1
    store.start()
    host.restart()
    outcome.verdict.add(check_host(stage, host, store, may_lose=True))
    return outcome


def relaxed_read_as_strict(stage: Stage) -> Outcome:
    """`everysec` and power loss, checked as if nothing could be lost."""
    store, outcome = stage.store(shim=True, appendfsync="everysec"), Outcome()
    host = stage.host(store, durability="relaxed", snapshot_every=100_000)
    writing = stage.writing(host, 100_000)
    writing.until_acked(300)
    store.lose_power()
    outcome.injections = 1
    writing.stop()
    store.start()
    host.restart()
    outcome.verdict.add(check_host(stage, host, store, may_lose=True))
    return outcome


def evicted(stage: Stage) -> Outcome:
    """`allkeys-lru` with a full store, with the start-up check left out."""
    store, outcome = stage.store(maxmemory_policy="allkeys-lru", maxmemory="3mb"), Outcome()
    host = stage.host(store, checked=False, snapshot_every=100_000)
    writing = stage.writing(host, 4000, users=200)
    until(lambda: _evicted(store) > 20 or writing.process.poll() is not None, "journals are evicted")
    writing.stop()
    outcome.injections = _evicted(store)
    host.restart()
    outcome.verdict.add(check_host(stage, host, may_lose=True))
    return outcome


def _evicted(store: Server) -> int:
    with store.client() as client:
        return int(client.info("stats")["evicted_keys"])


def library_with(store: Server, good: str, bad: str) -> None:
    """Put the journal's functions into the store with one check taken out."""
    assert LIBRARY.count(good) == 1
    with store.client() as client:
        client.execute_command("FUNCTION", "LOAD", "REPLACE", LIBRARY.replace(good, bad))


def no_fence(stage: Stage) -> Outcome:
    """The epoch is not checked, nor the expected seq: an owner that was replaced goes on writing."""
    store, outcome = stage.store(), Outcome()
    library_with(store, "if epoch ~= tonumber(args[1]) then", "if false then")
    old = stage.host(store, name="old")
    stage.writing(old, 120, users=2).finish()
    old.kill(signal.SIGSTOP)
    new = stage.host(store, name="new")
    old.kill(signal.SIGCONT)
    writings = [stage.writing(host, 120, users=2, first=10_000 * (2 + n)) for n, host in enumerate((old, new))]
    for writing in writings:
        until(lambda writing=writing: writing.process.poll() is not None, "the clients come to an end", 20)
    outcome.injections = 1
    old.end()
    outcome.verdict.add(check_host(stage, new, store, may_lose=True))
    return outcome


def early_apply(stage: Stage) -> Outcome:
    """A change is shown before it is stored, and the store refuses it."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, flaw="apply before append")
    stage.writing(host, 120).finish()
    with store.client() as client:
        client.config_set("maxmemory", "1")
    before = len(stage.book().intents)
    writing = stage.writing(host, 120, first=10_000)
    until(lambda: len(stage.book().intents) > before, "the client writes")
    time.sleep(1)
    writing.stop()
    outcome.injections = 1
    found = check_host(stage, host, may_lose=True)
    outcome.verdict.add(found)
    outcome.expect(not found.unknown, f"{found.unknown} memories are shown that the store refused")
    return outcome


def no_keys(stage: Stage) -> Outcome:
    """Repeated writes are not recognised, and replies get lost on the way."""
    store, outcome = stage.store(), Outcome()
    wire = Wire(stage.folder / "wire.sock", store.socket).start()
    stage.parts.append(wire)
    host = stage.host(wire.url, flaw="no keys")
    writing = stage.writing(host, 300, again_every=5)
    outcome.injections = 1
    writing.until_acked(100)
    wire.fault, wire.bytes_left = "cut", 100
    time.sleep(1)
    wire.fault = ""
    writing.finish()
    outcome.verdict.add(check_host(stage, host, may_lose=True))
    return outcome


def no_chain(stage: Stage) -> Outcome:
    """The chain of hashes is not looked at, and a text was altered on the disk."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, flaw="no chain", snapshot_every=100_000)
    stage.writing(host, 120, users=4).finish()
    host.kept = False
    host.kill()
    outcome.injections = alter(store, text_of(stage.row, 8))
    host.kept = True
    until(host.listens, "the host is started again")
    outcome.verdict.add(check_host(stage, host, may_lose=True))
    return outcome


def early_acknowledgement(stage: Stage) -> Outcome:
    """A success is noted before it is heard."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 600, early=True)
    writing.until_acked(100)
    host.kept = False
    host.kill()
    writing.process.kill()
    outcome.injections = 1
    host.kept = True
    until(host.listens, "the host is started again")
    outcome.verdict.add(check_host(stage, host, may_lose=True))
    return outcome


def plain_repeats(stage: Stage) -> Outcome:
    """A client that appends with ids of the store's choosing and repeats what it got no answer to."""
    store, outcome = stage.store(), Outcome()

    async def append_twice() -> int:
        client = RedisClient(store.url, reply_timeout_s=0.3)
        patient = RedisClient(store.url)
        for number in range(20):
            if number == 5:
                store.signal(signal.SIGSTOP)
            for _ in range(4):
                try:
                    await client.write("XADD", "naive", "*", "n", str(number))
                    break
                except RearviewError:
                    store.signal(signal.SIGCONT)
        entries = int(await patient.read("XLEN", "naive"))
        await client.close()
        await patient.close()
        return entries

    outcome.injections, outcome.verdict.acked = 1, 20
    outcome.verdict.duplicated = max(0, asyncio.run(append_twice()) - 20)
    return outcome


ROWS = [
    Row("C1", "appendfsync no, and power loss", never_flushed, CONTROL, "shim", short=True),
    Row("C2", "everysec and power loss, read as strict", relaxed_read_as_strict, CONTROL, "shim"),
    Row("C3", "allkeys-lru on a full store", evicted, CONTROL),
    Row("C4", "the epoch is not checked", no_fence, CONTROL, short=True),
    Row("C5", "apply before append", early_apply, CONTROL, short=True),
    Row("C6", "idempotency keys are not looked at", no_keys, CONTROL),
    Row("C7", "the chain of hashes is not looked at", no_chain, CONTROL),
    Row("C8", "a success noted before it was heard", early_acknowledgement, CONTROL),
    Row("C9", "XADD * repeated by its client", plain_repeats, CONTROL),
]
