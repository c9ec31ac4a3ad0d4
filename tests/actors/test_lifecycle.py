"""The table of phases: every move in it works, every other one raises and changes nothing."""

from itertools import product

import pytest

from actors.lifecycle import TRANSITIONS, Lifecycle, Phase

REASONS = sorted({reason for _, reason in TRANSITIONS})


@pytest.mark.parametrize(("phase", "reason"), list(product(Phase, REASONS)))
def test_only_moves_of_the_table_are_possible(phase: Phase, reason: str) -> None:
    lifecycle = Lifecycle()
    lifecycle.phase = phase
    if (phase, reason) in TRANSITIONS:
        assert lifecycle.to(reason) is TRANSITIONS[phase, reason]
        assert lifecycle.reason == reason
    else:
        with pytest.raises(ValueError, match=reason):
            lifecycle.to(reason)
        assert (lifecycle.phase, lifecycle.reason) == (phase, "called")


def test_nothing_leads_out_of_stopped_and_everything_leads_to_it() -> None:
    assert not [move for move in TRANSITIONS if move[0] is Phase.STOPPED]
    leads_to_stopped = {Phase.STOPPED}
    for _ in Phase:
        leads_to_stopped |= {before for (before, _), after in TRANSITIONS.items() if after in leads_to_stopped}
    assert leads_to_stopped == set(Phase)
