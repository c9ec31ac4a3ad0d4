"""Forgetting by topic bins what the topic means, older versions included, and nothing beside it."""

from datetime import UTC

import numpy as np
import pytest

from actors.ports import QueryVector
from engine.about import decide_forget_about, recall_about
from engine.calibration import Calibration
from engine.commands import Recall
from engine.events import MemorySuperseded, MemoryWritten
from engine.memory import Category, Float32Array, Memory, Sensitivity, Source, Status, Tier
from engine.policy import DAY_MS, Policy
from engine.recall import decide_recall
from engine.spaces import CALIBRATION_KEYS, EmbeddingSpace
from engine.state import UserState, apply, check_state

NOW_MS = 1_790_000_000_000
POLICY = Policy()
TOPICS = ("cat", "salary")


def direction(text: str) -> Float32Array:
    """One axis for each topic and one for everything else."""
    axis = next((i for i, topic in enumerate(TOPICS) if topic in text.lower()), len(TOPICS))
    return np.eye(len(TOPICS) + 1, dtype=np.float32)[axis]


SPACE = EmbeddingSpace("axes", len(TOPICS) + 1, np.zeros(len(TOPICS) + 1, np.float32),
                       {key: Calibration((0.0, 1.0), (0.0, 0.9)) for key in CALIBRATION_KEYS})


def memory(memory_id: str, content: str, **more: object) -> Memory:
    values: dict[str, object] = {
        "tier": Tier.SEMANTIC, "category": Category.FACT, "source": Source.USER, "confidence": 1.0, "importance": 0.5,
        "status": Status.ACTIVE, "created_at_ms": NOW_MS, "updated_at_ms": NOW_MS, "said_at_ms": NOW_MS,
        "valid_from_ms": NOW_MS, **more,
    }
    return Memory(memory_id=memory_id, content=content, **values)  # type: ignore[arg-type]


@pytest.fixture
def state() -> UserState:
    made = UserState("u", dimensions=len(TOPICS) + 1, stand_in=direction)
    for one in (
        memory("old", "My salary is 10000"), memory("new", "My salary is 20000"), memory("cat", "I have a cat"),
        memory("walk", "I walk to work"), memory("secret", "My second salary", sensitivity=Sensitivity.SENSITIVE),
        memory("work", "The salary of my team", space="work"),
    ):
        apply(made, MemoryWritten(one))
    apply(made, MemorySuperseded("old", "new", NOW_MS, NOW_MS))
    return made


def found(state: UserState, recall: Recall) -> set[str]:
    query = QueryVector(direction(recall.query), "static", 1.0)
    result = decide_recall(state, recall, query=query, space=SPACE, now_ms=NOW_MS, zone=UTC, policy=POLICY)
    return {hit.memory.memory_id for hit in result.hits}


def test_a_topic_means_every_version_and_nothing_else(state: UserState) -> None:
    everywhere = recall_about("salary", spaces=(), max_sensitivity="sensitive", policy=POLICY)
    assert found(state, everywhere) == {"old", "new", "secret", "work"}


def test_a_topic_stays_within_what_the_caller_may_see(state: UserState) -> None:
    narrow = recall_about("salary", spaces=("shared",), max_sensitivity="normal", policy=POLICY)
    assert found(state, narrow) == {"old", "new"}


def test_what_was_found_goes_to_the_bin_for_seven_days(state: UserState) -> None:
    events = decide_forget_about([state.memories["old"], state.memories["new"]], "asked", now_ms=NOW_MS, policy=POLICY)
    for event in events:
        apply(state, event)
    check_state(state)
    assert {state.memories[i].status for i in ("old", "new")} == {Status.DELETED}
    assert {event.restorable_until_ms for event in events} == {NOW_MS + 7 * DAY_MS}
    assert found(state, recall_about("salary", spaces=("shared",), max_sensitivity="normal", policy=POLICY)) == set()


def test_a_topic_nobody_talked_about_changes_nothing() -> None:
    assert decide_forget_about([], "asked", now_ms=NOW_MS, policy=POLICY) == ()
