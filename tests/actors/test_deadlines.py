"""Lifetimes end on the second, also for a user whom nobody has touched since, and access alone prolongs them."""

from typing import cast

import pytest

from actors.host import MemoryHost
from actors.replies import Reply
from engine.policy import DAY_MS, HOUR_MS, Policy
from tests.actors.world import START_MS, World, ask, memory_id

SECOND_MS = 1_000


@pytest.fixture
def world() -> World:
    return World(policy=Policy())


async def cold(world: World, *, tier: str = "", binned: bool = False, **fields: object) -> str:
    """A memory of a user whom no host holds any more."""
    host = world.host()
    more = {"tier": tier} if tier else {}
    one = memory_id(await ask(host, "u", "write", {"content": "I am allergic to peanuts.", **more, **fields}))
    if binned:
        await ask(host, "u", "bin", {"memory_id": one})
    await host.stop()
    return one


async def looked(world: World) -> MemoryHost:
    """A host that has looked round once and was asked nothing."""
    host = world.host()
    await host.sweeper.look()
    return host


@pytest.mark.parametrize(
    ("made", "lives_ms"),
    [
        ({"tier": "working", "task": "t"}, HOUR_MS),
        ({"tier": "episodic"}, 30 * DAY_MS),
        ({"tier": "semantic", "binned": True}, 7 * DAY_MS),
        ({"tier": "semantic", "ttl_seconds": 90}, 90 * SECOND_MS),
    ],
)
async def test_a_deadline_is_kept_to_the_second_for_a_user_nobody_touched(
    world: World, made: dict[str, object], lives_ms: int
) -> None:
    one = await cold(world, **made)  # type: ignore[arg-type]
    world.pass_time(lives_ms - SECOND_MS)
    assert len((await looked(world)).users) == 0, "nobody is woken a second too early"
    world.pass_time(SECOND_MS)
    host = await looked(world)
    assert len(host.users) == 1, "the schedule wakes a cold user"
    assert one not in (await host.users.actor("u")).state.memories


@pytest.mark.parametrize(
    ("made", "lives_ms"), [({"tier": "working", "task": "t"}, HOUR_MS), ({"tier": "episodic"}, 30 * DAY_MS)]
)
async def test_what_is_over_is_found_by_nobody_before_anything_has_looked(
    world: World, made: dict[str, object], lives_ms: int
) -> None:
    await cold(world, **made)  # type: ignore[arg-type]
    host = world.host()
    for passed_ms, found in ((lives_ms - SECOND_MS, 1), (SECOND_MS, 0)):
        world.pass_time(passed_ms)
        wanted = {"query": "I am allergic to peanuts.", "task": "t", "min_relevance": 0.0}
        assert len(cast("list[Reply]", (await ask(host, "u", "search", wanted))["memories"])) == found


async def test_an_episode_that_entered_a_prompt_lives_thirty_days_from_then(world: World) -> None:
    one = await cold(world, tier="episodic")
    world.pass_time(29 * DAY_MS)
    host = world.host()
    await ask(host, "u", "used", {"memory_ids": [one]})
    await host.stop()
    world.pass_time(30 * DAY_MS - SECOND_MS)
    host = await looked(world)
    assert one in (await host.users.actor("u")).state.memories
    await host.stop()
    world.pass_time(SECOND_MS)
    host = await looked(world)
    assert one not in (await host.users.actor("u")).state.memories


async def test_being_found_is_no_access_and_a_lifetime_of_its_own_is_never_prolonged(world: World) -> None:
    found = await cold(world, tier="episodic")
    host = world.host()
    short = memory_id(await ask(host, "u", "write", {"content": "My badge number is 4471.", "ttl_seconds": 3600}))
    await ask(host, "u", "search", {"query": "peanuts"})
    await ask(host, "u", "used", {"memory_ids": [short]})
    held = (await host.users.actor("u")).state.memories
    assert held[found].expires_at_ms == START_MS + 30 * DAY_MS
    assert held[short].expires_at_ms == START_MS + HOUR_MS
    assert held[short].access_count == 1
