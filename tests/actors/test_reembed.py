"""A user moves into another model's space as a whole, while reads and writes go on."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from actors.host import MemoryHost
from actors.parts import EmbedderSpec, HostParts
from actors.ports import QueryVector
from actors.replies import Reply
from actors.spaces import SpaceRecord, Spaces, decode_record, encode_record
from engine.errors import Unavailable
from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace
from engine.state import check_state
from persistence.plain_journal import PlainSpaces
from tests.actors.world import DIMENSIONS, SPACE, World, ask, hashed, write

OTHER = EmbeddingSpace("other-space", 2 * DIMENSIONS, np.zeros(2 * DIMENSIONS, np.float32), SPACE.calibrations)
SPEC = EmbedderSpec("other", OTHER.dimensions)
HERE = EmbedderSpec("here", DIMENSIONS)


def twice(vector: Float32Array) -> Float32Array:
    """The same direction in the other space: what was near stays near, so that recall can be compared."""
    return np.concatenate([vector, vector]) / np.float32(np.sqrt(2.0))


class OtherStatic:
    def encode(self, text: str) -> QueryVector:
        return QueryVector(twice(hashed(text, "query")), "static", 1.0)

    def stand_in(self, text: str) -> Float32Array:
        return twice(hashed(text, "stand-in"))


class OtherEmbedder:
    """`broken` makes it fail; `dislikes` gives a text no vector."""

    def __init__(self) -> None:
        self.broken = False
        self.dislikes = ""
        self.texts: list[str] = []

    @property
    def space(self) -> EmbeddingSpace:
        return OTHER

    def passages(self, texts: Sequence[str]) -> Float32Array:
        if self.broken:
            raise Unavailable.of("no model today")
        self.texts += texts
        rows = np.array([twice(hashed(text, "model")) for text in texts], np.float32)
        for place, text in enumerate(texts):
            if self.dislikes and self.dislikes in text:
                rows[place] = np.nan
        return rows

    def query(self, text: str) -> Float32Array:
        return twice(hashed(text, "model-query"))


class TwoSpaces(World):
    """A world whose hosts know two models."""

    def __init__(self) -> None:
        super().__init__()
        self.other = OtherEmbedder()
        self.spaces = PlainSpaces()

    def parts(self, name: str = "") -> HostParts:
        def in_space(base: HostParts, spec: EmbedderSpec) -> HostParts:
            if spec.model == "here":
                return base
            return replace(base, space=OTHER, static=OtherStatic(), embedder=lambda: self.other)

        return replace(super().parts(name), spaces=self.spaces, in_space=in_space)


@pytest.fixture
def world() -> TwoSpaces:
    return TwoSpaces()


def spec_args(spec: EmbedderSpec = SPEC) -> dict[str, object]:
    return {"model": spec.model, "dimensions": spec.dimensions}


async def move(host: MemoryHost, user_id: str = "u", spec: EmbedderSpec = SPEC) -> int:
    """Ask until the user has arrived; returns how often."""
    for number in range(1, 100):
        if (await ask(host, user_id, "reembed", spec_args(spec)))["moved"]:
            return number
    raise AssertionError("never arrived")


async def found(host: MemoryHost, query: str) -> list[str]:
    reply = await ask(host, "u", "search", {"query": query, "min_relevance": 0.0, "top_k": 50})
    return sorted(str(one["content"]) for one in cast("list[Reply]", reply["memories"]))


async def embedded(host: MemoryHost) -> None:
    """Let the model make its vectors."""
    queue = asyncio.create_task(host.vectors.run())
    await asyncio.wait_for(host.vectors.drained(), 10)
    queue.cancel()


async def test_everything_is_found_before_during_and_after_in_one_space_at_a_time(world: TwoSpaces) -> None:
    host = world.host()
    for number in range(150):
        await write(host, "u", f"fact number {number} about tea")
    await embedded(host)
    before = await found(host, "tea")
    first = await ask(host, "u", "reembed", spec_args())
    assert (first["moved"], first["left"]) == (False, 86)
    actor = await host.users.actor("u")
    assert actor.parts.space is SPACE
    assert await found(host, "tea") == before
    assert await move(host) == 2
    assert (actor.parts.space.space_id, actor.state.vectors["semantic"].dimensions) == ("other-space", 16)
    assert await found(host, "tea") == before
    check_state(actor.state)
    for memory in actor.state.memories.values():
        vector = actor.state.vector_of(memory.memory_id)
        assert vector is not None
        np.testing.assert_allclose(vector, twice(hashed(memory.content, "model")), atol=1e-6)


async def test_reads_and_writes_go_on_while_a_user_moves(world: TwoSpaces) -> None:
    host = world.host()
    for number in range(200):
        await write(host, "u", f"fact number {number} about tea")
    written: list[str] = []
    arrived = False

    async def keep_writing() -> None:
        while not arrived:
            content = f"a later fact {len(written)}"
            await write(host, "u", content)
            written.append(content)
            await asyncio.sleep(0)

    async def keep_reading() -> None:
        while not arrived:
            assert len(await found(host, "fact about tea")) > 0

    others = [asyncio.create_task(keep_writing()), asyncio.create_task(keep_reading())]
    await move(host)
    arrived = True
    await asyncio.gather(*others)
    assert len(written) > 3
    actor = await host.users.actor("u")
    held = {memory.content for memory in actor.state.memories.values()}
    assert held >= set(written)
    check_state(actor.state)
    assert len(actor.state.memories) == len(world.folded("u").memories)


async def test_the_move_lasts_and_a_restarted_host_finds_the_user_in_the_new_space(world: TwoSpaces) -> None:
    host = world.host()
    for number in range(20):
        await write(host, "u", f"fact {number}")
    await ask(host, "u", "suppress", {"about": "the wedding"})
    await world.spaces.write(encode_record(SpaceRecord(HERE, SPEC)))
    await move(host)
    await write(host, "u", "after the move")
    await host.stop()
    again = world.host()
    actor = await again.users.actor("u")
    assert actor.parts.space.space_id == "other-space"
    assert len(actor.state.memories) == 21
    assert len(actor.state.suppressions) == 1
    assert await found(again, "after the move")
    new = await again.users.actor("somebody new")
    assert new.parts.space is SPACE, "until everybody has arrived, new users begin where the others are"


async def test_a_crash_before_the_end_leaves_the_user_whole_in_the_old_space(world: TwoSpaces) -> None:
    host = world.host()
    for number in range(150):
        await write(host, "u", f"fact {number}")
    await ask(host, "u", "reembed", spec_args())
    again = world.host()
    actor = await again.users.actor("u")
    assert (actor.parts.space.space_id, len(actor.state.memories)) == (SPACE.space_id, 150)
    await move(again)
    assert len(await found(again, "fact")) == 50


async def test_a_model_that_fails_costs_nothing_and_the_next_round_goes_on(world: TwoSpaces) -> None:
    host = world.host()
    for number in range(100):
        await write(host, "u", f"fact {number}")
    await ask(host, "u", "reembed", spec_args())
    world.other.broken = True
    with pytest.raises(Unavailable):
        await ask(host, "u", "reembed", spec_args())
    assert len(await found(host, "fact")) == 50
    world.other.broken = False
    await move(host)
    assert len(world.other.texts) == len(set(world.other.texts)) == 100, "no text was embedded twice"


async def test_a_text_that_the_model_makes_nothing_of_waits_in_the_new_space_and_stops_nobody(world: TwoSpaces) -> None:
    host = world.host()
    for content in ("fact one", "a disliked fact", "fact two"):
        await write(host, "u", content)
    world.other.dislikes = "disliked"
    await move(host)
    actor = await host.users.actor("u")
    assert [actor.state.memories[one].content for one in actor.state.unembedded] == ["a disliked fact"]


async def test_an_edit_during_the_move_is_embedded_as_it_reads_now_and_a_purge_is_forgotten(world: TwoSpaces) -> None:
    host = world.host()
    ids = []
    for number in range(100):
        memory = cast(Reply, (await write(host, "u", f"fact {number}"))["memory"])
        ids.append(str(memory["id"]))
    await ask(host, "u", "reembed", spec_args())
    await ask(host, "u", "edit", {"memory_id": ids[0], "content": "fact as edited", "reason": ""})
    await ask(host, "u", "purge", {"memory_id": ids[1]})
    await move(host)
    actor = await host.users.actor("u")
    vector = actor.state.vector_of(ids[0])
    assert vector is not None
    np.testing.assert_allclose(vector, twice(hashed("fact as edited", "model")), atol=1e-6)
    assert ids[1] not in actor.state.memories
    assert actor.move is None


async def test_a_user_can_move_back(world: TwoSpaces) -> None:
    host = world.host()
    for number in range(10):
        await write(host, "u", f"fact {number}")
    await move(host)
    await move(host, spec=HERE)
    actor = await host.users.actor("u")
    assert actor.parts.space is SPACE
    assert len(await found(host, "fact")) == 10


async def test_vectors_that_were_on_their_way_are_not_put_into_the_other_space(world: TwoSpaces) -> None:
    host = world.host()
    await write(host, "u", "fact one")
    world.embedder.gate.clear()
    queue = asyncio.create_task(host.vectors.run())
    await asyncio.to_thread(world.embedder.called.wait, 5)
    moving = asyncio.create_task(move(host))
    await asyncio.sleep(0)
    world.embedder.gate.set()
    await moving
    await asyncio.wait_for(host.vectors.drained(), 5)
    queue.cancel()
    actor = await host.users.actor("u")
    vector = actor.state.vector_of(next(iter(actor.state.memories)))
    assert vector is not None
    np.testing.assert_allclose(vector, twice(hashed("fact one", "model")), atol=1e-6)


async def test_new_users_begin_in_the_model_in_force_once_the_record_says_so(world: TwoSpaces) -> None:
    await world.spaces.write(encode_record(SpaceRecord(HERE, SPEC).moved()))
    host = world.host()
    await host.spaces.refresh()
    assert (await host.users.actor("new")).parts.space.space_id == "other-space"


def test_a_record_comes_back_equal_and_remembers_where_users_were() -> None:
    third = EmbedderSpec("third", 3, "http://localhost", 3, "/key")
    record = SpaceRecord(HERE).moving_to(SPEC).moving_to(third)
    assert decode_record(encode_record(record)) == record
    assert list(record) == [HERE, third, SPEC]
    assert list(record.moved()) == [third, HERE, SPEC]
    assert list(record.moved().moving_to(HERE)) == [third, HERE, SPEC]


async def test_an_unknown_space_of_a_snapshot_is_made_anew_in_the_default(world: TwoSpaces) -> None:
    spaces = Spaces(world.parts())
    assert (await spaces.of_snapshot("of long ago")) is spaces.default
