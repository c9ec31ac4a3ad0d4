"""Forgetting by topic: what a request such as "forget my old address" or "别再提前女友了" means.

The topic is looked up among everything that was ever current, so that no older version of the same statement stays
behind. To forget one memory too many loses something its user still wants, so a memory must fit the topic well: be
relevant to it as a query, by the model's vectors and the words, beyond doubt, or be about it by `engine.topics`. What
is binned can be restored for seven days; a request never to be reminded suppresses instead.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.candidates import candidates_of
from engine.columns import STATUSES
from engine.events import MemoryBinned
from engine.filters import Scope
from engine.memory import Memory, Sensitivity, Status
from engine.policy import Policy
from engine.question import QueryVector, Question
from engine.spaces import EmbeddingSpace
from engine.state import SHELVES, UserState
from engine.topics import about_another, is_about, topic_sense_of

# On 14 bilingual topics and 102 short statements, others than the right ones came out at 0.75 and below.
CERTAIN_RELEVANCE = 0.78
_COMPARED_FROM = 0.1
_COMPARED_MAX = 500
ABOUT_STATUSES = (Status.ACTIVE, Status.PENDING, Status.SUPERSEDED, Status.ARCHIVED, Status.QUARANTINED)
_CANDIDATES_MAX = 500
_NEVER_AGAIN = re.compile(
    r"(?:请|以后|永远|再也)*(?:别|不要|不许|不想|勿)再?(?:跟我|对我|向我)?(?:再)?(?:提起|提到|提醒我|提醒|提及|提|说起)"
    r"|(?:please\s+)?(?:never|don['’]?t\s+ever|don['’]?t|do\s+not|stop)\s+(?:ever\s+)?"
    r"(?:mention(?:ing)?|bring(?:ing)?\s+up|remind(?:ing)?\s+me\s+(?:of|about)|talk(?:ing)?\s+about)(?:\s+to\s+me)?",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"^(?:请|帮我|把)*(?:忘记|忘掉|忘了|删除|删掉|清除)(?:掉)?(?:所有|一切)?(?:关于|有关)?"
    r"|^(?:please\s+)?(?:forget|delete|remove|erase)\s+(?:everything\s+|all\s+|what\s+I\s+said\s+)?(?:about\s+|of\s+)?",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"(?:\s+(?:again|any\s*more))[.!。！]*$|(?:这件事|的事|了)[.!。！]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a description is about, without the words of the command, and whether it asks never to be reminded."""

    text: str
    never_again: bool


def topic_of(about: str) -> Topic:
    """Take the command off a description; one that is nothing but a command stays as it is."""
    never_again = _NEVER_AGAIN.search(about) is not None
    text = _AGAIN.sub("", _COMMAND.sub("", _NEVER_AGAIN.sub(" ", about).strip())).strip()
    return Topic(text or about, never_again)


def found_about(
    state: UserState,
    topic: str,
    *,
    query: QueryVector,
    space: EmbeddingSpace,
    spaces: tuple[str, ...],
    max_sensitivity: str,
    now_ms: int,
    policy: Policy,
) -> list[Memory]:
    """The memories that a topic means, within what the caller may see, in the order they came. `spaces` () is all."""
    scope = _scope(state, spaces, max_sensitivity, now_ms)
    if not scope.shelves or not any(character.isalnum() for character in topic):
        return []
    question = Question(topic, query, space, replace(policy.recall, candidates_max=_CANDIDATES_MAX), (), ())
    found = candidates_of(state, question, scope)
    sense = topic_sense_of(topic, state.likeness, state.neutral)
    chosen = []
    best = np.argsort(-found.relevance, kind="stable")[:_COMPARED_MAX]
    for row in sorted(best[found.relevance[best] >= _COMPARED_FROM].tolist()):
        memory = state.memory_at(int(found.slots[row]))
        text = state.sense(memory.content)
        certain = found.relevance[row] >= CERTAIN_RELEVANCE and not about_another(sense, text)
        if certain or is_about(sense, text):
            chosen.append(memory)
    return chosen


def _scope(state: UserState, spaces: tuple[str, ...], max_sensitivity: str, now_ms: int) -> Scope:
    """Everything held in an index, working memories of every conversation included."""
    columns, n = state.columns, len(state.columns)
    allowed = np.isin(columns.status[:n], [STATUSES.index(status) for status in ABOUT_STATUSES])
    allowed &= columns.expires_at_ms[:n] > now_ms
    if spaces:
        allowed &= np.isin(columns.space[:n], [columns.spaces.known(space) for space in spaces])
    if max_sensitivity != Sensitivity.SENSITIVE:
        allowed &= columns.sensitive[:n] == 0
    shelves = tuple(shelf for shelf in SHELVES if len(state.vectors[shelf]))
    return Scope(allowed=allowed, shelves=shelves if bool(allowed.any()) else (), whole=frozenset())


def decide_forget_about(
    found: Sequence[Memory], reason: str, *, now_ms: int, policy: Policy
) -> tuple[MemoryBinned, ...]:
    """Move all of them to the bin. Nothing found: nothing happens."""
    until_ms = now_ms + policy.forget.bin_ms
    return tuple(MemoryBinned(memory.memory_id, now_ms, until_ms, reason) for memory in found)
