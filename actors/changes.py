"""Changes that one decision makes: each is `decide` (events and a note) and `render` (the reply, from the state).

The note is what an idempotency key remembers: words, ids and numbers, never text. The reply is rendered from the
note and the state both the first time and when the key comes again, so a repeat reads the text as it is now and finds
none after a purge. What only the first answer can say (the sentence of a reason) travels beside the note.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import cast

from actors.answers import readable, settings_reply
from actors.replies import Reply, memory_view
from actors.requests import Request, command_of
from actors.tracing import note_used, note_write
from actors.user_memory import Note, UserMemory, receipt_note, written_reply
from actors.zones import zone_named, zone_of
from engine.change import Decision, decide_bin, decide_confirm, decide_edit, decide_reject, decide_restore, decide_used
from engine.commands import Edit, Write
from engine.decision import WriteDecision
from engine.errors import InvalidMemory
from engine.events import Event, SettingsChanged
from engine.judgement import Opinion
from engine.limits import check_reason
from engine.revision import judged_later
from engine.user_settings import check_settings
from engine.write import decide_write

REPEATED = "This was done before under the same idempotency key; nothing was done again."
STORED = frozenset({"stored", "merged", "superseded", "pending", "quarantined"})


@dataclass(frozen=True, slots=True)
class Decided:
    """Events to append, what to remember of them, what only this first reply says, and what is noted of it after."""

    events: tuple[Event, ...]
    note: Note
    fresh: Mapping[str, object] = field(default_factory=dict)
    trace: Callable[[], None] = lambda: None


Decide = Callable[[UserMemory, Request, int], Decided]
Render = Callable[[UserMemory, Note], Reply]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judging model had to say before a write: an opinion, nothing because it failed, or nothing until later."""

    opinion: Opinion | None = None
    failed: bool = False
    later: bool = False


NOT_JUDGED = Judged()


@dataclass(frozen=True, slots=True)
class Change:
    """One operation that changes a user's memory."""

    decide: Decide
    render: Render


async def change(actor: UserMemory, request: Request, kind: Change) -> Reply:
    """Do it once: look the key up, decide, append, apply, reply."""
    async with actor.one_writer:
        actor.must_be_active()
        first = await actor.receipt_of(request)
        if first is None:
            now_ms = actor.parts.now_ms()
            decided = kind.decide(actor, request, now_ms)
            entries_count = 1 if decided.events else 0
            receipt = actor.new_receipt(request, decided.note, entries_count=entries_count, now_ms=now_ms)
            first = await actor.commit(decided.events, receipt)
            if first is None:
                decided.trace()
                return written_reply(actor, {**kind.render(actor, decided.note), **decided.fresh}, actor.seq)
        return written_reply(actor, kind.render(actor, receipt_note(first)), first.seq)


async def write(actor: UserMemory, request: Request, judged: Judged = NOT_JUDGED) -> Reply:
    """Decide about a statement, by rules and by what a model said of it, if one was asked."""
    if request.args.get("dry_run"):
        return _dry_run(actor, request, judged)
    return await change(actor, request, Change(partial(_write, judged=judged), _render_write))


def decision_of_write(
    actor: UserMemory, request: Request, now_ms: int, opinion: Opinion | None = None
) -> WriteDecision:
    """What a write would do to the state as it is now. Raises: InvalidMemory or TooLarge."""
    write = command_of(Write, {**request.args, "client": request.args.get("client") or request.client})
    parts = actor.parts
    zone = zone_of(write.time_zone, actor.state.settings.time_zone, write.offset_minutes, parts.policy.time_zone)
    if not isinstance(write.content, str):
        raise InvalidMemory.of("content must be text", field="content")
    vector = actor.state.likeness(write.content[: parts.policy.limits.text_chars_max])
    return decide_write(
        actor.state,
        write,
        memory_id=parts.new_id(),
        now_ms=now_ms,
        zone=zone,
        policy=parts.policy,
        vector=vector,
        opinion=opinion,
    )


def _write(actor: UserMemory, request: Request, now_ms: int, *, judged: Judged = NOT_JUDGED) -> Decided:
    decision = decision_of_write(actor, request, now_ms, judged.opinion)
    if judged.later:
        decision = judged_later(decision)
    kept = decision.memory is not None and bool(decision.events)
    note = {
        "outcome": decision.outcome,
        "memory_id": decision.memory.memory_id if kept and decision.memory else "",
        "rule": decision.rule,
        "score": None if decision.score is None else asdict(decision.score),
        "related": [{"id": one.memory_id, "relation": one.relation} for one in decision.related],
    }
    fresh = {"reason": decision.reason, **_degraded(judged)}
    return Decided(decision.events, note, fresh, partial(note_write, actor, request, decision))


def _degraded(judged: Judged) -> Mapping[str, object]:
    return {"degraded": ["judge"]} if judged.failed else {}


def _render_write(actor: UserMemory, note: Note) -> Reply:
    memory_id = cast(str, note["memory_id"])
    memory = actor.state.memories.get(memory_id) if memory_id else None
    return {
        "outcome": note["outcome"],
        "memory": None if memory is None else memory_view(memory, actor.user_id),
        "reason": REPEATED,
        "rule": note["rule"],
        "score": note.get("score"),
        "related": note.get("related", []),
        "indexed": "pending" if memory_id in actor.state.unembedded else "now",
    }


def _dry_run(actor: UserMemory, request: Request, judged: Judged) -> Reply:
    """What a write would answer. Nothing is appended, and no key remembers it."""
    decision = decision_of_write(actor, request, actor.parts.now_ms(), judged.opinion)
    reply: Reply = {
        "outcome": decision.outcome,
        "memory": None if decision.memory is None else memory_view(decision.memory, actor.user_id),
        "reason": decision.reason,
        "rule": decision.rule,
        "score": None if decision.score is None else asdict(decision.score),
        "related": [{"id": one.memory_id, "relation": one.relation} for one in decision.related],
        "indexed": "pending",
        **_degraded(judged),
    }
    return written_reply(actor, reply, actor.seq)


def _edit(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    args = dict(request.args)
    edit = command_of(Edit, {**_without_sight(args), "client": args.get("client") or request.client})
    zone = zone_of("", actor.state.settings.time_zone, None, actor.parts.policy.time_zone)
    readable(actor, args)
    decision = decide_edit(actor.state, edit, now_ms=now_ms, zone=zone, policy=actor.parts.policy)
    return _decided(decision, {"score": None, "related": []})


def _bin(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    memory = readable(actor, request.args)
    reason, policy = _reason(actor, request), actor.parts.policy
    decision = decide_bin(actor.state, memory.memory_id, reason, now_ms=now_ms, policy=policy)
    return _decided(decision, {"deleted": 1 if decision.events else 0})


def _render_bin(actor: UserMemory, note: Note) -> Reply:
    memory = actor.state.memories.get(cast(str, note["memory_id"]))
    return {
        "deleted": note["deleted"],
        "restorable_until": None if memory is None else memory.restorable_until_ms,
        "memory": None if memory is None else memory_view(memory, actor.user_id),
    }


def _restore(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    return _decided(decide_restore(actor.state, readable(actor, request.args).memory_id, now_ms=now_ms))


def _confirm(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    return _decided(decide_confirm(actor.state, readable(actor, request.args).memory_id, now_ms=now_ms))


def _reject(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    memory_id = readable(actor, request.args).memory_id
    reason, policy = _reason(actor, request), actor.parts.policy
    return _decided(decide_reject(actor.state, memory_id, reason, now_ms=now_ms, policy=policy))


def _render_settled(actor: UserMemory, note: Note) -> Reply:
    memory = actor.state.memories.get(cast(str, note["memory_id"]))
    return {"outcome": note["outcome"], "memory": None if memory is None else memory_view(memory, actor.user_id)}


def _used(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    memory_ids = [str(one) for one in cast("list[str]", request.args.get("memory_ids") or [])]
    for memory_id in memory_ids:
        readable(actor, {**request.args, "memory_id": memory_id})
    decision = decide_used(
        actor.state, memory_ids, now_ms=now_ms, episodic_ttl_ms=actor.parts.policy.write.episodic_ttl_ms
    )
    note = {"counted": len(set(memory_ids))}
    return Decided(decision.events, note, trace=partial(note_used, actor, request))


def _render_note(actor: UserMemory, note: Note) -> Reply:
    return dict(note)


def _settings(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    given = cast("Mapping[str, object]", request.args.get("settings") or {})
    before = settings_reply(actor)
    for name in given:
        if name not in before:
            raise InvalidMemory.of("there is no such setting", code="unknown_field", field=name)
    settings = {**before, **given}
    if not isinstance(settings["time_zone"], str):
        raise InvalidMemory.of("It must be the name of a time zone.", field="time_zone")
    if settings["time_zone"]:
        zone_named(settings["time_zone"])
    check_settings(settings)
    events = () if settings == before else (SettingsChanged(settings, now_ms),)
    return Decided(events, {})


def _render_settings(actor: UserMemory, note: Note) -> Reply:
    return settings_reply(actor)


def _decided(decision: Decision, more: Mapping[str, object] | None = None) -> Decided:
    memory_id = "" if decision.memory is None else decision.memory.memory_id
    note = {"outcome": decision.outcome, "memory_id": memory_id, "rule": decision.rule, **(more or {})}
    return Decided(decision.events, note, {"reason": decision.reason})


def _reason(actor: UserMemory, request: Request) -> str:
    reason = str(request.args.get("reason") or "")
    check_reason(reason, actor.parts.policy.limits)
    return reason


def _without_sight(args: Mapping[str, object]) -> dict[str, object]:
    """Arguments of the command itself, without what the token may see."""
    return {name: value for name, value in args.items() if name not in ("spaces", "max_sensitivity")}


CHANGES: dict[str, Change] = {
    "edit": Change(_edit, _render_write),
    "bin": Change(_bin, _render_bin),
    "restore": Change(_restore, _render_settled),
    "confirm": Change(_confirm, _render_settled),
    "reject": Change(_reject, _render_settled),
    "used": Change(_used, _render_note),
    "settings_put": Change(_settings, _render_settings),
}
