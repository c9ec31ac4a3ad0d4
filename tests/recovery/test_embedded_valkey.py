"""The bundled server: killed in the middle of writes, left behind, fought over. Real processes."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.errors import Corrupt, Indeterminate, Unavailable
from persistence import keys
from persistence.embedded_valkey import EmbeddedValkey
from persistence.plain_snapshots import PlainSnapshots
from persistence.recovery import recover
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.values import Entry, Head
from tests.contract.entries import chained, receipt
from tests.persistence.test_recovery import snapshot_at

pytestmark = pytest.mark.recovery
NOW = 1_000_000_000_000


@asynccontextmanager
async def running(directory: Path, durability: str = "strict") -> AsyncIterator[tuple[EmbeddedValkey, RedisJournal]]:
    server = EmbeddedValkey(directory, durability)
    await server.start()
    client = RedisClient(server.url)
    try:
        yield server, RedisJournal(client, durability)
    finally:
        await client.close()
        await server.stop()


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


async def gone(pid: int) -> None:
    """Until a process that is not ours to wait for has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(descriptor, ended.set)
    await asyncio.wait_for(ended.wait(), 10)
    asyncio.get_running_loop().remove_reader(descriptor)
    os.close(descriptor)


def listening(pid: int | None) -> list[str]:
    """Rows of TCP sockets on which a process listens."""
    process = Path("/proc", str(pid))
    own = {path.readlink().name for path in (process / "fd").iterdir()}
    rows = [row for table in ("tcp", "tcp6") for row in (process / "net" / table).read_text().splitlines()[1:]]
    return [row for row in rows if row.split()[3] == "0A" and f"socket:[{row.split()[9]}]" in own]


async def write_until_it_fails(
    journal: RedisJournal, user_id: str, acknowledged: list[Entry], under_way: asyncio.Event
) -> Head:
    """One entry after the other, each noted only once it was acknowledged. Says when fifty are."""
    head = await journal.open(user_id)
    chain = head.chain
    for seq in range(1, 100_000):
        [entry] = chained([b"%d of %s" % (seq, user_id.encode())], after=seq - 1, chain=chain)
        try:
            await journal.append(
                user_id, [entry], epoch=head.epoch, after_seq=seq - 1, receipt=receipt(f"k{seq}", seq=seq), now_ms=NOW
            )
        except (Unavailable, Indeterminate):
            return head
        acknowledged.append(entry)
        if seq == 50:
            under_way.set()
        chain = entry.chain
    raise AssertionError("the server was never killed")


@pytest.mark.parametrize("durability", ["strict", "relaxed"])
async def test_a_killed_server_loses_nothing_that_was_acknowledged(tmp_path: Path, durability: str) -> None:
    users = ["alice", "用户 1", "a/b", "d"]
    acknowledged: dict[str, list[Entry]] = {user_id: [] for user_id in users}
    async with running(tmp_path, durability) as (server, journal):
        assert await journal.check() == durability
        under_way = [asyncio.Event() for _ in users]
        writers = [
            asyncio.create_task(write_until_it_fails(journal, user_id, acknowledged[user_id], event))
            for user_id, event in zip(users, under_way, strict=True)
        ]
        await asyncio.gather(*(event.wait() for event in under_way))
        kill(server.pid)
        heads = await asyncio.gather(*writers)
        await server.start()
        for user_id, old in zip(users, heads, strict=True):
            head = await journal.open(user_id)
            assert head.epoch == old.epoch + 1
            found = (await recover(journal, PlainSnapshots(), user_id, head)).entries
            wanted = acknowledged[user_id]
            assert list(found[: len(wanted)]) == wanted
            assert len(found) - len(wanted) in (0, 1), "at most the one under way is unknown"
            last = wanted[-1]
            again = await journal.append(
                user_id,
                [Entry(head.seq + 1, b"again", bytes(32))],
                epoch=head.epoch,
                after_seq=head.seq,
                receipt=receipt(f"k{last.seq}", seq=last.seq),
                now_ms=NOW,
            )
            assert again == receipt(f"k{last.seq}", seq=last.seq), "its keys are remembered too"


async def test_the_ledger_would_notice_a_lost_entry(tmp_path: Path) -> None:
    """The positive control: an append-only file cut in the middle starts, and what is missing is noticed."""
    async with running(tmp_path) as (server, journal):
        head = await journal.open("alice")
        for entry in (entries := chained([b"%d" % i for i in range(20)])):
            await journal.append("alice", [entry], epoch=head.epoch, after_seq=entry.seq - 1, receipt=None, now_ms=NOW)
        kill(server.pid)
        [log] = (tmp_path / keys.VALKEY_DIRECTORY / "appendonlydir").glob("*.incr.aof")
        log.write_bytes(log.read_bytes()[:-300])
        await server.start()
        head = await journal.open("alice")
        assert head.seq < 20
        found = (await recover(journal, PlainSnapshots(), "alice", head)).entries
        assert list(found) == entries[: head.seq], "cut cleanly: an append is never half there"


async def test_a_byte_altered_in_the_append_only_file_is_noticed(tmp_path: Path) -> None:
    async with running(tmp_path) as (server, journal):
        head = await journal.open("alice")
        await journal.append(
            "alice", chained([b"likes peanuts"]), epoch=head.epoch, after_seq=0, receipt=None, now_ms=NOW
        )
        kill(server.pid)
        [log] = (tmp_path / keys.VALKEY_DIRECTORY / "appendonlydir").glob("*.incr.aof")
        assert log.read_bytes().count(b"likes peanuts") == 1
        log.write_bytes(log.read_bytes().replace(b"likes peanuts", b"likes walnuts"))
        await server.start()
        head = await journal.open("alice")
        assert [entry.body async for entry in journal.read("alice", 0)] == [b"likes walnuts"], "the server cannot tell"
        with pytest.raises(Corrupt, match="entry 1 was altered"):
            await recover(journal, PlainSnapshots(), "alice", head)


async def test_a_damaged_append_only_file_stops_the_start_with_the_servers_words(tmp_path: Path) -> None:
    async with running(tmp_path) as (server, journal):
        head = await journal.open("alice")
        entries = chained([b"x" * 100] * 3)
        await journal.append("alice", entries, epoch=head.epoch, after_seq=0, receipt=None, now_ms=NOW)
        await server.stop()
        [log] = (tmp_path / keys.VALKEY_DIRECTORY / "appendonlydir").glob("*.incr.aof")
        whole = log.read_bytes()
        log.write_bytes(whole.replace(b"$100\r\n", b"$9x0\r\n", 1))
        with pytest.raises(Unavailable, match=r"did not start: .*Bad file format"):
            await server.start()
        log.write_bytes(whole)
        await server.start()
        assert await journal.last_seq("alice") == 3


async def test_an_emptied_store_is_not_taken_for_a_new_user(tmp_path: Path) -> None:
    snapshots = PlainSnapshots()
    await snapshots.write("alice", snapshot_at(4))
    async with running(tmp_path) as (_, journal):
        with pytest.raises(Corrupt, match="was emptied"):
            await recover(journal, snapshots, "alice", await journal.open("alice"))


async def test_stopping_and_starting_keeps_everything_and_leaves_no_process(tmp_path: Path) -> None:
    async with running(tmp_path) as (server, journal):
        head = await journal.open("alice")
        await journal.append("alice", chained([b"a"]), epoch=head.epoch, after_seq=0, receipt=None, now_ms=NOW)
        first = server.pid
        assert first is not None
        await server.stop()
        assert server.pid is None
        await gone(first)
        await server.start()
        assert await journal.last_seq("alice") == 1


async def test_two_services_never_share_a_directory(tmp_path: Path) -> None:
    async with running(tmp_path) as (server, _):
        other = EmbeddedValkey(tmp_path)
        with pytest.raises(Unavailable, match=f"process {os.getpid()}") as refused:
            await other.start()
        assert refused.value.code == "directory_in_use"
        assert server.pid is not None, "the first one was left alone"
    async with running(tmp_path):
        pass


async def test_the_socket_of_a_deep_directory_is_put_where_its_path_fits(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["directory with a long name"] * 5)
    async with running(deep) as (server, journal):
        assert await journal.check() == "strict"
        assert len(server.url) < len(str(deep))
        assert (deep / keys.VALKEY_DIRECTORY / "appendonlydir").is_dir()
        socket = Path(server.url.removeprefix("unix://"))
        assert socket.parent.stat().st_mode & 0o777 == 0o700
    assert not socket.parent.exists(), "nothing is left in the temporary directory"


async def test_a_directory_with_odd_characters_is_served(tmp_path: Path) -> None:
    async with running(tmp_path / 'odd "%20 目录#?') as (_, journal):
        assert await journal.check() == "strict"


async def test_it_listens_on_its_socket_only(tmp_path: Path) -> None:
    async with running(tmp_path) as (server, _):
        assert listening(server.pid) == []
        socket = tmp_path / keys.VALKEY_DIRECTORY / "valkey.sock"
        assert socket.stat().st_mode & 0o777 == 0o700


SERVICE = """
import asyncio, pathlib, sys, time
from persistence.embedded_valkey import EmbeddedValkey
server = EmbeddedValkey(pathlib.Path(sys.argv[1]))
asyncio.run(server.start())
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Another process that runs the server of `tmp_path`, and the server's process id."""
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", SERVICE, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
        process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tie a child to its parent's life")
async def test_the_server_dies_with_its_service(service: tuple[subprocess.Popen[str], int], tmp_path: Path) -> None:
    process, server_pid = service
    process.kill()
    await gone(server_pid)
    async with running(tmp_path) as (_, journal):
        assert await journal.check() == "strict"


async def test_a_leftover_server_is_stopped_before_the_next_one_starts(
    service: tuple[subprocess.Popen[str], int], tmp_path: Path
) -> None:
    """A stopped (SIGSTOP) server does not see its parent's death, so it is still there when we come."""
    process, server_pid = service
    os.kill(server_pid, signal.SIGSTOP)
    process.kill()
    process.wait()
    resume = asyncio.get_running_loop().call_later(0.2, os.kill, server_pid, signal.SIGCONT)
    async with running(tmp_path) as (server, journal):
        assert server.pid != server_pid
        assert await journal.check() == "strict"
        await gone(server_pid)
    resume.cancel()


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


async def test_a_pid_file_whose_number_was_given_to_another_process_harms_nobody(
    bystander: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    directory = tmp_path / keys.VALKEY_DIRECTORY
    directory.mkdir()
    (directory / "valkey.pid").write_text(f"{bystander.pid}\n")
    async with running(tmp_path) as (_, journal):
        assert await journal.check() == "strict"
    assert bystander.poll() is None
