"""What is known of embedding models beforehand: dimensions, rows in one request. Found by the model's name."""

DEFAULT_ROWS = 16
# A text beyond this adds nothing that its start does not say; models of 8,192 tokens take it in any language.
TEXT_CHARS_MAX = 4_000

_ROWS = (("text-embedding-v4", 10), ("text-embedding-v3", 10), ("text-embedding-v2", 25), ("text-embedding-v1", 25))
_DIMENSIONS = (
    ("text-embedding-v4", 1024),
    ("text-embedding-v3", 1024),
    ("text-embedding-v2", 1536),
    ("text-embedding-v1", 1536),
    ("bge-m3", 1024),
    ("bge-large", 1024),
    ("text-embedding-3-small", 1536),
    ("text-embedding-3-large", 3072),
    ("text-embedding-ada-002", 1536),
    ("nomic-embed-text", 768),
    ("mxbai-embed-large", 1024),
)


def rows_of(model: str) -> int:
    """How many texts its server takes in one request."""
    return next((rows for name, rows in _ROWS if name in model.lower()), DEFAULT_ROWS)


def dimensions_of(model: str) -> int:
    """Its own number of dimensions, 0 where it is not known."""
    return next((dimensions for name, dimensions in _DIMENSIONS if name in model.lower()), 0)
