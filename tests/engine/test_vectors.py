"""The vector index against a dictionary, and the graph against the exact scan."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.errors import InvalidMemory
from engine.memory import Float32Array
from engine.vectors import VectorIndex, VectorPolicy

DIMENSIONS = 12
SMALL_GRAPHS = VectorPolicy(graph_above=12, waiting_max=4)


def unit(seed: int, dimensions: int = DIMENSIONS) -> Float32Array:
    vector = np.random.default_rng(seed).normal(size=dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def clustered(count: int, dimensions: int, seed: int) -> Float32Array:
    """Unit vectors in clusters of about twenty, all leaning one way, as sentence embeddings do."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(max(2, count // 20), dimensions))
    points = centres[chance.integers(0, len(centres), count)] + 0.6 * chance.normal(size=(count, dimensions)) + 1.0
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


def filled(vectors: Float32Array, policy: VectorPolicy) -> VectorIndex:
    index = VectorIndex(vectors.shape[1], policy)
    for slot, vector in enumerate(vectors):
        index.put(slot, vector)
    return index


def with_graph(index: VectorIndex) -> VectorIndex:
    job = index.graph_job()
    assert job is not None
    job.build()
    index.adopt_graph(job)
    assert index.kind == "graph"
    return index


def expected(held: dict[int, Float32Array], query: Float32Array) -> dict[int, float]:
    return {slot: float(vector @ query) for slot, vector in held.items()}


class IndexLikeDictionary(RuleBasedStateMachine):
    """Puts, replacements, removals and graphs in any order: every answer is the dictionary's."""

    @initialize()
    def start(self) -> None:
        self.index = VectorIndex(DIMENSIONS, SMALL_GRAPHS)
        self.held: dict[int, Float32Array] = {}
        self.jobs: list[object] = []
        self.next_slot = 0

    # Seeds repeat, so that several slots share a vector.
    @rule(seeds=st.lists(st.integers(0, 60), min_size=1, max_size=12))
    def put_new(self, seeds: list[int]) -> None:
        for seed in seeds:
            self.index.put(self.next_slot, unit(seed))
            self.held[self.next_slot] = unit(seed)
            self.next_slot += 1

    @precondition(lambda self: self.held)
    @rule(data=st.data(), seed=st.integers(0, 60))
    def replace(self, data: st.DataObject, seed: int) -> None:
        slot = data.draw(st.sampled_from(sorted(self.held)))
        self.index.put(slot, unit(seed))
        self.held[slot] = unit(seed)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), count=st.integers(1, 6))
    def remove(self, data: st.DataObject, count: int) -> None:
        for slot in data.draw(st.permutations(sorted(self.held)))[:count]:
            self.index.remove(slot)
            del self.held[slot]

    @rule(slot=st.integers(100_000, 100_003))
    def remove_what_is_not_there(self, slot: int) -> None:
        self.index.remove(slot)

    @rule(purge=st.booleans())
    def ask_for_a_job(self, purge: bool) -> None:
        job = self.index.graph_job(purge=purge)
        if job is not None:
            job.build()
            self.jobs.append(job)

    @precondition(lambda self: self.jobs)
    @rule()
    def adopt_a_job_that_may_be_old(self) -> None:
        self.index.adopt_graph(self.jobs.pop(0))

    @rule(most=st.integers(0, 20))
    def settle(self, most: int) -> None:
        waiting = self.index.waiting
        assert self.index.settle(most) == (min(most, waiting) if self.index.kind == "graph" else 0)

    @rule(seed=st.integers(1000, 1010), k=st.integers(0, 8), data=st.data())
    def search(self, seed: int, k: int, data: st.DataObject) -> None:
        query = 3.0 * unit(seed)
        wanted = expected(self.held, query)
        for answer in (self.index.exact, self.index.nearest):
            slots, scores = answer(query, k)
            assert len(slots) == len(set(slots.tolist())) == min(k, len(self.held))
            assert scores.tolist() == pytest.approx([wanted[slot] for slot in slots.tolist()], abs=1e-5)
            # The graphs here are small enough to be searched whole, so even they find the true best.
            assert scores.tolist() == pytest.approx(sorted(wanted.values(), reverse=True)[:k], abs=1e-5)
        allowed = np.array(data.draw(st.lists(st.booleans(), max_size=self.next_slot + 2)), dtype=np.bool_)
        kept = {slot: score for slot, score in wanted.items() if slot < len(allowed) and allowed[slot]}
        slots, scores = self.index.nearest(query, k, allowed=allowed)
        assert set(slots.tolist()) <= set(kept)
        assert scores.tolist() == pytest.approx(sorted(kept.values(), reverse=True)[:k], abs=1e-5)

    @rule(seed=st.integers(1000, 1010))
    def scores_of_what_is_and_is_not_held(self, seed: int) -> None:
        slots = np.array([*self.held, 100_000], dtype=np.int64)
        scores = self.index.scores_of(unit(seed), slots)
        assert scores[:-1].tolist() == pytest.approx(list(expected(self.held, unit(seed)).values()), abs=1e-5)
        assert np.isnan(scores[-1])

    @invariant()
    def it_holds_what_was_put(self) -> None:
        assert len(self.index) == len(self.held)
        for slot, vector in self.held.items():
            assert slot in self.index
            assert np.array_equal(self.index.vector_of(slot), vector)


TestIndexLikeDictionary = IndexLikeDictionary.TestCase
TestIndexLikeDictionary.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000))
def test_the_graph_finds_99_percent_of_the_true_ten(seed: int) -> None:
    vectors = clustered(2600, 96, seed)
    index = with_graph(filled(vectors[:2500], VectorPolicy()))
    mean = vectors.mean(axis=0)
    found = 0
    for query in vectors[2500:] - 0.9 * mean:
        found += len(set(index.nearest(query, 10)[0].tolist()) & set(index.exact(query, 10)[0].tolist()))
    assert found >= 0.99 * 10 * 100


def test_a_wide_filter_on_a_graph_is_answered_as_the_scan_answers() -> None:
    vectors = clustered(9000, 32, 3)
    index = with_graph(filled(vectors, VectorPolicy()))
    chance = np.random.default_rng(4)
    for share in (0.9, 0.5):
        allowed = chance.random(9000) < share
        assert np.count_nonzero(allowed) > 4000, "otherwise this tests the scan against itself"
        found = 0
        for query in vectors[:50]:
            slots, _ = index.nearest(query, 10, allowed=allowed)
            assert allowed[slots].all()
            found += len(set(slots.tolist()) & set(index.exact(query, 10, allowed=allowed)[0].tolist()))
        assert found >= 0.99 * 500


def test_a_filter_far_from_the_query_still_finds_all_it_may() -> None:
    vectors = clustered(9000, 32, 5)
    index = with_graph(filled(vectors, VectorPolicy()))
    scores = vectors @ vectors[0]
    allowed = scores <= np.median(scores)
    slots, _ = index.nearest(vectors[0], 20, allowed=allowed)
    assert slots.tolist() == index.exact(vectors[0], 20, allowed=allowed)[0].tolist()


def test_a_thousand_copies_of_one_vector_hide_nothing() -> None:
    vectors = clustered(2400, 32, 6)
    index = VectorIndex(32, VectorPolicy())
    for slot in range(1000):
        index.put(slot, vectors[0])
    for slot, vector in enumerate(vectors[1:], start=1000):
        index.put(slot, vector)
    with_graph(index)
    lost = [slot for slot in range(1000, 3399) if slot not in index.nearest(vectors[slot - 999], 5)[0]]
    assert len(lost) <= 2
    assert len(index.nearest(vectors[0], 1200)[0]) == 1200


def test_a_graph_built_in_another_thread_takes_in_what_changed_meanwhile() -> None:
    vectors = clustered(3000, 32, 7)
    index = filled(vectors[:2500], VectorPolicy())
    job = index.graph_job()
    assert job is not None
    builder = threading.Thread(target=job.build)
    builder.start()
    for slot in range(0, 300):
        index.remove(slot)
    for slot in range(2500, 3000):
        index.put(slot, vectors[slot])
    builder.join()
    index.adopt_graph(job)
    assert index.kind == "graph"
    assert index.waiting == 500
    gone = {slot for query in vectors[:300] for slot in index.nearest(query, 5)[0].tolist() if slot < 300}
    assert gone == set()
    assert all(index.nearest(vectors[slot], 3)[0][0] == slot for slot in range(2500, 3000))
    assert index.settle(10_000) == 500
    assert all(index.nearest(vectors[slot], 3)[0][0] == slot for slot in range(2500, 3000))


def test_no_graph_is_asked_for_until_one_pays() -> None:
    vectors = clustered(2001, 8, 8)
    index = filled(vectors[:2000], VectorPolicy())
    assert index.graph_job() is None
    index.put(2000, vectors[2000])
    with_graph(index)
    assert index.graph_job() is None, "a fresh graph is not rebuilt"


def test_a_graph_is_rebuilt_at_its_share_of_dead_and_for_a_purge_at_once() -> None:
    vectors = clustered(4000, 8, 9)
    index = with_graph(filled(vectors, VectorPolicy()))
    index.remove(0)
    assert index.graph_job() is None
    assert index.graph_job(purge=True) is not None
    for slot in range(1, 1200):
        index.remove(slot)
    with_graph(index)
    assert index.graph_job(purge=True) is None, "nothing removed is left inside"


def test_a_shelf_that_shrank_gives_up_its_graph_and_its_rows() -> None:
    vectors = clustered(2500, 8, 10)
    index = with_graph(filled(vectors, VectorPolicy()))
    for slot in range(2400):
        index.remove(slot)
    assert index.kind == "exact"
    assert index.memory_bytes < 100_000
    assert len(index.nearest(vectors[2450], 200)[0]) == 100


def test_a_removed_vector_leaves_no_bytes_in_the_rows() -> None:
    index = filled(clustered(20, 8, 11), VectorPolicy())
    secret = unit(12, 8)
    index.put(99, secret)
    index.remove(99)
    assert secret.tobytes() not in index._rows.tobytes()


@pytest.mark.parametrize(
    "vector",
    [
        np.zeros(DIMENSIONS, np.float32),
        np.full(DIMENSIONS, np.nan, np.float32),
        np.full(DIMENSIONS, np.inf, np.float32),
        np.full(DIMENSIONS, 1e30, np.float32),
        2 * unit(1),
        unit(1, DIMENSIONS - 1),
        unit(1, DIMENSIONS + 1),
        unit(1).reshape(1, -1),
    ],
    ids=["zero", "nan", "inf", "overflow", "long", "short of one", "one too many", "a matrix"],
)
def test_a_vector_that_would_harm_the_index_is_refused_and_changes_nothing(vector: Float32Array) -> None:
    index = filled(np.stack([unit(1), unit(2)]), VectorPolicy())
    with pytest.raises(InvalidMemory):
        index.put(1, vector)
    assert np.array_equal(index.vector_of(1), unit(2))


@pytest.mark.parametrize("wrong", [unit(1, DIMENSIONS - 1), np.full(DIMENSIONS, np.nan, np.float32)])
def test_a_query_that_would_crash_the_graph_is_refused(wrong: Float32Array) -> None:
    index = with_graph(filled(clustered(30, DIMENSIONS, 13), SMALL_GRAPHS))
    with pytest.raises(InvalidMemory):
        index.nearest(wrong, 3)
    with pytest.raises(InvalidMemory):
        index.scores_of(wrong, np.array([1]))


def test_more_than_there_is_gives_all_there_is() -> None:
    index = with_graph(filled(clustered(30, DIMENSIONS, 14), SMALL_GRAPHS))
    assert len(index.nearest(unit(1), 1000)[0]) == 30
    assert len(VectorIndex(DIMENSIONS, SMALL_GRAPHS).nearest(unit(1), 5)[0]) == 0


def test_a_hundred_vectors_of_384_stay_small() -> None:
    assert filled(clustered(100, 384, 15), VectorPolicy()).memory_bytes < 220_000


@pytest.mark.parametrize("wrong", [{"graph_above": 0}, {"m": 1}, {"ef": 5}, {"rebuild_dead_share": 1.0}])
def test_a_policy_that_cannot_work_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must|below"):
        VectorPolicy(**wrong)
