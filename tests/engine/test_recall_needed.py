"""The trigger rule, measured on lines labelled by hand: recall when a message leans on what is remembered."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.recall_needed import recall_needed

LINES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "recall_needed.jsonl").read_text("utf-8").splitlines()
]


def test_the_labelled_set_is_large_and_balanced() -> None:
    assert len(LINES) >= 200
    for language in ("zh", "en"):
        labels = [line["recall"] for line in LINES if line["lang"] == language]
        assert 0.4 < sum(labels) / len(labels) < 0.6


@pytest.mark.parametrize("language", ["zh", "en"])
def test_rules_agree_with_people(language: str) -> None:
    lines = [line for line in LINES if line["lang"] == language]
    wrong = [
        line["text"]
        for line in lines
        if recall_needed(line["text"], line["task"], line["previous_task"])[0] != line["recall"]
    ]
    assert len(wrong) <= 0.03 * len(lines), wrong


@pytest.mark.parametrize(
    ("text", "task", "previous_task", "why"),
    [
        ("开始吧", "订酒店", "写周报", "task_switch"),
        ("上次说的那家店", "", "", "past"),
        ("它怎么用", "", "", "points_back"),
        ("我的地址是哪个", "", "", "about_user"),
        ("推荐个餐厅", "", "", "depends_on_user"),
        ("What is the capital of France?", "", "", "self_contained"),
        ("谢谢", "", "", "nothing_to_recall"),
        ("any good place for dinner?", "", "", "depends_on_user"),
        ("", "", "", "nothing_to_recall"),
    ],
)
def test_the_word_says_which_rule_spoke(text: str, task: str, previous_task: str, why: str) -> None:
    assert recall_needed(text, task, previous_task)[1] == why


def test_pronouns_in_quoted_material_point_at_nothing_of_ours() -> None:
    assert recall_needed("翻译成英文：他昨天去了北京，今天回来") == (False, "self_contained")
    assert recall_needed('Translate "he used to live there" into Spanish')[0] is False


def test_the_same_task_is_no_switch() -> None:
    assert recall_needed("把图表改成蓝色", "写周报", "写周报")[0] is False


@given(st.text(max_size=200), st.text(max_size=20))
def test_no_text_breaks_the_rules(text: str, task: str) -> None:
    decided, why = recall_needed(text, task, task)
    assert why != "task_switch"
    assert isinstance(decided, bool)
