"""The document embedder of a remote model, as a memory host sees it: it asks the model host and waits, in a thread."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from actors.model_client import ModelClient
from adapters.models.remote_space import RemoteSpace
from engine.errors import Unavailable
from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace

# A little more than the model host itself takes, so that its own, clearer error arrives.
MARGIN_SECONDS = 1.0


class RemoteEmbedder:
    """Implements `actors.ports.DocumentEmbedder`."""

    def __init__(
        self, client: ModelClient, space: RemoteSpace, *, passages_seconds: float, query_seconds: float
    ) -> None:
        self._client = client
        self._space = space
        self._passages_seconds = passages_seconds + MARGIN_SECONDS
        self._query_seconds = query_seconds + MARGIN_SECONDS

    @property
    def space(self) -> EmbeddingSpace:
        return self._space.space

    def passages(self, texts: Sequence[str]) -> Float32Array:
        """Document vectors; a row is NaN where the model gave no usable vector for its text.

        Shapes:  n texts -> (n, dimensions) float32, unit norm; n may be 0.
        Raises:  Unavailable.
        """
        if not texts:
            return np.empty((0, self.space.dimensions), np.float32)
        reply = self._client.ask_here("embed", {"texts": list(texts)}, seconds=self._passages_seconds)
        return self._rows(reply, len(texts))

    def query(self, text: str) -> Float32Array:
        """The query's vector with 0.9 of the mean taken off: score a document p as `query . p`.

        Shapes:  (dimensions,) float32; not of unit norm.
        Raises:  Unavailable.
        """
        rows = self._rows(self._client.ask_here("query", {"text": text}, seconds=self._query_seconds), 1)
        return self._space.centred(rows[0])

    def _rows(self, reply: Mapping[str, object], count: int) -> Float32Array:
        rows = np.frombuffer(cast(bytes, reply["rows"]), np.float32).reshape(-1, cast(int, reply["dimensions"]))
        if rows.shape != (count, self.space.dimensions):
            raise Unavailable.of("the model gives vectors of another dimension than is set", code="model_dimensions")
        if reply["fitted"] and not self._space.fitted:
            self._space.learn(self._client.ask_here("space", {}, seconds=self._query_seconds))
        return rows
