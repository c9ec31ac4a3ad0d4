"""Places behave as a dict of whole numbers does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.places import NOWHERE, Places

KEYS = st.integers(0, 40)


@given(st.lists(st.tuples(KEYS, st.one_of(st.none(), st.integers(0, 99)))), st.lists(KEYS))
def test_puts_and_drops_in_any_order_come_to_what_a_dict_comes_to(
    steps: list[tuple[int, int | None]], asked: list[int]
) -> None:
    places, wanted = Places(), dict[int, int]()
    for key, value in steps:
        if value is None:
            places.drop(key)
            wanted.pop(key, None)
        else:
            places.put(key, value)
            wanted[key] = value
    assert len(places) == len(wanted)
    assert [places.of(key) for key in asked] == [wanted.get(key, NOWHERE) for key in asked]
    assert places.of_many(np.array(asked, np.int64)).tolist() == [wanted.get(key, NOWHERE) for key in asked]


def test_many_are_put_and_moved_as_one_by_one() -> None:
    places = Places()
    places.put_many(np.array([3, 0, 7]), np.array([30, 0, 70]))
    places.move(np.array([7, 3]), np.array([71, 31]))
    assert [places.of(key) for key in range(9)] == [0, NOWHERE, NOWHERE, 31, NOWHERE, NOWHERE, NOWHERE, 71, NOWHERE]
    assert len(places) == 3
    assert places.of(-1) == NOWHERE
