"""Views of a text for rules and keys, and the characters no text may hold.

A view is what a text says once width, case, script and invisible characters are folded away. It is compared and
thrown away; the stored text is never changed by it. Everything here is linear in the text: Python's normalisation is
quadratic in a run of combining marks, so such runs are cut first (the Stream-Safe Text Format of UAX 15 allows 30).
"""

import re
import unicodedata

from engine.errors import InvalidMemory
from engine.hanzi import to_simplified

_MARKS_MAX = 30
# Below this length even the worst order of marks costs less than a millisecond.
_ALWAYS_CHEAP_CHARS = 500
_LONG_RUN = re.compile(rb"[^\0]{%d,}" % (_MARKS_MAX + 1))

# Soft hyphen, grapheme joiner, Hangul and Khmer fillers, Mongolian selectors, zero widths and directions, invisible
# operators, variation selectors, byte order mark, interlinear marks, musical format controls, tags; and C0/C1 controls.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_UNSEEN = re.compile(f"[{_INVISIBLE}{_CONTROLS}]")

_FLAG_OF_SUBDIVISION = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
_BAD = re.compile(
    "(?P<surrogate>[\ud800-\udfff])"
    "|(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f])"
    "|(?P<direction>[\u202d\u202e])"
    "|(?P<tag>[\U000e0000-\U000e007f])"
)
_WHY_BAD = {
    "surrogate": "The text holds half of a surrogate pair, which is not a character.",
    "control": "The text holds a control character; only tab and line ends are allowed.",
    "direction": "The text holds a character that overrides the direction of reading.",
    "tag": "The text holds invisible tag characters outside a flag.",
}

# Punctuation that says nothing in a key. Kept: % # @ & and ? (a question is not its statement), and all symbols.
_POINTS = "!\"'()*,\\-./:;\\[\\\\\\]{}¡§«¶·»¿‐-―‘-‧‰-⁞、-〃〈-】〔-〟・"
_MARK_OF_NUMBER = "(?:(?<=[0-9])[.,:/-](?=[0-9])|(?<![^\\s(])[-.](?=[0-9]))"
_DROPPED_POINT = re.compile(f"(?!{_MARK_OF_NUMBER})[{_POINTS}]")
# A space stays only between two words that would otherwise run together ("no table", "notable").
_IDLE_SPACE = re.compile(r"(?<![0-9a-z\u00c0-\u1fff])\s+|\s+(?![0-9a-z\u00c0-\u1fff])")
# Final particles that colour a statement and do not change it. Left alone: 了 (it happened), 吗 and 呢 (a question),
# 吧 (a guess).
_COLOURING_END = "啊呀哦喔噢嘛啦哈哟唷呐~ "


def normalised_view(text: str) -> str:
    """The text in one width, case and script, without what cannot be seen, its white space collapsed.

    NFKC, invisible and control characters removed, Traditional folded to Simplified, case folded ("ß" is "ss").
    Applying it twice changes nothing more. Raises nothing, whatever the text.
    """
    if text.isascii():
        return " ".join(_UNSEEN.sub("", text).lower().split())
    return " ".join(to_simplified(_folded(text)).split())


def _folded(text: str) -> str:
    """NFKC and case folding to a fixed point: each can undo the other for a few characters."""
    text = _stream_safe(_UNSEEN.sub("", text))
    for _ in range(4):
        text = _UNSEEN.sub("", unicodedata.normalize("NFKC", text).casefold())
        if unicodedata.is_normalized("NFKC", text):
            break
    return text


def _stream_safe(text: str) -> str:
    """Cut every run of combining marks to 30, so that normalising stays linear."""
    if len(text) <= _ALWAYS_CHEAP_CHARS or text.isascii():
        return text
    marks = bytes(map(unicodedata.combining, text))
    pieces: list[str] = []
    start = 0
    for run in _LONG_RUN.finditer(marks):
        pieces.append(text[start : run.start() + _MARKS_MAX])
        start = run.end()
    pieces.append(text[start:])
    return "".join(pieces)


def content_key(text: str) -> str:
    """A key that is equal for the same statement in another width, case, script, spacing or punctuation.

    Never equal for another statement: signs and points of numbers, %, symbols, question marks and the spaces
    between words stay ("1.5" is not "15", "he moved?" is not "he moved."). Text made of punctuation alone is its
    own key.
    """
    view = normalised_view(text)
    key = _IDLE_SPACE.sub("", " ".join(_DROPPED_POINT.sub(" ", view).split()))
    return key.rstrip(_COLOURING_END).lstrip() or key.strip() or view


def refuse_bad_characters(text: str, field: str) -> None:
    """Raise for characters that cannot be stored or that hide text from its reader.

    Refused: halves of surrogate pairs, NUL and the other C0 controls but tab and line ends, the two direction
    overrides, and tag characters that are not part of a subdivision flag. Joiners (emoji families, Persian),
    variation selectors and direction isolates are ordinary writing and pass.

    Raises:  InvalidMemory naming `field`.
    """
    if text.isascii():
        found = _BAD.search(text)
    else:
        found = _BAD.search(_FLAG_OF_SUBDIVISION.sub("", text))
    if found:
        raise InvalidMemory.of(_WHY_BAD[str(found.lastgroup)], code="bad_characters", field=field)
