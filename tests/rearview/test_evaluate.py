"""Labelled files are measured as the scripts beside the data measure them, and wrong files are named."""

import json
from pathlib import Path

import numpy as np
import pytest

from rearview.__main__ import main
from rearview.evaluate_files import LabelledFileError, cases_of, kind_of
from rearview.evaluate_intervals import auroc_of, difference_of, f1_of, mean_of
from rearview.evaluate_recall import Answer, Question, figures_of, recall_at, stale_above

POOL = {
    "pool": "p",
    "docs": [
        {"id": "a", "text": "I am allergic to peanuts.", "said_at": "2026-01-02T10:00:00Z"},
        {"id": "b", "text": "My sister lives in Lisbon.", "said_at": "2026-01-03T10:00:00Z", "session": 1},
    ],
    "queries": [
        {"qid": 1, "text": "Where does my sister live?", "gold": ["b"], "type": "fact"},
        {"qid": 2, "text": "What am I allergic to?", "gold": ["a"], "type": "fact"},
        {"qid": 3, "text": "Which car do I drive?", "gold": []},
    ],
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def lines(path: Path, *cases: object) -> Path:
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return path


def answer(found: str, gold: str = "", alt: str = "", stale: str = "", relevance: float = 0.5) -> Answer:
    return Answer(Question("q", frozenset(gold), frozenset(alt), frozenset(stale)), tuple(found), relevance, 1.0)


def test_recall_is_the_share_of_the_right_memories_and_an_alternative_counts_only_beside_a_single_one() -> None:
    assert recall_at(answer("abcd", gold="ad"), 2) == 0.5
    assert recall_at(answer("abcd", gold="ad"), 4) == 1.0
    assert recall_at(answer("xyz", gold="a", alt="y"), 5) == 1.0
    assert recall_at(answer("xyz", gold="ab", alt="y"), 5) == 0.0
    assert np.isnan(recall_at(answer("xyz"), 5))


def test_outdated_counts_when_it_stands_above_every_right_one_within_five() -> None:
    assert stale_above(answer("sg", gold="g", stale="s")) == 1.0
    assert stale_above(answer("gs", gold="g", stale="s")) == 0.0
    assert stale_above(answer("abcdesg", gold="g", stale="s")) == 0.0
    assert np.isnan(stale_above(answer("sg", gold="g")))


def test_unanswerable_questions_count_for_the_abstention_alone() -> None:
    figures = figures_of(
        [answer("a", gold="a", relevance=0.9), answer("b", gold="a", relevance=0.3), answer("a", relevance=0.2)], 0.35
    )
    assert (figures.questions, figures.unanswerable) == (3, 1)
    assert figures.recall[5].value == 0.5
    assert figures.auroc.value == 1.0
    assert figures.unanswerable_kept_silent.value == 1.0
    assert figures.answerable_kept_silent.value == 0.5


def test_twenty_right_of_twenty_is_not_certain() -> None:
    estimate = mean_of(np.ones(20))
    assert estimate.value == 1.0
    assert estimate.low == pytest.approx(0.839, abs=0.001)  # Wilson's interval, from tables.


def test_an_interval_narrows_with_more_cases_and_holds_the_value() -> None:
    few, many = (mean_of(np.tile([0.0, 0.5, 1.0, 1.0], n)) for n in (5, 500))
    for estimate in (few, many):
        assert estimate.low < estimate.value < estimate.high
    assert many.high - many.low < (few.high - few.low) / 5


def test_a_difference_is_paired_so_that_what_both_find_hard_does_not_blur_it() -> None:
    hard = np.tile([0.0, 1.0], 50)
    estimate = difference_of(hard, np.clip(hard + 0.1, 0, 1.1))
    assert estimate.value == pytest.approx(0.1)
    assert estimate.high - estimate.low < 0.001


def test_f1_and_auroc_are_those_of_the_textbook() -> None:
    kept, wanted = np.array([True, True, False, True]), np.array([True, False, True, True])
    assert f1_of(kept, wanted).value == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert auroc_of(np.array([0.9, 0.5]), np.array([0.5, 0.1])).value == pytest.approx((1 + 1 + 0.5 + 1) / 4)


def test_questions_are_answered_and_figures_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "recall", str(lines(tmp_path / "pool.jsonl", POOL)), "--stand-in"]) == 0
    out = capsys.readouterr().out
    assert "2 memories of 1 user, 3 questions (1 without an answer)" in out
    assert "100.0" in next(line for line in out.splitlines() if line.startswith("all (2)"))


def test_statements_are_judged_and_the_wrong_ones_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = lines(
        tmp_path / "decisions.jsonl",
        {
            "id": "d1",
            "lang": "en",
            "speaker": "user",
            "text": "I am allergic to peanuts.",
            "store": True,
            "category": "fact",
            "tier": "semantic",
            "tags": ["allergy"],
        },
        {"id": "d2", "lang": "en", "speaker": "user", "text": "I am allergic to walnuts.", "store": False},
    )
    assert main(["eval", "writes", str(file)]) == 0
    out = capsys.readouterr().out
    assert "wrong (1):" in out
    assert "wanted drop; got stored" in out
    assert "d1" not in out


def test_a_conflict_is_right_when_only_what_should_be_current_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(text: str, days_ago: int) -> dict[str, object]:
        return {"text": text, "source": "user", "days_ago": days_ago, "category": "fact"}

    case = {"id": "c1", "lang": "en", "first": said("I live in Oslo.", 9), "second": said("I live in Bergen now.", 1)}
    right = {**case, "relation": "replaces", "after": ["second"], "tags": ["address-change"]}
    wrong = {**case, "id": "c2", "relation": "replaces", "after": ["first"], "tags": ["address-change"]}
    assert main(["eval", "writes", str(lines(tmp_path / "c.jsonl", right, wrong))]) == 0
    out = capsys.readouterr().out
    assert "50.0" in next(line for line in out.splitlines() if line.startswith("right  "))
    assert "c2" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no case"), ("[1]\n", "line 1"), ('{"store": true}\n{"store"', "line 2"), ("{}\n", "no known kind")],
)
def test_a_file_that_is_not_labelled_is_named_with_the_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(text)
    with pytest.raises(LabelledFileError, match=said):
        kind_of(path, cases_of(path))


@pytest.mark.parametrize(
    ("kind", "case", "said"),
    [
        ("writes", {"id": "d", "store": True}, "line 1: the field text"),
        ("writes", POOL, "eval recall"),
        ("recall", {"id": "d", "store": True, "text": "x"}, "eval writes"),
        ("recall", {**POOL, "queries": [{"text": "q", "gold": ["z"]}]}, "no memory has the id z"),
        ("recall", {**POOL, "docs": [POOL["docs"][0], POOL["docs"][0]]}, "stands twice"),
    ],
)
def test_a_wrong_file_is_one_line_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, case: object, said: str
) -> None:
    assert main(["eval", kind, str(lines(tmp_path / "file.jsonl", case))]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
