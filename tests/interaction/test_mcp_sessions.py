"""Who may speak on which connection, and how little a plain HTTP client has to know."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from starlette.applications import Starlette

from adapters.mcp.server import build_mcp
from tests.adapters.mcp.doubles import ListDirectory, TokenGate, app_of, served_door, serving

JSON = {"Content-Type": "application/json"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def call(tool: str, arguments: dict[str, object], request_id: int = 1) -> dict[str, object]:
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


@asynccontextmanager
async def sse_session(http: httpx2.AsyncClient, url: str, token: str) -> AsyncIterator[tuple[str, AsyncIterator[str]]]:
    """An open event stream: where to post, and the lines that follow."""
    async with http.stream("GET", f"{url}/sse", headers=bearer(token)) as stream:
        lines = stream.aiter_lines()
        async for line in lines:
            if line.startswith("data: "):
                yield line.removeprefix("data: "), lines
                return


async def test_nobody_posts_into_the_session_of_another_token() -> None:
    async with (
        served_door(ListDirectory()) as url,
        httpx2.AsyncClient() as http,
        sse_session(http, url, "alice") as (where, _),
    ):
        mine = await http.post(url + where, json=INITIALIZE, headers=bearer("alice"))
        foreign = await http.post(url + where, json=call("memory_list", {}), headers=bearer("bob"))
        nobody = await http.post(url + where, json=call("memory_list", {}))
    assert (mine.status_code, foreign.status_code, nobody.status_code) == (202, 404, 401)


async def test_without_the_caller_in_the_scope_the_session_would_be_open_to_all() -> None:
    """What the test above protects against: the same door behind a gate that forgets one line."""
    door = build_mcp(ListDirectory(), version="0", allowed_hosts=["127.0.0.1"])
    careless = TokenGate(Starlette(routes=list(door.routes)), with_scope_user=False)
    async with serving(careless) as url, httpx2.AsyncClient() as http, sse_session(http, url, "alice") as (where, _):
        foreign = await http.post(url + where, json=INITIALIZE, headers=bearer("bob"))
    assert foreign.status_code == 202


async def test_a_message_acts_as_its_sender_and_not_as_whoever_opened_the_stream() -> None:
    directory = ListDirectory()
    async with (
        served_door(directory) as url,
        httpx2.AsyncClient() as http,
        sse_session(http, url, "alice") as (where, lines),
    ):
        initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        for message in (INITIALIZE, initialized, call("memory_list", {}, 7)):
            await http.post(url + where, json=message, headers=bearer("alice"))
        async for line in lines:
            if line.startswith("data: ") and json.loads(line[6:]).get("id") == 7:
                break
    assert [user for user, _, _ in directory.asked] == ["alice"]


async def test_open_streams_are_ended_when_the_service_stops_and_clients_see_an_ordinary_end() -> None:
    door = build_mcp(ListDirectory(), version="0", allowed_hosts=["127.0.0.1"])
    async with (
        serving(app_of(door)) as url,
        httpx2.AsyncClient() as http,
        sse_session(http, url, "alice") as (_, lines),
    ):
        door.end_streams()
        assert [line async for line in lines if line.startswith("data")] == []


async def test_one_plain_post_is_enough_to_call_a_tool() -> None:
    async with served_door(ListDirectory()) as url, httpx2.AsyncClient() as http:
        answer = await http.post(f"{url}/mcp", json=call("memory_write", {"content": "x"}), headers=bearer("alice"))
    assert answer.headers["content-type"].startswith("application/json")
    assert "mcp-session-id" not in answer.headers
    assert answer.json()["result"]["structuredContent"]["status"] == "stored"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_every_handshake_version_is_echoed(version: str) -> None:
    hello = {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": version}}  # type: ignore[dict-item]
    async with served_door(ListDirectory()) as url, httpx2.AsyncClient() as http:
        answer = await http.post(f"{url}/mcp", json=hello, headers=bearer("alice"))
    assert answer.json()["result"]["protocolVersion"] == version
    assert answer.json()["result"]["serverInfo"]["name"] == "rearview"


@pytest.mark.parametrize("path", ["/mcp", "/sse"])
async def test_a_foreign_host_name_is_refused(path: str) -> None:
    async with served_door(ListDirectory()) as url, httpx2.AsyncClient() as http:
        headers = {**bearer("alice"), **JSON, "Host": "evil.example:80"}
        method = "POST" if path == "/mcp" else "GET"
        answer = await http.request(method, url + path, headers=headers, content=b"{}")
    assert answer.status_code == 421


async def test_a_page_of_another_origin_is_refused() -> None:
    async with served_door(ListDirectory()) as url, httpx2.AsyncClient() as http:
        headers = {**bearer("alice"), "Origin": "https://evil.example"}
        answer = await http.post(f"{url}/mcp", json=call("memory_list", {}), headers=headers)
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"[1]",
        b"null",
        b'"x"',
        b"\xff\xfe",
        b'{"jsonrpc":"2.0"}',
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_write","arguments":{"content":"\\ud800"}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_write","arguments":[]}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"x","top_k":1e999}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"x","top_k":NaN}}}',
    ],
)
async def test_broken_bodies_are_refused_and_change_nothing(body: bytes) -> None:
    directory = ListDirectory()
    async with served_door(directory) as url, httpx2.AsyncClient() as http:
        answer = await http.post(f"{url}/mcp", content=body, headers={**bearer("alice"), **JSON})
    assert answer.status_code < 500
    assert "Traceback" not in answer.text
    assert not directory.memories


CANARY = "canary-7431"


@pytest.mark.parametrize(
    "body",
    [
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"memory_write","arguments":"{CANARY}"}}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["{CANARY}"]}}',
        f'{{"{CANARY}',
        f'["{CANARY}"]',
        f'{{"jsonrpc":"2.0","id":1,"method":"{CANARY}"}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{CANARY}","arguments":{{}}}}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"memory_write","arguments":{{"content":"{CANARY}"}}}}}}',
    ],
)
async def test_nothing_that_was_said_gets_into_the_log(body: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    directory = ListDirectory()
    async with (
        served_door(directory) as url,
        httpx2.AsyncClient() as http,
        sse_session(http, url, "alice") as (where, _),
    ):
        for address in (f"{url}/mcp", url + where):
            await http.post(address, json=INITIALIZE, headers=bearer("alice"))
            await http.post(address, content=body, headers={**bearer("alice"), **JSON})
    assert CANARY not in caplog.text
