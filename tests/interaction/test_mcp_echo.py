"""Whatever is sent to the MCP door: an answer below 500 that repeats nothing of it but the id of the request."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import httpx
import httpx2
import pytest

from rearview.bridge_protocol import Conversation, ToolCall
from tests.adapters.mcp.doubles import ListDirectory, served_door
from tests.interaction.test_mcp_sessions import INITIALIZE, bearer, sse_session
from tests.isolation.walk import two_tenants

CANARY = "canary-7431"
SEEDS, MESSAGES = 12, 60
METHODS = ("tools/call", "tools/list", "initialize", "server/discover", "ping", "prompts/get", "resources/read")
NAMES = ("memory_write", "memory_search", "memory_update", "memory_forget", "memory_restore", "memory_list")
VERSIONS = ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
# Values that have broken servers: deep, huge, half of a character, no number at all.
ODD: tuple[Callable[[], str], ...] = (
    lambda: json.dumps(CANARY),
    lambda: json.dumps([CANARY, {CANARY: CANARY}]),
    lambda: "1" + "0" * 5_000,
    lambda: "1e400",
    lambda: "-1",
    lambda: "1000000",
    lambda: "NaN",
    lambda: "true",
    lambda: "null",
    lambda: '"\\ud800"',
    lambda: '"\\u0000"',
    lambda: "[" * 3_000 + "]" * 3_000,
    lambda: '{"a":' * 3_000 + "1" + "}" * 3_000,
    lambda: json.dumps(CANARY + "x" * 20_000),
    lambda: "{}",
    lambda: "",
)


def message(chance: Random) -> bytes:
    """A request with one thing or more wrong with it."""
    odd = lambda: chance.choice(ODD)()  # noqa: E731
    arguments = {"content": '"I like tea"', "query": '"tea"', "memory_id": '"m"', "top_k": "5", "reason": '"r"'}
    for name in chance.sample(sorted(arguments), 2):
        arguments[name] = odd()
    inner = "{" + ",".join(f'"{name}":{value}' for name, value in arguments.items() if value) + "}"
    params = {
        "name": json.dumps(chance.choice([*NAMES, CANARY])),
        "arguments": inner if chance.random() < 0.8 else odd(),
        "_meta": json.dumps(META) if chance.random() < 0.5 else odd(),
        "protocolVersion": json.dumps(chance.choice([*VERSIONS, CANARY])),
    }
    shown = "{" + ",".join(f'"{name}":{value}' for name, value in params.items() if value) + "}"
    fields = {
        "jsonrpc": '"2.0"' if chance.random() < 0.9 else odd(),
        "id": "7" if chance.random() < 0.9 else chance.choice(["1e400", "1" * 5_000, "{}", "null", '"\\ud800"']),
        "method": json.dumps(chance.choice([*METHODS, CANARY, "notifications/" + CANARY])),
        "params": shown if chance.random() < 0.8 else odd(),
    }
    raw = ("{" + ",".join(f'"{name}":{value}' for name, value in fields.items() if value) + "}").encode()
    wrecks: tuple[Callable[[bytes], bytes], ...] = (
        lambda b: b,
        lambda b: b,
        lambda b: b,
        lambda b: b[: chance.randrange(len(b))],
        lambda b: b.replace(b"tea", b"\xff\xfe\xed\xa0\x80"),
        lambda b: b.decode().encode("utf-16"),
        lambda b: b"[" + b + b"]",
        lambda b: b"\x00" + b,
    )
    return chance.choice(wrecks)(raw)


def headers(chance: Random) -> dict[str, str]:
    made = {"Content-Type": "application/json"}
    if chance.random() < 0.5:
        made["MCP-Protocol-Version"] = chance.choice([*VERSIONS, CANARY])
    if chance.random() < 0.3:
        made |= {"Mcp-Method": chance.choice([*METHODS, CANARY]), "Mcp-Name": chance.choice([*NAMES, CANARY])}
    if chance.random() < 0.1:
        made["Mcp-Session-Id"] = CANARY
    return made


def repeats_nothing(answer: httpx.Response | httpx2.Response) -> None:
    assert answer.status_code < 500, answer.text
    assert CANARY not in answer.text
    assert CANARY not in str(answer.headers)
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_no_message_is_repeated_and_none_breaks_the_door(seed: int) -> None:
    chance = Random(seed)
    async with two_tenants(("bob", "alice"), live_users_max=10) as both:
        for _ in range(MESSAGES):
            sent, told = message(chance), headers(chance)
            answer = await both.bob.post("/mcp", content=sent, headers=told)
            try:
                repeats_nothing(answer)
            except AssertionError:
                pytest.fail(f"seed {seed}: {told} {sent[:600]!r} -> {answer.status_code} {answer.text[:600]}")
        well = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}}
        assert (await both.bob.post("/mcp", json=well)).json()["result"]["structuredContent"]["status"] == "ok"


@pytest.mark.parametrize(
    "body",
    [
        {"jsonrpc": "2.0", "id": 1, "method": CANARY},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [CANARY]},
        {"jsonrpc": CANARY, "id": 1, "method": "tools/list"},
        [CANARY],
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {**META, next(iter(META)): CANARY}}},
    ],
)
async def test_the_known_repetitions_of_the_sdk_are_gone(body: Any) -> None:
    refused: list[str] = []
    async with two_tenants(("bob", "alice"), live_users_max=10) as both:
        for told in ({}, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}):
            answer = await both.bob.post("/mcp", json=body, headers=told)
            repeats_nothing(answer)
            refused.append(answer.json().get("error", {}).get("message", ""))
    assert any(refused), "at least one of the two eras refuses it"


async def test_a_version_that_is_not_spoken_is_told_which_ones_are() -> None:
    wanted = "2099-01-01"
    meta = {**META, "io.modelcontextprotocol/protocolVersion": wanted}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    told = {"MCP-Protocol-Version": wanted, "Mcp-Method": "tools/list"}
    async with two_tenants(("bob", "alice"), live_users_max=10) as both:
        error = (await both.bob.post("/mcp", json=body, headers=told)).json()["error"]
    assert (error["code"], error["data"]["requested"]) == (-32022, wanted)
    assert "2026-07-28" in error["data"]["supported"]


async def test_an_event_stream_repeats_nothing_either() -> None:
    async with (
        served_door(ListDirectory()) as url,
        httpx2.AsyncClient() as http,
        sse_session(http, url, "alice") as (where, lines),
    ):
        bad = {"jsonrpc": "2.0", "id": 9, "method": CANARY}
        for body in (INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, bad):
            repeats_nothing(await http.post(url + where, json=body, headers=bearer("alice")))
        async for line in lines:
            if line.startswith("data: ") and json.loads(line[6:]).get("id") == 9:
                assert CANARY not in line
                assert json.loads(line[6:])["error"] == {"code": -32601, "message": "Method not found"}
                break


@pytest.mark.parametrize("session", ["", "0" * 32, CANARY, "../x", "%ff", "a" * 5_000])
async def test_a_message_for_no_session_is_refused_without_repeating_it(session: str) -> None:
    async with served_door(ListDirectory()) as url, httpx2.AsyncClient() as http:
        answer = await http.post(f"{url}/messages/?session_id={session}", json=INITIALIZE, headers=bearer("alice"))
    repeats_nothing(answer)
    assert answer.status_code in (400, 404)


def test_the_stdio_bridge_repeats_nothing_either() -> None:
    for seed in range(SEEDS * 4):
        chance = Random(seed)
        bridge = Conversation("0")
        for _ in range(MESSAGES):
            sent = message(chance).replace(b"\n", b" ")
            taken = bridge.take(sent)
            if isinstance(taken, ToolCall) or taken is None:
                continue  # A call goes to the service, whose door was tried above.
            assert CANARY not in json.dumps(taken), (seed, sent[:600])
