"""Times between the inside (integer milliseconds UTC) and the outside (RFC 3339 with an offset)."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from actors.replies import TIME_KEYS
from engine.errors import InvalidMemory

EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_DAY_MS = 86_400_000
_AS_GIVEN = frozenset({"metadata", "settings"})  # The caller's own words: a key "at" in there is none of ours.
_TIMES = tuple(TIME_KEYS)
_TIME_CHARS_MAX = 64
# One year of room on either side, so that no zone and no lifetime leaves the calendar.
_FIRST_MS = (datetime(2, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)
_LAST_MS = (datetime(9990, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)


@lru_cache(maxsize=8192)
def rfc3339(at_ms: int) -> str:
    """Milliseconds since 1970 as `2026-11-30T19:35:20.123+00:00`."""
    days, rest = divmod(at_ms, _DAY_MS)
    seconds, ms = divmod(rest, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{date.fromordinal(EPOCH_ORDINAL + days)}T{hour:02}:{minute:02}:{second:02}.{ms:03}+00:00"


def render(reply: Mapping[str, object]) -> dict[str, object]:
    """A copy of an actor's reply with every time as text, however deep; what callers stored themselves is untouched."""
    if "valid_from" in reply:
        return _render_memory(reply)
    shown: dict[str, object] = {}
    for key, value in reply.items():
        kind = type(value)
        if kind is int and key in TIME_KEYS:
            shown[key] = rfc3339(value)
        elif kind is dict and key not in _AS_GIVEN:
            shown[key] = render(value)  # type: ignore[arg-type]
        elif kind is list and value and type(value[0]) is dict:  # type: ignore[index]
            shown[key] = [render(inner) for inner in value]  # type: ignore[attr-defined]
        else:
            shown[key] = value
    return shown


def _render_memory(memory: Mapping[str, object]) -> dict[str, object]:
    """The same for a memory, where the times stand beside each other: a search shows up to 50 of them, 35 keys each."""
    shown = dict(memory)
    for key in _TIMES:
        value = shown.get(key)
        if type(value) is int:
            shown[key] = rfc3339(value)
    for key in ("revisions", "versions"):
        rows = shown.get(key)
        if type(rows) is list:
            shown[key] = [render(row) for row in rows]
    return shown


def parse_time(text: str, field: str) -> tuple[int, int | None]:
    """A time as a caller writes it: milliseconds UTC, and its offset in minutes (None when it had none).

    Takes RFC 3339 and its relatives in ISO 8601, also a bare date (its midnight). A time without an offset is read as
    UTC, and the None tells the engine that the caller's time zone is still unknown.
    Raises: InvalidMemory naming the field; the text itself is never repeated.
    """
    try:
        if len(text) > _TIME_CHARS_MAX:
            raise ValueError
        parsed = datetime.fromisoformat(text.strip())
        offset = parsed.utcoffset()
        aware = parsed if offset is not None else parsed.replace(tzinfo=UTC)
        at_ms = (aware - EPOCH) // _MS
        if not _FIRST_MS <= at_ms <= _LAST_MS:
            raise ValueError
    except (ValueError, OverflowError):
        raise InvalidMemory.of(
            "A time looks like 2026-11-30T19:35:20+08:00.", code="invalid_time", field=field
        ) from None
    return at_ms, None if offset is None else int(offset.total_seconds() // 60)
