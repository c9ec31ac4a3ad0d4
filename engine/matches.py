"""Which words of a query a memory holds, as the query writes them: the words an explanation shows."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from engine.tokens import (
    QUERY_CHARS_MAX,
    Span,
    folded_for_tokens,
    is_loose_character,
    query_spans,
    query_tokens,
    spans_of,
)


def matched_words(query: str, terms: frozenset[str]) -> tuple[str, ...]:
    """The words of the query whose tokens are among `terms`, longest first.

    Tokens that overlap in the query are one word: 顺丰, 丰快 and 快递 give 顺丰快递. A single Han character is
    shown only where nothing longer was found.
    """
    written, places = _places(query)
    merged: list[tuple[int, int]] = []
    start = end = -1
    for token, first, last in places:  # By where they begin, so that only the last range can grow.
        if token not in terms:
            continue
        if first < end:
            end = max(end, last)
            merged[-1] = (start, end)
        else:
            start, end = first, last
            merged.append((start, end))
    words = dict.fromkeys([written[start:end] for start, end in merged])
    firm = [word for word in words if not is_loose_character(word)]
    return tuple(sorted(firm or words, key=len, reverse=True))


@lru_cache(maxsize=1)
def _places(query: str) -> tuple[str, tuple[tuple[str, int, int], ...]]:
    """The query in composed form, and its tokens with their places in that.

    One query is asked about for each of its hits, so the last one is remembered, and no more than that: a query is
    the user's text.
    """
    written = unicodedata.normalize("NFC", query[:QUERY_CHARS_MAX])
    wanted = frozenset(query_tokens(query))
    if written.isascii():  # Folding keeps every place.
        return written, _ranged(span for span in query_spans(query) if span[0] in wanted)
    folded: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(written):
        piece = " " if character.isspace() else _folded_character(character)
        folded.append(piece)
        origin.extend([index] * len(piece))
    return written, _ranged(
        (token, origin[start], origin[end - 1] + 1)
        for token, start, end in spans_of("".join(folded))
        if token in wanted
    )


def _ranged(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(sorted(spans, key=lambda span: span[1:]))


_folded_character = lru_cache(maxsize=8192)(folded_for_tokens)
