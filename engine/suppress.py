"""Topics that their user never wants mentioned again: what is suppressed, what may not come in, and how it comes back.

A suppression is a topic. What is about it when it is made leaves every index; what is about it afterwards is refused,
whether it comes by a write, a turn, an edit or an import. Beside the topic itself stand the suppressed statements: the
same statement in other words, or its correction, is refused too, also where the topic is not named in it. Lifting a
suppression gives each memory the status it had.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import InvalidMemory, UnknownMemory
from engine.events import Event, MemoryRestored, MemorySuppressed, SuppressionAdded, SuppressionLifted
from engine.limits import check_reason
from engine.memory import Memory, Status, Suppression
from engine.normalise import content_key
from engine.policy import Policy
from engine.relation import Said, relation_of
from engine.state import UserState
from engine.topics import Sense, is_about

_SENTENCE = re.compile(r"[^。！？!?；;\r\n]+?(?:[。！？!?；;\r\n]+|\.(?=\s|$)|$)")
_SENTENCES_MAX = 16
# A suppressed statement is compared with a new one when their static vectors are at least this much alike.
_COMPARED_FROM = 0.5
_COMPARED_MAX = 8
_SAID_AGAIN = ("same", "refines", "replaces")


@dataclass(frozen=True, slots=True)
class SuppressDecision:
    """A suppression, new or already there, and the memories it takes out of sight."""

    suppression: Suppression
    events: tuple[Event, ...]
    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LiftDecision:
    """What lifting a suppression does. Memories that another suppression covers are not in `memory_ids`."""

    events: tuple[Event, ...]
    memory_ids: tuple[str, ...]


def is_suppressed(state: UserState, content: str, space: str = "shared") -> bool:
    """Whether a text of this space is about something that its user never wants mentioned."""
    return bool(suppression_against(state, content, space))


def suppression_against(state: UserState, content: str, space: str) -> str:
    """The id of the suppression that forbids a text, or an empty string. Costs nothing where there is none."""
    if not state.suppressions and not state.suppressed:
        return ""
    whole = state.sense(content)
    pieces = [piece for found in _SENTENCE.findall(content)[:_SENTENCES_MAX] if len(piece := found.strip()) > 1]
    senses = [whole, *(state.sense(piece) for piece in pieces if len(pieces) > 1)]
    for suppression_id, suppression in state.suppressions.items():
        if suppression.covers(space) and any(is_about(state.topics[suppression_id], sense) for sense in senses):
            return suppression_id
    return next((by for sense in senses if (by := _said_before(state, sense, space))), "")


def _said_before(state: UserState, text: Sense, space: str) -> str:
    """The suppression of the memory that says the same as a text, or what the text corrects."""
    alike: list[tuple[float, str]] = []
    for memory_id, known in state.suppressed.items():
        memory = state.memories[memory_id]
        suppression = state.suppressions.get(memory.suppressed_by or "")
        if not (memory.space == space if suppression is None else suppression.covers(space)):
            continue
        if known.key == text.key:
            return memory.suppressed_by or memory_id
        likeness = float(known.own @ text.own)
        if likeness >= _COMPARED_FROM:
            alike.append((likeness, memory_id))
    for likeness, memory_id in sorted(alike, reverse=True)[:_COMPARED_MAX]:
        memory = state.memories[memory_id]
        old, new = Said(state.suppressed[memory_id].facets, memory.category), Said(text.facets, memory.category)
        if relation_of(old, new, likeness) in _SAID_AGAIN:
            return memory.suppressed_by or memory_id
    return ""


def check_topic(state: UserState, about: str, policy: Policy) -> None:
    """Refuse a topic that names nothing, is over-long, or is one too many.

    Raises: InvalidMemory, TooLarge.
    """
    check_reason(about, policy.limits, "about")
    if not names_something(state, about):
        raise InvalidMemory.of("Say what is never to be mentioned.", field="about", code="empty")
    if len(state.suppressions) >= policy.limits.suppressions_max:
        raise InvalidMemory.of(f"At most {policy.limits.suppressions_max} suppressions; lift one first.", field="about")


def names_something(state: UserState, about: str) -> bool:
    """Whether a topic has a word or number that a text could be about ("that thing" has none)."""
    return bool(state.sense(about).facets.words)


def decide_suppress(
    state: UserState,
    about: str,
    reason: str,
    found: Sequence[Memory],
    *,
    suppression_id: str,
    spaces: tuple[str, ...],
    now_ms: int,
) -> SuppressDecision:
    """Never mention this again. The same topic again takes what was written since out of sight.

    `found` is what is about the topic now (`engine.about.found_about`), within the spaces.
    """
    key = content_key(about)
    suppression = next(
        (one for one in state.suppressions.values() if content_key(one.about) == key and one.spaces == spaces), None
    )
    events: list[Event] = []
    if suppression is None:
        suppression = Suppression(
            suppression_id=suppression_id, about=about, created_at_ms=now_ms, reason=reason, spaces=spaces
        )
        events.append(SuppressionAdded(suppression))
    hidden = [memory.memory_id for memory in found if memory.status is not Status.SUPPRESSED]
    events += [MemorySuppressed(memory_id, now_ms, suppression.suppression_id) for memory_id in hidden]
    return SuppressDecision(suppression, tuple(events), tuple(hidden))


def visible_suppressions(state: UserState, spaces: tuple[str, ...]) -> list[Suppression]:
    """The suppressions of these spaces, oldest first; () means all. One that reaches further is not shown."""
    return [one for one in state.suppressions.values() if not spaces or (one.spaces and set(one.spaces) <= set(spaces))]


def decide_lift(state: UserState, suppression_id: str, *, spaces: tuple[str, ...], now_ms: int) -> LiftDecision:
    """Let a topic be mentioned again. Raises: UnknownMemory for an id that is no suppression this caller sees."""
    if all(one.suppression_id != suppression_id for one in visible_suppressions(state, spaces)):
        raise UnknownMemory.of("There is no such suppression.", field="suppression_id")
    events: list[Event] = [SuppressionLifted(suppression_id, now_ms)]
    restored = []
    for memory_id in sorted(state.suppressed, key=state.slots.__getitem__):  # In the order they came, on every host.
        memory = state.memories[memory_id]
        if memory.suppressed_by != suppression_id:
            continue
        other = _other_suppression(state, memory, suppression_id)
        if other:
            events.append(MemorySuppressed(memory_id, now_ms, other))
        else:
            events.append(MemoryRestored(memory_id, now_ms, memory.suppressed_from or Status.ACTIVE))
            restored.append(memory_id)
    return LiftDecision(tuple(events), tuple(restored))


def _other_suppression(state: UserState, memory: Memory, but: str) -> str:
    """Another suppression whose topic a suppressed memory is about."""
    sense = state.suppressed[memory.memory_id]
    return next(
        (
            suppression_id
            for suppression_id, suppression in state.suppressions.items()
            if suppression_id != but
            and suppression.covers(memory.space)
            and is_about(state.topics[suppression_id], sense)
        ),
        "",
    )
