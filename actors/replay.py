"""Replay: what was handed over, written, skipped, recalled and used, in order; and a past search asked again.

Texts are read from the state: a memory as it read in the version that was shown then, and nothing of one that is gone,
in the bin, or about a suppressed topic. The caller may see everything of the user; the adapters see to that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import cast

from actors.replies import Reply
from actors.requests import command_of
from actors.user_memory import UserMemory
from engine.commands import Recall
from engine.errors import InvalidMemory, UnknownMemory
from engine.memory import Memory, Status
from engine.policy import RecallPolicy
from engine.presets import HALF_LIFE, WEIGHTS, recall_policy
from engine.recall import RecallResult
from engine.suppress import is_suppressed
from engine.trace import KINDS, Recalled, Step, Written

_HIDDEN = (Status.DELETED, Status.SUPPRESSED)
ORDERS = ("oldest", "newest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which steps to show. Empty means all; `outcome` keeps only what came to it, and the steps that have some."""

    conversation: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    memory: str = ""
    kind: str = ""
    outcome: str = ""
    order: str = "oldest"
    limit: int = 50
    cursor: str = ""

    def fits(self, step: Step) -> bool:
        """Whether a step is wanted."""
        return (
            (not self.conversation or step.conversation == self.conversation)
            and (not self.kind or step.kind == self.kind)
            and (self.from_ms is None or step.said_at_ms >= self.from_ms)
            and (self.to_ms is None or step.said_at_ms <= self.to_ms)
            and (not self.memory or step.mentions(self.memory))
            and (not self.outcome or any(one.outcome == self.outcome for one in step.written))
        )


def replay_reply(actor: UserMemory, args: Mapping[str, object]) -> Reply:
    """One page of steps. Raises: InvalidMemory naming the argument."""
    wanted = command_of(Wanted, args)
    limit_max = actor.parts.policy.limits.list_limit_max
    if not 1 <= wanted.limit <= limit_max:
        raise InvalidMemory.of(f"limit is between 1 and {limit_max}", field="limit")
    if wanted.order not in ORDERS:
        raise InvalidMemory.of(f"order must be one of: {', '.join(ORDERS)}.", field="order")
    if wanted.kind and wanted.kind not in KINDS:
        raise InvalidMemory.of(f"kind must be one of: {', '.join(KINDS)}.", field="kind")
    after = _position(wanted.cursor)
    steps = actor.state.trace.since(actor.parts.now_ms())
    ordered = reversed(steps) if wanted.order == "newest" else iter(steps)
    fitting = (step for step in ordered if wanted.fits(step) and _lies_after(step, after, wanted.order))
    page = list(islice(fitting, wanted.limit + 1))
    more, page = len(page) > wanted.limit, page[: wanted.limit]
    cursor = f"{page[-1].number:x}" if more else ""
    return {"turns": [_step_view(actor, step, wanted.outcome) for step in page], "next_cursor": cursor}


def label_reply(actor: UserMemory, args: Mapping[str, object]) -> Reply:
    """Note in the trace whether a hit was right. It lives as long as its step does.

    Raises: UnknownMemory when the trace has no such hit, InvalidMemory when `right` is neither true, false nor null.
    """
    right = args.get("right")
    if right is not None and not isinstance(right, bool):
        raise InvalidMemory.of("It is true, false or null.", field="right")
    if not actor.state.trace.label(str(args.get("search_id") or ""), str(args.get("memory_id") or ""), right):
        raise UnknownMemory.of("There is no such hit in the trace.", field="search_id")
    return {"labelled": 1}


def _lies_after(step: Step, position: int | None, order: str) -> bool:
    if position is None:
        return True
    return step.number < position if order == "newest" else step.number > position


def _position(cursor: str) -> int | None:
    if not cursor:
        return None
    try:
        if len(cursor) > 20 or not cursor.isascii():
            raise ValueError
        return int(cursor, 16)
    except ValueError:
        raise InvalidMemory.of(
            "cursor is not one that this service returned.", field="cursor", code="invalid_cursor"
        ) from None


def _step_view(actor: UserMemory, step: Step, outcome: str = "") -> Reply:
    written = [one for one in step.written if not outcome or one.outcome == outcome]
    labels = {label.memory_id: label.right for label in step.labels}
    return {
        "id": f"{step.number:x}",
        "kind": step.kind,
        "at": step.at_ms,
        "said_at": step.said_at_ms,
        "role": step.role,
        "text": _may_be_said(actor, step.text, step.space),
        "conversation": step.conversation,
        "task": step.task,
        "space": step.space,
        "client": step.client,
        "search_id": step.search_id,
        "abstained": step.abstained,
        "written": [_written_view(actor, one, step) for one in written],
        "recalled": [{**_recalled_view(actor, one), "right": labels.get(one.memory_id)} for one in step.recalled],
    }


def _may_be_said(actor: UserMemory, text: str, space: str) -> str:
    """A text, or nothing where it is about something never to be mentioned."""
    return "" if not text or is_suppressed(actor.state, text, space) else text


def _written_view(actor: UserMemory, one: Written, step: Step) -> Reply:
    memory = actor.state.memories.get(one.memory_id) if one.memory_id else None
    return {
        "outcome": one.outcome,
        "rule": one.rule,
        "score": None
        if one.score is None
        else {
            "density": one.score.density,
            "relevance": one.score.relevance,
            "durability": one.score.durability,
            "explicitness": one.score.explicitness,
            "total": one.score.total,
            "threshold": one.score.threshold,
            "by": one.score.by,
        },
        "memory_id": one.memory_id,
        "version": one.version,
        "content": _may_be_said(actor, one.content, step.space)
        if not one.memory_id
        else _text_of(actor, memory, one.version),
        "status": _status_of(actor, memory) if one.memory_id else "",
    }


def _recalled_view(actor: UserMemory, one: Recalled) -> Reply:
    memory = actor.state.memories.get(one.memory_id)
    return {
        "memory_id": one.memory_id,
        "version": one.version,
        "relevance": one.relevance,
        "score": one.score,
        "content": _text_of(actor, memory, one.version),
        "status": _status_of(actor, memory),
    }


def _text_of(actor: UserMemory, memory: Memory | None, version: int) -> str:
    if memory is None or memory.over(actor.parts.now_ms()) or memory.status in _HIDDEN:
        return ""
    return memory.as_version(version).content


def _status_of(actor: UserMemory, memory: Memory | None) -> str:
    """What it is now; "gone" when there is nothing of it any more."""
    return "gone" if memory is None or memory.over(actor.parts.now_ms()) else memory.status.value


@dataclass(frozen=True, slots=True)
class Again:
    """A search as it is asked again: its arguments, the ranking to use, and what it returned the first time."""

    recall: Recall
    policy: RecallPolicy
    first: tuple[Recalled, ...] | None


_POLICY_NAMES = (*WEIGHTS, HALF_LIFE, "floor", "fact_boost")


def asked_again(actor: UserMemory, args: Mapping[str, object]) -> Again:
    """Read a replayed search: `search_id` of one in the trace, or a `query` and the time to ask it at.

    Raises: UnknownMemory when the trace no longer has it; InvalidMemory for numbers that make no ranking.
    """
    given = dict(args)
    changes = {name: cast(float, given.pop(name)) for name in _POLICY_NAMES if name in given}
    preset = str(given.pop("preset", "") or "")
    search_id = str(given.pop("search_id", "") or "")
    try:
        # A named ranking is the one that was shipped; without a name the ranking in force is changed.
        base = RecallPolicy() if preset else actor.parts.policy.recall
        policy = recall_policy(preset or "default", changes, base=base)
    except ValueError as error:
        raise InvalidMemory.of(f"{error}.", field="weights", code="invalid_value") from None
    if HALF_LIFE in changes:
        policy = replace(policy, own_half_lives=False)  # The one asked for is to be tried, whatever the user has set.
    if not search_id:
        recall = command_of(Recall, given)
        as_of_ms = actor.parts.now_ms() if recall.as_of_ms is None else recall.as_of_ms
        return Again(replace(recall, as_of_ms=as_of_ms), policy, None)
    step = actor.state.trace.found(search_id)
    if step is None or not step.text:
        raise UnknownMemory.of("There is no such search in the trace.", field="search_id")
    asked = {**step.asked, "query": step.text, "conversation": step.conversation, "task": step.task, **given}
    recall = command_of(Recall, asked)
    as_of_ms = step.at_ms if recall.as_of_ms is None else recall.as_of_ms
    return Again(replace(recall, as_of_ms=as_of_ms, rerank="off"), policy, step.recalled)


def difference_reply(actor: UserMemory, again: Again, before: RecallResult | None, after: RecallResult) -> Reply:
    """What the search returned and what it returns now, and how they differ.

    `before` is the same search under the ranking in force, for one that was not in the trace.
    """
    if again.first is not None:
        first = [_recalled_view(actor, one) for one in again.first]
    else:
        assert before is not None, "a search that is not in the trace is asked under the ranking in force"
        first = [_recalled_view(actor, _recalled(hit.memory, hit.relevance, hit.score)) for hit in before.hits]
    shown = after.reply(actor.user_id)
    places = {str(one["memory_id"]): place for place, one in enumerate(first, start=1)}
    now = {hit.memory.memory_id: place for place, hit in enumerate(after.hits, start=1)}
    return {
        "query": again.recall.query,
        "as_of": again.recall.as_of_ms,
        "before": first,
        "after": shown["memories"],
        "abstained": after.abstained,
        "hint": after.hint,
        "withheld": shown["withheld"],
        "difference": {
            "entered": [one for one in now if one not in places],
            "left": [one for one in places if one not in now],
            "moved": [
                {"memory_id": one, "from": places[one], "to": now[one]}
                for one in now
                if one in places and places[one] != now[one]
            ],
        },
    }


def _recalled(memory: Memory, relevance: float, score: float) -> Recalled:
    return Recalled(memory_id=memory.memory_id, version=memory.version, relevance=relevance, score=score)
