"""Seeded runs: many users, random operations, faults of every store, two owners, a clock that jumps, crashes.

After every step each live state is compared with a fresh fold of everything that was ever stored. A failure names its
seed; `--seeds 500` runs more of them, `--seeds 37:38` one again.
"""

import asyncio
import contextlib
import random
from collections.abc import Coroutine
from dataclasses import replace
from typing import TypeVar

import pytest

from actors.host import MemoryHost
from engine.errors import Corrupt, Indeterminate, RearviewError, Rejected, StaleEpoch, Unavailable
from persistence.plain_journal import Fault
from tests.actors.world import World, ask, memory_id, settle
from tests.simulation.ledger import CrashPoint, Ledger, WatchedJournal, WatchedSnapshots, check_actor
from tests.simulation.planted import apply_too_early, fence_nobody, forget_keys

USERS = ("alice", "Alice", "用户 1")
CITIES = ("Lyon", "Kyoto", "Lagos", "Quito")
STEPS = 60
Answer = TypeVar("Answer")


class Simulation:
    """One run of one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.crash = CrashPoint()
        self.journal = WatchedJournal(self.crash)
        self.world = World(journal=self.journal, snapshots=WatchedSnapshots(self.crash))
        self.world.limits = replace(self.world.limits, snapshot_every=5, live_users_max=2, sweep_ms=10**9)
        self.ledger = Ledger()
        self.hosts = [MemoryHost(self.world.parts()) for _ in range(2)]
        self.ids: dict[str, list[str]] = {user: [] for user in USERS}
        self.keys = 0
        self.disturbed = 0  # Of those that are no operation: faults, crashes, restarts, jumps of the clock.

    async def step(self) -> None:
        """One random thing happens; then everything must be in order."""
        does = self.chance.choices(
            [self.operate, self.fault, self.look, self.move_time, self.restart, self.crash_later, self.beside],
            [60, 8, 8, 8, 4, 4, 8],
        )[0]
        self.disturbed += does != self.operate
        await does()
        for host in list(self.hosts):
            await self.while_alive(settle(host))
        for host in self.hosts:
            for actor in host.users:
                check_actor(actor, self.journal)

    async def operate(self) -> None:
        user, self.keys = self.chance.choice(USERS), self.keys + 1
        await self.until_answered(user, *self.choose(user), key=f"key-{self.keys}")

    async def beside(self) -> None:
        """Several callers at once, at both owners."""
        asked = []
        for _ in range(4):
            user, self.keys = self.chance.choice(USERS), self.keys + 1
            asked.append(self.until_answered(user, *self.choose(user), key=f"key-{self.keys}"))
        await asyncio.gather(*asked)

    def choose(self, user: str) -> tuple[str, dict[str, object]]:
        known = self.chance.choice(self.ids[user]) if self.ids[user] else "nobody"
        number = self.chance.randrange(10**6)
        text = f"Note {number}: the parcel is in {self.chance.choice(CITIES)}"
        return self.chance.choices(
            [
                ("write", {"content": text, "tier": "semantic"}),
                ("write", {"content": text, "tier": "working", "ttl_seconds": self.chance.choice([60, 86_400])}),
                ("edit", {"memory_id": known, "content": text}),
                ("bin", {"memory_id": known}),
                ("restore", {"memory_id": known}),
                ("purge", {"memory_id": known}),
                ("used", {"memory_ids": [known]}),
                ("settings_put", {"settings": {"half_life_days": number % 30 + 1}}),
                ("import_many", {"records": [{"line": 1, "content": text}, {"line": 2, "content": ""}]}),
                ("maintain", {}),
            ],
            [40, 8, 8, 8, 6, 4, 6, 2, 4, 2],
        )[0]

    async def until_answered(self, user: str, op: str, args: dict[str, object], *, key: str) -> None:
        """Ask as a client should: again with the same key until the answer is certain."""
        for _ in range(20):
            try:
                reply = await self.ask_once(user, op, args, key)
            except (Unavailable, Indeterminate, StaleEpoch):
                continue
            except Rejected as error:
                if error.code == "idempotency_conflict":
                    raise  # No two requests of a run share a key.
                return
            if op != "maintain":
                identity = memory_id(reply) if isinstance(reply.get("memory"), dict) else ""
                seq = reply["seq"]
                assert isinstance(seq, int)
                if op in ("write", "edit") and identity:
                    self.ledger.acknowledge(user, key, seq, identity if op == "write" else "")
                if op == "write" and identity:
                    self.ids[user].append(identity)
            return
        raise AssertionError("no answer in twenty tries")

    async def ask_once(self, user: str, op: str, args: dict[str, object], key: str) -> dict[str, object]:
        """One try, which ends when the process does."""
        reply = await self.while_alive(ask(self.chance.choice(self.hosts), user, op, args, key=key))
        if reply is None:
            raise Indeterminate.of("the process died")
        return reply

    async def while_alive(self, work: Coroutine[object, object, Answer]) -> Answer | None:
        """The result, or None when the process died meanwhile; then a new one is there."""
        asked = asyncio.ensure_future(work)
        died = asyncio.ensure_future(self.crash.crashed.wait())
        await asyncio.wait({asked, died}, return_when=asyncio.FIRST_COMPLETED)
        died.cancel()
        if asked.done():
            return asked.result()
        asked.cancel()
        with contextlib.suppress(asyncio.CancelledError, RearviewError):
            await asked
        if self.crash.crashed.is_set():
            self.crash.arm(None)
            self.hosts = [MemoryHost(self.world.parts()) for _ in self.hosts]
        return None

    async def fault(self) -> None:
        self.journal.fail_next(self.chance.choice(list(Fault)))
        self.world.snapshots.files.fail_next_write = self.chance.random() < 0.5

    async def look(self) -> None:
        await self.while_alive(self.chance.choice(self.hosts).sweeper.look())

    async def move_time(self) -> None:
        if self.chance.random() < 0.3:
            self.world.now_ms += self.chance.choice([-3_600_000, 3_600_000, 8 * 86_400_000, -8 * 86_400_000])
        else:
            self.world.pass_time(self.chance.choice([1_000, 400_000, 86_400_000]))

    async def restart(self) -> None:
        """One host is killed: nothing of it is left but what it stored."""
        place = self.chance.randrange(len(self.hosts))
        self.hosts[place] = MemoryHost(self.world.parts())

    async def crash_later(self) -> None:
        self.crash.arm(self.chance.randrange(1, 8), after_effect=self.chance.random() < 0.5)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        first, _, last = metafunc.config.getoption("--seeds").rpartition(":")
        metafunc.parametrize("seed", range(int(first or 0), int(last)))


async def test_every_state_equals_what_is_stored_whatever_happens(seed: int) -> None:
    await run(seed)


async def scenario(simulation: Simulation) -> None:
    """A short fixed story that touches every kind of store call."""
    for number in range(7):
        content = f"Note {number}: the parcel is in {CITIES[number % 4]}"
        await simulation.until_answered("alice", "write", {"content": content, "tier": "semantic"}, key=f"w{number}")
    first = simulation.ids["alice"][0]
    await simulation.until_answered("alice", "bin", {"memory_id": first}, key="b")
    await simulation.until_answered("alice", "purge", {"memory_id": first}, key="p")
    await simulation.until_answered("alice", "maintain", {}, key="")


async def die_everywhere() -> int:
    """Tell the story again and again, dying one store call later each time; returns how often it died."""
    at, crashes = 1, 0
    while True:
        for after_effect in (False, True):
            simulation = Simulation(0)
            simulation.hosts = [MemoryHost(simulation.world.parts())]
            crash = simulation.crash
            crash.arm(at, after_effect=after_effect)
            await scenario(simulation)
            crashes += crash.at is None
            simulation.ledger.check(simulation.journal)
            assert len(simulation.journal.folded("alice").memories) == 6, f"crash at store call {at}"
            assert len(simulation.journal.history["alice"]) == 9, f"one entry for each request, store call {at}"
        if crash.at is not None and crash.calls < at:
            return crashes
        at += 1


async def test_a_crash_at_any_store_call_loses_and_doubles_nothing() -> None:
    assert await die_everywhere() > 30, "the story has that many places to die in"


async def test_the_check_finds_a_writer_that_forgets_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_keys(monkeypatch.setattr)
    with pytest.raises(AssertionError):
        await die_everywhere()


async def run(seed: int) -> Simulation:
    """One seed from beginning to end. Raises: AssertionError when something is not as it must be."""
    simulation = Simulation(seed)
    for _ in range(STEPS):
        await simulation.step()
    simulation.crash.arm(None)
    simulation.ledger.check(simulation.journal)
    last = MemoryHost(simulation.world.parts())
    for user in USERS:
        actor = await last.users.actor(user)
        check_actor(actor, simulation.journal)
        assert actor.seq == len(simulation.journal.history.get(user, []))
    return simulation


async def run_many(count: int) -> None:
    for seed in range(count):
        await run(seed)


async def test_the_check_finds_a_store_that_fences_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    fence_nobody(monkeypatch.setattr)
    with pytest.raises((AssertionError, Corrupt)):
        await run_many(20)


async def test_the_check_finds_an_actor_that_shows_what_is_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    apply_too_early(monkeypatch.setattr)
    with pytest.raises((AssertionError, RearviewError)):
        await run_many(20)
