"""The six tools for Dify's "custom tool" import: one small OpenAPI document and one flat POST for each tool.

Dify's importer accepts little (docs/dify.md): it needs an absolute server address without a trailing slash and an
inline body of scalars with descriptions, it loses enums and defaults, and it turns an empty answer into an error.
So every success here is 200 with a JSON object, and blank, null and absent arguments are the same.
"""

import json
from typing import Any

from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from adapters.http.calls import ClientGone, read_all
from adapters.http.doors import send_problem
from adapters.http.errors import HttpProblem, problem_of
from adapters.http.parts import BODY_BYTES_MAX, HttpParts
from adapters.identity import PRINCIPAL
from adapters.tools.calls import run_tool
from adapters.tools.table import TOOLS, Argument, Tool
from adapters.tools.text import to_json
from engine.errors import InvalidMemory, RearviewError

DOCUMENT_PATH = "/openapi-dify.json"
TOOL_PREFIX = "/dify/"
CLIENT = "dify"

_JSON_HEADER = (b"content-type", b"application/json")


def dify_routes(parts: HttpParts) -> list[BaseRoute]:
    """The document, which needs no token, and the six operations, which do."""
    document = DifyDocument(to_json(dify_document(parts.public_url, parts.version)).encode())
    operations = [Route(TOOL_PREFIX + tool.name, ToolEndpoint(tool, parts), methods=["POST"]) for tool in TOOLS]
    return [Route(DOCUMENT_PATH, document, methods=["GET"]), *operations]


def dify_document(public_url: str, version: str) -> dict[str, object]:
    """The OpenAPI document as Dify's importer wants it."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Rearview memory",
            "version": version,
            "description": "Long-term memory: remember, find, correct, forget. Authorization: Bearer <token>.",
        },
        "servers": [{"url": public_url.rstrip("/")}],
        "paths": {TOOL_PREFIX + tool.name: {"post": _operation(tool)} for tool in TOOLS},
    }


def _operation(tool: Tool) -> dict[str, object]:
    properties = {argument.name: _property(argument) for argument in tool.arguments}
    body: dict[str, object] = {"type": "object", "properties": properties}
    if tool.required:
        body["required"] = list(tool.required)
    return {
        "operationId": tool.name,
        "summary": tool.description,
        "description": tool.description,
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            "200": {
                "description": "The result; its status says what was done.",
                "content": {"application/json": {"schema": tool.output_schema()}},
            }
        },
    }


def _property(argument: Argument) -> dict[str, object]:
    shown: dict[str, object] = {"type": argument.type, "description": argument.description}
    if argument.default is not None:
        shown["default"] = argument.default
    return shown


async def read_object(receive: Receive) -> dict[str, Any]:
    """The body as a JSON object; no body at all is an empty one.

    Raises: TooLarge, InvalidMemory, ClientGone.
    """
    raw = await read_all(receive, BODY_BYTES_MAX)
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise InvalidMemory.of("The body is not valid JSON.", code="bad_json") from None
    if not isinstance(body, dict):
        raise InvalidMemory.of("A JSON object is needed.", field="body")
    return body


async def send_json(send: Send, payload: object) -> None:
    """Answer 200 with this."""
    body = to_json(payload).encode("utf-8", "replace")
    headers = [_JSON_HEADER, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class DifyDocument:
    """GET of the document, which is the same for everybody."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["rearview.route"] = DOCUMENT_PATH
        headers = [_JSON_HEADER, (b"content-length", str(len(self._body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self._body if scope["method"] == "GET" else b""})


class ToolEndpoint:
    """POST of one tool."""

    def __init__(self, tool: Tool, parts: HttpParts) -> None:
        self._tool = tool
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["rearview.route"] = TOOL_PREFIX + self._tool.name
        try:
            sent = self._with_key_of_header(scope, await read_object(receive))
            result = await run_tool(self._parts.directory, PRINCIPAL.get(), self._tool.name, sent, client=CLIENT)
        except RearviewError as error:
            return await send_problem(send, problem_of(error), scope["rearview.request_id"])
        except HttpProblem as problem:
            return await send_problem(send, problem, scope["rearview.request_id"])
        except ClientGone:
            return
        await send_json(send, result)

    def _with_key_of_header(self, scope: Scope, sent: dict[str, Any]) -> dict[str, Any]:
        """Dify's HTTP Request node retries three times, and its users put the key into a header."""
        takes_key = any(argument.name == "idempotency_key" for argument in self._tool.arguments)
        if not takes_key or sent.get("idempotency_key"):
            return sent
        key = next((value for name, value in scope["headers"] if name == b"idempotency-key"), b"")
        return {**sent, "idempotency_key": key.decode("latin-1")} if key else sent
