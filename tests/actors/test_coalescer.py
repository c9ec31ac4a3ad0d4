"""Requests ride together, in order, and each hears its own answer or the error of its flight."""

import asyncio

import pytest

from actors.coalescer import Coalescer, CoalescerLimits
from actors.requests import OK, Answer, Request, pack_answers, unpack_answers, unpack_requests
from engine.errors import InvalidMemory, Unavailable


class Wire:
    """A host that answers when it is told to."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.landing: list[asyncio.Future[None]] = []
        self.lose: set[int] = set()
        self.second_call = asyncio.Event()

    async def call(self, batch: bytes) -> bytes:
        requests = unpack_requests(batch)
        self.batches.append([request.request_id for request in requests])
        landing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.landing.append(landing)
        if len(self.landing) == 2:
            self.second_call.set()
        await landing
        answers = [Answer(r.request_id, OK, r.op) for r in requests if r.request_id not in self.lose]
        return pack_answers(reversed(answers))


def request(number: int) -> Request:
    return Request(number, "u", f"op-{number}", {})


async def settle() -> None:
    """Until every task that can run has run."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_requests_queue_while_calls_are_in_flight_and_go_out_together_in_order() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=1))
    asked = [asyncio.create_task(coalescer.ask(request(0)))]
    await settle()
    asked += [asyncio.create_task(coalescer.ask(request(number))) for number in range(1, 5)]
    await settle()
    assert wire.batches == [[0]]
    wire.landing[0].set_result(None)
    await settle()
    assert wire.batches == [[0], [1, 2, 3, 4]]
    wire.landing[1].set_result(None)
    assert [(await one).value for one in asked] == [f"op-{number}" for number in range(5)]


async def test_who_asks_in_the_same_round_rides_together_in_bounded_batches_and_calls() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=2, overlap_after_ms=0, batch_max=2))
    asked = [asyncio.create_task(coalescer.ask(request(number))) for number in range(6)]
    await settle()
    assert wire.batches == [[0, 1], [2, 3]]
    wire.landing[0].set_result(None)
    await settle()
    assert wire.batches[2:] == [[4, 5]]
    for landing in wire.landing[1:]:
        landing.set_result(None)
    await asyncio.gather(*asked)


async def test_a_second_call_takes_off_when_the_first_takes_long() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=2, overlap_after_ms=300))
    first = asyncio.create_task(coalescer.ask(request(0)))
    await settle()
    second = asyncio.create_task(coalescer.ask(request(1)))
    await settle()
    assert wire.batches == [[0]]
    await asyncio.wait_for(wire.second_call.wait(), 10)
    assert wire.batches == [[0], [1]]
    for landing in wire.landing:
        landing.set_result(None)
    assert [(await one).value for one in (first, second)] == ["op-0", "op-1"]


async def test_a_lost_flight_fails_its_own_requests_and_the_next_one_flies() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=1))
    asked = [asyncio.create_task(coalescer.ask(request(0)))]
    await settle()
    asked.append(asyncio.create_task(coalescer.ask(request(1))))
    await settle()
    wire.landing[0].set_exception(Unavailable.of("gone", code="host_lost"))
    await settle()
    wire.landing[1].set_result(None)
    with pytest.raises(Unavailable):
        await asked[0]
    assert (await asked[1]).value == "op-1"


async def test_a_request_that_the_host_forgot_hears_so() -> None:
    wire = Wire()
    wire.lose = {1}
    coalescer = Coalescer(wire.call)
    asked = asyncio.create_task(coalescer.ask(request(1)))
    await settle()
    wire.landing[0].set_result(None)
    with pytest.raises(Unavailable):
        await asked


async def test_a_caller_who_left_does_not_disturb_the_others() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=1))
    asked = [asyncio.create_task(coalescer.ask(request(number))) for number in range(3)]
    await settle()
    asked[1].cancel()
    wire.landing[0].set_result(None)
    assert (await asked[2]).value == "op-2"


async def test_more_than_may_wait_is_refused_at_once() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=1, waiting_max=1))
    asked = [asyncio.create_task(coalescer.ask(request(0)))]
    await settle()
    asked.append(asyncio.create_task(coalescer.ask(request(1))))
    await settle()
    with pytest.raises(Unavailable) as raised:
        await coalescer.ask(request(2))
    assert raised.value.code == "overloaded"
    for one in asked:
        one.cancel()
    wire.landing[0].set_result(None)
    await settle()


async def test_a_request_that_cannot_travel_fails_alone() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=1))
    asked = [
        asyncio.create_task(coalescer.ask(one))
        for one in (request(0), Request(1, "u", "write", {"metadata": {"n": 2**70}}), request(2))
    ]
    await settle()
    wire.landing[0].set_result(None)
    with pytest.raises(InvalidMemory):
        await asked[1]
    assert [(await asked[n]).value for n in (0, 2)] == ["op-0", "op-2"]


def test_a_reply_that_cannot_travel_becomes_an_error_of_its_own() -> None:
    answers = unpack_answers(pack_answers([Answer(1, OK, {"n": object()}), Answer(2, OK, {})]))
    assert [answer.kind for answer in answers] == ["error", OK]


async def test_a_neighbours_request_leaves_with_the_next_call_however_many_a_hot_user_has_waiting() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=1, batch_max=8))
    asked = [asyncio.create_task(coalescer.ask(request(number))) for number in range(100)]
    await settle()
    assert wire.batches == [list(range(8))]
    neighbour = Request(1_000, "neighbour", "op", {})
    asked.append(asyncio.create_task(coalescer.ask(neighbour)))
    await settle()
    wire.landing[0].set_result(None)
    await settle()
    assert 1_000 in wire.batches[1]
    assert [one for one in wire.batches[1] if one != 1_000] == list(range(8, 15)), "a user's own order stays"
    for one in asked:
        one.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    wire.landing[1].set_result(None)
    await settle()


async def test_new_requests_are_refused_once_the_oldest_has_waited_for_too_long() -> None:
    wire = Wire()
    coalescer = Coalescer(wire.call, CoalescerLimits(in_flight_max=1, waited_max_ms=20))
    asked = [asyncio.create_task(coalescer.ask(request(0)))]
    await settle()
    asked.append(asyncio.create_task(coalescer.ask(request(1))))
    await asyncio.sleep(0.03)
    with pytest.raises(Unavailable) as refused:
        await coalescer.ask(request(2))
    assert refused.value.code == "overloaded"
    wire.landing[0].set_result(None)
    await settle()
    asked.append(asyncio.create_task(coalescer.ask(request(3))))
    await settle()
    wire.landing[1].set_result(None)
    await settle()
    wire.landing[2].set_result(None)
    assert [(await one).value for one in asked] == ["op-0", "op-1", "op-3"], "what was let in is answered"
