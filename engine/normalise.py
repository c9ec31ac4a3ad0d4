"""Views of a text for rules and keys. The stored text is never changed."""

import re
import unicodedata

from engine.hanzi import to_simplified


def normalised_view(text: str) -> str:
    """Width, case, script and invisible characters folded away."""
    return re.sub(r"\s+", " ", to_simplified(unicodedata.normalize("NFKC", text)).lower()).strip()


def content_key(text: str) -> str:
    """Equal for the same statement in another width, case, script or punctuation."""
    return "".join(c for c in normalised_view(text) if c.isalnum())


def refuse_bad_characters(text: str, field: str) -> None:
    """Raise InvalidMemory for characters that can hide or break text."""
