"""The workflow of docs/dify.md, run from the file that people import: over HTTP, and with its tools over MCP."""

import ast
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import httpx
import pytest
import yaml

from actors.directory import Directory
from actors.local_hosts import LocalHosts
from actors.placement import Placement
from adapters.http.app import create_app
from adapters.http.parts import HttpParts
from adapters.http.table import ENDPOINTS
from adapters.mcp.server import build_mcp, scope_user
from adapters.models.query_table import bundled_table
from adapters.models.space import bundled_space
from adapters.rates import Rates
from adapters.tokens import TokenBook
from adapters.tools.table import BY_NAME
from engine.policy import Policy
from persistence.plain_journal import PlainTokens
from tests.actors.world import World
from tests.adapters.http.dify_app import EXAMPLE, DifyApp, Post

HOST = "http://host.docker.internal:8100"


@asynccontextmanager
async def service() -> AsyncIterator[httpx.AsyncClient]:
    """A service that decides as an installed one does, and a client with the token of docs/dify.md."""
    world, numbers = World(policy=Policy()), count(1)
    world.embedder.broken = True
    hosts = LocalHosts(lambda name: replace(world.parts(name), static=bundled_table(), space=bundled_space()))
    directory = Directory(hosts, Placement.shared(1))

    def now_ms() -> int:
        world.now_ms += 1_000
        return world.now_ms

    tokens = TokenBook(PlainTokens(), now_ms=now_ms, new_id=lambda: f"i{next(numbers)}", new_token=lambda: "secret")
    door = build_mcp(directory, version="0", allowed_hosts=["host.docker.internal"])
    app = create_app(
        HttpParts(
            directory=directory,
            tokens=tokens,
            rates=Rates(now_ms=now_ms),
            now_ms=now_ms,
            new_id=lambda: f"r{next(numbers)}",
            public_url=HOST,
            extra_routes=door.routes,
            lifespans=[door.lifespan],
            scope_user=scope_user,
        )
    )
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        token, _ = await tokens.create(users=("dify-*",), agent="dify")
        headers = {"Authorization": f"Bearer {token}"}
        yield await stack.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HOST, headers=headers)
        )
    await hosts.stop()


def over_http(client: httpx.AsyncClient) -> Post:
    async def post(path: str, body: dict[str, Any], key: str) -> str:
        answer = await client.post(path, json=body, headers={"Idempotency-Key": key} if key else {})
        assert answer.status_code == 200, answer.text
        return answer.text

    return post


def over_mcp(client: httpx.AsyncClient) -> Post:
    """The same tools as tool nodes call them; recall-needed is no tool and stays an HTTP request."""
    plainly = over_http(client)

    async def post(path: str, body: dict[str, Any], key: str) -> str:
        if not path.startswith("/dify/"):
            return await plainly(path, body, key)
        arguments = {**body, "idempotency_key": key} if key else body
        call = {"name": path.removeprefix("/dify/"), "arguments": arguments}
        answer = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        result = answer.json()["result"]
        assert not result.get("isError"), result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return str(result["content"][0]["text"])

    return post


@pytest.mark.parametrize("door", [over_http, over_mcp], ids=["http", "mcp"])
async def test_the_example_app_remembers_recalls_and_corrects(door: Any) -> None:
    async with service() as client:
        app, other = DifyApp(door(client), "7f3c"), DifyApp(door(client), "91ab")

        await app.say('I live in Oslo, on "Elm Street"\nand I am allergic to peanuts')
        assert "write" in app.visited
        await app.say("thanks!")
        assert await other.say("Where do I live, remember?") == "(said by the model)"
        assert "search" in other.visited
        assert "Oslo" not in other.prompts[-1]

        await app.say("Do you remember where I live?")
        assert app.visited.index("search") < app.visited.index("llm") < app.visited.index("write")
        assert "Oslo" in app.prompts[-1]

        await app.say("Good morning")
        assert "search" not in app.visited
        assert "not_asked" in app.prompts[-1]

        listed = json.loads(await app.post("/dify/memory_list", {"user_id": "dify-7f3c"}, ""))["memories"]
        assert not [row for row in listed if row["content"] in ("thanks!", "Good morning")]


@pytest.mark.parametrize("door", [over_http, over_mcp], ids=["http", "mcp"])
async def test_a_newer_fact_replaces_and_a_guess_is_asked_about_first(door: Any) -> None:
    async with service() as client:
        app = DifyApp(door(client), "7f3c")

        async def known() -> list[str]:
            told = json.loads(await app.post("/dify/memory_list", {"user_id": "dify-7f3c"}, ""))
            return [row["content"] for row in told["memories"]]

        await app.say("I live in Oslo")
        await app.say("I moved to Bergen")
        assert await known() == ["I moved to Bergen"]
        assert "conflict" in app.visited
        assert "ask" not in app.visited

        asked = await app.say("I might be living in Trondheim now")
        assert "Shall I change it?" in asked
        assert await known() == ["I moved to Bergen"]
        assert "OK, I have changed that." in await app.say("Yes, please")
        assert await known() == ["I might be living in Trondheim now"]
        assert app.conversation == {"open_memory": "", "open_guess": "", "open_content": ""}

        await app.say("I might be living in Hamar now")
        await app.say("no, forget that")
        assert await known() == ["I might be living in Trondheim now"]


def test_the_file_is_one_that_dify_imports() -> None:
    """Every id, handle and selector leads somewhere, and placeholders have the form that Dify replaces."""
    document = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    assert (document["kind"], document["app"]["mode"]) == ("app", "advanced-chat")
    assert re.fullmatch(r"\d+\.\d+\.\d+", document["version"])
    workflow = document["workflow"]
    nodes = {node["id"]: node["data"] for node in workflow["graph"]["nodes"]}
    assert len(nodes) == len(workflow["graph"]["nodes"])
    for node in workflow["graph"]["nodes"]:
        assert re.fullmatch(r"[a-zA-Z0-9_]{1,50}", node["id"])
        assert {"x", "y"} <= node["position"].keys()
        assert node["type"] == "custom"
    handles = {"if-else": {"true", "false"}}
    for edge in workflow["graph"]["edges"]:
        assert edge["data"]["sourceType"] == nodes[edge["source"]]["type"]
        assert edge["data"]["targetType"] == nodes[edge["target"]]["type"]
        assert edge["sourceHandle"] in handles.get(nodes[edge["source"]]["type"], {"source"})
    reached = {edge["target"] for edge in workflow["graph"]["edges"]}
    assert set(nodes) - reached == {"begin"}
    named = {"sys": {"query", "user_id", "workflow_run_id", "files"}}
    named["env"] = {one["name"] for one in workflow["environment_variables"]}
    named["conversation"] = {one["name"] for one in workflow["conversation_variables"]}
    made = {
        "http-request": {"body"},
        "llm": {"text"},
        "template-transform": {"output"},
        "variable-aggregator": {"output"},
    }
    named |= {name: set(data.get("outputs", {})) or made.get(data["type"], set()) for name, data in nodes.items()}
    for holder, variable in re.findall(r"\{\{#(\w+)\.(\w+)#\}\}", EXAMPLE.read_text("utf-8")):
        assert variable in named[holder], (holder, variable)


def test_the_app_asks_only_what_there_is_and_holds_no_secret() -> None:
    document = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    paths = {f"/dify/{name}" for name in BY_NAME} | {endpoint.path for endpoint in ENDPOINTS}
    for node in document["workflow"]["graph"]["nodes"]:
        data = node["data"]
        if data["type"] == "http-request":
            assert data["url"].removeprefix("{{#env.REARVIEW_URL#}}") in paths
            changes = data["url"].rpartition("_")[2] not in ("search", "needed") and "recall-needed" not in data["url"]
            assert ("Idempotency-Key:{{#sys.workflow_run_id#}}-" in data["headers"]) == changes
        if data["type"] == "code":
            ast.parse(data["code"])
    (secret,) = [one for one in document["workflow"]["environment_variables"] if one["value_type"] == "secret"]
    assert secret["value"] == ""
