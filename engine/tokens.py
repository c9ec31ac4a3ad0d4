"""Words of a text for the keyword index.

One pass of one regular expression over the folded text cuts it into pieces by script, and each kind of piece has its
own tokens. Latin, Greek and Cyrillic: words, English ones by stem. Han and kana: characters and bigrams, because
nothing marks where a word ends. Hangul: bigrams and the word without its particle. Numbers, e-mails, file names, order
numbers: whole, and in parts. Every pattern moves forward only, so the time is linear in the text whatever it holds.

Alternatives rejected: a Chinese word segmenter (20-60 MB a process, and a word cut differently in question and
memory is lost); SQLite's own tokenisers (no bigrams, no stems together with ids).
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.normalise import normalised_view
from engine.stems import stem
from engine.stop_words import ASKING_TOKENS, ASKING_WEIGHT, PARTICLE_WEIGHT, PARTICLES, STOP_TOKENS

# Raise this whenever any text gets other tokens than before: packed indexes of an older version are then made anew.
TOKENS_VERSION = 1

# A longer token is kept by its beginning; nobody asks with more.
_TOKEN_CHARS_MAX = 64
# A query longer than this is a pasted page; its beginning says what it is about.
QUERY_CHARS_MAX = 2000
LOOSE_CHARACTER_WEIGHT = 0.75
# Of a message that tells something and then asks, what is asked counts; the rest says around what.
BESIDE_WEIGHT = 0.6

_HAN = "\u3005\u3007\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_LETTER = "0-9a-z\u00d8-\u00f6\u00f8-\u052f\u1e00-\u1fff"
_OTHER = (
    "\u0531-\u0587\u0591-\u0963\u0966-\u0dff\u0f00-\u0fff\u10a0-\u10ff\u1200-\u177f\u1800-\u1cff\u2c00-\u2dff"
    "\ua4d0-\uabff\ufb00-\ufdff\ufe70-\ufefc\U00010000-\U0001efff"
)
_PICTURE = "\u2600-\u27bf\U0001f300-\U0001faff"
_PIECE = re.compile(
    f"(?P<latin>[{_LETTER}]+(?:(?:[._@:/+#&'-]|,(?=[0-9]{{3}}))[{_LETTER}]+)*(?:\\+\\+|#)?)"
    f"|(?P<han>[{_HAN}{_KANA}]+)"
    f"|(?P<hangul>[{_HANGUL}]+)"
    f"|(?P<unspaced>[{_UNSPACED}]+)"
    f"|(?P<other>[{_OTHER}]+)"
    f"|(?P<picture>[{_PICTURE}])"
)
_PART = re.compile(f"[{_LETTER}]+")
_GLUED = re.compile("([a-z]{2,})([0-9]+)|([0-9]+)([a-z]+)")
_ORDINAL = re.compile("([0-9]+)(?:st|nd|rd|th)")
_GROUPED = re.compile("[0-9]{1,3}(?:,[0-9]{3})+(?:\\.[0-9]+)?")
_DECIMAL = re.compile("[0-9]+\\.[0-9]+")
_HAN_CHAR = re.compile(f"[{_HAN}]")
_BIGRAM_SCRIPT = re.compile(f"[{_HAN}{_KANA}{_HANGUL}{_UNSPACED}]")

_SENTENCE_END = re.compile(r"[?!。;\n]+|\.(?=\s)")

_ACCENTED = re.compile("[\u00c0-\u024f\u0300-\u036f\u0370-\u052f\u05b0-\u06ff\u1e00-\u1fff]")
_ACCENT = re.compile("[\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u0652\u0670]+")
_FOLDS = {
    ord(letter): plain
    for letter, plain in (
        ("ø", "o"), ("ł", "l"), ("đ", "d"), ("ð", "d"), ("æ", "ae"), ("œ", "oe"), ("þ", "th"), ("ı", "i"), ("ħ", "h"),
        ("ŧ", "t"), ("ʼ", "'"), ("’", "'"), ("‘", "'"),
    )
}  # fmt: skip
_FOLDS |= {katakana: chr(katakana - 0x60) for katakana in range(0x30A1, 0x30F7)}
_FOLDS |= {first + digit: str(digit) for first in (0x660, 0x6F0, 0x966, 0xE50) for digit in range(10)}

# Longest first. A particle is cut only where a noun is left.
_HANGUL_PARTICLES = (
    "에서는", "에게서", "으로는", "으로도", "이라고", "이랑은", "까지는", "부터는", "에서", "에게", "한테", "으로",
    "이나", "이랑", "까지", "부터", "처럼", "보다", "마다", "밖에", "조차", "라고", "하고", "이고", "인데", "이다",
    "에는", "에도", "이는", "은", "는", "이", "가", "을", "를", "에", "의", "도", "로", "와", "과", "만", "랑",
    "나", "야", "께",
)  # fmt: skip


# A token and where it stands in the folded text: start, end. Plain tuples, because a text has dozens.
Span = tuple[str, int, int]


def document_tokens(text: str) -> list[str]:
    """Tokens of a stored text, in the order of the text, repeated as often as they occur."""
    return [token for token, _, _ in spans_of(folded_for_tokens(text))]


def query_tokens(text: str) -> list[str]:
    """Tokens to look for, each once: stop words are dropped while any other token remains."""
    return _without_stop_words(_query_tokens_of(text))


def query_weights(text: str) -> tuple[dict[str, float], dict[str, float]]:
    """What each token of a query counts: the ones that find a memory, and the particles that only refine.

    A character beside its bigrams counts less: enough to tell look-alikes apart, too little to beat a word. So does
    a word that stands only in sentences that ask nothing, where others ask.
    """
    tokens = _query_tokens_of(text)
    finding = _without_stop_words(tokens)
    some_firm = any(not is_loose_character(token) for token in finding)
    weights: dict[str, float] = {}
    for token in finding:
        weights[token] = ASKING_WEIGHT if token in ASKING_TOKENS else 1.0
        if some_firm and is_loose_character(token):
            weights[token] = LOOSE_CHARACTER_WEIGHT
    if asking := _asking_sentences(folded_for_tokens(text[:QUERY_CHARS_MAX])):
        spans = query_spans(text)
        asked = {token for token, start, _ in spans if any(first <= start < end for first, end in asking)}
        if not asked.isdisjoint(weights):
            weights = {token: weight if token in asked else BESIDE_WEIGHT * weight for token, weight in weights.items()}
    return weights, {token: PARTICLE_WEIGHT for token in tokens if token in PARTICLES and token not in weights}


def _asking_sentences(folded: str) -> list[tuple[int, int]]:
    """Where the sentences stand that end in a question mark; none when all do, or the text is one sentence."""
    asking: list[tuple[int, int]] = []
    start, others = 0, False
    for mark in _SENTENCE_END.finditer(folded):
        if "?" in mark[0]:
            asking.append((start, mark.end()))
        else:
            others = others or any(map(str.isalnum, folded[start : mark.start()]))
        start = mark.end()
    others = others or any(map(str.isalnum, folded[start:]))
    return asking if others else []


@lru_cache(maxsize=1)
def query_spans(text: str) -> tuple[Span, ...]:
    """All tokens of a query with their places in its folded form.

    Remembered for the last query, whose words are ranked, weighed and shown one after another.
    """
    return tuple(spans_of(folded_for_tokens(text[:QUERY_CHARS_MAX])))


def _query_tokens_of(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for token, _, _ in query_spans(text)))


def _without_stop_words(tokens: Sequence[str]) -> list[str]:
    return [token for token in tokens if token not in STOP_TOKENS] or list(tokens)


def is_loose_character(token: str) -> bool:
    """Whether a token is one character of a script cut into bigrams, which says little beside its bigrams."""
    return len(token) == 1 and not token.isascii() and _BIGRAM_SCRIPT.match(token) is not None


def folded_for_tokens(text: str) -> str:
    """The normalised view, with accents, vowel points, katakana and foreign digits folded as well."""
    if text.isascii():
        return text.lower()
    view = normalised_view(text)
    if _ACCENTED.search(view):
        # Only the accents go: composing again keeps kana and Hangul whole.
        view = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", view)))
    return view.translate(_FOLDS)


def spans_of(folded: str) -> list[Span]:
    """All tokens of a folded text with their places."""
    spans: list[Span] = []
    glue = ""
    glue_end = -1
    for piece in _PIECE.finditer(folded):
        kind, (start, end) = piece.lastgroup, piece.span()
        word = piece.group()
        if kind == "latin":
            if word.isalpha():
                spans.append((stem(word)[:_TOKEN_CHARS_MAX], start, end))
            else:
                spans.extend(_latin(word, start))
            glue, glue_end = (word, end) if end - start <= 4 else ("", -1)
            continue
        if kind == "han":
            if start == glue_end:
                # "5月", "3楼", "t恤", "k歌": neither half alone says it.
                spans.append((glue + word[0], start - len(glue), start + 1))
            spans.extend(_characters_and_bigrams(word, start))
        elif kind == "hangul":
            spans.extend(_hangul(word, start))
        elif kind == "unspaced":
            spans.extend(_characters_and_bigrams(word, start))
        else:
            spans.append((word[:_TOKEN_CHARS_MAX], start, end))
    return spans


def _latin(word: str, start: int) -> Iterator[Span]:
    """A word with an apostrophe by its stem; anything else with points or digits whole and in parts."""
    end = start + len(word)
    if "'" in word:
        word = word[:-2] if word.endswith("'s") else word.replace("'", "")
        if word.isalpha():
            yield stem(word)[:_TOKEN_CHARS_MAX], start, end
            return
    if word.isdigit():
        yield from _number(word, start, end)
        return
    if _GROUPED.fullmatch(word):
        yield word.replace(",", "")[:_TOKEN_CHARS_MAX], start, end
        return
    yield word[:_TOKEN_CHARS_MAX], start, end
    if not _DECIMAL.fullmatch(word):
        yield from _parts(word, start)


def _number(word: str, start: int, end: int) -> Iterator[Span]:
    """A run of digits as written; "05" is "5" as well, since dates and times are written both ways."""
    yield word[:_TOKEN_CHARS_MAX], start, end
    if len(word) == 2 and word[0] == "0":
        yield word[1], start, end


def _parts(word: str, start: int) -> Iterator[Span]:
    """What stands between the points of an id, an address or a date, and the halves of "iphone15" and "3pm"."""
    digits = word.replace("-", "").replace("/", "").replace(".", "")
    if digits.isdigit() and len(digits) >= 7 and digits != word:
        # A telephone or order number, however it is grouped.
        yield digits[:_TOKEN_CHARS_MAX], start, start + len(word)
    for part in _PART.finditer(word):
        text, at, end = part.group(), start + part.start(), start + part.end()
        if text.isdigit():
            yield from _number(text, at, end)
            continue
        if text != word:
            yield stem(text)[:_TOKEN_CHARS_MAX], at, end
        ordinal = _ORDINAL.fullmatch(text)
        if ordinal:
            yield from _number(ordinal.group(1), at, end)
        elif glued := _GLUED.fullmatch(text):
            first, second = glued.group(1) or glued.group(3), glued.group(2) or glued.group(4)
            yield stem(first)[:_TOKEN_CHARS_MAX], at, at + len(first)
            yield stem(second)[:_TOKEN_CHARS_MAX], at + len(first), end


def _characters_and_bigrams(run: str, start: int) -> Iterator[Span]:
    """Han characters and all bigrams; a kana stands alone only where nothing is beside it."""
    last = len(run) - 1
    for index, character in enumerate(run):
        at = start + index
        if last == 0 or character >= "\u3100" or character in "々〇":
            yield character, at, at + 1
        if index < last:
            yield run[index : index + 2], at, at + 2


def _hangul(word: str, start: int) -> Iterator[Span]:
    """Bigrams, and the noun left when a particle is cut off, so that "커피를" is found by "커피"."""
    end = start + len(word)
    noun = word
    for particle in _HANGUL_PARTICLES:
        if len(word) > len(particle) and word.endswith(particle):
            noun = word[: -len(particle)]
            break
    if len(noun) != 2:
        yield noun[:_TOKEN_CHARS_MAX], start, start + len(noun)
    if noun is not word and len(word) != 2:
        yield word[:_TOKEN_CHARS_MAX], start, end
    for index in range(len(word) - 1):
        yield word[index : index + 2], start + index, start + index + 2
