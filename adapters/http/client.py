"""A small client of the HTTP API, for programs and for our own commands. It needs httpx and nothing else of ours.

Every change carries an idempotency key, so that sending it again after a lost answer is safe; reads need none. What
is worth sending again: no connection, a lost connection, 429, 502, 503 and 504, unless the service asks for a longer
pause than a program should make without being asked (a quota of a day, for example).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Self
from urllib.parse import quote

import httpx

Reply = dict[str, Any]
RETRYABLE = frozenset({429, 502, 503, 504})
ATTEMPTS = 4
FIRST_PAUSE_S = 0.2
PAUSE_S_MAX = 5.0
TIMEOUT_S = 60.0
LINES_MEDIA = "application/x-ndjson"


class ProblemError(Exception):
    """What the service refused. `status` 0 means that it was not reached; `retry_after_s` 0 that it named no pause."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: list[dict[str, str]] | None = None,
        *,
        retry_after_s: float = 0.0,
    ) -> None:
        super().__init__(f"{detail} ({code})")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors or []
        self.retry_after_s = retry_after_s


def new_key() -> str:
    """A fresh idempotency key of 128 bits. From the system's own source, because this file stands alone."""
    return os.urandom(16).hex()


def segment(text: str) -> str:
    """An id as one segment of a path: everything is escaped, dots too, or clients would fold `..` away."""
    return quote(text, safe="").replace(".", "%2E")


class RearviewClient:
    """Talks to one service with one token, about one user (empty: the only user of the token)."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        user: str = "",
        new_key: Callable[[], str] = new_key,
        attempts: int = ATTEMPTS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.prefix = f"/v1/users/{segment(user)}" if user else "/v1/me"
        self._new_key = new_key
        self._attempts = attempts
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=TIMEOUT_S,
            trust_env=False,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def write(self, content: str, *, idempotency_key: str = "", **fields: Any) -> Reply:
        """Decide and write one memory. `fields` are those of the API. Raises: ProblemError."""
        return await self.call("POST", "/memories", {"content": content, **fields}, key=idempotency_key)

    async def search(self, query: str, **fields: Any) -> Reply:
        """Recall by a query."""
        return await self.call("POST", "/search", {"query": query, **fields})

    async def context(self, query: str, *, token_budget: int = 1500, **fields: Any) -> Reply:
        """Recall as text for a prompt."""
        return await self.call("POST", "/context", {"query": query, "token_budget": token_budget, **fields})

    async def get(self, memory_id: str) -> Reply:
        """One memory with its revisions."""
        return await self.call("GET", f"/memories/{segment(memory_id)}")

    async def list_page(self, **filters: Any) -> Reply:
        """One page of memories; pass `cursor=reply["next_cursor"]` for the next."""
        return await self.call("GET", "/memories", params=filters)

    async def edit(
        self, memory_id: str, *, reason: str, if_version: int = 0, idempotency_key: str = "", **fields: Any
    ) -> Reply:
        """Change a memory; with `if_version` only when it still has that version."""
        headers = {"If-Match": f'"{if_version}"'} if if_version else {}
        return await self.call(
            "PATCH",
            f"/memories/{segment(memory_id)}",
            {"reason": reason, **fields},
            key=idempotency_key,
            headers=headers,
        )

    async def delete(self, memory_id: str, *, purge: bool = False, wait: bool = False, reason: str = "") -> Reply:
        """Into the bin, or gone for good; with `wait` also from the store's own file when it answers."""
        params = {"purge": "true", **_waiting(wait)} if purge else {"reason": reason} if reason else {}
        return await self.call("DELETE", f"/memories/{segment(memory_id)}", params=params)

    async def restore(self, memory_id: str) -> Reply:
        """Out of the bin, or back from history."""
        return await self.call("POST", f"/memories/{segment(memory_id)}/restore", {})

    async def confirm(self, memory_id: str) -> Reply:
        """Accept a pending or quarantined memory."""
        return await self.call("POST", f"/memories/{segment(memory_id)}/confirm", {})

    async def reject(self, memory_id: str) -> Reply:
        """Refuse a pending or quarantined memory."""
        return await self.call("POST", f"/memories/{segment(memory_id)}/reject", {})

    async def turns(
        self, conversation: str, turns: Sequence[Mapping[str, Any]], *, idempotency_key: str = "", **fields: Any
    ) -> Reply:
        """Hand over turns of a talk, each with `role`, `content` and perhaps `at`."""
        body = {"conversation": conversation, "turns": list(turns), **fields}
        return await self.call("POST", "/turns", body, key=idempotency_key)

    async def end_conversation(self, conversation: str) -> Reply:
        """The task is over: what is worth it is promoted, the rest cleared."""
        return await self.call("DELETE", f"/conversations/{segment(conversation)}")

    async def suppress(self, about: str, *, reason: str = "") -> Reply:
        """Never mention this again."""
        return await self.call("POST", "/suppressions", {"about": about, **({"reason": reason} if reason else {})})

    async def lift(self, suppression_id: str) -> Reply:
        """Let it be mentioned again."""
        return await self.call("DELETE", f"/suppressions/{segment(suppression_id)}")

    async def stats(self) -> Reply:
        """Figures of the user."""
        return await self.call("GET", "/stats")

    async def recall_needed(self, text: str, *, task: str = "", previous_task: str = "") -> Reply:
        """Whether a message calls for recall."""
        body = {"text": text, "task": task, "previous_task": previous_task}
        return await self.call("POST", "/v1/recall-needed", body)

    async def used(self, memory_ids: list[str]) -> Reply:
        """These entered the final prompt."""
        return await self.call("POST", "/used", {"memory_ids": memory_ids})

    async def erase(self, *, wait: bool = False) -> Reply:
        """Erase the user for good; with `wait` also from the store's own file when it answers."""
        return await self.call("DELETE", "", params=_waiting(wait))

    async def audit(self, *, limit: int = 50, cursor: str = "") -> Reply:
        """A page of the audit trail, newest first."""
        return await self.call("GET", "/audit", params={"limit": limit, **({"cursor": cursor} if cursor else {})})

    async def verify_audit(self) -> Reply:
        """Whether every entry of the audit trail is as it was written."""
        return await self.call("GET", "/audit/verify")

    async def export_lines(self) -> AsyncIterator[str]:
        """Everything of the user, one JSON text a line. Raises: ProblemError, also when it breaks off half-way."""
        try:
            async with self._http.stream("GET", self.prefix + "/export") as answer:
                if answer.status_code != 200:
                    await answer.aread()
                    raise problem_of(answer)
                async for line in answer.aiter_lines():
                    yield line
        except httpx.TransportError as error:
            raise self._unreachable(error) from None

    async def import_lines(self, lines: AsyncIterator[bytes], *, form: str = "", idempotency_key: str = "") -> Reply:
        """Send lines of JSON. A stream can be read only once, so nothing is sent again here; with an `idempotency_key`
        of its own the caller may send the same lines again after a break. Raises: ProblemError.
        """
        try:
            answer = await self._http.post(
                self.prefix + "/import",
                params={"format": form} if form else {},
                content=lines,
                timeout=None,
                headers={"Content-Type": LINES_MEDIA, "Idempotency-Key": idempotency_key or self._new_key()},
            )
        except httpx.TransportError as error:
            raise self._unreachable(error) from None
        return _read(answer)

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        key: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request, sent again while that can help. A path that starts with /v1/ is taken as it is.

        Raises: ProblemError.
        """
        sent = dict(headers or {})
        if method != "GET":
            sent["Idempotency-Key"] = key or self._new_key()
        target = path if path.startswith("/v1/") else self.prefix + path
        for attempt in range(1, self._attempts + 1):
            try:
                answer = await self._http.request(method, target, json=body, params=params, headers=sent)
            except httpx.TransportError as error:
                if attempt == self._attempts:
                    raise self._unreachable(error) from None
                await asyncio.sleep(_pause_s(attempt, 0.0))
                continue
            asked_s = _retry_after_s(answer)
            if answer.status_code not in RETRYABLE or attempt == self._attempts or asked_s > PAUSE_S_MAX:
                return _read(answer)
            await asyncio.sleep(_pause_s(attempt, asked_s))
        raise AssertionError("the last attempt returns or raises")

    def _unreachable(self, error: httpx.TransportError) -> ProblemError:
        said = f"The service at {self._http.base_url} does not answer ({type(error).__name__})."
        return ProblemError(0, "unreachable", said)


def problem_of(answer: httpx.Response) -> ProblemError:
    """The error that a response tells of."""
    try:
        told = answer.json()
        return ProblemError(
            answer.status_code,
            str(told["code"]),
            str(told["detail"]),
            told.get("errors"),
            retry_after_s=_retry_after_s(answer),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return ProblemError(
            answer.status_code,
            "unexpected_answer",
            f"Something answered {answer.status_code}, but not as Rearview does.",
        )


def _read(answer: httpx.Response) -> Reply:
    if not answer.is_success:
        raise problem_of(answer)
    reply: Reply = answer.json()
    return reply


def _waiting(wait: bool) -> dict[str, str]:
    return {"wait": "true"} if wait else {}


def _retry_after_s(answer: httpx.Response) -> float:
    """What the service asks for in seconds; 0 where it asks for nothing."""
    asked = answer.headers.get("retry-after", "")
    return float(asked) if asked.isascii() and asked.isdigit() and len(asked) <= 9 else 0.0


def _pause_s(attempt: int, asked_s: float) -> float:
    """How long to wait: what the service asked for, else twice as long each time."""
    return asked_s or min(FIRST_PAUSE_S * 2.0 ** (attempt - 1), PAUSE_S_MAX)
