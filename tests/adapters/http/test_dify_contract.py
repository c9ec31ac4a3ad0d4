"""Our documents and answers as Dify reads them: its two importers and its result mapping, rebuilt from what is known of
their behaviour (docs/dify.md), none of its code. Whatever they would lose, change or choke on fails here.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from adapters.http.dify import dify_document
from adapters.mcp.server import HTTP_PATH, MESSAGES_PATH, SSE_PATH
from adapters.tools.table import TOOLS, Tool
from tests.adapters.http.dify_service import DifyService
from tests.adapters.http.test_dify import dify  # noqa: F401
from tests.isolation.walk import two_tenants

SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
RESERVED = {"json", "text", "files"}
OPERATIONS_MAX = 100
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def imported(document: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Tools by name with their parameters, as the OpenAPI importer makes them. Raises where it does."""
    server = document["servers"][0]["url"]
    assert document["info"]["title"]
    tools: dict[str, dict[str, dict[str, Any]]] = {}
    for path, methods in document["paths"].items():
        assert "parameters" not in methods, "parameters of a path are ignored"
        for method, operation in methods.items():
            name = operation.get("operationId") or re.sub(r"\W", "_", path + "_" + method)
            parameters: dict[str, dict[str, Any]] = {}
            body = operation.get("requestBody", {})
            assert "$ref" not in body, "all parameters would be lost"
            for content in list(body.get("content", {}).values())[:1]:
                schema = content["schema"]
                assert not {"oneOf", "anyOf", "allOf"} & set(schema), "all parameters would be lost"
                for field, part in schema["properties"].items():
                    kind = part["type"]
                    assert isinstance(kind, str), "unhashable type: list"
                    assert part["description"] is not None, "a validation error"
                    parameters[field] = {
                        "type": SCALARS[kind],
                        "required": field in schema.get("required", []),
                        "default": part.get("default"),
                        "description": part["description"],
                    }
            tools[name] = {"": {"url": server + path}, **parameters}
    return tools


def from_mcp(schema: Mapping[str, Any]) -> dict[str, str]:
    """Parameter -> type, as the MCP importer makes them: a type it does not understand becomes text."""
    assert schema["type"] == "object"
    made: dict[str, str] = {}
    for name, part in schema["properties"].items():
        kind = part.get("type", "string")
        assert kind != "null", "the whole provider fails to import"
        assert isinstance(part["description"], str), "the whole provider fails to import"
        made[name] = SCALARS.get(kind, "string") if isinstance(kind, str) else str(kind[0])
    return made


@every_tool
def test_the_openapi_importer_loses_no_parameter_type_or_default(tool: Tool) -> None:
    tools = imported(dify_document("http://host.docker.internal:8100/", "1"))
    parameters = {name: made for name, made in tools[tool.name].items() if name}
    assert list(parameters) == [argument.name for argument in tool.arguments]
    for argument in tool.arguments:
        made = parameters[argument.name]
        assert (made["type"], made["required"]) == (SCALARS[argument.type], argument.name in tool.required)
        assert made["default"] == argument.default
        # Enums and bounds are dropped on the way: the description is all that a model sees of them.
        assert all(choice in made["description"] for choice in argument.choices)
        assert not isinstance(made["default"], list | dict)


def test_every_url_that_the_importer_makes_is_absolute_and_has_no_double_slash() -> None:
    for public_url in ("http://host.docker.internal:8100", "https://memory.example.com/", "http://h:1/base/"):
        tools = imported(dify_document(public_url, "1"))
        assert 1 <= len(tools) <= OPERATIONS_MAX
        for name, made in tools.items():
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
            assert re.fullmatch(r"https?://[^/]+(/base)?/dify/\w+", made[""]["url"])


@every_tool
def test_the_mcp_importer_makes_the_same_types_of_it(tool: Tool) -> None:
    made = from_mcp(tool.input_schema())
    assert made == {argument.name: SCALARS[argument.type] for argument in tool.arguments}
    assert not RESERVED & set(tool.output_schema()["properties"])  # type: ignore[call-overload]


def test_the_last_part_of_each_address_says_which_transport_it_is() -> None:
    assert HTTP_PATH.rpartition("/")[2] == "mcp"
    assert SSE_PATH.rpartition("/")[2] == "sse"
    assert MESSAGES_PATH.startswith("/")


async def test_difys_old_handshake_without_a_version_header_gets_structured_results() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "Dify", "version": "1"}}
    steps: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}},
    ]
    headers = {"Accept": "application/json, text/event-stream"}
    async with two_tenants(("bob", "alice"), live_users_max=10) as both:
        answers = [await both.bob.post("/mcp", json=step, headers=headers) for step in steps]
    assert answers[0].json()["result"]["protocolVersion"] == "2025-06-18"
    assert "mcp-session-id" not in answers[0].headers, "a session would cost two more requests a call"
    assert answers[1].status_code == 202
    listed = answers[2].json()["result"]["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]
    assert all(tool["outputSchema"]["type"] == "object" for tool in listed)
    result = answers[3].json()["result"]
    # Text that looks like an object becomes the node's `json`, the structure its variables: both must say the same.
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


async def test_an_error_that_dify_takes_for_success_says_that_it_is_one() -> None:
    call = {"name": "memory_write", "arguments": {"content": ""}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    async with two_tenants(("bob", "alice"), live_users_max=10) as both:
        result = (await both.bob.post("/mcp", json=body)).json()["result"]
    told = json.loads(result["content"][0]["text"])
    assert (told["status"], told["field"]) == ("error", "content")
    assert told["message"]
    assert told["hint"]


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/event-stream, application/json"])
async def test_any_accept_header_gets_json(accept: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with two_tenants(("bob", "alice"), live_users_max=10) as both:
        answer = await both.bob.post("/mcp", json=body, headers={"Accept": accept})
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json()["result"]["tools"]


async def test_a_wrong_key_is_401_with_the_scheme_named_and_403_where_the_form_looks(dify: DifyService) -> None:  # noqa: F811
    refused = await dify.nobody.post("/mcp", json={})
    assert refused.status_code in (401, 404)
    assert (await dify.nobody.post("/dify/memory_list", json={})).headers["www-authenticate"].startswith("Bearer")
    assert (await dify.nobody.post("/retrieval")).status_code == 403
    saved: httpx.Response = await dify.alice.post("/retrieval")  # No body and no content type, as its form saves.
    assert saved.status_code not in (403, 404, 502)


async def test_no_answer_is_empty_or_a_download(dify: DifyService) -> None:  # noqa: F811
    written = await dify.alice.post("/dify/memory_write", json={"content": "x"})
    gone = await dify.alice.post("/dify/memory_forget", json={"memory_id": written.json()["memory_id"]})
    for answer in (written, gone):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert "content-disposition" not in answer.headers
        assert answer.json()["status"]
