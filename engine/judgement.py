"""A model's opinion: reading one out of whatever a model replied, and what it may do to a decision by rules. Pure.

Rules decide first and always; a model only sharpens. What rules turned away before scoring (small talk, secrets, what
the user asked to keep off the record) is never shown to a model, so it cannot bring it back. An opinion about a
relation is held against the facets of both statements: no model may merge two different numbers.

A model is asked for structured output, then for a JSON object, and where it can do neither the first integer of its
reply counts. Anything else is no opinion (None), and the rules' decision stands.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.decision import Score
from engine.facets import Facets, facets_of

IMPORTANCE_MAX = 10
KEEP_FROM = 4  # An importance of 4 is worth exactly the threshold: 5 is a general preference and is kept.
ARCHIVE_TO = 1  # Afterwards, what was already answered as stored is set aside only when it is next to nothing.
EXPLICIT = 0.9  # So plainly said, or so plainly named by the caller, that a model's low opinion drops nothing.
REPLY_CHARS_MAX = 20_000
BARE_REPLY_CHARS_MAX = 400
STATEMENTS_MAX = 20
STATEMENT_CHARS_MAX = 1_000
_PIECE_CHARS = 500  # Facets are read from the start of a text only.
RELATIONS = ("unrelated", "coexists", "refines", "replaces", "same")
APART = frozenset({"unrelated", "coexists"})

_FENCE = re.compile(r"```[a-zA-Z0-9]*\s*\n?(.*?)```", re.DOTALL)
_SCALE = re.compile(
    r"\d+\s*(?:-|–|—|~|to|through|and|到|至)\s*10\b|\bout of\s+10\b|/\s*10\b|[满滿]分\s*10", re.IGNORECASE
)
_INTEGER = re.compile(r"(?<![\d.,-])(10|[0-9])(?!\d|[.,]\d)")
_REFUSAL = re.compile(
    r"\b(?:sorry|cannot|can't|can not|unable|won't|not able|as an ai)\b|抱歉|对不起|無法|无法|不能|拒绝", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model says of one statement.

    `importance` is 0 (small talk) to 10 (a core fact such as an allergy or an occupation); 5 is a general preference.
    `relations` maps ids of memories it was shown to how the statement stands to them; `seen` maps these ids to the
    version that was shown, because a memory that changed meanwhile was not judged.
    """

    importance: int
    relations: Mapping[str, str] = field(default_factory=dict)
    seen: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert 0 <= self.importance <= IMPORTANCE_MAX, "importance lies within 0 and 10"

    def relation(self, memory_id: str, version: int) -> str:
        """The relation to one memory, or "" where there is no opinion about this version of it."""
        return self.relations.get(memory_id, "") if self.seen.get(memory_id) == version else ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """One statement that a model found in a talk. `turn` is the index of the turn it stands in."""

    text: str
    turn: int
    importance: int


def read_object(reply: str) -> Mapping[str, object] | None:
    """The JSON object of a reply: all of it, in a code fence, or between prose. None where there is none whole."""
    if len(reply) > REPLY_CHARS_MAX:
        return None
    fenced = _FENCE.search(reply)
    for text in (reply.strip(), fenced.group(1).strip() if fenced else "", _first_object(reply)):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _first_object(reply: str) -> str:
    """From the first brace to the one that closes it; braces inside strings do not count."""
    start = reply.find("{")
    depth, quoted, escaped = 0, False, False
    for index in range(start, len(reply)) if start >= 0 else ():
        character = reply[index]
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return reply[start : index + 1]
    return ""


def read_importance(reply: str) -> int | None:
    """The importance in a reply of any form, or None.

    Edges: a reply that began a JSON object and did not end it is None: its number may be cut in half. A scale ("0 to
    10", "/10") is not the answer, and the numbers of a refusal are none.
    """
    found = read_object(reply)
    if found is not None:
        return next((n for name in ("importance", "score") if (n := _whole(found.get(name))) is not None), None)
    if "{" in reply or len(reply) > BARE_REPLY_CHARS_MAX or _REFUSAL.search(reply):
        return None
    bare = _INTEGER.search(_SCALE.sub(" ", reply)) or _INTEGER.search(reply.partition("/")[0])
    return None if bare is None else int(bare.group(1))


def read_opinion(reply: str, known: Sequence[tuple[str, int]]) -> Opinion | None:
    """The opinion in a reply to a question about one statement and some known memories.

    `known` has id and version of each memory in the order in which it was shown, numbered from 1 in the reply.
    Relations that are not of our words, or of a memory that was not shown, are left out.
    """
    importance = read_importance(reply)
    if importance is None:
        return None
    relations: dict[str, str] = {}
    listed = (read_object(reply) or {}).get("relations")
    for one in listed if isinstance(listed, list) else ():
        number, relation = (_number(one.get("memory")), one.get("relation")) if isinstance(one, dict) else (None, None)
        if number is not None and 1 <= number <= len(known) and relation in RELATIONS:
            relations[known[number - 1][0]] = str(relation)
    return Opinion(importance, relations, dict(known))


def read_statements(reply: str, turns_count: int) -> tuple[Extracted, ...] | None:
    """The statements in a reply to a question about a talk; None where it is no list of statements."""
    listed = (read_object(reply) or {}).get("statements")
    if not isinstance(listed, list):
        return None
    found: list[Extracted] = []
    for one in listed[:STATEMENTS_MAX]:
        if not isinstance(one, dict) or not isinstance(one.get("text"), str):
            continue
        text, turn, importance = one["text"].strip(), _number(one.get("turn")), _whole(one.get("importance"))
        if 0 < len(text) <= STATEMENT_CHARS_MAX and turn is not None and 1 <= turn <= turns_count:
            found.append(Extracted(text, turn - 1, 5 if importance is None else importance))
    return tuple(found)


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 6:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not float(value).is_integer():
        return None
    return int(value)


def _whole(value: object) -> int | None:
    number = _number(value)
    return number if number is not None and 0 <= number <= IMPORTANCE_MAX else None


def refined(score: Score, importance: int) -> Score:
    """The score with the model's opinion as its total: 0 is 0, `KEEP_FROM` the threshold, 10 is 1, straight between.

    What was said as plainly as can be keeps at least the rules' total.
    """
    threshold = score.threshold
    if importance < KEEP_FROM:
        total = threshold * importance / KEEP_FROM
    else:
        total = threshold + (1.0 - threshold) * (importance - KEEP_FROM) / (IMPORTANCE_MAX - KEEP_FROM)
    if score.explicitness >= EXPLICIT:
        total = max(total, score.total)
    return replace(score, total=round(total, 3), by="llm")


def settled_relation(by_rules: str, by_model: str, mine: Facets, theirs: Facets) -> str:
    """How the new statement stands to a known one when both rules and a model have spoken; "" = no opinion.

    A model may keep apart what rules would merge or replace. It may merge or replace only where nothing that must
    agree differs: subject for both, and numbers, days, names and polarity for a merge.
    """
    if by_model in APART:
        return by_model
    if by_model in ("same", "refines"):
        return by_model if by_rules in ("same", "refines") or _agree(mine, theirs) else by_rules
    if by_model == "replaces" and mine.subject == theirs.subject:
        return "replaces"
    return by_rules


def grounded(statement: str, said: str) -> bool:
    """Whether a statement that a model made of a text says no more than the text: all its numbers stand there, half of
    its words at least, and a denial only where there is one.
    """
    mine = facets_of(statement)
    pieces = [facets_of(said[at : at + _PIECE_CHARS]) for at in range(0, max(1, len(said)), _PIECE_CHARS)]
    words, there = set(mine.words), {word for piece in pieces for word in piece.words}
    numbers = {number for piece in pieces for number in piece.numbers}
    denied = any(piece.negative for piece in pieces)
    return 2 * len(words & there) >= len(words) > 0 and mine.numbers <= numbers and (denied or not mine.negative)


def _agree(mine: Facets, theirs: Facets) -> bool:
    return (mine.subject, mine.numbers, mine.days, mine.names, mine.negative) == (
        theirs.subject,
        theirs.numbers,
        theirs.days,
        theirs.names,
        theirs.negative,
    )
