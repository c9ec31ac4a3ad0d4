"""What was known at a time, in the words of that time: recall as of then, and the line of versions of one memory.

The indexes hold texts as they read now. A memory that was edited since is therefore looked for once more by the text
it had: a small state of these and of what the search found otherwise ranks both together.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import tzinfo

from engine.commands import Recall
from engine.memory import Memory, Status
from engine.policy import Policy
from engine.question import QueryVector
from engine.recall import Hit, RecallResult, decide_recall
from engine.spaces import EmbeddingSpace
from engine.state import UserState, restore
from engine.views import Reply

REVISED_MAX = 500  # The newest edits; older ones are still shown in the words of then, but found by those of now.
LINE_MAX = 100


def decide_recall_as_of(
    state: UserState,
    recall: Recall,
    *,
    query: QueryVector,
    space: EmbeddingSpace,
    now_ms: int,
    zone: tzinfo,
    policy: Policy,
) -> RecallResult:
    """`decide_recall`, and where the search looks at a time, every text as it read then."""

    def decided(known: UserState, asked: Recall) -> RecallResult:
        return decide_recall(known, asked, query=query, space=space, now_ms=now_ms, zone=zone, policy=policy)

    at_ms = recall.as_of_ms
    # What a text was open to then does not open it to whom the memory is closed now.
    revised = [] if at_ms is None else [one for one in revised_since(state, at_ms) if _open_to(one, recall)]
    if at_ms is None or not revised:
        return decided(state, recall)
    wide = decided(state, replace(recall, top_k=recall.top_k + len(revised)))
    then = _state_of_then(state, revised, wide, at_ms)
    found = decided(then, replace(recall, top_k=recall.top_k + len(revised), min_relevance=0.0))
    floor = policy.recall.floor if recall.min_relevance is None else recall.min_relevance
    ids = {memory.memory_id for memory in revised}
    sure = {hit.memory.memory_id: hit for hit in wide.hits if hit.memory.memory_id not in ids}
    hits = [
        replace(hit, relevance=sure[hit.memory.memory_id].relevance) if hit.memory.memory_id in sure else hit
        for hit in found.hits
        if hit.memory.memory_id in sure or hit.relevance >= floor
    ]
    # Of those that the search could not look for in their words of then, no text that its caller could not see then.
    worded = [hit for hit in (_worded(hit, at_ms) for hit in hits) if _open_to(hit.memory, recall)]
    abstained = not any(hit.relevance >= policy.recall.floor for hit in worded)
    return replace(
        wide,
        hits=tuple(worded[: recall.top_k]),
        abstained=abstained,
        hint=(wide.hint or found.hint) if abstained else "",
    )


def revised_since(state: UserState, at_ms: int) -> list[Memory]:
    """Memories that were there at a time and whose text was changed since; the latest changes first."""
    changed = [
        memory
        for memory in state.memories.values()
        if memory.revisions and memory.revisions[-1].at_ms > at_ms and state.shelf(memory.memory_id) is not None
    ]
    changed.sort(key=lambda memory: -memory.revisions[-1].at_ms)
    return changed[:REVISED_MAX]


def _state_of_then(state: UserState, revised: list[Memory], found: RecallResult, at_ms: int) -> UserState:
    """The revised ones in their words of then, beside what was found without them."""
    then = UserState(
        state.user_id,
        dimensions=next(iter(state.vectors.values())).dimensions,
        stand_in=state.stand_in,
        likeness=None if state.likeness_in_space else state.likeness,
    )
    then.settings = state.settings
    for memory in revised:
        restore(then, memory.as_of(at_ms), None)
    for hit in found.hits:
        if hit.memory.memory_id not in then.memories:
            restore(then, hit.memory, state.vector_of(hit.memory.memory_id))
    return then


def _open_to(memory: Memory, recall: Recall) -> bool:
    return memory.open_to(recall.spaces, recall.max_sensitivity)


def _worded(hit: Hit, at_ms: int) -> Hit:
    return replace(hit, memory=hit.memory.as_of(at_ms))


def line_of_versions(state: UserState, memory: Memory, readable: Callable[[Memory], bool]) -> list[Reply]:
    """Every text that stood in this memory's place, oldest first: what it replaced, its own edits, what replaced it.

    `to` is None for a text that stands. Memories and earlier texts that the caller may not read are left out.
    """
    members = [one for one in _chain(state, memory) if one is memory or (readable(one) and one.status not in _GONE)]
    return [row for one in members[:LINE_MAX] for row in _versions(one, readable)][-LINE_MAX:]


_GONE = (Status.DELETED, Status.SUPPRESSED)


def _chain(state: UserState, memory: Memory) -> list[Memory]:
    """What it replaced, itself, and what replaced it, by when each was said."""
    found = {memory.memory_id: memory}
    waiting = [memory]
    while waiting and len(found) < LINE_MAX:
        one = waiting.pop()
        for memory_id in (*one.supersedes, *((one.superseded_by,) if one.superseded_by else ())):
            other = state.memories.get(memory_id)
            if other is not None and memory_id not in found:
                found[memory_id] = other
                waiting.append(other)
    return sorted(found.values(), key=lambda one: (one.valid_from_ms, one.created_at_ms, state.slots[one.memory_id]))


def _versions(memory: Memory, readable: Callable[[Memory], bool]) -> list[Reply]:
    from_ms, rows = memory.valid_from_ms, []
    for revision in memory.revisions:
        if readable(memory.reading(revision)):
            rows.append(_version(memory, revision.version, revision.content, from_ms, revision.at_ms, revision.reason))
        from_ms = revision.at_ms
    why = f"superseded by {memory.superseded_by}" if memory.superseded_by else ""
    rows.append(_version(memory, memory.version, memory.content, from_ms, memory.ended_at_ms, why))
    return rows


def _version(memory: Memory, version: int, content: str, from_ms: int, to_ms: int | None, reason: str) -> Reply:
    return {
        "memory_id": memory.memory_id,
        "version": version,
        "content": content,
        "valid_from": from_ms,
        "valid_to": to_ms,
        "reason": reason,
        "status": memory.status.value,
    }
