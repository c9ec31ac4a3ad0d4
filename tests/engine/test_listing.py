"""Pages go on where they stopped, whatever happens to the user between two of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commands import ListMemories
from engine.errors import InvalidMemory
from engine.events import MemoriesPurged
from engine.listing import export_page, page, upcoming
from engine.state import UserState, apply, restore_all
from tests.engine.remembering import DIMENSIONS, NOW_MS, letters, memory, state_of


def filled(times: list[int]) -> UserState:
    """Memories m0, m1, ... stored at these times, many of them at the same one."""
    return state_of(*(memory(f"m{n}", f"Note {n}", said_at_ms=NOW_MS - 9 + at) for n, at in enumerate(times)))


def read_from_storage(state: UserState) -> UserState:
    """The same user after leaving memory and coming back: slots are counted anew."""
    fresh = UserState("alice", dimensions=DIMENSIONS, stand_in=letters)
    restore_all(fresh, [state.memories[one] for one in state.ids if one], {}, None)
    return fresh


def purge(state: UserState, memory_id: str) -> None:
    apply(state, MemoriesPurged((memory_id,), NOW_MS, "test"))


def step(state: UserState, cursor: str, *, export: bool) -> tuple[list[str], str]:
    if export:
        found, cursor = export_page(state, cursor, 3, now_ms=NOW_MS)
    else:
        found, cursor, _ = page(state, ListMemories(limit=3, cursor=cursor), now_ms=NOW_MS)
    return [one.memory_id for one in found], cursor


@pytest.mark.parametrize("export", [False, True])
@given(
    times=st.lists(st.integers(0, 3), min_size=1, max_size=25).map(sorted),
    purged=st.lists(st.integers(0, 24), max_size=6),
    moved=st.booleans(),
)
def test_no_memory_that_stays_is_left_out_between_two_pages(
    times: list[int], purged: list[int], moved: bool, export: bool
) -> None:
    state, cursor, shown = filled(times), "", []
    gone = [f"m{number}" for number in purged if number < len(times)]
    for _ in range(60):
        found, cursor = step(state, cursor, export=export)
        shown += found
        if not cursor:
            break
        if gone and (victim := gone.pop()) in state.memories:
            purge(state, victim)
        if moved:
            state = read_from_storage(state)
    assert not cursor
    assert set(state.memories) <= set(shown)
    if not purged:
        assert len(shown) == len(set(shown))


@pytest.mark.parametrize("export", [False, True])
def test_a_page_after_a_purge_and_a_read_from_storage_begins_with_the_next_one(export: bool) -> None:
    state = filled([0] * 10)
    first, cursor = step(state, "", export=export)
    purge(state, "m8" if export is False else "m0")
    second, _ = step(read_from_storage(state), cursor, export=export)
    wanted = [f"m{n}" for n in (range(10) if export else reversed(range(10)))]
    assert first + second == wanted[:6]


@pytest.mark.parametrize("export", [False, True])
@pytest.mark.parametrize("cursor", ["x", ".", "1.", "zz.bTE", "1.!!!!", "1.é", "1." + "a" * 1_100, "1.b", "1._____w"])
def test_a_cursor_of_somebody_elses_making_is_refused(cursor: str, export: bool) -> None:
    with pytest.raises(InvalidMemory) as refused:
        step(filled([0, 1]), cursor, export=export)
    assert refused.value.code == "invalid_cursor"


@pytest.mark.parametrize("name", ["用户 1", "a.b/c&d", "x" * 128, "\N{GRINNING FACE}" * 128])
def test_every_id_fits_into_a_cursor(name: str) -> None:
    state = state_of(*(memory(f"{n}{name}"[:128], "Note") for n in range(5)))
    first, cursor = step(state, "", export=True)
    assert first + step(state, cursor, export=True)[0] == state.ids
    assert cursor.isascii()


def test_what_ends_by_itself_is_listed_soonest_first_and_nothing_that_is_over_or_out_of_sight() -> None:
    state = state_of(
        memory("late", "A", expires_at_ms=NOW_MS + 9),
        memory("soon", "B", expires_at_ms=NOW_MS + 1),
        memory("over", "C", expires_at_ms=NOW_MS),
        memory("stays", "D"),
        memory("work", "E", expires_at_ms=NOW_MS + 5, space="work"),
    )
    found, total = upcoming(state, limit=2, spaces=(), max_sensitivity="sensitive", now_ms=NOW_MS)
    assert ([one.memory_id for one in found], total) == (["soon", "work"], 3)
    found, total = upcoming(state, limit=9, spaces=("shared",), max_sensitivity="sensitive", now_ms=NOW_MS)
    assert ([one.memory_id for one in found], total) == (["soon", "late"], 2)
    with pytest.raises(InvalidMemory):
        upcoming(state, limit=0, spaces=(), max_sensitivity="sensitive", now_ms=NOW_MS)
