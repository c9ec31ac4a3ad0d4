"""Tuning finds a better setting where there is one, and does not pretend where there is none."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.presets import HALF_LIFE, PRESETS, WEIGHTS, recall_policy
from rearview.__main__ import main
from rearview.rankings import ranking_of
from rearview.settings import RecallSettings
from rearview.tune_search import best_of, cross_validated, folds_of, settings_tried

IN_FORCE = {**dict(zip(WEIGHTS, (0.5, 0.3, 0.1, 0.1), strict=True)), HALF_LIFE: 7.0, "fact_boost": 1.2}


def test_a_setting_that_is_better_for_everybody_is_found_and_called_worth_it() -> None:
    dice = np.random.default_rng(0)
    plain = dice.random(60)
    scores = np.array([plain, plain - 0.05, np.clip(plain + 0.2, 0, None)])
    found = cross_validated(scores, folds_of(list(range(60))))
    assert found.best == 2
    assert set(found.chosen) == {2}
    assert found.gain.value == pytest.approx(0.2)
    assert found.worth_it


def test_settings_that_differ_by_chance_alone_are_not_worth_it() -> None:
    """The best of many random ones looks better on the questions that chose it; held-out questions see through that."""
    dice = np.random.default_rng(3)
    scores = (dice.random((40, 120)) < 0.7).astype(np.float64)
    found = cross_validated(scores, folds_of(list(range(120))))
    assert scores[found.best].mean() > scores[0].mean() + 0.03
    assert not found.worth_it


def test_the_setting_in_force_wins_a_draw() -> None:
    assert best_of(np.array([[1.0, 0.0], [0.0, 1.0], [np.nan, np.nan]])[:2]) == 0
    assert best_of(np.full((3, 4), np.nan)) == 0


def test_all_questions_of_a_user_lie_in_one_fold() -> None:
    users = [user for user in range(12) for _ in range(5)]
    folds = folds_of(users)
    for user in range(12):
        assert len(set(folds[np.array(users) == user].tolist())) == 1
    assert len(set(folds.tolist())) == 5


def test_few_users_are_dealt_question_by_question() -> None:
    folds = folds_of([0] * 10 + [1] * 10)
    assert sorted(np.bincount(folds).tolist()) == [4, 4, 4, 4, 4]


def test_what_is_tried_begins_with_what_is_in_force_and_every_setting_is_a_ranking() -> None:
    tried = settings_tried(IN_FORCE)
    assert tried[0] == IN_FORCE
    assert tried[1]["semantic_weight"] == PRESETS["article-a"]["semantic_weight"]
    assert len({tuple(numbers.values()) for numbers in tried}) == len(tried)
    for numbers in tried:
        policy = recall_policy("default", numbers)
        assert sum(getattr(policy, name) for name in WEIGHTS) == pytest.approx(1.0)
    assert tried == settings_tried(IN_FORCE)


def test_words_make_a_ranking_on_top_of_the_settings() -> None:
    base = RecallSettings(floor=0.5)
    assert ranking_of(base, ["recency_weight=0.4"]).floor == 0.5
    assert ranking_of(base, ["preset=article-a", "floor=0.2"]).floor == 0.2
    assert ranking_of(base, ["preset=article-a"]).floor == recall_policy("article-a").floor


@pytest.mark.parametrize("word", ["floor", "floor=x", "preset=best", "flor=0.5", "floor=-1"])
def test_a_word_that_makes_no_ranking_is_refused(word: str) -> None:
    with pytest.raises(ValueError):
        ranking_of(RecallSettings(), [word])


def pool_where_the_newest_is_right(folder: Path) -> Path:
    """Statements that share every word with the question; only the day they were said tells them apart."""
    docs = [
        {
            "id": f"{place}{day}",
            "text": f"Plan {day} for {place}: the meeting point is gate {day}.",
            "said_at": f"2026-01-{day:02d}T10:00:00Z",
        }
        for place in ("Oslo", "Perth", "Quito")
        for day in range(1, 21)
    ]
    queries = [
        {"text": f"Which plan and meeting point is there for {place}?", "gold": [f"{place}20"], "type": "newest"}
        for place in ("Oslo", "Perth", "Quito")
    ]
    path = folder / "pool.jsonl"
    path.write_text(json.dumps({"pool": "p", "docs": docs, "queries": queries}), encoding="utf-8")
    return path


def test_two_settings_stand_side_by_side_on_the_same_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = pool_where_the_newest_is_right(tmp_path)
    flags = ["--stand-in", "--a", "recency_weight=0", "--b", "recency_weight=50", "half_life_days=1000"]
    assert main(["tune", str(file), *flags]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A: recency_weight=0"
    first = next(line.split() for line in lines if line.startswith("R@1"))
    assert float(first[2]) == 100.0
    assert float(first[1]) < float(first[2])
    assert any(line.startswith("B finds more for") for line in lines)


def test_tuning_says_what_it_found_or_that_there_is_nothing_to_gain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tune", str(pool_where_the_newest_is_right(tmp_path)), "--stand-in"]) == 0
    out = capsys.readouterr().out
    assert "48 settings on 3 questions" in out
    assert "REARVIEW_RECALL__" in out or "keep what is in force" in out


def test_a_wrong_setting_is_one_line_and_no_measurement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tune", str(pool_where_the_newest_is_right(tmp_path)), "--a", "preset=best"]) == 2
    captured = capsys.readouterr()
    assert "article-a" in captured.err
    assert captured.out == ""
