"""Working memory of a talk: its token budget, and what becomes of it when the talk ends or no longer fits.

What leaves is judged once more without its task: what is worth keeping then is promoted to episodic, whatever its
place in the talk, and the rest is cleared. Pending memories wait for an answer and are never cleared here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

import numpy as np

from engine.columns import STATUSES, TIERS
from engine.commands import Write
from engine.decision import WriteDecision
from engine.events import MemoryPromoted, MemoryWritten, WorkingCleared
from engine.extract import candidates
from engine.judgement import Opinion
from engine.memory import TURN, Memory, Sensitivity, Status, Tier
from engine.policy import Policy
from engine.reasons import reason_of
from engine.revision import judged_later
from engine.scratch import Scratch
from engine.state import UserState
from engine.suppress import is_suppressed
from engine.token_count import token_count
from engine.write import decide_write

EXTRACTED = "extracted"
"""The mark of a turn whose statements were decided when it came."""
_IMPORTANT = 0.75
_NEW = frozenset({"stored", "superseded", "pending"})


@dataclass(frozen=True, slots=True)
class Leaving:
    """What left the working memory. `promoted_ids` stay under their ids or are new, `cleared_ids` are gone."""

    promoted_ids: tuple[str, ...]
    cleared_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """What a decision needs beside the state. What lies above `ceiling` its caller neither learns of nor changes."""

    now_ms: int
    zone: tzinfo
    policy: Policy
    ceiling: Sensitivity = Sensitivity.SENSITIVE

    def may_see(self, memory: Memory) -> bool:
        """Whether a memory lies within the ceiling."""
        return self.ceiling is Sensitivity.SENSITIVE or memory.sensitivity is Sensitivity.NORMAL


def working_of(state: UserState, conversation: str, *, now_ms: int, spaces: tuple[str, ...] = ()) -> list[Memory]:
    """The working memories of a talk, oldest first: what its budget counts and its end clears."""
    columns, count = state.columns, len(state.columns)
    held = columns.tier[:count] == TIERS.index(Tier.WORKING)
    held = held & (columns.status[:count] == STATUSES.index(Status.ACTIVE))
    held &= columns.conversation[:count] == columns.conversations.known(conversation)
    held &= columns.expires_at_ms[:count] > now_ms
    memories = (state.memory_at(int(slot)) for slot in np.flatnonzero(held))
    return sorted(
        (memory for memory in memories if not spaces or memory.space in spaces),
        key=lambda memory: (memory.created_at_ms, state.slots[memory.memory_id]),
    )


def tokens_of(memories: Sequence[Memory]) -> int:
    """What they cost in a prompt, at most."""
    return sum(token_count(memory.content) for memory in memories)


def over_budget(memories: Sequence[Memory], limit: int) -> int:
    """How many of the oldest must leave so that the rest fits."""
    costs = [token_count(memory.content) for memory in memories]
    left, leaving = sum(costs), 0
    while left > limit:
        left -= costs[leaving]
        leaving += 1
    return leaving


def let_go(scratch: Scratch, leaving: Sequence[Memory], around: Around, reason: str) -> Leaving:
    """Promote what is worth it and clear the rest; the events are in the scratch afterwards."""
    promoted: list[str] = []
    cleared: list[str] = []
    for memory in leaving:
        scratch.borrow(memory)
        if TURN in memory.marks:
            promoted += [] if EXTRACTED in memory.marks else _statements_kept(scratch, memory, around)
            cleared.append(memory.memory_id)
        elif _promoted(scratch, memory, around):
            promoted.append(memory.memory_id)
        else:
            cleared.append(memory.memory_id)
    if cleared:
        scratch.take((WorkingCleared(tuple(cleared), around.now_ms, reason),))
    return Leaving(tuple(promoted), tuple(cleared))


def decide_end(scratch: Scratch, conversation: str, around: Around, *, spaces: tuple[str, ...] = ()) -> Leaving:
    """The talk is over: everything in its working memory leaves."""
    held = working_of(scratch.known, conversation, now_ms=around.now_ms, spaces=spaces)
    return let_go(scratch, [memory for memory in held if around.may_see(memory)], around, "ended")


def _statements_kept(scratch: Scratch, turn: Memory, around: Around) -> list[str]:
    """What a turn states that was never looked at; ids of what is new."""
    kept = []
    for number, text in enumerate(candidates(turn.content, turn.source), start=1):
        decision = decide_lasting(scratch, _as_write(turn, text), f"{turn.memory_id}.{number}", around)
        if decision.outcome in _NEW and decision.memory is not None:
            kept.append(decision.memory.memory_id)
    return kept


def _promoted(scratch: Scratch, memory: Memory, around: Around) -> bool:
    """Move a working memory up under its own id, if it is worth it. False when it goes, or its twin says it already."""
    decision = decide_lasting(scratch, _as_write(memory, memory.content), memory.memory_id, around, promotes=memory)
    if decision.outcome in _NEW:
        return True
    must_stay = memory.pinned or memory.access_count > 0 or memory.importance >= _IMPORTANT
    if decision.outcome != "skipped" or not must_stay:
        return False
    until_ms = around.now_ms + around.policy.write.episodic_ttl_ms
    scratch.take((MemoryPromoted(_moved_up(memory, Tier.EPISODIC, until_ms, around.now_ms)),))
    return True


def decide_lasting(
    scratch: Scratch, write: Write, memory_id: str, around: Around, *, promotes: Memory | None = None
) -> WriteDecision:
    """Decide a statement that is to outlive its talk; what would only serve a task becomes episodic.

    `promotes` is the working memory that moves up under its own id instead of a new one being written.
    """
    decision = _decided(scratch, write, memory_id, around)
    if decision.memory is not None and decision.memory.status is Status.ACTIVE and decision.memory.tier is Tier.WORKING:
        decision = _decided(scratch, replace(write, tier=Tier.EPISODIC.value), memory_id, around)
    events = decision.events
    if promotes is not None:
        events = tuple(
            MemoryPromoted(_taking_over(promotes, event.memory, around.now_ms))
            if isinstance(event, MemoryWritten)
            else event
            for event in events
        )
    scratch.take(events)
    return replace(decision, events=events)


def decide_now(
    scratch: Scratch,
    write: Write,
    memory_id: str,
    around: Around,
    *,
    opinion: Opinion | None = None,
    later: bool = False,
) -> WriteDecision:
    """Decide a statement as it comes, and go on as if it had happened. `later` marks it as waiting for a model."""
    decision = _decided(scratch, write, memory_id, around, opinion)
    decision = judged_later(decision) if later else decision
    scratch.take(decision.events)
    return decision


def _decided(
    scratch: Scratch, write: Write, memory_id: str, around: Around, opinion: Opinion | None = None
) -> WriteDecision:
    """The same path as any write, against the nearest memories. What is turned away borrows none."""
    if is_suppressed(scratch.known, write.content, write.space):
        return WriteDecision("suppressed", None, (), reason_of("suppressed", write.content), "suppressed")
    write = replace(write, max_sensitivity=around.ceiling.value)

    def decide() -> WriteDecision:
        return decide_write(
            scratch.state,
            write,
            memory_id=memory_id,
            now_ms=around.now_ms,
            zone=around.zone,
            policy=around.policy,
            vector=scratch.known.likeness(write.content),
            opinion=opinion,
        )

    first = decide()
    if first.memory is None or first.memory.status is Status.QUARANTINED:
        return first
    scratch.borrow_near(replace(first.memory, content=write.content), now_ms=around.now_ms)
    return decide()


def _as_write(memory: Memory, text: str) -> Write:
    """A statement of a working memory, to be judged on its own: neither its task nor its category speaks for it."""
    return Write(
        content=text,
        source=memory.source.value,
        confidence=memory.confidence,
        said_at_ms=memory.said_at_ms,
        occurred_at_ms=memory.occurred_at_ms,
        conversation=memory.conversation,
        space=memory.space,
        sensitivity=memory.sensitivity.value,
        tags=memory.tags,
        metadata=memory.metadata,
        client=memory.client,
        tier="auto" if TURN in memory.marks else Tier.EPISODIC.value,
    )


def _taking_over(memory: Memory, decided: Memory, now_ms: int) -> Memory:
    """A working memory as it stands after a decision about its text."""
    moved = _moved_up(memory, decided.tier, decided.expires_at_ms, now_ms)
    return replace(
        moved,
        status=decided.status,
        supersedes=(*memory.supersedes, *decided.supersedes),
        subject=decided.subject,
        superseded_by=decided.superseded_by,
        valid_to_ms=decided.valid_to_ms,
        retired_at_ms=decided.retired_at_ms,
        occurred_at_ms=decided.occurred_at_ms,
        rule=decided.rule,
        importance=max(memory.importance, decided.importance),
    )


def _moved_up(memory: Memory, tier: Tier, expires_at_ms: int | None, now_ms: int) -> Memory:
    return replace(memory, tier=tier, expires_at_ms=expires_at_ms, updated_at_ms=now_ms, version=memory.version + 1)
