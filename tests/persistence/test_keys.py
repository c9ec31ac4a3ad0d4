"""Two different users never share a key or a file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidMemory
from persistence import keys

user_ids = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=256)


@given(user_ids, user_ids)
def test_different_users_have_different_keys_and_directories(one: str, other: str) -> None:
    assert (keys.journal(one) == keys.journal(other)) == (one == other)
    assert (keys.snapshot_directory(one) == keys.snapshot_directory(other)) == (one == other)


@given(user_ids)
def test_the_user_is_read_back_from_a_key_and_nothing_else_closes_the_hash_tag(user_id: str) -> None:
    head = keys.head(user_id)
    assert keys.user_of_key(head.encode()) == user_id
    assert (head.count("{"), head.count("}")) == (1, 1)
    assert head.isascii()
    tags = {
        key[key.index("{") : key.index("}")]
        for key in (head, keys.journal(user_id), keys.receipts(user_id), keys.receipt_times(user_id))
    }
    assert len(tags) == 1


@given(user_ids)
def test_paths_are_short_and_stay_below_the_root(user_id: str) -> None:
    directory = keys.snapshot_directory(user_id)
    assert len(str(directory)) < 100
    assert ".." not in directory.parts
    assert not directory.is_absolute()


def test_a_user_id_that_is_no_unicode_is_refused() -> None:
    for name in (keys.head, keys.snapshot_directory):
        with pytest.raises(InvalidMemory) as refused:
            name("\ud800")
        assert refused.value.field == "user"


def test_snapshot_names_sort_by_age() -> None:
    orders = [(1, 5, 0), (2, 1, 0), (2, 1, 1), (2, 1_760_000_000_000_000, 0), (10**12, 1, 0)]
    names = [keys.snapshot_name(*order) for order in orders]
    assert names == sorted(names)
    assert [keys.snapshot_order(name) for name in names] == orders


@pytest.mark.parametrize("name", ["README", "1-2.snap", "a-b-c.snap", "1-2-3.snap.tmp", "1-2--3.snap", "²-1-1.snap"])
def test_other_names_are_no_snapshots(name: str) -> None:
    assert keys.snapshot_order(name) is None
