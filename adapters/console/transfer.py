"""Export and import. The browser sends an import in pieces of some hundred lines, so that it can tell how far it is."""

from collections.abc import AsyncIterator, Mapping
from typing import cast

from pydantic_core import from_json, to_json

from adapters.console.parts import PIECE_BYTES_MAX, PIECE_LINES_MAX
from adapters.console.site import Answer, Page
from adapters.console.visit import Raw, Stream, Visit
from adapters.identity import require_unrestricted
from adapters.rendering import render
from adapters.wire import travels
from engine.errors import InvalidMemory

PAGE_LINES = 200
FORMATS = ("", "mem0")


async def export(visit: Visit) -> Answer:
    """Everything of this user as lines of JSON. The first page is read before, so that a failure is no broken file."""
    require_unrestricted(visit.who, "read")
    first = await visit.ask("export", {"cursor": "", "limit": PAGE_LINES})
    headers = {"content-disposition": 'attachment; filename="memories.ndjson"'}
    return Stream(_lines(visit, first), "application/x-ndjson", headers)


async def import_piece(visit: Visit) -> Answer:
    """A piece of an import: a list of [line number, record]."""
    require_unrestricted(visit.who, "write")
    form = visit.query.get("format", "")
    if form not in FORMATS:
        raise InvalidMemory.of("It is mem0 or left out.", field="format")
    records, refused = records_of(visit.body)
    reply = await visit.ask("import_many", {"records": records, "format": form, "trusted": visit.is_admin})
    refused += cast("list[dict[str, object]]", reply["refused"])
    return Raw(to_json({"imported": reply["imported"], "refused": refused}), "application/json")


def records_of(body: bytes) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """The records of a piece with their lines, and the lines that are none. Raises: InvalidMemory."""
    try:
        pairs = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise InvalidMemory.of("It is not JSON.", field="body", code="bad_json") from None
    if not isinstance(pairs, list) or len(pairs) > PIECE_LINES_MAX:
        raise InvalidMemory.of(f"It takes a list of at most {PIECE_LINES_MAX} records.", field="body")
    records: list[dict[str, object]] = []
    refused: list[dict[str, object]] = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], int):
            raise InvalidMemory.of("A record stands beside the number of its line.", field="body")
        line, record = pair
        if isinstance(record, dict) and travels(record):
            records.append({**record, "line": line})
        else:
            refused.append({"line": line, "code": "bad_json" if record is None else "invalid_value"})
    return records, refused


async def _lines(visit: Visit, page: Mapping[str, object]) -> AsyncIterator[bytes]:
    while True:
        lines = cast("list[dict[str, object]]", page["lines"])
        yield b"".join(to_json(render(line)) + b"\n" for line in lines)
        cursor = cast(str, page["next_cursor"])
        if not cursor:
            return
        page = await visit.ask("export", {"cursor": cursor, "limit": PAGE_LINES})


PAGES = (
    Page(method="GET", path="/u/{user}/export", handler=export),
    Page(
        method="POST",
        path="/u/{user}/import",
        handler=import_piece,
        role="write",
        raw_body=True,
        body_bytes_max=PIECE_BYTES_MAX,
    ),
)
