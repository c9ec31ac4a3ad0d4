"""The client of the API: it sends again what can be sent again, always under the same key."""

import json

import httpx
import pytest

from adapters.http.client import ProblemError, RearviewClient, segment
from engine.errors import Conflict
from tests.adapters.http.service import Service


def scripted(*answers: httpx.Response | Exception) -> tuple[RearviewClient, list[httpx.Request]]:
    """A client of a service that answers as told."""
    seen: list[httpx.Request] = []
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        now = left.pop(0)
        if isinstance(now, Exception):
            raise now
        return now

    return RearviewClient("http://service", "token", user="a/b", transport=httpx.MockTransport(answer)), seen


AGAIN = httpx.Response(503, headers={"Retry-After": "0"}, json={"code": "unavailable", "detail": "Away."})


async def test_a_change_is_sent_again_under_the_same_key() -> None:
    client, seen = scripted(AGAIN, AGAIN, httpx.Response(201, json={"outcome": "stored"}))
    async with client:
        assert await client.write("x") == {"outcome": "stored"}
    keys = {request.headers["idempotency-key"] for request in seen}
    assert (len(seen), len(keys)) == (3, 1)
    assert {bytes(request.url.raw_path) for request in seen} == {b"/v1/users/a%2Fb/memories"}


async def test_a_lost_connection_is_tried_again_and_then_told() -> None:
    client, seen = scripted(httpx.ConnectError("no"), httpx.Response(200, json={}))
    async with client:
        await client.search("x")
    assert len(seen) == 2
    once, _ = scripted(httpx.ConnectError("no"))
    once._attempts = 1
    async with once:
        with pytest.raises(ProblemError) as told:
            await once.search("x")
    assert (told.value.status, told.value.code) == (0, "unreachable")


async def test_a_refusal_is_not_sent_again() -> None:
    client, seen = scripted(httpx.Response(422, json={"code": "empty", "detail": "Empty.", "errors": []}))
    async with client:
        with pytest.raises(ProblemError) as told:
            await client.write("")
    assert (told.value.code, told.value.detail, len(seen)) == ("empty", "Empty.", 1)


async def test_a_stranger_on_the_port_is_recognised() -> None:
    client, _ = scripted(httpx.Response(404, text="<html>"))
    async with client:
        with pytest.raises(ProblemError) as told:
            await client.get("m")
    assert told.value.code == "unexpected_answer"


@pytest.mark.parametrize("text", ["a/b", "..", ".", "a%2Fb", "用户 1", "?#"])
def test_an_id_is_one_segment(text: str) -> None:
    coded = segment(text)
    assert "/" not in coded
    assert "." not in coded


async def test_every_method_fits_the_real_routes(service: Service) -> None:
    token, _ = await service.tokens.create(users=("*",), role="admin")
    transport = httpx.ASGITransport(service.app)
    async with RearviewClient("http://127.0.0.1:8100", token, user="..", transport=transport) as c:
        await c.write("x", tags=["a"])
        await c.search("x", top_k=3)
        await c.context("x")
        await c.get("m/1")
        await c.list_page(limit=5, status="any")
        await c.edit("m", content="y", reason="moved", if_version=3)
        await c.delete("m", reason="old")
        await c.delete("m", purge=True)
        await c.restore("m")
        await c.used(["m"])
        assert [json.loads(line)["id"] async for line in c.export_lines()] == ["m1"]

        async def lines():  # type: ignore[no-untyped-def]
            yield b'{"content": "a"}\n'

        assert (await c.import_lines(lines()))["imported"] == 1
        await c.erase()
    assert {asked.user for asked in service.directory.asked} == {".."}
    assert [asked.op for asked in service.directory.asked] == [
        "write",
        "search",
        "context",
        "get",
        "list",
        "edit",
        "bin",
        "purge",
        "restore",
        "used",
        "export",
        "import_many",
        "erase",
    ]


async def test_a_pause_of_a_day_is_left_to_the_caller() -> None:
    refused = {"code": "quota_exceeded", "detail": "This token has 5 requests a day."}
    client, seen = scripted(httpx.Response(429, headers={"Retry-After": "40000"}, json=refused))
    async with client:
        with pytest.raises(ProblemError) as told:
            await client.write("x")
    assert (told.value.code, told.value.retry_after_s, len(seen)) == ("quota_exceeded", 40_000.0, 1)


async def test_a_short_pause_is_made_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("adapters.http.client.asyncio.sleep", sleep)
    limited = httpx.Response(429, headers={"Retry-After": "3"}, json={"code": "rate_limited", "detail": "Slower."})
    client, _ = scripted(limited, httpx.Response(502, text=""), httpx.ReadError("cut"), httpx.Response(200, json={}))
    async with client:
        await client.search("x")
    assert waited == [3.0, 0.4, 0.8]


async def test_streams_that_break_off_are_told_like_everything_else() -> None:
    client, _ = scripted(httpx.ConnectError("no"), httpx.ConnectError("no"))

    async def lines():  # type: ignore[no-untyped-def]
        yield b'{"content": "a"}\n'

    async with client:
        with pytest.raises(ProblemError, match="does not answer"):
            await client.import_lines(lines())
        with pytest.raises(ProblemError, match="does not answer"):
            [line async for line in client.export_lines()]


async def test_a_version_that_was_read_guards_an_edit(service: Service) -> None:
    token, _ = await service.tokens.create(users=("alice",))
    transport = httpx.ASGITransport(service.app)
    async with RearviewClient("http://127.0.0.1:8100", token, transport=transport) as c:
        read = await c.get("m1")
        await c.edit("m1", if_version=read["version"], content="y", reason="r")
        assert service.last.args["if_version"] == read["version"]
        service.directory.answers["edit"] = Conflict.of("It has changed.", code="version_mismatch")
        with pytest.raises(ProblemError) as told:
            await c.edit("m1", if_version=read["version"], content="z", reason="r")
    assert (told.value.status, told.value.code) == (412, "version_mismatch")


async def test_the_rest_of_the_api_has_its_methods_too() -> None:
    client, seen = scripted(*[httpx.Response(200, json={}) for _ in range(8)])
    async with client:
        await client.confirm("m")
        await client.reject("m")
        await client.turns("c/1", [{"role": "user", "content": "x"}], idempotency_key="k")
        await client.end_conversation("c/1")
        await client.suppress("my divorce")
        await client.lift("s")
        await client.stats()
        await client.recall_needed("do you remember?")
    paths = [request.url.raw_path.decode().removeprefix("/v1/users/a%2Fb") for request in seen]
    assert paths == [
        "/memories/m/confirm",
        "/memories/m/reject",
        "/turns",
        "/conversations/c%2F1",
        "/suppressions",
        "/suppressions/s",
        "/stats",
        "/v1/recall-needed",
    ]
    assert all(("idempotency-key" in request.headers) == (request.method != "GET") for request in seen)
    assert seen[2].headers["idempotency-key"] == "k"
