"""Reading memories without a query: pages, newest first, and the whole for export."""

import heapq
from collections.abc import Callable

from engine.commands import ListMemories
from engine.errors import InvalidMemory
from engine.filters import AS_OF_STATUSES
from engine.memory import Category, Memory, Sensitivity, Source, Status, Tier
from engine.normalise import normalised_view
from engine.state import UserState

ANY = "any"


def page(state: UserState, wanted: ListMemories, *, now_ms: int) -> tuple[list[Memory], str, int]:
    """One page, newest stored first.

    Returns: the memories, the cursor of the next page ("" at the end), and how many match in all.
    Raises:  InvalidMemory for an unknown status, tier, category, source or a cursor we did not make.
    """
    _check_words(wanted)
    before = _cursor_position(wanted.cursor)
    needle = normalised_view(wanted.q)
    matching = [
        (memory.created_at_ms, state.slots[memory.memory_id])
        for memory in map(_as_read(wanted.as_of_ms), state.memories.values())
        if _matches(memory, wanted, needle, now_ms)
    ]
    total = len(matching)
    if before is not None:
        matching = [place for place in matching if place < before]
    first = heapq.nlargest(wanted.limit, matching)
    more = len(matching) > len(first)
    cursor = f"{first[-1][0]:x}.{first[-1][1]:x}" if more and first else ""
    read = _as_read(wanted.as_of_ms)
    return [read(state.memory_at(slot)) for _, slot in first], cursor, total


def _as_read(as_of_ms: int | None) -> Callable[[Memory], Memory]:
    """A memory as it read at a time; None is now."""
    return (lambda memory: memory) if as_of_ms is None else (lambda memory: memory.as_of(as_of_ms))


def export_page(state: UserState, cursor: str, limit: int, *, now_ms: int) -> tuple[list[Memory], str]:
    """Memories in the order they came, `limit` at a time, for a stream that needs little memory. None that is over."""
    start = _cursor_position(cursor)
    first_slot = 0 if start is None else start[1]
    found: list[Memory] = []
    for slot in range(first_slot, len(state.ids)):
        if not state.ids[slot]:
            continue  # A purged memory's slot stays empty.
        if len(found) == limit:
            return found, f"0.{slot:x}"
        memory = state.memory_at(slot)
        if not memory.over(now_ms):
            found.append(memory)
    return found, ""


def _check_words(wanted: ListMemories) -> None:
    for field, value, allowed in (
        ("status", wanted.status, {ANY, *Status}),
        ("tier", wanted.tier, {"", *Tier}),
        ("category", wanted.category, {"", *Category}),
        ("source", wanted.source, {"", *Source}),
    ):
        if value not in allowed:
            words = ", ".join(sorted(word for word in allowed if word))
            raise InvalidMemory.of(f"{field} must be one of: {words}.", field=field)
    if wanted.limit < 1:
        raise InvalidMemory.of("limit must be at least 1.", field="limit")


def _cursor_position(cursor: str) -> tuple[int, int] | None:
    if not cursor:
        return None
    at, _, slot = cursor.partition(".")
    try:
        if len(cursor) > 40 or not at.isascii() or not slot.isascii():
            raise ValueError
        return int(at, 16), int(slot, 16)
    except ValueError:
        raise InvalidMemory.of(
            "cursor is not one that this service returned.", field="cursor", code="invalid_cursor"
        ) from None


def _matches(memory: Memory, wanted: ListMemories, needle: str, now_ms: int) -> bool:
    if memory.over(now_ms):
        return False
    if wanted.as_of_ms is not None:
        # What was current then: pending and quarantined ones never were, and the bin shows nothing of the past.
        wanted_statuses = AS_OF_STATUSES if wanted.status in (ANY, Status.ACTIVE) else (wanted.status,)
        if memory.status not in wanted_statuses or not memory.current_at(wanted.as_of_ms):
            return False
    elif wanted.status != ANY and memory.status != wanted.status:
        return False
    return (
        (not wanted.tier or memory.tier == wanted.tier)
        and (not wanted.category or memory.category == wanted.category)
        and (not wanted.source or memory.source == wanted.source)
        and (not wanted.space or memory.space == wanted.space)
        and (not wanted.spaces or memory.space in wanted.spaces)
        and (not wanted.conversation or memory.conversation == wanted.conversation)
        and (wanted.max_sensitivity == Sensitivity.SENSITIVE or memory.sensitivity is Sensitivity.NORMAL)
        and (not needle or needle in normalised_view(memory.content))
    )
