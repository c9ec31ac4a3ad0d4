"""Deferred judging: what rules stored at once, a model may revise later. Pure; the caller applies the events.

A memory that waits for its opinion carries the mark "unjudged", so what waits is part of the state and survives a
restart. A revision never loses text: a memory is set aside (archived, restorable), or replaced and kept as history.
"""

from collections.abc import Iterable
from dataclasses import replace

from engine.decision import WriteDecision
from engine.events import Event, MemoryArchived, MemoryEdited, MemoryMerged, MemorySuperseded, MemoryWritten
from engine.facets import facets_of
from engine.judgement import ARCHIVE_TO, IMPORTANCE_MAX, Opinion, settled_relation
from engine.memory import Memory, Sensitivity, Status
from engine.reconcile import outranks
from engine.state import UserState

UNJUDGED = "unjudged"
REASON = "judged by the model"


def judged_later(decision: WriteDecision) -> WriteDecision:
    """The decision with its new memory marked as waiting for an opinion. Others are left as they are."""
    memory = decision.memory
    if memory is None or decision.score is None or not may_be_shown(memory):
        return decision
    if memory.status is not Status.ACTIVE or not any(isinstance(event, MemoryWritten) for event in decision.events):
        return decision
    marked = replace(memory, marks=(*memory.marks, UNJUDGED))
    events = tuple(MemoryWritten(marked) if isinstance(event, MemoryWritten) else event for event in decision.events)
    return replace(decision, memory=marked, events=events)


def may_be_shown(memory: Memory) -> bool:
    """Whether a model may read it: what is marked sensitive stays here."""
    return memory.sensitivity is Sensitivity.NORMAL


def unjudged(state: UserState) -> Iterable[str]:
    """Ids of the memories that wait for an opinion, in the order they came."""
    return (memory_id for memory_id, memory in state.memories.items() if UNJUDGED in memory.marks)


def decide_revision(state: UserState, memory: Memory, opinion: Opinion, *, now_ms: int) -> tuple[Event, ...]:
    """What an opinion of this version of a memory changes; nothing when it changed or went meanwhile.

    A memory is set aside only when it is next to nothing and nobody has used, pinned or confirmed it.
    """
    now = state.memories.get(memory.memory_id)
    if now is None or now.version != memory.version or UNJUDGED not in now.marks:
        return ()
    changes: dict[str, object] = {
        "importance": opinion.importance / IMPORTANCE_MAX,
        "marks": [mark for mark in now.marks if mark != UNJUDGED],
    }
    told = _relations(state, now, opinion)
    twin = next((known for known, relation in told if relation == "same"), None)
    low = opinion.importance <= ARCHIVE_TO and not (now.pinned or now.access_count or now.rule == "confirmed")
    replaced = [] if twin or low else [known for known, relation in told if relation == "replaces"]
    if replaced:
        changes["supersedes"] = [*now.supersedes, *(known.memory_id for known in replaced)]
    events: list[Event] = [MemoryEdited(now.memory_id, now_ms, REASON, changes)]
    if twin is not None:
        events.append(MemoryMerged(twin.memory_id, now_ms, now.said_at_ms, now.confidence))
        events.append(MemoryArchived(now.memory_id, now_ms, "the model found it to say what another memory says"))
    elif low:
        events.append(MemoryArchived(now.memory_id, now_ms, "the model found nothing in it worth keeping"))
    else:
        events += [
            MemorySuperseded(known.memory_id, now.memory_id, now_ms, max(now.valid_from_ms, known.valid_from_ms))
            for known in replaced
        ]
    return tuple(events)


def _relations(state: UserState, memory: Memory, opinion: Opinion) -> list[tuple[Memory, str]]:
    """The relations that hold: to active memories said no later, not more trusted, and not kept apart by facets."""
    if memory.status is not Status.ACTIVE:
        return []
    mine, found = facets_of(memory.content), []
    for memory_id in opinion.relations:
        known = state.memories.get(memory_id)
        if known is None or memory_id == memory.memory_id or known.status is not Status.ACTIVE:
            continue
        if known.said_at_ms > memory.said_at_ms or known.space != memory.space or outranks(known, memory):
            continue
        said = opinion.relation(memory_id, known.version)
        found.append((known, settled_relation("coexists", said, mine, facets_of(known.content))))
    return found
