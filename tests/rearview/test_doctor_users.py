"""One user under the doctor, with plain stores: indexes, vectors, and a user who changes meanwhile."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actors.hydrate import hydrate
from actors.passivate import take_snapshot
from actors.user_memory import UserMemory
from engine.events import MemoryWritten
from engine.state import place_vector
from engine.vectors import VectorIndex, VectorPolicy
from persistence.recovery import Recover
from persistence.snapshots import SnapshotStore
from persistence.values import Entry
from rearview.doctor_users import UserDoctor, UserReport
from rearview.findings import Level
from tests.actors.world import START_MS, World
from tests.rearview.test_doctor import memory

COUNT = 60


class Bench:
    """A user with many memories, their vectors in a snapshot on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = World(now_ms=START_MS)
        store = SnapshotStore.at(str(folder))
        self.parts = replace(
            self.world.parts(),
            snapshots=store,
            recovery=Recover(self.world.journal, store),
            vector_policy=VectorPolicy(graph_above=20),
        )

    async def fill(self) -> UserMemory:
        actor = await hydrate("alice", self.parts, later=lambda work: work.close())
        for number in range(COUNT):
            await self.write(actor, number)
        for held in list(actor.state.memories.values()):
            vector = self.world.embedder.passages([held.content])[0]
            assert place_vector(actor.state, held.memory_id, held.content, vector)
        await self.parts.snapshots.write("alice", await take_snapshot(actor))
        return actor

    async def write(self, actor: UserMemory, number: int) -> None:
        async with actor.one_writer:
            await actor.commit([MemoryWritten(memory(number, START_MS))])

    async def look(self, *, looks_max: int = 1, vectors_max: int = 10, journal: object = None) -> UserReport:
        plain = journal or self.world.journal
        doctor = UserDoctor(self.parts, plain, str(self.folder), looks_max=looks_max, vectors_max=vectors_max)  # type: ignore[arg-type]
        return await doctor.look_at("alice")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def wrong(report: UserReport) -> list[str]:
    return [finding.sentence for finding in report.findings if finding.level is Level.WRONG]


async def test_the_graph_is_held_against_an_exact_search(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.fill()
    report = await bench.look()
    assert report.sound
    assert report.memories == COUNT
    assert any("the semantic index finds 100.0 %" in finding.sentence for finding in report.findings)

    exact = VectorIndex.exact
    monkeypatch.setattr(VectorIndex, "nearest", lambda self, query, k: exact(self, -query, k))
    report = await bench.look()
    assert any("of what an exact search finds" in sentence for sentence in wrong(report))


async def test_a_stored_vector_that_is_not_its_texts_is_noticed(bench: Bench) -> None:
    actor = await bench.fill()
    mine = next(iter(actor.state.memories.values()))
    other = bench.world.embedder.passages(["something else"])[0]
    assert place_vector(actor.state, mine.memory_id, mine.content, other)
    await bench.parts.snapshots.write("alice", await take_snapshot(actor))
    assert any("not what the model makes" in sentence for sentence in wrong(await bench.look()))
    assert wrong(await bench.look(vectors_max=0)) == []


async def test_nobody_is_taken_over(bench: Bench) -> None:
    actor = await bench.fill()
    await bench.look()
    await bench.write(actor, COUNT)
    assert actor.seq == COUNT + 1


class BusyJournal:
    """A service goes on while the doctor reads: the journal is trimmed, and grows, between looking and reading."""

    def __init__(self, bench: Bench, actor: UserMemory, times: int) -> None:
        self._bench, self._actor, self._left = bench, actor, times

    async def look(self, user_id: str) -> object:
        head = await self._bench.world.journal.look(user_id)
        if self._left:
            self._left -= 1
            await self._bench.write(self._actor, COUNT + 10 + self._left)
            for _ in range(2):
                await self._bench.parts.snapshots.write(user_id, await take_snapshot(self._actor))
            await self._bench.world.journal.trim(user_id, self._actor.seq)
        return head

    def read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]:
        return self._bench.world.journal.read(user_id, after_seq)


async def test_a_user_who_changes_meanwhile_is_looked_at_again(bench: Bench) -> None:
    actor = await bench.fill()
    assert (await bench.look(looks_max=3, journal=BusyJournal(bench, actor, 2))).sound
    assert not (await bench.look(looks_max=2, journal=BusyJournal(bench, actor, 2))).sound


async def test_a_snapshot_that_disagrees_with_the_journal_is_noticed(bench: Bench) -> None:
    actor = await bench.fill()
    snapshot = replace(await take_snapshot(actor), seq=COUNT - 1, chain=bytes(np.arange(32, dtype=np.uint8)))
    await bench.parts.snapshots.write("alice", snapshot)
    said = f"entry {COUNT - 1} and the snapshot of it disagree"
    assert any(said in sentence for sentence in wrong(await bench.look()))
