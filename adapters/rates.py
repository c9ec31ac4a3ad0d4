"""How often a token may ask: so many requests a minute, and so many a day over all processes.

The minute is the generic cell rate algorithm: one number per token, the time at which its bucket would be full again.
It is kept by each process for itself, because a question to the store would cost more than most requests. The day's
quota is counted in the store, so that a restart or a second process does not hand it out again; what was used since
the last look is added there every two seconds.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from adapters.identity import Principal
from engine.errors import Indeterminate, Unavailable

MINUTE_MS = 60_000
DAY_MS = 86_400_000
SETTLE_MS = 2_000
BUCKETS_MAX = 10_000


class UseStore(Protocol):
    """Where the use of a day is counted."""

    async def count_use(self, day: int, used: Mapping[str, int]) -> dict[str, int]:
        """Add these, and return the totals of the same tokens. `day` counts from 1970-01-01 in UTC."""
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """Requests a token has in a minute and in a UTC day; 0 is no limit."""

    per_minute: int = 0
    per_day: int = 0

    def within(self, other: "Pace") -> bool:
        """Whether this is no faster than the other, as when a token makes another."""
        return _no_more(self.per_minute, other.per_minute) and _no_more(self.per_day, other.per_day)


@dataclass(frozen=True, slots=True)
class Refusal:
    """`code` is `rate_limited` or `quota_exceeded`; `limit` is the number that was passed."""

    code: str
    limit: int
    retry_after_s: int


class Rates:
    """Counts requests by token. `usual` holds for tokens without limits of their own."""

    def __init__(self, *, now_ms: Callable[[], int], usual: Pace | None = None, store: UseStore | None = None) -> None:
        self._now_ms = now_ms
        self._usual = usual or Pace()
        self._store = store
        self._full_at_ms: dict[str, float] = {}
        self._day = 0
        self._totals: dict[str, int] = {}
        self._unsettled: dict[str, int] = defaultdict(int)
        self._settled_at_ms: int | None = None
        self._one_settling = asyncio.Lock()

    def pace_of(self, principal: Principal) -> Pace:
        """What holds for this token."""
        own_minute, own_day = principal.per_minute, principal.per_day
        return Pace(
            self._usual.per_minute if own_minute is None else own_minute,
            self._usual.per_day if own_day is None else own_day,
        )

    async def admit(self, principal: Principal) -> Refusal | None:
        """Count one request, or say why it must wait; a refused one is not counted."""
        pace = self.pace_of(principal)
        if not pace.per_minute and not pace.per_day:
            return None
        now_ms, token = self._now_ms(), principal.token_id
        if pace.per_day:
            await self._settle(now_ms, token)
            if self._totals.get(token, 0) + self._unsettled[token] >= pace.per_day:
                return Refusal("quota_exceeded", pace.per_day, -(-((self._day + 1) * DAY_MS - now_ms) // 1000))
        if pace.per_minute and (wait_ms := self._fill(token, pace.per_minute, now_ms)) > 0:
            return Refusal("rate_limited", pace.per_minute, -(-wait_ms // 1000))
        if pace.per_day:
            self._unsettled[token] += 1
        return None

    def _fill(self, token: str, per_minute: int, now_ms: int) -> int:
        """0 when the request fits, else milliseconds until it would. A minute's worth may come at once."""
        step_ms = MINUTE_MS / per_minute
        # A clock that went back must not lock a token out for as long as it went back.
        full_at_ms = min(max(self._full_at_ms.get(token, now_ms), now_ms), now_ms + MINUTE_MS)
        wait_ms = full_at_ms + step_ms - now_ms - MINUTE_MS
        if wait_ms > 1e-6:  # A full bucket of thirds of a millisecond does not add up to exactly a minute.
            return max(1, round(wait_ms))
        if token not in self._full_at_ms and len(self._full_at_ms) >= BUCKETS_MAX:
            self._full_at_ms = {name: at for name, at in self._full_at_ms.items() if at > now_ms}
        self._full_at_ms[token] = full_at_ms + step_ms
        return 0

    async def _settle(self, now_ms: int, token: str) -> None:
        """Add what was used to the store's count, where that is due or this token's count is not known yet."""
        day = now_ms // DAY_MS
        if day != self._day:
            self._day, self._totals, self._settled_at_ms = day, {}, None
            self._unsettled.clear()
        if self._store is None:
            return
        due = self._settled_at_ms is None or abs(now_ms - self._settled_at_ms) >= SETTLE_MS
        if (not due and token in self._totals) or (self._one_settling.locked() and token in self._totals):
            return
        async with self._one_settling:
            used = {**{token: 0}, **self._unsettled}
            self._settled_at_ms = now_ms
            # Until the store has answered this stays in the sum that requests are held against: others pass meanwhile.
            try:
                totals = await self._store.count_use(day, used)
            except Indeterminate:
                # Perhaps counted: adding it there again would be worse for the caller than once too few.
                totals = {name: self._totals.get(name, 0) + number for name, number in used.items()}
            except Unavailable:
                return  # Reading goes on while the store is away, and so must the tokens it takes. Counted later.
            if day == self._day:
                self._totals.update(totals)
                for name, number in used.items():
                    self._unsettled[name] -= number
                    if not self._unsettled[name]:
                        del self._unsettled[name]


def _no_more(limit: int, other: int) -> bool:
    return not other or 0 < limit <= other
