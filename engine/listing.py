"""Reading memories without a query: pages, newest first, and the whole for export.

A cursor names the last memory that was shown, by its id: the number of its slot changes when its user is read from
storage between two pages, and pages counted by slots would then skip memories. Where the memory itself was purged in
between, its time says where to go on, and what has the very same time is shown again rather than left out.
"""

import base64
import heapq
from collections.abc import Callable

from engine.commands import ListMemories
from engine.errors import InvalidMemory
from engine.filters import AS_OF_STATUSES
from engine.memory import Category, Memory, Source, Status, Tier
from engine.normalise import normalised_view
from engine.state import UserState

ANY = "any"
CURSOR_CHARS_MAX = 1_024


def page(state: UserState, wanted: ListMemories, *, now_ms: int) -> tuple[list[Memory], str, int]:
    """One page, newest stored first.

    Returns: the memories, the cursor of the next page ("" at the end), and how many match in all.
    Raises:  InvalidMemory for an unknown status, tier, category, source or a cursor we did not make.
    """
    _check_words(wanted)
    before = _before(state, wanted.cursor)
    needle = normalised_view(wanted.q)
    matching = [
        (memory.created_at_ms, state.slots[memory.memory_id])
        for memory in map(_as_read(wanted.as_of_ms), state.memories.values())
        if _matches(memory, wanted, needle, now_ms)
        # What a text was open to then does not open it to whom the memory is closed now.
        and state.memories[memory.memory_id].open_to(wanted.spaces, wanted.max_sensitivity)
    ]
    total = len(matching)
    if before is not None:
        matching = [place for place in matching if place < before]
    first = heapq.nlargest(wanted.limit, matching)
    more = len(matching) > len(first)
    shown = [state.memory_at(slot) for _, slot in first]
    cursor = _cursor_after(shown[-1]) if more and shown else ""
    return list(map(_as_read(wanted.as_of_ms), shown)), cursor, total


def upcoming(
    state: UserState, *, limit: int, spaces: tuple[str, ...], max_sensitivity: str, now_ms: int
) -> tuple[list[Memory], int]:
    """What will expire by itself, soonest first, and how many there are. What is in the bin has a deadline of its own.

    Raises: InvalidMemory for a limit below 1.
    """
    wanted = ListMemories(status=ANY, limit=limit, spaces=spaces, max_sensitivity=max_sensitivity)
    _check_words(wanted)
    ending = [
        (memory.expires_at_ms, state.slots[memory.memory_id])
        for memory in state.memories.values()
        if memory.expires_at_ms is not None
        and memory.status is not Status.DELETED
        and _matches(memory, wanted, "", now_ms)
    ]
    return [state.memory_at(slot) for _, slot in heapq.nsmallest(limit, ending)], len(ending)


def _as_read(as_of_ms: int | None) -> Callable[[Memory], Memory]:
    """A memory as it read at a time; None is now."""
    return (lambda memory: memory) if as_of_ms is None else (lambda memory: memory.as_of(as_of_ms))


def export_page(state: UserState, cursor: str, limit: int, *, now_ms: int) -> tuple[list[Memory], str]:
    """Memories in the order they came, `limit` at a time, for a stream that needs little memory. None that is over."""
    found: list[Memory] = []
    for slot in range(_first_slot(state, cursor), len(state.ids)):
        if not state.ids[slot]:
            continue  # A purged memory's slot stays empty.
        memory = state.memory_at(slot)
        if memory.over(now_ms):
            continue
        if len(found) == limit:
            return found, _cursor_after(found[-1])
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


def _before(state: UserState, cursor: str) -> tuple[int, int] | None:
    """The place (created, slot) that the next page lies before; None for the first page."""
    if not cursor:
        return None
    created_at_ms, memory_id = _named_by(cursor)
    return created_at_ms, state.slots.get(memory_id, len(state.ids))


def _first_slot(state: UserState, cursor: str) -> int:
    if not cursor:
        return 0
    created_at_ms, memory_id = _named_by(cursor)
    if memory_id in state.slots:
        return state.slots[memory_id] + 1
    later = (slot for slot, one in enumerate(state.ids) if one and state.memories[one].created_at_ms >= created_at_ms)
    return next(later, len(state.ids))


def _cursor_after(memory: Memory) -> str:
    name = base64.urlsafe_b64encode(memory.memory_id.encode("utf-8", "surrogatepass")).decode().rstrip("=")
    return f"{memory.created_at_ms:x}.{name}"


def _named_by(cursor: str) -> tuple[int, str]:
    """(created_at_ms, memory id). Raises: InvalidMemory for what is no cursor of ours."""
    at, _, name = cursor.partition(".")
    try:
        if len(cursor) > CURSOR_CHARS_MAX or not cursor.isascii() or not name:
            raise ValueError
        padded = name + "=" * (-len(name) % 4)
        return int(at, 16), base64.b64decode(padded, altchars=b"-_", validate=True).decode("utf-8", "surrogatepass")
    except ValueError:  # Also of base64 and of UTF-8.
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
        and (not wanted.conversation or memory.conversation == wanted.conversation)
        and memory.open_to(wanted.spaces, wanted.max_sensitivity)
        and (not needle or needle in normalised_view(memory.content))
    )
