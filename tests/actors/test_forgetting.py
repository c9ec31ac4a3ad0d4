"""Suppressions through the actor: durable, kept by snapshots and exports, once per key."""

from typing import cast

import pytest

from actors.host import MemoryHost
from actors.replies import Reply
from engine.errors import UnknownMemory
from tests.actors.world import World, ask, memory_id, write


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def host(world: World) -> MemoryHost:
    return world.host()


async def suppress(host: MemoryHost, about: str, **more: object) -> Reply:
    return await ask(host, "u", "suppress", {"about": about, **more})


async def test_a_topic_is_suppressed_listed_and_lifted(world: World, host: MemoryHost) -> None:
    zoe = memory_id(await write(host, "u", "I broke up with Zoe in Lyon"))
    made = await ask(host, "u", "suppress", {"about": "never mention Zoe again", "reason": "it hurts"}, key="k")
    assert (made["about"], made["reason"], made["suppressed"], made["memories"]) == ("Zoe", "it hurts", 1, [zoe])
    assert await ask(host, "u", "suppress", {"about": "never mention Zoe again", "reason": "it hurts"}, key="k") == made
    listed = await ask(host, "u", "suppressions")
    assert [one["id"] for one in cast("list[Reply]", listed["suppressions"])] == [made["id"]]
    refused = await write(host, "u", "Zoe called me yesterday")
    assert (refused["outcome"], refused["memory"], refused["rule"]) == ("suppressed", None, "suppressed")
    lifted = await ask(host, "u", "lift_suppression", {"suppression_id": made["id"]})
    assert (lifted["lifted"], lifted["restored"]) == (1, 1)
    assert (await ask(host, "u", "get", {"memory_id": zoe}))["status"] == "active"
    assert (await write(host, "u", "Zoe called me yesterday"))["outcome"] == "stored"
    with pytest.raises(UnknownMemory):
        await ask(host, "u", "lift_suppression", {"suppression_id": made["id"]})
    assert len(world.folded("u").memories) == 2


async def test_a_suppression_survives_the_journal_and_a_snapshot(world: World, host: MemoryHost) -> None:
    zoe = memory_id(await write(host, "u", "I broke up with Zoe in Lyon"))
    made = await suppress(host, "Zoe")
    assert (await write(MemoryHost(world.parts()), "u", "Zoe called"))["outcome"] == "suppressed"
    second = MemoryHost(world.parts())
    assert (await ask(second, "u", "maintain"))["snapshots"] == 1
    await second.stop()
    after = MemoryHost(world.parts())
    assert (await write(after, "u", "Zoe called"))["outcome"] == "suppressed"
    assert (await ask(after, "u", "get", {"memory_id": zoe}))["status"] == "suppressed"
    await ask(after, "u", "lift_suppression", {"suppression_id": made["id"]})
    assert (await ask(after, "u", "get", {"memory_id": zoe}))["status"] == "active"


async def test_a_suppression_moves_house_and_guards_the_new_one(host: MemoryHost) -> None:
    zoe = memory_id(await write(host, "u", "I broke up with Zoe in Lyon"))
    made = await suppress(host, "Zoe", spaces=["shared"])
    lines = cast("list[Reply]", (await ask(host, "u", "export"))["lines"])
    stranger: Reply = {"content": "Zoe lives in Nice", "line": 9}
    moved = await ask(host, "v", "import_many", {"records": [*lines, stranger]})
    assert (moved["imported"], moved["refused"]) == (2, [{"line": 9, "code": "suppressed"}])
    assert (await write(host, "v", "Zoe called"))["outcome"] == "suppressed"
    await ask(host, "v", "lift_suppression", {"suppression_id": made["id"]})
    assert (await ask(host, "v", "get", {"memory_id": zoe}))["status"] == "active"


async def test_never_again_without_a_topic_suppresses_nothing(host: MemoryHost) -> None:
    await write(host, "u", "I broke up with Zoe in Lyon")
    reply = await ask(host, "u", "forget_about", {"about": "never mention that again"})
    assert (reply["deleted"], reply["suppressed"]) == (0, False)


async def test_a_caller_suppresses_and_sees_only_within_its_spaces(host: MemoryHost) -> None:
    mine = memory_id(await write(host, "u", "Zoe is my sister"))
    work = memory_id(await write(host, "u", "Zoe leads the Lyon office", space="work"))
    made = await suppress(host, "Zoe", spaces=["work"])
    assert made["memories"] == [work]
    assert (await ask(host, "u", "get", {"memory_id": mine}))["status"] == "active"
    assert (await ask(host, "u", "suppressions", {"spaces": ["shared"]}))["suppressions"] == []
    with pytest.raises(UnknownMemory):
        await ask(host, "u", "lift_suppression", {"suppression_id": made["id"], "spaces": ["shared"]})
