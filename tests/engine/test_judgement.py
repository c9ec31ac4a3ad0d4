"""Reading an opinion out of whatever a model says, and what it may change."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.decision import Score
from engine.facets import facets_of
from engine.judgement import (
    IMPORTANCE_MAX,
    KEEP_FROM,
    Opinion,
    grounded,
    read_importance,
    read_opinion,
    read_statements,
    refined,
    settled_relation,
)

KNOWN = [("a", 1), ("b", 3)]
GOOD = json.dumps({"importance": 8, "relations": [{"memory": 2, "relation": "replaces"}]})


def score(total: float = 0.7, explicitness: float = 0.5) -> Score:
    return Score(
        density=0.7, relevance=0.5, durability=0.7, explicitness=explicitness, total=total, threshold=0.6, by="rules"
    )


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"Sure, here it is:\n{GOOD}\nAnything else?",
        '{"score": "8"}',
        '{"importance": 8.0}',
        "8",
        "8/10",
        "I rate it 8 out of 10.",
        "重要性：8分",
        "On a scale of 0-10 this is an 8.",
        '{"why": "a \\"}\\" in a string", "importance": 8}',
    ],
)
def test_an_importance_is_read_in_every_form_that_models_use(reply: str) -> None:
    assert read_importance(reply) == 8


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        GOOD[:14],
        '{"importance": 1',
        '{"importance": 11}',
        '{"importance": -1}',
        '{"importance": true}',
        '{"importance": "high"}',
        "null",
        "抱歉，我无法给出 0 到 10 的评分。",
        "I can't rate this on a scale from 0 to 10.",
        "I'm sorry, 8",
        "Importance is 7.5",
        "x" * 10_000_000,
        "[" * 20_000,
        '{"a":' * 3_000,
        "1" * 400,
        "8 " * 1_000,
    ],
)
def test_what_is_no_opinion_is_read_as_none(reply: str) -> None:
    assert read_importance(reply) is None


@given(st.text(max_size=300))
def test_no_reply_whatever_breaks_the_reader(reply: str) -> None:
    found = read_importance(reply)
    assert found is None or 0 <= found <= IMPORTANCE_MAX
    read_opinion(reply, KNOWN)
    read_statements(reply, 3)


def test_relations_are_those_to_the_memories_that_were_shown() -> None:
    listed = [
        {"memory": 2, "relation": "replaces"},
        {"memory": 3, "relation": "same"},
        {"memory": 0, "relation": "same"},
        {"memory": 1, "relation": "eats"},
        "nonsense",
        {"relation": "same"},
        {"memory": "1", "relation": "coexists"},
    ]
    opinion = read_opinion(json.dumps({"importance": 5, "relations": listed}), KNOWN)
    assert opinion is not None
    assert opinion.relations == {"b": "replaces", "a": "coexists"}


def test_an_opinion_of_another_version_of_a_memory_does_not_count() -> None:
    opinion = Opinion(5, {"b": "replaces"}, {"b": 3})
    assert opinion.relation("b", 3) == "replaces"
    assert opinion.relation("b", 4) == ""
    assert opinion.relation("a", 1) == ""


def test_statements_keep_their_turn_and_nothing_odd() -> None:
    listed = [
        {"text": "用户对花生过敏。", "turn": 1, "importance": 10},
        {"text": "Lives in Lyon.", "turn": "2", "importance": 99},
        {"text": "", "turn": 1, "importance": 5},
        {"text": "No such turn.", "turn": 9, "importance": 5},
        {"turn": 1},
        7,
    ]
    found = read_statements(json.dumps({"statements": listed}, ensure_ascii=False), 2)
    assert found is not None
    rows = [(one.text, one.turn, one.importance) for one in found]
    assert rows == [("用户对花生过敏。", 0, 10), ("Lives in Lyon.", 1, 5)]
    assert read_statements('{"statements": []}', 2) == ()
    assert read_statements("no list", 2) is None


@given(st.integers(0, IMPORTANCE_MAX), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_the_total_rises_with_the_importance_and_says_who_judged(
    importance: int, total: float, explicitness: float
) -> None:
    judged = refined(score(round(total, 3), explicitness), importance)
    assert judged.by == "llm"
    assert 0.0 <= judged.total <= 1.0
    if importance < IMPORTANCE_MAX:
        assert judged.total <= refined(score(round(total, 3), explicitness), importance + 1).total


def test_a_general_preference_passes_the_threshold_and_small_talk_does_not() -> None:
    assert refined(score(0.1), 5).total > 0.6
    assert refined(score(0.1), KEEP_FROM).total == 0.6
    assert refined(score(0.9), 0).total == 0.0
    assert refined(score(0.1), 10).total == 1.0


def test_what_was_said_as_plainly_as_can_be_is_not_dropped_by_a_low_opinion() -> None:
    assert refined(score(0.9, explicitness=1.0), 0).total == 0.9


def related(by_rules: str, by_model: str, new: str, known: str) -> str:
    return settled_relation(by_rules, by_model, facets_of(new), facets_of(known))


def test_a_model_may_keep_apart_what_rules_would_replace() -> None:
    assert related("replaces", "coexists", "I love tea", "I love coffee") == "coexists"
    assert related("same", "unrelated", "I love tea", "I love coffee") == "unrelated"


def test_no_model_merges_two_different_numbers() -> None:
    new, known = "My order number is 440971", "My order number is 440917"
    assert related("unrelated", "same", new, known) == "unrelated"
    assert related("coexists", "refines", new, known) == "coexists"


def test_no_model_merges_a_statement_with_its_denial() -> None:
    assert related("replaces", "same", "I don't eat pork", "I eat pork") == "replaces"


def test_a_model_may_merge_what_says_the_same_in_other_words() -> None:
    assert related("coexists", "same", "My job is nursing", "I work as a nurse") == "same"


def test_a_model_may_replace_only_what_is_about_the_same_subject() -> None:
    assert related("coexists", "replaces", "I live in Lyon", "I live in Nice") == "replaces"
    assert related("unrelated", "replaces", "My sister lives in Lyon", "I live in Nice") == "unrelated"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("I am allergic to peanuts.", "Before I forget: I am allergic to peanuts, so careful with the snacks"),
        ("用户对花生过敏。", "对了，我对花生过敏，零食要注意"),
        ("My locker is number 12.", "gym stuff: my locker is number 12"),
        ("I don't eat pork.", "By the way, I don't eat pork any more"),
    ],
)
def test_a_statement_that_says_what_the_text_says_is_grounded(statement: str, said: str) -> None:
    assert grounded(statement, said)
    assert grounded(statement, "word " * 300 + said), "wherever in the text it stands"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("My locker is number 21.", "my locker is number 12"),
        ("I don't eat pork.", "I eat pork"),
        ("The user is a famous surgeon in Boston.", "I live in Lyon"),
        ("我有三个孩子在国外读书。", "我住在杭州"),
        ("", "I live in Lyon"),
    ],
)
def test_a_statement_that_a_model_made_up_is_not(statement: str, said: str) -> None:
    assert not grounded(statement, said)


def test_without_an_opinion_the_rules_stand() -> None:
    for relation in ("same", "refines", "replaces", "coexists", "unrelated"):
        assert related(relation, "", "I live in Lyon", "I live in Nice") == relation
