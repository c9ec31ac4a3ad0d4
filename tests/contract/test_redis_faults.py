"""What only the real store can do wrong, and what its client must make of it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import Corrupt, Indeterminate, RearviewError, StaleEpoch, Unavailable
from persistence import keys
from persistence.embedded_valkey import EmbeddedValkey
from persistence.plain_snapshots import PlainSnapshots
from persistence.recovery import recover
from persistence.redis_client import STORE_FULL, RedisClient
from persistence.redis_journal import PAGE_ENTRIES, RedisJournal
from persistence.values import RECEIPT_LIFE_MS, Head
from tests.contract.entries import chained, receipt

NOW = 1_000_000_000_000
LIBRARY = Path(keys.__file__).with_name("append.lua").read_text("utf-8")


async def append(journal: RedisJournal, head: Head, body: bytes = b"a", **changes: object) -> object:
    entries = chained([body], after=head.seq, chain=head.chain)
    arguments = {"epoch": head.epoch, "after_seq": head.seq, "receipt": None, "now_ms": NOW} | changes
    return await journal.append("alice", entries, **arguments)  # type: ignore[arg-type]


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server_that(handle: Handler, path: Path) -> AsyncIterator[RedisClient]:
    """A client of a server that behaves as `handle` says; short deadlines."""
    tasks = []

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(asyncio.current_task())
        try:
            await handle(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_unix_server(served, path)
    client = RedisClient(f"unix://{path}", connect_timeout_s=1, reply_timeout_s=0.2)
    try:
        yield client
    finally:
        await client.close()
        server.close()
        await asyncio.wait_for(asyncio.gather(*tasks), 5)  # type: ignore[arg-type]


def after_greeting(then: bytes | None) -> Handler:
    """Answers the client's greeting, then one command with `then`; None hangs up instead."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            commands = data.count(b"SETINFO")
            writer.write(b"+OK\r\n" * commands)
            if not commands:
                if then is None:
                    break
                writer.write(then)
            await writer.drain()

    return handle


async def test_a_refused_connection_is_unavailable(tmp_path: Path) -> None:
    journal = RedisJournal(RedisClient(f"unix://{tmp_path}/nobody.sock"))
    with pytest.raises(Unavailable):
        await append(journal, Head(1, 0, bytes(32)))
    with pytest.raises(Unavailable):
        await journal.open("alice")


async def test_a_connection_lost_after_sending_is_indeterminate_for_writes_only(tmp_path: Path) -> None:
    async with server_that(after_greeting(None), tmp_path / "s") as client:
        with pytest.raises(Indeterminate):
            await client.write("SET", "a", "1")
        with pytest.raises(Unavailable):
            await client.read("GET", "a")


async def test_a_reply_that_does_not_come_in_time_is_indeterminate_for_writes_only(tmp_path: Path) -> None:
    async with server_that(after_greeting(b""), tmp_path / "s") as client:
        with pytest.raises(Indeterminate):
            await client.write("SET", "a", "1")
        with pytest.raises(Unavailable):
            await client.read("GET", "a")


async def test_half_a_reply_is_indeterminate(tmp_path: Path) -> None:
    async with server_that(after_greeting(b"$100\r\nhalf"), tmp_path / "s") as client:
        with pytest.raises(Indeterminate):
            await client.write("SET", "a", "1")


async def test_a_server_that_accepts_and_says_nothing_is_unavailable(tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with server_that(silent, tmp_path / "s") as client:
        with pytest.raises(Unavailable):
            await client.write("SET", "a", "1")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (b"-MISCONF Errors writing to the AOF file: No space left on device\r\n", Unavailable),
        (b"-LOADING loading the dataset in memory\r\n", Unavailable),
        (b"-READONLY You can't write against a read only replica.\r\n", Unavailable),
        (b"-NOREPLICAS Not enough good replicas to write.\r\n", Unavailable),
        (b"-OOM command not allowed when used memory > 'maxmemory'.\r\n", Unavailable),
        (b"-NOAUTH Authentication required.\r\n", Unavailable),
        (b"-NOPERM this user has no permissions\r\n", Unavailable),
        (b"-CLUSTERDOWN The cluster is down\r\n", Unavailable),
        (b"-BUSY Redis is busy running a script.\r\n", Unavailable),
        (b"-ERR user_script:1: oops script: rearview_append, on @user_function:1.\r\n", Indeterminate),
    ],
)
async def test_a_refusal_surely_wrote_nothing_unless_a_script_broke(
    tmp_path: Path, reply: bytes, kind: type[RearviewError]
) -> None:
    async with server_that(after_greeting(reply), tmp_path / "s") as client:
        with pytest.raises(kind) as raised:
            await client.write("SET", "secret-user", "1")
        assert "secret-user" not in str(raised.value)


async def test_a_cancelled_call_never_leaves_its_reply_to_the_next_one(client: RedisClient) -> None:
    await client.write("SET", "mine", "mine")
    await client.write("SET", "yours", "yours")
    for _ in range(50):
        call = asyncio.create_task(client.read("GET", "mine"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        call.cancel()
        assert await client.read("GET", "yours") == b"yours"
        await asyncio.gather(call, return_exceptions=True)


async def test_many_calls_share_few_connections(valkey: EmbeddedValkey) -> None:
    client = RedisClient(valkey.url, connections_max=4)
    await asyncio.gather(*(client.write("SET", f"k{i}", str(i)) for i in range(200)))
    assert await asyncio.gather(*(client.read("GET", f"k{i}") for i in range(200))) == [b"%d" % i for i in range(200)]
    info = bytes(await client.read("CLIENT", "LIST")).decode().strip().splitlines()
    assert len(info) <= 4 + 1, "four of this client, and at most the one of another test"
    await client.close()


async def test_lost_functions_are_loaded_again_once_and_the_call_goes_on(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    await client.write("FUNCTION", "FLUSH")
    assert await append(journal, head) is None
    await client.write("FUNCTION", "FLUSH")
    assert await journal.receipt("alice", "k", NOW) is None
    assert [entry.body async for entry in journal.read("alice", 0)] == [b"a"]


async def test_an_older_function_library_is_replaced_at_the_check_and_a_newer_one_stays(client: RedisClient) -> None:
    journal = RedisJournal(client)
    ours = int(LIBRARY.split("local VERSION = ", 1)[1].split("\n", 1)[0])
    for version, after in ((0, ours), (99, 99)):
        library = LIBRARY.replace(f"local VERSION = {ours}\n", f"local VERSION = {version}\n")
        await client.write("FUNCTION", "LOAD", "REPLACE", library)
        await journal.check()
        assert await client.read("FCALL_RO", "rearview_version", 0) == after
    await client.write("FUNCTION", "FLUSH")


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("appendonly", "no", "appendonly yes"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
        ("appendfsync", "no", "appendfsync always"),
        ("appendfsync", "everysec", "REARVIEW_DURABILITY=relaxed"),
    ],
)
async def test_settings_that_lose_data_are_refused_with_advice(
    client: RedisClient, setting: str, value: str, said: str
) -> None:
    journal = RedisJournal(client)
    [_, before] = await client.read("CONFIG", "GET", setting)
    await client.write("CONFIG", "SET", setting, value)
    try:
        with pytest.raises(Unavailable, match=said):
            await journal.check()
    finally:
        await client.write("CONFIG", "SET", setting, before)
    assert await journal.check() == "strict"


async def test_relaxed_durability_says_so_and_a_stricter_store_is_told_truly(client: RedisClient) -> None:
    relaxed = RedisJournal(client, "relaxed")
    assert await relaxed.check() == "strict"
    await client.write("CONFIG", "SET", "appendfsync", "everysec")
    try:
        assert await relaxed.check() == "relaxed"
    finally:
        await client.write("CONFIG", "SET", "appendfsync", "always")


async def test_a_full_store_refuses_appends_and_still_lets_an_owner_read_trim_and_erase(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    await append(journal, head)
    await client.write("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(Unavailable) as refused:
            await append(journal, replace(head, seq=1))
        assert refused.value.code == STORE_FULL
        head = await journal.open("alice")
        assert [entry.seq async for entry in journal.read("alice", 0)] == [1]
        assert await journal.trim("alice", 1) == 1
        assert await journal.erase("alice") == 0
    finally:
        await client.write("CONFIG", "SET", "maxmemory", "0")


async def test_a_paused_store_is_indeterminate_and_its_late_entry_is_fenced_or_found(
    valkey: EmbeddedValkey, client: RedisClient
) -> None:
    """What a timed-out append did is seen by opening again: it is in, whole, or it can never get in any more."""
    hasty = RedisClient(valkey.url, reply_timeout_s=0.3)
    journal = RedisJournal(hasty)
    head = await journal.open("alice")
    assert valkey.pid is not None
    os.kill(valkey.pid, signal.SIGSTOP)
    try:
        with pytest.raises(Indeterminate):
            await append(journal, head, receipt=receipt("k", seq=1))
    finally:
        os.kill(valkey.pid, signal.SIGCONT)
    patient = RedisJournal(client)
    again = await patient.open("alice")
    found = [entry async for entry in patient.read("alice", 0)]
    assert len(found) == again.seq
    with pytest.raises(StaleEpoch):
        await append(patient, head)
    done = await append(patient, again, receipt=receipt("k", seq=1))
    assert (done is None) == (again.seq == 0)
    assert len([entry async for entry in patient.read("alice", 0)]) == 1
    await hasty.close()


async def test_long_journals_are_read_in_pages(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    entries = chained([b"%d" % i for i in range(2 * PAGE_ENTRIES + 1)])
    for part in (entries[:PAGE_ENTRIES], entries[PAGE_ENTRIES : 2 * PAGE_ENTRIES], entries[2 * PAGE_ENTRIES :]):
        await journal.append("alice", part, epoch=head.epoch, after_seq=part[0].seq - 1, receipt=None, now_ms=NOW)
        assert [e async for e in journal.read("alice", 0)] == entries[: part[-1].seq]


async def test_old_receipts_are_dropped_without_a_scan(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    for i in range(20):
        await journal.append(
            "alice", [], epoch=head.epoch, after_seq=0, receipt=receipt(f"k{i}", seq=0), now_ms=NOW + i
        )
    late = NOW + RECEIPT_LIFE_MS + 100
    for i in range(6):
        await journal.append("alice", [], epoch=head.epoch, after_seq=0, receipt=receipt(f"n{i}", seq=0), now_ms=late)
    assert await client.read("HLEN", keys.receipts("alice")) == 6
    assert await client.read("ZCARD", keys.receipt_times("alice")) == 6


async def test_entries_beyond_the_head_are_corrupt_and_nothing_is_written(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    await client.write("XADD", keys.journal("alice"), "5-0", "b", "x", "c", "y")
    with pytest.raises(Corrupt):
        await append(journal, head, receipt=receipt("k", seq=1))
    assert await journal.last_seq("alice") == 0
    assert await journal.receipt("alice", "k", NOW) is None


@pytest.mark.parametrize("wrong", [("7-1", "b", "x", "c", "y"), ("7-0", "x", "y"), ("7-0", "c", "x", "b", "y")])
async def test_an_entry_that_is_not_ours_is_corrupt(client: RedisClient, wrong: tuple[str, ...]) -> None:
    journal = RedisJournal(client)
    await client.write("XADD", keys.journal("alice"), *wrong)
    with pytest.raises(Corrupt):
        [entry async for entry in journal.read("alice", 0)]


async def test_an_entry_altered_inside_the_store_is_noticed_when_the_user_is_read_back(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    entries = chained([b"peanut", b"walnut", b"almond"])
    await journal.append("alice", entries, epoch=head.epoch, after_seq=0, receipt=None, now_ms=NOW)
    stream = keys.journal("alice")
    assert len((await recover(journal, PlainSnapshots(), "alice", await journal.open("alice"))).entries) == 3
    await client.write("DEL", stream)
    for entry in entries:
        body = entry.body.replace(b"walnut", b"walnuT")
        await client.write("XADD", stream, f"{entry.seq}-0", "b", body, "c", entry.chain)
    with pytest.raises(Corrupt, match="entry 2 was altered"):
        await recover(journal, PlainSnapshots(), "alice", await journal.open("alice"))
    await client.write("XDEL", stream, "2-0")
    with pytest.raises(Corrupt, match="entry 2 is missing"):
        await recover(journal, PlainSnapshots(), "alice", await journal.open("alice"))


async def test_all_keys_of_a_user_are_gone_after_an_erasure(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    await append(journal, head, receipt=receipt("k", seq=1))
    await journal.erase("alice")
    assert await client.read("KEYS", "*") == [keys.STORE.encode()]


async def test_a_store_emptied_under_a_running_service_is_not_a_store_of_new_users(client: RedisClient) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    await append(journal, head)
    await client.write("FLUSHALL")
    with pytest.raises(StaleEpoch):
        await append(journal, replace(head, seq=1))
    for refused in (journal.open("alice"), journal.open("bob"), journal.check()):
        with pytest.raises(Unavailable) as told:
            await refused
        assert told.value.code == "store_replaced"
    restarted = RedisJournal(client)
    assert (await restarted.open("alice")).seq == 0


KNOWN_BAD = {
    "no fence": ("if epoch ~= tonumber(args[1]) then", "if false then"),
    "no idempotency": ("if key ~= '' then\n    local before", "if false then\n    local before"),
    "no expected seq": ("if seq ~= tonumber(args[2]) then", "if false then"),
}


@pytest.mark.parametrize("flaw", KNOWN_BAD)
async def test_a_library_with_a_known_flaw_lets_through_what_ours_stops(client: RedisClient, flaw: str) -> None:
    """The positive control of this suite: each check is what stops the fault, and nothing else happens to."""
    good, bad = KNOWN_BAD[flaw]
    assert LIBRARY.count(good) == 1
    journal = RedisJournal(client)
    stale = await journal.open("alice")
    sent = receipt("k", seq=1)
    faults = {
        "no fence": lambda owner: append(journal, replace(stale, seq=1), b"stale"),
        "no idempotency": lambda owner: append(journal, replace(owner, seq=1), b"a", receipt=sent),
        "no expected seq": lambda owner: append(journal, owner, b"again"),
    }
    for library, entries_after in ((LIBRARY, 1), (LIBRARY.replace(good, bad), 2)):
        await client.write("FUNCTION", "LOAD", "REPLACE", library)
        await journal.erase("alice")
        owner = await journal.open("alice")
        await append(journal, owner, b"a", receipt=sent)
        await asyncio.gather(faults[flaw](owner), return_exceptions=True)
        assert await client.read("XLEN", keys.journal("alice")) == entries_after
    await client.write("FUNCTION", "LOAD", "REPLACE", LIBRARY)


async def test_writes_of_one_moment_share_few_passes_of_the_store_and_so_few_flushes(client: RedisClient) -> None:
    """The store flushes once per pass of its loop, whatever came in by then."""
    journal = RedisJournal(client)
    users = [f"user-{number}" for number in range(64)]
    heads = [await journal.open(user) for user in users]

    async def passes() -> int:
        stats = bytes(await client.read("INFO", "stats")).decode()
        return int(stats.split("eventloop_cycles:", 1)[1].split()[0])

    entries = chained([b"a"], after=0, chain=heads[0].chain)
    before = await passes()
    await asyncio.gather(
        *(
            journal.append(user, entries, epoch=head.epoch, after_seq=0, receipt=None, now_ms=NOW)
            for user, head in zip(users, heads, strict=True)
        )
    )
    assert await passes() - before < len(users) / 4
    assert [await journal.last_seq(user) for user in users] == [1] * len(users)
