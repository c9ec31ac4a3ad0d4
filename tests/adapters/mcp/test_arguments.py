"""What clients send, and what becomes of it."""

import math

import pytest

from adapters.tools.arguments import parse
from adapters.tools.table import FORGET, LIST, SEARCH, UPDATE, WRITE
from engine.errors import InvalidMemory


@pytest.mark.parametrize("empty", [None, "", "  ", "\n"])
def test_null_blank_and_absent_mean_the_same(empty: object) -> None:
    names = [argument.name for argument in WRITE.arguments if argument.name != "content"]
    assert parse(WRITE, {"content": "x", **dict.fromkeys(names, empty)}) == parse(WRITE, {"content": "x"})


@pytest.mark.parametrize(("sent", "read"), [("5", 5), (" 5 ", 5), (5, 5), (5.0, 5), ("5.0", 5), ("null", 8)])
def test_whole_numbers_may_come_as_text(sent: object, read: int) -> None:
    top_k = parse(SEARCH, {"query": "x", "top_k": sent})["top_k"]
    assert top_k == read
    assert isinstance(top_k, int)


@pytest.mark.parametrize(
    "sent", ["many", 0, 51, -1, 1e6, "1e400", 10**400, 1.5, True, [], {}, math.nan, "NaN", math.inf, "9" * 5_000]
)
def test_a_number_that_is_none_or_out_of_bounds_is_refused_by_name(sent: object) -> None:
    with pytest.raises(InvalidMemory) as refused:
        parse(SEARCH, {"query": "x", "top_k": sent})
    assert refused.value.field == "top_k"


@pytest.mark.parametrize("sent", [123, True, [], {"a": 1}, 1.5])
def test_text_must_be_text(sent: object) -> None:
    with pytest.raises(InvalidMemory) as refused:
        parse(WRITE, {"content": sent})
    assert (refused.value.code, refused.value.field) == ("invalid_value", "content")


def test_choices_ignore_case_and_any_or_auto_means_the_default() -> None:
    assert parse(WRITE, {"content": "x", "memory_type": "Semantic"})["memory_type"] == "semantic"
    assert parse(WRITE, {"content": "x", "category": "any"})["category"] == "auto"
    assert parse(SEARCH, {"query": "x", "memory_type_filter": "auto"})["memory_type_filter"] == "any"
    assert parse(LIST, {"status": "any"})["status"] == "any"


def test_an_unknown_choice_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidMemory) as refused:
        parse(WRITE, {"content": "x", "source": "oracle"})
    assert refused.value.field == "source"
    assert "user, tool, agent" in refused.value.sentence
    assert "oracle" not in str(refused.value)


@pytest.mark.parametrize(
    ("sent", "code"), [({}, "missing_field"), ({"content": None}, "missing_field"), ({"content": " "}, "empty")]
)
def test_a_missing_argument_is_named(sent: dict[str, object], code: str) -> None:
    with pytest.raises(InvalidMemory) as refused:
        parse(WRITE, sent)
    assert (refused.value.code, refused.value.field) == (code, "content")


def test_every_required_argument_of_an_update_is_required() -> None:
    whole = {"memory_id": "m", "new_content": "x", "reason": "y"}
    assert parse(UPDATE, whole)["reason"] == "y"
    for name in whole:
        with pytest.raises(InvalidMemory) as refused:
            parse(UPDATE, {key: value for key, value in whole.items() if key != name})
        assert refused.value.field == name


def test_an_unknown_argument_is_named_unless_it_could_be_content() -> None:
    for name, shown in [("importance", "importance"), ("I am allergic to nuts", ""), ("x" * 65, "")]:
        with pytest.raises(InvalidMemory) as refused:
            parse(FORGET, {"memory_id": "m", name: 1})
        assert (refused.value.code, refused.value.field) == ("unknown_field", shown)


@pytest.mark.parametrize("user", ["{{#sys.user_id#}}", "{{request.headers.X-User}}", "a{{b}}c"])
def test_a_placeholder_that_nobody_filled_in_is_not_a_user(user: str) -> None:
    with pytest.raises(InvalidMemory) as refused:
        parse(WRITE, {"content": "x", "user_id": user})
    assert refused.value.field == "user_id"
    assert parse(WRITE, {"content": "use {{name}} in templates"})["content"] == "use {{name}} in templates"
