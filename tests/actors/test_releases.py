"""Who gives way after an upgrade."""

import pytest

from actors.releases import must_be_replaced
from engine.errors import Unavailable


@pytest.mark.parametrize(("theirs", "ours"), [("0.1.0", "0.2.0"), ("0.9.0", "0.10.0"), ("", "0.1.0"), ("1.0", "1.0.1")])
def test_an_older_host_gives_way(theirs: str, ours: str) -> None:
    assert must_be_replaced(theirs, ours)


@pytest.mark.parametrize(("theirs", "ours"), [("0.2.0", "0.1.0"), ("0.10.0", "0.9.0"), ("2.0", "1.9.9")])
def test_this_process_gives_way_to_a_newer_host(theirs: str, ours: str) -> None:
    with pytest.raises(Unavailable, match=f"{theirs}, this service is {ours}"):
        must_be_replaced(theirs, ours)


def test_a_host_of_the_same_release_stays() -> None:
    assert not must_be_replaced("0.1.0", "0.1.0")
