"""Rows played in the seeded simulation (tests/simulation): `python -m tests.faults.simulated JSON` prints one line.

A process of its own, because a planted fault is put into the classes themselves.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from engine.errors import RearviewError
from tests.faults.stage import ROOT, Stage
from tests.faults.table import CONTROL, Outcome, Row
from tests.simulation.planted import PLANTED
from tests.simulation.test_many_users import die_everywhere, run

SEEDS = 40


async def seeds(first: int, count: int) -> dict[str, Any]:
    """Random operations, faults of the stores, two owners, clock steps and crashes, compared after every step."""
    acked = faults = 0
    for seed in range(first, first + count):
        simulation = await run(seed)
        acked += len(simulation.ledger.acknowledged)
        faults += simulation.disturbed
    return {"injections": faults, "acked": acked}


async def everywhere() -> dict[str, Any]:
    """Death at every store call of a story, before its effect and after it."""
    crashes = await die_everywhere()
    return {"injections": crashes, "acked": crashes * 7}


def played(plan: dict[str, Any]) -> dict[str, Any]:
    if plan["planted"]:
        PLANTED[plan["planted"]](setattr)
    work = everywhere() if plan["what"] == "everywhere" else seeds(plan["first"], plan["count"])
    try:
        return asyncio.run(work)
    except (AssertionError, RearviewError) as error:
        return {"injections": 1, "acked": 0, "problem": f"{type(error).__name__}: {str(error)[:200]}"}


def _row(what: str, first: int = 0, planted: str = "") -> Callable[[Stage], Outcome]:
    def play(stage: Stage) -> Outcome:
        count = max(6, int(SEEDS * stage.scale))
        plan = json.dumps({"what": what, "first": first, "count": count, "planted": planted})
        command = [sys.executable, "-m", "tests.faults.simulated", plan]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
        outcome = Outcome()
        outcome.expect(done.returncode == 0, done.stderr[-300:])
        if done.returncode == 0:
            found = json.loads(done.stdout)
            outcome.injections, outcome.verdict.acked = found["injections"], found["acked"]
            outcome.expect("problem" not in found, found.get("problem", ""))
        return outcome

    return play


ROWS = [
    Row("S1", "simulated: two owners, unsure appends, clock steps, crashes", _row("seeds")),
    Row("S2", "simulated: the same with other seeds", _row("seeds", first=1_000)),
    Row("S3", "simulated: death at every store call", _row("everywhere"), short=True),
    Row("C10", "simulated: the epoch is not checked", _row("seeds", planted="fence nobody"), CONTROL),
    Row("C11", "simulated: apply before append", _row("seeds", planted="apply too early"), CONTROL, short=True),
    Row("C12", "simulated: keys are forgotten", _row("everywhere", planted="forget keys"), CONTROL),
]

if __name__ == "__main__":
    print(json.dumps(played(json.loads(sys.argv[1]))))
