"""Quarters of a year in UTC, and when in a quarter a user's settled knowledge is looked through."""

import zlib
from datetime import UTC, datetime

from engine.memory import Tier
from engine.policy import DAY_MS
from engine.state import UserState

SPREAD_MS = 7 * DAY_MS
"""Users are looked through within so long after a quarter began, each at its own moment, not all at once."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def quarter_start_ms(at_ms: int) -> int:
    """When the quarter of a time began: the first of January, April, July or October, 00:00 UTC."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    return _ms(moment.year, 3 * ((moment.month - 1) // 3) + 1)


def next_quarter_ms(at_ms: int) -> int:
    """When the next one begins."""
    moment = datetime.fromtimestamp(quarter_start_ms(at_ms) / 1000, UTC)
    return _ms(moment.year + (moment.month == 10), 1 if moment.month == 10 else moment.month + 3)


def compaction_ms(user_id: str, quarter_ms: int) -> int:
    """When in the quarter that began then this user's settled knowledge is looked through."""
    return quarter_ms + zlib.crc32(user_id.encode("utf-8", "surrogatepass")) % SPREAD_MS


def next_compaction_ms(state: UserState, now_ms: int) -> int | None:
    """The next such time, for the schedule; None where there is nothing to compare."""
    if len(state.vectors[Tier.SEMANTIC.value]) < 2:
        return None
    this = compaction_ms(state.user_id, quarter_start_ms(now_ms))
    return this if this > now_ms else compaction_ms(state.user_id, next_quarter_ms(now_ms))


def _ms(year: int, month: int) -> int:
    return round((datetime(year, month, 1, tzinfo=UTC) - _EPOCH).total_seconds() * 1000)
