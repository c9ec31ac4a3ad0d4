"""A purge takes along what holds the same text."""

from engine.bound import bound_to
from engine.events import MemoriesPurged, MemoryBinned, MemoryEdited
from engine.forget import decide_due
from engine.memory import TURN, Tier
from engine.policy import Policy
from engine.state import apply
from tests.engine.remembering import NOW_MS, memory, state_of


def test_the_turn_it_was_said_in_and_what_was_made_of_it_go_too() -> None:
    state = state_of(
        memory("t1", "Hi! I keep bees. Any tips?", tier=Tier.WORKING, conversation="c", marks=(TURN,)),
        memory("t2", "Good morning", tier=Tier.WORKING, conversation="c", marks=(TURN,)),
        memory("t1.1", "I keep bees.", tier=Tier.EPISODIC),
        memory("other", "I keep bees", space="work"),
        memory("t1.1.s", "I keep bees.", derived_from=("t1.1", "e2")),
        memory("e2", "There are bees in my garden"),
    )
    assert bound_to(state, ["t1.1"]) == ["t1", "t1.1.s"]
    assert bound_to(state, ["t1.1.s"]) == ["t1", "t1.1"]
    assert bound_to(state, ["e2"]) == ["t1.1.s"]


def test_a_turn_that_holds_an_earlier_text_goes_too() -> None:
    state = state_of(
        memory("t1", "I keep bees.", tier=Tier.WORKING, conversation="c", marks=(TURN,)), memory("m", "I keep bees.")
    )
    apply(state, MemoryEdited("m", NOW_MS, "", {"content": "I keep goats."}))
    assert bound_to(state, ["m"]) == ["t1"]


def test_what_leaves_the_bin_takes_them_along_and_what_expires_does_not() -> None:
    state = state_of(
        memory("e1", "I keep bees.", tier=Tier.EPISODIC, expires_at_ms=NOW_MS + 1),
        memory("e2", "I keep goats.", tier=Tier.EPISODIC),
        memory("s1", "I keep bees.", derived_from=("e1",)),
        memory("s2", "I keep goats.", derived_from=("e2",)),
    )
    apply(state, MemoryBinned("e2", NOW_MS, NOW_MS + 1))
    events, counts = decide_due(state, now_ms=NOW_MS + 1, policy=Policy())
    assert events == (
        MemoriesPurged(("e1",), NOW_MS + 1, "expired"),
        MemoriesPurged(("e2", "s2"), NOW_MS + 1, "bin_over"),
    )
    assert counts == {"expired": 1, "purged": 2, "archived": 0}
