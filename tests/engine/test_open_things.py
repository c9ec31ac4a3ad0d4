"""A question after what is still to be done is not answered by what only says that something is done."""

import pytest

from adapters.models.space import bundled_space
from engine.commands import Recall
from engine.open_things import asks_for_open_things, only_closes
from engine.recall import decide_recall
from tests.engine.deciding import Desk, table

ASKS = [
    "What tasks remain on my todo list this week?",
    "Which errands do I have left?",
    "what do I still need to do",
    "What's on my to-do list?",
    "我还有哪些待办？",
    "还有什么事没做？",
    "待办清单上有什么",
    "这周要做哪些",
]
ASKS_ELSE = [
    "Did I finish the lecture materials?",
    "What did I complete last week?",
    "What is my favourite task manager?",
    "讲义我做完了吗？",
    "上周完成了什么",
    "我对什么过敏？",
]
CLOSES = [
    "I finished preparing the lecture materials.",
    'I no longer need to track "Visit local gallery" from my personal tasks.',
    "I've already updated my author bio, so that task is done.",
    "You can remove that from my to-do list.",
    "讲义已经做完了。",
    "那个报告不用再写了。",
    "体检取消了。",
]
STAYS_OPEN = [
    "I need to plan the field work schedule.",
    "I finished the draft but I still need to send it.",
    "讲义做完了，还要打印。",
    "我下周要交报告。",
    "I am allergic to peanuts.",
]


@pytest.mark.parametrize("query", ASKS)
def test_a_question_after_open_things_is_known(query: str) -> None:
    assert asks_for_open_things(query)


@pytest.mark.parametrize("query", ASKS_ELSE)
def test_another_question_is_none(query: str) -> None:
    assert not asks_for_open_things(query)


@pytest.mark.parametrize("content", CLOSES)
def test_a_statement_that_only_closes_is_known(content: str) -> None:
    assert only_closes(content)


@pytest.mark.parametrize("content", STAYS_OPEN)
def test_what_leaves_something_to_do_is_none(content: str) -> None:
    assert not only_closes(content)


def found(desk: Desk, query: str, **more: object) -> list[str]:
    result = decide_recall(
        desk.state,
        Recall(query=query, **more),  # type: ignore[arg-type]
        query=table().encode(query),
        space=bundled_space(),
        now_ms=desk.now_ms,
        zone=desk.zone,
        policy=desk.policy,
    )
    return [hit.memory.content for hit in result.hits]


@pytest.mark.parametrize(
    ("still_open", "closed", "asks", "asks_after_it"),
    [
        (
            "Booking a dentist appointment is one of my tasks this week.",
            'I no longer need to track "Visit local gallery" from my tasks.',
            "Which tasks do I have left this week?",
            "Is visiting the local gallery one of my tasks?",
        ),
        ("待办：下周二交项目报告。", "待办里的体检预约已经办完了。", "我还有哪些待办？", "体检预约办了吗？"),
    ],
)
def test_only_what_is_open_answers_and_other_questions_find_the_rest(
    still_open: str, closed: str, asks: str, asks_after_it: str
) -> None:
    desk = Desk()
    for content in (still_open, closed):
        desk.write(content, tier="semantic")
    assert found(desk, asks) == [still_open]
    assert closed in found(desk, asks_after_it)
    assert closed in found(desk, asks, intent="history")
