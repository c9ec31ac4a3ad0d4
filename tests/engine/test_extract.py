"""Statements out of turns: which sentences are candidates, and what is cut out before."""

import pytest

from engine.extract import CANDIDATES_MAX, candidates, without_recalled
from engine.memory import Source
from tests.pace import grows_linearly


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Hello! I am allergic to peanuts. Can you find a restaurant?", ("I am allergic to peanuts.",)),
        ("你好！我对花生过敏，帮我找家餐厅。谢谢啦", ("我对花生过敏，帮我找家餐厅。",)),
        ("I moved last week. It is closer to my office.", ("I moved last week. It is closer to my office.",)),
        ("我上周搬家了。那边离公司近。", ("我上周搬家了。那边离公司近。",)),
        ("Dr. Wang is my dentist. I live in St. Louis.", ("Dr. Wang is my dentist.", "I live in St. Louis.")),
        ("My budget is 1.5 million. I pay by card", ("My budget is 1.5 million.", "I pay by card")),
        ('I said "no." I live in Nice.', ('I said "no."', "I live in Nice.")),
        ("ok cool thx", ()),
        ("What time is it? Where are my keys?", ()),
        ("好的收到，谢谢啦", ()),
        ("", ()),
        ("。。。", ()),
        ("I like tea. I like tea.", ("I like tea.",)),
    ],
)
def test_a_users_sentences_that_state_something_are_candidates(said: str, found: tuple[str, ...]) -> None:
    assert candidates(said, Source.USER) == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Paris is the capital of France. Your flight leaves at nine.", ("Your flight leaves at nine.",)),
        ("巴黎是法国的首都。您的航班九点起飞。", ("您的航班九点起飞。",)),
    ],
)
def test_of_an_assistant_only_what_is_about_its_user_is(said: str, found: tuple[str, ...]) -> None:
    assert candidates(said, Source.AGENT) == found


def test_each_line_of_a_tool_is_a_candidate() -> None:
    listed = "- Order 881 shipped\n- Order 882 cancelled\n\nuser: Rex"
    assert candidates(listed, Source.TOOL) == ("Order 881 shipped", "Order 882 cancelled", "Rex")


@pytest.mark.parametrize(
    "recalled",
    [
        "<memories>\nI live in Nice\n</memories>",
        "<MEMORIES >I live in Nice</ memories>",
        "<memories>\nI live in Nice",
        "<recalled-memory id=3>I live in Nice</recalled-memory>",
        "<relevant_memories>I live in Nice</relevant_memories>",
        "- [2026-01-02, the user said] I live in Nice",
        "- [2026-01-02 用户说, 未经确认] 我住在尼斯",
    ],
)
def test_what_a_recall_put_in_is_cut_out(recalled: str) -> None:
    assert without_recalled(recalled) == ""
    assert without_recalled(f"I keep bees.\n{recalled}") == "I keep bees."


def test_a_word_about_memories_is_no_fence() -> None:
    assert without_recalled("My memories of Nice: [2020] the sea") == "My memories of Nice: [2020] the sea"


def test_a_long_turn_gives_a_bounded_number_of_candidates() -> None:
    said = "I live in house number 7. " * 30 + "\n".join(f"I own {n} bees" for n in range(300))
    assert len(candidates(said, Source.USER)) == CANDIDATES_MAX


@pytest.mark.parametrize("unit", [".", "<memories>", "a. ", "“", " "])
def test_a_long_turn_is_read_in_linear_time(unit: str) -> None:
    said = unit * (10_000 // len(unit))
    assert grows_linearly(without_recalled, said)
    assert grows_linearly(lambda part: candidates(part, Source.USER), said)
