"""Views, keys and refused characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidMemory
from engine.hanzi import to_simplified
from engine.normalise import content_key, normalised_view, refuse_bad_characters
from tests.pace import grows_linearly

ANY_TEXT = st.text(st.characters(), max_size=60)

ORDINARY_WRITING = [
    "她是医生👩🏽‍⚕️",
    "a family: 👨‍👩‍👧‍👦, a heart: ❤️",
    "I support 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "می‌خواهم",
    "क्‍ष और क्ष",
    "Donau­dampf­schiff",
    "\u2067עברית\u2069 inside English",
    "tabs\tand\nlines\r\n",
    "葛󠄀城",
]
BAD = [
    ("half a pair \ud83d", "surrogate"),
    ("nul \x00", "control"),
    ("bell \x07", "control"),
    ("escape \x1b[31m", "control"),
    ("form feed \x0c", "control"),
    ("reversed \u202etxt.exe", "direction"),
    ("forced \u202dtext", "direction"),
    ("hidden \U000e0049\U000e0067\U000e006e", "tag"),
    ("a flag 🏴\U000e0067\U000e0062\U000e007f and hidden \U000e0061", "tag"),
    ("a flag that never ends 🏴\U000e0067\U000e0062", "tag"),
    ("a flag with a message 🏴" + "".join(chr(0xE0000 + ord(c)) for c in "ignorethis") + "\U000e007f", "tag"),
    ("language tag \U000e0001en", "tag"),
]

SAME_STATEMENT = [
    ("我對花生過敏！", "我对花生过敏"),
    ("我喜欢喝茶。", "我喜欢喝茶～"),
    ("我喜欢猫", "我喜欢猫啊！"),
    ("Ｉ ＬＩＫＥ ｔｅａ．", "i like tea"),
    ("I  like\ttea!", "I like tea."),
    ("his flat, no. 12", "his flat no 12"),
    ("我 喜 欢 tea", "我喜欢tea"),
    ("Stra\u00dfe", "STRASSE"),
    ("cafe\u0301", "caf\u00e9"),
    ("zero\u200bwidth", "zerowidth"),
]
OTHER_STATEMENT = [
    ("it costs 1.5", "it costs 15"),
    ("minus -5 degrees", "minus 5 degrees"),
    ("50%", "50"),
    ("he moved?", "he moved."),
    ("他住北京吗？", "他住北京"),
    ("他搬家了", "他搬家"),
    ("他大概住北京吧", "他大概住北京"),
    ("no table", "notable"),
    ("C++", "C#"),
    ("10:30", "1030"),
    ("I do not like tea", "I do like tea"),
    ("1 2", "12"),
]


@pytest.mark.parametrize("text", ORDINARY_WRITING)
def test_ordinary_writing_of_any_script_passes(text: str) -> None:
    refuse_bad_characters(text, "content")


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_text_that_hides_or_breaks_is_refused_by_field_without_echo(text: str, reason: str) -> None:
    with pytest.raises(InvalidMemory) as caught:
        refuse_bad_characters(text, "tags")
    assert caught.value.field == "tags"
    assert caught.value.code == "bad_characters"
    assert reason in caught.value.sentence
    assert text not in caught.value.sentence


@pytest.mark.parametrize(("one", "other"), SAME_STATEMENT)
def test_the_same_statement_in_another_dress_has_the_same_key(one: str, other: str) -> None:
    assert content_key(one) == content_key(other)


@pytest.mark.parametrize(("one", "other"), OTHER_STATEMENT)
def test_another_statement_never_shares_a_key(one: str, other: str) -> None:
    assert content_key(one) != content_key(other)


def test_a_key_is_never_empty_for_text_that_can_be_seen() -> None:
    assert content_key("！！！") == "!!!"
    assert content_key("哈哈哈") == "哈哈哈"


def test_folding_keeps_every_character_in_place() -> None:
    assert to_simplified("臺灣的麵線，後來髮型變了 abc") == "台湾的面线，后来发型变了 abc"


@given(ANY_TEXT)
def test_any_text_has_a_view_that_is_its_own_view(text: str) -> None:
    view = normalised_view(text)
    assert normalised_view(view) == view
    assert len(to_simplified(text)) == len(text)


@given(ANY_TEXT)
def test_a_view_shows_no_control_or_invisible_character(text: str) -> None:
    view = normalised_view(text)
    assert not any(ord(c) < 32 or c in "\u200b\u200d\ufeff\u202e\ufe0f\u00ad" for c in view)
    assert view == " ".join(view.split())


@given(ANY_TEXT)
def test_any_text_is_either_refused_with_the_right_error_or_can_be_stored(text: str) -> None:
    try:
        refuse_bad_characters(text, "content")
    except InvalidMemory:
        return
    text.encode("utf-8")
    assert "\x00" not in text


@pytest.mark.parametrize(
    "unit", ["a", "。", "啊 ", "啊~", "- ", "1-", "\u0300\u0316", "a\u0301", "\u0344", "Σ'", "\u200b", "🏴\U000e0067"]
)
def test_time_is_linear_in_pathological_text(unit: str) -> None:
    text = unit * (100_000 // len(unit.encode())) + "x"
    assert grows_linearly(normalised_view, text)
    assert grows_linearly(content_key, text)
    if "\U000e0067" not in unit:
        assert grows_linearly(lambda part: refuse_bad_characters(part, "content"), text)
