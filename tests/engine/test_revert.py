"""Undoing a source, a client or a conversation since a time."""

import pytest

from engine.errors import InvalidMemory
from engine.events import MemorySuperseded
from engine.memory import Source, Status
from engine.policy import DAY_MS, Policy
from engine.revert import Revert, RevertDecision, decide_revert
from engine.state import UserState, apply, check_state, fold
from tests.engine.remembering import NOW_MS, memory, state_of

POLICY = Policy()
BEFORE_MS = NOW_MS - DAY_MS


def revert(state: UserState, **wanted: object) -> RevertDecision:
    wish = Revert(**{"since_ms": BEFORE_MS + 1, **wanted})  # type: ignore[arg-type]
    decision = decide_revert(state, wish, now_ms=NOW_MS, policy=POLICY)
    fold(state, decision.events)
    check_state(state)
    return decision


@pytest.fixture
def state() -> UserState:
    return state_of(
        memory("early", "The office is in Lyon", source=Source.TOOL, said_at_ms=BEFORE_MS),
        memory("tool", "The office is in Nice", source=Source.TOOL, client="crawler", conversation="c1"),
        memory("user", "I keep bees", conversation="c1"),
        memory("other", "I like tea", client="cursor"),
        memory("work", "The desk is oak", source=Source.TOOL, space="work"),
    )


@pytest.mark.parametrize(
    ("wanted", "binned"),
    [
        ({"source": "tool"}, {"tool", "work"}),
        ({"client": "crawler"}, {"tool"}),
        ({"conversation": "c1"}, {"tool", "user"}),
        ({"source": "tool", "conversation": "c1"}, {"tool"}),
        ({"source": "tool", "spaces": ("work",)}, {"work"}),
        ({"source": "agent"}, set()),
        ({"source": "tool", "since_ms": BEFORE_MS}, {"tool", "work", "early"}),
    ],
)
def test_what_came_from_there_since_then_goes_to_the_bin(
    state: UserState, wanted: dict[str, object], binned: set[str]
) -> None:
    assert set(revert(state, **wanted).memory_ids) == binned
    assert {i for i, one in state.memories.items() if one.status is Status.DELETED} == binned
    assert {state.memories[i].restorable_until_ms for i in binned} <= {NOW_MS + 7 * DAY_MS}


def test_what_it_had_replaced_is_current_again(state: UserState) -> None:
    apply(state, MemorySuperseded("early", "tool", NOW_MS, NOW_MS))
    assert revert(state, source="tool").restored_ids == ("early",)
    early = state.memories["early"]
    assert (early.status, early.superseded_by, early.valid_to_ms) == (Status.ACTIVE, None, None)


def test_a_later_good_statement_stays_current(state: UserState) -> None:
    apply(state, MemorySuperseded("early", "tool", NOW_MS, NOW_MS))
    apply(state, MemorySuperseded("tool", "user", NOW_MS, NOW_MS))
    assert revert(state, source="tool").restored_ids == ()
    early = state.memories["early"]
    assert (early.status, early.superseded_by) == (Status.SUPERSEDED, "user")


def test_what_was_consolidated_from_it_goes_too() -> None:
    state = state_of(
        memory("tool", "The office is in Nice", source=Source.TOOL),
        memory("user", "The office is at the sea"),
        memory("both", "The office is in Nice", said_at_ms=BEFORE_MS, derived_from=("tool", "user")),
    )
    assert set(revert(state, source="tool").memory_ids) == {"tool", "both"}


def test_a_revert_that_names_nothing_is_refused(state: UserState) -> None:
    with pytest.raises(InvalidMemory) as raised:
        revert(state)
    assert raised.value.code == "missing_field"
    with pytest.raises(InvalidMemory):
        revert(state, source="nobody")
