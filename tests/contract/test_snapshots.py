"""What every snapshot store must do: plain memory, a local directory, and another fsspec file system."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import fsspec
import numpy as np
import pytest

from engine.errors import Corrupt
from persistence import keys
from persistence.files import LocalFiles, PlainFiles, RemoteFiles
from persistence.plain_snapshots import PlainSnapshots
from persistence.snapshots import SnapshotStore
from persistence.values import Snapshot

ODD_IDS = ["alice", "Alice", "a/b", "a:b", "../a", "用户 1", "u" * 256, "🐱" * 256]


def snapshot(user_id: str = "alice", seq: int = 7, epoch: int = 3) -> Snapshot:
    vectors = np.arange(3 * 4, dtype=np.float32).reshape(3, 4)
    return Snapshot(
        user_id,
        epoch,
        seq,
        bytes(range(32)),
        "e5/384",
        b"state of " + user_id.encode(),
        vectors.tobytes(),
        ("m1", "m2", "记忆"),
        "key-1",
    )


class Store:
    """A store under test, and the names of what it reported as damaged."""

    def __init__(self, files: LocalFiles | RemoteFiles | PlainFiles) -> None:
        self.files = files
        self.damaged: list[tuple[str, str]] = []
        report = lambda path, reason: self.damaged.append((path, reason))  # noqa: E731
        if isinstance(files, PlainFiles):
            plain = PlainSnapshots(report)
            self.files, self.snapshots = plain.files, plain
        else:
            self.snapshots = SnapshotStore(files, report)

    async def all(self, user_id: str = "alice") -> list[Snapshot]:
        return [found async for found in self.snapshots.newest_first(user_id)]

    def paths(self, user_id: str = "alice") -> list[str]:
        directory = str(keys.snapshot_directory(user_id))
        return sorted(f"{directory}/{name}" for name in self.files.names(directory))

    def damage(self, path: str) -> None:
        """Flip one bit in the middle of a file."""
        data = bytearray(self.files.read(path))
        data[len(data) // 2] ^= 1
        self.files.write(path, [bytes(data)], lambda _: None)


@pytest.fixture(params=["plain", "local", "remote"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "plain":
        yield Store(PlainFiles())
    elif request.param == "local":
        yield Store(LocalFiles(tmp_path / "new" / "root"))
    else:
        memory = fsspec.filesystem("memory")
        yield Store(RemoteFiles(memory, "/snapshots"))
        memory.store.clear()


async def test_a_user_without_snapshots_has_none(store: Store) -> None:
    assert await store.all() == []
    assert await store.snapshots.oldest_seq("alice") is None
    assert await store.snapshots.highest_seq("alice") is None
    assert await store.snapshots.erase("alice") == 0


async def test_what_was_written_is_read_back_whole(store: Store) -> None:
    written = snapshot()
    await store.snapshots.write("alice", written)
    assert await store.all() == [written]


async def test_an_empty_state_without_vectors_is_a_snapshot_too(store: Store) -> None:
    empty = Snapshot("alice", 1, 0, bytes(32), "e5/384", b"", b"", ())
    await store.snapshots.write("alice", empty)
    assert await store.all() == [empty]


async def test_the_newest_three_are_kept_newest_first(store: Store) -> None:
    for seq in (1, 2, 10, 9, 11):
        await store.snapshots.write("alice", snapshot(seq=seq))
    assert [found.seq for found in await store.all()] == [11, 10, 9]
    assert await store.snapshots.oldest_seq("alice") == 9
    assert await store.snapshots.highest_seq("alice") == 11


async def test_snapshots_of_one_seq_stand_side_by_side_so_that_a_purge_can_replace_the_old(store: Store) -> None:
    await store.snapshots.write("alice", snapshot(seq=4))
    with pytest.raises(Corrupt):
        await store.snapshots.drop_before("alice", 5)
    await store.snapshots.write("alice", snapshot(seq=5))
    with pytest.raises(Corrupt):
        await store.snapshots.drop_before("alice", 5)
    await store.snapshots.write("alice", replace(snapshot(seq=5), state=b"purged"))
    assert [found.state for found in await store.all()][:2] == [b"purged", b"state of alice"]
    assert await store.snapshots.drop_before("alice", 5) == 1
    assert [found.seq for found in await store.all()] == [5, 5]
    assert await store.snapshots.oldest_seq("alice") == 5


async def test_one_snapshot_alone_does_not_stand_in_for_the_journal(store: Store) -> None:
    await store.snapshots.write("alice", snapshot(seq=4))
    assert await store.snapshots.oldest_seq("alice") is None


async def test_a_damaged_snapshot_is_reported_by_name_and_skipped(store: Store) -> None:
    for seq in (1, 2, 3):
        await store.snapshots.write("alice", snapshot(seq=seq))
    newest = store.paths()[-1]
    store.damage(newest)
    assert [found.seq for found in await store.all()] == [2, 1]
    assert [path for path, _ in store.damaged] == [newest]
    assert await store.snapshots.oldest_seq("alice") == 1
    assert await store.snapshots.highest_seq("alice") == 3


async def test_three_verified_ones_are_kept_even_when_a_newer_one_is_damaged(store: Store) -> None:
    for seq in (1, 2, 3):
        await store.snapshots.write("alice", snapshot(seq=seq))
    store.damage(store.paths()[1])
    await store.snapshots.write("alice", snapshot(seq=4))
    assert [found.seq for found in await store.all()] == [4, 3, 1]
    await store.snapshots.write("alice", snapshot(seq=5))
    assert [found.seq for found in await store.all()] == [5, 4, 3]
    assert len(store.paths()) == 3


async def test_another_users_file_is_never_loaded(store: Store) -> None:
    await store.snapshots.write("alice", snapshot("alice"))
    await store.snapshots.write("bob", snapshot("bob"))
    [bobs] = store.paths("bob")
    [alices] = store.paths("alice")
    store.files.write(bobs, [store.files.read(alices)], lambda _: None)
    assert await store.all("bob") == []
    assert "another user" in store.damaged[0][1]


async def test_an_older_file_under_a_newer_name_is_never_loaded(store: Store) -> None:
    await store.snapshots.write("alice", snapshot(seq=1))
    await store.snapshots.write("alice", snapshot(seq=2))
    old, new = store.paths()
    store.files.write(new, [store.files.read(old)], lambda _: None)
    assert [found.seq for found in await store.all()] == [1]
    assert [path for path, _ in store.damaged] == [new]


async def test_odd_user_ids_are_different_users_on_disk(store: Store) -> None:
    for user_id in ODD_IDS:
        await store.snapshots.write(user_id, snapshot(user_id))
    directories = {str(keys.snapshot_directory(user_id)).lower() for user_id in ODD_IDS}
    assert len(directories) == len(ODD_IDS), "also where a disk does not tell capitals apart"
    for user_id in ODD_IDS:
        assert await store.all(user_id) == [snapshot(user_id)]
    assert await store.snapshots.erase("a/b") == 1
    assert await store.all("a/b") == []
    assert await store.all("a:b") == [snapshot("a:b")]


async def test_erasing_removes_every_file_of_the_user(store: Store) -> None:
    for seq in (1, 2):
        await store.snapshots.write("alice", snapshot(seq=seq))
    unfinished = store.paths()[0] + keys.TEMPORARY_SUFFIX
    store.files.write(unfinished, [b"half"], lambda _: None)
    assert await store.snapshots.erase("alice") == 2
    assert store.paths() == []


async def test_a_crashs_unfinished_file_is_no_snapshot_and_goes_with_the_next_write(store: Store) -> None:
    await store.snapshots.write("alice", snapshot(seq=1))
    unfinished = store.paths()[0].replace("-0000.snap", "-0001.snap") + keys.TEMPORARY_SUFFIX
    store.files.write(unfinished, [b"half"], lambda _: None)
    assert [found.seq for found in await store.all()] == [1]
    assert store.damaged == []
    await store.snapshots.write("alice", snapshot(seq=2))
    assert unfinished not in store.paths()


async def test_files_of_others_in_the_directory_are_left_alone(store: Store) -> None:
    await store.snapshots.write("alice", snapshot(seq=1))
    foreign = str(keys.snapshot_directory("alice")) + "/README"
    store.files.write(foreign, [b"by hand"], lambda _: None)
    for seq in (2, 3, 4, 5):
        await store.snapshots.write("alice", snapshot(seq=seq))
    assert foreign in store.paths()


async def test_many_users_write_at_once(store: Store) -> None:
    users = [f"user {i}" for i in range(20)]
    await asyncio.gather(*(store.snapshots.write(user_id, snapshot(user_id)) for user_id in users))
    for user_id in users:
        assert await store.all(user_id) == [snapshot(user_id)]


@pytest.mark.parametrize(
    "wrong", [{"user_id": "bob"}, {"chain": b"short"}, {"vectors": b"123", "key_id": ""}, {"vector_rows": ()}]
)
async def test_a_malformed_snapshot_is_a_programmers_error(store: Store, wrong: dict[str, object]) -> None:
    with pytest.raises(AssertionError):
        await store.snapshots.write("alice", replace(snapshot(), **wrong))  # type: ignore[arg-type]
    assert store.paths() == []
