"""Vectors in the background: nobody waits, nothing is lost, the newest does not starve the oldest."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import numpy as np
import pytest

from actors.host import MemoryHost
from actors.vector_queue import choose
from tests.actors.world import World, ask, hashed, memory_id, write


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def host(world: World) -> AsyncIterator[MemoryHost]:
    host = world.host()
    await host.start()
    yield host
    world.embedder.gate.set()
    await host.stop()


async def drained(host: MemoryHost) -> None:
    await asyncio.wait_for(host.vectors.drained(), 10)


async def vector(host: MemoryHost, user_id: str, identity: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    found = (await host.users.actor(user_id)).state.vector_of(identity)
    assert found is not None
    return found


async def test_a_write_is_findable_at_once_and_gets_the_models_vector_later(world: World, host: MemoryHost) -> None:
    world.embedder.gate.clear()
    reply = await write(host, "u", "Our cat is called Mimi")
    assert reply["indexed"] == "pending"
    assert np.allclose(await vector(host, "u", memory_id(reply)), hashed("Our cat is called Mimi", "stand-in"))
    assert (await ask(host, "u", "search", {"query": "cat", "min_relevance": 0.0}))["memories"]
    world.embedder.gate.set()
    await drained(host)
    assert np.allclose(await vector(host, "u", memory_id(reply)), hashed("Our cat is called Mimi", "model"))
    assert (await ask(host, "u", "stats"))["vectors_pending"] == 0


async def test_an_edit_while_its_vector_is_made_gets_the_vector_of_its_new_text(world: World, host: MemoryHost) -> None:
    world.embedder.gate.clear()
    written = memory_id(await write(host, "u", "Our cat is called Mimi"))
    await asyncio.to_thread(world.embedder.called.wait, 10)
    await ask(host, "u", "edit", {"memory_id": written, "content": "Our cat is called Momo"})
    world.embedder.gate.set()
    await drained(host)
    assert np.allclose(await vector(host, "u", written), hashed("Our cat is called Momo", "model"))
    assert host.vectors.counts.outdated == 1


async def test_writes_go_on_while_the_model_fails_and_vectors_come_when_it_is_back(
    world: World, host: MemoryHost
) -> None:
    world.embedder.broken = True
    written = memory_id(await write(host, "u", "Our cat is called Mimi"))
    await asyncio.to_thread(world.embedder.failed_often.wait, 10)
    assert (await write(host, "u", "My locker is number 12"))["seq"] == 2
    world.embedder.broken = False
    await drained(host)
    assert np.allclose(await vector(host, "u", written), hashed("Our cat is called Mimi", "model"))


async def test_waiting_vectors_survive_the_host(world: World, host: MemoryHost) -> None:
    world.embedder.gate.clear()
    ids = [memory_id(await write(host, "u", f"The parcel {n} went to Lyon")) for n in range(20)]
    later = world.host()
    await later.start()
    await ask(later, "u", "list")
    world.embedder.gate.set()
    await drained(later)
    for number, written in enumerate(ids):
        memory = (await later.users.actor("u")).state.memories[written]
        assert np.allclose(await vector(later, "u", written), hashed(memory.content, "model")), number
    await later.stop()


async def test_vectors_come_back_from_a_snapshot_and_are_not_made_again(world: World, host: MemoryHost) -> None:
    written = memory_id(await write(host, "u", "Our cat is called Mimi"))
    await drained(host)
    await host.stop()
    made = len(world.embedder.calls)
    later = world.host()
    await ask(later, "u", "list")
    assert np.allclose(await vector(later, "u", written), hashed("Our cat is called Mimi", "model"))
    assert (len(world.embedder.calls), (await ask(later, "u", "stats"))["vectors_pending"]) == (made, 0)


async def test_vectors_of_another_model_are_made_again(world: World, host: MemoryHost) -> None:
    await write(host, "u", "Our cat is called Mimi")
    await drained(host)
    await host.stop()
    parts = world.parts()
    later = MemoryHost(replace(parts, space=replace(parts.space, space_id="another-space")))
    assert (await ask(later, "u", "stats"))["vectors_pending"] == 1


async def test_users_take_turns(world: World, host: MemoryHost) -> None:
    world.embedder.gate.clear()
    for number in range(40):
        await write(host, "busy", f"The parcel {number} went to Lyon")
    await write(host, "quiet", "Our cat is called Mimi")
    world.embedder.gate.set()
    await drained(host)
    place = next(n for n, call in enumerate(world.embedder.calls) if "Our cat is called Mimi" in call)
    assert place <= 2


def test_a_batch_takes_from_both_ends() -> None:
    waiting = {f"id-{n}": None for n in range(10)}
    assert choose(waiting, 4) == ["id-9", "id-8", "id-0", "id-1"]
    assert choose(waiting, 1) == ["id-9"]
    assert sorted(choose({"a": None, "b": None}, 8)) == ["a", "b"]
