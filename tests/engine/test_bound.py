"""A purge takes along what holds the same text."""

from engine.bound import bound_to
from engine.events import MemoryEdited
from engine.memory import TURN, Tier
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
    assert bound_to(state, "t1.1") == ["t1", "t1.1.s"]
    assert bound_to(state, "t1.1.s") == ["t1", "t1.1"]
    assert bound_to(state, "e2") == ["t1.1.s"]


def test_a_turn_that_holds_an_earlier_text_goes_too() -> None:
    state = state_of(
        memory("t1", "I keep bees.", tier=Tier.WORKING, conversation="c", marks=(TURN,)), memory("m", "I keep bees.")
    )
    apply(state, MemoryEdited("m", NOW_MS, "", {"content": "I keep goats."}))
    assert bound_to(state, "m") == ["t1"]
