"""What a turn does beside telling something, in both languages."""

import pytest

from engine.turn_signs import turn_signs
from tests.pace import grows_linearly


@pytest.mark.parametrize("text", [
    "Always add the version when I ask about packages.", "Please never call me before nine", "From now on use Celsius",
    "以后都用摄氏度", "今后请叫我老王", "从现在开始回答都要简短", "收到。以後別再催我運動",
])  # fmt: skip
def test_an_order_for_what_follows_is_known(text: str) -> None:
    assert turn_signs(text).orders


@pytest.mark.parametrize("text", [
    "I always drink tea", "it never rains here", "以后再说吧", "每次经过那里心情都好", "在以后的日子里",
    "she said never again",
])  # fmt: skip
def test_what_merely_says_always_is_no_order(text: str) -> None:
    assert not turn_signs(text).orders


@pytest.mark.parametrize(
    "text", ["记下了, 4/20 第一针", "Noted: sprint ends Friday", "Got it, I'll remember", "Gina: Got it!"]
)
def test_a_confirmation_is_known_by_how_it_begins(text: str) -> None:
    assert turn_signs(text).confirms


@pytest.mark.parametrize("text", ["I noted the number down", "昨天收到了快递", "Have you got it?"])
def test_a_statement_with_the_same_words_confirms_nothing(text: str) -> None:
    assert not turn_signs(text).confirms


@pytest.mark.parametrize(
    "text", ["my quota was raised to 1,200", "The deadline moved to April 5", "我搬到杭州了", "剂量升到 0.5mg"]
)
def test_a_statement_of_change_is_known(text: str) -> None:
    assert turn_signs(text).changes


@pytest.mark.parametrize("text", ["I live in Oslo", "我住在北京", "the cat is grey"])
def test_a_plain_statement_has_no_sign(text: str) -> None:
    signs = turn_signs(text)
    assert not (signs.confirms or signs.orders or signs.changes or signs.about_talk)


@pytest.mark.parametrize("text", ["Talk to you next time!", "I want to ask you something", "下次再聊"])
def test_talk_about_the_talk_is_known(text: str) -> None:
    assert turn_signs(text).about_talk


@pytest.mark.parametrize("piece", ["always ", "以后", "got it: ", "moved 改成", ". , - "])
def test_the_time_is_bounded_whatever_the_text_holds(piece: str) -> None:
    assert grows_linearly(turn_signs, piece * 4_000)
