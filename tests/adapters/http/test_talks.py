"""Routes of talks, suppressions and reverts: what they ask of the actor."""

import pytest

from tests.adapters.http.service import NOW_MS, Service

ALICE = "/v1/users/alice"


async def test_turns_become_one_question_with_their_times(service: Service) -> None:
    service.directory.answers["turns"] = {"working": 2, "written": [], "budget": {"tokens": 9, "limit": 90}, "seq": 1}
    reply = await service.admin.post(
        ALICE + "/turns",
        headers={"Idempotency-Key": "k"},
        json={
            "conversation": "c",
            "task": "t",
            "turns": [
                {"role": "user", "content": "I keep bees", "at": "2026-05-29T04:26:40+08:00"},
                {"role": "assistant", "content": "Good."},
            ],
        },
    )
    assert (reply.status_code, reply.json()["working"]) == (200, 2)
    assert (service.last.op, service.last.key) == ("turns", "k")
    assert service.last.args == {
        "conversation": "c",
        "task": "t",
        "turns": [
            {"role": "user", "content": "I keep bees", "said_at_ms": NOW_MS, "offset_minutes": 480},
            {"role": "assistant", "content": "Good."},
        ],
    }


@pytest.mark.parametrize(
    "body",
    [
        {"conversation": "c"},
        {"conversation": "c", "turns": []},
        {"turns": [{"role": "user", "content": "x"}]},
        {"conversation": "c", "turns": [{"role": "robot", "content": "x"}]},
        {"conversation": "c", "turns": [{"role": "user", "content": 5}]},
        {"conversation": "c", "turns": [{"role": "user", "content": "x", "at": "yesterday"}]},
        {"conversation": "c", "turns": [{"role": "user", "content": "x"}] * 201},
    ],
)
async def test_turns_of_another_shape_are_refused(service: Service, body: object) -> None:
    assert (await service.admin.post(ALICE + "/turns", json=body)).status_code in (413, 422)
    assert service.directory.asked == []


async def test_a_talk_is_read_and_ended_within_the_spaces_of_the_token(service: Service) -> None:
    service.directory.answers |= {"conversation": {"memories": []}, "end_conversation": {"promoted": 0}}
    narrow = await service.client("alice", role="write", spaces={"work": "write", "home": "read"})
    async with narrow as agent:
        await agent.get("/v1/me/conversations/a%2Fb")
        assert (service.last.op, service.last.args["conversation"]) == ("conversation", "a/b")
        assert set(service.last.args["spaces"]) == {"work", "home"}  # type: ignore[call-overload]
        await agent.delete("/v1/me/conversations/a%2Fb")
        assert (service.last.op, service.last.args["spaces"]) == ("end_conversation", ("work",))
        body = {"conversation": "c", "turns": [{"role": "user", "content": "x"}]}
        refused = await agent.post("/v1/me/turns", json=body)
        assert refused.status_code == 404


async def test_a_suppression_is_made_listed_and_lifted(service: Service) -> None:
    service.directory.answers |= {
        "suppress": {"id": "s1", "created_at": NOW_MS},
        "suppressions": {"suppressions": []},
        "lift_suppression": {},
    }
    made = await service.admin.post(ALICE + "/suppressions", json={"about": "my divorce", "reason": "it hurts"})
    assert (made.status_code, made.json()["created_at"]) == (201, "2026-05-28T20:26:40.000+00:00")
    assert service.last.args == {
        "about": "my divorce",
        "reason": "it hurts",
        "spaces": (),
        "max_sensitivity": "sensitive",
    }
    assert (await service.admin.get(ALICE + "/suppressions")).status_code == 200
    assert (await service.admin.delete(ALICE + "/suppressions/s1")).status_code == 200
    assert service.last.args == {"suppression_id": "s1", "spaces": ()}


async def test_a_revert_names_its_origin_and_its_time(service: Service) -> None:
    service.directory.answers["revert"] = {"deleted": 0, "restorable_until": None}
    reply = await service.admin.post(ALICE + "/revert", json={"source": "tool", "since": "2026-05-28T20:26:40Z"})
    assert reply.status_code == 200
    assert service.last.args == {"source": "tool", "since_ms": NOW_MS, "spaces": (), "max_sensitivity": "sensitive"}
    assert (await service.admin.post(ALICE + "/revert", json={"source": "tool"})).status_code == 422


async def test_a_token_that_only_reads_changes_nothing_here(service: Service) -> None:
    async with await service.client("alice", role="read") as reader:
        for path in ("/turns", "/suppressions", "/revert"):
            assert (await reader.post("/v1/me" + path, json={})).status_code == 403
        assert (await reader.delete("/v1/me/suppressions/s1")).status_code == 403
        assert (await reader.delete("/v1/me/conversations/c")).status_code == 403
