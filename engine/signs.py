"""Does any of many expressions match a text? Answered by trying only the few that can.

An expression of a hundred alternatives costs `re` a hundred attempts at every character. Here each alternative is an
expression of its own, filed under the pieces of text one of which every match of it must hold ("moved", 过敏). One
pass over a text (Aho-Corasick) tells which pieces it holds, and only what is filed under these is tried: some ten of
thousands. What is found is what the whole expressions would find, in a tenth of the time (bench/decisions.md).

The alternatives and pieces are read off the tree that `re` parses an expression into. That parser has no public name,
so tests hold this file against plain `re`, on labelled texts and on made-up ones.
"""

import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ahocorasick  # type: ignore[import-not-found]

# A class of more characters than this narrows little.
_CLASS_MAX = 24
# A piece of so many letters, or half as many Chinese characters, is rare enough: what needs it is not taken apart.
_RARE = 4

_Node = tuple[Any, Any]


class Signs:
    """Named expressions, tried together. They have no flags and no references back."""

    def __init__(self, expressions: Mapping[str, str]) -> None:
        self._tried: list[tuple[str, re.Pattern[str] | Any]] = []  # A name; an alternative, compiled when first tried.
        self._always: list[int] = []
        filed: dict[str, list[int]] = {"\0": []}  # An automaton of no piece at all cannot be asked.
        for name, expression in expressions.items():
            for alternative in _alternatives(parser.parse(expression)):
                needed = _needed(alternative)
                if needed is None:
                    self._always.append(len(self._tried))
                for piece in needed or ():
                    filed.setdefault(piece, []).append(len(self._tried))
                self._tried.append((name, alternative))
        self._filed = ahocorasick.Automaton()
        for piece, places in filed.items():
            self._filed.add_word(piece, places)
        self._filed.make_automaton()

    def found_in(self, text: str) -> frozenset[str]:
        """Names of the expressions that match somewhere in a text."""
        found: set[str] = set()
        for place in self._places(text):
            if (name := self._tried[place][0]) not in found and self._alternative(place).search(text):
                found.add(name)
        return frozenset(found)

    def any_in(self, text: str) -> bool:
        """Whether one of them matches somewhere in a text."""
        return any(self._alternative(place).search(text) for place in self._places(text))

    def _places(self, text: str) -> set[int]:
        """The alternatives that may match."""
        return set(self._always).union(*[places for _, places in self._filed.iter(text)])

    def _alternative(self, place: int) -> re.Pattern[str]:
        name, alternative = self._tried[place]
        if not isinstance(alternative, re.Pattern):
            alternative = compiler.compile(alternative)
            self._tried[place] = name, alternative
        return alternative


def _alternatives(parsed: Any) -> list[Any]:
    """Trees of which one matches wherever the whole does. What needs no rare piece is taken apart at its widest group,
    and what comes of that once more."""
    if (needed := _needed(parsed)) is not None and _telling(needed)[0] >= _RARE:
        return [parsed]
    widths = [len(_branches(*node)) for node in parsed]
    if max(widths, default=0) < 2:
        return [parsed]
    at = widths.index(max(widths))
    before, after = list(parsed[:at]), list(parsed[at + 1 :])
    apart = [parser.SubPattern(parsed.state, [*before, *branch, *after]) for branch in _branches(*parsed[at])]
    return [alternative for one in apart for alternative in _alternatives(one)]


def _branches(code: Any, argument: Any) -> Sequence[Any]:
    if code is codes.BRANCH:
        return list(argument[1])
    if code is codes.SUBPATTERN and len(argument[-1]) == 1:
        return _branches(*argument[-1][0])
    return ()


def _needed(parsed: Iterable[_Node]) -> frozenset[str] | None:
    """Texts of which every match holds one, the most telling ones; None where none can be named."""
    found: list[frozenset[str]] = []
    run = ""
    for code, argument in parsed:
        if code is codes.LITERAL:
            run += chr(argument)
        elif code not in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):  # These take no room: a run goes on.
            part = _needed_of(code, argument)
            found += [frozenset((run,))] if run else []
            found += [] if part is None else [part]
            run = ""
    found += [frozenset((run,))] if run else []
    return max(found, key=_telling, default=None)


def _needed_of(code: Any, argument: Any) -> frozenset[str] | None:
    if code is codes.SUBPATTERN:
        return _needed(argument[-1])
    if code is codes.BRANCH:
        branches = [_needed(branch) for branch in argument[1]]
        known = [branch for branch in branches if branch is not None]
        return frozenset[str]().union(*known) if len(known) == len(branches) else None
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[0] >= 1:
        return _needed(argument[2])
    return _characters(argument) if code is codes.IN else None


def _characters(members: Iterable[_Node]) -> frozenset[str] | None:
    """The characters of a small class."""
    characters: set[str] = set()
    for code, argument in members:
        if code is codes.LITERAL:
            characters.add(chr(argument))
        elif code is codes.RANGE and argument[1] - argument[0] < _CLASS_MAX:
            characters.update(map(chr, range(argument[0], argument[1] + 1)))
        else:
            return None
    return frozenset(characters) if len(characters) <= _CLASS_MAX else None


def _telling(texts: frozenset[str]) -> tuple[int, int]:
    """More letters tell more, a Chinese character as much as two; then the fewer texts the better."""
    return min(sum(1 if character.isascii() else 2 for character in text) for text in texts), -len(texts)
