"""How a text is cut into words of the table."""

import pytest

from adapters.models.query_words import TEXT_CHARS_MAX, QueryWords

WORDS = ["the", "run", "city", "bake", "kubern", "don't", "1", "17", "2024", "咖", "啡", "咖啡", "咖啡馆", "我", "cafe"]
CUT = QueryWords(WORDS)


def words_of(text: str) -> list[str]:
    return [WORDS[row] for row in CUT.cut(text)[0]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The CITY", ["the", "city"]),
        ("cities", ["city"]),
        ("running runs", ["run", "run"]),
        ("baking", ["bake"]),
        ("the city's", ["the", "city"]),
        ("Don't", ["don't"]),
        ("don\u2019t", ["don't"]),
        ("Café", ["cafe"]),
        ("kubernetes", ["kubern"]),
        ("我咖啡馆咖啡咖", ["我", "咖啡馆", "咖啡", "咖"]),
        ("咖啡館", ["咖啡馆"]),
        ("2024 171", ["2024", "17", "1"]),
        ("", []),
        ("!?… 😀", []),
    ],
)
def test_a_text_is_cut_into_known_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_coverage_is_the_share_of_letters_in_known_words() -> None:
    assert CUT.cut("the city")[1] == 1.0
    assert CUT.cut("the zzzzzzz")[1] == pytest.approx(0.3)
    assert CUT.cut("我咖X")[1] == pytest.approx(2 / 3)
    assert CUT.cut("...")[1] == 0.0


def test_a_guess_by_prefix_adds_a_word_but_no_coverage() -> None:
    rows, coverage = CUT.cut("kubernetes")
    assert len(rows) == 1
    assert coverage == 0.0


def test_scripts_without_words_in_the_table_count_as_unknown() -> None:
    for text in ("Где живёт моя сестра?", "저는 커피를 좋아해요", "أين أعيش", "ありがとう"):
        assert CUT.cut(text) == ([], 0.0)


def test_only_the_start_of_a_long_text_is_read() -> None:
    rows, _ = CUT.cut("我" * (TEXT_CHARS_MAX + 500))
    assert len(rows) == TEXT_CHARS_MAX


@pytest.mark.parametrize("text", ["\0\ud800", "a" * 5000, "\u0301" * 300, "'s 's", "ss ing ed", "\u2019"])
def test_odd_texts_are_cut_without_an_error(text: str) -> None:
    rows, coverage = CUT.cut(text)
    assert 0.0 <= coverage <= 1.0
    assert all(0 <= row < len(WORDS) for row in rows)
