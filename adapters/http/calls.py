"""One request on its way through: check the caller, read the query and the body, ask, answer.

Every route of the version 1 API is an `Endpoint` in a table, and `Resource` plays them all the same way, so that no
route can forget the role, the user or the error document. Written against ASGI directly: a request that only
passes through costs far less than one that a framework takes apart by signature.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote_to_bytes

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json
from starlette.types import Receive, Scope, Send

from adapters.http.bodies import Query
from adapters.http.doors import send_problem
from adapters.http.errors import HttpProblem, problem_of, problem_of_validation
from adapters.http.faults import explain_bad_json
from adapters.http.parts import BODY_BYTES_MAX, PATH_CHARS_MAX, QUERY_CHARS_MAX, HttpParts
from adapters.identity import PRINCIPAL, Forbidden, Principal, resolve_user, within_sight
from adapters.rendering import render
from engine.errors import Indeterminate, InvalidMemory, RearviewError, TooLarge, Unavailable

JSON = b"application/json"
NDJSON = b"application/x-ndjson"
About = Literal["user", "service", "everyone"]

_JSON_HEADERS = (b"content-type", JSON)


class ClientGone(Exception):
    """The caller hung up in the middle of its own request; there is nobody to answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What to send. `payload` is a reply of an actor (its times are still milliseconds), bytes, or a stream of them."""

    payload: Mapping[str, object] | bytes | AsyncIterator[bytes]
    status: int = 200
    media: bytes = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(slots=True)
class Call:
    """One request, checked: `user` is inside the token, `query` and `body` have the shape their endpoint names."""

    parts: HttpParts
    principal: Principal
    user: str
    path: Mapping[str, str]
    query: Any
    body: Any
    key: str
    scope: Scope
    receive: Receive

    async def ask(self, op: str, args: Mapping[str, object], *, once: bool = False) -> dict[str, object]:
        """Ask this user's actor. `once` passes the caller's idempotency key on, as every change does."""
        min_seq = max(self.query.min_seq, getattr(self.body, "min_seq", 0) or 0)
        reply = await self.parts.directory.ask(
            self.user, op, args, idempotency_key=self.key if once else "", min_seq=min_seq, client=self.principal.agent
        )
        return within_sight(self.principal, reply)

    def header(self, name: bytes) -> str:
        """The first header of this (lower-case) name, or an empty string."""
        return next((value.decode("latin-1") for n, value in self.scope["headers"] if n == name), "")


Handler = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One method of one path. `about` says whom it concerns: one user, the service, or figures over everyone."""

    method: str
    path: str
    operation: str
    summary: str
    handler: Handler
    role: str = "read"
    about: About = "user"
    query: type[Query] = Query
    body: type[BaseModel] | None = None
    body_optional: bool = False
    streams_in: bool = False


class Resource:
    """An ASGI application for one path: its methods, and 405 for the others."""

    def __init__(self, path: str, endpoints: Mapping[str, Endpoint], parts: HttpParts) -> None:
        self._path = path
        self._endpoints = dict(endpoints)
        self._parts = parts
        self._allow = ", ".join(sorted({*endpoints, *(["HEAD"] if "GET" in endpoints else [])}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["rearview.route"] = self._path
        try:
            answer = await self._play(scope, receive)
        except RearviewError as error:
            return await send_problem(send, problem_of(error), scope["rearview.request_id"])
        except HttpProblem as problem:
            return await send_problem(send, problem, scope["rearview.request_id"])
        except ClientGone:
            return
        except asyncio.CancelledError:
            # The server ends with the question under way. Saying nothing would make a plain 500 of it.
            return await send_problem(send, problem_of(_cut_short(scope["method"])), scope["rearview.request_id"])
        await _send(send, answer, head=scope["method"] == "HEAD")

    async def _play(self, scope: Scope, receive: Receive) -> Answer:
        method = scope["method"]
        endpoint = self._endpoints.get("GET" if method == "HEAD" else method)
        if endpoint is None:
            raise HttpProblem(
                405, "method_not_allowed", f"This path takes: {self._allow}.", headers={"Allow": self._allow}
            )
        principal = PRINCIPAL.get()
        path = {name: _decoded(value, name) for name, value in scope["path_params"].items()}
        user = _permitted(endpoint, principal, path)
        query = _read_query(endpoint.query, scope["query_string"])
        key = _idempotency_key(scope, self._parts.limits.idempotency_key_chars_max) if method != "GET" else ""
        body = None
        if endpoint.body is not None:
            body = await _read_body(endpoint, scope, receive)
        return await endpoint.handler(Call(self._parts, principal, user, path, query, body, key, scope, receive))


def _cut_short(method: str) -> RearviewError:
    if method in ("GET", "HEAD"):
        return Unavailable.of("The service is stopping.")
    return Indeterminate.of("The service is stopping; it may or may not have been written.")


async def read_all(receive: Receive, bytes_max: int) -> bytes:
    """The whole body. Raises: TooLarge, ClientGone."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if message["type"] == "http.request" and not message.get("more_body", False) and len(body) <= bytes_max:
        return body
    pieces, size = [body], len(body)
    while True:
        if message["type"] == "http.disconnect":
            raise ClientGone
        if size > bytes_max:
            raise TooLarge.of(f"At most {bytes_max} bytes in one body.", field="body")
        if not message.get("more_body", False):
            return b"".join(pieces)
        message = await receive()
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])


def media_type(scope: Scope) -> str:
    """The content type without its parameters, in lower case."""
    value = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    return value.decode("latin-1").partition(";")[0].strip().lower()


def _permitted(endpoint: Endpoint, principal: Principal, path: Mapping[str, str]) -> str:
    """The user this is about ("" for none), after the token was held against it."""
    user = ""
    if endpoint.about == "user":
        user = resolve_user(principal, path.get("user"))
    if not principal.may(endpoint.role):
        raise Forbidden.of(f"This needs a token with the role {endpoint.role}.")
    if endpoint.about == "everyone" and not principal.sees_everyone:
        raise Forbidden.of("This needs a token for all users.")
    return user


def _decoded(value: str, name: str) -> str:
    """A path segment as the caller meant it. It was routed still encoded, so `%2F` is part of an id."""
    if len(value) > PATH_CHARS_MAX:
        raise TooLarge.of("The path is too long.", field=name)
    try:
        return unquote_to_bytes(value.encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidMemory.of("It is not UTF-8.", field=name) from None


def _read_query(kind: type[Query], raw: bytes) -> Query:
    if not raw:
        return kind.nothing()
    if len(raw) > QUERY_CHARS_MAX:
        raise TooLarge.of("The query string is too long.", field="query")
    try:
        pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise InvalidMemory.of("The query string is not UTF-8, or has too many parts.", field="query") from None
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given:
            raise InvalidMemory.of("It may be given once.", field=name[:64])
        if value:  # Blank means absent: clients that fill in forms send all of them.
            given[name] = value
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise problem_of_validation(error) from None


async def _read_body(endpoint: Endpoint, scope: Scope, receive: Receive) -> BaseModel:
    assert endpoint.body is not None
    raw = await read_all(receive, BODY_BYTES_MAX)
    if not raw and endpoint.body_optional:
        raw = b"{}"
    kind = media_type(scope)
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise HttpProblem(415, "unsupported_media_type", "The body must be application/json.")
    try:
        body: BaseModel = endpoint.body.__pydantic_validator__.validate_json(raw)
    except ValidationError as error:
        problem = problem_of_validation(error)
        raise (explain_bad_json(raw) or problem if problem.code == "bad_json" else problem) from None
    return body


def _idempotency_key(scope: Scope, chars_max: int) -> str:
    raw = next((value for name, value in scope["headers"] if name == b"idempotency-key"), b"")
    key: str = raw.decode("latin-1")
    if len(key) > chars_max:
        raise InvalidMemory.of(f"At most {chars_max} characters.", field="Idempotency-Key")
    if not key.isascii() or not key.isprintable():
        raise InvalidMemory.of("Printable ASCII only.", field="Idempotency-Key")
    return key


async def _send(send: Send, answer: Answer, *, head: bool) -> None:
    payload = answer.payload
    headers = [(b"content-type", answer.media), *answer.headers]
    if isinstance(payload, AsyncIterator):
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if not head:
            async for piece in payload:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        return await send({"type": "http.response.body", "body": b""})
    body = payload if isinstance(payload, bytes) else to_json(render(payload), inf_nan_mode="null")
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else body})
