"""Random operations of two tenants on one host, every byte of one compared with and without the other.

    python -m bench isolation [--operations 100000]

The walk is that of tests/isolation: every route of the table, every tool through each of its doors, in this process,
over plain stores. Half of the runs let one user at most stay in memory, so that each tenant's step evicts the other.
"""

import asyncio
import logging
import time
from dataclasses import dataclass, field

from tests.isolation.walk import compared

STEPS = 500
FIRST_SEED = 1_000


@dataclass(slots=True)
class Outcome:
    """What came of it; times are processor time of the one whose answers are compared."""

    operations: int = 0
    seeds: int = 0
    leaks: list[str] = field(default_factory=list)
    alone_s: float = 0.0
    beside_s: float = 0.0


async def walked(operations: int) -> Outcome:
    """At least so many operations, counted over both runs of each seed."""
    outcome = Outcome()
    while outcome.operations < operations:
        seed = FIRST_SEED + outcome.seeds
        alone, beside, differ = await compared(seed, STEPS)
        outcome.leaks += [*alone.leaks, *beside.leaks, *(f"seed {seed}: answer {index} differs" for index in differ)]
        outcome.operations += alone.steps + beside.steps
        outcome.alone_s += alone.cpu_s
        outcome.beside_s += beside.cpu_s
        outcome.seeds += 1
    return outcome


def isolation(operations: int) -> int:
    """Print the outcome; the number of leaks."""
    logging.disable(logging.WARNING)  # Every reach for the other tenant is logged, as it should be.
    started = time.monotonic()
    outcome = asyncio.run(walked(operations))
    print(
        f"{outcome.operations} operations of two tenants ({outcome.seeds} seeds), "
        f"{time.monotonic() - started:.0f} s: "
        f"{len(outcome.leaks)} leaks; processor time of one beside the other "
        f"{outcome.beside_s / outcome.alone_s:.2f} of alone (half of the runs evict it at every step)"
    )
    for leak in outcome.leaks[:20]:
        print(" ", leak)
    return len(outcome.leaks)
