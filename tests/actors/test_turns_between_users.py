"""A hot user does not starve the neighbours on its host: the stated bound, and what keeps it."""

import asyncio

import pytest

from actors.directory import ASKED_PER_USER_MAX, Directory
from actors.host import MemoryHost
from actors.lines import Lines
from actors.live_users import MEMORY_BYTES, USER_BYTES
from actors.placement import Placement
from actors.requests import Request, pack_requests
from engine.errors import Unavailable
from persistence.values import Head, Recovered
from tests.actors.world import World, ask, write

ROUNDS = 4  # Of the loop, until a request for a live user is answered.


@pytest.fixture
def world() -> World:
    return World()


def told_in_order(host: MemoryHost) -> list[str]:
    """The users whose requests were answered, in order, from now on."""
    told: list[str] = []
    run = host.run

    async def noted(request: Request) -> object:
        reply = await run(request)
        told.append(request.user_id)
        return reply

    host.run = noted  # type: ignore[method-assign, assignment]
    return told


async def test_a_request_waits_for_at_most_sixteen_requests_of_each_other_user(world: World) -> None:
    """The bound of docs/limits.md: whatever a hot user has waiting, in one call or in many."""
    host = world.host(lines_per_user=4)
    for user in ("hot", "calm"):
        await ask(host, user, "list")
    told = told_in_order(host)
    numbers = iter(range(10_000))
    calls = [
        asyncio.create_task(host.call(pack_requests([Request(next(numbers), "hot", "list", {}) for _ in range(50)])))
        for _ in range(20)
    ]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    calls.append(asyncio.create_task(host.call(pack_requests([Request(next(numbers), "calm", "list", {})]))))
    before = len(told)
    await asyncio.gather(*calls)
    assert told.count("hot") == 1_000
    waited = told.index("calm") - before
    assert waited <= ROUNDS * host.parts.limits.lines_per_user
    assert not len(host._lines)


async def test_one_users_requests_stay_in_order(world: World) -> None:
    host = world.host(lines_per_user=1)
    requests = [
        Request(number, "u", "write", {"content": f"Shelf {number} of the archive holds maps", "tier": "semantic"})
        for number in range(20)
    ]
    await asyncio.gather(*(host.call(pack_requests(requests[start : start + 5])) for start in range(0, 20, 5)))
    listed = await ask(host, "u", "list", {"limit": 50})
    texts = [memory["content"] for memory in listed["memories"]]  # type: ignore[union-attr]
    assert sorted(texts) == sorted(str(request.args["content"]) for request in requests)
    assert listed["seq"] == 20


async def test_a_line_is_forgotten_when_nobody_stands_in_it() -> None:
    lines = Lines(1)
    async with lines.of("u"):
        assert len(lines) == 1
        waiting = asyncio.create_task(_stand(lines))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert len(lines) == 1
    assert len(lines) == 0


async def _stand(lines: Lines) -> None:
    async with lines.of("u"):
        raise AssertionError("the place is taken")


async def test_cold_users_are_hydrated_in_the_order_they_were_asked_for(world: World) -> None:
    host = world.host(hydrations_at_once=2)
    recover, order = host.parts.recovery, []

    async def noted(user_id: str, head: Head) -> Recovered:
        order.append(user_id)
        await asyncio.sleep(0)
        return await recover(user_id, head)

    object.__setattr__(host.parts, "recovery", noted)
    users = [f"u-{number}" for number in range(30)]
    await asyncio.gather(*(ask(host, user, "list") for user in users))
    assert order == users


async def test_users_leave_until_the_rest_fit_the_budget(world: World) -> None:
    host = world.host(memory_bytes_max=3 * (USER_BYTES + 5 * MEMORY_BYTES))
    for user in range(6):
        for number in range(5):
            await write(host, f"u-{user}", f"Shelf {number} of the archive holds maps of the coast")
    host.users.make_room()
    assert [actor.user_id for actor in host.users] == ["u-3", "u-4", "u-5"]
    for number in range(5, 60):
        await write(host, "u-5", f"Shelf {number} of the archive holds maps of the coast")
    await host.sweeper.look()
    assert [actor.user_id for actor in host.users] == ["u-5"], "a user who outgrows the budget alone still stays"
    assert (await ask(host, "u-0", "list"))["total"] == 5


class Silent:
    """Hosts that never answer."""

    async def host(self, name: str) -> "Silent":
        return self

    async def call(self, batch: bytes) -> bytes:
        await asyncio.Event().wait()
        return b""

    def forget(self, name: str) -> None:
        return


async def test_one_user_cannot_have_more_than_so_many_unanswered_requests() -> None:
    directory = Directory(Silent(), Placement.shared(1))
    waiting = [asyncio.create_task(directory.ask("hot", "list", {})) for _ in range(ASKED_PER_USER_MAX)]
    await asyncio.sleep(0.01)
    with pytest.raises(Unavailable) as refused:
        await directory.ask("hot", "list", {})
    assert refused.value.code == "overloaded"
    neighbour = asyncio.create_task(directory.ask("calm", "list", {}))
    await asyncio.sleep(0.01)
    assert not neighbour.done()
    for one in (*waiting, neighbour):
        one.cancel()
    await asyncio.gather(*waiting, neighbour, return_exceptions=True)
    assert not directory._asked
