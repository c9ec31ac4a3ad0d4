"""The only file that knows hnswlib: a graph of unit vectors by dot product.

hnswlib 0.8.0 has traps, measured before this was written; each rule here answers one. Labels are never used twice
(reuse serves wrong answers). Deleted elements are only marked, and none is replaced. `k` never passes the live count
(the error it raises leaks memory). The dimension of a query is checked before (a shorter one crashes the process).
Equal vectors are the caller's to share (many duplicates cut the graph apart). Graphs are built from vectors every
time and never loaded from a file (a flipped bit crashes). One thread owns a graph; only `GraphJob.build` runs in
another, on arrays and a graph that nobody else holds.

What the graph holds of a vector is its difference from the mean, projected on the 128 directions in which the vectors
differ most. What all documents of a model share hides how they differ, and edges are chosen among the stored vectors;
a third of the numbers is a third of the memory that a search has to touch. It asks for more than are wanted and its
caller scores these in full. Of 10,000 documents of the bundled model 99.4 % of the true ten are found in 0.4 ms and a
graph is built in 1.2 s; with whole vectors it was 93.1 % in 0.5 ms, and 2.6 s (bench/index_bench.py).
"""

from dataclasses import dataclass, field

import hnswlib
import numpy as np

from engine.memory import Float32Array, Int64Array

# Elements a graph can take beyond those it is built with, before its arrays must grow.
_HEADROOM_MIN = 1024
_HEADROOM_SHARE = 0.5
# One call adds this many at most, so that a thread waiting for the interpreter never waits long.
_BATCH = 64
_SEED = 7
# A projection keeps so many directions, if these hold at least this share of how the vectors differ.
_PROJECTED = 128
_LEAST_KEPT = 0.7
_SAMPLE = 10_000
# `ef` holds for graphs up to this size and grows with the cube root beyond: a search of more must look at more.
_EF_GRAPH = 10_000


@dataclass(frozen=True, slots=True)
class VectorPolicy:
    """When a shelf gets a graph, and how good a graph.

    Up to `graph_above` distinct vectors a scan is as fast and a graph would cost 2.5 MB for nothing. `m`,
    `ef_construction` and `ef` are hnswlib's. Among 10,000 texts in two languages, with the model's own vectors,
    16 / 200 / 100 found 96.3 % of the true ten, 16 / 200 / 240 found 99.4 % (bench/index_bench.py), at 0.15 ms more.
    """

    graph_above: int = 2000
    m: int = 16
    ef_construction: int = 200
    ef: int = 240
    rebuild_dead_share: float = 0.30
    # Vectors waiting to enter the graph are scanned; above this a write lets one in.
    waiting_max: int = 1024

    def __post_init__(self) -> None:
        if self.graph_above < 1 or self.waiting_max < 1:
            raise ValueError("graph_above and waiting_max must be at least 1")
        if self.m < 2:
            raise ValueError("m below 2 makes hnswlib fail with 'not enough memory'")
        if self.ef < 10 or self.ef_construction < self.m:
            raise ValueError("ef must be at least 10 and ef_construction at least m")
        if not 0.0 < self.rebuild_dead_share < 1.0:
            raise ValueError("rebuild_dead_share must lie between 0 and 1")


@dataclass(frozen=True, slots=True)
class Projection:
    """How vectors are held: minus `shift` (dimensions,), times `basis` (dimensions, fewer) unless it is None."""

    shift: Float32Array
    basis: Float32Array | None

    @classmethod
    def of(cls, vectors: Float32Array) -> "Projection":
        """The one that suits these vectors. Shapes: (n, dimensions)."""
        shift: Float32Array = vectors.mean(axis=0)
        if len(shift) <= _PROJECTED:
            return cls(shift, None)
        sample = vectors[:: -(-len(vectors) // _SAMPLE)] - shift
        variances, directions = np.linalg.eigh(sample.T @ sample)
        if variances[-_PROJECTED:].sum() < _LEAST_KEPT * variances.sum():
            return cls(shift, None)
        return cls(shift, np.ascontiguousarray(directions[:, -_PROJECTED:], dtype=np.float32))

    @property
    def dimensions(self) -> int:
        """Numbers held of each vector."""
        return len(self.shift) if self.basis is None else self.basis.shape[1]

    def held(self, vectors: Float32Array) -> Float32Array:
        """Vectors as the graph holds them. Shapes: (n, dimensions) -> (n, fewer)."""
        shifted: Float32Array = vectors - self.shift
        return shifted if self.basis is None else np.asarray(shifted @ self.basis, dtype=np.float32)

    def asked(self, query: Float32Array) -> Float32Array:
        """A query as the graph is asked: what the shift adds to a dot product is the same for all."""
        return query if self.basis is None else np.asarray(query @ self.basis, dtype=np.float32)


class VectorGraph:
    """A graph over labelled unit vectors. Not safe for two threads."""

    def __init__(self, projection: Projection, policy: VectorPolicy, *, expected: int) -> None:
        self._policy = policy
        self._projection = projection
        self._live = 0
        self._dead = 0
        self._capacity = expected + max(_HEADROOM_MIN, int(expected * _HEADROOM_SHARE))
        self._index = hnswlib.Index(space="ip", dim=projection.dimensions)
        self._index.init_index(
            max_elements=self._capacity, M=policy.m, ef_construction=policy.ef_construction, random_seed=_SEED
        )
        self._index.set_num_threads(1)

    @property
    def live(self) -> int:
        """Elements that a search can return."""
        return self._live

    @property
    def dead(self) -> int:
        """Elements marked deleted; they still cost time and memory, and still hold their vectors."""
        return self._dead

    @property
    def memory_bytes(self) -> int:
        """From hnswlib's layout: vector, label, links of the ground floor and the lock of each element."""
        each = 4 * self._projection.dimensions + 8 + 4 * (2 * self._policy.m + 1) + 48
        return 2_500_000 + self._capacity * each

    def add(self, vectors: Float32Array, labels: Int64Array) -> None:
        """Add vectors under labels never used before in this graph. Shapes: (n, dimensions), (n,)."""
        needed = self._live + self._dead + len(labels)
        if needed > self._capacity:
            # Reserved first: a batch that overflows would stay half inserted.
            self._capacity = needed + max(_HEADROOM_MIN, int(needed * _HEADROOM_SHARE))
            self._index.resize_index(self._capacity)
        for start in range(0, len(labels), _BATCH):
            batch = slice(start, start + _BATCH)
            self._index.add_items(self._projection.held(vectors[batch]), labels[batch], num_threads=1)
        self._live += len(labels)

    def remove(self, label: int) -> None:
        """Mark a live label deleted."""
        self._index.mark_deleted(label)
        self._live -= 1
        self._dead += 1

    def nearest(self, query: Float32Array, k: int) -> Int64Array | None:
        """Labels of about the k nearest among all that the search looked at; None where only a scan can answer.

        Shapes:  query (dimensions,), finite -> (m,) with m = min(live, max(k, ef)).
        """
        assert query.shape == self._projection.shift.shape, query.shape
        ef = int(self._policy.ef * max(1.0, self._live / _EF_GRAPH) ** (1 / 3))
        k = min(max(k, ef), self._live)
        if k <= 0:
            return None
        self._index.set_ef(max(ef, k))
        try:
            labels, _ = self._index.knn_query(self._projection.asked(query)[np.newaxis], k=k, num_threads=1)
        except RuntimeError:
            # Fewer than k could be reached from the entry point.
            return None
        nearest: Int64Array = labels[0].astype(np.int64)
        return nearest


@dataclass(slots=True)
class GraphJob:
    """A graph to be built away from the writer. `build` may run in another thread: it owns all it touches."""

    vectors: Float32Array
    labels: Int64Array
    policy: VectorPolicy
    graph: VectorGraph | None = field(default=None)

    def build(self) -> None:
        """Build the graph. About 0.15 ms of one core for each vector, most of it outside the interpreter's lock."""
        graph = VectorGraph(Projection.of(self.vectors), self.policy, expected=len(self.labels))
        graph.add(self.vectors, self.labels)
        self.graph = graph
