"""What measuring commands decide and embed with: the objects of a host, without a store, an actor or Ray."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from adapters.models.bundled_e5 import BundledE5
from adapters.models.query_table import QueryTable
from adapters.models.space import bundled_space
from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace
from rearview.evaluate_vectors import Encoders
from rearview.model_here import remote_encoders
from rearview.settings import BUNDLED, Settings


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """`encoders` for recall; `likeness` compares two texts in the decisions of writes, without a model."""

    encoders: Encoders
    likeness: Callable[[str], Float32Array]
    likeness_dimensions: int

    @property
    def space(self) -> EmbeddingSpace:
        return self.encoders.space


@contextmanager
def measuring(settings: Settings, *, query_encoder: str | None = None) -> Iterator[Measuring]:
    """Tools for the embedder that the settings name.

    Raises: Unavailable when a remote embedder cannot be reached.
    """
    table = QueryTable.load()
    if settings.models.embedder != BUNDLED:
        with remote_encoders(settings) as encoders:
            yield Measuring(encoders=encoders, likeness=table.stand_in, likeness_dimensions=table.dimensions)
        return
    encoders = Encoders(
        embedder=BundledE5,
        static=table,
        space=bundled_space(),
        query_encoder=query_encoder or settings.models.query_encoder,
    )
    yield Measuring(encoders=encoders, likeness=table.stand_in, likeness_dimensions=table.dimensions)
