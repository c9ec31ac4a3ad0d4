"""When the store's file is rewritten: for all drops of a while at once, and for whoever waits."""

import asyncio

import pytest

from actors.host import MemoryHost
from actors.rewriting import Rewriter
from persistence.plain_journal import PlainRewrites
from tests.actors.world import World, ask, memory_id, write


class SlowRewrites(PlainRewrites):
    """A rewrite takes a while, by the world's clock."""

    def __init__(self, world: World, takes_ms: int) -> None:
        super().__init__()
        self._world = world
        self._takes_ms = takes_ms

    async def rewrite(self):  # type: ignore[no-untyped-def]
        self._world.pass_time(self._takes_ms)
        return await super().rewrite()


async def looks(world: World, rewriter: Rewriter, seconds: int) -> None:
    for _ in range(seconds // 2):
        world.pass_time(2_000)
        await rewriter.look()


async def test_what_was_asked_to_go_is_rewritten_away_after_a_minute_and_once_for_all() -> None:
    world = World()
    rewriter = Rewriter(world.parts())
    for _ in range(5):
        await world.rewrites.want(soon=True)
        await looks(world, rewriter, 10)
    assert world.rewrites.rewritten == 0
    await looks(world, rewriter, 14)
    assert world.rewrites.rewritten == 1
    assert (await world.rewrites.progress()).done == 5
    await looks(world, rewriter, 300)
    assert world.rewrites.rewritten == 1, "nothing was dropped since"


async def test_what_expired_by_itself_waits_for_an_hour() -> None:
    world = World()
    rewriter = Rewriter(world.parts())
    await world.rewrites.want(soon=False)
    await looks(world, rewriter, 3_590)
    assert world.rewrites.rewritten == 0
    await looks(world, rewriter, 20)
    assert world.rewrites.rewritten == 1


async def test_at_most_a_tenth_of_the_time_goes_into_rewriting() -> None:
    world = World()
    world.rewrites = SlowRewrites(world, takes_ms=30_000)
    rewriter = Rewriter(world.parts())
    began_ms = world.steady_ms
    for _ in range(1_000):
        await world.rewrites.want(soon=True)
        await looks(world, rewriter, 4)
    assert world.rewrites.rewritten * 30_000 * 9 <= world.steady_ms - began_ms
    assert world.rewrites.rewritten > 5


async def test_a_rewrite_that_fails_is_tried_again_a_minute_later() -> None:
    world = World()
    rewriter = Rewriter(world.parts())
    await world.rewrites.want(soon=True)
    world.rewrites.fail = True
    await looks(world, rewriter, 64)
    assert rewriter.failures == 1
    world.rewrites.fail = False
    await looks(world, rewriter, 62)
    assert (await world.rewrites.progress()).done == 1


async def test_a_host_rewrites_beside_its_calls() -> None:
    world = World()
    host = world.host(sweep_ms=1, rewrite_soon_ms=0)
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    reply = await ask(host, "u", "purge", {"memory_id": doomed})
    assert (reply["aof_rewritten"], world.rewrites.rewritten) == (False, 0)
    await host.start()
    async with asyncio.timeout(10):
        await world.rewrites.happened.wait()
    await host.stop()


@pytest.mark.parametrize("op", ["purge", "erase"])
async def test_a_caller_who_waits_hears_that_the_file_was_rewritten(op: str) -> None:
    world = World()
    host = world.host()
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    args = {"memory_id": doomed} if op == "purge" else {}
    reply = await ask(host, "u", op, {**args, "wait": True})
    assert (reply["aof_rewritten"], world.rewrites.rewritten) == (True, 1)
    assert reply["complete_by"] == world.now_ms + 3_600_000


@pytest.mark.parametrize("op", ["purge", "erase"])
async def test_a_caller_who_waits_for_a_store_that_cannot_rewrite_hears_that_it_is_not_done(op: str) -> None:
    world = World()
    host = world.host()
    world.rewrites.fail = True
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    args = {"memory_id": doomed} if op == "purge" else {}
    reply = await ask(host, "u", op, {**args, "wait": True})
    assert reply["aof_rewritten"] is False
    assert reply["erased"]["memories"] == 1  # type: ignore[index]


async def test_the_same_key_hears_later_that_the_file_was_rewritten_meanwhile() -> None:
    world = World()
    host = world.host()
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    first = await ask(host, "u", "purge", {"memory_id": doomed}, key="k")
    await world.rewrites.rewrite()
    again = await ask(host, "u", "purge", {"memory_id": doomed}, key="k")
    assert (first["aof_rewritten"], again["aof_rewritten"]) == (False, True)
    assert (again["receipt"], again["seq"]) == (first["receipt"], first["seq"])


async def test_a_purge_drops_what_was_kept_of_queries_and_texts() -> None:
    world = World(query_encoder="quality")
    host: MemoryHost = world.host()
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    await write(host, "u", "the canary is yellow and sings")
    await ask(host, "u", "search", {"query": "what does the canary do?"})
    actor = await host.users.actor("u")
    assert len(actor.query_cache) == 1
    assert len(actor.state.readings) > 0
    reply = await ask(host, "u", "purge", {"memory_id": doomed})
    assert (len(actor.query_cache), len(actor.state.readings)) == (0, 0)
    assert reply["erased"]["cache"] >= 2  # type: ignore[index]
