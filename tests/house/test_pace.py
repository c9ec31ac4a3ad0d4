"""The measure of growth that other tests rest on."""

from tests.pace import grows_linearly


def test_work_in_proportion_passes_and_a_square_of_it_does_not() -> None:
    assert grows_linearly(lambda text: sum(1 for _ in text), "a" * 200_000)
    assert not grows_linearly(lambda text: sum(1 for _ in text for _ in text), "a" * 2_000)
