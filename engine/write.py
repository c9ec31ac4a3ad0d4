"""Deciding a write: screen -> score -> place -> reconcile -> events. Pure; the caller applies the events.

A dry run is decided the same way; its caller throws the events away.
"""

from dataclasses import replace
from datetime import tzinfo

from engine.clauses import folded
from engine.commands import Write
from engine.decision import Related, Score, WriteDecision
from engine.events import MemoryWritten
from engine.judgement import IMPORTANCE_MAX, Opinion, refined
from engine.limits import check_write
from engine.memory import UNTRUSTED, Category, Float32Array, Memory, Sensitivity, Source, Status, Tier
from engine.policy import Policy
from engine.reasons import reason_of
from engine.reconcile import reconcile
from engine.relative_dates import event_time
from engine.screen import screen
from engine.secrets import Masked, mask_secrets
from engine.state import UserState
from engine.subject import subject_of
from engine.suppress import is_suppressed
from engine.worth import Worth, worth_of

__all__ = ["Related", "Score", "WriteDecision", "decide_write"]

# An unsure statement loses explicitness by being unsure; it must not fail for that alone. What an agent guesses about
# its user is never worth storing as a fact, yet always worth asking about, unless it is empty.
_UNSURE_SLACK = 0.3
_GUESS_SLACK = 0.4


def decide_write(
    state: UserState,
    write: Write,
    *,
    memory_id: str,
    now_ms: int,
    zone: tzinfo,
    policy: Policy,
    vector: Float32Array,
    opinion: Opinion | None = None,
) -> WriteDecision:
    """Decide what one statement is worth and what it does to what was known.

    Shapes:  vector, unit norm: `state.likeness` of the content.
    `opinion` is what a model says, if one was asked; it sharpens the score and the relations, and screening not at all.
    Edges:   a caller's own tier, category and confidence are obeyed; small talk is skipped all the same.
    Raises:  InvalidMemory or TooLarge when the write breaks a limit; the state is never changed.
    """
    check_write(write, policy.limits)
    source = Source(write.source)
    masked = Masked(write.content, ()) if policy.write.secrets == "off" else mask_secrets(write.content)
    verdict = screen(write.content, source)
    if verdict is not None and verdict.outcome == "skipped":
        return _left_out("skipped", verdict.rule, write)
    if is_suppressed(state, write.content, write.space):
        return _left_out("suppressed", "suppressed", write)
    if masked.kinds and (policy.write.secrets == "reject" or masked.one_time or "private key" in masked.kinds):
        return _left_out("skipped", "secret", write)
    write = replace(write, content=masked.text)
    if verdict is not None:
        return _quarantined(write, memory_id=memory_id, now_ms=now_ms, policy=policy)
    worth = worth_of(write, policy.write, state.readings.vectors)
    if isinstance(worth, str):
        return _left_out("skipped", worth, write)
    if opinion is not None:
        worth = replace(worth, score=refined(worth.score, opinion.importance))
    if worth.score.total < policy.write.threshold - _slack(worth, source):
        return _left_out("skipped", _why_low(worth), write, worth.score)
    memory = _placed(write, worth, memory_id=memory_id, now_ms=now_ms, zone=zone, policy=policy)
    if masked.kinds:
        memory = replace(memory, marks=(*memory.marks, "masked"), rule="masked")
    if opinion is not None:
        memory = replace(memory, importance=opinion.importance / IMPORTANCE_MAX)
    return reconcile(
        state,
        memory,
        worth,
        vector=vector,
        now_ms=now_ms,
        policy=policy,
        opinion=opinion,
        ceiling=Sensitivity(write.max_sensitivity),
    )


def _slack(worth: Worth, source: Source) -> float:
    """By how much a tentative statement may stay below the threshold and still wait as pending."""
    if not worth.tentative:
        return 0.0
    return _GUESS_SLACK if source is Source.AGENT else _UNSURE_SLACK


def _why_low(worth: Worth) -> str:
    """The most telling rule: what the rest of the text was, or the bare score."""
    return next((rule for rule in ("hypothetical", "question", "request") if rule in worth.rest), "low_score")


def _left_out(outcome: str, rule: str, write: Write, score: Score | None = None) -> WriteDecision:
    return WriteDecision(outcome, None, (), reason_of(rule, write.content), rule, score)


def _quarantined(write: Write, *, memory_id: str, now_ms: int, policy: Policy) -> WriteDecision:
    memory = memory_of(
        write,
        Tier.EPISODIC,
        Category.FACT,
        memory_id=memory_id,
        now_ms=now_ms,
        policy=policy,
        lifetime_ms=policy.write.pending_ttl_ms,
    )
    memory = replace(memory, status=Status.QUARANTINED, rule="instruction", marks=(*memory.marks, "instruction"))
    return WriteDecision(
        "quarantined", memory, (MemoryWritten(memory),), reason_of("instruction", write.content), "instruction"
    )


def _placed(write: Write, worth: Worth, *, memory_id: str, now_ms: int, zone: tzinfo, policy: Policy) -> Memory:
    """The memory as it would be stored were nothing else known."""
    guess = worth.tentative and write.source == Source.AGENT
    tier = Tier.WORKING if guess else worth.tier
    lifetime_ms = {Tier.WORKING: policy.write.working_ttl_ms, Tier.EPISODIC: policy.write.episodic_ttl_ms}
    tier = tier if write.tier == "auto" else Tier(write.tier)
    category = worth.category if write.category == "auto" else Category(write.category)
    memory = memory_of(
        write,
        tier,
        category,
        memory_id=memory_id,
        now_ms=now_ms,
        policy=policy,
        lifetime_ms=policy.write.pending_ttl_ms if worth.tentative else lifetime_ms.get(tier),
    )
    view = folded(write.content[:2_000])
    subject = subject_of(write.content[:400], view)
    dated = category in (Category.EVENT, Category.TASK)
    happens = event_time(view, said_at_ms=memory.said_at_ms, zone=zone) if dated else None
    occurred_at_ms = write.occurred_at_ms if write.occurred_at_ms is not None or happens is None else happens.at_ms
    memory = replace(memory, subject=subject, occurred_at_ms=occurred_at_ms, importance=_importance(worth))
    if not worth.tentative:
        return memory
    return replace(memory, status=Status.PENDING, rule="guess" if guess else "unsure", marks=(*memory.marks, "guess"))


def _importance(worth: Worth) -> float:
    """How much it matters, 0-1: lasting and plain above passing and vague."""
    return round(0.6 * worth.score.durability + 0.4 * worth.score.total, 3)


def memory_of(
    write: Write,
    tier: Tier,
    category: Category,
    *,
    memory_id: str,
    now_ms: int,
    policy: Policy,
    lifetime_ms: int | None,
) -> Memory:
    """A statement as an active memory, before its worth is known."""
    said_at_ms = now_ms if write.said_at_ms is None else write.said_at_ms
    if write.ttl_seconds is not None:
        lifetime_ms = 1_000 * write.ttl_seconds
    confidence = policy.write.confidence_of(write.source) if write.confidence is None else float(write.confidence)
    return Memory(
        memory_id=memory_id,
        content=write.content,
        tier=tier,
        category=category,
        source=Source(write.source),
        confidence=confidence,
        importance=0.5,
        status=Status.ACTIVE,
        created_at_ms=now_ms,
        updated_at_ms=now_ms,
        said_at_ms=said_at_ms,
        valid_from_ms=said_at_ms,
        space=write.space,
        sensitivity=Sensitivity(write.sensitivity),
        tags=write.tags,
        metadata=write.metadata,
        task=write.task,
        conversation=write.conversation,
        client=write.client,
        occurred_at_ms=write.occurred_at_ms,
        expires_at_ms=None if lifetime_ms is None else now_ms + lifetime_ms,
        rule="stored",
        marks=(UNTRUSTED,) if write.untrusted else (),
    )
