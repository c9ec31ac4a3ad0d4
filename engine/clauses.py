"""A text cut into sentences and clauses, on the normalised view.

The view is lower case, Simplified and NFKC, so that a full-width comma is already a plain one. A clause is what
stands between commas; whether its sentence asks something is noted, because in "I have no oven, can I bake this?"
only the second half is a question.
"""

import re
from dataclasses import dataclass

from engine.normalise import normalised_view

CLAUSES_MAX = 64
_HALF = CLAUSES_MAX // 2
_LINES = re.compile(r"[\r\n]+")
_SENTENCE = re.compile(r"[^。!?;…\u2028]*[。!?;…]*")
_LATIN_STOP = re.compile(r"(?<=[a-z0-9)\"'\]])\.+(?=\s|$)")
_COMMA = re.compile(
    r",(?!\d{3})|(?<=[a-z ]) [-–—]+ (?=[a-z])|——|(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])|(?<=[a-z]):\s"
)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'"})


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the view. `asks`: its sentence ends in a question mark; `last`: it ends the sentence."""

    text: str
    sentence: int
    asks: bool
    last: bool


def folded(text: str) -> str:
    """The normalised view with one kind of apostrophe, and no stops inside "a.m."."""
    return normalised_view(text).translate(_QUOTES).replace("a.m.", "am").replace("p.m.", "pm")


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Clauses in order, at most CLAUSES_MAX: of a longer text the first and the last ones."""
    found: list[Clause] = []
    sentence = 0
    for line in _LINES.split(text):
        for raw in _SENTENCE.findall(_LATIN_STOP.sub("。", folded(line))):
            body = raw.rstrip("。!?;… ").strip()
            if not body:
                continue
            parts = [part.strip() for part in _COMMA.split(body) if part and part.strip()]
            asks = "?" in raw[len(raw.rstrip("。!?;… ")) :]
            found += [Clause(part, sentence, asks, position == len(parts) - 1) for position, part in enumerate(parts)]
            sentence += 1
    return tuple(found) if len(found) <= CLAUSES_MAX else (*found[:_HALF], *found[-_HALF:])
