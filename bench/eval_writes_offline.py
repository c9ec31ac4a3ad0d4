"""Write decisions on the labelled files, those that rules were tuned on and those that were held back apart.

    python -m bench.eval_writes_offline DATA_DIR [--part tuned|held|all] [--show N]

Reads decisions.jsonl, conflicts.jsonl and memorybank_grades_{zh,en}.jsonl. A line belongs to the held part when the
first byte of sha256(id) is a multiple of 3; rules were tuned on the other two thirds only. Measures and prints as
`rearview eval writes` does.
"""

import argparse
import hashlib
from pathlib import Path
from typing import Any

from adapters.models.query_table import QueryTable
from engine.policy import Policy
from rearview.evaluate_files import cases_of, kind_of
from rearview.evaluate_print import writes
from rearview.evaluate_writes import KEPT, MEASURES, Desk, checked

NOW_MS = 1_767_225_600_000
FILES = ("decisions", "memorybank_grades_zh", "memorybank_grades_en", "conflicts")

__all__ = ["KEPT", "NOW_MS", "Bench", "f1", "percent"]


class Bench(Desk):
    """Decides with the default numbers at one fixed time, so that nothing depends on the day of the run."""

    def __init__(self) -> None:
        table = QueryTable.load()
        super().__init__(policy=Policy(), now_ms=NOW_MS, dimensions=table.dimensions, likeness=table.stand_in)


def of_part(cases: list[dict[str, Any]], part: str) -> list[dict[str, Any]]:
    """The cases of one part."""
    held = [hashlib.sha256(str(case["id"]).encode()).digest()[0] % 3 == 0 for case in cases]
    return [case for case, is_held in zip(cases, held, strict=True) if part == "all" or is_held == (part == "held")]


def percent(a: int, b: int) -> float | None:
    return round(100 * a / b, 1) if b else None


def f1(tp: int, fp: int, fn: int) -> float:
    return round(200 * tp / (2 * tp + fp + fn), 1) if tp else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--part", choices=("tuned", "held", "all"), default="tuned")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    bench = Bench()
    for name in FILES:
        path = given.data / f"{name}.jsonl"
        cases = cases_of(path)
        kind = kind_of(path, cases)
        checked(path, kind, cases)
        print(writes(f"{name} ({given.part})", MEASURES[kind](bench, of_part(cases, given.part)), given.show))


if __name__ == "__main__":
    main()
