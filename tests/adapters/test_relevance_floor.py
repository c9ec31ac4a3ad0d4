"""The floor with the vectors we ship: what answers a question passes it, what does not stays out.

One memory in the store at a time, which is the hardest case: nothing else shows what is usual. Until the model's own
vector of the memory is there the stand-in must do, so that is what is measured.
"""

import json
from datetime import UTC
from pathlib import Path

import pytest

from adapters.models.query_table import QueryTable
from adapters.models.space import bundled_space
from engine.commands import Recall
from engine.events import MemoryWritten
from engine.policy import Policy
from engine.recall import RecallResult, decide_recall
from engine.state import UserState, apply
from tests.engine.remembering import NOW_MS, memory

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "relevance_pairs.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def table() -> QueryTable:
    return QueryTable.load()


def asked(table: QueryTable, content: str, query: str) -> RecallResult:
    state = UserState("alice", dimensions=bundled_space().dimensions, stand_in=table.stand_in)
    apply(state, MemoryWritten(memory("only", content)))
    return decide_recall(
        state,
        Recall(query=query),
        query=table.encode(query),
        space=bundled_space(),
        now_ms=NOW_MS,
        zone=UTC,
        policy=Policy(),
    )


def test_nine_of_ten_answers_pass_the_floor(table: QueryTable) -> None:
    answers = [pair for pair in PAIRS if pair["relevant"]]
    missed = [pair for pair in answers if not asked(table, pair["memory"], pair["query"]).hits]
    assert len(answers) >= 50
    assert len(missed) <= 0.1 * len(answers), missed


def test_what_does_not_answer_stays_out(table: QueryTable) -> None:
    strangers = [pair for pair in PAIRS if not pair["relevant"]]
    shown = [pair for pair in strangers if asked(table, pair["memory"], pair["query"]).hits]
    assert len(strangers) >= 35
    assert len(shown) <= 0.05 * len(strangers), shown


def test_an_empty_answer_says_that_it_abstained(table: QueryTable) -> None:
    result = asked(table, "The tax folder is purple.", "Who is my daughter's teacher?")
    assert result.abstained
    assert result.withheld["below_floor"] == 1
    assert not asked(table, "The tax folder is purple.", "tax folder").abstained
