"""The embedding model through litellm: batches of the provider's size, and nothing but usable vectors comes out.

A reply with another number of vectors or another dimension is refused whole; a vector that is zero or not finite is
given back as NaN, so that its text waits and the others do not. A text that the server refuses is found by halving the
batch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from actors.model_gate import Done
from adapters.models.litellm_library import Endpoint, answered, library, tokens_of
from adapters.models.providers import TEXT_CHARS_MAX
from engine.errors import Unavailable
from engine.memory import Float32Array


class LitellmEmbedder:
    """Implements `actors.model_host.EmbeddingModel`.

    `dimensions` is what every vector must have, 0 for whatever comes; `ask_for` says that the server is told, which
    only some models understand.
    """

    def __init__(self, endpoint: Endpoint, *, dimensions: int, ask_for: bool, rows: int) -> None:
        assert rows >= 1, "a request holds at least one text"
        self._endpoint = endpoint
        self._dimensions = dimensions
        self._ask_for = ask_for and dimensions > 0
        self._rows = rows

    async def embed(self, texts: Sequence[str], seconds: float) -> Done[Float32Array]:
        """Shapes: n texts, n at least 1 -> (n, dimensions); a row is NaN where the model gave no usable vector."""
        pieces: list[Float32Array] = []
        tokens = 0
        for start in range(0, len(texts), self._rows):
            done = await self._batch([_plain(text) for text in texts[start : start + self._rows]], seconds)
            pieces.append(done.value)
            tokens += done.tokens
        rows = _joined(pieces)
        if not np.isfinite(rows).all(axis=1).any():
            raise Unavailable.of("the model gave no usable vector", code="model_reply")
        return Done(rows, tokens)

    async def dimensions(self, seconds: float) -> int:
        """How many the model gives, whatever is in them. Raises: Unavailable."""
        reply = await self._asked(["-"], seconds)
        return int(unit_rows(reply, 1, 0).shape[1])

    async def _batch(self, texts: list[str], seconds: float) -> Done[Float32Array]:
        try:
            reply = await self._asked(texts, seconds)
        except Unavailable as error:
            if error.code != "model_bad_request":
                raise
            return await self._halved(texts, seconds)
        return Done(unit_rows(reply, len(texts), self._dimensions), tokens_of(reply, sum(map(len, texts))))

    async def _halved(self, texts: list[str], seconds: float) -> Done[Float32Array]:
        """After a refusal: perhaps of the wish for dimensions, perhaps of one of the texts."""
        if self._ask_for:
            self._ask_for = False
            return await self._batch(texts, seconds)
        if len(texts) == 1:
            return Done(np.full((1, max(1, self._dimensions)), np.nan, np.float32), 0)
        middle = len(texts) // 2
        first, second = await self._batch(texts[:middle], seconds), await self._batch(texts[middle:], seconds)
        return Done(_joined([first.value, second.value]), first.tokens + second.tokens)

    async def _asked(self, texts: list[str], seconds: float) -> Any:
        arguments = {**self._endpoint.arguments(), "input": texts, "timeout": seconds, "encoding_format": "float"}
        if self._ask_for:
            # litellm knows only some models to take this, and would drop it for all others.
            arguments |= {"dimensions": self._dimensions, "allowed_openai_params": ["dimensions"]}
        return await answered(library().aembedding(**arguments))


def unit_rows(reply: Any, count: int, dimensions: int) -> Float32Array:
    """The vectors of a reply, each of unit length.

    Shapes:  -> (count, dimensions); with dimensions 0, whatever all of them have. Unusable rows are NaN.
    Raises:  Unavailable when the reply is not `count` vectors of that dimension.
    """
    try:
        listed = sorted(reply.data, key=lambda row: int(row["index"]))
        rows = np.array([row["embedding"] for row in listed], dtype=np.float32)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise Unavailable.of("the model's vectors cannot be read", code="model_reply") from None
    if rows.ndim != 2 or len(rows) != count or rows.shape[1] == 0:
        raise Unavailable.of("the model gave another number of vectors than texts", code="model_reply")
    if dimensions and rows.shape[1] != dimensions:
        raise Unavailable.of(
            f"the model gives {rows.shape[1]} dimensions and not {dimensions}; see models.embedder_dimensions",
            code="model_dimensions",
        )
    with np.errstate(all="ignore"):  # What cannot be scaled becomes NaN, which is what it is to be.
        norms = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        unit = (rows / norms).astype(np.float32)
    unit[~np.isfinite(unit).all(axis=1)] = np.nan
    made: Float32Array = unit
    return made


def _joined(pieces: Sequence[Float32Array]) -> Float32Array:
    """One below the other. A piece of refused texts only does not know the width; it takes that of the others."""
    width = max(piece.shape[1] for piece in pieces)
    return np.concatenate(
        [piece if piece.shape[1] == width else np.full((len(piece), width), np.nan, np.float32) for piece in pieces]
    )


def _plain(text: str) -> str:
    """What any server takes: no half surrogate pairs, no NUL, not empty, not endless."""
    return text[:TEXT_CHARS_MAX].replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip() or "-"
