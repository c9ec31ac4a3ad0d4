"""The short form of `make faults`, and the checker itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.faults.__main__ import ROWS, chosen, main
from tests.faults.book import Book, text_of
from tests.faults.check import check_book
from tests.faults.doors import Refused
from tests.faults.table import CONTROL, STRICT


@pytest.mark.recovery
@pytest.mark.timeout(300)
def test_the_short_form_holds_and_its_controls_fail(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--short", "--together", "2"])
    assert status == 0, capsys.readouterr().out


def test_the_suite_has_rows_controls_and_a_short_form() -> None:
    numbers = [row.number for row in ROWS]
    assert len(numbers) == len(set(numbers))
    assert sum(row.kind == STRICT for row in ROWS) >= 30
    assert sum(row.kind == CONTROL for row in ROWS) >= 8
    assert {row.kind for row in chosen("", short=True)} >= {STRICT, CONTROL}


class Shelf:
    """A door to memories that a test lays out."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.memories = [{"id": one, "content": text} for one, text in texts.items()]
        self.closed = False

    async def write(self, user: str, key: str, text: str) -> tuple[int, str]:
        raise Refused("nothing is written here")

    async def ask(self, user: str, op: str, args: Mapping[str, object], min_seq: int = 0) -> dict[str, Any]:
        if op == "search":
            return {"memories": self.memories}
        return {"memories": self.memories, "next_cursor": "", "seq": 9}

    async def close(self) -> None:
        self.closed = True


LEDGER = "\nI u k1 1\nA u k1 1 1 one\nI u k2 2\nA u k2 2 2 two\nI u k3 3\nA u k3 3"  # The last line is torn.
GOOD = {"one": text_of("r", 1), "two": text_of("r", 2)}


@pytest.mark.parametrize(
    ("held", "lost", "doubled", "unknown", "problem"),
    [
        (GOOD, 0, 0, 0, ""),
        (GOOD | {"three": text_of("r", 3)}, 0, 0, 1, ""),
        ({"one": text_of("r", 1)}, 1, 0, 0, ""),
        (GOOD | {"again": text_of("r", 1)}, 0, 1, 0, "another id"),
        (GOOD | {"four": text_of("r", 4)}, 0, 0, 0, "nobody sent"),
    ],
)
async def test_the_checker_tells_lost_doubled_unknown_and_foreign_apart(
    tmp_path: Path, held: dict[str, str], lost: int, doubled: int, unknown: int, problem: str
) -> None:
    path = tmp_path / "book"
    path.write_text(LEDGER)
    found = await check_book(Book.read(path), Shelf(held), "r")
    assert (found.acked, found.lost, found.duplicated, found.unknown) == (2, lost, doubled, unknown)
    assert problem in " ".join(found.problems)
    assert bool(found.problems) == bool(problem)


async def test_an_answer_that_contradicts_an_earlier_one_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "book"
    path.write_text(LEDGER.rpartition("\n")[0] + "\nX k1 was told (1, 'one') and then (2, 'two')\n")
    assert (await check_book(Book.read(path), Shelf(GOOD), "r")).problems
