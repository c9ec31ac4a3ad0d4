"""Trying only what can match finds what trying everything finds: `engine.signs` held against plain `re`."""

import re
from pathlib import Path

import numpy as np
import pytest

from engine import attributes, cues, relation_words, screen
from engine.clauses import folded
from engine.signs import Signs

SENTENCES = [
    folded(line.split("\t")[-1])
    for name in ("write_sentences_zh.tsv", "write_sentences_en.tsv", "write_pairs.tsv")
    for line in (Path(__file__).parents[2] / "bench" / "data" / name).read_text().splitlines()
]
EXPRESSIONS = {
    **{f"zh {name}": zh for name, (zh, _) in cues._ALL.items()},
    **{f"en {name}": en for name, (_, en) in cues._ALL.items()},
    **{name: "|".join(part for part in pair if part) for name, pair in attributes._PATTERNS.items()},
    "changes": relation_words._CHANGES,
    "hide": screen._HIDE,
    "fiction": screen._FICTION,
    "irony": screen._IRONY,
}
PIECES = sorted({piece for text in EXPRESSIONS.values() for piece in re.findall(r"[\w' ]{2,}", text)})


def found_by_re(expressions: dict[str, str], text: str) -> frozenset[str]:
    return frozenset(name for name, expression in expressions.items() if re.search(expression, text))


def mixed(seed: int) -> str:
    """Slices of sentences and of the expressions themselves, joined in ways nobody writes."""
    dice = np.random.default_rng(seed)
    parts = []
    for _ in range(int(dice.integers(1, 6))):
        source = SENTENCES if dice.random() < 0.5 else PIECES
        piece = source[int(dice.integers(len(source)))]
        start = int(dice.integers(len(piece)))
        parts.append(piece if dice.random() < 0.6 else piece[start : start + int(dice.integers(1, 8))])
    return str(dice.choice(["", " ", ",", "5", "了"])).join(parts)


def test_the_expressions_of_the_engine_find_the_same_in_sentences_and_in_mixtures_of_their_own_pieces() -> None:
    signs = Signs(EXPRESSIONS)
    texts = SENTENCES[::7] + [mixed(seed) for seed in range(700)] + ["", "我", "a"]
    for text in texts:
        assert signs.found_in(text) == found_by_re(EXPRESSIONS, text), text


@pytest.mark.parametrize(
    "expression",
    [
        "不(?!吃)喝",
        "(?<!最)好了$",
        r"\b(red|white|ros[eé])( wine)?\b",
        "(a|bc)?d",
        "(ab|cd)+",
        "(ab){0,2}",
        "[a-z]x|[^a]y",
        "a.{0,3}b|(c|d|ef)(g|h)",
        r"\d{2}(年|月)",
        "^我?(还|现在)?(是)?(单身|结婚)",
        "a|b|",
        "(?:x(?:y|z)|w)(?=v)v",
        "咖+|茶{2,}",
    ],
)
def test_an_expression_and_its_parts_agree(expression: str) -> None:
    signs, dice = Signs({"it": expression, "never": "(?!)"}), np.random.default_rng(5)
    letters = sorted({*re.findall(r"\w", expression), " ", "1", "q", "y"})
    for _ in range(400):
        text = "".join(dice.choice(letters, size=int(dice.integers(0, 9))).tolist())
        expected = re.search(expression, text) is not None
        assert ("it" in signs.found_in(text)) is expected is signs.any_in(text), text
        assert "never" not in signs.found_in(text)


def test_what_cannot_match_is_not_tried() -> None:
    signs = Signs(EXPRESSIONS)
    places = signs._places("the weather is dull and the shops are shut")
    assert len(places) < 0.05 * len(signs._tried)
