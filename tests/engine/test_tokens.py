"""Tokens of every script, and what queries keep of them."""

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hanzi import to_simplified
from engine.stems import stem
from engine.tokens import TOKENS_VERSION, document_tokens, query_tokens, query_weights
from tests.pace import grows_linearly

ANY_TEXT = st.text(st.characters(), max_size=80)
LATIN_AND_HAN = st.text("abcdefgh XYZéüñ0123456789.-@我對花生過敏臺灣國語 ，。", max_size=40)

# What is asked for, and the text that must be found by it.
MEETS = [
    ("moved", "We are moving to Porto."),
    ("move", "She moves every year"),
    ("go", "I went to Rome"),
    ("buy", "He bought a bike"),
    ("child", "three children"),
    ("colour", "my favorite color"),
    ("cafe", "the café"),
    ("CAFÉ", "cafe"),
    ("Lodz", "Łódź"),
    ("strasse", "Straße"),
    ("caroline", "Caroline's mother"),
    ("过敏", "我對花生過敏"),
    ("花生", "他不吃花生醬"),
    ("敏", "过敏"),
    ("Ａ股", "他炒A股"),
    ("5月2日", "我们5月2日见"),
    ("05", "5"),
    ("1200", "1,200 yuan"),
    ("3.5", "about 3.5 kg"),
    ("iphone", "my iPhone15"),
    ("iphone 15", "iphone15"),
    ("3 pm", "at 3pm"),
    ("SF1234567890", "单号SF1234567890已发"),
    ("13812345678", "call 138-1234-5678"),
    ("ann@example.com", "write to Ann@Example.com."),
    ("report_v2.final.pdf", "the file report_v2.final.pdf is late"),
    ("report", "the file report_v2.final.pdf is late"),
    ("2024-05-02", "on 2024-05-02"),
    ("2", "on 2024-05-02"),
    ("C++", "he writes C++ daily"),
    ("커피", "커피를 좋아해요"),
    ("집", "집에서 일해요"),
    ("コーヒー", "ｺｰﾋｰが好き"),
    ("らーめん", "ラーメンが食べたい"),
    ("привёт", "привет, мир"),
    ("مرحبا", "مَرْحَبًا بالعالم"),
    ("١٢", "room 12"),
    ("🎉", "party 🎉🎉"),
]
MISSES = [
    ("C++", "he writes C daily"),
    ("1.5", "15"),
    ("SF1234567890", "SF1234567891"),
    ("花生", "花园和学生"),
    ("university", "the universe"),
]


def shared(query: str, text: str) -> set[str]:
    return set(query_tokens(query)) & set(document_tokens(text))


@pytest.mark.parametrize(("query", "text"), MEETS)
def test_a_query_meets_the_text_that_says_it(query: str, text: str) -> None:
    assert shared(query, text), (query_tokens(query), document_tokens(text))


@pytest.mark.parametrize(("query", "text"), MISSES)
def test_the_firmest_token_of_a_query_misses_a_look_alike(query: str, text: str) -> None:
    firmest = max(query_tokens(query), key=len)
    assert firmest not in document_tokens(text)


def test_stop_words_are_dropped_only_beside_other_words() -> None:
    assert query_tokens("what is the name of my dog") == ["name", "dog"]
    assert query_tokens("who are you") == ["who", "be", "you"]
    assert query_tokens("的") == ["的"]
    assert "什么" not in query_tokens("我的狗叫什么")


def test_bigrams_of_a_chinese_query_weigh_more_than_its_characters() -> None:
    weights, particles = query_weights("推荐餐厅")
    assert weights["餐厅"] > weights["餐"] > 0
    assert particles == {}


@pytest.mark.parametrize("query", ["The weather is lovely. Where is my dog?", "今天天气真好。我的狗在哪？"])
def test_of_a_message_that_tells_and_asks_what_is_asked_counts_more(query: str) -> None:
    weights, _ = query_weights(query)
    asked, beside = ("dog", "weather") if query.isascii() else ("的狗", "天气")
    assert weights[asked] == 1.0
    assert weights[beside] == 0.6


@pytest.mark.parametrize("query", ["Where is my dog?", "my dog", "my dog. his name", "My dog is ill. What now?"])
def test_a_query_that_is_one_question_or_none_counts_as_a_whole(query: str) -> None:
    assert set(query_weights(query)[0].values()) == {1.0}


def test_particles_refine_and_never_find() -> None:
    weights, particles = query_weights("trip to Rome")
    assert set(weights) == {"trip", "rome"}
    assert set(particles) == {"to"}


def test_stems_agree_with_the_published_algorithm() -> None:
    # What the stemmer published by the algorithm's authors (snowballstemmer 3) answers.
    published = {
        "consigned": "consign", "consistently": "consist", "consolations": "consol", "knightly": "knight",
        "generously": "generous", "hopping": "hop", "hoping": "hope", "dyed": "dy", "nationalization": "nation",
        "rationally": "ration", "skies": "sky", "happily": "happili", "university": "universiti",
        "organization": "organiz", "evening": "evening", "added": "add", "vileness": "vile", "beauties": "beauti",
        "cries": "cri", "ties": "tie", "gas": "gas", "gaps": "gap", "kiwis": "kiwi", "geologist": "geolog",
        "controlling": "control", "agreed": "agre",
    }  # fmt: skip
    assert {word: stem(word) for word in published} == published


def test_tokens_change_only_together_with_their_version() -> None:
    everything = " ".join(text for pair in [*MEETS, *MISSES] for text in pair)
    digest = hashlib.sha256("\n".join(document_tokens(everything)).encode()).hexdigest()[:16]
    # When this fails on purpose: raise TOKENS_VERSION and write the new pair here.
    assert (TOKENS_VERSION, digest) == (1, "7498a964db5a2557")


@given(ANY_TEXT)
def test_any_text_at_all_has_tokens_that_can_be_stored(text: str) -> None:
    for token in document_tokens(text):
        assert 0 < len(token) <= 64
        assert not any(c.isspace() or ord(c) < 32 for c in token)
    assert set(query_tokens(text)) <= set(document_tokens(text))


@given(LATIN_AND_HAN)
def test_width_case_and_script_make_no_difference(text: str) -> None:
    tokens = document_tokens(text)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert document_tokens(wide) == tokens
    assert document_tokens(text.upper().lower()) == document_tokens(text.upper())
    assert document_tokens(to_simplified(text)) == tokens
    assert document_tokens(unicodedata.normalize("NFD", text)) == tokens


@given(st.text("커피를좋아해요집에서", min_size=1, max_size=12))
def test_composed_and_decomposed_hangul_are_the_same(text: str) -> None:
    assert document_tokens(unicodedata.normalize("NFD", text)) == document_tokens(text)


@given(st.text("abc我你好ab12", min_size=1, max_size=10), st.text("abc我你好ab12 ", max_size=20))
def test_a_text_holds_every_token_of_itself(start: str, end: str) -> None:
    assert set(document_tokens(f"{start} {end}")) >= set(document_tokens(start))


@pytest.mark.parametrize(
    "unit",
    ["a", "a-", "a--", "1,", "1,234", "a1", "ab1-", "a'", "x.y@", ",1", "++", "a+", "。", "啊", "啊a", "한", "กา",
     "ア", "😀", "\u0300\u0316", "a\u0301", "Σ'"],
)  # fmt: skip
def test_time_is_linear_in_pathological_text(unit: str) -> None:
    text = unit * (100_000 // len(unit.encode()))
    assert grows_linearly(document_tokens, text)
    assert grows_linearly(query_tokens, text)
