"""A user's own settings: what is taken, what is refused, and what they change."""

import pytest

from engine.errors import InvalidMemory
from engine.user_settings import Settings, check_settings
from tests.engine.deciding import Desk

PLAIN: dict[str, object] = {
    "time_zone": "",
    "language": "",
    "half_life_days": None,
    "capacities": None,
    "dedicated": False,
}


def test_one_half_life_is_for_all_and_one_by_category_for_that_alone() -> None:
    assert Settings().half_life_of("fact", 7.0) == 7.0
    assert Settings(half_life_days=30.0).half_life_of("fact", 7.0) == 30.0
    by_category = Settings(half_life_days={"fact": 90.0})
    assert (by_category.half_life_of("fact", 7.0), by_category.half_life_of("event", 7.0)) == (90.0, 7.0)


def test_a_user_may_hold_less_than_the_server_allows_and_never_more() -> None:
    assert Settings().capacity_of("semantic", 100) == 100
    own = Settings(capacities={"semantic": 3, "episodic": 500})
    assert [own.capacity_of(tier, 100) for tier in ("semantic", "episodic", "working")] == [3, 100, 100]


@pytest.mark.parametrize(
    "given",
    [
        {"language": "x" * 17},
        {"language": "a\0"},
        {"language": 5},
        {"half_life_days": 0},
        {"half_life_days": True},
        {"half_life_days": {"fact": -1}},
        {"half_life_days": {"mood": 5}},
        {"half_life_days": float("nan")},
        {"half_life_days": 3_651},
        {"capacities": {"semantic": 0}},
        {"capacities": {"attic": 1}},
        {"capacities": 5},
        {"capacities": {"semantic": 1.5}},
        {"dedicated": 1},
    ],
)
def test_what_cannot_be_used_is_refused_by_name(given: dict[str, object]) -> None:
    check_settings(PLAIN)
    with pytest.raises(InvalidMemory) as refused:
        check_settings({**PLAIN, **given})
    assert refused.value.field == next(iter(given))


def test_what_was_set_is_taken() -> None:
    check_settings({**PLAIN, "half_life_days": {"fact": 90, "task": 0.5}, "capacities": {"semantic": 3}})
    check_settings({**PLAIN, "half_life_days": 14, "language": "zh-Hans", "dedicated": True})
    assert Desk().state.settings == Settings()
