"""Limits of tokens at the door, and what is said of those who reach for somebody else's memory."""

import logging
from pathlib import Path

import pytest

from adapters.rates import Pace, Rates
from tests.adapters.http.service import NOW_MS, Service, client, running

MEMORIES = "/v1/me/memories"


@pytest.mark.parametrize("path", [MEMORIES, "/dify/memory_write", "/retrieval", "/mcp", "/v1/nothing"])
async def test_a_token_over_its_limit_gets_429_and_when_to_come_back_on_every_path(service: Service, path: str) -> None:
    async with await service.client("alice", per_minute=2) as alice:
        replies = [await alice.post(path, json={}) for _ in range(3)]
    assert [reply.status_code == 429 for reply in replies] == [False, False, True]
    last = replies[-1]
    assert last.headers["content-type"] == "application/problem+json"
    assert (last.json()["code"], last.headers["retry-after"]) == ("rate_limited", "30")


async def test_a_used_up_day_is_429_until_the_next_one(service: Service) -> None:
    async with await service.client("alice", per_day=1) as alice:
        assert (await alice.get(MEMORIES)).status_code == 200
        reply = await alice.get(MEMORIES)
    assert (reply.status_code, reply.json()["code"]) == (429, "quota_exceeded")
    assert int(reply.headers["retry-after"]) == -(-(86_400_000 - NOW_MS % 86_400_000) // 1000)


async def test_one_tokens_limit_is_nobody_elses_and_the_first_token_has_none(tmp_path: Path) -> None:
    async with running(rates=Rates(now_ms=lambda: NOW_MS, usual=Pace(per_minute=1))) as service:
        async with await service.client("alice") as alice, await service.client("bob") as bob:
            assert [(await alice.get(MEMORIES)).status_code for _ in range(2)] == [200, 429]
            assert (await bob.get(MEMORIES)).status_code == 200
        file = await service.tokens.ensure_first(tmp_path / "admin-token")
        async with client(service.app, file.read_text().strip()) as first:
            assert [(await first.get("/v1/users/alice/memories")).status_code for _ in range(3)] == [200, 200, 200]


async def test_limits_are_named_when_a_token_is_made_and_shown_in_lists(service: Service) -> None:
    made = (await service.admin.post("/v1/tokens", json={"users": ["alice"], "per_minute": 600, "per_day": 0})).json()
    assert (made["per_minute"], made["per_day"]) == (600, 0)
    shown = (await service.admin.get("/v1/tokens")).json()["tokens"]
    assert [(t["per_minute"], t["per_day"]) for t in shown if t["token_id"] == made["token_id"]] == [(600, 0)]
    for bad in ({"per_minute": -1}, {"per_minute": 1_000_001}, {"per_day": "5"}, {"per_day": 1.5}):
        assert (await service.admin.post("/v1/tokens", json={"users": ["alice"], **bad})).status_code == 422


async def test_no_token_makes_one_that_may_ask_more_often_than_itself(service: Service) -> None:
    async with await service.client("team/*", role="admin", per_minute=100) as slow:
        for faster in (101, 0):
            reply = await slow.post("/v1/tokens", json={"users": ["team/a"], "per_minute": faster})
            assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
        made = (await slow.post("/v1/tokens", json={"users": ["team/a"]})).json()
        assert made["per_minute"] == 100
        assert (await slow.post("/v1/tokens", json={"users": ["team/a"], "per_minute": 99})).status_code == 201


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/users/geheim-17/memories", None),
        ("/dify/memory_list", {"user_id": "geheim-17"}),
        ("/retrieval", {"query": "x", "knowledge_id": "geheim-17"}),
        ("/v1/me/search", {"query": "x", "also_users": ["geheim-17"]}),
    ],
)
async def test_reaching_for_a_foreign_user_is_counted_and_logged_without_a_word_of_it(
    service: Service, path: str, body: dict[str, object] | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    service.directory.answers["list"] = {"memories": [], "next_cursor": "", "total": 0, "seq": 0}
    async with await service.client("bob", agent="cursor") as bob:
        reply = await (bob.get(path) if body is None else bob.post(path, json=body))
    assert reply.status_code == 404
    (line,) = [record.getMessage() for record in caplog.records if "outside the token" in record.getMessage()]
    assert "token_id=" in line
    assert "'cursor'" in line
    assert "geheim" not in caplog.text
    assert "rearview_foreign_user_refused_total 1.0\n" in (await service.admin.get("/metrics")).text
