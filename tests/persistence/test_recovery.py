"""The order in which a user is read back, and what is refused. Over the plain stores; no clock, no server."""

from dataclasses import replace

import pytest

from engine.errors import Corrupt, Unavailable
from persistence.plain_journal import PlainJournal
from persistence.plain_snapshots import PlainSnapshots
from persistence.recovery import Recover, recover
from persistence.values import NO_CHAIN, Entry, Recovered, Snapshot
from tests.contract.entries import chained

ENTRIES = chained([b"one", b"two", b"three", b"four", b"five", b"six"])


def snapshot_at(seq: int, **changes: object) -> Snapshot:
    chain = ENTRIES[seq - 1].chain if seq else NO_CHAIN
    snapshot = Snapshot("alice", 1, seq, chain, "e5", b"state at %d" % seq, b"", ())
    return replace(snapshot, **changes)  # type: ignore[arg-type]


class World:
    """A journal of six entries and a snapshot store, for one user."""

    def __init__(self) -> None:
        self.journal = PlainJournal()
        self.damaged: list[str] = []
        self.snapshots = PlainSnapshots(lambda path, reason: self.damaged.append(path))

    async def write(self, entries: list[Entry], *snapshot_seqs: int) -> "World":
        head = await self.journal.open("alice")
        if entries:
            await self.journal.append("alice", entries, epoch=head.epoch, after_seq=head.seq, receipt=None, now_ms=1)
        for seq in snapshot_seqs:
            await self.snapshots.write("alice", snapshot_at(seq))
        return self

    def damage_snapshot(self, seq: int) -> None:
        [path] = [path for path in self.snapshots.files.files if f"/{seq:016d}-" in path]
        self.snapshots.files.files[path] = self.snapshots.files.files[path][:-1]

    async def recover(self) -> Recovered:
        return await recover(self.journal, self.snapshots, "alice", await self.journal.open("alice"))


async def test_a_new_user_is_empty() -> None:
    assert await World().recover() == Recovered(None, ())


async def test_without_a_snapshot_the_whole_journal_is_read() -> None:
    world = await World().write(ENTRIES)
    assert await world.recover() == Recovered(None, tuple(ENTRIES))


async def test_the_newest_snapshot_and_the_entries_after_it_are_read() -> None:
    world = await World().write(ENTRIES, 2, 4)
    assert await world.recover() == Recovered(snapshot_at(4), tuple(ENTRIES[4:]))


async def test_a_snapshot_of_the_last_entry_needs_no_journal() -> None:
    world = await World().write(ENTRIES, 6)
    await world.journal.trim("alice", 6)
    assert await world.recover() == Recovered(snapshot_at(6), ())


async def test_a_damaged_newest_snapshot_leaves_the_next_older_one() -> None:
    world = await World().write(ENTRIES, 2, 4)
    await world.journal.trim("alice", 2)
    world.damage_snapshot(4)
    assert await world.recover() == Recovered(snapshot_at(2), tuple(ENTRIES[2:]))
    assert len(world.damaged) == 1


async def test_with_every_snapshot_damaged_the_whole_journal_is_read() -> None:
    world = await World().write(ENTRIES, 2, 4)
    world.damage_snapshot(2)
    world.damage_snapshot(4)
    assert await world.recover() == Recovered(None, tuple(ENTRIES))


async def test_with_every_snapshot_damaged_and_the_journal_trimmed_nothing_is_made_up() -> None:
    world = await World().write(ENTRIES, 2, 4)
    await world.journal.trim("alice", 2)
    world.damage_snapshot(2)
    world.damage_snapshot(4)
    with pytest.raises(Corrupt, match="entry 1 is missing"):
        await world.recover()


@pytest.mark.parametrize("snapshots", [(), (2,)])
@pytest.mark.parametrize("lost", [2, 3, 5])
async def test_a_dropped_entry_is_noticed(snapshots: tuple[int, ...], lost: int) -> None:
    world = await World().write(ENTRIES, *snapshots)
    del world.journal.entries("alice")[lost]
    with pytest.raises(Corrupt, match=f"entry {lost + 1} is missing"):
        await world.recover()


@pytest.mark.parametrize("altered", range(6))
async def test_a_flipped_byte_in_an_entry_is_noticed(altered: int) -> None:
    world = await World().write(ENTRIES)
    entry = ENTRIES[altered]
    world.journal.entries("alice")[altered] = replace(entry, body=bytes([entry.body[0] ^ 1]) + entry.body[1:])
    with pytest.raises(Corrupt, match=f"entry {altered + 1} was altered"):
        await world.recover()


async def test_an_entry_altered_together_with_its_hash_is_noticed_at_the_next_one() -> None:
    world = await World().write(ENTRIES)
    world.journal.entries("alice")[2] = chained([b"forged"], after=2, chain=ENTRIES[1].chain)[0]
    with pytest.raises(Corrupt, match="entry 4 was altered"):
        await world.recover()


async def test_the_last_entry_altered_together_with_its_hash_is_noticed_at_the_head() -> None:
    world = await World().write(ENTRIES)
    world.journal.entries("alice")[5] = chained([b"forged"], after=5, chain=ENTRIES[4].chain)[0]
    with pytest.raises(Corrupt, match="head does not match"):
        await world.recover()


async def test_two_entries_swapped_are_noticed() -> None:
    world = await World().write(ENTRIES)
    kept = world.journal.entries("alice")
    kept[2], kept[3] = replace(kept[3], seq=3), replace(kept[2], seq=4)
    with pytest.raises(Corrupt, match="entry 3 was altered"):
        await world.recover()


async def test_an_emptied_store_is_never_taken_for_a_new_user() -> None:
    world = await World().write(ENTRIES, 2, 4)
    world.journal = PlainJournal()
    with pytest.raises(Corrupt, match="was emptied"):
        await world.recover()


async def test_an_emptied_store_is_noticed_even_when_every_snapshot_is_damaged() -> None:
    world = await World().write(ENTRIES, 4)
    world.damage_snapshot(4)
    world.journal = PlainJournal()
    with pytest.raises(Corrupt, match="was emptied"):
        await world.recover()


async def test_a_store_put_back_to_an_older_day_is_refused() -> None:
    world = await World().write(ENTRIES, 2, 4)
    world.journal = PlainJournal()
    await world.write(ENTRIES[:3])
    with pytest.raises(Corrupt, match="put back to an older state"):
        await world.recover()


async def test_a_store_whose_epoch_is_behind_a_snapshots_is_refused() -> None:
    world = await World().write(ENTRIES)
    await world.snapshots.write("alice", snapshot_at(4, epoch=99))
    with pytest.raises(Corrupt, match="put back to an older state"):
        await world.recover()


async def test_a_snapshot_of_another_history_is_passed_over() -> None:
    world = await World().write(ENTRIES, 2)
    await world.snapshots.write("alice", snapshot_at(4, chain=bytes(range(32))))
    assert await world.recover() == Recovered(snapshot_at(2), tuple(ENTRIES[2:]))


async def test_entries_of_a_newer_owner_are_left_to_it() -> None:
    world = await World().write(ENTRIES[:4])
    stale_head = await world.journal.open("alice")
    newer = await world.journal.open("alice")
    await world.journal.append("alice", ENTRIES[4:], epoch=newer.epoch, after_seq=4, receipt=None, now_ms=1)
    recovered = await Recover(world.journal, world.snapshots)("alice", stale_head)
    assert recovered == Recovered(None, tuple(ENTRIES[:4]))


async def test_a_store_out_of_reach_is_unavailable_and_not_empty() -> None:
    world = await World().write(ENTRIES)
    head = await world.journal.open("alice")
    world.journal.reachable = False
    with pytest.raises(Unavailable):
        await recover(world.journal, world.snapshots, "alice", head)
