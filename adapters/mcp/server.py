"""The MCP door: Streamable HTTP at /mcp (stateless, JSON) and the legacy SSE transport at /sse and /messages/.

It is a list of routes for the outer application, not a mounted sub-application: a mount would add redirects and would
lose its lifespan. Authentication is the outer application's; it puts the caller into `PRINCIPAL` and, through
`scope_user`, into the scope, where the SDK looks when it decides whether a message may enter a session. Without the
latter, anybody with a good token could post into somebody else's SSE session.

Built on the SDK's low-level server: schemas come from our table instead of function signatures, and the high-level
one configures the logging of the whole process.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from adapters.identity import Principal
from adapters.mcp.refusals import PlainErrors, PlainStream
from adapters.mcp.tools import call_tool, client_name, listed_tools
from adapters.tools.calls import Directory
from adapters.tools.table import INSTRUCTIONS

SERVER_NAME = "rearview"
HTTP_PATH = "/mcp"
SSE_PATH = "/sse"
MESSAGES_PATH = "/messages/"
# The tools are the same for everybody and change only with the release.
TOOLS_TTL_MS = 3_600_000


class _WithoutTraceback(logging.Filter):
    """The SDK logs a message it cannot parse with the whole error, which repeats what was said."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True


_WITHOUT_TRACEBACK = _WithoutTraceback()


@dataclass(frozen=True, slots=True)
class McpDoor:
    """What the outer application includes: routes, and a context to be entered once while it serves.

    `end_streams` closes the event streams of all clients: call it first when the service stops, because a server
    waits for its open responses, and these never end by themselves.
    """

    routes: tuple[Route, ...]
    lifespan: Callable[[], AbstractAsyncContextManager[None]]
    end_streams: Callable[[], None]
    server: Server[Any]


def build_server(directory: Directory, *, version: str) -> Server[Any]:
    """The protocol server without a transport."""
    tools = listed_tools()

    async def on_list(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def on_call(context: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        return await call_tool(directory, params.name, params.arguments or {}, client=client_name(context))

    return Server(
        SERVER_NAME,
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=on_list,
        on_call_tool=on_call,
        cache_hints={"tools/list": CacheHint(ttl_ms=TOOLS_TTL_MS, scope="public")},
    )


def build_mcp(
    directory: Directory, *, version: str, allowed_hosts: Sequence[str], allowed_origins: Sequence[str] = ()
) -> McpDoor:
    """The door for one run of the application; its lifespan can be entered once.

    `allowed_hosts` are names as in a Host header, with or without a port; without one, any port is meant.
    """
    logging.getLogger(SseServerTransport.__module__).addFilter(_WITHOUT_TRACEBACK)
    server = build_server(directory, version=version)
    security = transport_security(allowed_hosts, allowed_origins)
    http = server.streamable_http_app(stateless_http=True, json_response=True, transport_security=security)
    (exact,) = [route for route in http.routes if isinstance(route, Route)]
    sse = SseServerTransport(MESSAGES_PATH, security_settings=security)
    streams = SseEndpoint(server, sse, security)
    return McpDoor(
        routes=(
            Route(HTTP_PATH, PlainErrors(exact.app)),
            Route(SSE_PATH, streams, methods=["GET"]),
            Route(MESSAGES_PATH, MessagesEndpoint(sse), methods=["POST"]),
        ),
        lifespan=server.session_manager.run,
        end_streams=streams.end_all,
        server=server,
    )


def scope_user(principal: Principal) -> AuthenticatedUser:
    """The caller in the form that the SDK compares before it lets a message into a session.

    The subject is the token, not the user: two tokens of one user may differ in what they are allowed.
    """
    return AuthenticatedUser(AccessToken(token="-", client_id=SERVER_NAME, scopes=[], subject=principal.token_id))


def transport_security(hosts: Sequence[str], origins: Sequence[str]) -> TransportSecuritySettings:
    """Host and Origin names as the SDK matches them: a bare name matches no port, `name:*` any."""
    return TransportSecuritySettings(
        allowed_hosts=_with_any_port(hosts),
        allowed_origins=_with_any_port(origins)
        + _with_any_port([f"http://{h}" for h in hosts])
        + _with_any_port([f"https://{h}" for h in hosts]),
    )


def _with_any_port(names: Sequence[str]) -> list[str]:
    patterns: list[str] = []
    for name in names:
        bare = name.removesuffix(":*")
        has_port = ":" in bare.partition("://")[2] if "://" in bare else ":" in bare and not bare.endswith("]")
        patterns += [bare] if has_port else [bare, f"{bare}:*"]
    return patterns


class SseEndpoint:
    """GET /sse. A class, because Starlette hands classes the raw connection, which a stream needs."""

    def __init__(self, server: Server[Any], sse: SseServerTransport, security: TransportSecuritySettings) -> None:
        self._server = server
        self._sse = sse
        self._security = TransportSecurityMiddleware(security)
        self._open: set[anyio.CancelScope] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = await self._security.validate_request(Request(scope, receive), is_post=False)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        async with self._sse.connect_sse(scope, receive, send) as (incoming, outgoing):
            with anyio.CancelScope() as session:
                self._open.add(session)
                try:
                    await self._server.run(
                        incoming, PlainStream(outgoing), self._server.create_initialization_options()
                    )
                finally:
                    self._open.discard(session)

    def end_all(self) -> None:
        """End every session. Its stream then ends as an ordinary response, without an error in the log."""
        for session in tuple(self._open):
            session.cancel()


class MessagesEndpoint:
    """POST /messages/?session_id=…, the other half of an SSE session."""

    def __init__(self, sse: SseServerTransport) -> None:
        self._sse = sse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sse.handle_post_message(scope, receive, send)
