"""Group commit: what is asked together travels together, and each caller hears of its own command alone."""

import asyncio
from collections.abc import Sequence

import pytest

from engine.errors import Indeterminate, RearviewError, Unavailable
from persistence.round_trips import BYTES_MAX, COMMANDS_MAX, TRIPS_MAX, Answer, Command, RoundTrips


class Road:
    """Exchanges that wait for a gate and answer with what was sent, or as told."""

    def __init__(self) -> None:
        self.trips: list[list[bytes]] = []
        self.gate = asyncio.Event()
        self.answers: dict[bytes, Answer] = {}
        self.short_by = 0

    async def exchange(self, commands: Sequence[Command]) -> Sequence[Answer]:
        self.trips.append([command.packed for command in commands])
        await self.gate.wait()
        said = [self.answers.get(command.packed, command.packed.upper()) for command in commands]
        return said[: len(said) - self.short_by]


def ask_all(trips: RoundTrips, words: Sequence[bytes]) -> list["asyncio.Task[object]"]:
    return [asyncio.ensure_future(trips.ask(Command(word, Indeterminate))) for word in words]


async def test_what_is_asked_at_once_travels_at_once_and_in_order() -> None:
    road = Road()
    road.gate.set()
    words = [b"%d" % number for number in range(20)]
    assert await asyncio.gather(*ask_all(RoundTrips(road.exchange), words)) == words
    assert road.trips == [words]


async def test_what_comes_while_trips_are_under_way_goes_out_together_with_the_next() -> None:
    road = Road()
    trips = RoundTrips(road.exchange)
    asked = []
    for number in range(30):
        asked += ask_all(trips, [b"%d" % number])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert len(road.trips) == TRIPS_MAX
    road.gate.set()
    await asyncio.gather(*asked)
    assert len(road.trips) == TRIPS_MAX + 1
    assert [word for trip in road.trips for word in trip] == [b"%d" % number for number in range(30)]


async def test_a_refusal_is_heard_by_the_one_who_was_refused() -> None:
    road = Road()
    road.gate.set()
    road.answers[b"b"] = Unavailable.of("The store is full.", code="store_full")
    said = await asyncio.gather(*ask_all(RoundTrips(road.exchange), [b"a", b"b", b"c"]), return_exceptions=True)
    assert (said[0], said[2]) == (b"A", b"C")
    assert isinstance(said[1], Unavailable)


async def test_a_trip_that_ends_early_is_certain_up_to_there_and_unknown_beyond() -> None:
    road = Road()
    road.gate.set()
    road.short_by = 2
    said = await asyncio.gather(*ask_all(RoundTrips(road.exchange), [b"a", b"b", b"c"]), return_exceptions=True)
    assert said[0] == b"A"
    assert [type(one) for one in said[1:]] == [Indeterminate, Indeterminate]


async def test_a_caller_who_goes_away_takes_nobody_along() -> None:
    road = Road()
    first, second = ask_all(RoundTrips(road.exchange), [b"a", b"b"])
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    road.gate.set()
    assert await second == b"B"
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_trip_has_a_limit_of_commands_and_of_bytes() -> None:
    road = Road()
    road.gate.set()
    trips = RoundTrips(road.exchange)
    await asyncio.gather(*ask_all(trips, [b"%d" % number for number in range(COMMANDS_MAX + 1)]))
    assert [len(trip) for trip in road.trips] == [COMMANDS_MAX, 1]
    road.trips.clear()
    await asyncio.gather(*ask_all(trips, [b"x" * BYTES_MAX, b"y" * 10, b"z"]))
    assert [len(trip) for trip in road.trips] == [1, 2]


async def test_an_exchange_that_fails_leaves_nobody_waiting() -> None:
    async def broken(commands: Sequence[Command]) -> Sequence[Answer]:
        raise asyncio.CancelledError

    said = await asyncio.gather(*ask_all(RoundTrips(broken), [b"a", b"b"]), return_exceptions=True)
    assert all(isinstance(one, RearviewError) for one in said)
