"""The doors in front of a remote model: breaker, daily cap, queue, places, time-out, repeats."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from actors.model_gate import DAY_MS, Breaker, Done, Gate, GateLimits, Spend
from engine.errors import Unavailable


class PlainLedger:
    """What was spent, in RAM."""

    def __init__(self) -> None:
        self.spent: dict[tuple[str, int], tuple[int, int]] = {}

    def load(self, role: str, day: int) -> tuple[int, int]:
        return self.spent.get((role, day), (0, 0))

    def save(self, role: str, day: int, calls: int, tokens: int) -> None:
        self.spent[role, day] = (calls, tokens)


@dataclass
class Bench:
    """A gate whose clocks and pauses a test moves."""

    limits: GateLimits = field(default_factory=lambda: GateLimits(retries=0))
    ledger: PlainLedger = field(default_factory=PlainLedger)
    now_ms: int = 20 * DAY_MS
    steady_ms: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def gate(self) -> Gate:
        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        spend = Spend("judge", self.limits, self.ledger, lambda: self.now_ms)
        return Gate(self.limits, Breaker(self.limits, lambda: self.steady_ms), spend, pause)


Work = Callable[[], Awaitable[Done[str]]]


def answering(text: str = "yes", tokens: int = 10) -> Work:
    async def work() -> Done[str]:
        return Done(text, tokens)

    return work


def failing(code: str, times: int = 1_000) -> Work:
    left = [times]

    async def work() -> Done[str]:
        if left[0]:
            left[0] -= 1
            raise Unavailable.of("no", code=code)
        return Done("yes", 1)

    return work


async def code_of(gate: Gate, work: Work, within_ms: int = 5_000) -> str:
    """ "" when it went well, else the code of the failure."""
    try:
        await gate.run(work, within_ms=within_ms)
    except Unavailable as error:
        return error.code
    return ""


async def test_the_breaker_opens_after_failures_in_a_row_and_closes_when_the_model_is_back() -> None:
    bench = Bench(GateLimits(retries=0, failures_to_open=3, open_ms=1_000))
    gate = bench.gate()
    for _ in range(3):
        assert await code_of(gate, failing("model_failed")) == "model_failed"
    assert gate.breaker.state == "open"
    assert await code_of(gate, answering()) == "model_paused"
    assert gate.counts.attempts == 3, "an open breaker sends nothing"
    bench.steady_ms += 1_000
    assert gate.breaker.state == "half_open"
    assert await code_of(gate, answering()) == ""
    assert gate.breaker.state == "closed"
    assert await code_of(gate, answering()) == ""


async def test_a_success_in_between_keeps_the_breaker_closed() -> None:
    gate = Bench(GateLimits(retries=0, failures_to_open=2)).gate()
    for _ in range(5):
        assert await code_of(gate, failing("model_failed")) == "model_failed"
        assert await code_of(gate, answering()) == ""
    assert gate.breaker.opened == 0


async def test_a_probe_that_fails_leaves_the_model_alone_for_longer() -> None:
    bench = Bench(GateLimits(retries=0, failures_to_open=1, open_ms=1_000, open_max_ms=3_000))
    gate = bench.gate()
    waits = []
    await code_of(gate, failing("model_failed"))
    for _ in range(4):
        before = bench.steady_ms
        while gate.breaker.state == "open":
            bench.steady_ms += 500
        waits.append(bench.steady_ms - before)
        assert await code_of(gate, failing("model_timeout")) == "model_timeout"
    assert waits == [1_000, 2_000, 3_000, 3_000]


async def test_one_probe_at_a_time_passes_a_half_open_breaker() -> None:
    bench = Bench(GateLimits(retries=0, failures_to_open=1, open_ms=1_000))
    gate = bench.gate()
    await code_of(gate, failing("model_failed"))
    bench.steady_ms += 1_000
    release = asyncio.Event()

    async def slow() -> Done[str]:
        await release.wait()
        return Done("yes", 1)

    probe = asyncio.create_task(code_of(gate, slow))
    await asyncio.sleep(0)
    assert await code_of(gate, answering()) == "model_paused"
    release.set()
    assert await probe == ""
    assert gate.breaker.state == "closed"


async def test_a_request_that_the_model_dislikes_does_not_open_the_breaker() -> None:
    gate = Bench(GateLimits(retries=0, failures_to_open=1)).gate()
    for _ in range(5):
        assert await code_of(gate, failing("model_bad_request")) == "model_bad_request"
    assert gate.breaker.state == "closed"


async def test_the_days_cap_of_calls_stops_calls_until_the_next_day() -> None:
    bench = Bench(GateLimits(retries=0, daily_calls=3))
    gate = bench.gate()
    assert [await code_of(gate, answering()) for _ in range(5)] == ["", "", "", "model_budget", "model_budget"]
    assert gate.counts.attempts == 3
    assert gate.breaker.state == "closed", "a used-up budget is not the model's fault"
    bench.now_ms += DAY_MS
    assert await code_of(gate, answering()) == ""


async def test_the_days_cap_of_tokens_stops_calls() -> None:
    gate = Bench(GateLimits(retries=0, daily_tokens=25)).gate()
    assert [await code_of(gate, answering(tokens=10)) for _ in range(4)] == ["", "", "", "model_budget"]


async def test_a_restart_does_not_start_the_day_anew() -> None:
    bench = Bench(GateLimits(retries=0, daily_calls=2))
    await code_of(bench.gate(), answering())
    again = bench.gate()
    assert [await code_of(again, answering()) for _ in range(2)] == ["", "model_budget"]


async def test_no_cap_is_no_cap() -> None:
    gate = Bench(GateLimits(retries=0, daily_calls=0, daily_tokens=0)).gate()
    assert {await code_of(gate, answering(tokens=10**9)) for _ in range(50)} == {""}


async def test_a_failure_that_may_pass_is_repeated_once() -> None:
    bench = Bench(GateLimits(retries=1))
    gate = bench.gate()
    assert await code_of(gate, failing("model_rate_limited", times=1)) == ""
    assert gate.counts.attempts == 2
    assert bench.pauses == [0.25]
    assert await code_of(gate, failing("model_timeout", times=1)) == "model_timeout", "a time-out is not repeated"


async def test_when_everything_fails_repeats_run_out_and_only_successes_refill_them() -> None:
    bench = Bench(GateLimits(retries=1, retry_budget=2.0, retry_gain=0.5, failures_to_open=100))
    gate = bench.gate()
    for _ in range(5):
        await code_of(gate, failing("model_failed"))
    assert gate.counts.attempts == 5 + 2
    for _ in range(2):
        await code_of(gate, answering())
    before = gate.counts.attempts
    await code_of(gate, failing("model_failed"))
    assert gate.counts.attempts == before + 2


async def test_no_more_calls_than_places_run_at_once_and_the_queue_is_bounded() -> None:
    gate = Bench(GateLimits(retries=0, concurrent=2, waiting_max=1)).gate()
    release, running, most = asyncio.Event(), [0], [0]

    async def work() -> Done[str]:
        running[0] += 1
        most[0] = max(most[0], running[0])
        await release.wait()
        running[0] -= 1
        return Done("yes", 1)

    tasks = [asyncio.create_task(code_of(gate, work)) for _ in range(4)]
    await asyncio.wait([tasks[3]], timeout=5)
    release.set()
    assert sorted([await task for task in tasks]) == ["", "", "", "model_busy"]
    assert most[0] == 2


async def test_a_model_that_does_not_answer_is_given_up_in_time_and_its_place_is_free_again() -> None:
    gate = Bench(GateLimits(retries=0, concurrent=1)).gate()

    async def never() -> Done[str]:
        await asyncio.Event().wait()
        return Done("", 0)

    assert await code_of(gate, never, within_ms=10) == "model_timeout"
    assert await code_of(gate, answering()) == ""
    waits = asyncio.create_task(code_of(gate, never, within_ms=200))
    await asyncio.sleep(0)
    assert await code_of(gate, never, within_ms=10) == "model_busy", "it never got as far as the model"
    assert await waits == "model_timeout"


async def test_counts_say_how_calls_ended() -> None:
    gate = Bench(GateLimits(retries=0, failures_to_open=2)).gate()
    await code_of(gate, answering())
    for _ in range(3):
        await code_of(gate, failing("model_reply"))
    assert gate.counts.ok == 1
    assert gate.counts.failed == {"model_reply": 2, "model_paused": 1}


def test_limits_that_make_no_sense_are_refused() -> None:
    with pytest.raises(AssertionError):
        GateLimits(concurrent=0)
    with pytest.raises(AssertionError):
        GateLimits(open_ms=10, open_max_ms=5)
