"""Named rankings, and single numbers of one changed."""

from math import exp

import pytest

from engine.policy import RecallPolicy
from engine.presets import PRESETS, WEIGHTS, recall_policy


@pytest.mark.parametrize("name", PRESETS)
def test_the_weights_of_every_preset_sum_to_one(name: str) -> None:
    policy = recall_policy(name)
    assert sum(getattr(policy, weight) for weight in WEIGHTS) == pytest.approx(1.0)


def test_the_default_is_the_engines_own() -> None:
    assert recall_policy() == RecallPolicy()


def test_article_a_is_as_it_was_written() -> None:
    policy = recall_policy("article-a")
    assert [getattr(policy, weight) for weight in WEIGHTS] == pytest.approx([0.6, 0.0, 0.2, 0.2])
    assert dict(policy.half_life_days)["fact"] == 7.0


def test_the_recency_of_article_b_falls_as_exp_of_days_by_thirty() -> None:
    policy = recall_policy("article-b")
    half_life = dict(policy.half_life_days)["event"]
    for days in (0.0, 3.0, 30.0, 90.0):
        assert 0.5 ** (days / half_life) == pytest.approx(exp(-days / 30.0))
    assert [getattr(policy, weight) for weight in WEIGHTS] == pytest.approx([0.7, 0.2, 0.1, 0.0])


def test_one_weight_changed_alone_leaves_the_others_in_proportion() -> None:
    policy = recall_policy("default", {"recency_weight": 0.5})
    plain = RecallPolicy()
    assert sum(getattr(policy, weight) for weight in WEIGHTS) == pytest.approx(1.0)
    assert policy.recency_weight > plain.recency_weight
    ratio = policy.semantic_weight / policy.keyword_weight
    assert ratio == pytest.approx(plain.semantic_weight / plain.keyword_weight)


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("best", {}),
        ("default", {"sematic_weight": 0.5}),
        ("default", {"floor": -0.1}),
        ("default", {"floor": float("nan")}),
        ("default", dict.fromkeys(WEIGHTS, 0.0)),
        ("default", {"half_life_days": 0.0}),
        ("default", {"candidates_max": 0.0}),
    ],
)
def test_what_makes_no_ranking_is_refused(preset: str, changes: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        recall_policy(preset, changes)
