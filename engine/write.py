"""Deciding a write: screen -> score -> place -> reconcile -> events. Pure; the caller applies the events."""

from dataclasses import replace
from datetime import tzinfo

from engine.commands import Write
from engine.decision import Related, Score, WriteDecision
from engine.events import MemoryMerged, MemoryWritten
from engine.limits import check_write
from engine.memory import Category, Float32Array, Memory, Sensitivity, Source, Status, Tier
from engine.normalise import content_key, normalised_view
from engine.policy import Policy
from engine.state import UserState

__all__ = ["Related", "Score", "WriteDecision", "decide_write"]

_CANDIDATES = 8
_PROBE_CHARS = 400


def decide_write(
    state: UserState, write: Write, *, memory_id: str, now_ms: int, zone: tzinfo, policy: Policy, vector: Float32Array
) -> WriteDecision:
    """Decide what one statement is worth and what it does to what was known.

    Shapes:  vector (dimensions,), unit norm: the stand-in document vector of the content.
    Raises:  InvalidMemory or TooLarge when the write breaks a limit; the state is never changed.
    """
    check_write(write, policy.limits)
    view = normalised_view(write.content)
    if len(content_key(write.content)) == 0:
        return WriteDecision("skipped", None, (), "Nothing but symbols.", "chitchat")
    memory = _draft(write, memory_id, now_ms, policy)
    for known in _candidates(state, write, vector):
        if known.status is Status.ACTIVE and content_key(known.content) == content_key(write.content):
            event = MemoryMerged(known.memory_id, now_ms, memory.said_at_ms, memory.confidence)
            merged = replace(known, said_at_ms=max(known.said_at_ms, memory.said_at_ms), version=known.version + 1)
            return WriteDecision(
                "merged", merged, (event,), "The same statement is already known.", "duplicate", None,
                (Related(known.memory_id, "same"),),
            )
    score = _score(view, policy)
    return WriteDecision("stored", memory, (MemoryWritten(memory),), "Worth keeping.", "stored", score)


def _score(view: str, policy: Policy) -> Score:
    density = min(1.0, len(view) / 20)
    return Score(density, 0.5, 0.7, 0.7, 0.7, policy.write.threshold, "rules")


def _draft(write: Write, memory_id: str, now_ms: int, policy: Policy) -> Memory:
    tier = Tier.SEMANTIC if write.tier == "auto" else Tier(write.tier)
    said_at_ms = now_ms if write.said_at_ms is None else write.said_at_ms
    ttl_ms = {Tier.WORKING: policy.write.working_ttl_ms, Tier.EPISODIC: policy.write.episodic_ttl_ms}.get(tier)
    if write.ttl_seconds is not None:
        ttl_ms = 1000 * write.ttl_seconds
    confidence = policy.write.confidence_of(write.source) if write.confidence is None else write.confidence
    return Memory(
        memory_id=memory_id, content=write.content, tier=tier,
        category=Category.FACT if write.category == "auto" else Category(write.category), source=Source(write.source),
        confidence=float(confidence), importance=0.5, status=Status.ACTIVE, created_at_ms=now_ms, updated_at_ms=now_ms,
        said_at_ms=said_at_ms, valid_from_ms=said_at_ms, space=write.space, sensitivity=Sensitivity(write.sensitivity),
        tags=write.tags, metadata=write.metadata, task=write.task, conversation=write.conversation, client=write.client,
        occurred_at_ms=write.occurred_at_ms, expires_at_ms=None if ttl_ms is None else now_ms + ttl_ms, rule="stored",
    )


def _candidates(state: UserState, write: Write, vector: Float32Array) -> list[Memory]:
    slots, _ = state.lexical.search(write.content[:_PROBE_CHARS], limit=_CANDIDATES)
    found = {int(slot): None for slot in slots}
    for index in state.vectors.values():
        nearest, _ = index.nearest(vector, _CANDIDATES)
        found |= {int(slot): None for slot in nearest}
    return [state.memory_at(slot) for slot in found]
