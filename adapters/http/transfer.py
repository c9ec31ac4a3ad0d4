"""Export and import as lines of JSON, streamed both ways: neither side ever holds the whole.

An import is cut into batches by lines alone, not by how the network cut it, so that the same file sent again makes
the same batches, and a batch that was already done is recognised by its idempotency key.
"""

import hashlib
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from pydantic_core import from_json, to_json
from starlette.types import Receive

from adapters.http.arguments import Args
from adapters.http.bodies import ImportQuery
from adapters.http.calls import NDJSON, Answer, Call, ClientGone, Endpoint, media_type, read_all
from adapters.http.parts import (
    EXPORT_PAGE_LINES,
    IMPORT_BATCH_BYTES,
    IMPORT_BATCH_LINES,
    IMPORT_DOCUMENT_BYTES_MAX,
    IMPORT_LINE_BYTES_MAX,
    IMPORT_REFUSED_SHOWN_MAX,
)
from adapters.identity import require_unrestricted
from adapters.rendering import render
from adapters.wire import travels
from engine.errors import InvalidMemory

DOCUMENT_LISTS = ("results", "memories", "records", "conversations")


async def export_memories(call: Call) -> Answer:
    """Everything of one user. The first page is read before the answer starts, so that a failure is a problem."""
    require_unrestricted(call.principal, "read")
    first = await _page(call, "")
    return Answer(_lines(call, first), media=NDJSON)


async def import_memories(call: Call) -> Answer:
    """Records as they are: no scoring, no merging. A line that cannot be taken is named, and the others go on."""
    require_unrestricted(call.principal, "write")
    query: ImportQuery = call.query
    form = "" if query.format == "rearview" else query.format
    intake = Intake(call, form)
    if media_type(call.scope) == "application/json":
        raw = await read_all(call.receive, IMPORT_DOCUMENT_BYTES_MAX)
        for number, record in enumerate(_records_of_document(raw), 1):
            await intake.take(number, record, len(to_json(record)))
    else:
        async for number, line in _lines_in(call.receive):
            if len(line) > IMPORT_LINE_BYTES_MAX:
                intake.refuse(number, "too_large")
            elif line.strip():
                # Some editors put a byte order mark in front of a file.
                plain = line.removeprefix(BOM_UTF8) if number == 1 else line
                await intake.take(number, _parsed(plain), len(line))
    await intake.flush()
    return Answer(intake.reply())


@dataclass(slots=True)
class Intake:
    """Batches on their way to one user's actor, and what became of them."""

    call: Call
    form: str
    imported: int = 0
    refused_count: int = 0
    refused: list[dict[str, object]] = field(default_factory=list)
    last: Mapping[str, object] = field(default_factory=dict)
    _batch: list[dict[str, object]] = field(default_factory=list)
    _bytes: int = 0
    _batches: int = 0

    def refuse(self, line: int, code: str) -> None:
        """Note a line that is not taken."""
        self.refused_count += 1
        if len(self.refused) < IMPORT_REFUSED_SHOWN_MAX:
            self.refused.append({"line": line, "code": code})

    async def take(self, line: int, record: object, size: int) -> None:
        """Add one record to the batch; send the batch when it is full."""
        if record is None:
            return self.refuse(line, "bad_json")
        if not isinstance(record, dict):
            return self.refuse(line, "invalid_value")
        if not travels(record):
            return self.refuse(line, "invalid_value")
        self._batch.append({**record, "line": line})
        self._bytes += size
        if len(self._batch) >= IMPORT_BATCH_LINES or self._bytes >= IMPORT_BATCH_BYTES:
            await self.flush()

    async def flush(self) -> None:
        """Send what waits. An empty import still asks once, for the `seq` of its reply."""
        if not self._batch and self._batches:
            return
        self._batches += 1
        # Only an admin vouches for what the records say of who said it.
        args: Args = {"records": self._batch, "format": self.form, "trusted": self.call.principal.may("admin")}
        reply = await self.call.parts.directory.ask(
            self.call.user, "import_many", args, idempotency_key=self._key(), client=self.call.principal.agent
        )
        self._batch, self._bytes = [], 0
        self.imported += cast(int, reply["imported"])
        for refusal in cast(list[dict[str, object]], reply["refused"]):
            self.refuse(cast(int, refusal["line"]), str(refusal["code"]))
        self.last = reply

    def reply(self) -> dict[str, object]:
        """What became of the whole import."""
        ordered = sorted(self.refused, key=lambda refusal: cast(int, refusal["line"]))
        return {**self.last, "imported": self.imported, "refused": ordered, "refused_total": self.refused_count}

    def _key(self) -> str:
        if not self.call.key:
            return ""
        return f"import-{hashlib.sha256(self.call.key.encode()).hexdigest()[:32]}-{self._batches}"


async def _page(call: Call, cursor: str) -> dict[str, object]:
    return await call.ask("export", {"cursor": cursor, "limit": EXPORT_PAGE_LINES})


async def _lines(call: Call, page: Mapping[str, object]) -> AsyncIterator[bytes]:
    while True:
        lines = cast(list[dict[str, object]], page["lines"])
        yield b"".join(to_json(render(line)) + b"\n" for line in lines)
        cursor = cast(str, page["next_cursor"])
        if not cursor:
            return
        page = await _page(call, cursor)


async def _lines_in(receive: Receive) -> AsyncIterator[tuple[int, bytes]]:
    """Lines with their numbers from 1. A line that never ends is cut off and shown one byte over the limit."""
    number, rest, more = 1, bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        more = message.get("more_body", False)
        *whole, tail = message.get("body", b"").split(b"\n")
        for piece in whole:
            yield number, bytes(rest) + piece if rest else piece
            rest.clear()
            number += 1
        if len(rest) <= IMPORT_LINE_BYTES_MAX:
            rest += tail
    if rest:
        yield number, bytes(rest)


def _parsed(line: bytes) -> object:
    """The JSON of a line; None for what is none."""
    try:
        return from_json(line, allow_inf_nan=False)
    except ValueError:
        return None


def _records_of_document(raw: bytes) -> list[object]:
    """The records of one JSON document: a list, or an object that holds one, as other products export them."""
    document = _parsed(raw.removeprefix(BOM_UTF8))
    if isinstance(document, dict):
        document = next((document[name] for name in DOCUMENT_LISTS if name in document), document)
    if isinstance(document, dict):
        return [document]
    if not isinstance(document, list):
        raise InvalidMemory.of(
            "The body is neither a list of records nor lines of JSON.", code="bad_json", field="body"
        )
    return document


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/users/{user}/export",
        operation="export_memories",
        summary="Everything of a user as lines of JSON",
        handler=export_memories,
    ),
    Endpoint(
        method="POST",
        path="/v1/users/{user}/import",
        operation="import_memories",
        summary="Take lines of JSON in",
        handler=import_memories,
        role="write",
        query=ImportQuery,
        streams_in=True,
    ),
)
