"""One query in every form that scoring needs, and the rows that are ranked for it."""

from dataclasses import dataclass
from typing import Protocol

from engine.memory import Float32Array, Int64Array
from engine.policy import RecallPolicy
from engine.ranking import Float64Array
from engine.situations import Situation
from engine.spaces import EmbeddingSpace
from engine.time_words import TimeSpan


class QueryVector(Protocol):
    """A query ready for a dot product: `vector` (dimensions,), made by `encoder` "static" or "model"."""

    @property
    def vector(self) -> Float32Array: ...
    @property
    def encoder(self) -> str: ...
    @property
    def coverage(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Question:
    """One query in every form that scoring needs. `open_things`: it asks for what is still to be done."""

    text: str
    query: QueryVector
    space: EmbeddingSpace
    policy: RecallPolicy
    spans: tuple[TimeSpan, ...] = ()
    situations: tuple[Situation, ...] = ()
    open_things: bool = False


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows to rank, slots rising: raw dot product, raw keyword score and relevance of each; all of shape (m,).

    `bearing` says how much, 0 to 1, they matter in the situation of the request, whatever they share with its words.
    """

    slots: Int64Array
    semantic: Float32Array
    keyword: Float32Array
    bearing: Float64Array
    relevance: Float64Array
