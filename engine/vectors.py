"""Nearest memories by vector, for one shelf of one user, keyed by slot.

The vectors themselves are the truth: one dense array of rows, scanned exactly. Above `graph_above` distinct vectors a
graph answers instead; it is a cache, built elsewhere (`graph_job`, `adopt_graph`) and dropped without loss.

Each distinct vector is one row under one label, however many slots share it. Labels count upwards and are never used
again, so a graph built from an older copy stays right: what it holds and we do not is marked dead, what we hold and
it does not is scanned. Rows are kept in two runs:

    rows [0, _settled)         in the graph
    rows [_settled, _count)    waiting: scanned at every search, and let into the graph by `settle`

Removing moves the last row of each run into the hole, so both stay dense and no removed vector stays in the array.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.best import best
from engine.errors import InvalidMemory
from engine.memory import Float32Array, Int64Array
from engine.places import NOWHERE, Places
from engine.vector_graph import GraphJob, VectorGraph, VectorPolicy

__all__ = ["GraphJob", "VectorIndex", "VectorPolicy"]

# How far a stored vector may be from unit length. Rounding to 16 bits costs less than a tenth of it.
_NORM_TOLERANCE = 0.01
# A filter that keeps no more than this is answered by a scan of what it keeps: always exact, and as fast as a graph.
_SCAN_MAX = 4000
# A graph asked for more than one in this many rows is slower than a scan of them all.
_ROWS_PER_ASK = 30
_ROWS_MIN = 8
_NUMBER_MAX = 1e6

_Mask = npt.NDArray[np.bool_]
_Scored = tuple[Int64Array, Float32Array]
_NO_SLOTS: Int64Array = np.empty(0, dtype=np.int64)
_NO_SCORES: Float32Array = np.empty(0, dtype=np.float32)


class VectorIndex:
    """Unit vectors of one shelf. One owner; nothing here is safe for two threads but a job's `build`."""

    def __init__(self, dimensions: int, policy: VectorPolicy) -> None:
        assert dimensions > 0, dimensions
        self.dimensions = dimensions
        self.policy = policy
        self._rows: Float32Array = np.empty((0, dimensions), dtype=np.float32)
        self._labels: Int64Array = _NO_SLOTS.copy()
        self._slots: Int64Array = _NO_SLOTS.copy()
        self._count = 0
        self._settled = 0
        self._next_label = 0
        self._label_of = Places()  # by slot
        self._row_of = Places()  # by label
        self._label_by_digest: dict[bytes, int] = {}
        # The slots of a label beyond the one in `_slots`.
        self._sharers: dict[int, list[int]] = {}
        self._graph: VectorGraph | None = None

    def __len__(self) -> int:
        return len(self._label_of)

    def __contains__(self, slot: int) -> bool:
        return self._label_of.of(slot) != NOWHERE

    @property
    def kind(self) -> Literal["exact", "graph"]:
        """What answers a search without a filter."""
        return "exact" if self._graph is None else "graph"

    @property
    def waiting(self) -> int:
        """Distinct vectors that are not in the graph yet."""
        return self._count - self._settled

    @property
    def memory_bytes(self) -> int:
        """Roughly what this index holds."""
        arrays = self._rows.nbytes + self._labels.nbytes + self._slots.nbytes
        arrays += self._label_of.nbytes + self._row_of.nbytes
        return arrays + 200 * len(self._label_of) + (self._graph.memory_bytes if self._graph else 0)

    def put(self, slot: int, vector: Float32Array) -> None:
        """Hold a vector under a slot, in place of what the slot held.

        Raises:  InvalidMemory when the dimension is another, a number is not finite, or the length is not 1.
        """
        vector = _checked(vector, self.dimensions)
        if not abs(float(np.linalg.norm(vector)) - 1.0) <= _NORM_TOLERANCE:
            raise InvalidMemory.of("The vector is not of unit length.", code="bad_vector", field="vector")
        digest = _digest(vector)
        label = self._label_by_digest.get(digest)
        if label is not None and self._label_of.of(slot) == label:
            return
        self.remove(slot)
        label = self._label_by_digest.get(digest)
        if label is None:
            label = self._append(vector, slot)
            self._label_by_digest[digest] = label
        else:
            self._sharers.setdefault(label, []).append(slot)
        self._label_of.put(slot, label)
        if self._graph is not None and self.waiting > self.policy.waiting_max:
            self.settle(1)

    def fill(self, slots: Int64Array, vectors: Float32Array) -> None:
        """Hold many vectors under slots that hold none: as `put` for each, a tenth of the time.

        Shapes:  (n,), (n, dimensions).
        Raises:  InvalidMemory as `put`; nothing is held then.
        """
        vectors = _checked_all(vectors, (len(slots), self.dimensions))
        digests = _digests(vectors)
        first_rows = dict(zip(reversed(digests), range(len(digests) - 1, -1, -1), strict=True))
        new = sorted(row for digest, row in first_rows.items() if digest not in self._label_by_digest)
        self._append_many(slots[new], vectors[new], [digests[row] for row in new])
        for row in sorted(set(range(len(slots))).difference(new)):
            self.put(int(slots[row]), vectors[row])

    def _append_many(self, slots: Int64Array, vectors: Float32Array, digests: list[bytes]) -> None:
        count, end = self._count, self._count + len(slots)
        self._resize(max(end, len(self._rows)))
        labels = np.arange(self._next_label, self._next_label + len(slots))
        self._rows[count:end], self._labels[count:end], self._slots[count:end] = vectors, labels, slots
        self._row_of.put_many(labels, np.arange(count, end))
        self._label_of.put_many(slots, labels)
        self._label_by_digest.update(zip(digests, labels.tolist(), strict=True))
        self._next_label += len(slots)
        self._count = end

    def _append(self, vector: Float32Array, slot: int) -> int:
        if self._count == len(self._rows):
            self._resize(max(_ROWS_MIN, self._count + self._count // 8))
        row, label = self._count, self._next_label
        self._rows[row], self._labels[row], self._slots[row] = vector, label, slot
        self._row_of.put(label, row)
        self._next_label += 1
        self._count += 1
        return label

    def _resize(self, capacity: int) -> None:
        # In place (`realloc`), without a second copy. Safe because no view of these arrays outlives a method.
        self._rows.resize((capacity, self.dimensions), refcheck=False)
        self._labels.resize(capacity, refcheck=False)
        self._slots.resize(capacity, refcheck=False)

    def remove(self, slot: int) -> None:
        """Take a slot out; a slot that is not held is no error. The last slot of a vector takes the vector along.

        A graph keeps the bytes of a removed vector until it is rebuilt: see `graph_job(purge=True)`.
        """
        label = self._label_of.of(slot)
        if label == NOWHERE:
            return
        self._label_of.drop(slot)
        row = self._row_of.of(label)
        sharers = self._sharers.get(label)
        if sharers is None:
            self._remove_row(row, label)
            return
        if slot in sharers:
            sharers.remove(slot)
        else:
            self._slots[row] = sharers.pop()
        if not sharers:
            del self._sharers[label]

    def _remove_row(self, row: int, label: int) -> None:
        del self._label_by_digest[_digest(self._rows[row])]
        self._row_of.drop(label)
        if row < self._settled:
            assert self._graph is not None
            self._graph.remove(label)
            self._settled -= 1
            self._move(self._settled, row)
            row = self._settled
        self._count -= 1
        self._move(self._count, row)
        self._rows[self._count] = 0.0
        if len(self._rows) > 4 * _ROWS_MIN and self._count < len(self._rows) // 3:
            self._resize(max(_ROWS_MIN, self._count + self._count // 8))
        if self._graph is not None and self._count <= self.policy.graph_above // 2:
            self.drop_graph()

    def _move(self, source: int, target: int) -> None:
        if source == target:
            return
        for column in (self._rows, self._labels, self._slots):
            column[target] = column[source]
        self._row_of.put(int(self._labels[target]), target)

    def nearest(self, query: Float32Array, k: int, *, allowed: _Mask | None = None) -> _Scored:
        """The k slots with the highest dot product with the query, best first: by graph where one pays, else exact.

        A vector shared by several slots gives each of them. The query need not be of unit length.
        Shapes:  query (dimensions,), allowed (slots,) or None; slots past its end are not allowed -> (m,), (m,).
        Raises:  InvalidMemory for a query of another dimension or one that is not finite.
        """
        query = _checked(query, self.dimensions)
        if self._graph is None or k <= 0:
            return self._scan(query, k, allowed)
        share = 1.0
        if allowed is not None:
            kept = int(np.count_nonzero(_inside(self._slots[: self._count], allowed)))
            if kept <= _SCAN_MAX:
                return self._scan(query, k, allowed)
            share = kept / self._count
        ask = k if allowed is None else int(1.3 * k / share) + 8
        while ask * _ROWS_PER_ASK <= self._count:
            found = self._graph.nearest(query, ask)
            if found is None:
                break
            slots, scores = self._with_waiting(query, found)
            if allowed is not None:
                keep = _inside(slots, allowed)
                slots, scores = slots[keep], scores[keep]
            if len(slots) >= k or ask >= self._graph.live:
                return best(slots, scores, k)
            ask *= 3
        return self._scan(query, k, allowed)

    def _with_waiting(self, query: Float32Array, labels: Int64Array) -> _Scored:
        """What the graph found and all that waits, as slots with scores."""
        rows = self._row_of.of_many(labels)
        scores = self._rows[rows] @ query
        if self.waiting:
            rows = np.concatenate((rows, np.arange(self._settled, self._count)))
            scores = np.concatenate((scores, self._rows[self._settled : self._count] @ query))
        return self._slots_at(rows, scores)

    def exact(self, query: Float32Array, k: int, *, allowed: _Mask | None = None) -> _Scored:
        """The same by scanning every vector, always: the oracle of the graph."""
        return self._scan(_checked(query, self.dimensions), k, allowed)

    def _scan(self, query: Float32Array, k: int, allowed: _Mask | None) -> _Scored:
        if k <= 0 or self._count == 0:
            return _NO_SLOTS, _NO_SCORES
        if allowed is None or self._sharers:
            slots, scores = self._slots[: self._count], self._rows[: self._count] @ query
            if self._sharers:
                places = {label: self._row_of.of(label) for label in self._sharers}
                slots, scores = _with_sharers(slots, scores, places, self._sharers)
            if allowed is not None:
                keep = _inside(slots, allowed)
                slots, scores = slots[keep], scores[keep]
            return best(slots, scores, k)
        rows = np.flatnonzero(_inside(self._slots[: self._count], allowed))
        # Gathering costs a copy of the rows: above a third of them scanning all is cheaper.
        scores = self._rows[rows] @ query if 3 * len(rows) < self._count else (self._rows[: self._count] @ query)[rows]
        return best(self._slots[rows], scores, k)

    def _slots_at(self, rows: Int64Array, scores: Float32Array) -> _Scored:
        """Slots of rows, with the score of its row for each slot that shares one."""
        slots = self._slots[rows]
        if not self._sharers:
            return slots, scores
        places = {label: at for at, label in enumerate(self._labels[rows].tolist()) if label in self._sharers}
        return _with_sharers(slots, scores, places, self._sharers)

    def scores_of(self, query: Float32Array, slots: Int64Array) -> Float32Array:
        """Dot products for given slots; NaN for a slot that holds no vector here. Shapes: (n,) -> (n,)."""
        query = _checked(query, self.dimensions)
        labels = self._label_of.of_many(slots)
        held = labels != NOWHERE
        if bool(held.all()):
            return self._rows[self._row_of.of_many(labels)] @ query
        scores = np.full(len(labels), np.nan, dtype=np.float32)
        scores[held] = self._rows[self._row_of.of_many(labels[held])] @ query
        return scores

    def vector_of(self, slot: int) -> Float32Array | None:
        """A copy of the vector of a slot, or None."""
        label = self._label_of.of(slot)
        return None if label == NOWHERE else self._rows[self._row_of.of(label)].copy()

    def vectors_of(self, slots: Int64Array) -> Float32Array:
        """Copies of the vectors of slots that are held. Shapes: (n,) -> (n, dimensions)."""
        copies: Float32Array = self._rows[self._row_of.of_many(self._label_of.of_many(slots))]
        return copies

    def graph_job(self, *, purge: bool = False) -> GraphJob | None:
        """The graph that should be built now, or None. The caller runs `build` anywhere and then `adopt_graph`.

        Due when there is none above `graph_above` vectors, when the dead reach their share, when more wait than
        settling can take in, or, with `purge`, as soon as a removed vector is still inside. Copies the vectors:
        about 0.5 ms for each thousand.
        """
        if self._count <= self.policy.graph_above:
            return None
        graph = self._graph
        if graph is not None:
            dead_due = graph.dead >= self.policy.rebuild_dead_share * (graph.live + graph.dead)
            waiting_due = self.waiting > max(2 * self.policy.waiting_max, self._settled // 2)
            if not (dead_due or waiting_due or (purge and graph.dead)):
                return None
        return GraphJob(self._rows[: self._count].copy(), self._labels[: self._count].copy(), self.policy)

    def adopt_graph(self, job: GraphJob) -> None:
        """Let a built graph answer from now on, whatever was put or removed since its job was made.

        Costs a microsecond for each vector; one too old or too small to be of use is dropped.
        """
        graph = job.graph
        assert graph is not None, "adopt_graph before build"
        held = np.isin(job.labels, self._labels[: self._count], assume_unique=True)
        for label in job.labels[~held].tolist():
            graph.remove(label)
        if graph.live <= self.policy.graph_above // 2:
            return
        self._graph = graph
        self._settled = graph.live
        self._gather_in_front(np.isin(self._labels[: self._count], job.labels, assume_unique=True))

    def _gather_in_front(self, in_graph: _Mask) -> None:
        """Swap rows until those in the graph are rows [0, settled). Few swaps: only removals mixed them."""
        strangers = np.flatnonzero(~in_graph[: self._settled])
        strays = self._settled + np.flatnonzero(in_graph[self._settled :])
        for column in (self._rows, self._labels, self._slots):
            column[strangers], column[strays] = column[strays], column[strangers]
        for rows in (strangers, strays):
            self._row_of.move(self._labels[rows], rows)

    def settle(self, most: int) -> int:
        """Let up to `most` waiting vectors into the graph, 0.15 ms each; returns how many. For idle moments."""
        count = min(most, self.waiting)
        if self._graph is None or count <= 0:
            return 0
        rows = slice(self._settled, self._settled + count)
        self._graph.add(self._rows[rows], self._labels[rows])
        self._settled += count
        return count

    def drop_graph(self) -> None:
        """Forget the graph, and with it every removed vector it still held; scans answer until another is adopted."""
        self._graph = None
        self._settled = 0


def _checked(vector: Float32Array, dimensions: int) -> Float32Array:
    vector = np.ascontiguousarray(vector, dtype=np.float32)
    if vector.shape != (dimensions,):
        raise InvalidMemory.of("The vector has the wrong dimension.", code="bad_vector", field="vector")
    # False for NaN as well; larger numbers would overflow a product.
    if not float(np.abs(vector).max()) < _NUMBER_MAX:
        raise InvalidMemory.of("The vector is not finite.", code="bad_vector", field="vector")
    return vector


def _with_sharers(
    slots: Int64Array, scores: Float32Array, places: Mapping[int, int], sharers: Mapping[int, Sequence[int]]
) -> _Scored:
    """The same with the further slots of the labels at these places, each with the score of the first."""
    more = [slot for label in places for slot in sharers[label]]
    if not more:
        return slots, scores
    same = [place for label, place in places.items() for _ in sharers[label]]
    return np.concatenate((slots, np.array(more, np.int64))), np.concatenate((scores, scores[same]))


def _checked_all(vectors: Float32Array, shape: tuple[int, int]) -> Float32Array:
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if vectors.shape != shape:
        raise InvalidMemory.of("The vectors have the wrong dimension.", code="bad_vector", field="vector")
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    if not bool((np.abs(norms - 1.0) <= _NORM_TOLERANCE).all()):  # False for NaN as well.
        raise InvalidMemory.of("A vector is not of unit length.", code="bad_vector", field="vector")
    return vectors


def _digest(vector: Float32Array) -> bytes:
    return blake2b(vector.tobytes(), digest_size=16).digest()


def _digests(vectors: Float32Array) -> list[bytes]:
    """The digest of each row, without a numpy object for each."""
    held, each = vectors.tobytes(), 4 * vectors.shape[1]
    return [blake2b(held[at : at + each], digest_size=16).digest() for at in range(0, len(held), each)]


def _inside(slots: Int64Array, allowed: _Mask) -> _Mask:
    """Which slots the mask allows. Shapes: (n,) -> (n,)."""
    if len(slots) == 0 or len(allowed) == 0:
        return np.zeros(len(slots), dtype=np.bool_)
    if int(slots.max()) < len(allowed):
        return allowed[slots]
    inside: _Mask = allowed[np.minimum(slots, len(allowed) - 1)] & (slots < len(allowed))
    return inside
