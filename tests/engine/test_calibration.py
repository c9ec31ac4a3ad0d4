"""Calibration: dot product to relevance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.calibration import Calibration
from engine.spaces import CALIBRATION_KEYS, EmbeddingSpace

CURVE = Calibration((0.0, 0.1, 0.3), (0.05, 0.5, 0.9))


def test_relevance_runs_through_the_knots_and_straight_between_them() -> None:
    found = CURVE.relevance(np.array([0.0, 0.05, 0.1, 0.2, 0.3], np.float32))
    assert found.tolist() == pytest.approx([0.05, 0.275, 0.5, 0.7, 0.9], abs=1e-6)
    assert found.dtype == np.float32


def test_relevance_is_flat_outside_the_knots() -> None:
    assert CURVE.relevance(np.array([-9.0, 9.0], np.float32)).tolist() == pytest.approx([0.05, 0.9], abs=1e-6)


def test_no_scores_have_no_relevances() -> None:
    assert CURVE.relevance(np.empty(0, np.float32)).shape == (0,)


def test_a_score_that_is_not_a_number_is_irrelevant() -> None:
    assert CURVE.relevance(np.array([np.nan], np.float32)).tolist() == [0.0]


@given(st.lists(st.floats(-2, 2, width=32), min_size=1, max_size=30))
def test_calibrating_never_reverses_two_documents(scores: list[float]) -> None:
    ordered = np.sort(np.array(scores, np.float32))
    relevances = CURVE.relevance(ordered)
    assert np.all(np.diff(relevances) >= 0)
    assert np.all((relevances >= 0) & (relevances <= 1))


@pytest.mark.parametrize(
    ("scores", "relevances"),
    [((0.1,), (0.5,)), ((0.1, 0.1), (0.2, 0.3)), ((0.1, 0.2), (0.3, 0.2)), ((0.1, 0.2), (0.3, 1.2)), ((0, 1), (0.5,))],
)
def test_a_curve_that_is_no_rising_curve_is_refused(scores: tuple[float, ...], relevances: tuple[float, ...]) -> None:
    with pytest.raises(AssertionError):
        Calibration(scores, relevances)


def test_a_space_names_the_curve_of_a_pair_of_encoder_and_document() -> None:
    curves = {key: Calibration((0.0, 1.0), (0.0, 0.1 * (n + 1))) for n, key in enumerate(CALIBRATION_KEYS)}
    space = EmbeddingSpace("toy", 3, np.zeros(3, np.float32), curves)
    assert space.calibration("static", stand_in=False) is curves["static:model"]
    assert space.calibration("model", stand_in=True) is curves["model:stand_in"]


def test_a_space_without_all_its_curves_is_refused() -> None:
    with pytest.raises(AssertionError, match="model:stand_in"):
        EmbeddingSpace("toy", 3, np.zeros(3, np.float32), dict.fromkeys(CALIBRATION_KEYS[:3], CURVE))
    with pytest.raises(AssertionError, match="shape"):
        EmbeddingSpace("toy", 4, np.zeros(3, np.float32), dict.fromkeys(CALIBRATION_KEYS, CURVE))
