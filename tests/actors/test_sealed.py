"""A user whose bytes are sealed lives as any other, and shows nothing in what is stored."""

import itertools

import pytest

from engine.errors import Corrupt
from persistence.codec import entry_chain
from persistence.user_keys import PlainUserKeys
from persistence.values import NO_CHAIN, Entry
from tests.actors.world import World, ask, memory_id, settle, write

_numbers = itertools.count(1)


def different(count: int) -> bytes:
    return next(_numbers).to_bytes(count, "big")


@pytest.fixture
def world() -> World:
    return World(keys=PlainUserKeys(different))


def stored(world: World) -> bytes:
    entries = b"".join(entry.body for entry in world.journal.entries("u"))
    return entries + b"".join(world.snapshots.files.files.values())


async def test_what_is_stored_shows_no_text_and_reads_back(world: World) -> None:
    host = world.host()
    kept = memory_id(await write(host, "u", "I take the tram to work"))
    host.vectors.want(await host.users.actor("u"))
    await ask(host, "u", "maintain")
    edited = await ask(host, "u", "edit", {"memory_id": kept, "content": "I take the bus to work", "reason": "moved"})
    assert edited["outcome"] == "stored"
    assert len(world.snapshots.files.files) == 1
    assert not any(word in stored(world) for word in (b"tram", b"bus", b"work"))
    again = world.host()
    got = await ask(again, "u", "get", {"memory_id": kept})
    assert got["content"] == "I take the bus to work"
    await settle(host)


async def test_a_user_from_before_reads_on_and_is_sealed_from_then_on() -> None:
    world = World()
    before = memory_id(await write(world.host(), "u", "I take the tram to work"))
    assert b"tram" in stored(world)
    world.keys = PlainUserKeys(different)
    host = world.host()
    await write(host, "u", "Our cat is called Mimi")
    assert b"Mimi" not in stored(world)
    host = world.host()
    assert (await ask(host, "u", "get", {"memory_id": before}))["content"] == "I take the tram to work"
    await ask(host, "u", "maintain")
    await ask(host, "u", "purge", {"memory_id": before})
    assert b"tram" not in stored(world), "the rest of it is sealed by the scrub"


async def test_an_entry_moved_to_another_place_is_refused_although_its_chain_was_made_to_fit(world: World) -> None:
    host = world.host()
    await write(host, "u", "I take the tram to work")
    await write(host, "u", "Our cat is called Mimi")
    entries = world.journal.entries("u")
    first = Entry(1, entries[1].body, entry_chain(NO_CHAIN, 1, entries[1].body))
    second = Entry(2, entries[0].body, entry_chain(first.chain, 2, entries[0].body))
    entries[:] = [first, second]
    world.journal._users["u"].chain = second.chain
    with pytest.raises(Corrupt, match="of another place"):
        await ask(world.host(), "u", "list")


async def test_a_user_whose_key_is_gone_is_refused_and_can_still_be_erased(world: World) -> None:
    host = world.host()
    await write(host, "u", "I take the tram to work")
    del world.keys.keys["u"]
    later = world.host()
    with pytest.raises(Corrupt, match="another key"):
        await ask(later, "u", "list")
    await ask(later, "u", "erase")
    assert (await ask(later, "u", "list"))["total"] == 0
