"""Protocol errors without what was sent: the SDK repeats the method, the version and parts of a body it cannot read.

A client needs the code, a sentence that is the same for everybody, and for a version that is not spoken the list of
those that are. The rest of an error's text could end up in a log or a prompt together with what somebody said.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from mcp import types
from mcp.shared.message import SessionMessage
from pydantic_core import from_json, to_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ANSWER_BYTES_MAX = 64 * 1024  # An error is never longer than what we would send; results may be.
_ERROR = b'"error":'
_VERSION = re.compile(r"\d{4}-\d\d-\d\d")
# The SDK puts what it could not read behind these.
_CUT_AFTER = ("Parse error", "Validation error")


def plain_error(error: Mapping[str, Any]) -> dict[str, Any]:
    """The error without a word of the request."""
    message = str(error.get("message", ""))
    start = next((start for start in _CUT_AFTER if message.startswith(start)), message.partition("\n")[0])
    plain: dict[str, Any] = {"code": error.get("code", types.INTERNAL_ERROR), "message": start}
    data = error.get("data")
    if isinstance(data, Mapping) and isinstance(data.get("supported"), list):
        asked = str(data.get("requested", ""))
        plain["data"] = {"supported": data["supported"], "requested": asked if _VERSION.fullmatch(asked) else ""}
    return plain


class PlainErrors:
    """Around the Streamable HTTP endpoint, whose answers are single JSON bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message | None = None

        async def plainly(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_json(message):
                start = message  # Held until the body is there, because its length may change.
                return
            if start is not None:
                held, start = start, None
                body = message.get("body", b"")
                if not message.get("more_body", False) and _ERROR in body and len(body) <= ANSWER_BYTES_MAX:
                    body = _without_echo(body)
                    held = {**held, "headers": _with_length(held["headers"], len(body))}
                    message = {**message, "body": body}
                await send(held)
            await send(message)

        await self._app(scope, receive, plainly)


class PlainStream:
    """The sending half of an event stream of the SDK, by shape."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def send(self, item: SessionMessage) -> None:
        """Send on; an error loses what it repeats."""
        if isinstance(item.message, types.JSONRPCError):
            error = types.ErrorData.model_validate(plain_error(item.message.error.model_dump()))
            item = replace(item, message=item.message.model_copy(update={"error": error}))
        await self._inner.send(item)

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _without_echo(body: bytes) -> bytes:
    try:
        answer = from_json(body)
    except ValueError:
        return body
    if not isinstance(answer, dict) or not isinstance(answer.get("error"), dict):
        return body  # A result that speaks of errors.
    return to_json({**answer, "error": plain_error(answer["error"])})


def _is_json(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"application/json")
        for name, value in start.get("headers", ())
    )


def _with_length(headers: list[tuple[bytes, bytes]], length: int) -> list[tuple[bytes, bytes]]:
    kept = [(name, value) for name, value in headers if name.lower() != b"content-length"]
    return [*kept, (b"content-length", str(length).encode())]
