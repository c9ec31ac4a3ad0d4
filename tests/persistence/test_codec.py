"""Bytes of events and states: what goes in comes out, and what is not ours is refused."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, get_type_hints

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Corrupt, InvalidMemory
from engine.events import EVENTS, Event, MemoryEdited, MemoryWritten, SettingsChanged
from engine.lexical import PackedWords
from engine.memory import Category, Memory, Source, Status, Suppression, Tier
from persistence.codec import (
    decode_events,
    decode_state,
    decode_words,
    encode_events,
    encode_state,
    encode_words,
    entry_chain,
    event_plan,
)
from tests.strategies import events, maps, memories, suppressions

MEMORY = Memory(
    memory_id="m1",
    content="我对花生过敏",
    tier=Tier.SEMANTIC,
    category=Category.FACT,
    source=Source.USER,
    confidence=1.0,
    importance=0.8,
    status=Status.ACTIVE,
    created_at_ms=1,
    updated_at_ms=2,
    said_at_ms=3,
    valid_from_ms=4,
)


def entry(*pairs: list[Any], **outer: Any) -> bytes:
    return msgpack.packb({"v": 1, "events": list(pairs)} | outer)


def written(**changes: Any) -> bytes:
    """An entry of one MemoryWritten whose memory has these plain fields in place of its own."""
    plain = msgpack.unpackb(encode_events([MemoryWritten(MEMORY)]))["events"][0][1]["memory"] | changes
    return entry(["MemoryWritten", {"memory": {k: v for k, v in plain.items() if v is not ...}}])


@given(st.lists(events, max_size=4))
def test_events_come_back_equal_and_of_the_same_types(given_events: list[Event]) -> None:
    found = decode_events(encode_events(given_events))
    assert found == given_events
    for event in found:
        for name, kind in get_type_hints(type(event)).items():
            if isinstance(kind, type):
                assert type(getattr(event, name)) is kind


@given(st.lists(memories, max_size=5), maps, st.lists(suppressions, max_size=3))
def test_states_come_back_equal_and_in_order(
    given_memories: list[Memory], settings: dict[str, object], given_suppressions: list[Suppression]
) -> None:
    found, found_settings, found_suppressions, _ = decode_state(
        encode_state(given_memories, settings, given_suppressions)
    )
    assert (found, found_settings, found_suppressions) == (given_memories, settings, given_suppressions)
    for memory in found:
        assert type(memory.tier) is Tier
        assert type(memory.tags) is tuple
        assert memory == replace(memory), "every slot is filled, as if __init__ had run"


@given(st.lists(events, min_size=1, max_size=3), st.data())
def test_a_damaged_entry_is_corrupt_or_differs_and_never_another_error(given_events: list[Event], data: Any) -> None:
    """Not every flipped bit can be seen by a codec; that is what the chain is for. It must only never crash."""
    body = bytearray(encode_events(given_events))
    body[data.draw(st.integers(0, len(body) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        decode_events(bytes(body))
    except Corrupt:
        return
    assert entry_chain(bytes(32), 1, bytes(body)) != entry_chain(bytes(32), 1, encode_events(given_events))


@given(st.binary(max_size=100))
def test_foreign_bytes_are_corrupt(body: bytes) -> None:
    for decode in (decode_events, decode_state):
        with pytest.raises(Corrupt):
            decode(body)


def test_fields_at_their_default_are_left_out_and_come_back() -> None:
    body = encode_events([MemoryWritten(MEMORY)])
    assert b"superseded_by" not in body
    assert decode_events(body) == [MemoryWritten(MEMORY)]
    assert decode_events(written(space="work")) == [MemoryWritten(replace(MEMORY, space="work"))]


@pytest.mark.parametrize(
    "body",
    [
        entry(["MemoryExploded", {}]),
        entry(["MemoryConfirmed", {"memory_id": "m", "at_ms": 1, "mood": "new"}]),
        entry(["MemoryConfirmed", {"memory_id": "m"}]),
        entry(["MemoryConfirmed", {"memory_id": "m", "at_ms": "1"}]),
        entry(["MemoryConfirmed", {"memory_id": "m", "at_ms": True}]),
        entry(["MemoryConfirmed", {"memory_id": 7, "at_ms": 1}]),
        entry(["MemoryConfirmed", {"memory_id": b"m", "at_ms": 1}]),
        entry(["MemoryConfirmed", {"memory_id": "m", "at_ms": msgpack.Timestamp(1, 0)}]),
        entry(["MemoryConfirmed", {"memory_id": "m", "at_ms": msgpack.ExtType(5, b"x")}]),
        entry(["MemoryConfirmed"]),
        entry(["MemoryEdited", {"memory_id": "m", "at_ms": 1, "reason": "", "changes": {"colour": "red"}}]),
        entry(["MemoryEdited", {"memory_id": "m", "at_ms": 1, "reason": "", "changes": {"tier": "basement"}}]),
        entry(["SettingsChanged", {"settings": {"x": math.nan}, "at_ms": 1}]),
        entry(["SettingsChanged", {"settings": {"x": msgpack.Timestamp(1, 0)}, "at_ms": 1}]),
        entry(["SettingsChanged", {"settings": {"x": b"bytes"}, "at_ms": 1}]),
        entry(["SettingsChanged", {"settings": [], "at_ms": 1}]),
        entry(v=2),
        entry(v=None),
        entry(extra=1),
        entry(events={}),
        msgpack.packb([]),
        b"",
        written(tier="basement"),
        written(confidence=math.inf),
        written(confidence="1"),
        written(tags="abc"),
        written(tags=[1]),
        written(revisions=[{"content": "a"}]),
        written(memory_id=...),
        written(unheard_of=1),
        # A map with one key twice, which a lenient reader would resolve silently.
        b"\x82\xa1v\x01\xa6events\x91\x92\xafMemoryConfirmed\x83\xa9memory_id\xa1m\xa5at_ms\x01\xa5at_ms\x02",
    ],
)
def test_what_this_release_does_not_know_is_corrupt(body: bytes) -> None:
    with pytest.raises(Corrupt):
        decode_events(body)


def test_advice_is_given_for_a_newer_format() -> None:
    with pytest.raises(Corrupt, match="use the release that wrote it"):
        decode_events(entry(v=2))


def test_metadata_nested_too_deeply_is_refused_on_the_way_in() -> None:
    deep: dict[str, object] = {}
    for _ in range(100):
        deep = {"x": deep}
    with pytest.raises(InvalidMemory):
        encode_events([SettingsChanged(deep, 1)])


@pytest.mark.parametrize(
    "metadata", [{"x": math.nan}, {"x": 2**64}, {"x": "\ud800"}, {1: "x"}, {"x": object()}, {"x": b"bytes"}]
)
def test_what_cannot_be_stored_is_refused_before_it_is_written(metadata: Any) -> None:
    for encode in (
        lambda: encode_events([MemoryWritten(replace(MEMORY, metadata=metadata))]),
        lambda: encode_state([replace(MEMORY, metadata=metadata)], {}),
    ):
        with pytest.raises(InvalidMemory) as refused:
            encode()
        assert "\ud800" not in refused.value.sentence


def test_an_edit_holds_its_values_as_the_memory_does() -> None:
    event = MemoryEdited("m", 1, "moved", {"tier": "semantic", "tags": ["a"], "confidence": 1, "expires_at_ms": None})
    [found] = decode_events(encode_events([event]))
    assert isinstance(found, MemoryEdited)
    assert found.changes == {"tier": Tier.SEMANTIC, "tags": ("a",), "confidence": 1.0, "expires_at_ms": None}


def test_a_state_of_an_older_release_gets_defaults_and_one_of_a_newer_release_is_refused() -> None:
    plain = msgpack.unpackb(encode_state([MEMORY], {}))
    column = plain["fields"].index("restore_status")
    older = plain | {
        "fields": plain["fields"][:column] + plain["fields"][column + 1 :],
        "memories": [row[:column] + row[column + 1 :] for row in plain["memories"]],
    }
    assert decode_state(msgpack.packb(older)) == ([MEMORY], {}, [], [])
    spoiled: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
        lambda p: p | {"fields": [*p["fields"], "mood"], "memories": [[*row, 1] for row in p["memories"]]},
        lambda p: p | {"fields": p["fields"][1:], "memories": [row[1:] for row in p["memories"]]},
        lambda p: p | {"memories": [row[1:] for row in p["memories"]]},
        lambda p: p | {"fields": [p["fields"][1], *p["fields"][1:]]},
        lambda p: p | {"memories": [7]},
        lambda p: p | {"memories": [[math.nan if v == 0.8 else v for v in p["memories"][0]]]},
        lambda p: p | {"memories": [["basement" if v == "semantic" else v for v in p["memories"][0]]]},
    ]
    for spoil in spoiled:
        with pytest.raises(Corrupt):
            decode_state(msgpack.packb(spoil(plain)))


def test_a_memory_has_no_post_init_that_reading_a_state_would_skip() -> None:
    assert not hasattr(Memory, "__post_init__")


def test_every_event_has_a_plan_and_every_later_field_a_default() -> None:
    for cls in EVENTS.values():
        assert {name for name, _, _ in event_plan(cls).packers} == {f.name for f in fields(cls)}


def test_the_chain_depends_on_everything_before_it() -> None:
    chain = entry_chain(bytes(32), 1, b"a")
    assert chain != entry_chain(bytes(32), 1, b"b")
    assert chain != entry_chain(bytes(32), 2, b"a")
    assert chain != entry_chain(b"\1" * 32, 1, b"a")
    assert len(chain) == 32


def test_a_keyword_index_comes_back_equal_and_one_of_another_shape_is_not_taken() -> None:
    words = PackedWords(1, "garlic\n花生", b"\1\0\0\0", b"\2\0\0\0", b"")
    assert decode_words(encode_words(words)) == words
    assert decode_words(b"") is None
    assert decode_words(msgpack.packb({"v": 2})) is None
    assert decode_words(msgpack.packb([1, "garlic", "no bytes", b"", b""])) is None
