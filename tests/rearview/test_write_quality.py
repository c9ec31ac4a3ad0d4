"""How good write decisions are on sentences and pairs of our own that nothing was fitted to.

write_held_*.jsonl was written in one go, in a chatty style, before the rules were read, and its single misses were
never looked at; write_build_*.jsonl are the ones that rules and weights were made with. Floors are the targets, so that
a rule that helps one sentence at the cost of the rest is seen.
"""

from functools import cache
from pathlib import Path

import pytest

from adapters.models.query_table import QueryTable
from engine.policy import Policy
from rearview.evaluate_files import cases_of
from rearview.evaluate_writes import Desk, WriteFigures, conflicts, decisions

DATA = Path(__file__).parents[1] / "data"


@cache
def figures(kind: str, part: str) -> WriteFigures:
    table = QueryTable.load()
    desk = Desk(policy=Policy(), now_ms=1_767_225_600_000, dimensions=table.dimensions, likeness=table.stand_in)
    cases = cases_of(DATA / f"write_{part}_{kind}.jsonl")
    return decisions(desk, cases) if kind == "decisions" else conflicts(desk, cases)


@pytest.mark.parametrize("part", ["build", "held"])
def test_what_is_kept_and_where_it_belongs_holds_on_sentences_of_our_own(part: str) -> None:
    found = figures("decisions", part)
    assert 100 * found.f1.value >= 90
    assert 100 * found.category.value >= 85
    assert 100 * found.tier.value >= 85


@pytest.mark.parametrize("part", ["build", "held"])
def test_what_must_be_refused_or_wait_is_told_on_sentences_of_our_own(part: str) -> None:
    rates = figures("decisions", part).rates["wanted"]
    assert 100 * rates["refuse"].value >= 85
    assert 100 * rates["pending"].value >= 84


@pytest.mark.parametrize("part", ["build", "held"])
def test_what_a_statement_does_to_what_was_known_holds_on_pairs_of_our_own(part: str) -> None:
    found = figures("conflicts", part)
    assert 100 * found.right.value >= 85
    assert {name: 100 * rate.value for name, rate in found.rates["relation"].items() if rate.value < 0.75} == {}
