"""What stands between a caller and a remote model: a queue, a time-out, a retry budget, a circuit breaker, a daily cap.

A model is the one part of the system that may be slow, expensive or gone at any time, so a call passes five doors, in
this order: the breaker (a model that failed again and again is left alone for a while), the daily cap (counted calls
and tokens), the queue (bounded; who does not fit is told so at once), a place (few calls run at once) and a time-out
over all of it. A failure that may pass is repeated, but repeats are paid from a budget that only successes fill: when
everything fails, the load on the model stays what it was. Every refusal is `Unavailable` with a code that starts with
`model_`; callers go on without the model.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from engine.errors import Unavailable

Value = TypeVar("Value")
DAY_MS = 86_400_000
RETRIED = frozenset({"model_rate_limited", "model_failed", "model_unreachable"})
# The model is well; this one question was not to its liking, or was never put to it.
NOT_ITS_FAULT = frozenset({"model_bad_request", "model_busy", "model_paused", "model_budget"})


@dataclass(frozen=True, slots=True)
class GateLimits:
    """How much is asked of one model (docs/limits.md). A daily limit of 0 is none."""

    concurrent: int = 4
    waiting_max: int = 64
    retries: int = 1
    retry_pause_ms: int = 250
    retry_budget: float = 5.0  # Repeats in store at the start, and at most.
    retry_gain: float = 0.1  # What a success adds: one repeat for ten calls that went well.
    failures_to_open: int = 5  # In a row.
    open_ms: int = 15_000
    open_max_ms: int = 300_000
    daily_calls: int = 20_000
    daily_tokens: int = 10_000_000

    def __post_init__(self) -> None:
        assert self.concurrent >= 1, "a gate lets at least one call through"
        assert self.failures_to_open >= 1, "a breaker needs a failure to open"
        assert 0 < self.open_ms <= self.open_max_ms, "a breaker stays open for a while, and not for ever"


@dataclass(frozen=True, slots=True)
class Done(Generic[Value]):
    """What a model call brought, and the tokens it used."""

    value: Value
    tokens: int


@dataclass(slots=True)
class GateCounts:
    """For metrics: calls by how they ended. `attempts` are what was really sent."""

    attempts: int = 0
    ok: int = 0
    failed: dict[str, int] = field(default_factory=dict)


class Ledger(Protocol):
    """Where the day's spending is kept, so that a restart does not start it anew."""

    def load(self, role: str, day: int) -> tuple[int, int]:
        """Calls and tokens of that day so far."""
        ...

    def save(self, role: str, day: int, calls: int, tokens: int) -> None: ...


class Spend:
    """Calls and tokens of the current UTC day, against their caps."""

    def __init__(self, role: str, limits: GateLimits, ledger: Ledger, now_ms: Callable[[], int]) -> None:
        self._role, self._limits, self._ledger, self._now_ms = role, limits, ledger, now_ms
        self._day = -1
        self.calls = 0
        self.tokens = 0

    def begin(self) -> None:
        """Count a call that is about to be sent. Raises: Unavailable when the day's cap is reached."""
        self._turn_page()
        limits = self._limits
        if (limits.daily_calls and self.calls >= limits.daily_calls) or self._tokens_used_up():
            raise Unavailable.of("the model's calls of today are used up", code="model_budget")
        self.calls += 1
        self._ledger.save(self._role, self._day, self.calls, self.tokens)

    def _tokens_used_up(self) -> bool:
        return bool(self._limits.daily_tokens) and self.tokens >= self._limits.daily_tokens

    def add(self, tokens: int) -> None:
        """Count the tokens of a call that came back."""
        self.tokens += max(0, tokens)
        self._ledger.save(self._role, self._day, self.calls, self.tokens)

    def _turn_page(self) -> None:
        day = self._now_ms() // DAY_MS
        if day != self._day:
            self._day = day
            self.calls, self.tokens = self._ledger.load(self._role, day)


class Breaker:
    """Closed lets calls through; open refuses them; half-open lets one through to see whether the model is back."""

    def __init__(self, limits: GateLimits, monotonic_ms: Callable[[], float]) -> None:
        self._limits, self._monotonic_ms = limits, monotonic_ms
        self._failures = 0
        self._open_ms = limits.open_ms
        self._until_ms: float | None = None
        self._probing = False
        self.opened = 0

    @property
    def state(self) -> str:
        """ "closed", "open" or "half_open"."""
        if self._until_ms is None:
            return "closed"
        return "open" if self._monotonic_ms() < self._until_ms else "half_open"

    @contextlib.contextmanager
    def passage(self) -> Iterator[None]:
        """One call's way through. Raises: Unavailable when the breaker refuses it; whatever the call raises."""
        state = self.state
        if state == "open" or (state == "half_open" and self._probing):
            raise Unavailable.of("the model failed too often and is left alone for a while", code="model_paused")
        probe = self._probing = state == "half_open"
        try:
            yield
        except Unavailable as error:
            if error.code not in NOT_ITS_FAULT:
                self._failed(probe)
            raise
        else:
            self._failures, self._open_ms, self._until_ms = 0, self._limits.open_ms, None
        finally:
            if probe:
                self._probing = False

    def _failed(self, probe: bool) -> None:
        self._failures += 1
        if probe:
            self._open_ms = min(2 * self._open_ms, self._limits.open_max_ms)
        if probe or (self._failures >= self._limits.failures_to_open and self._until_ms is None):
            self._until_ms = self._monotonic_ms() + self._open_ms
            self.opened += 1


class Gate:
    """The way to one model for one purpose. Purposes of the same model share its breaker and its spending."""

    def __init__(
        self,
        limits: GateLimits,
        breaker: Breaker,
        spend: Spend,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.counts = GateCounts()
        self.breaker = breaker
        self.spend = spend
        self._limits = limits
        self._pause = pause
        self._places = asyncio.Semaphore(limits.concurrent)
        self._waiting = 0
        self._repeats = limits.retry_budget

    async def run(self, work: Callable[[], Awaitable[Done[Value]]], *, within_ms: int) -> Value:
        """Do the work once, or again where that may help, within the time.

        Raises: Unavailable with a code that says at which door it ended.
        """
        try:
            with self.breaker.passage():
                value = await self._in_time(work, within_ms)
        except Unavailable as error:
            self.counts.failed[error.code] = self.counts.failed.get(error.code, 0) + 1
            raise
        self.counts.ok += 1
        return value

    async def _in_time(self, work: Callable[[], Awaitable[Done[Value]]], within_ms: int) -> Value:
        if self._waiting >= self._limits.waiting_max:
            raise Unavailable.of("too many calls wait for the model", code="model_busy")
        begun = False
        try:
            async with asyncio.timeout(within_ms / 1000):
                self._waiting += 1
                try:
                    await self._places.acquire()
                finally:
                    self._waiting -= 1
                begun = True
                try:
                    return await self._attempts(work)
                finally:
                    self._places.release()
        except TimeoutError:
            code = "model_timeout" if begun else "model_busy"
            raise Unavailable.of("the model did not answer in time", code=code) from None

    async def _attempts(self, work: Callable[[], Awaitable[Done[Value]]]) -> Value:
        repeats = 0
        while True:
            self.spend.begin()
            self.counts.attempts += 1
            try:
                done = await work()
            except Unavailable as error:
                if error.code not in RETRIED or repeats >= self._limits.retries or self._repeats < 1.0:
                    raise
                repeats += 1
                self._repeats -= 1.0
                await self._pause(self._limits.retry_pause_ms * repeats / 1000)
                continue
            self.spend.add(done.tokens)
            self._repeats = min(self._limits.retry_budget, self._repeats + self._limits.retry_gain)
            return done.value
