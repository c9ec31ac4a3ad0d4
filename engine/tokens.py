"""Words of a text, for the keyword index."""

import re

from engine.normalise import normalised_view

_WORD = re.compile(r"[a-z0-9]+|[^\W\x00-\x7f]")


def document_tokens(text: str) -> list[str]:
    """Tokens of a stored text."""
    return _WORD.findall(normalised_view(text))


def query_tokens(text: str) -> list[str]:
    """Tokens of a query."""
    return document_tokens(text)
