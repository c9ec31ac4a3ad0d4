"""Time zones by name, as callers and settings give them."""

from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.errors import InvalidMemory

OFFSET_MINUTES_MAX = 24 * 60 - 1


def zone_named(name: str, field: str = "time_zone") -> tzinfo:
    """The zone of an IANA name. Raises: InvalidMemory for a name that the data base does not know."""
    if name in ("UTC", "Etc/UTC"):
        return UTC
    try:
        return _zone(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidMemory.of("this is not the name of a time zone", code="invalid_value", field=field) from None


def zone_of(named: str, users: str, offset_minutes: int | None, servers: str) -> tzinfo:
    """The call's zone, else the user's setting, else the offset of `said_at`, else the server's."""
    if named:
        return zone_named(named)
    if users:
        return zone_named(users)
    if offset_minutes is not None and abs(offset_minutes) <= OFFSET_MINUTES_MAX:
        return timezone(timedelta(minutes=offset_minutes))
    return zone_named(servers)


@lru_cache(maxsize=512)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
