"""Nothing answers without a token, from a foreign host or to a foreign page."""

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from adapters.http.table import ENDPOINTS
from adapters.identity import PRINCIPAL, Principal
from tests.adapters.http.service import HOST, Service, client, running

MEMORIES = "/v1/users/alice/memories"


def filled(path: str, user: str = "alice") -> str:
    return path.replace("{user}", user).replace("{memory_id}", "m1").replace("{token_id}", "t1")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: e.operation)
@pytest.mark.parametrize("token", ["", "wrong"])
async def test_no_route_of_the_api_answers_without_a_good_token(service: Service, endpoint, token: str) -> None:  # type: ignore[no-untyped-def]
    async with client(service.app, token) as nobody:
        reply = await nobody.request(endpoint.method, filled(endpoint.path))
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"].startswith("Bearer")
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == "unauthorized"
    assert service.directory.asked == []


@pytest.mark.parametrize(
    "path",
    [
        "/openapi.json",
        "/docs",
        "/metrics",
        "/v1/nothing",
        "/mcp",
        "/sse",
        "/messages/",
        "/v1/users/alice/../../healthz",
        "/%2e%2e/healthz",
        "/HEALTHZ",
    ],
)
async def test_other_paths_need_a_token_too(service: Service, path: str) -> None:
    async with client(service.app) as nobody:
        assert (await nobody.get(path)).status_code == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_health_is_open_and_takes_any_host(service: Service, path: str) -> None:
    async with client(service.app, host="http://10.0.0.7:8100") as nobody:
        assert (await nobody.get(path)).status_code == 200


@pytest.mark.parametrize("authorization", ["Basic abc", "Bearer", "Bearer ", "bearer  ", "Token x", "é"])
async def test_other_kinds_of_authorization_are_no_token(service: Service, authorization: str) -> None:
    async with client(service.app) as nobody:
        reply = await nobody.get(MEMORIES, headers={"Authorization": authorization.encode()})
    assert reply.status_code == 401


async def test_a_bad_key_of_the_knowledge_endpoint_is_403_because_its_client_ignores_401(service: Service) -> None:
    async with client(service.app, "wrong") as nobody:
        assert (await nobody.post("/retrieval")).status_code == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8100", 200),
        ("localhost:9999", 200),
        ("LOCALHOST", 200),
        ("[::1]:8100", 200),
        ("memory.example", 200),
        ("memory.example:8443", 200),
        ("pinned:81", 200),
        ("pinned", 421),
        ("pinned:82", 421),
        ("evil.example", 421),
        ("evil.example:8100", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost:8100@evil.example", 421),
        ("", 421),
    ],
)
async def test_only_configured_hosts_are_answered(host: str, status: int) -> None:
    hosts = ("127.0.0.1", "localhost", "[::1]", "pinned:81")
    async with running(public_url="https://memory.example", allowed_hosts=hosts) as service:
        reply = await service.admin.get(MEMORIES, headers={"Host": host})
    assert reply.status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (HOST, 200),
        ("http://localhost:3000", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("file://", 403),
        ("javascript://127.0.0.1:8100", 403),
        ("http://[", 403),
        ("https://console.example", 200),
        ("http://console.example", 403),
    ],
)
async def test_only_configured_pages_may_call(origin: str, status: int) -> None:
    async with running(allowed_origins=("https://console.example",)) as service:
        assert (await service.admin.get(MEMORIES, headers={"Origin": origin})).status_code == status


async def test_known_tokens_work_while_the_store_is_away_and_unknown_ones_get_503(service: Service) -> None:
    assert (await service.admin.get(MEMORIES)).status_code == 200
    service.store.away = True
    assert (await service.admin.get(MEMORIES)).status_code == 200
    assert (await service.admin.get("/v1/tokens")).status_code == 503


async def test_routes_of_other_protocols_get_the_principal_and_the_scope_user() -> None:
    async def who(request: Request) -> Response:
        return JSONResponse([PRINCIPAL.get().token_id, request.scope["user"]])

    def scope_user(principal: Principal) -> object:
        return f"user:{principal.token_id}"

    async with running(extra_routes=[Route("/mcp", who)], scope_user=scope_user) as service:
        one = await service.client("alice")
        async with one:
            first, again = (await one.get("/mcp")).json(), (await one.get("/mcp/")).json()
    assert first == again == [first[0], f"user:{first[0]}"]


async def test_lifespans_of_other_protocols_are_entered_and_left() -> None:
    from contextlib import asynccontextmanager

    seen: list[str] = []

    @asynccontextmanager
    async def lifespan():  # type: ignore[no-untyped-def]
        seen.append("in")
        yield
        seen.append("out")

    async with running(lifespans=[lifespan]) as service, service.app.router.lifespan_context(service.app):
        assert seen == ["in"]
    assert seen == ["in", "out"]


async def test_a_service_that_recovers_says_how_far_it_is() -> None:
    async def ready() -> tuple[bool, dict[str, object]]:
        return False, {"users_done": 3}

    async with running(ready=ready) as service:
        reply = await service.admin.get("/readyz")
    assert (reply.status_code, reply.json()) == (503, {"status": "recovering", "users_done": 3})
    assert reply.headers["retry-after"]


@pytest.mark.parametrize("endpoint", [e for e in ENDPOINTS if e.about == "user"], ids=lambda e: e.operation)
async def test_a_foreign_user_is_404_on_every_route_and_asks_nobody(service: Service, endpoint) -> None:  # type: ignore[no-untyped-def]
    async with await service.client("bob", "team/*", role="admin") as bob:
        reply = await bob.request(endpoint.method, filled(endpoint.path), json={})
    assert (reply.status_code, reply.json()["code"]) == (404, "not_found")
    await asyncio.sleep(0)
    # The user who was meant learns of it, in their own audit trail; nothing else is asked of anybody.
    assert [(one.user, one.op, one.args) for one in service.directory.asked] in ([], [("alice", "refused", {})])


@pytest.mark.parametrize("endpoint", [e for e in ENDPOINTS if e.role != "read"], ids=lambda e: e.operation)
async def test_a_reading_token_changes_nothing(service: Service, endpoint) -> None:  # type: ignore[no-untyped-def]
    async with await service.client("alice", role="read") as reader:
        reply = await reader.request(endpoint.method, filled(endpoint.path), json={})
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
    assert service.directory.asked == []


async def test_figures_over_everyone_are_not_for_one_tenant(service: Service) -> None:
    async with await service.client("alice", role="admin") as alice:
        assert (await alice.get("/metrics")).status_code == 403
        assert (await alice.post("/v1/maintenance", json={"user": "bob"})).status_code == 404
    async with await service.client("team/*", role="admin") as team:
        assert (await team.post("/v1/maintenance")).status_code == 403
    assert service.directory.asked == []


async def test_metrics_name_routes_and_never_users(service: Service) -> None:
    await service.admin.get("/v1/users/geheim/memories?q=geheim")
    text = (await service.admin.get("/metrics")).text
    assert 'rearview_http_requests_total{method="GET",route="/v1/users/{user}/memories",status="200"} 1.0' in text
    assert "geheim" not in text


@pytest.mark.parametrize(
    ("headers", "setting"),
    [({"Host": "compose-name:8100"}, "ALLOWED_HOSTS"), ({"Origin": "https://dify.example"}, "ALLOWED_ORIGINS")],
)
async def test_the_log_says_which_name_was_refused_and_what_would_allow_it(
    service: Service, headers: dict[str, str], setting: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert (await service.admin.get(MEMORIES, headers=headers)).status_code in (421, 403)
    assert next(iter(headers.values())) in caplog.text
    assert setting in caplog.text
