"""Turns of a talk and its end: many decisions, one journal entry.

The decisions are made one after another against a scratch copy, with a break between turns so that other users' calls
go on; then everything becomes durable and visible at once, or nothing does.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import cast

from actors.replies import Reply, memory_view
from actors.requests import Request, command_of
from actors.tracing import note_turns
from actors.user_memory import Note, UserMemory, receipt_note, written_reply
from actors.zones import zone_of
from engine.decision import WriteDecision
from engine.errors import InvalidMemory
from engine.judgement import Extracted
from engine.memory import Sensitivity
from engine.scratch import Scratch
from engine.turns import Budget, Talk, Turn, TurnDecision, check_talk, decide_budget, decide_turn
from engine.working import Around, decide_end, tokens_of, working_of

REPEATED = "This was done before under the same idempotency key; nothing was done again."


@dataclass(frozen=True, slots=True)
class _Decided:
    scratch: Scratch
    turns: tuple[TurnDecision, ...]
    budget: Budget


@dataclass(frozen=True, slots=True)
class TalkRead:
    """What a model read out of the turns, by their number; that it failed; or that it is asked later."""

    found: Mapping[int, Sequence[Extracted]] = field(default_factory=dict)
    failed: bool = False
    later: bool = False


NOT_READ = TalkRead()


async def hand_over(actor: UserMemory, request: Request, read: TalkRead = NOT_READ) -> Reply:
    """Take turns in. Durable: working memory and everything extracted, when it returns."""
    talk, turns = _talk_of(request), _turns_of(request)
    check_talk(talk, turns, actor.parts.policy.limits)
    async with actor.one_writer:
        actor.must_be_active()
        first = await actor.receipt_of(request)
        if first is not None:
            return written_reply(actor, _rendered(actor, receipt_note(first)), first.seq)
        decided = await _decide(actor, talk, turns, read, _ceiling(request))
        written = [decision for turn in decided.turns for decision in turn.written]
        note: Note = {
            "working": decided.budget.held,
            "written": [_note_of(one) for one in written],
            "budget": {"tokens": decided.budget.tokens, "limit": decided.budget.limit},
            "promoted": list(decided.budget.left.promoted_ids),
            "cleared": len(decided.budget.left.cleared_ids),
        }
        events = decided.scratch.events
        receipt = actor.new_receipt(request, note, entries_count=1 if events else 0, now_ms=actor.parts.now_ms())
        repeated = await actor.commit(events, receipt)
        if repeated is not None:
            return written_reply(actor, _rendered(actor, receipt_note(repeated)), repeated.seq)
        note_turns(actor, talk, turns, decided.turns)
        reply = _rendered(actor, note, [one.reason for one in written])
        return written_reply(actor, {**reply, "degraded": ["judge"]} if read.failed else reply, actor.seq)


async def _decide(
    actor: UserMemory, talk: Talk, turns: Sequence[Turn], read: TalkRead, ceiling: Sensitivity
) -> _Decided:
    parts, now_ms = actor.parts, actor.parts.now_ms()
    scratch, decided = Scratch(actor.state), []
    for number, turn in enumerate(turns):
        zone = zone_of(talk.time_zone, actor.state.settings.time_zone, turn.offset_minutes, parts.policy.time_zone)
        around = Around(now_ms, zone, parts.policy, ceiling)
        found = read.found.get(number, ())
        decided.append(decide_turn(scratch, talk, turn, parts.new_id(), around, found=found, later=read.later))
        await asyncio.sleep(0)
    held = [turn.held for turn in decided if turn.held is not None]
    zone = zone_of(talk.time_zone, actor.state.settings.time_zone, None, parts.policy.time_zone)
    around = Around(now_ms, zone, parts.policy, ceiling)
    return _Decided(scratch, tuple(decided), decide_budget(scratch, talk, held, around))


async def end_talk(actor: UserMemory, request: Request) -> Reply:
    """The task is over: what is worth it is promoted, the rest is cleared."""
    conversation, spaces = _conversation(request), _spaces(request)
    async with actor.one_writer:
        actor.must_be_active()
        first = await actor.receipt_of(request)
        if first is not None:
            return written_reply(actor, {"conversation": conversation, **receipt_note(first)}, first.seq)
        parts, now_ms = actor.parts, actor.parts.now_ms()
        zone = zone_of("", actor.state.settings.time_zone, None, parts.policy.time_zone)
        scratch = Scratch(actor.state)
        around = Around(now_ms, zone, parts.policy, _ceiling(request))
        left = decide_end(scratch, conversation, around, spaces=spaces)
        note: Note = {
            "promoted": len(left.promoted_ids),
            "cleared": len(left.cleared_ids),
            "memories": list(left.promoted_ids),
        }
        receipt = actor.new_receipt(request, note, entries_count=1 if scratch.events else 0, now_ms=now_ms)
        repeated = await actor.commit(scratch.events, receipt)
        if repeated is not None:
            return written_reply(actor, {"conversation": conversation, **receipt_note(repeated)}, repeated.seq)
        return written_reply(actor, {"conversation": conversation, **note}, actor.seq)


def talk_reply(actor: UserMemory, request: Request) -> Reply:
    """The working memory of a talk, oldest first, and what it costs."""
    conversation, now_ms = _conversation(request), actor.parts.now_ms()
    held = working_of(actor.state, conversation, now_ms=now_ms, spaces=_spaces(request))
    if _ceiling(request) is Sensitivity.NORMAL:
        held = [memory for memory in held if memory.sensitivity is Sensitivity.NORMAL]
    return {
        "conversation": conversation,
        "memories": [memory_view(memory, actor.user_id) for memory in held],
        "budget": {"tokens": tokens_of(held), "limit": actor.parts.policy.working.tokens_max},
    }


def _talk_of(request: Request) -> Talk:
    args = {
        name: value for name, value in request.args.items() if name not in ("turns", "max_sensitivity", "untrusted")
    }
    return command_of(Talk, {**args, "client": args.get("client") or request.client})


def _turns_of(request: Request) -> list[Turn]:
    rows = request.args.get("turns")
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidMemory.of("It must be a list of turns.", field="turns")
    return [command_of(Turn, cast("Mapping[str, object]", row)) for row in rows]


def _conversation(request: Request) -> str:
    conversation = str(request.args.get("conversation") or "")
    if not conversation:
        raise InvalidMemory.of("A conversation needs a name.", field="conversation", code="empty")
    return conversation


def _spaces(request: Request) -> tuple[str, ...]:
    return tuple(cast("list[str]", request.args.get("spaces") or ()))


def _ceiling(request: Request) -> Sensitivity:
    return Sensitivity(cast(str, request.args.get("max_sensitivity") or "sensitive"))


def _note_of(decision: WriteDecision) -> dict[str, object]:
    kept = decision.memory is not None and bool(decision.events)
    return {
        "outcome": decision.outcome,
        "memory_id": decision.memory.memory_id if kept and decision.memory else "",
        "rule": decision.rule,
        "score": None if decision.score is None else asdict(decision.score),
        "related": [{"id": one.memory_id, "relation": one.relation} for one in decision.related],
    }


def _rendered(actor: UserMemory, note: Note, reasons: Sequence[str] = ()) -> Reply:
    """The reply, each memory as it stands now. Reasons are only there the first time."""
    rows = cast("list[Mapping[str, object]]", note["written"])
    written = []
    for number, row in enumerate(rows):
        memory_id = cast(str, row["memory_id"])
        memory = actor.state.memories.get(memory_id) if memory_id else None
        written.append(
            {
                "outcome": row["outcome"],
                "memory": None if memory is None else memory_view(memory, actor.user_id),
                "reason": reasons[number] if number < len(reasons) else REPEATED,
                "rule": row["rule"],
                "score": row["score"],
                "related": row["related"],
                "indexed": "pending" if memory_id in actor.state.unembedded else "now",
            }
        )
    return {**note, "written": written}
