"""Forgetting by topic finds what the topic means, older versions included, and nothing beside it."""

import numpy as np
import pytest

from actors.ports import QueryVector
from engine.about import Topic, decide_forget_about, found_about, topic_of
from engine.calibration import Calibration
from engine.events import MemorySuperseded, MemoryWritten
from engine.memory import Category, Float32Array, Memory, Sensitivity, Source, Status, Tier
from engine.policy import DAY_MS, Policy
from engine.spaces import CALIBRATION_KEYS, EmbeddingSpace
from engine.state import UserState, apply, check_state

NOW_MS = 1_790_000_000_000
POLICY = Policy()
TOPICS = ("cat", "salary")


def direction(text: str) -> Float32Array:
    """One axis for each topic, one for everything else, and one that all texts share."""
    vector = np.zeros(len(TOPICS) + 2, dtype=np.float32)
    vector[next((i for i, topic in enumerate(TOPICS) if topic in text.lower()), len(TOPICS))] = 1.0
    vector[-1] = 1.0
    return vector / np.float32(np.linalg.norm(vector)) if text else np.eye(len(vector), dtype=np.float32)[-1]


SPACE = EmbeddingSpace(
    "axes",
    len(TOPICS) + 2,
    np.zeros(len(TOPICS) + 2, np.float32),
    {key: Calibration((0.5, 1.0), (0.0, 0.9)) for key in CALIBRATION_KEYS},
)


def memory(memory_id: str, content: str, **more: object) -> Memory:
    values: dict[str, object] = {
        "tier": Tier.SEMANTIC,
        "category": Category.FACT,
        "source": Source.USER,
        "confidence": 1.0,
        "importance": 0.5,
        "status": Status.ACTIVE,
        "created_at_ms": NOW_MS,
        "updated_at_ms": NOW_MS,
        "said_at_ms": NOW_MS,
        "valid_from_ms": NOW_MS,
        **more,
    }
    return Memory(memory_id=memory_id, content=content, **values)  # type: ignore[arg-type]


@pytest.fixture
def state() -> UserState:
    made = UserState("u", dimensions=len(TOPICS) + 2, stand_in=direction)
    for one in (
        memory("old", "My salary is 10000"),
        memory("new", "My salary is 20000"),
        memory("cat", "I have a cat"),
        memory("walk", "I walk to work"),
        memory("secret", "My second salary", sensitivity=Sensitivity.SENSITIVE),
        memory("work", "The salary of my team", space="work"),
        memory("turn", "so about my salary", tier=Tier.WORKING, conversation="c"),
    ):
        apply(made, MemoryWritten(one))
    apply(made, MemorySuperseded("old", "new", NOW_MS, NOW_MS))
    return made


def found(state: UserState, topic: str, spaces: tuple[str, ...] = (), max_sensitivity: str = "sensitive") -> set[str]:
    memories = found_about(
        state,
        topic,
        query=QueryVector(direction(topic), "static", 1.0),
        space=SPACE,
        spaces=spaces,
        max_sensitivity=max_sensitivity,
        now_ms=NOW_MS,
        policy=POLICY,
    )
    return {one.memory_id for one in memories}


def test_a_topic_means_every_version_and_every_tier_and_nothing_else(state: UserState) -> None:
    assert found(state, "salary") == {"old", "new", "secret", "work", "turn"}


def test_a_topic_stays_within_what_the_caller_may_see(state: UserState) -> None:
    assert found(state, "salary", ("shared",), "normal") == {"old", "new", "turn"}


@pytest.mark.parametrize("topic", ["%", "_", "   ", "？"])
def test_a_topic_without_a_word_means_nothing(state: UserState, topic: str) -> None:
    assert found(state, topic) == set()


def test_what_was_found_goes_to_the_bin_for_seven_days(state: UserState) -> None:
    events = decide_forget_about([state.memories["old"], state.memories["new"]], "asked", now_ms=NOW_MS, policy=POLICY)
    for event in events:
        apply(state, event)
    check_state(state)
    assert {state.memories[i].status for i in ("old", "new")} == {Status.DELETED}
    assert {event.restorable_until_ms for event in events} == {NOW_MS + 7 * DAY_MS}
    assert found(state, "salary", ("shared",), "normal") == {"turn"}


def test_a_topic_nobody_talked_about_changes_nothing() -> None:
    assert decide_forget_about([], "asked", now_ms=NOW_MS, policy=POLICY) == ()


@pytest.mark.parametrize(
    ("about", "topic"),
    [
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
    ],
)
def test_the_topic_is_what_is_left_without_the_command(about: str, topic: Topic) -> None:
    assert topic_of(about) == topic
