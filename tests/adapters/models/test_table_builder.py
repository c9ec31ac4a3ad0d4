"""Making a table: words, sentences, fitting. On toy numbers, except for what the shipped files must hold."""

from pathlib import Path

import numpy as np
import pytest

from adapters.models.query_table import QueryTable
from adapters.models.table_builder import build as building
from adapters.models.table_builder.build import build, centred, read_words, training_text
from adapters.models.table_builder.fit import agreement, bags, corrected, directions, mapped, untrained
from adapters.models.table_builder.sentences import framed, plain, read_frames

RNG = np.random.default_rng(5)
BAGS = bags([[0, 1, 1], [2], [3, 0], [1, 3]], 4)
DENSE = np.array([[1, 2, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]], np.float32)


def test_bags_multiply_like_the_matrix_they_stand_for() -> None:
    table, sentences = RNG.normal(size=(4, 5)).astype(np.float32), RNG.normal(size=(4, 5)).astype(np.float32)
    assert np.allclose(BAGS.times(table), DENSE @ table, atol=1e-6)
    assert np.allclose(BAGS.transposed_times(sentences), DENSE.T @ sentences, atol=1e-6)
    factors = np.array([1, 2, 3, 4], np.float32)
    assert np.allclose(BAGS.scaled(factors).times(table), factors[:, None] * (DENSE @ table), atol=1e-5)


def test_bags_in_many_chunks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    table, sentences = RNG.normal(size=(4, 5)).astype(np.float32), RNG.normal(size=(4, 5)).astype(np.float32)
    whole = BAGS.times(table), BAGS.transposed_times(sentences)
    monkeypatch.setattr("adapters.models.table_builder.fit._CHUNK", 1)
    assert np.allclose(BAGS.times(table), whole[0], atol=1e-6)
    assert np.allclose(BAGS.transposed_times(sentences), whole[1], atol=1e-6)


def test_a_sentence_without_words_is_refused() -> None:
    with pytest.raises(AssertionError):
        bags([[1], []], 4)


def test_without_training_groups_are_centred_and_frequent_words_shrink() -> None:
    vectors = RNG.normal(size=(6, 4)).astype(np.float32) + 3.0
    table = untrained(vectors, ["en", "en", "en", "zh", "zh", "zh"], [0.05, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5])
    centred_rows = vectors[:3] - vectors[:3].mean(axis=0)
    assert np.linalg.norm(table[0]) / np.linalg.norm(centred_rows[0]) == pytest.approx(1 / 51, rel=1e-3)
    assert np.linalg.norm(table[1]) / np.linalg.norm(centred_rows[1]) == pytest.approx(1 / 1.01, rel=1e-3)
    assert abs(float(vectors[3:].mean() - 3.0)) < 2.0 < float(vectors.mean())


def test_each_step_of_the_fit_agrees_better_with_the_model() -> None:
    """The truth: another table, turned by an orthogonal map, with noise. Scored on sentences held back."""
    words, dimensions = 60, 8
    truth = RNG.normal(size=(words, dimensions)).astype(np.float32)
    turn = np.linalg.qr(RNG.normal(size=(dimensions, dimensions)))[0].astype(np.float32)
    start = truth @ turn + 0.3 * RNG.normal(size=truth.shape).astype(np.float32)
    made = bags([RNG.integers(0, words, 5).tolist() for _ in range(3_000)], words)
    unseen = bags([RNG.integers(0, words, 5).tolist() for _ in range(300)], words)
    targets = directions(made.times(truth))
    scores = [agreement(start, unseen, unseen.times(truth))]
    start = mapped(start, made, targets)
    scores.append(agreement(start, unseen, unseen.times(truth)))
    start = corrected(start, made, targets)
    scores.append(agreement(start, unseen, unseen.times(truth)))
    assert scores[0] < scores[1] < scores[2]
    assert scores[2] > 0.97


def test_targets_hold_nothing_that_all_sentences_of_a_kind_share() -> None:
    sentences = ["I like tea", "I like jam", "who?", "why?", "我喝茶", "我吃饭"]
    offset = np.array([5, 5, -3, -3, 9, 9], np.float32)[:, None] * np.ones((6, 3), np.float32)
    content = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]], np.float32)
    assert np.allclose(centred(sentences, 6, offset + content), centred(sentences, 6, content), atol=1e-5)


def test_the_training_text_is_the_same_every_time() -> None:
    first, second = training_text(read_words()), training_text(read_words())
    assert first == second
    assert len(first.training) > 25_000
    assert all("{" not in sentence for sentence in first.training)
    assert min(map(len, first.training)) > 1


def test_frames_know_all_their_slots() -> None:
    rng = np.random.default_rng(1)
    for language in ("en", "zh"):
        for kind in ("frames", "frames_open"):
            source = read_frames(kind, language, ["word", "词语"])
            assert all("{" not in sentence for sentence in framed(source, 2_000, rng))
            assert len(list(plain(source, 10, rng))) == 10


def test_the_word_list_has_no_word_twice_and_no_impossible_frequency() -> None:
    listed = read_words()
    assert len(set(listed.words)) == len(listed.words) > 25_000
    assert set(listed.groups) == {"en", "zh"}
    assert all(0 < p <= 0.1 for p in listed.probabilities)


def test_a_whole_build_makes_a_table_that_agrees_with_its_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model here: every letter has a vector, a text is their sum. Few sentences, so that it takes seconds."""
    monkeypatch.setattr(building, "EVERYDAY_SENTENCES", 400)
    monkeypatch.setattr(building, "OPEN_SENTENCES", {"en": 100, "zh": 100})
    monkeypatch.setattr(building, "PLAIN_SENTENCES", 100)
    monkeypatch.setattr(building, "HELD_OUT_SENTENCES", 50)
    letters = np.random.default_rng(2).normal(size=(997, 16)).astype(np.float32)

    def embed(texts: list[str]) -> np.ndarray:
        return directions(np.array([letters[[ord(c) % 997 for c in text]].sum(axis=0) for text in texts]))

    said: list[str] = []
    build(tmp_path / "t", embed=embed, space_id="letters", say=said.append)  # type: ignore[arg-type]
    table = QueryTable.load(tmp_path / "t")
    assert table.space_id == "letters"
    scores = table.made["agreement"]
    assert isinstance(scores, dict)
    assert scores["en"] > 0.5
    assert scores["zh"] > 0.5
    assert sum("agreement" in line for line in said) == 2
