"""Graphs are built and kept up beside the calls, and hold nothing that was purged."""

import asyncio
from dataclasses import replace

import pytest

from actors import graph_builder
from actors.host import MemoryHost
from actors.user_memory import UserMemory
from engine.vectors import VectorIndex, VectorPolicy
from tests.actors.world import World, ask, memory_id, write

THINGS = ("cat", "boat", "flute", "garden", "lathe", "kiln", "tent", "kite", "drone", "piano", "scarf", "wok")


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> MemoryHost:
    monkeypatch.setattr(graph_builder, "SETTLE_PAUSE_S", 0.0)
    parts = World().parts()
    return MemoryHost(replace(parts, vector_policy=VectorPolicy(graph_above=4)))


async def beside(host: MemoryHost) -> None:
    """Wait for what runs beside the calls."""
    while host._beside:
        await asyncio.wait(set(host._beside))


def shelf(actor: UserMemory) -> VectorIndex:
    return actor.state.vectors["semantic"]


async def written(host: MemoryHost, things: tuple[str, ...]) -> list[str]:
    ids = [memory_id(await write(host, "u", f"I own a {thing} called {thing[::-1]}")) for thing in things]
    await beside(host)
    return ids


async def test_a_shelf_that_grew_gets_a_graph_and_what_comes_later_is_let_in(host: MemoryHost) -> None:
    await written(host, THINGS[:6])
    actor = await host.users.actor("u")
    assert shelf(actor).kind == "graph"
    await written(host, THINGS[6:])
    assert (len(shelf(actor)), shelf(actor).waiting) == (12, 0)


async def test_a_graph_forgets_what_was_purged(host: MemoryHost) -> None:
    ids = await written(host, THINGS)
    actor, built = await host.users.actor("u"), host.graphs.built
    await ask(host, "u", "purge", {"memory_id": ids[3]})
    await beside(host)
    assert host.graphs.built == built + 1
    assert shelf(actor).graph_job(purge=True) is None
    assert not actor.purged_shelves


async def test_a_purge_during_a_build_is_answered_by_another_build(host: MemoryHost) -> None:
    ids = await written(host, THINGS)
    actor, built = await host.users.actor("u"), host.graphs.built
    shelf(actor).drop_graph()
    building = asyncio.create_task(host.graphs.build(actor))
    await asyncio.sleep(0)
    await ask(host, "u", "purge", {"memory_id": ids[3]})
    await building
    await beside(host)
    assert host.graphs.built == built + 2
    assert shelf(actor).graph_job(purge=True) is None
