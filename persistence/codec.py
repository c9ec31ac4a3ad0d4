"""Bytes of events and of a user's state (msgpack), and the hash chain over entries.

An entry is `{"v": 1, "events": [[class name, {field: value}], ...]}`; fields at their default are left out (plans.py).
A state is `{"v": 1, "fields": [names], "memories": [[values], ...], "settings": {...}, "suppressions"?: [{...}],
"trace"?: [{...}]}`: rows without field names, because 10,000 memories are read back in one go when a user is hydrated.

Reading trusts nothing: an unknown class, field or enum word, a wrong type, NaN, an extension type or a repeated
map key is Corrupt. A release must not guess at what a newer one meant.
"""

import dataclasses
import hashlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple, NoReturn

import msgpack

from engine.events import EVENTS, Event, MemoryEdited
from engine.lexical import PackedWords
from engine.memory import Memory, Suppression
from engine.trace import Step
from persistence.plans import Convert, Misfit, Plan, pack_mapping, plan_of, refused_on_read, refused_on_write

VERSION = 1


def encode_events(events: Sequence[Event]) -> bytes:
    """Bytes of one entry. Raises InvalidMemory for a value that msgpack cannot hold (NaN, a huge int, a surrogate)."""
    try:
        packed = [[type(event).__name__, event_plan(type(event)).pack(event)] for event in events]
        return _pack({"v": VERSION, "events": packed})
    except (Misfit, ValueError, OverflowError) as error:
        raise refused_on_write(error) from error


def decode_events(body: bytes) -> list[Event]:
    """The events of one entry. Raises Corrupt."""
    try:
        entry = _unpack(body, ("events",))
        return [_event(pair) for pair in _list(entry["events"])]
    except (Misfit, ValueError, TypeError) as error:
        raise refused_on_read("entry", error) from error


def entry_chain(previous: bytes, seq: int, body: bytes) -> bytes:
    """SHA-256(previous chain, seq as 8 bytes big-endian, body): 32 bytes. The first `previous` is 32 zero bytes."""
    assert len(previous) == 32
    assert seq >= 1
    digest = hashlib.sha256(previous)
    digest.update(seq.to_bytes(8, "big"))
    digest.update(body)
    return digest.digest()


class SavedState(NamedTuple):
    """What a snapshot holds of a user beside vectors; memories, suppressions and steps in the order they came."""

    memories: list[Memory]
    settings: dict[str, object]
    suppressions: list[Suppression]
    trace: list[Step]


def encode_state(
    memories: Iterable[Memory],
    settings: Mapping[str, object],
    suppressions: Iterable[Suppression] = (),
    trace: Iterable[Step] = (),
) -> bytes:
    """Bytes of a whole state, without vectors. Raises InvalidMemory as `encode_events`."""
    plan = plan_of(Memory)
    names = [name for name, _, _ in plan.packers]
    packs = [(name, convert) for name, convert, _ in plan.packers]
    try:
        rows = [[_packed(getattr(memory, name), convert) for name, convert in packs] for memory in memories]
        state = {"v": VERSION, "fields": names, "memories": rows, "settings": pack_mapping(settings)}
        topics = [plan_of(Suppression).pack(one) for one in suppressions]
        steps = [plan_of(Step).pack(one) for one in trace]
        more = {"suppressions": topics, "trace": steps}
        return _pack(state | {name: values for name, values in more.items() if values})
    except (Misfit, ValueError, OverflowError) as error:
        raise refused_on_write(error) from error


def decode_state(state: bytes) -> SavedState:
    """What `encode_state` was given. Raises Corrupt."""
    try:
        plain = _unpack(state, ("fields", "memories", "settings"), may_have=("suppressions", "trace"))
        memories = _memories(_list(plain["fields"]), _list(plain["memories"]))
        topics = [plan_of(Suppression).unpack(one) for one in _list(plain.get("suppressions", []))]
        steps = [plan_of(Step).unpack(one) for one in _list(plain.get("trace", []))]
        return SavedState(memories, pack_mapping(plain["settings"]), topics, steps)
    except (Misfit, ValueError, TypeError) as error:
        raise refused_on_read("state", error) from error


def encode_words(words: PackedWords) -> bytes:
    """Bytes of a keyword index. It is derived data, so another release need not be able to read it."""
    return _pack([words.version, words.words, words.holders, words.entries, words.lengths])


def decode_words(packed: bytes) -> PackedWords | None:
    """What `encode_words` was given, or None where another release packed it in another way."""
    plain = msgpack.unpackb(packed, raw=False) if packed else None
    if type(plain) is not list or [type(part) for part in plain] != [int, str, bytes, bytes, bytes]:
        return None
    return PackedWords(*plain)


def _packed(value: object, convert: Convert | None) -> object:
    return value if convert is None else convert(value)


def event_plan(cls: type) -> Plan:
    """The plan of an event class. `MemoryEdited.changes` holds fields of Memory, each stored as Memory stores it."""
    if cls is not MemoryEdited:
        return plan_of(cls)
    return _edit_plan()


@cache
def _edit_plan() -> Plan:
    plan = plan_of(MemoryEdited)
    packers = tuple((n, _pack_changes if n == "changes" else c, d) for n, c, d in plan.packers)
    return dataclasses.replace(plan, packers=packers, unpackers={**plan.unpackers, "changes": _unpack_changes})


def _pack_changes(changes: Mapping[str, object]) -> dict[str, Any]:
    known: dict[str, Convert | None] = {name: convert for name, convert, _ in plan_of(Memory).packers}
    plain = {}
    for name, value in changes.items():
        if name not in known:
            raise Misfit("an edit names a field that a memory does not have")
        convert = known[name]
        plain[name] = value if convert is None else convert(value)
    return plain


def _unpack_changes(plain: Any) -> dict[str, object]:
    if type(plain) is not dict:
        raise Misfit("changes are not a map")
    unpackers = plan_of(Memory).unpackers
    if not plain.keys() <= unpackers.keys():
        raise Misfit("an edit names a field that this release does not know")
    return {name: unpackers[name](value) for name, value in plain.items()}


def _event(pair: object) -> Event:
    if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str:
        raise Misfit("an event is not a pair of name and fields")
    cls = EVENTS.get(pair[0])
    if cls is None:
        raise Misfit("an event that this release does not know")
    event: Event = event_plan(cls).unpack(pair[1])
    return event


def _memories(names: list[Any], rows: list[Any]) -> list[Memory]:
    """Memories from rows, converted column by column. An older release has fewer columns; the rest take the default."""
    plan = plan_of(Memory)
    if len(set(map(str, names))) != len(names) or not all(name in plan.columns for name in names):
        raise Misfit("memories have a field twice or one that this release does not know")
    if not plan.required <= set(names):
        raise Misfit("memories lack a required field")
    if not all(type(row) is list and len(row) == len(names) for row in rows):
        raise Misfit("a memory has another number of fields than the header says")
    stored = dict(zip(names, zip(*rows, strict=True), strict=False))
    # Ten thousand calls of Memory(**36 fields) take 130 ms. Filling the slots column by column takes 20 ms, runs in C
    # and is as safe: every value was converted just now, and a Memory has no __post_init__ to skip (a test says so).
    memories = [object.__new__(Memory) for _ in rows]
    for name, _, default in plan.packers:
        column = plan.columns[name](stored[name]) if name in stored else repeat(default)
        deque(map(getattr(Memory, name).__set__, memories, column), maxlen=0)
    return memories


def _pack(plain: object) -> bytes:
    packed: bytes = msgpack.packb(plain, use_bin_type=True)
    return packed


def _unpack(packed: bytes, names: tuple[str, ...], *, may_have: tuple[str, ...] = ()) -> dict[str, Any]:
    """The outer map of version 1 with exactly these names, and perhaps some others. Raises Misfit, ValueError."""
    try:
        plain = msgpack.unpackb(
            packed, raw=False, strict_map_key=True, ext_hook=_no_extensions, object_pairs_hook=_no_repeated_keys
        )
    except (msgpack.UnpackException, UnicodeDecodeError, RecursionError) as error:
        raise Misfit(f"not msgpack ({type(error).__name__})") from error
    if type(plain) is not dict or not {"v", *names} <= plain.keys() <= {"v", *names, *may_have}:
        raise Misfit("not an object of ours")
    if plain["v"] != VERSION:
        raise Misfit("written in a format that this release does not know; use the release that wrote it")
    return plain


def _list(value: object) -> list[Any]:
    if type(value) is not list:
        raise Misfit("a list is missing")
    return value


def _no_extensions(code: int, data: bytes) -> NoReturn:
    raise Misfit("an extension type")


def _no_repeated_keys(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        raise Misfit("a map with a repeated key")
    return plain
