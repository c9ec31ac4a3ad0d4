"""The one door in front of every route, also those of other protocols: host, origin, token, request id.

Pure ASGI, because a body that streams must stream through it. A route cannot forget the check: it is not asked.
"""

import asyncio
import logging
import re
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from actors.directory import ASKED_BY
from adapters.http.errors import PROBLEM_JSON, HttpProblem, document, problem_of
from adapters.http.parts import HttpParts
from adapters.identity import PRINCIPAL, REFUSED_FOREIGN, Principal
from adapters.rates import Refusal
from engine.errors import RearviewError

OPEN_PATHS = frozenset({"/", "/healthz", "/readyz", "/openapi-dify.json"})
# The console knows its visitors by a session and not by a header; its own table of pages asks for it.
CONSOLE = "/console"
# A load balancer asks these by address, and they say nothing worth rebinding a name for.
ANY_HOST_PATHS = frozenset({"/healthz", "/readyz"})
# Dify reads a 401 of its knowledge endpoint as success; only 403 and 404 tell its user that the key is wrong.
FORBIDDEN_INSTEAD = frozenset({"/retrieval"})
RAW_PREFIXES = (b"/v1/", b"/console/u/")
ORIGIN_SCHEMES = frozenset({"http", "https"})

FOREIGN_SAID_MS = 1_000
NOTES_MAX = 100
HOW_TO_ALLOW = "allow it with REARVIEW_HTTP__PUBLIC_URL, REARVIEW_HTTP__ALLOWED_HOSTS or REARVIEW_HTTP__ALLOWED_ORIGINS"

_PORT = re.compile(r":\d{1,5}$")

_log = logging.getLogger("rearview.http")


class Names:
    """Host names with an optional port; a name without one, or with `:*`, stands for any port."""

    def __init__(self, names: Iterable[str]) -> None:
        listed = [name.lower().removesuffix(":*") for name in names if name]
        self._all = "*" in listed
        self._exact = frozenset(name for name in listed if _PORT.search(name))
        self._any_port = frozenset(listed) - self._exact

    def __contains__(self, host: str) -> bool:
        name = host.lower()
        return self._all or name in self._exact or _PORT.sub("", name) in self._any_port


class Doors:
    """Lets a request through with `PRINCIPAL` set, or answers with a problem document."""

    def __init__(self, app: ASGIApp, parts: HttpParts) -> None:
        self._app = app
        self._parts = parts
        self._foreign_unsaid, self._foreign_said_ms = 0, 0
        self._notes: set[asyncio.Task[None]] = set()
        self._hosts = Names([*parts.allowed_hosts, urlsplit(parts.public_url).netloc])
        self._origins = frozenset(origin.lower().rstrip("/") for origin in parts.allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
                await asyncio.gather(*self._notes)
            return  # There are no web sockets here.
        request_id = self._parts.new_id()
        scope["rearview.request_id"] = request_id
        _use_raw_path(scope)
        started = time.perf_counter()
        status = 0

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", request_id.encode("latin-1")))
            await send(message)

        try:
            await self._pass(scope, receive, answered)
        finally:
            self._parts.metrics.seen(
                scope["method"], scope.get("rearview.route", "other"), status, (time.perf_counter() - started) * 1e3
            )

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            principal = await self._admit(scope)
        except HttpProblem as problem:
            return await send_problem(send, problem, scope["rearview.request_id"])
        heard = REFUSED_FOREIGN.set(self._note_foreign)
        try:
            await self._enter(principal, scope, receive, send)
        finally:
            REFUSED_FOREIGN.reset(heard)

    async def _enter(self, principal: Principal | None, scope: Scope, receive: Receive, send: Send) -> None:
        if principal is None:
            return await self._app(scope, receive, send)
        if self._parts.scope_user is not None:
            scope["user"] = self._parts.scope_user(principal)
        mark, asked_by = PRINCIPAL.set(principal), ASKED_BY.set(principal.token_id)
        try:
            await self._app(scope, receive, send)
        finally:
            PRINCIPAL.reset(mark)
            ASKED_BY.reset(asked_by)

    async def _admit(self, scope: Scope) -> Principal | None:
        """Whose request this is; None where no token is needed. Raises: HttpProblem."""
        host, origin, authorization = _headers(scope)
        path = scope["path"]
        self._check_names(path, host, origin)
        if path in OPEN_PATHS or path == CONSOLE or path.startswith(CONSOLE + "/"):
            return None
        kind, _, token = authorization.partition(" ")
        try:
            principal = await self._known(token.strip()) if kind.lower() == "bearer" else None
        except RearviewError as error:
            raise problem_of(error) from None
        if principal is None:
            status = 403 if path in FORBIDDEN_INSTEAD else 401
            raise HttpProblem(
                status,
                "unauthorized",
                "A valid token is needed: Authorization: Bearer …",
                headers={"WWW-Authenticate": 'Bearer realm="rearview"'},
            )
        refusal = await self._parts.rates.admit(principal)
        if refusal is not None:
            raise _too_many(refusal)
        return principal

    async def _known(self, token: str) -> Principal | None:
        """Whose token this is: ours, or one of an issuer that we trust. Raises: Unavailable."""
        principal = await self._parts.tokens.verify(token)
        if principal is None and self._parts.other_tokens is not None:
            principal = await self._parts.other_tokens(token)
        return principal

    def _note_foreign(self, principal: Principal, user: str) -> None:
        """Somebody asked for a user outside their token: counted, noted in that user's own audit trail, and said
        without a word of what they sent.
        """
        self._parts.metrics.foreign()
        if len(self._notes) < NOTES_MAX:
            # Beside the answer, which must take as long as for a user who is not there.
            task = asyncio.get_running_loop().create_task(self._tell_user(user))
            self._notes.add(task)
            task.add_done_callback(self._notes.discard)
        self._foreign_unsaid += 1
        now_ms = self._parts.now_ms()
        if abs(now_ms - self._foreign_said_ms) < FOREIGN_SAID_MS:
            return  # One line a second at most: a stranger must not fill the disk.
        _log.warning(
            "Refused a user outside the token: token_id=%s agent=%.64r times=%d",
            principal.token_id,
            principal.agent,
            self._foreign_unsaid,
        )
        self._foreign_said_ms, self._foreign_unsaid = now_ms, 0

    async def _tell_user(self, user: str) -> None:
        try:
            await self._parts.directory.ask(user, "refused", {})
        except RearviewError as error:
            _log.warning("A refused attempt is not in the audit trail: %s", error.code)

    def _check_names(self, path: str, host: str, origin: str) -> None:
        if path not in ANY_HOST_PATHS and host not in self._hosts:
            _log.warning("Refused a Host that is not in http.allowed_hosts: %.100r (%s)", host, HOW_TO_ALLOW)
            raise HttpProblem(421, "unknown_host", "This name is not one of the configured hosts (http.allowed_hosts).")
        if origin:
            scheme, _, name = origin.partition("://")
            ours = scheme in ORIGIN_SCHEMES and name in self._hosts
            if not ours and origin.lower() not in self._origins:
                _log.warning("Refused an Origin that is not in http.allowed_origins: %.100r (%s)", origin, HOW_TO_ALLOW)
                raise HttpProblem(403, "unknown_origin", "Pages of this origin may not call this service.")


async def send_problem(send: Send, problem: HttpProblem, request_id: str) -> None:
    """Answer with a problem document."""
    body = document(problem, request_id)
    headers = [(b"content-type", PROBLEM_JSON.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in problem.headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _too_many(refusal: Refusal) -> HttpProblem:
    headers = {"Retry-After": str(max(1, refusal.retry_after_s))}
    if refusal.code == "quota_exceeded":
        return HttpProblem(429, "quota_exceeded", f"This token has {refusal.limit} requests a day.", headers=headers)
    return HttpProblem(429, "rate_limited", f"This token has {refusal.limit} requests a minute.", headers=headers)


def _use_raw_path(scope: Scope) -> None:
    """Route by the path as it was sent, so that an encoded slash in a user id stays inside its segment."""
    raw = scope.get("raw_path")
    if raw and raw.startswith(RAW_PREFIXES):
        scope["path"] = raw.decode("latin-1")
    elif scope["path"] == "/mcp/":
        scope["path"] = "/mcp"


def _headers(scope: Scope) -> tuple[str, str, str]:
    host = origin = authorization = b""
    for name, value in scope["headers"]:
        if name == b"host":
            host = value
        elif name == b"origin":
            origin = value
        elif name == b"authorization":
            authorization = value
    return host.decode("latin-1"), origin.decode("latin-1"), authorization.decode("latin-1")
