"""Snapshots on a real disk that fills up, refuses, or loses its process half-way."""

import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import Corrupt, Unavailable
from persistence import keys
from persistence.files import LocalFiles, RemoteFiles, open_files
from persistence.plain_snapshots import PlainSnapshots
from persistence.snapshots import SnapshotStore
from persistence.values import Snapshot
from tests.contract.test_snapshots import snapshot

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A disk with this much room: writing beyond it is an error, as on a full one."""
    _, hard = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def all_of(store: SnapshotStore) -> list[Snapshot]:
    return [found async for found in store.newest_first("alice")]


async def test_a_full_disk_fails_loudly_and_leaves_the_older_snapshots_and_no_half_file(tmp_path: Path) -> None:
    store = SnapshotStore(LocalFiles(tmp_path))
    await store.write("alice", snapshot(seq=1))
    await store.write("alice", snapshot(seq=2))
    large = replace(snapshot(seq=3), state=b"x" * 100_000)
    with files_of_at_most(50_000), pytest.raises(Unavailable) as refused:
        await store.write("alice", large)
    assert refused.value.code == "snapshot_store"
    assert [found.seq for found in await all_of(store)] == [2, 1]
    assert await store.oldest_seq("alice") == 1
    directory = tmp_path / keys.snapshot_directory("alice")
    assert all(path.suffix == ".snap" for path in directory.iterdir())
    await store.write("alice", large)
    assert (await all_of(store))[0] == large


async def test_a_full_plain_store_fails_in_the_same_way() -> None:
    store = PlainSnapshots()
    store.files.fail_next_write = True
    with pytest.raises(Unavailable):
        await store.write("alice", snapshot())
    assert await all_of(store) == []


async def test_a_root_that_is_no_directory_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("a file")
    store = SnapshotStore(LocalFiles(tmp_path / "root"))
    with pytest.raises(Unavailable):
        await store.write("alice", snapshot())
    with pytest.raises(Unavailable):
        await all_of(store)


class _Liar(LocalFiles):
    """A disk that reads back something else than was written."""

    def write(self, path: str, parts, verify) -> None:  # type: ignore[no-untyped-def]
        super().write(path, parts, lambda data: verify(data[:-1] + bytes([data[-1] ^ 1])))


async def test_a_snapshot_that_reads_back_differently_is_never_given_its_name(tmp_path: Path) -> None:
    store = SnapshotStore(_Liar(tmp_path))
    with pytest.raises(Corrupt):
        await store.write("alice", snapshot())
    assert await all_of(store) == []
    assert list((tmp_path / keys.snapshot_directory("alice")).iterdir()) == []


CRASH = """
import asyncio, os, pathlib, sys
from dataclasses import replace
from persistence.files import LocalFiles
from persistence.snapshots import SnapshotStore
from tests.contract.test_snapshots import snapshot
module, name, count = sys.argv[2].split("|")
target = {"os": os, "Path": pathlib.Path}[module]
real, calls = getattr(target, name), [0]
def dies(*args, **kwargs):
    calls[0] += 1
    if calls[0] == int(count):
        os._exit(9)
    return real(*args, **kwargs)
setattr(target, name, dies)
asyncio.run(SnapshotStore(LocalFiles(pathlib.Path(sys.argv[1]))).write("alice", snapshot(seq=2)))
"""


@pytest.mark.parametrize(
    ("dies_at", "seqs"),
    [
        ("os|fsync|1", [1]),  # Written, not flushed.
        ("Path|read_bytes|1", [1]),  # Flushed, not verified.
        ("Path|rename|1", [1]),  # Verified, not named.
        ("os|fsync|2", [2, 1]),  # Named, the directory not flushed.
    ],
)
async def test_a_process_killed_at_any_step_leaves_a_whole_snapshot_or_none(
    tmp_path: Path, dies_at: str, seqs: list[int]
) -> None:
    damaged: list[str] = []
    store = SnapshotStore(LocalFiles(tmp_path), lambda path, reason: damaged.append(path))
    await store.write("alice", snapshot(seq=1))
    assert _run(tmp_path, dies_at) == 9
    assert [found.seq for found in await all_of(store)] == seqs
    assert damaged == []
    await store.write("alice", snapshot(seq=3))
    assert [found.seq for found in await all_of(store)] == [3, *seqs]
    names = [path.suffix for path in (tmp_path / keys.snapshot_directory("alice")).iterdir()]
    assert set(names) == {".snap"}


def _run(root: Path, dies_at: str) -> int:
    return subprocess.run([sys.executable, "-c", CRASH, str(root), dies_at], cwd=ROOT, check=False).returncode


async def test_snapshots_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    await SnapshotStore(LocalFiles(tmp_path / "root")).write("alice", snapshot())
    for path in (tmp_path / "root").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_url_or_a_path_chooses_the_kind_of_store(tmp_path: Path) -> None:
    assert isinstance(open_files(str(tmp_path)), LocalFiles)
    assert isinstance(open_files(tmp_path.as_uri()), LocalFiles)
    assert isinstance(open_files("memory://snapshots"), RemoteFiles)
    with pytest.raises(ValueError, match="nonsense"):
        open_files("nonsense://x")
