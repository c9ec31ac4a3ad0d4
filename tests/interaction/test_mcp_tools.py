"""The tools through every transport, in both eras of the protocol: one body each, run over all of them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from adapters.tools.table import TOOLS
from tests.adapters.mcp.doubles import ListDirectory, served_door

ROOT = Path(__file__).resolve().parents[2]
Connect = Callable[[str], AbstractAsyncContextManager[Client]]
NAMES = ["memory_write", "memory_search", "memory_update", "memory_forget", "memory_restore", "memory_list"]


@asynccontextmanager
async def over_http(url: str, token: str, mode: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_sse(url: str, token: str, mode: str) -> AsyncIterator[Client]:
    async with Client(sse_client(f"{url}/sse", headers={"Authorization": f"Bearer {token}"}), mode=mode) as client:
        yield client


@asynccontextmanager
async def over_stdio(url: str, token: str, mode: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "rearview", "mcp"],
        cwd=ROOT,
        env={"REARVIEW_URL": url, "REARVIEW_TOKEN": token},
    )
    async with Client(server, mode=mode) as client:
        yield client


TRANSPORTS = {"http": over_http, "sse": over_sse, "stdio": over_stdio}
ERAS = ("legacy", "2026-07-28")


@pytest.fixture(params=[(name, mode) for name in TRANSPORTS for mode in ERAS], ids="-".join)
async def connect(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Connect]:
    """Opens a client for a token, over the transport and in the era of this run."""
    transport, mode = request.param
    async with served_door(ListDirectory()) as url:
        yield lambda token: TRANSPORTS[transport](url, token, mode)


def read(result: CallToolResult) -> dict[str, object]:
    """The payload, after checking that text and structure say the same."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert json.loads(block.text) == result.structured_content
    assert ": " not in block.text.split('"content"')[0]
    assert isinstance(result.structured_content, dict)
    assert result.structured_content["status"]
    return result.structured_content


async def test_the_six_tools_are_listed_in_their_order(connect: Connect) -> None:
    async with connect("alice") as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == NAMES
    for tool, wanted in zip(listed, TOOLS, strict=True):
        assert tool.input_schema == wanted.input_schema()
        assert tool.output_schema == wanted.output_schema()
        assert tool.annotations is not None
        assert tool.annotations.open_world_hint is False


async def test_a_memory_is_written_found_changed_forgotten_and_restored(connect: Connect) -> None:
    async with connect("alice") as client:
        written = read(await client.call_tool("memory_write", {"content": "我对花生过敏"}))
        assert written["status"] == written["outcome"] == "stored"
        memory_id = written["memory_id"]

        found = read(await client.call_tool("memory_search", {"query": "花生"}))
        assert [hit["memory_id"] for hit in found["memories"]] == [memory_id]  # type: ignore[attr-defined]

        changed = {"memory_id": memory_id, "new_content": "我对花生和虾过敏", "reason": "补充"}
        assert read(await client.call_tool("memory_update", changed))["memory_id"] == memory_id

        listed = read(await client.call_tool("memory_list", {}))
        assert [row["content"] for row in listed["memories"]] == ["我对花生和虾过敏"]  # type: ignore[attr-defined]

        gone = read(await client.call_tool("memory_forget", {"memory_id": memory_id}))
        assert (gone["status"], gone["deleted"]) == ("forgotten", 1)
        assert read(await client.call_tool("memory_search", {"query": "花生"}))["abstained"] is True

        back = read(await client.call_tool("memory_restore", {"memory_id": memory_id}))
        assert (back["status"], back["content"]) == ("restored", "我对花生和虾过敏")


async def test_two_users_never_see_each_other(connect: Connect) -> None:
    async with connect("alice") as alice, connect("bob") as bob:
        written = read(await alice.call_tool("memory_write", {"content": "I am allergic to peanuts"}))
        assert written["status"] == "stored"
        assert read(await bob.call_tool("memory_search", {"query": "peanuts"}))["memories"] == []
        refused = await bob.call_tool("memory_forget", {"memory_id": written["memory_id"]})
        assert refused.is_error
        assert read(refused)["code"] == "not_found"


async def test_six_clients_of_two_users_at_once_never_mix(connect: Connect) -> None:
    async def play(name: str, number: int) -> None:
        async with connect(name) as client:
            for turn in range(4):
                content = f"My code word {number}{turn} is {name}-{number}-{turn}"
                await client.call_tool("memory_write", {"content": content})
                listed = read(await client.call_tool("memory_list", {"status": "any"}))
                contents = [row["content"] for row in listed["memories"]]  # type: ignore[attr-defined]
                assert all(f"is {name}-" in content for content in contents)

    await asyncio.gather(*(play(name, number) for number in range(3) for name in ("alice", "bob")))


async def test_a_topic_is_forgotten_once_and_only_the_topic(connect: Connect) -> None:
    async with connect("alice") as client:
        for content in ("My salary is 20000 a month", "I have two cats named Tom and Kit"):
            assert read(await client.call_tool("memory_write", {"content": content}))["status"] == "stored"
        asked = {"about": "salary", "idempotency_key": "once"}
        gone, again = [read(await client.call_tool("memory_forget", asked)) for _ in range(2)]
        assert (gone["status"], gone["deleted"]) == ("forgotten", 1)
        assert [row["content"] for row in gone["memories"]] == ["My salary is 20000 a month"]  # type: ignore[attr-defined]
        assert again == gone
        left = read(await client.call_tool("memory_list", {}))
        assert [row["content"] for row in left["memories"]] == [  # type: ignore[attr-defined]
            "I have two cats named Tom and Kit"
        ]
        assert read(await client.call_tool("memory_forget", {"about": "submarines"}))["deleted"] == 0


async def test_a_bad_argument_is_an_error_the_model_can_read(connect: Connect) -> None:
    async with connect("alice") as client:
        refused = await client.call_tool("memory_search", {"query": "tea", "top_k": "many"})
    assert refused.is_error
    said = read(refused)
    assert (said["status"], said["code"], said["field"]) == ("error", "invalid_value", "top_k")
    assert said["hint"]
