"""Fitting relevance curves, and what the shipped ones promise."""

import numpy as np
import pytest

from adapters.models.calibrate import Evidence, Person, evidence, fitted, read_people
from adapters.models.space import bundled_space
from engine.spaces import CALIBRATION_KEYS


def test_a_fitted_curve_gives_back_the_probabilities_that_made_the_answers() -> None:
    rng = np.random.default_rng(3)
    scores = rng.uniform(-0.1, 0.4, 20_000)
    truth = 1 / (1 + np.exp(-(scores - 0.15) * 30))
    curve = fitted(scores, (rng.uniform(size=len(scores)) < truth).astype(float))
    asked = np.array([0.05, 0.1, 0.15, 0.2, 0.25], np.float32)
    assert curve.relevance(asked) == pytest.approx(1 / (1 + np.exp(-(asked - 0.15) * 30)), abs=0.04)


def test_scores_that_mean_nothing_are_refused() -> None:
    with pytest.raises(AssertionError, match="do not fit"):
        fitted(np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 1.0, 0.0, 0.0]))


def test_a_question_gives_its_answer_and_the_best_wrong_memories() -> None:
    person = Person("p", ["a", "b", "c", "d", "e"], [("?a", 0), ("?none", None)])
    basis = np.eye(5, dtype=np.float32)
    documents = {name: basis[i] for i, name in enumerate("abcde")}
    queries = {"?a": np.array([0.9, 0.5, 0.4, 0.3, 0.2], np.float32), "?none": np.full(5, 0.1, np.float32)}
    found = evidence([person], queries, documents)
    assert sorted(zip(found.answers.tolist(), found.scores.round(2).tolist(), strict=True))[-1] == (1.0, 0.9)
    assert found.scores[:4].round(2).tolist() == [0.9, 0.3, 0.4, 0.5]
    assert found.answers.tolist() == [1.0] + [0.0] * 6
    assert found.best_of_answerable.round(2).tolist() == [0.9]
    assert found.abstention_auroc == 1.0


def test_equal_scores_are_worth_half_in_the_auroc() -> None:
    assert Evidence(np.zeros(1), np.zeros(1), np.array([0.5]), np.array([0.5])).abstention_auroc == 0.5


def test_the_shipped_pairs_are_whole_and_in_both_languages() -> None:
    people = read_people()
    assert len(people) >= 6
    for person in people:
        assert len(set(person.statements)) == len(person.statements) >= 10
        assert sum(answer is None for _, answer in person.questions) >= 10
        answered = {answer for _, answer in person.questions if answer is not None}
        assert answered == set(range(len(person.statements)))


def test_the_shipped_curves_rise_from_irrelevant_to_relevant_within_the_scores_that_occur() -> None:
    for key in CALIBRATION_KEYS:
        curve = bundled_space().calibrations[key]
        relevances = curve.relevance(np.array([-0.1, 0.0, 0.4, 0.6], np.float32))
        assert relevances[1] < 0.05
        assert relevances[2] > 0.95
