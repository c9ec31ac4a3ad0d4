"""Times at the border: RFC 3339 outside, milliseconds inside."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.replies import TIME_KEYS
from adapters.rendering import parse_time, render, rfc3339
from engine.errors import InvalidMemory

ANY_MS = st.integers(min_value=-62_000_000_000_000, max_value=253_000_000_000_000)


@given(ANY_MS)
def test_every_time_survives_the_way_out_and_back_in(at_ms: int) -> None:
    text = rfc3339(at_ms)
    assert parse_time(text, "said_at") == (at_ms, 0)
    assert datetime.fromisoformat(text).tzinfo is not None


def test_times_are_rendered_however_deep_and_metadata_is_left_alone() -> None:
    shown = render(
        {
            "seq": 5,
            "memory": {"created_at": 0, "occurred_at": None, "metadata": {"at": 5, "created_at": 7}},
            "memories": [{"said_at": 1000, "revisions": [{"at": 2000}]}],
            "restorable_until": 86_400_000,
        }
    )
    assert shown == {
        "seq": 5,
        "restorable_until": "1970-01-02T00:00:00.000+00:00",
        "memory": {
            "created_at": "1970-01-01T00:00:00.000+00:00",
            "occurred_at": None,
            "metadata": {"at": 5, "created_at": 7},
        },
        "memories": [
            {"said_at": "1970-01-01T00:00:01.000+00:00", "revisions": [{"at": "1970-01-01T00:00:02.000+00:00"}]}
        ],
    }


def test_a_memory_renders_like_any_other_reply() -> None:
    memory = dict.fromkeys(TIME_KEYS, 1000) | {
        "metadata": {"at": 5},
        "why": {"sentence": "s"},
        "access_count": 3,
        "revisions": [{"at": 2000, "version": 1}],
    }
    plain = {key: value for key, value in memory.items() if key != "valid_from"}
    shown = render(memory)
    assert shown.pop("valid_from") == rfc3339(1000)
    assert shown == render(plain)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("2026-08-13T20:00:00+08:00", 480),
        ("2026-08-13T12:00:00Z", 0),
        ("2026-08-13T07:00:00-05:00", -300),
        ("2026-08-13T12:00:00", None),
        ("2026-08-13 12:00:00.000", None),
    ],
)
def test_an_offset_is_kept_beside_the_instant(text: str, offset: int | None) -> None:
    noon_ms = int(datetime(2026, 8, 13, 12, tzinfo=UTC).timestamp() * 1000)
    assert parse_time(text, "said_at") == (noon_ms, offset)


def test_a_bare_date_is_its_midnight() -> None:
    assert rfc3339(parse_time("2026-08-13", "from")[0]) == "2026-08-13T00:00:00.000+00:00"


@given(st.text(max_size=80).filter(lambda text: not text[:4].isdigit()))
def test_anything_else_is_refused_by_the_name_of_its_field(text: str) -> None:
    with pytest.raises(InvalidMemory) as refused:
        parse_time(text, "from")
    assert (refused.value.field, refused.value.code) == ("from", "invalid_time")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gestern",
        "9" * 70,
        "2026-13-01",
        "2026-02-30T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59Z",
    ],
)
def test_a_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidMemory):
        parse_time(text, "from")
