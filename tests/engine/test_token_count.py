"""The estimate never lies below the count of a real tokenizer, and not far above it on ordinary talk."""

import base64
import random
import string
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from engine.token_count import token_count

_SPEC = find_spec("litellm")
assert _SPEC is not None and _SPEC.origin is not None
VOCABULARIES = Path(_SPEC.origin).parent / "litellm_core_utils" / "tokenizers"
# The pattern by which the 100,000 pieces of cl100k are looked for, as tiktoken has it.
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)


def _cl100k() -> Callable[[str], int]:
    lines = (VOCABULARIES / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
    encoding = tiktoken.Encoding("cl100k", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def _other(name: str) -> Callable[[str], int]:
    tokenizer = Tokenizer.from_file(str(VOCABULARIES / name))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


TOKENIZERS = (_cl100k(), _other("anthropic_tokenizer.json"), _other("deepseek_tokenizer.json"))
TALK = (
    "I am allergic to peanuts, and I'd rather sit by the window. Could you book a table for four on Friday at 19:30?",
    "我对花生过敏，下周五晚上七点半想订一张靠窗的四人桌。上次那家太吵了，换一家安静点的吧。",
)
AWKWARD = (
    *TALK,
    "Привет, как дела? Я живу в Москве.",
    "私は東京に住んでいます。コーヒーが大好きです。",
    "안녕하세요 저는 서울에 살고 있습니다",
    "ฉันอาศัยอยู่ในกรุงเทพ",
    "أنا أعيش في القاهرة",
    "😀🎉👍🏽👨‍👩‍👧",
    "\n\n\n   \t\t  \n a",
    "qzxjk vwpf strngth rhythm",
    "I do, but I have to go now.",
    '{"id": "9f8e7d", "price": 12.5, "items": [{"name": "blue shoes"}]}',
    "https://www.example.com/a/b-c_d/?q=Zx81kQ",
    "def _word(word: str) -> float:\n    return math.ceil(len(word) / 1.6)\n",
    "龘靐齉爩鱻麤灪籱",
    "",
    "a",
    " ",
)


def real(text: str) -> int:
    return max(count(text) for count in TOKENIZERS)


@pytest.mark.parametrize("text", AWKWARD)
def test_it_never_lies_below_a_real_count(text: str) -> None:
    assert token_count(text) >= real(text)


@given(
    st.integers(0, 2**32),
    st.sampled_from(
        [
            string.ascii_lowercase,
            string.ascii_letters + string.digits + "+/",
            string.hexdigits,
            string.punctuation,
            string.digits + " ",
            "qzxjkvwpf ",
            string.ascii_letters + "-_ ",
        ]
    ),
)
def test_nor_on_random_letters_codes_and_signs(seed: int, alphabet: str) -> None:
    text = "".join(random.Random(seed).choices(alphabet, k=60))
    assert token_count(text) >= real(text)


@pytest.mark.parametrize("text", TALK)
def test_on_talk_it_is_not_far_above(text: str) -> None:
    assert token_count(text) <= 2.4 * real(text)
