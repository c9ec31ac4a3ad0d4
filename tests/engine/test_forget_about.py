"""What "forget my old address" and "别再提前女友了" are about."""

import pytest

from engine.forget_about import Topic, topic_of


@pytest.mark.parametrize(("about", "topic"), [
    ("forget my old address", Topic("my old address", False)),
    ("please delete everything about my job", Topic("my job", False)),
    ("my old address", Topic("my old address", False)),
    ("忘记我的旧地址", Topic("我的旧地址", False)),
    ("请忘掉关于我工作的事", Topic("我工作", False)),
    ("never mention Zoe again", Topic("Zoe", True)),
    ("don't remind me of the accident any more", Topic("the accident", True)),
    ("别再提前女友了", Topic("前女友", True)),
    ("以后不要提起我爸爸", Topic("我爸爸", True)),
    ("forget", Topic("forget", False)),
])
def test_the_topic_is_what_is_left_without_the_command(about: str, topic: Topic) -> None:
    assert topic_of(about) == topic
