"""A backup holds everything, a damaged one is refused before anything is written, and a restore never overwrites."""

import asyncio
import hashlib
import io
import json
import shutil
import tarfile
from itertools import count
from pathlib import Path

import msgpack
import pytest

import rearview.backup
from actors.hydrate import hydrate
from persistence.dump import DumpedKey
from persistence.embedded_valkey import EmbeddedValkey
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from rearview.__main__ import main
from rearview.settings import RedisSettings, Settings
from rearview.wiring import host_parts
from tests.rearview.test_doctor import (
    USERS,
    data_dir,  # noqa: F401
    doctor,
    everything_in,
    filled,  # noqa: F401
    snapshots_of,
)

pytestmark = pytest.mark.recovery


def backup(folder: Path, file: Path) -> int:
    return main(["backup", str(file), "--data-dir", str(folder)])


def restore(file: Path, folder: Path) -> int:
    return main(["restore", str(file), "--data-dir", str(folder)])


async def texts_and_seq(folder: Path, user_id: str) -> tuple[dict[str, str], int]:
    valkey = EmbeddedValkey(folder)
    await valkey.start()
    try:
        parts = host_parts(Settings(data_dir=str(folder), redis=RedisSettings(url=valkey.url)).model_dump_json())
        actor = await hydrate(user_id, parts, later=lambda work: work.close())
        assert isinstance(parts.journal, RedisJournal)
        await parts.journal.close()
        return {memory_id: memory.content for memory_id, memory in actor.state.memories.items()}, actor.seq
    finally:
        await valkey.stop()


def test_what_is_restored_is_what_was_backed_up(data_dir: Path, tmp_path: Path) -> None:  # noqa: F811
    file, new = tmp_path / "all.tar", tmp_path / "new"
    before = everything_in(data_dir)
    assert backup(data_dir, file) == 0
    assert everything_in(data_dir).keys() == before.keys()
    assert file.stat().st_mode & 0o077 == 0
    assert restore(file, new) == 0
    assert not (new / "keys").exists(), "secrets are not in a backup"
    assert doctor(new) == 1, "nobody can be read without the master key"
    shutil.copytree(data_dir / "keys", new / "keys")
    assert doctor(new) == 0
    for user_id in USERS:
        assert [p.read_bytes() for p in snapshots_of(new, user_id)] == [
            p.read_bytes() for p in snapshots_of(data_dir, user_id)
        ]
        texts, seq = asyncio.run(texts_and_seq(new, user_id))
        assert seq == 5
        assert len(texts) == 4
        assert texts["m0"].endswith("77.")


def test_an_installation_with_data_is_never_overwritten(
    data_dir: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "all.tar"
    assert backup(data_dir, file) == 0
    before = everything_in(data_dir)
    assert restore(file, data_dir) == 2
    assert "holds data already" in capsys.readouterr().err
    after = everything_in(data_dir)
    assert {name: after[name] for name in before if name.startswith("snapshots")} == {
        name: data for name, data in before.items() if name.startswith("snapshots")
    }
    assert backup(data_dir, file) == 2, "and a backup never replaces a file"


@pytest.mark.parametrize("damage", ["altered", "cut off", "not one"])
def test_a_damaged_backup_is_refused_before_anything_is_written(
    damage: str,
    data_dir: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, new = tmp_path / "all.tar", tmp_path / "new"
    assert backup(data_dir, file) == 0
    with tarfile.open(file) as tar:
        middle = next(info for info in tar if info.name == "keys/1")
    data = bytearray(file.read_bytes())
    if damage == "altered":
        data[middle.offset_data + middle.size // 2] ^= 1
    elif damage == "cut off":
        del data[middle.offset_data + middle.size // 2 :]
    else:
        data[:] = b"no tar at all"
    file.write_bytes(data)
    assert restore(file, new) == 2
    said = capsys.readouterr().err
    assert ("keys/1 is missing or altered" in said) == (damage == "altered")
    assert not new.exists()


def test_a_restore_that_was_broken_off_is_not_served_and_is_repeated(
    data_dir: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, other, new = tmp_path / "all.tar", tmp_path / "other.tar", tmp_path / "new"
    assert backup(data_dir, file) == 0
    assert backup(data_dir, other) == 0
    whole, calls = rearview.backup.restore, count()

    async def broken_off(client: RedisClient, dumped: list[DumpedKey]) -> None:
        if next(calls) == 2:
            raise OSError("killed")
        await whole(client, dumped)

    monkeypatch.setattr(rearview.backup, "restore", broken_off)
    assert restore(file, new) == 2
    monkeypatch.undo()
    shutil.copytree(data_dir / "keys", new / "keys")
    capsys.readouterr()
    for attempt in (["serve", "--port", "0"], ["backup", str(tmp_path / "half.tar")]):
        assert main([*attempt, "--data-dir", str(new)]) != 0
        assert "did not come to its end" in capsys.readouterr().err
    assert doctor(new) == 1
    assert "did not come to its end" in capsys.readouterr().out
    assert restore(other, new) == 2, "only the same file goes on"
    assert restore(file, new) == 0
    assert doctor(new) == 0
    for user_id in USERS:
        assert asyncio.run(texts_and_seq(new, user_id))[1] == 5


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("snapshots/../../../evil.snap", b"x"),
        ("snapshots//tmp/evil.snap", b"x"),
        ("snapshots/users/ab/cd/1.snap", b"x"),
        ("elsewhere", b"x"),
        ("keys/9", b"\xc1"),
        ("keys/9", b"\x01"),
        ("keys/9", msgpack.packb([(b"session:1", 0, b"x")])),
        ("keys/9", msgpack.packb([(b"rearview:x", "0", b"x")])),
    ],
)
def test_a_file_made_to_look_like_a_backup_writes_nothing(
    name: str, data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, new = tmp_path / "made.tar", tmp_path / "deep" / "new"
    manifest = {"format": 1, "users": 0, "members": {name: hashlib.sha256(data).hexdigest()}}
    with tarfile.open(file, "w") as tar:
        for member, body in ((name, data), ("manifest.json", json.dumps(manifest).encode())):
            info = tarfile.TarInfo(member)
            info.size = len(body)
            tar.addfile(info, io.BytesIO(body))
    assert restore(file, new) == 2
    assert "backup" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["made.tar"]
