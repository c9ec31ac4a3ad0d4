"""Suppressions: what goes out of sight, what is refused afterwards, and how it comes back."""

from datetime import UTC

import pytest

from engine.change import decide_bin, decide_edit, decide_restore
from engine.commands import Edit
from engine.errors import InvalidMemory, UnknownMemory
from engine.events import MemorySuperseded
from engine.memory import Memory, Status, Tier
from engine.policy import Policy
from engine.state import UserState, apply, check_state, fold
from engine.suppress import (
    check_topic,
    decide_lift,
    decide_suppress,
    is_suppressed,
    suppression_against,
    visible_suppressions,
)
from tests.engine.remembering import NOW_MS, ids, memory, recall, state_of

POLICY = Policy()


def suppress(
    state: UserState, about: str, *found: Memory, suppression_id: str = "s1", spaces: tuple[str, ...] = ()
) -> tuple[str, ...]:
    decision = decide_suppress(state, about, "", found, suppression_id=suppression_id, spaces=spaces, now_ms=NOW_MS)
    fold(state, decision.events)
    check_state(state)
    return decision.memory_ids


def lift(state: UserState, suppression_id: str = "s1") -> tuple[str, ...]:
    decision = decide_lift(state, suppression_id, spaces=(), now_ms=NOW_MS)
    fold(state, decision.events)
    check_state(state)
    return decision.memory_ids


@pytest.fixture
def state() -> UserState:
    return state_of(
        memory("zoe", "I broke up with Zoe in Lyon"),
        memory("old", "Zoe lives in Nice"),
        memory("cat", "I keep bees"),
        memory("guess", "Zoe may have moved", status=Status.PENDING, tier=Tier.WORKING),
    )


def zoes(state: UserState) -> list[Memory]:
    return [state.memories[memory_id] for memory_id in ("zoe", "old", "guess")]


def test_what_is_suppressed_is_found_by_no_search_and_counted(state: UserState) -> None:
    assert suppress(state, "Zoe", *zoes(state)) == ("zoe", "old", "guess")
    result = recall(state, "Zoe in Lyon", min_relevance=0.0, statuses=("active", "pending", "suppressed"))
    assert set(ids(result)) <= {"cat"}
    assert recall(state, "broke up with Zoe").withheld["suppressed"] >= 1


@pytest.mark.parametrize(
    "text",
    [
        "Zoe called me yesterday",
        "I saw zoe at the station.",
        "ZOE'S birthday is in May",
        "我昨天见到Zoe了",
        "The weather was fine. Then Zoe turned up! I left.",
    ],
)
def test_what_is_about_the_topic_is_refused_afterwards(state: UserState, text: str) -> None:
    suppress(state, "Zoe")
    assert suppression_against(state, text, "shared") == "s1"


@pytest.mark.parametrize("text", ["I keep bees", "Zoey is a colleague of mine", "The bus leaves at nine"])
def test_what_is_about_something_else_is_not(state: UserState, text: str) -> None:
    suppress(state, "Zoe")
    assert not is_suppressed(state, text)


def test_the_suppressed_statement_is_refused_also_where_the_topic_is_not_named() -> None:
    state = state_of(memory("m", "My salary is 20000 a month"))
    suppress(state, "what the boss pays", state.memories["m"])
    assert is_suppressed(state, "my salary is 20000 a month!")
    assert is_suppressed(state, "My salary is now 25000 a month")
    assert not is_suppressed(state, "My rent is due on the first")


def test_a_suppression_of_some_spaces_forbids_nothing_in_the_others(state: UserState) -> None:
    suppress(state, "Zoe", spaces=("work",))
    assert is_suppressed(state, "Zoe called", "work")
    assert not is_suppressed(state, "Zoe called", "shared")
    assert visible_suppressions(state, ("shared",)) == []
    assert len(visible_suppressions(state, ("work", "shared"))) == len(visible_suppressions(state, ())) == 1


def test_lifting_gives_each_memory_the_status_it_had(state: UserState) -> None:
    apply(state, MemorySuperseded("old", "zoe", NOW_MS, NOW_MS))
    before = {one.memory_id: (one.status, one.superseded_by, one.valid_to_ms) for one in zoes(state)}
    suppress(state, "Zoe", *zoes(state))
    assert {one.status for one in zoes(state)} == {Status.SUPPRESSED}
    assert set(lift(state)) == {"zoe", "old", "guess"}
    assert {one.memory_id: (one.status, one.superseded_by, one.valid_to_ms) for one in zoes(state)} == before
    assert not is_suppressed(state, "Zoe called")
    assert "zoe" in ids(recall(state, "broke up with Zoe", min_relevance=0.0))


def test_memories_come_back_in_the_order_they_were_stored(state: UserState) -> None:
    suppress(state, "Zoe", *reversed(zoes(state)))
    assert lift(state) == tuple(memory_id for memory_id in state.ids if memory_id in {"zoe", "old", "guess"})


def test_what_another_suppression_covers_stays_out_of_sight(state: UserState) -> None:
    suppress(state, "Zoe", *zoes(state))
    suppress(state, "Lyon", suppression_id="s2")
    assert set(lift(state)) == {"old", "guess"}
    assert (state.memories["zoe"].status, state.memories["zoe"].suppressed_by) == (Status.SUPPRESSED, "s2")
    assert lift(state, "s2") == ("zoe",)
    assert state.memories["zoe"].status is Status.ACTIVE


def test_the_same_topic_again_is_the_same_suppression(state: UserState) -> None:
    suppress(state, "Zoe", state.memories["zoe"])
    assert suppress(state, "zoe.", state.memories["old"], suppression_id="s2") == ("old",)
    assert list(state.suppressions) == ["s1"]
    assert set(lift(state)) == {"zoe", "old"}


def test_the_bin_gives_back_nothing_that_may_not_be_mentioned(state: UserState) -> None:
    fold(state, decide_bin(state, "zoe", "", now_ms=NOW_MS, policy=POLICY).events)
    suppress(state, "Zoe", state.memories["old"])
    fold(state, decide_restore(state, "zoe", now_ms=NOW_MS).events)
    assert (state.memories["zoe"].status, state.memories["zoe"].suppressed_by) == (Status.SUPPRESSED, "s1")
    fold(state, decide_bin(state, "old", "", now_ms=NOW_MS, policy=POLICY).events)
    lift(state)
    fold(state, decide_restore(state, "old", now_ms=NOW_MS).events)
    check_state(state)
    assert {state.memories[i].status for i in ("zoe", "old")} == {Status.ACTIVE}


def test_an_edit_cannot_bring_the_topic_in(state: UserState) -> None:
    suppress(state, "Zoe")
    edit = Edit(memory_id="cat", content="Zoe keeps bees")
    decision = decide_edit(state, edit, now_ms=NOW_MS, zone=UTC, policy=POLICY)
    assert (decision.outcome, decision.events) == ("suppressed", ())


@pytest.mark.parametrize("about", ["", "  ", "that", "这", "!!!"])
def test_a_topic_that_names_nothing_is_refused(state: UserState, about: str) -> None:
    with pytest.raises(InvalidMemory) as raised:
        check_topic(state, about, POLICY)
    assert (raised.value.code, raised.value.field) == ("empty", "about")


def test_an_unknown_or_hidden_suppression_cannot_be_lifted(state: UserState) -> None:
    suppress(state, "Zoe")
    for suppression_id, spaces in (("nobody", ()), ("s1", ("work",))):
        with pytest.raises(UnknownMemory):
            decide_lift(state, suppression_id, spaces=spaces, now_ms=NOW_MS)
