"""The stdio bridge's side of the protocol: what it answers by itself, and what it hands on to the service.

Everything but a tool call is answered from the table of tools, so `initialize` and `tools/list` need neither the
service nor the SDK, whose import alone takes half a second. A test holds these answers equal to those of the SDK's
server (tests/interaction/test_mcp_bridge.py).

The client's first request decides the era, as in the SDK: an envelope in `_meta` opens the era of 2026-07-28, in which
every request carries one; anything else opens the era of the `initialize` handshake.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.tools.table import BY_NAME, INSTRUCTIONS, TOOLS

Message = dict[str, Any]

SERVER_NAME = "rearview"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
TOOLS_TTL_MS = 3_600_000

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
# How the bridge tells the service who its client is, where the era has no place for it.
BRIDGED_CLIENT_KEY = "rearview/client"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
UNSUPPORTED_VERSION = -32022

_VERSION = re.compile(r"\d{4}-\d\d-\d\d")
_CAPABILITIES: Message = {"tools": {"listChanged": False}}


class Refused(Exception):
    """The request is answered with a protocol error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error: Message = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call for the service: the request's id, its parameters, and the protocol version to speak."""

    request_id: str | int
    params: Message
    version: str
    modern: bool


@dataclass(slots=True)
class Conversation:
    """One client. `modern` is None until its first request; `cancelled` holds ids whose answer nobody wants."""

    server_version: str
    modern: bool | None = None
    version: str = HANDSHAKE_VERSIONS[-1]
    client: str = ""
    cancelled: set[str | int] = field(default_factory=set)

    def take(self, line: bytes) -> Message | ToolCall | None:
        """What to do with one line: write this answer, make this call, or nothing."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _failure(None, {"code": PARSE_ERROR, "message": "Parse error"})
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _failure(None, {"code": INVALID_REQUEST, "message": "Invalid request"})
        method, request_id = message.get("method"), message.get("id")
        params = message.get("params")
        if not isinstance(method, str):
            return None  # An answer to a request that we never make.
        if request_id is None:
            self._notice(method, params if isinstance(params, dict) else {})
            return None
        if not isinstance(request_id, str | int):
            return _failure(None, {"code": INVALID_REQUEST, "message": "Invalid request"})
        try:
            return self._answer(request_id, method, {} if params is None else params)
        except Refused as refused:
            return _failure(request_id, refused.error)

    def success(self, request_id: str | int, result: Message) -> Message:
        """An answer made here, with what the era adds to every result."""
        if self.modern:
            result = {**result, "resultType": "complete", "_meta": {SERVER_KEY: self._server_info()}}
        return {"jsonrpc": "2.0", "id": request_id, "result": result}

    def _answer(self, request_id: str | int, method: str, params: object) -> Message | ToolCall:
        if not isinstance(params, dict):
            raise Refused(INVALID_PARAMS, "Invalid request parameters")
        if self.modern is None:
            self.modern = method != "initialize" and VERSION_KEY in _meta(params)
        if self.modern:
            self._check_envelope(method, params)
        elif method != "initialize" and VERSION_KEY in _meta(params):
            raise Refused(
                INVALID_REQUEST,
                "this connection was opened with initialize; "
                "requests of the 2026-07-28 protocol are not accepted on it",
            )
        if method == "tools/call":
            return self._tool_call(request_id, params)
        return self.success(request_id, self._result(method, params))

    def _result(self, method: str, params: Message) -> Message:
        if method == "tools/list":
            listed: Message = {"tools": [tool.on_the_wire() for tool in TOOLS]}
            return {**listed, "ttlMs": TOOLS_TTL_MS, "cacheScope": "public"} if self.modern else listed
        if self.modern and method == "server/discover":
            return {
                "supportedVersions": list(MODERN_VERSIONS),
                "capabilities": _CAPABILITIES,
                "instructions": INSTRUCTIONS,
                "ttlMs": 0,
                "cacheScope": "private",
            }
        if not self.modern and method == "initialize":
            return self._initialize(params)
        if not self.modern and method == "ping":
            return {}
        raise Refused(METHOD_NOT_FOUND, "Method not found")

    def _initialize(self, params: Message) -> Message:
        offered, client = params.get("protocolVersion"), params.get("clientInfo")
        if not isinstance(offered, str) or not isinstance(client, dict):
            raise Refused(INVALID_PARAMS, "Invalid request parameters")
        self.version = offered if offered in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        self.client = str(client.get("name", ""))
        return {
            "protocolVersion": self.version,
            "capabilities": _CAPABILITIES,
            "serverInfo": self._server_info(),
            "instructions": INSTRUCTIONS,
        }

    def _tool_call(self, request_id: str | int, params: Message) -> ToolCall:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict | None):
            raise Refused(INVALID_PARAMS, "Invalid request parameters")
        if name not in BY_NAME:
            raise Refused(INVALID_PARAMS, "Unknown tool")
        if self.modern:
            return ToolCall(request_id, params, str(_meta(params)[VERSION_KEY]), True)
        told = {**params, "_meta": {**_meta(params), BRIDGED_CLIENT_KEY: self.client}}
        return ToolCall(request_id, told, self.version, False)

    def _check_envelope(self, method: str, params: Message) -> None:
        if method == "initialize":
            raise Refused(
                UNSUPPORTED_VERSION,
                "this connection serves the 2026-07-28 protocol; the initialize handshake is not accepted",
                {"supported": list(MODERN_VERSIONS), "requested": _version_shown(params.get("protocolVersion"))},
            )
        meta = _meta(params)
        missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
        if missing or not isinstance(meta[VERSION_KEY], str):
            raise Refused(INVALID_PARAMS, f"params._meta must hold {VERSION_KEY} and {CAPABILITIES_KEY}")
        if meta[VERSION_KEY] not in MODERN_VERSIONS:
            raise Refused(
                UNSUPPORTED_VERSION,
                "Unsupported protocol version",
                {"supported": list(MODERN_VERSIONS), "requested": _version_shown(meta[VERSION_KEY])},
            )

    def _notice(self, method: str, params: Message) -> None:
        if method == "notifications/cancelled" and isinstance(params.get("requestId"), str | int):
            self.cancelled.add(params["requestId"])

    def _server_info(self) -> Message:
        return {"name": SERVER_NAME, "version": self.server_version}


def _meta(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _version_shown(asked: object) -> str:
    """The version that was asked for where it looks like one; anything else is not repeated."""
    return asked if isinstance(asked, str) and _VERSION.fullmatch(asked) else ""


def _failure(request_id: str | int | None, error: Message) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
