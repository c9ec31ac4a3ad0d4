"""Users spread evenly, stay where they are, and keep their ids to themselves."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from actors.placement import Placement

USERS = [f"user-{number}" for number in range(2_000)]


def test_users_spread_over_the_hosts() -> None:
    counts = Counter(Placement.shared(4).host_of(user) for user in USERS)
    assert len(counts) == 4
    assert min(counts.values()) > 400


def test_one_more_host_moves_only_the_users_it_takes() -> None:
    before, after = Placement.shared(4), Placement.shared(5)
    moved = [user for user in USERS if before.host_of(user) != after.host_of(user)]
    assert {after.host_of(user) for user in moved} == {"host-4"}
    assert len(moved) < 600


def test_a_dedicated_user_has_a_host_whose_name_does_not_show_the_id() -> None:
    placement = Placement.shared(2, ("vip-*",))
    names = {placement.host_of(f"vip-{number}") for number in range(50)}
    assert len(names) == 50
    assert not [name for name in names if "vip" in name]
    assert placement.host_of("somebody") in placement.hosts


@given(st.text(min_size=1, max_size=256))
def test_every_id_has_one_place(user_id: str) -> None:
    placement = Placement.shared(3, ("*-own",))
    assert placement.host_of(user_id) == placement.host_of(user_id)
