"""Cuts a text into words of the query table.

Chinese: longest match, single characters last. Latin: lower-case words, accents removed, then suffix rules, then the
longest known prefix (a guess that adds to the vector but not to the coverage). Numbers: the longest known pieces.
The same code cuts the training sentences when the table is made, so that its words carry what they carry in queries.
"""

import re
import unicodedata
from collections.abc import Sequence

from engine.normalise import normalised_view

# A long text is judged by its start: the bundled model reads no more than about this much either.
TEXT_CHARS_MAX = 2_000
HAN_WORD_CHARS_MAX = 5
PREFIX_CHARS_MIN = 4

_RUN = re.compile(
    "(?P<latin>[a-z\u00df-\u024f]+(?:['\u2019][a-z]+)?)|(?P<digits>[0-9]+)|(?P<han>[\u4e00-\u9fff]+)|(?P<other>[^\\W_])"
)
_APOSTROPHE_ENDINGS = ("'s", "'re", "'ve", "'ll", "'d", "'m")
# Ending -> what may stand in its place, in the order tried.
_SUFFIXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ies", ("y", "ie")),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ying", ("ie", "y")),
    ("ing", ("", "e")),
    ("ied", ("y",)),
    ("ed", ("", "e")),
    ("ily", ("y",)),
    ("ly", ("", "le")),
    ("iest", ("y",)),
    ("est", ("", "e")),
    ("ier", ("y",)),
    ("er", ("", "e")),
    ("ness", ("",)),
    ("ful", ("",)),
    ("less", ("",)),
    ("ment", ("",)),
    ("ist", ("y", "")),
)


class QueryWords:
    """The words of one table and how a text is cut into them. Immutable; safe to share between threads."""

    def __init__(self, words: Sequence[str]) -> None:
        """`words[row]` belongs to row `row` of the table; the first of equal words wins."""
        self._rows: dict[str, int] = {}
        self._longest_han: dict[str, int] = {}
        for row, word in enumerate(words):
            self._rows.setdefault(word, row)
            if "\u4e00" <= word[0] <= "\u9fff":
                self._longest_han[word[0]] = max(self._longest_han.get(word[0], 0), len(word))

    def __len__(self) -> int:
        return len(self._rows)

    def cut(self, text: str) -> tuple[list[int], float]:
        """Rows of the text's words in order, and the share (0 to 1) of its letters and digits that are in known words.

        A text without letters or digits has no rows and coverage 0.
        """
        view = normalised_view(text[:TEXT_CHARS_MAX])
        rows: list[int] = []
        known_chars = all_chars = 0
        for run in _RUN.finditer(view):
            kind, piece = run.lastgroup, run.group()
            all_chars += len(piece)
            if kind == "latin":
                known_chars += self._latin(piece, rows)
            elif kind == "han":
                known_chars += self._han(piece, rows)
            elif kind == "digits":
                known_chars += self._digits(piece, rows)
        return rows, known_chars / all_chars if all_chars else 0.0

    def _han(self, run: str, rows: list[int]) -> int:
        """Longest match from the left. Returns the count of known characters."""
        known, start, end = 0, 0, len(run)
        find, longest = self._rows.get, self._longest_han.get
        while start < end:
            step = 1
            for length in range(min(longest(run[start], 0), end - start), 0, -1):
                row = find(run[start : start + length])
                if row is not None:
                    rows.append(row)
                    known += length
                    step = length
                    break
            start += step
        return known

    def _latin(self, word: str, rows: list[int]) -> int:
        row = self._rows.get(word)
        if row is None:
            word = word.replace("\u2019", "'") if word.isascii() else _plain(word)
            row = self._rows.get(word)
        if row is None:
            row = self._by_suffix(word)
        if row is not None:
            rows.append(row)
            return len(word)
        guess = self._by_prefix(word)
        if guess is not None:
            rows.append(guess)
        return 0

    def _by_suffix(self, word: str) -> int | None:
        for ending in _APOSTROPHE_ENDINGS:
            if word.endswith(ending):
                word = word[: -len(ending)]
                if word in self._rows:
                    return self._rows[word]
        for ending, replacements in _SUFFIXES:
            if not word.endswith(ending) or len(word) - len(ending) < 2:
                continue
            stem = word[: -len(ending)]
            for replacement in replacements:
                row = self._rows.get(stem + replacement)
                if row is not None:
                    return row
            if len(stem) > 3 and stem[-1] == stem[-2]:  # "running" is "run".
                row = self._rows.get(stem[:-1])
                if row is not None:
                    return row
        return None

    def _by_prefix(self, word: str) -> int | None:
        for length in range(len(word) - 1, PREFIX_CHARS_MIN - 1, -1):
            row = self._rows.get(word[:length])
            if row is not None:
                return row
        return None

    def _digits(self, run: str, rows: list[int]) -> int:
        """Whole years and numbers below 100 have rows of their own; longer numbers are cut into such pieces."""
        start = 0
        while start < len(run):
            for length in (4, 2, 1):
                row = self._rows.get(run[start : start + length]) if start + length <= len(run) else None
                if row is not None:
                    rows.append(row)
                    break
            start += length
        return len(run)


def _plain(word: str) -> str:
    """Accents removed: "café" is "cafe"."""
    decomposed = unicodedata.normalize("NFKD", word.replace("\u2019", "'"))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


__all__ = ["TEXT_CHARS_MAX", "QueryWords"]
