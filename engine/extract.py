"""Candidate statements out of a turn of a talk: its sentences that state something, in the words they were said in.

What a recall of ours put into the prompt is cut out first, so that no memory comes back as a new one. A sentence that
begins by pointing back ("It is in Lyon", "那边离公司近") is kept with the one before it. Whether a candidate is worth
keeping is decided afterwards, by the same path as any write.
"""

import re

from engine.clauses import folded
from engine.memory import Source
from engine.reading import read
from engine.smalltalk import is_small_talk

CANDIDATES_MAX = 32
_CANDIDATE_CHARS_MAX = 600
_FENCED = re.compile(
    r"<\s*(memories|(?:recalled|rearview|relevant|retrieved|long-?term)[-_ ]?(?:memory|memories|context))\b[^>]*>"
    r".*?(?:<\s*/\s*\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_RECALLED_LINE = re.compile(
    r"^\s*-\s*\[\d{4}-\d\d-\d\d[^\]]*(?:the user said|a tool reported|a document says|the assistant noted|imported|"
    r"用户说|工具报告|文档记载|助手记下|导入)[^\]]*\].*$",
    re.MULTILINE,
)
_SENTENCE = re.compile(r"[^。！？!?；\r\n]+?(?:[。！？!?；]+[\"'”’）)]*|[\r\n]+|\.+[\"'”’)]*(?=\s|$)|$)")
_ABBREVIATED = re.compile(
    r"\b(?:mr|mrs|ms|dr|st|no|vs|etc|e\.g|i\.e|approx|prof|jr|sr|dept|inc|[a-z])\.\s*$", re.IGNORECASE
)
_ABBREVIATED_CHARS = 12
_POINTS_BACK = re.compile(
    r"^(?:it|its|it's|that|that's|this|these|those|they|they're|he|he's|she|she's|there|which|and|but|so|because|also)\b"
    r"|^(?:它|他|她|那|这|其|而且|但|不过|所以|因为|另外|还有|然后|也)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.、)])\s+")
_SPEAKER = re.compile(r"^\s*(?:user|assistant|human|ai|tool|用户|助手)\s*[:：]\s*", re.IGNORECASE)
# What an assistant says of the world is in its model; what it says of its user, or has done for them, is news.
_OF_THE_USER = re.compile(
    r"\b(?:you|your|yours|you're|you've|the user|the user's|user's|i've|i have|we've)\b"
    r"|你|您|用户|我已|已(?:经)?为|已帮"
)


def without_recalled(content: str) -> str:
    """The text without what a recall of ours put into it: fenced memories, and lines as our fence holds them."""
    return _RECALLED_LINE.sub("", _FENCED.sub(" ", content)).strip()


def candidates(content: str, source: Source) -> tuple[str, ...]:
    """Statements of a turn, in order, at most CANDIDATES_MAX. `content` is without recalled text."""
    found = [piece for piece in _joined(_sentences(content)) if _states(piece, source)]
    return tuple(dict.fromkeys(found))[:CANDIDATES_MAX]


def _sentences(content: str) -> list[str]:
    pieces: list[str] = []
    for found in _SENTENCE.findall(content):
        piece = _SPEAKER.sub("", _BULLET.sub("", found)).strip()
        if pieces and len(pieces[-1]) < _CANDIDATE_CHARS_MAX and _ABBREVIATED.search(pieces[-1][-_ABBREVIATED_CHARS:]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        elif piece:
            pieces.append(piece)
    return pieces


def _joined(sentences: list[str]) -> list[str]:
    """Each sentence that points back goes with the one before, unless the two get too long or that one asks."""
    joined: list[str] = []
    for sentence in sentences:
        before = joined[-1] if joined else ""
        points_back = bool(_POINTS_BACK.match(sentence)) and not before.endswith(("?", "？"))
        if before and points_back and len(before) + len(sentence) < _CANDIDATE_CHARS_MAX:
            joined[-1] = before + ("" if before[-1] in "。！？；" else " ") + sentence
        else:
            joined.append(sentence)
    return joined


def _states(piece: str, source: Source) -> bool:
    view = folded(piece[:_CANDIDATE_CHARS_MAX])
    if is_small_talk(view):
        return False
    if source in (Source.TOOL, Source.DOCUMENT):
        return True
    if source is Source.AGENT and not _OF_THE_USER.search(view):
        return False
    return bool(read(piece).statements) or source is Source.AGENT
