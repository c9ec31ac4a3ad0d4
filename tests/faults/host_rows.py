"""Rows 1, 2, 25 to 28, 38 to 42: what can happen to a host."""

import asyncio
import resource
import signal
import time

from actors.requests import Request, pack_requests, unpack_answers
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from tests.faults.book import text_of
from tests.faults.check import everything
from tests.faults.doors import HostDoor, Refused, SocketHandle
from tests.faults.host_process import POINTS
from tests.faults.stage import Stage, until
from tests.faults.table import Outcome, Row, finish

FEW_FILES = 12  # Less than a host needs for its connections.


def killed_in_writes(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 1500)
    for _ in range(5):
        starts = host.starts
        writing.until_acked(writing.acked() + 100)
        host.kill()
        outcome.injections += 1
        until(lambda starts=starts: host.starts > starts and host.listens(), "the host is started again")
    writing.finish()
    return finish(stage, host, store, outcome)


def killed_at_points(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    for point in POINTS:
        host = stage.host(store, name="h" + point.split()[1] + point[0], die_at=[point, 40])
        writing = stage.writing(host, 240, first=1000 * len(stage.books), users=4)
        until(lambda host=host: host.starts > 1, "the host died where it was told to")
        outcome.injections += 1
        host.plan["die_at"] = None
        host.kill()
        writing.finish()
        last = host
    return finish(stage, last, store, outcome)


def killed_in_recovery(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    stage.writing(host, 500, users=2).finish()
    user = stage.book().users[0]
    before = asyncio.run(_head(store.url, user))
    for _ in range(10):
        host.kill()
        until(lambda: host.listens(), "the host is started again")
        asyncio.run(_knock(host.socket, user))
        outcome.injections += 1
        time.sleep(0.03)
    host.kill()
    until(lambda: host.listens(), "the host is started again")
    done = finish(stage, host, store, outcome)
    after = asyncio.run(_head(store.url, user))
    done.expect(after[0] > before[0], "the epoch grows with every recovery")
    done.expect(after[1] == before[1], "recovering appends nothing")
    return done


async def _knock(socket: str, user: str) -> None:
    """Ask for a user and do not wait for the answer."""
    try:
        _, writer = await asyncio.open_unix_connection(socket)
    except OSError:
        return
    writer.write(pack_requests([Request(1, user, "list", {})]))
    writer.write_eof()
    await asyncio.sleep(0.02)
    writer.close()


async def _head(url: str, user: str) -> tuple[int, int]:
    client = RedisClient(url)
    head = await RedisJournal(client).look(user)
    await client.close()
    assert head is not None
    return head.epoch, head.seq


def stale_owner(stage: Stage) -> Outcome:
    """An owner stands still, another takes over and writes, the old one wakes up and is asked to write and to read."""
    store, outcome = stage.store(), Outcome()
    old = stage.host(store, name="old")
    stage.writing(old, 300, users=4).finish()
    old.kill(signal.SIGSTOP)
    new = stage.host(store, name="new")
    stage.writing(new, 300, users=4, first=10_000).finish()
    users = stage.book().users[:2]
    before = [asyncio.run(_head(store.url, user)) for user in users]
    old.kill(signal.SIGCONT)
    outcome.injections = 2
    write = Request(1, users[0], "write", {"content": "The old owner writes about its cat Minka", "tier": "semantic"})
    read = Request(1, users[1], "list", {}, "", before[1][1])
    for request in (write, read):
        said = asyncio.run(_said(old.socket, request))
        outcome.expect("StaleEpoch" in said, f"the old owner is fenced, but said {said} to {request.op}")
    after = [asyncio.run(_head(store.url, user)) for user in users]
    outcome.expect(after == before, "the old owner appended nothing")
    old.end()
    return finish(stage, new, store, outcome)


async def _said(socket: str, request: Request) -> str:
    """What one host by itself says; the directory would ask a second time."""
    (answer,) = unpack_answers(await SocketHandle(socket).call(pack_requests([request])))
    return str(answer.value)


def two_owners(stage: Stage) -> Outcome:
    """Two clusters at one store: both hosts are asked to write for the same users all the time."""
    store, outcome = stage.store(), Outcome()
    hosts = [stage.host(store, name=name) for name in ("left", "right")]
    writings = [stage.writing(host, 300, users=4, first=10_000 * place) for place, host in enumerate(hosts)]
    for writing in writings:
        writing.finish()
    outcome.injections = len(stage.book().users)
    hosts[1].end()
    return finish(stage, hosts[0], store, outcome)


def repeated(stage: Stage) -> Outcome:
    """One key a hundred times at once, across a restart and after the journal was trimmed."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, snapshot_every=20)
    stage.writing(host, 600, users=2).finish()
    told: set[tuple[int, str]] = set()

    async def hundred() -> None:
        door = HostDoor(host.socket)
        user, text = f"{stage.row}-0", text_of(stage.row, 0)
        told.update(await asyncio.gather(*(door.write(user, "k0", text) for _ in range(100))))
        try:
            await door.write(user, "k0", text + " And more.")
            outcome.expect(False, "the same key with another body is refused")
        except Refused:
            pass

    for _ in range(3):
        asyncio.run(hundred())
        outcome.injections += 101
        host.restart()
    outcome.expect(len(told) == 1, f"one key heard {len(told)} answers")
    return finish(stage, host, store, outcome)


def out_of_memory(stage: Stage) -> Outcome:
    """The host may take no more memory than it has: whatever that breaks, nothing acknowledged is lost."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 600)
    for _ in range(3):
        writing.until_acked(writing.acked() + 60)
        host.limit(resource.RLIMIT_AS, 1)
        outcome.injections += 1
        time.sleep(0.5)
        host.kill()  # What the kernel does next.
    writing.finish()
    return finish(stage, host, store, outcome)


def no_descriptors(stage: Stage) -> Outcome:
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 600)
    for _ in range(3):
        writing.until_acked(writing.acked() + 80)
        host.limit(resource.RLIMIT_NOFILE, FEW_FILES)
        outcome.injections += 1
        time.sleep(0.4)
        host.limit(resource.RLIMIT_NOFILE, 1024)
    writing.finish()
    outcome.expect(host.starts == 1, "the host lives through it")
    return finish(stage, host, store, outcome)


def blocked_loop(stage: Stage) -> Outcome:
    """The host stands still for longer than its callers wait, and goes on: late answers do no harm."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 600)
    for seconds in (1, 5):
        writing.until_acked(writing.acked() + 80)
        host.kill(signal.SIGSTOP)
        outcome.injections += 1
        time.sleep(seconds)
        host.kill(signal.SIGCONT)
    writing.finish()
    return finish(stage, host, store, outcome)


def all_wake_up(stage: Stage) -> Outcome:
    """Hundreds of users are asked for at once after a restart: none is wrong, empty or forgotten."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    users = 400
    stage.writing(host, 1600, users=users).finish(200)
    host.restart()
    wanted = stage.book().users

    async def burst() -> list[int]:
        door = HostDoor(host.socket, seconds=60)
        found = await asyncio.gather(*(everything(door, user) for user in wanted))
        return [len(memories) for memories, _ in found]

    counts = asyncio.run(burst())
    outcome.injections = len(wanted)
    outcome.expect(sum(counts) == len(stage.book().acks) and min(counts) > 0, "every user is whole at the first answer")
    return finish(stage, host, store, outcome)


def ended_under_load(stage: Stage) -> Outcome:
    """SIGTERM while writes come in: what was acknowledged is in snapshots and journal."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    writing = stage.writing(host, 900)
    for _ in range(3):
        writing.until_acked(writing.acked() + 120)
        host.kill(signal.SIGTERM)
        outcome.injections += 1
        time.sleep(0.3)
    writing.finish()
    return finish(stage, host, store, outcome)


def clock_steps(stage: Stage) -> Outcome:
    """The wall clock jumps by an hour and by a month, both ways, during writes."""
    store, outcome = stage.store(), Outcome()
    file = stage.folder / "clock"
    file.write_text("0")
    host = stage.host(store, clock_file=str(file))
    writing = stage.writing(host, 900, again_every=0)  # Receipts are kept for a day, and days pass here.
    for offset in (3600, -3600, 30 * 86_400, 0, -30 * 86_400):
        writing.until_acked(writing.acked() + 80)
        replaced = file.with_suffix(".new")
        replaced.write_text(str(offset))
        replaced.rename(file)
        outcome.injections += 1
    writing.finish()
    file.write_text("0")
    return finish(stage, host, store, outcome)


def client_killed(stage: Stage) -> Outcome:
    """Clients vanish in the middle: what they were told is there, what they were not told may be."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store)
    for part in range(4):
        writing = stage.writing(host, 400, first=10_000 * part)
        writing.until_acked(150)
        writing.process.kill()
        writing.process.wait()
        outcome.injections += 1
    done = finish(stage, host, store, outcome)
    done.expect(done.verdict.unknown <= 4 * 16, f"{done.verdict.unknown} unknown, more than were under way")
    return done


ROWS = [
    Row("1", "SIGKILL of the host during writes", killed_in_writes, short=True),
    Row("1b", "SIGKILL before append, after append, after apply, before reply", killed_at_points),
    Row("2", "SIGKILL during recovery, ten times", killed_in_recovery),
    Row("6", "clients killed in the middle of their writes", client_killed),
    Row("25", "SIGSTOP of an owner, another writes, SIGCONT", stale_owner, short=True),
    Row("25b", "two hosts write for the same users at one store", two_owners),
    Row("27", "one key a hundred times at once, after restarts and trimming", repeated),
    Row("33", "the wall clock jumps by hours and months", clock_steps),
    Row("38", "out of memory, then SIGKILL", out_of_memory),
    Row("39", "the host stands still for longer than callers wait", blocked_loop),
    Row("40", "hundreds of users woken at once", all_wake_up),
    Row("41", "no more file descriptors", no_descriptors),
    Row("42", "SIGTERM of the host under load", ended_under_load),
]
