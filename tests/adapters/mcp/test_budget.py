"""No result outgrows a client, and no memory is dropped to make it fit."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.tools.budget import ELLIPSIS, TOKENS_MAX, equal_share, fit, shorten, tokens_of
from adapters.tools.text import to_json


def result(contents: list[str]) -> dict[str, object]:
    rows = [
        {"memory_id": f"m{i}", "content": content, "score": 0.5, "why": "x" * 120} for i, content in enumerate(contents)
    ]
    return {"status": "ok", "memories": rows, "abstained": False, "hint": ""}


def contents_of(payload: dict[str, object]) -> list[str]:
    rows = payload["memories"]
    assert isinstance(rows, list)
    return [row["content"] for row in rows]


def test_a_small_result_is_left_alone() -> None:
    small = result(["我对花生过敏", "lives in Shenzhen"])
    assert fit(small) is small


@given(
    st.lists(
        st.text(max_size=40).flatmap(lambda word: st.integers(0, 10_000).map(lambda n: (word * n)[:10_000])),
        max_size=50,
    )
)
def test_whatever_the_memories_hold_the_result_fits_and_none_is_missing(contents: list[str]) -> None:
    fitted = fit(result(contents))
    assert tokens_of(to_json(fitted)) <= TOKENS_MAX + 1
    shown = contents_of(fitted)
    assert len(shown) == len(contents)
    for short, whole in zip(shown, contents, strict=True):
        assert short == whole or (short.endswith(ELLIPSIS) and whole.startswith(short[:-1]))


def test_fifty_of_the_longest_chinese_memories_still_fit() -> None:
    shown = contents_of(fit(result(["花" * 10_000] * 50)))
    assert min(len(content) for content in shown) > 20


def test_short_contents_stay_whole_and_leave_their_share_to_long_ones() -> None:
    shown = contents_of(fit(result(["short"] * 9 + ["long " * 2_000, "long " * 2_000 + "!"])))
    assert shown[:9] == ["short"] * 9
    assert len(shown[9]) > 5_000


def test_a_single_content_is_shortened_too() -> None:
    restored = fit({"status": "restored", "memory_id": "m", "content": "花" * 10_000})
    assert str(restored["content"]).endswith(ELLIPSIS)
    assert restored["memory_id"] == "m"


@given(st.lists(st.floats(0, 1e4), max_size=30), st.floats(0, 1e4))
def test_shares_never_add_up_to_more_than_there_is(costs: list[float], total: float) -> None:
    share = equal_share(costs, total)
    assert sum(min(cost, share) for cost in costs) <= total + 1e-6


def test_shortening_to_nothing_leaves_the_mark() -> None:
    assert shorten("hello", 0) == ELLIPSIS
