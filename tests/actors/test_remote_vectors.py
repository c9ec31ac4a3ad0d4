"""A remote embedder: vectors come when it gives them, words find everything meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import numpy as np
import pytest

from actors.host import MemoryHost
from actors.model_client import ModelClient
from actors.parts import HostParts
from adapters.models.remote_embedder import RemoteEmbedder
from adapters.models.remote_space import NoTable, RemoteSpace
from engine.policy import Policy
from engine.state import check_state
from tests.actors.models import ScriptedEmbedder, client_of, model_host
from tests.actors.world import DIMENSIONS, PlainStatic, World, ask, hashed, memory_id, write


@pytest.fixture
def world() -> World:
    return World(policy=Policy())


@pytest.fixture
def model() -> ScriptedEmbedder:
    return ScriptedEmbedder()


def remote_parts(world: World, client: ModelClient, name: str = "openai/stub") -> HostParts:
    """A host's parts as `rearview.model_wiring` makes them, with the world's stores."""
    space = RemoteSpace(name, DIMENSIONS, None)
    embedder = RemoteEmbedder(client, space, passages_seconds=5.0, query_seconds=5.0)
    return replace(
        world.parts(),
        space=space.space,
        static=NoTable(DIMENSIONS),
        likeness=PlainStatic().stand_in,
        query_encoder="quality",
        query_budget_ms=5_000,
        embedder=lambda: embedder,
    )


@pytest.fixture
async def host(world: World, model: ScriptedEmbedder) -> AsyncIterator[MemoryHost]:
    host = MemoryHost(remote_parts(world, await client_of(model_host(embedder=model))))
    await host.start()
    yield host
    await host.stop()


async def pending(host: MemoryHost) -> object:
    return (await ask(host, "u", "stats"))["vectors_pending"]


async def drained(host: MemoryHost) -> None:
    await asyncio.wait_for(host.vectors.drained(), 5)


async def test_a_write_gets_the_remote_models_vector(host: MemoryHost) -> None:
    reply = await write(host, "u", "Our cat is called Mimi")
    assert reply["indexed"] == "pending"
    await drained(host)
    actor = await host.users.actor("u")
    held = actor.state.vector_of(memory_id(reply))
    assert held is not None
    assert np.allclose(held, hashed("Our cat is called Mimi", "remote"), atol=1e-6)
    assert await pending(host) == 0
    check_state(actor.state)


async def test_queries_go_to_the_model_once_and_then_to_the_users_cache(
    host: MemoryHost, model: ScriptedEmbedder
) -> None:
    await write(host, "u", "Our cat is called Mimi")
    await drained(host)
    for _ in range(3):
        found = await ask(host, "u", "search", {"query": "Mimi the cat"})
        assert "degraded" not in found
    assert model.calls.count(["Mimi the cat"]) == 1
    await ask(host, "v", "search", {"query": "Mimi the cat"})
    assert model.calls.count(["Mimi the cat"]) == 2, "a cache is one user's own"


async def test_while_the_model_is_down_words_find_everything_and_nothing_is_lost(
    host: MemoryHost, model: ScriptedEmbedder
) -> None:
    model.code = "model_failed"
    reply = await write(host, "u", "Our cat is called Mimi")
    assert reply["outcome"] == "stored"
    found = await ask(host, "u", "search", {"query": "what is the cat called"})
    assert found["degraded"] == ["embedding"]
    assert [one["id"] for one in found["memories"]] == [memory_id(reply)]  # type: ignore[attr-defined]
    assert found["memories"][0]["why"]["semantic"]["value"] < 0.1  # type: ignore[index]
    assert await pending(host) == 1
    model.code = ""
    await drained(host)
    assert await pending(host) == 0
    assert "degraded" not in await ask(host, "u", "search", {"query": "what is the cat called"})


async def test_a_text_that_the_model_makes_nothing_of_waits_alone(host: MemoryHost, model: ScriptedEmbedder) -> None:
    model.useless = frozenset({"Our cat is called Mimi"})
    odd = await write(host, "u", "Our cat is called Mimi")
    for text in ("I live in Lyon", "I work as a nurse", "My dog is called Rex"):
        await write(host, "u", text)
    await drained(host)
    assert await pending(host) == 1
    found = await ask(host, "u", "search", {"query": "Mimi"})
    assert found["memories"][0]["id"] == memory_id(odd)  # type: ignore[index]
    assert host.vectors.counts.refused >= 1


async def test_vectors_of_another_model_are_not_mixed_but_made_anew(world: World, model: ScriptedEmbedder) -> None:
    client = await client_of(model_host(embedder=model))
    first = MemoryHost(remote_parts(world, client))
    await first.start()
    reply = await write(first, "u", "Our cat is called Mimi")
    await drained(first)
    await first.stop()
    model.code = "model_failed"
    second = MemoryHost(remote_parts(world, client, name="openai/other"))
    await second.start()
    assert await pending(second) == 1, "the old model's vector is of no use in the new space"
    assert (await ask(second, "u", "search", {"query": "Mimi"}))["memories"]
    model.code = ""
    await drained(second)
    assert (await second.users.actor("u")).state.vector_of(memory_id(reply)) is not None
    await second.stop()
    third = MemoryHost(remote_parts(world, client, name="openai/other"))
    assert await pending(third) == 0, "a snapshot keeps them"
    await third.stop()


async def test_vectors_of_the_bundled_model_are_not_mixed_either(world: World, model: ScriptedEmbedder) -> None:
    bundled = world.host()
    await bundled.start()
    await write(bundled, "u", "Our cat is called Mimi")
    await drained(bundled)
    await bundled.stop()
    remote = MemoryHost(remote_parts(world, await client_of(model_host(embedder=model))))
    assert await pending(remote) == 1
    assert (await ask(remote, "u", "search", {"query": "Mimi"}))["memories"]
    await remote.stop()


async def test_a_duplicate_is_still_a_duplicate_where_the_shelves_hold_foreign_vectors(host: MemoryHost) -> None:
    first = await write(host, "u", "Our cat is called Mimi")
    await drained(host)
    again = await write(host, "u", "Our cat is called Mimi")
    assert again["outcome"] == "merged"
    assert memory_id(again) == memory_id(first)


async def test_a_model_of_another_dimension_is_refused_and_words_still_find(
    world: World, model: ScriptedEmbedder
) -> None:
    client = await client_of(model_host(embedder=model))
    space = RemoteSpace("openai/stub", 3, None)
    parts = replace(
        remote_parts(world, client),
        space=space.space,
        static=NoTable(3),
        embedder=lambda: RemoteEmbedder(client, space, passages_seconds=5.0, query_seconds=5.0),
    )
    host = MemoryHost(parts)
    await host.start()
    await write(host, "u", "Our cat is called Mimi")
    found = await ask(host, "u", "search", {"query": "Mimi"})
    assert found["memories"]
    assert found["degraded"] == ["embedding"]
    assert await pending(host) == 1
    await host.stop()


async def test_purging_a_memory_forgets_the_users_cached_queries(host: MemoryHost) -> None:
    reply = await write(host, "u", "Our cat is called Mimi")
    await ask(host, "u", "search", {"query": "Mimi"})
    purged = await ask(host, "u", "purge", {"memory_id": memory_id(reply)})
    assert purged["erased"]["cache"] == 1  # type: ignore[index]
