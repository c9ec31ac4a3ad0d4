"""`python -m tests.faults`: plays the fault matrix, prints every row, and fails when a promise or a control does."""

import argparse
import logging
import os
import sys
import time
from collections.abc import Sequence

from tests.faults import (
    cluster_rows,
    controls,
    host_rows,
    service_rows,
    simulated,
    snapshot_rows,
    store_rows,
    wire_rows,
)
from tests.faults.table import CONTROL, STRICT, Played, Row, run_rows

ROWS: list[Row] = [
    *host_rows.ROWS,
    *store_rows.ROWS,
    *wire_rows.ROWS,
    *snapshot_rows.ROWS,
    *service_rows.ROWS,
    *cluster_rows.ROWS,
    *simulated.ROWS,
    *controls.ROWS,
]


def chosen(names: str, *, short: bool) -> list[Row]:
    """The rows of these numbers, or all, or those of the short form."""
    wanted = set(names.split(",")) if names else None
    return [row for row in ROWS if (wanted is None or row.number in wanted) and (row.short or not short)]


def summary(played: Sequence[Played]) -> str:
    strict = [one for one in played if one.row.kind == STRICT and not one.skipped]
    acked, lost, doubled = (
        sum(getattr(one.outcome.verdict, name) for one in strict) for name in ("acked", "lost", "duplicated")
    )
    controls = [one for one in played if one.row.kind == CONTROL and not one.skipped]
    return (
        f"strict: {len(strict)} rows, {acked} acknowledged, {lost} lost, {doubled} duplicated; "
        f"{sum(one.good for one in controls)} of {len(controls)} controls fail as they must"
    )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--rows", default="", help="numbers of rows, separated by commas")
    parser.add_argument("--short", action="store_true", help="only the rows that `make test` plays, with fewer writes")
    parser.add_argument("--scale", type=float, default=0.7, help="how many writes, relative to the usual number")
    parser.add_argument("--together", type=int, default=3, help="rows played at once")
    options = parser.parse_args(words)
    logging.disable(logging.CRITICAL)  # What the checker finds in damaged files is said in the table.
    started = time.monotonic()
    rows = chosen(options.rows, short=options.short)
    scale = 0.2 if options.short else options.scale
    played = run_rows(rows, scale=scale, together=options.together, root=os.geteuid() == 0)
    print(summary(played), f"({time.monotonic() - started:.0f} s)")
    broken = [one.row.number for one in played if not one.good]
    if broken:
        print("broken:", ", ".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
