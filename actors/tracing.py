"""What an actor notes of each call in its user's trace (`engine.trace`), once the call has done its work."""

from collections.abc import Mapping, Sequence
from typing import cast

from actors.requests import Request
from actors.user_memory import UserMemory
from engine.commands import Recall
from engine.decision import WriteDecision
from engine.recall import RecallResult
from engine.secrets import mask_secrets
from engine.trace import CONTEXT, SEARCH, TURN, USED, WRITE, Recalled, Step, Written, kept_text, written_of
from engine.turns import Talk, Turn, TurnDecision

_NOT_ASKED = frozenset({"query", "conversation", "task", "client"})  # Fields of a step by themselves.


def note_recall(
    actor: UserMemory, args: Mapping[str, object], recall: Recall, result: RecallResult, search_id: str, *, packed: bool
) -> None:
    """A search, or one `packed` into a context, and what it returned."""
    now_ms = actor.parts.now_ms()
    actor.state.trace.add(
        Step(
            number=0,
            kind=CONTEXT if packed else SEARCH,
            at_ms=now_ms,
            said_at_ms=now_ms,
            text=recall.query,
            conversation=recall.conversation,
            task=recall.task,
            search_id=search_id,
            abstained=result.abstained,
            asked={name: value for name, value in args.items() if name not in _NOT_ASKED},
            recalled=tuple(
                Recalled(
                    memory_id=hit.memory.memory_id,
                    version=hit.memory.version,
                    relevance=round(hit.relevance, 4),
                    score=round(hit.score, 4),
                )
                for hit in result.hits
            ),
        ),
        raw=True,
    )


def note_write(actor: UserMemory, request: Request, decision: WriteDecision) -> None:
    """A statement that was handed over by itself, and what it came to."""
    args, now_ms = request.args, actor.parts.now_ms()
    written = written_of(decision, str(args.get("content") or ""))
    said_at_ms = args.get("said_at_ms")
    actor.state.trace.add(
        Step(
            number=0,
            kind=WRITE,
            at_ms=now_ms,
            said_at_ms=said_at_ms if isinstance(said_at_ms, int) else now_ms,
            role=str(args.get("source") or "user"),
            conversation=str(args.get("conversation") or ""),
            task=str(args.get("task") or ""),
            space=str(args.get("space") or "shared"),
            client=str(args.get("client") or request.client),
            written=(written,),
        )
    )


def note_turns(actor: UserMemory, talk: Talk, turns: Sequence[Turn], decided: Sequence[TurnDecision]) -> None:
    """Each turn of a talk with the statements found in it."""
    now_ms = actor.parts.now_ms()
    for turn, decision in zip(turns, decided, strict=True):
        actor.state.trace.add(
            Step(
                number=0,
                kind=TURN,
                at_ms=now_ms,
                said_at_ms=now_ms if turn.said_at_ms is None else turn.said_at_ms,
                # A turn that may not even be held for an hour is not kept here for a week.
                text="" if decision.held is None else kept_text(decision.held.content),
                role=turn.role,
                conversation=talk.conversation,
                task=talk.task,
                space=talk.space,
                client=talk.client,
                written=_written(turn, decision),
            )
        )


def _written(turn: Turn, decision: TurnDecision) -> tuple[Written, ...]:
    """What each statement came to. One cut out of a turn with a secret could hold the secret without its mark."""
    silent = decision.held is None or bool(mask_secrets(turn.content).kinds)
    texts = decision.texts or [""] * len(decision.written)
    return tuple(written_of(one, "" if silent else text) for one, text in zip(decision.written, texts, strict=True))


def note_used(actor: UserMemory, request: Request) -> None:
    """Memories that entered a final prompt."""
    now_ms, memories = actor.parts.now_ms(), actor.state.memories
    ids = dict.fromkeys(cast("list[str]", request.args.get("memory_ids") or []))
    actor.state.trace.add(
        Step(
            number=0,
            kind=USED,
            at_ms=now_ms,
            said_at_ms=now_ms,
            text=kept_text(str(request.args.get("turn") or "")),
            client=request.client,
            recalled=tuple(
                Recalled(memory_id=str(one), version=memories[str(one)].version) for one in ids if str(one) in memories
            ),
        )
    )
