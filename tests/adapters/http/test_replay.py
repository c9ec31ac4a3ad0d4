"""Routes of replay: what they ask of the actor, and who may see it."""

import pytest

from tests.adapters.http.service import NOW_MS, Service

ALICE = "/v1/users/alice"
NOW = "2026-05-29T04:26:40+08:00"


async def test_replay_asks_with_its_bounds(service: Service) -> None:
    service.directory.answers["replay"] = {"turns": [{"id": "1", "at": NOW_MS, "written": []}], "next_cursor": ""}
    reply = await service.admin.get(
        ALICE + "/replay", params={"conversation": "c", "from": NOW, "outcome": "skipped", "order": "newest"}
    )
    assert reply.status_code == 200
    assert reply.json()["turns"][0]["at"] == "2026-05-28T20:26:40.000+00:00"
    assert service.last.args == {"conversation": "c", "from_ms": NOW_MS, "outcome": "skipped", "order": "newest"}


async def test_a_replayed_search_asks_with_its_weights(service: Service) -> None:
    service.directory.answers["replay_search"] = {"before": [], "after": [], "as_of": NOW_MS}
    body = {"search_id": "s", "weights": {"recency": 1.0, "semantic": 0.0}, "floor": 0.1}
    reply = await service.admin.post(ALICE + "/replay/search", json=body)
    assert reply.json()["as_of"] == "2026-05-28T20:26:40.000+00:00"
    assert service.last.args == {"search_id": "s", "recency_weight": 1.0, "semantic_weight": 0.0, "floor": 0.1}


@pytest.mark.parametrize(
    "body", [{}, {"search_id": "s", "query": "x"}, {"query": ""}, {"query": "x", "weights": {"a": 1}}]
)
async def test_a_replayed_search_of_another_shape_is_refused(service: Service, body: object) -> None:
    assert (await service.admin.post(ALICE + "/replay/search", json=body)).status_code == 422
    assert service.directory.asked == []


@pytest.mark.parametrize("limits", [{"spaces": {"work": "write"}}, {"max_sensitivity": "normal"}])
async def test_half_of_the_spaces_or_a_ceiling_sees_no_replay(service: Service, limits: dict[str, object]) -> None:
    narrow = await service.client("alice", role="write", **limits)  # type: ignore[arg-type]
    async with narrow as agent:
        assert (await agent.get("/v1/me/replay")).status_code in (403, 404)
        assert (await agent.post("/v1/me/replay/search", json={"query": "x"})).status_code in (403, 404)
    assert service.directory.asked == []


async def test_a_list_as_of_a_time_asks_for_it(service: Service) -> None:
    await service.admin.get(ALICE + "/memories", params={"as_of": NOW})
    assert service.last.args["as_of_ms"] == NOW_MS
