"""Rows 7 to 24 and 44: what can happen to the store and to its files."""

import asyncio
import contextlib
import shutil
import signal
import threading
import time

import redis

from engine.errors import RearviewError
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from tests.faults.book import text_of
from tests.faults.check import everything
from tests.faults.doors import Again, HostDoor, Refused
from tests.faults.stage import Host, Server, Stage, until
from tests.faults.table import RELAXED, Outcome, Row, check_host, finish

LOST_SECONDS = 3.0  # What `relaxed` may lose: about two seconds, and one for the machine.


def killed(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 1500)
    for _ in range(4):
        writing.until_acked(writing.acked() + 150)
        store.kill()
        outcome.injections += 1
        store.start()
    writing.finish()
    return finish(stage, host, store, outcome)


def killed_while_rewriting(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 1500)
    for _ in range(5):
        goal = writing.acked() + 120
        while writing.acked() < goal and writing.process.poll() is None:
            with store.client() as client, contextlib.suppress(redis.ResponseError):  # One is under way already.
                client.execute_command("BGREWRITEAOF")
            time.sleep(0.05)
        store.kill()
        outcome.injections += 1
        store.start()
    writing.finish()
    return finish(stage, host, store, outcome)


def power_lost(stage: Stage) -> Outcome:
    store, outcome = stage.store(shim=True), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 1000)
    for _ in range(3):
        writing.until_acked(writing.acked() + 150)
        store.lose_power()
        outcome.injections += 1
        store.start()
    writing.finish()
    return finish(stage, host, store, outcome)


def power_lost_relaxed(stage: Stage) -> Outcome:
    """Two seconds may be lost; what is left has no gap, and the state that is served is the one that is stored."""
    store, outcome = stage.store(shim=True, appendfsync="everysec"), Outcome()
    return _relaxed_loss(stage, store, outcome)


def slow_disk_relaxed(stage: Stage) -> Outcome:
    store, outcome = stage.store(shim=True, appendfsync="everysec"), Outcome()
    (stage.folder / "slow").touch()
    return _relaxed_loss(stage, store, outcome, power=False)


def _relaxed_loss(stage: Stage, store: Server, outcome: Outcome, *, power: bool = True) -> Outcome:
    host = stage.host(store, durability="relaxed", snapshot_every=100_000)
    writing = stage.writing(host, 100_000)
    time.sleep(4)
    early = writing.acked()
    time.sleep(LOST_SECONDS)
    if power:
        store.lose_power()
    else:
        store.kill()
    outcome.injections = 1
    writing.stop()
    (stage.folder / "slow").unlink(missing_ok=True)
    store.start()
    host.kill()
    until(host.listens, "the host is started again")
    found = check_host(stage, host, store, may_lose=True)
    outcome.verdict.acked, outcome.verdict.lost = found.acked, found.lost
    allowed = found.acked - early
    outcome.expect(found.lost <= allowed, f"{found.lost} lost, but at most the last {allowed} may be")
    outcome.expect(not found.duplicated, "nothing is doubled")
    holes = [one for one in found.problems if "does not hold" in one or "nobody sent" in one]
    outcome.verdict.problems += holes
    return outcome


def torn_tail(stage: Stage) -> Outcome:
    """A half-written command stands at the end of the append-only file, as a write under way at a crash leaves it."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    stage.writing(host, 600).finish()
    for length in (1, 3, 17, 40):
        store.kill()
        last = store.append_only_files[-1]
        with last.open("ab") as file:
            file.write(b"*13\r\n$5\r\nFCALL\r\n$15\r\nrearview_append\r\n$1\r\n4\r\n"[:length])
        outcome.injections += 1
        store.start()
    return finish(stage, host, store, outcome)


def flipped_byte(stage: Stage) -> Outcome:
    """One byte of one text is altered on the disk. The store serves it without a word; we must not."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, snapshot_every=100_000)
    stage.writing(host, 400, users=4).finish()
    host.kept = False
    host.kill()
    altered = alter(store, text_of(stage.row, 8))
    outcome.injections = altered
    host.kept = True
    until(host.listens, "the host is started again")
    outcome.expect(altered > 0, "a text was found to alter")
    said = asyncio.run(_reads(host, f"{stage.row}-0"))
    outcome.expect(said.startswith("refused") and "altered" in said, f"the altered user is refused, but: {said[:80]}")
    outcome.verdict.acked = len([ack for ack in stage.book().acks if ack.user != f"{stage.row}-0"])
    for number in (1, 2, 3):
        said = asyncio.run(_reads(host, f"{stage.row}-{number}"))
        outcome.expect(said == "read", f"the other users are read as ever: {said[:80]}")
    return outcome


def alter(store: Server, text: str) -> int:
    """Change a letter of a text in the files of a stopped store; returns how many places."""
    store.kill()
    places = 0
    for path in store.append_only_files:
        data = path.read_bytes()
        needle = text.encode()
        if needle in data:
            places += data.count(needle)
            path.write_bytes(data.replace(needle, needle.replace(b"basement", b"bAsement")))
    store.start()
    return places


async def _reads(host: Host, user: str) -> str:
    door = HostDoor(host.socket, seconds=20)
    try:
        await everything(door, user)
    except Refused as refused:
        return f"refused: {refused}"
    return "read"


def broken_structure(stage: Stage) -> Outcome:
    """A length in the append-only file is wrong: the store must not start, and nobody may be told otherwise."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    stage.writing(host, 600).finish()
    store.kill()
    path = store.append_only_files[-1]
    good = path.read_bytes()
    at = good.rindex(b"\r\n$32\r\n", 0, len(good) // 2)
    path.write_bytes(good[:at] + b"\r\n$99\r\n" + good[at + 7 :])
    outcome.injections = 1
    store.start(answers=False)
    assert store.process is not None
    until(lambda: store.process is not None and store.process.poll() is not None, "the store refuses to start")
    said = asyncio.run(_write_once(host, "r"))
    outcome.expect(said == "again", f"a write is refused while the store is down, but: {said}")
    path.write_bytes(good)
    store.start()
    return finish(stage, host, store, outcome)


async def _write_once(host: Host, user: str) -> str:
    try:
        await HostDoor(host.socket).write(user, "only", "The lighthouse keeper lives in the third house on the left.")
    except Again:
        return "again"
    except Refused as refused:
        return f"refused: {refused}"
    return "written"


def disk_full(stage: Stage) -> Outcome:
    with stage.small_disk("store", "400k") as place:
        store, outcome = stage.store(), Outcome()
        host = stage.host(store)
        writing = stage.writing(host, 900)
        for size in ("900k", "1500k", "64m"):
            until(lambda: not store.answers() or writing.process.poll() is not None, "the disk is full", 60)
            if writing.process.poll() is not None:
                break
            outcome.injections += 1
            time.sleep(0.3)
            stage.remount(place, f"size={size}")
            store.kill()
            store.start()
        writing.finish()
        outcome.expect(outcome.injections > 0, "the disk was full at least once")
        return finish(stage, host, store, outcome)


def disk_full_relaxed(stage: Stage) -> Outcome:
    """At most the one write that met the full disk may be lost."""
    with stage.small_disk("store", "400k") as place:
        store, outcome = stage.store(appendfsync="everysec"), Outcome()
        host = stage.host(store, durability="relaxed")
        writing = stage.writing(host, 900)
        seen = -1
        while writing.acked() != seen:  # Until nothing is acknowledged any more.
            seen = writing.acked()
            time.sleep(2)
        outcome.injections = 1
        stage.remount(place, "size=64m")
        writing.finish()
        found = check_host(stage, host, store, may_lose=True)
        outcome.verdict.acked, outcome.verdict.lost, outcome.verdict.duplicated = found.acked, found.lost, 0
        outcome.expect(found.lost <= 1, f"{found.lost} lost, at most 1 may be")
        outcome.expect(not found.duplicated, "nothing is doubled")
        return outcome


def flush_fails(stage: Stage) -> Outcome:
    store, outcome = stage.store(shim=True), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 900)
    for _ in range(3):
        writing.until_acked(writing.acked() + 120)
        (stage.folder / "eio").touch()
        assert store.process is not None
        store.process.wait(20)
        time.sleep(0.5)  # What was answered before is still being noted.
        told = writing.acked()
        time.sleep(0.3)
        outcome.expect(writing.acked() == told, "nothing is acknowledged after a flush failed")
        (stage.folder / "eio").unlink()
        outcome.injections += 1
        store.start()
    writing.finish()
    return finish(stage, host, store, outcome)


def memory_full(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 900)
    for _ in range(3):
        writing.until_acked(writing.acked() + 120)
        with store.client() as client:
            client.config_set("maxmemory", "1mb")
            time.sleep(0.5)
            said = asyncio.run(_write_once(host, "full"))
            outcome.expect(said == "again", f"a write is refused while the store is full, but: {said}")
            outcome.injections += 1
            client.config_set("maxmemory", "0")
    writing.finish()
    with store.client() as client:
        outcome.expect(client.info("stats")["evicted_keys"] == 0, "nothing was evicted")
    return finish(stage, host, store, outcome)


def settings_that_lose(stage: Stage) -> Outcome:
    """A store whose settings lose data is refused, with what to change."""
    outcome = Outcome()
    wrong = {
        "appendonly yes": {"appendonly": "no"},
        "noeviction": {"maxmemory_policy": "allkeys-lru"},
        "appendfsync always": {"appendfsync": "everysec"},
        "flushes to disk": {"appendfsync": "no"},
    }
    for place, (said, options) in enumerate(wrong.items()):
        store = stage.store(name=f"wrong{place}", **options)
        problem = asyncio.run(_checked(store.url))
        outcome.expect(said in problem, f"{options} is refused with advice, but: {problem}")
        outcome.injections += 1
    return outcome


async def _checked(url: str) -> str:
    client = RedisClient(url)
    try:
        return await RedisJournal(client).check()
    except RearviewError as error:
        return error.sentence
    finally:
        await client.close()


def paused(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 900)
    for seconds in (0.5, 1.0, 6.0):
        writing.until_acked(writing.acked() + 120)
        store.signal(signal.SIGSTOP)
        outcome.injections += 1
        time.sleep(seconds)
        store.signal(signal.SIGCONT)
    writing.finish()
    return finish(stage, host, store, outcome)


def emptied(stage: Stage) -> Outcome:
    return _replaced(stage, lambda store, kept: None)


def put_back(stage: Stage) -> Outcome:
    return _replaced(stage, lambda store, kept: shutil.copytree(kept, store.folder, dirs_exist_ok=True))


def _replaced(stage: Stage, fill: object) -> Outcome:
    """The store comes back with nothing, or with what it held earlier: users with snapshots are refused."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, snapshot_every=30)
    stage.writing(host, 200, users=4).finish()
    store.kill()
    kept, newest = stage.folder / "kept", stage.folder / "newest"
    shutil.copytree(store.folder, kept)
    store.start()
    stage.writing(host, 400, users=4, first=10_000).finish()
    host.restart()
    store.kill()
    store.folder.rename(newest)
    store.folder.mkdir()
    assert callable(fill)
    fill(store, kept)
    store.start()
    outcome.injections = 1
    host.restart()
    for user in stage.book().users:
        said = asyncio.run(_reads(host, user))
        outcome.expect("older state" in said or "emptied" in said, f"{user} is refused, but: {said[:80]}")
    store.kill()
    shutil.rmtree(store.folder)
    newest.rename(store.folder)
    store.start()
    host.restart()
    return finish(stage, host, store, outcome)


def functions_gone(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 900)
    while writing.process.poll() is None and outcome.injections < 40:
        with store.client() as client:
            client.execute_command("FUNCTION", "FLUSH")
            client.execute_command("SCRIPT", "FLUSH")
        outcome.injections += 1
        time.sleep(0.05)
    writing.finish()
    return finish(stage, host, store, outcome)


def replica_promoted(stage: Stage) -> Outcome:
    """A replica that lags is promoted. What is lost by that is noticed for users whose snapshots know more."""
    store, outcome = stage.store(port="0"), Outcome()
    replica = stage.store(name="replica")
    host = stage.host(store, snapshot_every=30)
    stage.writing(host, 200, users=4).finish()
    store.kill()
    replica.kill()
    shutil.rmtree(replica.folder)
    shutil.copytree(store.folder, replica.folder)  # In step until here; from now on it hears nothing.
    store.start()
    stage.writing(host, 400, users=4, first=10_000).finish()
    host.restart()
    store.kill()
    replica.start()
    outcome.injections = 1
    host.restart(redis=replica.url)
    for user in stage.book().users:
        said = asyncio.run(_reads(host, user))
        outcome.expect("older state" in said, f"the loss is noticed for {user}, but: {said[:80]}")
    outcome.verdict.acked = 0  # No promise is made for this one: what is checked is that the loss is seen.
    return outcome


def many_writers(stage: Stage) -> Outcome:
    """The bulk of the ledger: two clients, many users, and a store that dies now and then."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, snapshot_every=60)
    writings = [stage.writing(host, 3000, users=48, first=10_000 * part, workers=24) for part in range(2)]
    stop = threading.Event()
    while not stop.wait(3) and any(writing.process.poll() is None for writing in writings):
        store.kill()
        outcome.injections += 1
        store.start()
    for writing in writings:
        writing.finish()
    return finish(stage, host, store, outcome)


ROWS = [
    Row("7", "SIGKILL of the store during writes", killed, short=True),
    Row("7b", "SIGKILL of the store every three seconds, many users", many_writers),
    Row("8", "a slow disk and SIGKILL of the store", slow_disk_relaxed, RELAXED, "shim"),
    Row("9", "power loss of the store: unflushed bytes are gone", power_lost, needs="shim", short=True),
    Row("10", "power loss of the store", power_lost_relaxed, RELAXED, "shim"),
    Row("11", "SIGKILL while the append-only file is rewritten", killed_while_rewriting),
    Row("12", "a torn command at the end of the append-only file", torn_tail),
    Row("13", "a flipped byte in a journalled text", flipped_byte),
    Row("14", "a damaged length in the append-only file", broken_structure),
    Row("15", "the store's disk is full", disk_full, needs="root"),
    Row("15b", "the store's disk is full", disk_full_relaxed, RELAXED, "root"),
    Row("16", "flushes fail with EIO", flush_fails, needs="shim"),
    Row("17", "the store is full (maxmemory)", memory_full),
    Row("18", "settings of the store that lose data", settings_that_lose),
    Row("20", "SIGSTOP of the store for up to six seconds", paused),
    Row("22", "the store comes back empty", emptied),
    Row("23", "the store comes back with an older backup", put_back),
    Row("24", "FUNCTION FLUSH and SCRIPT FLUSH all the time", functions_gone),
    Row("44", "a replica that lags is promoted", replica_promoted),
]
