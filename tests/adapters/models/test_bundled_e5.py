"""The bundled model, and the table next to it."""

import threading

import numpy as np
import pytest

from adapters.models.bundled_e5 import BundledE5
from adapters.models.query_table import QueryTable

FACTS = [
    "I am allergic to peanuts.",
    "My sister lives in Lisbon.",
    "The release moved to Tuesday.",
    "我每天早上六点跑步。",
    "我女儿今年上小学。",
]
QUESTIONS = [
    "What am I allergic to?",
    "Where does my sister live?",
    "When is the release?",
    "我几点起来跑步？",
    "我女儿上学了吗？",
]


@pytest.fixture(scope="module")
def model() -> BundledE5:
    return BundledE5()


def test_passages_are_unit_vectors_in_the_order_given(model: BundledE5) -> None:
    vectors = model.passages(FACTS)
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-3)
    alone = model.passages(FACTS[1:2])[0]
    assert float(alone @ vectors[1]) > 0.999


def test_no_texts_give_no_vectors(model: BundledE5) -> None:
    assert model.passages([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "图书馆" * 3_000])
def test_odd_texts_have_finite_vectors(model: BundledE5, text: str) -> None:
    assert np.isfinite(model.passages([text])).all()
    assert np.isfinite(model.query(text)).all()


def test_a_long_text_is_judged_by_its_start(model: BundledE5) -> None:
    long = "我女儿今年上小学，她很喜欢她的班主任。" * 60
    first, second = model.passages([long, long + "明天去修车。" * 300])
    assert float(first @ second) > 0.99


def test_texts_go_to_the_model_in_small_batches_and_come_back_in_order(model: BundledE5) -> None:
    texts = [*FACTS, "I walked to the library and back. " * 70, *FACTS[::-1]] * 2
    vectors = model.passages(texts)
    alone = model.passages(FACTS)
    assert np.allclose(vectors[:5], alone, atol=1e-3)
    assert np.allclose(vectors[6:11], alone[::-1], atol=1e-3)
    assert np.allclose(vectors[:11], vectors[11:], atol=1e-3)


def test_the_models_query_finds_its_fact_and_the_curve_calls_it_relevant(model: BundledE5) -> None:
    documents, curve = model.passages(FACTS), model.space.calibration("model", stand_in=False)
    for index, question in enumerate(QUESTIONS):
        asked = model.query(question)
        assert np.linalg.norm(asked) == pytest.approx(1.0, abs=1e-5)
        relevances = curve.relevance(documents @ asked)
        assert int(relevances.argmax()) == index
        assert relevances[index] > 0.5
        assert float(np.median(relevances)) < 0.1


def test_the_static_query_finds_the_same_facts_among_the_models_documents(model: BundledE5) -> None:
    documents, table = model.passages(FACTS), QueryTable.load()
    found = [int((documents @ table.encode(question).vector).argmax()) for question in QUESTIONS]
    assert sum(a == b for a, b in enumerate(found)) >= 4


def test_a_stand_in_is_near_the_vector_it_stands_for(model: BundledE5) -> None:
    documents, table = model.passages(FACTS), QueryTable.load()
    for index, fact in enumerate(FACTS):
        assert int((documents @ table.stand_in(fact)).argmax()) == index


def test_threads_may_share_the_model(model: BundledE5) -> None:
    wanted = model.passages(FACTS)
    found: dict[int, np.ndarray] = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: model.passages(FACTS)})) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for vectors in found.values():
        assert np.allclose(vectors, wanted, atol=1e-5)
