"""Forgetting by topic and by origin, and suppressions: changes like any other, decided under the one writer."""

from collections.abc import Mapping
from typing import cast

from actors.changes import Change, Decided
from actors.replies import Reply, suppression_view
from actors.requests import Request, command_of
from actors.user_memory import Note, UserMemory
from engine.about import decide_forget_about, found_about, topic_of
from engine.limits import check_reason, check_text
from engine.memory import Memory
from engine.revert import Revert, decide_revert
from engine.suppress import check_topic, decide_lift, decide_suppress, names_something


def _forget_about(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    about, reason = _text(actor, request.args, "about"), str(request.args.get("reason") or "")
    check_reason(reason, actor.parts.policy.limits)
    topic = topic_of(about)
    found = _found(actor, request.args, topic.text, now_ms)
    if topic.never_again and names_something(actor.state, topic.text):
        return _suppress_topic(actor, request, topic.text, found, now_ms)
    events = decide_forget_about(found, reason, now_ms=now_ms, policy=actor.parts.policy)
    return Decided(
        events,
        {
            "ids": [memory.memory_id for memory in found],
            "suppressed": False,
            "restorable_until": now_ms + actor.parts.policy.forget.bin_ms if found else None,
        },
    )


def _render_forgotten(actor: UserMemory, note: Note) -> Reply:
    ids = cast("list[str]", note["ids"])
    memories = actor.state.memories
    return {
        "deleted": len(ids),
        "restorable_until": note["restorable_until"],
        "suppressed": note["suppressed"],
        "memories": [_forgotten_view(one, memories.get(one)) for one in ids],
    }


def _forgotten_view(memory_id: str, memory: Memory | None) -> Reply:
    """With its space and sensitivity, by which a door knows whether its caller may read it."""
    if memory is None:
        return {"memory_id": memory_id, "content": "", "space": "", "sensitivity": ""}
    return {
        "memory_id": memory_id,
        "content": memory.content,
        "space": memory.space,
        "sensitivity": memory.sensitivity.value,
    }


def _suppress(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    about = topic_of(_text(actor, request.args, "about")).text
    return _suppress_topic(actor, request, about, _found(actor, request.args, about, now_ms), now_ms)


def _suppress_topic(actor: UserMemory, request: Request, about: str, found: list[Memory], now_ms: int) -> Decided:
    check_topic(actor.state, about, actor.parts.policy)
    reason = str(request.args.get("reason") or "")
    check_reason(reason, actor.parts.policy.limits)
    decision = decide_suppress(
        actor.state,
        about,
        reason,
        found,
        suppression_id=actor.parts.new_id(),
        spaces=_spaces(request.args),
        now_ms=now_ms,
    )
    return Decided(
        decision.events,
        {
            "ids": list(decision.memory_ids),
            "suppressed": True,
            "restorable_until": None,
            "suppression_id": decision.suppression.suppression_id,
        },
    )


def _render_suppressed(actor: UserMemory, note: Note) -> Reply:
    """`about` is empty once the suppression was lifted: a key remembers no text."""
    suppression_id, ids = cast(str, note["suppression_id"]), cast("list[str]", note["ids"])
    suppression = actor.state.suppressions.get(suppression_id)
    shown: Reply = {"id": suppression_id, "about": "", "reason": "", "created_at": None}
    if suppression is not None:
        shown = suppression_view(suppression)
    return {**shown, "suppressed": len(ids), "memories": ids}


def _lift(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    suppression_id = str(request.args.get("suppression_id") or "")
    decision = decide_lift(actor.state, suppression_id, spaces=_spaces(request.args), now_ms=now_ms)
    return Decided(decision.events, {"lifted": 1, "id": suppression_id, "memories": list(decision.memory_ids)})


def _render_lifted(actor: UserMemory, note: Note) -> Reply:
    return {**note, "restored": len(cast("list[str]", note["memories"]))}


def _revert(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    policy = actor.parts.policy
    decision = decide_revert(actor.state, command_of(Revert, request.args), now_ms=now_ms, policy=policy)
    binned = list(decision.memory_ids)
    return Decided(
        decision.events,
        {
            "deleted": len(binned),
            "memories": binned,
            "restored": list(decision.restored_ids),
            "restorable_until": now_ms + policy.forget.bin_ms if binned else None,
        },
    )


def _render_note(actor: UserMemory, note: Note) -> Reply:
    return dict(note)


def _found(actor: UserMemory, args: Mapping[str, object], topic: str, now_ms: int) -> list[Memory]:
    parts = actor.parts
    return found_about(
        actor.state,
        topic,
        query=parts.static.encode(topic),
        space=parts.space,
        spaces=_spaces(args),
        max_sensitivity=str(args.get("max_sensitivity") or "sensitive"),
        now_ms=now_ms,
        policy=parts.policy,
    )


def _text(actor: UserMemory, args: Mapping[str, object], name: str) -> str:
    value = args.get(name)
    check_text(value, actor.parts.policy.limits, name)  # type: ignore[arg-type]  # It refuses what is not text.
    return cast(str, value)


def _spaces(args: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(cast("list[str]", args.get("spaces") or ()))


FORGETTING: dict[str, Change] = {
    "forget_about": Change(_forget_about, _render_forgotten),
    "suppress": Change(_suppress, _render_suppressed),
    "lift_suppression": Change(_lift, _render_lifted),
    "revert": Change(_revert, _render_note),
}
