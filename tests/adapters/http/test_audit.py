"""Routes of the audit trail: what they ask, who may see it, and who hears of a stranger."""

import asyncio

import pytest

from tests.adapters.http.service import NOW_MS, Service

AUDIT = "/v1/users/alice/audit"


async def test_the_trail_is_asked_for_by_pages_and_its_times_are_written_out(service: Service) -> None:
    service.directory.answers["audit"] = {"entries": [{"number": 1, "at": NOW_MS}], "next_cursor": "", "total": 1}
    reply = await service.admin.get(AUDIT, params={"limit": 5, "cursor": "17"})
    assert reply.json()["entries"] == [{"number": 1, "at": "2026-05-28T20:26:40.000+00:00"}]
    assert (service.last.op, service.last.args) == ("audit", {"limit": 5, "cursor": "17"})


async def test_the_check_is_asked_for(service: Service) -> None:
    service.directory.answers["audit_verify"] = {"ok": False, "entries": 4, "head": "00", "broken_at": 5, "reason": "x"}
    reply = await service.admin.get(AUDIT + "/verify")
    assert (reply.status_code, reply.json()["broken_at"]) == (200, 5)


@pytest.mark.parametrize("limits", [{"spaces": {"work": "write"}}, {"max_sensitivity": "normal"}])
@pytest.mark.parametrize("path", [AUDIT, AUDIT + "/verify"])
async def test_half_of_the_spaces_or_a_ceiling_sees_no_trail(
    service: Service, limits: dict[str, object], path: str
) -> None:
    async with await service.client("alice", role="write", **limits) as agent:  # type: ignore[arg-type]
        assert (await agent.get(path)).status_code == 403


async def test_who_asks_for_another_user_is_told_of_to_that_user(service: Service) -> None:
    service.directory.answers["list"] = {"memories": [], "next_cursor": "", "total": 0}  # No space of that name.
    async with await service.client("bob", role="admin") as bob:
        for ask in (
            bob.get("/v1/users/alice/memories"),
            bob.post("/dify/memory_list", json={"user_id": "alice"}),
            bob.post("/retrieval", json={"knowledge_id": "alice", "query": "x", "retrieval_setting": {"top_k": 1}}),
        ):
            assert (await ask).status_code in (403, 404)
            await asyncio.sleep(0)
    asked = [(one.user, one.op) for one in service.directory.asked if one.user != "bob"]
    assert asked == [("alice", "refused")] * 3
