"""The client of the API: it sends again what can be sent again, always under the same key."""

import json

import httpx
import pytest

from adapters.http.client import ProblemError, RearviewClient, segment
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
