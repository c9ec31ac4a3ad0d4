"""Nearest memories by vector, for one shelf of one user."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.memory import Float32Array, Int64Array


@dataclass(frozen=True, slots=True)
class VectorPolicy:
    """When a shelf gets a graph, and how good a graph."""

    graph_above: int = 2000
    m: int = 16
    ef_construction: int = 100
    ef: int = 64
    rebuild_dead_share: float = 0.30


class GraphJob:
    """A graph to be built off the writer's path; `build` may run in another thread."""

    def build(self) -> None:
        raise NotImplementedError


class VectorIndex:
    """Vectors of one shelf, keyed by slot."""

    def __init__(self, dimensions: int, policy: VectorPolicy) -> None:
        self.dimensions = dimensions
        self.policy = policy
        self._rows: dict[int, Float32Array] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, slot: int) -> bool:
        return slot in self._rows

    @property
    def kind(self) -> Literal["exact", "graph"]:
        return "exact"

    @property
    def memory_bytes(self) -> int:
        return 4 * self.dimensions * len(self._rows)

    def put(self, slot: int, vector: Float32Array) -> None:
        self._rows[slot] = np.asarray(vector, dtype=np.float32)

    def remove(self, slot: int) -> None:
        self._rows.pop(slot, None)

    def nearest(
        self, query: Float32Array, k: int, *, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Int64Array, Float32Array]:
        return self.exact(query, k, allowed=allowed)

    def exact(
        self, query: Float32Array, k: int, *, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Int64Array, Float32Array]:
        slots = np.array([s for s in self._rows if allowed is None or (s < len(allowed) and allowed[s])], dtype=np.int64)
        scores = self.scores_of(query, slots)
        best = np.argsort(-scores, kind="stable")[:k]
        return slots[best], scores[best]

    def scores_of(self, query: Float32Array, slots: Int64Array) -> Float32Array:
        return np.array([self._rows[int(s)] @ query for s in slots], dtype=np.float32)

    def vector_of(self, slot: int) -> Float32Array | None:
        return self._rows.get(slot)

    def graph_job(self) -> GraphJob | None:
        return None

    def adopt_graph(self, job: GraphJob) -> None:
        raise NotImplementedError
