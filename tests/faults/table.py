"""Rows and how they are run and shown."""

import asyncio
import subprocess
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import redis

from engine.errors import RearviewError
from tests.faults.check import Verdict, check_book, everything
from tests.faults.doors import Again, HostDoor, Refused
from tests.faults.stage import Host, Server, Stage, built_shim

STRICT, RELAXED, CONTROL = "strict", "relaxed", "control"


@dataclass
class Outcome:
    """What a row did and found."""

    injections: int = 0
    verdict: Verdict = field(default_factory=Verdict)
    said: str = ""  # A figure that belongs beside the verdict.

    def expect(self, holds: object, what: str) -> None:
        """Note a broken promise."""
        if not holds:
            self.verdict.problems.append(what)


Play = Callable[[Stage], Outcome]


@dataclass(frozen=True)
class Row:
    """One row of the matrix. `kind`: strict and relaxed must be clean, a control must not be.

    A relaxed row may lose; how much is bounded by the row itself. `short` rows are part of `make test`.
    """

    number: str
    name: str
    play: Play
    kind: str = STRICT
    needs: str = ""  # "root" or "shim"
    short: bool = False


@dataclass
class Played:
    row: Row
    outcome: Outcome
    seconds: float
    skipped: str = ""

    @property
    def good(self) -> bool:
        if self.skipped:
            return True
        found = self.outcome.verdict
        if self.row.kind == RELAXED:  # How much may be lost is for the row to say.
            return not found.problems
        return found.clean != (self.row.kind == CONTROL)

    def line(self) -> str:
        found = self.outcome.verdict
        if self.skipped:
            said = f"skipped: {self.skipped}"
        elif self.row.kind == CONTROL:
            said = "fails, as it must" if self.good else "PASSED ALTHOUGH IT MUST FAIL"
        else:
            said = "holds" if self.good else "BROKEN"
        return (
            f"{self.row.number:>4}  {self.row.name:<66} {self.row.kind:<8} {self.outcome.injections:>5} "
            f"{found.acked:>6} {found.lost:>5} {found.duplicated:>5}  {said}{self.outcome.said} ({self.seconds:.0f} s)"
        )


ROW_TROUBLES = (
    OSError,
    AssertionError,
    LookupError,
    ValueError,
    RuntimeError,
    RearviewError,
    Again,
    Refused,
    redis.RedisError,
    subprocess.SubprocessError,
)
HEADER = f"{'row':>4}  {'fault':<66} {'mode':<8} {'inj.':>5} {'acked':>6} {'lost':>5} {'dup.':>5}  verdict"


def check_host(stage: Stage, host: Host, store: Server | None = None, *, may_lose: bool = False) -> Verdict:
    """Compare the row's ledgers with what the host says and, where the store is up, with its journals."""

    async def compare() -> Verdict:
        door = HostDoor(host.socket, seconds=20)
        where = {} if store is None else {"store": store.url, "snapshots": host.plan["snapshots"]}
        return await check_book(stage.book(), door, stage.row, **where, may_lose=may_lose)

    return asyncio.run(compare())


def finish(stage: Stage, host: Host, store: Server, outcome: Outcome) -> Outcome:
    """The end of most rows: everything is there, also after one more clean restart, and nothing has changed by it."""
    outcome.verdict.add(check_host(stage, host, store))
    before = _digest(stage, host)
    host.restart(die_at=None)
    outcome.expect(_digest(stage, host) == before, "a clean restart changed the state")
    return outcome


def _digest(stage: Stage, host: Host) -> list[tuple[str, str]]:
    async def read() -> list[tuple[str, str]]:
        door = HostDoor(host.socket, seconds=20)
        found = []
        for user in stage.book().users:
            memories, seq = await everything(door, user)
            found += [(user, f"{memory['id']} {memory['content']} {seq}") for memory in memories]
        return sorted(found)

    return asyncio.run(read())


def run_rows(rows: Sequence[Row], *, scale: float, together: int, root: bool) -> list[Played]:
    """Play rows, a few at a time, and print each when it is done."""
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory(prefix="rvf") as place:
        shim = built_shim(Path(place))

        def one(row: Row) -> Played:
            played = _play(row, Path(place), scale, shim if row.needs != "root" or root else None, root=root)
            print(played.line(), flush=True)
            if not played.good:
                for problem in played.outcome.verdict.problems[:5]:
                    print(f"        {problem}", flush=True)
            return played

        with ThreadPoolExecutor(together) as pool:
            return list(pool.map(one, rows))


def _play(row: Row, place: Path, scale: float, shim: Path | None, *, root: bool) -> Played:
    started = time.monotonic()
    if row.needs == "root" and not root:
        return Played(row, Outcome(), 0, "needs root to mount a tmpfs")
    if row.needs == "shim" and shim is None:
        return Played(row, Outcome(), 0, "needs Linux and a C compiler")
    folder = place / row.number
    folder.mkdir()
    stage = Stage(folder, f"r{row.number}", scale, shim)
    try:
        outcome = row.play(stage)
    except ROW_TROUBLES as error:
        outcome = Outcome()
        outcome.verdict.acked = len(stage.book().acks)
        where = traceback.extract_tb(error.__traceback__)[-1]
        crash = f"the row itself failed: {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        if row.kind == CONTROL:
            return Played(row, outcome, time.monotonic() - started, "")
        outcome.verdict.problems.append(crash)
    finally:
        stage.close()
    return Played(row, outcome, time.monotonic() - started)
