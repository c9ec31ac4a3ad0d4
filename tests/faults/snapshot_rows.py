"""Rows 29 to 32: what can happen to snapshots."""

import random
import shutil
import subprocess
import time
from pathlib import Path

from tests.faults.stage import Host, Server, Stage, until
from tests.faults.table import Outcome, Row, check_host, finish

OFTEN = 25  # Entries between two snapshots of a user.


def snapshots(host: Host) -> dict[str, list[Path]]:
    """Finished snapshots by user directory, oldest first."""
    found: dict[str, list[Path]] = {}
    for path in sorted(Path(host.plan["snapshots"]).rglob("*.snap")):
        found.setdefault(str(path.parent), []).append(path)
    return found


def written(stage: Stage) -> tuple[Server, Host]:
    store = stage.store()
    host = stage.host(store, snapshot_every=OFTEN)
    stage.writing(host, 600, users=4).finish()
    host.restart()  # The way out writes a last snapshot of everybody.
    return store, host


def torn(stage: Stage) -> Outcome:
    """The newest snapshot ends early: an older one and a longer journal stand in for it."""
    store, host = written(stage)
    outcome, chance = Outcome(), random.Random(29)
    for _ in range(6):
        _while_down(host, lambda: [_truncate(files[-1], chance) for files in snapshots(host).values()])
        outcome.injections += len(snapshots(host))
        found = check_host(stage, host, store)
        outcome.verdict.problems += found.problems
        outcome.expect(not found.lost, f"{found.lost} lost with torn snapshots")
    return finish(stage, host, store, outcome)


def _truncate(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])


def _while_down(host: Host, damage: object) -> None:
    """End the host without a last snapshot, damage something, and let it come back."""
    assert callable(damage)
    host.kept = False
    host.kill()
    assert host.process is not None
    host.process.wait()
    damage()
    host.kept = True
    until(host.listens, "the host is started again")


def altered(stage: Stage) -> Outcome:
    """Bits flipped, two users' files exchanged, an older file put in the newest one's place, another format."""
    store, host = written(stage)
    outcome, chance = Outcome(), random.Random(30)

    def flip() -> None:
        for files in snapshots(host).values():
            data = bytearray(files[-1].read_bytes())
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            files[-1].write_bytes(bytes(data))

    def exchange() -> None:
        first, second = list(snapshots(host).values())[:2]
        mine, theirs = first[-1].read_bytes(), second[-1].read_bytes()
        first[-1].write_bytes(theirs)
        second[-1].write_bytes(mine)

    def roll_back() -> None:
        for files in snapshots(host).values():
            if len(files) > 1:
                files[-1].write_bytes(files[-2].read_bytes())

    def other_format() -> None:
        for files in snapshots(host).values():
            data = bytearray(files[-1].read_bytes())
            data[8] ^= 0x7F
            files[-1].write_bytes(bytes(data))

    for damage in (flip, flip, flip, exchange, roll_back, other_format):
        _while_down(host, damage)
        outcome.injections += 1
        found = check_host(stage, host, store)
        outcome.verdict.problems += found.problems
        outcome.expect(not found.lost, f"{found.lost} lost with altered snapshots ({damage.__name__})")
    return finish(stage, host, store, outcome)


def killed_while_writing(stage: Stage) -> Outcome:
    """SIGKILL while snapshots are written all the time; half-written files are never read and go away."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, snapshot_every=5)
    writing = stage.writing(host, 900, users=4)
    for _ in range(5):
        starts = host.starts
        writing.until_acked(writing.acked() + 80)
        host.kill()
        outcome.injections += 1
        until(lambda starts=starts: host.starts > starts and host.listens(), "the host is started again")
    writing.finish()
    done = finish(stage, host, store, outcome)
    left = list(Path(host.plan["snapshots"]).rglob("*.tmp"))
    done.expect(len(left) <= 4, f"{len(left)} unfinished files are left")
    return done


def disk_full(stage: Stage) -> Outcome:
    """No room for snapshots: they fail, the journal is not trimmed, and writes go on."""
    with stage.small_disk("snapshots", "256k") as place:
        store, outcome = stage.store(), Outcome()
        host = stage.host(store, snapshot_every=OFTEN)
        (place / "ballast").write_bytes(bytes(200 * 1024))
        stage.writing(host, 900, users=4).finish()
        outcome.injections = 1
        return finish(stage, host, store, outcome)


def read_only(stage: Stage) -> Outcome:
    with stage.small_disk("snapshots", "16m") as place:
        store, outcome = stage.store(), Outcome()
        host = stage.host(store, snapshot_every=OFTEN)
        writing = stage.writing(host, 600, users=4)
        writing.until_acked(writing.acked() + 200)
        for _ in range(20):  # A mount with a file open for writing cannot be made read-only.
            if (
                subprocess.run(["mount", "-o", "remount,ro", str(place)], check=False, capture_output=True).returncode
                == 0
            ):
                break
            time.sleep(0.05)
        outcome.injections = 1
        writing.finish()
        stage.remount(place, "rw")
        return finish(stage, host, store, outcome)


def all_gone(stage: Stage) -> Outcome:
    """Every snapshot vanishes while the journal still begins at 1: the journal alone is enough."""
    store, outcome = stage.store(), Outcome()
    host = stage.host(store, snapshot_every=100_000)
    stage.writing(host, 600, users=4).finish()
    host.restart()
    _while_down(host, lambda: shutil.rmtree(host.plan["snapshots"]))
    outcome.injections = 1
    return finish(stage, host, store, outcome)


ROWS = [
    Row("29", "the newest snapshot of every user is torn", torn),
    Row("29b", "SIGKILL while snapshots are written", killed_while_writing),
    Row("29c", "every snapshot is gone", all_gone),
    Row("30", "snapshots altered, exchanged, rolled back, of another format", altered),
    Row("31", "no room for snapshots", disk_full, needs="root"),
    Row("32", "the snapshot directory becomes read-only", read_only, needs="root"),
]
