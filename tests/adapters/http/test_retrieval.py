"""Dify's External Knowledge contract, rule by rule (docs/dify.md)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from adapters.http import retrieval
from adapters.http.conditions import OPERATORS, read_conditions
from tests.adapters.http.dify_service import DifyService, dify_service

METADATA = {
    "category": "fact",
    "city": "Shenzhen",
    "score": 7,
    "note": "",
    "timestamp": "2026-05-01T00:00:00.000+00:00",
}


@pytest.fixture
async def dify() -> AsyncIterator[DifyService]:
    async with dify_service() as service:
        for content in ("tea in the morning", "tea with milk", "coffee at noon"):
            await service.alice.post("/dify/memory_write", json={"content": content})
        yield service


def question(**more: object) -> dict[str, object]:
    return {"knowledge_id": "alice", "query": "tea", "retrieval_setting": {"top_k": 5, "score_threshold": 0.1}, **more}


async def test_a_question_is_answered_with_records_that_have_scores_and_metadata(dify: DifyService) -> None:
    answer = await dify.alice.post("/retrieval", json=question())
    assert answer.status_code == 200
    records = answer.json()["records"]
    assert [record["content"] for record in records] == ["tea in the morning", "tea with milk"]
    for record in records:
        assert 0 <= record["score"] <= 1
        assert record["title"]
        assert isinstance(record["metadata"], dict)
        assert None not in record["metadata"].values()


async def test_finding_nothing_is_an_empty_list(dify: DifyService) -> None:
    answer = await dify.alice.post("/retrieval", json=question(query="submarine"))
    assert (answer.status_code, answer.json()) == (200, {"records": []})


@pytest.mark.parametrize(
    "more",
    [
        {"metadata_condition": None},
        {"retrieval_setting": {}},
        {"retrieval_setting": None},
        {"retrieval_setting": {"top_k": "5", "score_threshold": ""}},
        {"retrieval_setting": {"top_k": 1000}},
        {"metadata_condition": {}},
        {"metadata_condition": {"logical_operator": "and", "conditions": []}},
        {"metadata_condition": {"conditions": None}},
        {"something_new": True},
    ],
)
async def test_what_dify_leaves_out_or_sends_oddly_is_taken(dify: DifyService, more: dict[str, object]) -> None:
    answer = await dify.alice.post("/retrieval", json=question(**more))
    assert answer.status_code == 200
    assert len(answer.json()["records"]) == 2


async def test_top_k_and_the_threshold_are_kept(dify: DifyService) -> None:
    one = await dify.alice.post("/retrieval", json=question(retrieval_setting={"top_k": 1}))
    none = await dify.alice.post("/retrieval", json=question(retrieval_setting={"score_threshold": 0.95}))
    assert (len(one.json()["records"]), none.json()["records"]) == (1, [])


async def test_a_bad_key_is_403_and_a_good_one_without_a_body_is_not_404(dify: DifyService) -> None:
    """Dify's form only takes 403, 404 and 502 for a failure when it is saved."""
    assert (await dify.nobody.post("/retrieval")).status_code == 403
    assert (await dify.nobody.post("/retrieval", json=question())).status_code == 403
    assert (await dify.alice.post("/retrieval")).status_code == 422
    assert (await dify.alice.post("/retrieval", content=b"", headers={"Content-Type": ""})).status_code == 422


async def test_a_search_that_takes_too_long_is_given_up_before_dify_does(
    dify: DifyService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object, **__: object) -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    assert retrieval.SECONDS_MAX < 5
    monkeypatch.setattr(retrieval, "SECONDS_MAX", 0.01)
    monkeypatch.setattr(dify.directory, "ask", never)
    answer = await dify.alice.post("/retrieval", json=question())
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["Retry-After"]


async def test_a_knowledge_base_outside_the_key_is_unknown(dify: DifyService) -> None:
    for knowledge in ("alice", "nobody at all"):
        answer = await dify.bob.post("/retrieval", json=question(knowledge_id=knowledge))
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_knowledge")
    assert all(user == "alice" or op == "list" for user, op, _ in dify.directory.asked)
    everyone = await dify.everyone.post("/retrieval", json=question())
    assert len(everyone.json()["records"]) == 2


async def test_with_a_key_for_one_user_it_may_be_a_space(dify: DifyService) -> None:
    answer = await dify.alice.post("/retrieval", json=question(knowledge_id="shared"))
    assert answer.status_code == 200
    user, _, args = dify.directory.asked[-1]
    assert (user, args["spaces"]) == ("alice", ("shared",))
    shared = await dify.everyone.post("/retrieval", json=question(knowledge_id="shared"))
    assert dify.directory.asked[-1][0] == "shared"  # With a key for all, it is a user of that name.
    assert shared.json() == {"records": []}


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"query": None}, "query"),
        ({"query": " "}, "query"),
        ({"query": 5}, "query"),
        ({"knowledge_id": None}, "knowledge_id"),
        ({"retrieval_setting": []}, None),
        ({"retrieval_setting": {"top_k": "many"}}, "top_k"),
        (
            {"metadata_condition": {"conditions": [{"name": "x", "comparison_operator": "resembles"}]}},
            "metadata_condition",
        ),
        ({"metadata_condition": {"conditions": [{"comparison_operator": "is"}]}}, "metadata_condition"),
        ({"metadata_condition": "all"}, "metadata_condition"),
    ],
)
async def test_a_broken_request_is_named(dify: DifyService, more: dict[str, object], field: str | None) -> None:
    answer = await dify.alice.post("/retrieval", json=question(**more))
    if field is None:  # An empty list is as good as nothing.
        assert answer.status_code == 200
    else:
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == field


async def test_a_condition_chooses_among_the_records(dify: DifyService) -> None:
    cases = [("is", "fact", 2), ("is", "event", 0), ("is not", "fact", 0), ("in", ["fact", "x"], 2)]
    for operator, value, count in cases:
        condition = {
            "logical_operator": "and",
            "conditions": [{"name": ["category"], "comparison_operator": operator, "value": value}],
        }
        answer = await dify.alice.post("/retrieval", json=question(metadata_condition=condition))
        assert len(answer.json()["records"]) == count, (operator, value)


@pytest.mark.parametrize(
    ("name", "operator", "value", "holds"),
    [
        ("city", "contains", "zhen", True),
        ("city", "contains", "x", False),
        ("city", "not contains", "x", True),
        ("city", "start with", "shen", True),
        ("city", "end with", "zhen", True),
        ("city", "end with", "shen", False),
        ("city", "is", "shenzhen", True),
        ("city", "is not", "Beijing", True),
        ("city", "in", "Beijing, Shenzhen", True),
        ("city", "not in", ["Beijing"], True),
        ("note", "empty", None, True),
        ("city", "empty", None, False),
        ("city", "not empty", None, True),
        ("score", "=", "7.0", True),
        ("score", "≠", 8, True),
        ("score", ">", 6, True),
        ("score", "<", "6", False),
        ("score", "≥", 7, True),
        ("score", "≤", 6.9, False),
        ("score", ">=", 7, True),
        ("timestamp", "before", "2026-06-01", True),
        ("timestamp", "after", "2026-06-01", False),
        ("timestamp", "after", 1_700_000_000, True),
        ("timestamp", "before", 1_900_000_000_000, True),
        ("city", ">", 5, False),
        ("timestamp", "after", "yesterday", False),
        ("missing", "empty", None, True),
        ("missing", "is", "x", False),
        ("missing", "is not", "x", True),
        ("missing", ">", 1, False),
        ("missing", "before", "2026-01-01", False),
        ("city", "IS", "Shenzhen", True),
    ],
)
def test_every_operator(name: str, operator: str, value: Any, holds: bool) -> None:
    row = {"name": [name], "comparison_operator": operator, "value": value}
    assert read_conditions({"conditions": [row]}).hold(METADATA) is holds


def test_the_operators_are_all_those_of_dify() -> None:
    assert list(OPERATORS) == [
        "contains",
        "not contains",
        "start with",
        "end with",
        "is",
        "is not",
        "in",
        "not in",
        "empty",
        "not empty",
        "=",
        "≠",
        ">",
        "<",
        "≥",
        "≤",
        "before",
        "after",
    ]


def test_conditions_are_joined_by_and_or_or() -> None:
    rows = [
        {"name": ["city"], "comparison_operator": "is", "value": "Shenzhen"},
        {"name": ["city"], "comparison_operator": "is", "value": "Beijing"},
    ]
    assert not read_conditions({"logical_operator": "and", "conditions": rows}).hold(METADATA)
    assert read_conditions({"logical_operator": "or", "conditions": rows}).hold(METADATA)
    either = [{"name": ["note", "city"], "comparison_operator": "is", "value": "Shenzhen"}]
    assert read_conditions({"conditions": either}).hold(METADATA)
