"""Forgetting by description: which memories "forget my old address" means, and whether they may ever come back.

What fits is found by recall. To bin too much would be worse than to bin too little, so a memory must share a word
with the description or fit it very well, and must not fit it much less than the best one does. The bin gives
everything back for seven days. A description that asks never to be reminded suppresses instead: such a memory can be
reached by no search, and the same statement is refused when it comes again.
"""

import re
from dataclasses import dataclass

from engine.events import Event, MemoryBinned, MemoryEdited
from engine.memory import Status
from engine.policy import Policy
from engine.recall import Hit, RecallResult

MATCHES_MAX = 50
CERTAIN_RELEVANCE = 0.85
SHARE_OF_BEST = 0.6
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


@dataclass(frozen=True, slots=True)
class ForgetDecision:
    """What goes. `restorable_until_ms` is None when nothing was binned."""

    memory_ids: tuple[str, ...]
    events: tuple[Event, ...]
    suppressed: bool
    restorable_until_ms: int | None


def topic_of(about: str) -> Topic:
    """Take the command off a description; one that is nothing but a command stays as it is."""
    never_again = _NEVER_AGAIN.search(about) is not None
    text = _AGAIN.sub("", _COMMAND.sub("", _NEVER_AGAIN.sub(" ", about).strip())).strip()
    return Topic(text or about, never_again)


def decide_forget_about(
    result: RecallResult, topic: Topic, reason: str, *, now_ms: int, policy: Policy
) -> ForgetDecision:
    """Bin or suppress what a recall of the topic found."""
    chosen = [hit.memory for hit in matching(result)]
    until_ms = now_ms + policy.forget.bin_ms
    events: tuple[Event, ...]
    if topic.never_again:
        events = tuple(MemoryEdited(m.memory_id, now_ms, reason, {"status": Status.SUPPRESSED.value}) for m in chosen)
    else:
        events = tuple(MemoryBinned(m.memory_id, now_ms, until_ms, reason) for m in chosen)
    binned = bool(chosen) and not topic.never_again
    return ForgetDecision(tuple(m.memory_id for m in chosen), events, topic.never_again, until_ms if binned else None)


def matching(result: RecallResult) -> list[Hit]:
    """The hits that the description can mean."""
    if result.abstained or not result.hits:
        return []
    best = max(hit.relevance for hit in result.hits)
    return [hit for hit in result.hits if hit.relevance >= SHARE_OF_BEST * best and
            (hit.relevance >= CERTAIN_RELEVANCE or shared_words(hit))]


def shared_words(hit: Hit) -> bool:
    """Whether the explanation names a word that both have."""
    keyword = hit.why.get("keyword")
    return isinstance(keyword, dict) and bool(keyword.get("terms"))
