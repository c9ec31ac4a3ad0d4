"""What each route asks of the actor, and how it shows the answer."""

import asyncio

import httpx
import pytest

from adapters.http.errors import problem_of
from adapters.http.openapi import openapi_document
from adapters.http.replies import REPLIES
from adapters.http.table import ENDPOINTS
from adapters.identity import Forbidden
from adapters.statuses import STATUS
from engine.errors import ERRORS, Conflict, Indeterminate, RearviewError, Unavailable
from tests.adapters.http.service import NOW_MS, WRITTEN, Service

NOW = "2026-05-28T20:26:40.000+00:00"
ALICE = "/v1/users/alice"


async def test_a_write_becomes_a_command_and_its_times_become_text(service: Service) -> None:
    reply = await service.admin.post(
        ALICE + "/memories?min_seq=4",
        headers={"Idempotency-Key": "k1"},
        json={
            "content": "Torch is in the boot.",
            "said_at": "2026-05-29T04:26:40+08:00",
            "occurred_at": "2026-05-28T20:26:40Z",
            "confidence": 0,
            "tags": ["a"],
            "metadata": {"at": 5},
            "ttl_seconds": 60,
        },
    )
    asked = service.last
    assert (asked.user, asked.op, asked.key, asked.min_seq) == ("alice", "write", "k1", 4)
    assert asked.args == {
        "content": "Torch is in the boot.",
        "said_at_ms": NOW_MS,
        "offset_minutes": 480,
        "occurred_at_ms": NOW_MS,
        "confidence": 0.0,
        "tags": ("a",),
        "metadata": {"at": 5},
        "ttl_seconds": 60,
    }
    assert reply.status_code == 201
    assert reply.json()["memory"]["created_at"] == NOW
    assert reply.json()["memory"]["metadata"] == {"at": 5}


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("stored", 201),
        ("superseded", 201),
        ("pending", 201),
        ("quarantined", 201),
        ("merged", 200),
        ("skipped", 200),
        ("suppressed", 200),
    ],
)
async def test_201_says_that_something_was_stored(service: Service, outcome: str, status: int) -> None:
    service.directory.answers["write"] = {**WRITTEN, "outcome": outcome}
    assert (await service.admin.post(ALICE + "/memories", json={"content": "x"})).status_code == status


async def test_a_dry_run_stores_nothing(service: Service) -> None:
    assert (await service.admin.post(ALICE + "/memories", json={"content": "x", "dry_run": True})).status_code == 200


async def test_the_agent_of_a_token_is_the_client_of_its_memories(service: Service) -> None:
    async with await service.client("alice", agent="cursor") as agent:
        await agent.post("/v1/me/memories", json={"content": "x"})
    assert (service.last.user, service.last.client, service.last.args["client"]) == ("alice", "cursor", "cursor")


USER_IDS = [
    "alice",
    "Alice",
    "a/b",
    "a%2Fb",
    "a:b",
    "用户 1",
    ".",
    "..",
    "项目/мой 空间",
    "a/b%2Fc d",
    "me",
    "?#&",
    "🙂",
    "a+b",
    " ",
    "%",
    "{{x}}",
    "memories",
    "a\\b",
    "é",
    "e\u0301",
]


def percent(user: str) -> bytes:
    return b"".join(b"%%%02X" % byte for byte in user.encode())


@pytest.mark.parametrize("user", USER_IDS)
async def test_every_user_id_survives_the_path(service: Service, user: str) -> None:
    url = httpx.URL(str(service.admin.base_url)).copy_with(
        raw_path=b"/v1/users/" + percent(user) + b"/memories/" + percent(user)
    )
    assert (await service.admin.get(url)).status_code == 200
    assert (service.last.user, service.last.args["memory_id"]) == (user, user)


async def test_me_is_the_only_user_of_a_token(service: Service) -> None:
    async with await service.client("a/b") as one:
        assert (await one.get("/v1/me/memories")).status_code == 200
        assert service.last.user == "a/b"
        assert (await one.delete("/v1/me")).status_code == 403
    reply = await service.admin.get("/v1/me/memories")
    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (422, "user_id")


async def test_a_search_becomes_a_command(service: Service) -> None:
    reply = await service.admin.post(
        ALICE + "/search",
        json={
            "query": "torch",
            "top_k": 3,
            "tiers": ["semantic"],
            "from": "2026-05-29T04:26:40+08:00",
            "min_relevance": 0,
            "min_seq": 7,
        },
    )
    assert service.last.args == {
        "query": "torch",
        "top_k": 3,
        "tiers": ("semantic",),
        "from_ms": NOW_MS,
        "min_relevance": 0.0,
    }
    assert (service.last.op, service.last.min_seq, service.last.key) == ("search", 7, "")
    assert reply.json()["memories"][0]["created_at"] == NOW


async def test_shared_memory_of_other_users_is_merged_by_score(service: Service) -> None:
    found = service.directory.answers["search"]
    assert isinstance(found, dict)
    service.directory.answers["search"] = [
        {**found, "memories": [{"id": "a", "score": 0.4}, {"id": "b", "score": 0.2}]},
        {**found, "memories": [{"id": "c", "score": 0.3}], "abstained": True},
    ]
    body = {"query": "x", "top_k": 2, "also_users": ["team", "alice"]}
    reply = await service.admin.post(ALICE + "/search", json=body)
    assert [hit["id"] for hit in reply.json()["memories"]] == ["a", "c"]
    assert (reply.json()["withheld"]["below_floor"], reply.json()["abstained"]) == (2, False)
    assert [asked.user for asked in service.directory.asked] == ["alice", "team"]
    async with await service.client("alice") as alice:
        foreign = await alice.post("/v1/me/search", json={"query": "x", "also_users": ["bob"]})
    assert foreign.status_code == 404


async def test_context_of_other_users_needs_their_token_and_gets_what_the_first_leaves(service: Service) -> None:
    packed = {"seq": 7, "abstained": False}
    service.directory.answers["context"] = [
        {**packed, "text": "mine", "tokens": 60, "memories": ["a"]},
        {**packed, "text": "", "tokens": 0, "memories": [], "abstained": True},
        {**packed, "text": "ours", "tokens": 40, "memories": ["b"]},
        {**packed, "text": "never asked", "tokens": 1, "memories": ["c"]},
    ]
    body = {"query": "x", "token_budget": 100, "also_users": ["empty", "team", "late"]}
    reply = (await service.admin.post(ALICE + "/context", json=body)).json()
    assert (reply["text"], reply["tokens"], reply["memories"]) == ("mine\n\nours", 100, ["a", "b"])
    asked = [(one.user, one.args["token_budget"]) for one in service.directory.asked]
    assert asked == [("alice", 100), ("empty", 40), ("team", 40)]
    async with await service.client("alice") as alice:
        foreign = await alice.post("/v1/me/context", json={"query": "x", "also_users": ["bob"]})
    assert foreign.status_code == 404
    assert len(service.directory.asked) == 3


async def test_a_token_with_a_ceiling_tells_the_actor_of_it(service: Service) -> None:
    service.directory.answers |= {"turns": {"working": 0, "written": []}, "end_conversation": {"promoted": 0}}
    talk = {"conversation": "c", "turns": [{"role": "user", "content": "x"}]}
    async with await service.client("alice", spaces={"shared": "write"}, max_sensitivity="normal") as half:
        for method, path, body in [
            ("POST", "/memories", {"content": "x"}),
            ("POST", "/turns", talk),
            ("DELETE", "/conversations/c", None),
            ("POST", "/used", {"memory_ids": ["m1"]}),
        ]:
            reply = await half.request(method, "/v1/me" + path, json=body)
            assert reply.is_success, reply.text
            assert service.last.args["max_sensitivity"] == "normal", path
        assert service.last.args["spaces"] == ("shared",)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("POST", "/memories", 504, "indeterminate"), ("GET", "/memories", 503, "unavailable")],
)
async def test_what_the_end_of_the_server_cuts_short_says_whether_to_send_it_again(
    service: Service, monkeypatch: pytest.MonkeyPatch, method: str, path: str, status: int, code: str
) -> None:
    async def ask(*_: object, **__: object) -> dict[str, object]:
        raise asyncio.CancelledError

    monkeypatch.setattr(type(service.directory), "ask", ask)
    body = {"content": "x"} if method == "POST" else None
    reply = await service.admin.request(method, ALICE + path, json=body)
    assert (reply.status_code, reply.json()["code"], "retry-after" in reply.headers) == (status, code, True)


async def test_context_has_a_budget(service: Service) -> None:
    await service.admin.post(ALICE + "/context", json={"query": "torch"})
    assert (service.last.op, service.last.args["token_budget"]) == ("context", 1500)


async def test_an_etag_guards_an_edit(service: Service) -> None:
    read = await service.admin.get(ALICE + "/memories/m1")
    assert read.headers["etag"] == '"3"'
    edit = {"content": "x", "reason": "corrected"}
    await service.admin.patch(ALICE + "/memories/m1", json=edit, headers={"If-Match": '"3"'})
    assert service.last.args == {"memory_id": "m1", **edit, "if_version": 3}
    service.directory.answers["edit"] = Conflict.of("It has changed.", code="version_mismatch", field="If-Match")
    stale = await service.admin.patch(ALICE + "/memories/m1", json=edit, headers={"If-Match": '"2"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "version_mismatch")
    odd = await service.admin.patch(ALICE + "/memories/m1", json=edit, headers={"If-Match": "W/x"})
    assert odd.status_code == 422


@pytest.mark.parametrize("reason", [{}, {"reason": ""}, {"reason": None}, {"reason": 5}])
async def test_an_edit_says_why(service: Service, reason: dict[str, object]) -> None:
    refused = await service.admin.patch(ALICE + "/memories/m1", json={"content": "x", **reason})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "reason"
    assert service.directory.asked == []


@pytest.mark.parametrize(
    ("method", "path", "op", "args"),
    [
        ("DELETE", "/memories/m1", "bin", {"memory_id": "m1", "reason": "", "client": ""}),
        ("DELETE", "/memories/m1?purge=true", "purge", {"memory_id": "m1"}),
        ("POST", "/memories/m1/restore", "restore", {"memory_id": "m1", "reason": ""}),
        ("POST", "/memories/m1/confirm", "confirm", {"memory_id": "m1", "reason": ""}),
        ("POST", "/memories/m1/reject", "reject", {"memory_id": "m1", "reason": ""}),
        ("DELETE", "", "erase", {}),
        ("GET", "/stats", "stats", {}),
        ("GET", "/settings", "settings_get", {}),
    ],
)
async def test_each_route_asks_for_its_operation(
    service: Service, method: str, path: str, op: str, args: dict[str, object]
) -> None:
    reply = await service.admin.request(method, ALICE + path, headers={"Idempotency-Key": "k"})
    assert reply.status_code == 200
    assert (service.last.op, service.last.args) == (op, args)
    assert service.last.key == ("" if method == "GET" else "k")


async def test_settings_and_used_carry_their_bodies(service: Service) -> None:
    await service.admin.put(ALICE + "/settings", json={"time_zone": "Asia/Shanghai", "half_life_days": {"fact": 7}})
    assert service.last.args == {"settings": {"time_zone": "Asia/Shanghai", "half_life_days": {"fact": 7.0}}}
    await service.admin.post(ALICE + "/used", json={"memory_ids": ["m1"]})
    assert service.last.args == {"memory_ids": ["m1"], "turn": "", "spaces": (), "max_sensitivity": "sensitive"}


async def test_a_list_is_filtered_and_paged(service: Service) -> None:
    await service.admin.get(ALICE + "/memories?status=any&limit=200&cursor=c&tier=&q=x")
    assert service.last.args == {"status": "any", "limit": 200, "cursor": "c", "q": "x", "max_sensitivity": "sensitive"}


async def test_a_token_for_one_space_reads_and_writes_only_there(service: Service) -> None:
    async with await service.client(
        "alice", role="admin", spaces={"mine": "write", "theirs": "read"}, max_sensitivity="normal"
    ) as half:
        await half.post("/v1/me/search", json={"query": "x"})
        assert set(service.last.args["spaces"]) == {"mine", "theirs"}  # type: ignore[call-overload]
        assert service.last.args["max_sensitivity"] == "normal"
        await half.post("/v1/me/search", json={"query": "x", "spaces": ["mine", "other"]})
        assert service.last.args["spaces"] == ("mine",)
        before = len(service.directory.asked)
        for status, method, path, body in [
            (404, "POST", "/search", {"query": "x", "spaces": ["other"]}),
            (404, "GET", "/memories?space=other", None),
            (404, "POST", "/memories", {"content": "x"}),
            (403, "POST", "/memories", {"content": "x", "space": "theirs"}),
            (403, "POST", "/memories", {"content": "x", "space": "mine", "sensitivity": "sensitive"}),
            (403, "GET", "/export", None),
            (403, "GET", "/stats", None),
            (403, "DELETE", "", None),
            (403, "PUT", "/settings", {}),
        ]:
            assert (await half.request(method, "/v1/me" + path, json=body)).status_code == status, path
        assert len(service.directory.asked) == before
        # The memory behind m1 lies in "shared", which this token does not know.
        assert (await half.delete("/v1/me/memories/m1")).status_code == 404
        assert [asked.op for asked in service.directory.asked[before:]] == ["get"]


async def test_the_trigger_rule_answers_without_an_actor(service: Service) -> None:
    reply = await service.admin.post("/v1/recall-needed", json={"text": "上次我说的那家餐厅叫什么？"})
    assert (reply.status_code, reply.json()["recall"]) == (200, True)
    assert service.directory.asked == []


async def test_tokens_are_made_listed_and_revoked(service: Service) -> None:
    made = await service.admin.post("/v1/tokens", json={"users": ["alice"], "role": "read", "agent": "bot"})
    assert made.status_code == 201
    secret = made.json()["token"]
    listed = await service.admin.get("/v1/tokens")
    assert secret not in listed.text
    assert made.json()["token_id"] in [token["token_id"] for token in listed.json()["tokens"]]
    headers = {"Authorization": f"Bearer {secret}"}
    assert (await service.admin.get(ALICE + "/memories", headers=headers)).status_code == 200
    assert (await service.admin.delete(f"/v1/tokens/{made.json()['token_id']}")).status_code == 200
    assert (await service.admin.get(ALICE + "/memories", headers=headers)).status_code == 401
    assert (await service.admin.delete("/v1/tokens?token_id=nobody")).status_code == 404


async def test_an_admin_of_a_team_makes_no_token_beyond_it(service: Service) -> None:
    async with await service.client("team/*", role="admin") as team:
        assert (await team.post("/v1/tokens", json={"users": ["*"]})).status_code == 403
        assert (await team.post("/v1/tokens", json={"users": ["team/x"]})).status_code == 201
        listed = (await team.get("/v1/tokens")).json()["tokens"]
        assert {tuple(token["users"]) for token in listed} == {("team/*",), ("team/x",)}
        admin_id = (await service.admin.get("/v1/tokens")).json()["tokens"][0]["token_id"]
        assert (await team.delete(f"/v1/tokens/{admin_id}")).status_code == 404


async def test_maintenance_runs_for_one_user_or_for_all(service: Service) -> None:
    assert (await service.admin.post("/v1/maintenance", json={"user": "a/b"})).status_code == 200
    assert (service.last.user, service.last.op) == ("a/b", "maintain")
    assert (await service.admin.post("/v1/maintenance")).status_code == 503


def test_every_error_class_has_a_status() -> None:
    assert set(STATUS) == {*ERRORS.values(), Forbidden}
    for cls in STATUS:
        problem = problem_of(cls.of("What happened.", field="f"))
        assert problem.status == STATUS[cls]
        assert (problem.code, problem.detail) == (cls.default_code, "f: What happened.")


@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [
        (Unavailable.of("Away."), 503, True),
        (Indeterminate.of("Unsure."), 504, True),
        (Conflict.of("Used.", code="idempotency_conflict"), 409, False),
        (RearviewError("odd"), 500, False),
    ],
)
async def test_errors_of_the_actor_become_problems(
    service: Service, error: Exception, status: int, retry: bool
) -> None:
    service.directory.answers["write"] = error
    reply = await service.admin.post(ALICE + "/memories", json={"content": "x"})
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert ("retry-after" in reply.headers) == retry


async def test_a_bug_is_a_problem_without_its_text(service: Service) -> None:
    service.directory.answers["write"] = ValueError("what somebody said")
    transport = httpx.ASGITransport(service.app, raise_app_exceptions=False)
    async with httpx.AsyncClient(
        transport=transport, base_url=service.admin.base_url, headers=service.admin.headers
    ) as careful:
        reply = await careful.post(ALICE + "/memories", json={"content": "x"})
    assert (reply.status_code, reply.json()["code"]) == (500, "internal")
    assert "somebody" not in reply.text


async def test_the_openapi_document_tells_of_every_route(service: Service) -> None:
    told = (await service.admin.get("/openapi.json")).json()
    assert told == openapi_document(ENDPOINTS, version="0", public_url="http://127.0.0.1:8100")
    operations = {(m.upper(), path) for path, methods in told["paths"].items() for m in methods}
    assert {(e.method, e.path) for e in ENDPOINTS} == operations - {("GET", "/healthz"), ("GET", "/readyz")}
    assert set(REPLIES) == {e.operation for e in ENDPOINTS}
    assert "/v1/users/{user}/search" in (await service.admin.get("/docs")).text


async def test_head_is_get_without_a_body(service: Service) -> None:
    reply = await service.admin.head(ALICE + "/memories/m1")
    assert (reply.status_code, reply.content, reply.headers["etag"]) == (200, b"", '"3"')
