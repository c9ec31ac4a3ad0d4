"""How often a token may ask: the minute by each process, the day over all of them."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.identity import Principal
from adapters.rates import BUCKETS_MAX, DAY_MS, MINUTE_MS, SETTLE_MS, Pace, Rates
from engine.errors import Indeterminate, Unavailable
from persistence.plain_journal import PlainTokens

NOON_MS = 20_000 * DAY_MS + DAY_MS // 2


class Clock:
    def __init__(self, now_ms: int = NOON_MS) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms


class Away(PlainTokens):
    """A store that is away, or unsure, as often as told."""

    fault: type[Unavailable] | type[Indeterminate] | None = None

    async def count_use(self, day: int, used: Mapping[str, int]) -> dict[str, int]:
        if self.fault is not None:
            raise self.fault.of("Away.")
        return await super().count_use(day, used)


def token(per_minute: int | None = None, per_day: int | None = None, token_id: str = "t") -> Principal:
    return Principal(token_id=token_id, users=("alice",), per_minute=per_minute, per_day=per_day)


async def admitted(rates: Rates, principal: Principal, times: int) -> int:
    return sum([await rates.admit(principal) is None for _ in range(times)])


async def test_a_minutes_worth_may_come_at_once_and_then_one_a_step() -> None:
    clock = Clock()
    rates = Rates(now_ms=clock)
    assert await admitted(rates, token(per_minute=6), 20) == 6
    refusal = await rates.admit(token(per_minute=6))
    assert refusal is not None
    assert (refusal.code, refusal.limit, refusal.retry_after_s) == ("rate_limited", 6, 10)
    clock.now_ms += refusal.retry_after_s * 1000
    assert await admitted(rates, token(per_minute=6), 5) == 1


@given(per_minute=st.integers(1, 5_000), gaps_ms=st.lists(st.integers(0, 3_000), min_size=1, max_size=200))
async def test_no_window_of_a_minute_holds_more_than_twice_the_limit_and_waiting_as_told_helps(
    per_minute: int, gaps_ms: list[int]
) -> None:
    clock, taken_ms = Clock(), []
    rates = Rates(now_ms=clock)
    for gap_ms in gaps_ms:
        clock.now_ms += gap_ms
        refusal = await rates.admit(token(per_minute=per_minute))
        if refusal is None:
            taken_ms.append(clock.now_ms)
        else:
            clock.now_ms += refusal.retry_after_s * 1000
            assert await rates.admit(token(per_minute=per_minute)) is None
            taken_ms.append(clock.now_ms)
    for start_ms in taken_ms:
        assert sum(start_ms <= at_ms < start_ms + MINUTE_MS for at_ms in taken_ms) <= 2 * per_minute


async def test_a_clock_that_goes_back_locks_nobody_out() -> None:
    clock = Clock()
    rates = Rates(now_ms=clock)
    await admitted(rates, token(per_minute=60), 60)
    clock.now_ms -= DAY_MS
    refusal = await rates.admit(token(per_minute=60))
    assert refusal is not None
    assert refusal.retry_after_s <= 1


async def test_tokens_are_counted_apart() -> None:
    rates = Rates(now_ms=Clock())
    assert await admitted(rates, token(per_minute=3, token_id="a"), 5) == 3
    assert await admitted(rates, token(per_minute=3, token_id="b"), 5) == 3


async def test_a_token_without_limits_has_the_usual_ones_and_0_is_none_at_all() -> None:
    rates = Rates(now_ms=Clock(), usual=Pace(per_minute=4))
    assert await admitted(rates, token(), 10) == 4
    assert await admitted(rates, token(per_minute=0, token_id="free"), 10) == 10
    assert await admitted(rates, token(per_minute=7, token_id="own"), 10) == 7


async def test_the_day_is_counted_over_all_processes_and_restarts() -> None:
    clock, store = Clock(), PlainTokens()
    one, two = Rates(now_ms=clock, store=store), Rates(now_ms=clock, store=store)
    assert await admitted(one, token(per_day=10), 6) == 6
    clock.now_ms += SETTLE_MS
    assert await admitted(one, token(per_day=10), 1) == 1
    clock.now_ms += SETTLE_MS
    await one.admit(token(per_day=10, token_id="other"))  # Any look at the store settles what others used.
    assert await admitted(two, token(per_day=10), 10) == 3
    clock.now_ms += SETTLE_MS
    await two.admit(token(per_day=10))
    restarted = Rates(now_ms=clock, store=store)
    assert await admitted(restarted, token(per_day=10), 10) == 0


async def test_a_used_up_day_says_when_the_next_one_begins() -> None:
    clock = Clock()
    rates = Rates(now_ms=clock, store=PlainTokens())
    assert await admitted(rates, token(per_day=5), 9) == 5
    refusal = await rates.admit(token(per_day=5))
    assert refusal is not None
    assert (refusal.code, refusal.limit, refusal.retry_after_s) == ("quota_exceeded", 5, DAY_MS // 2 // 1000)
    clock.now_ms += DAY_MS // 2
    assert await admitted(rates, token(per_day=5), 9) == 5


async def test_a_store_that_is_away_stops_nobody_and_nothing_used_is_lost() -> None:
    clock, store = Clock(), Away()
    rates = Rates(now_ms=clock, store=store)
    store.fault = Unavailable
    assert await admitted(rates, token(per_day=10), 4) == 4
    store.fault = None
    clock.now_ms += SETTLE_MS
    assert await admitted(rates, token(per_day=10), 20) == 6


async def test_a_count_that_may_have_arrived_is_not_sent_twice() -> None:
    clock, store = Clock(), Away()
    rates = Rates(now_ms=clock, store=store)
    await admitted(rates, token(per_day=10), 3)
    store.fault = Indeterminate
    clock.now_ms += SETTLE_MS
    await rates.admit(token(per_day=10))
    store.fault = None
    clock.now_ms += SETTLE_MS
    await rates.admit(token(per_day=10))
    assert (await store.count_use(NOON_MS // DAY_MS, {"t": 0}))["t"] <= 4


async def test_what_is_remembered_of_tokens_is_bounded() -> None:
    clock = Clock()
    rates = Rates(now_ms=clock)
    for number in range(BUCKETS_MAX):
        await rates.admit(token(per_minute=600, token_id=f"t{number}"))
    clock.now_ms += MINUTE_MS
    await rates.admit(token(per_minute=600, token_id="one more"))
    assert len(rates._full_at_ms) < 10


@pytest.mark.parametrize(
    ("inner", "outer", "fits"),
    [
        (Pace(), Pace(), True),
        (Pace(5), Pace(), True),
        (Pace(5), Pace(5), True),
        (Pace(6), Pace(5), False),
        (Pace(0), Pace(5), False),
        (Pace(5, 0), Pace(5, 9), False),
        (Pace(5, 9), Pace(5, 9), True),
    ],
)
def test_a_pace_lies_within_another_when_it_is_no_faster(inner: Pace, outer: Pace, fits: bool) -> None:
    assert inner.within(outer) is fits
    assert replace(outer).within(outer)


class Slow(PlainTokens):
    """A store that answers only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = asyncio.Event()

    async def count_use(self, day: int, used: Mapping[str, int]) -> dict[str, int]:
        await self.may_answer.wait()
        return await super().count_use(day, used)


@pytest.mark.parametrize("fault", [None, Indeterminate, Unavailable])
async def test_what_is_on_its_way_to_the_store_counts_meanwhile(fault: type[Unavailable] | None) -> None:
    clock, store = Clock(), Slow()
    store.may_answer.set()
    rates = Rates(now_ms=clock, store=store)
    assert await admitted(rates, token(per_day=10), 8) == 8
    clock.now_ms += SETTLE_MS
    store.may_answer.clear()
    if fault is not None:
        store.count_use = Away.count_use.__get__(store)  # type: ignore[method-assign]
        store.fault = fault  # type: ignore[attr-defined]
    settling = asyncio.create_task(rates.admit(token(per_day=10)))
    await asyncio.sleep(0)
    assert await admitted(rates, token(per_day=10), 9) == (2 if fault is None else 1)
    store.may_answer.set()
    assert (await settling is None) is (fault is not None)
    assert await admitted(rates, token(per_day=10), 3) == 0
