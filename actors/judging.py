"""Asking the judging model about a write, outside the user's lock, and never so that a write depends on the answer.

`inline`: the write waits for the opinion, for `judge_seconds` at most; the decision is then made inside the lock on
the state as it is by then, with the opinion as one of its inputs. `deferred`: the write does not wait, and
`actors.judge_queue` asks later. Whatever goes wrong over there, the rules decide, the reply says so, nothing is lost,
and the queue asks again. What rules turn away before scoring, what is marked sensitive, and secrets never leave this
process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from actors.changes import NOT_JUDGED, Judged, decision_of_write
from actors.parts import HostParts
from actors.requests import Request
from actors.turns import NOT_READ, TalkRead
from actors.user_memory import UserMemory
from engine.decision import WriteDecision
from engine.errors import Unavailable
from engine.extract import without_recalled
from engine.judgement import RELATIONS, Extracted, Opinion
from engine.memory import Memory
from engine.reconcile import nearest_known
from engine.revision import may_be_shown
from engine.screen import screen
from engine.secrets import mask_secrets
from engine.suppress import is_suppressed
from engine.turns import ROLES

STATEMENT_CHARS_MAX = 2_000
KNOWN_CHARS_MAX = 400
KNOWN_MAX = 5
TURNS_MAX = 40
# Failures of the content: asking again about the same text would cost the same and end the same.
CONTENT_CODES = frozenset({"model_reply", "model_refused", "model_cut_off", "model_bad_request"})


@dataclass(frozen=True, slots=True)
class _Question:
    """What a model is shown: the statement, and the memories nearest to it."""

    text: str
    said_by: str
    about: str
    known: Sequence[Memory]


class Judging:
    """The judge as a memory host uses it."""

    def __init__(self, parts: HostParts) -> None:
        self._parts = parts
        self._on = parts.models is not None and parts.scoring in ("inline", "deferred")

    @property
    def on(self) -> bool:
        """Whether a model judges at all."""
        return self._on

    async def before_write(self, actor: UserMemory, request: Request) -> Judged:
        """What is known of a statement before it is decided. Takes no lock and changes nothing but counts.

        Raises: as the decision itself, and Conflict for a key that belongs to another body.
        """
        if not self._on:
            return NOT_JUDGED
        if self._parts.scoring == "deferred":
            return Judged(later=True)
        if request.key and await actor.receipt_of(request) is not None:
            return NOT_JUDGED  # It was decided long ago.
        question = self._question_of_write(actor, request)
        if question is None:
            return NOT_JUDGED
        try:
            return Judged(await self._asked(actor, question))
        except Unavailable:
            return Judged(failed=True, later=True)  # The queue asks again when the model is back.

    async def before_turns(self, actor: UserMemory, request: Request) -> TalkRead:
        """What a model reads out of turns that are handed over, where it is asked at once.

        Turns that rules screen out, and those about a suppressed topic, are not shown; nor is a sensitive talk.
        """
        args = request.args
        rows = args.get("turns")
        if not self._on or not args.get("extract", True) or not isinstance(rows, list):
            return NOT_READ
        if self._parts.scoring == "deferred":
            return TalkRead(later=True)
        if args.get("sensitivity", "normal") != "normal" or (request.key and await actor.receipt_of(request)):
            return NOT_READ
        space = str(args.get("space", "shared"))
        shown = [(number, row) for number, row in enumerate(rows) if _showable(actor, row, space)][:TURNS_MAX]
        if not shown:
            return NOT_READ
        try:
            statements = await self.statements([row for _, row in shown])
        except Unavailable:
            actor.judge_failures += 1
            return TalkRead(failed=True, later=True)
        actor.judged += 1
        found: dict[int, list[Extracted]] = {}
        for one in statements:
            if 0 <= one.turn < len(shown):
                found.setdefault(shown[one.turn][0], []).append(one)
        return TalkRead(found)

    async def of_memory(self, actor: UserMemory, memory: Memory) -> Opinion:
        """An opinion of a memory that is stored already. Raises: Unavailable."""
        vector = actor.state.likeness(memory.content)
        near = nearest_known(actor.state, memory, vector=vector, now_ms=self._parts.now_ms(), limit=KNOWN_MAX + 1)
        known = [one for one in near if one.memory_id != memory.memory_id and may_be_shown(one)][:KNOWN_MAX]
        return await self._asked(actor, _Question(_shown(memory.content), memory.source.value, memory.task, known))

    async def statements(self, turns: Sequence[Mapping[str, object]]) -> tuple[Extracted, ...]:
        """What a talk says that is worth keeping. `turns` have `role` and `content`. Raises: Unavailable."""
        if self._parts.models is None:
            raise Unavailable.of("no judging model is configured", code="model_missing")
        shown = [{"role": turn["role"], "content": _shown(str(turn["content"]))} for turn in turns[:TURNS_MAX]]
        reply = await self._parts.models.ask("extract", {"turns": shown}, seconds=self._parts.extract_seconds)
        rows = cast("Sequence[Mapping[str, object]]", reply["statements"])
        return tuple(Extracted(str(row["text"]), cast(int, row["turn"]), cast(int, row["importance"])) for row in rows)

    def _question_of_write(self, actor: UserMemory, request: Request) -> _Question | None:
        """What to ask about a write; None for what rules turn away unscored, and for what must not be shown."""
        preview = decision_of_write(actor, request, self._parts.now_ms())
        args = request.args
        if preview.score is None or args.get("sensitivity", "normal") != "normal":
            return None
        text = str(args["content"])
        said_by, about = str(args.get("source", "user")), str(args.get("task", ""))
        return _Question(_shown(text), said_by, about, self._known(actor, preview, text))

    def _known(self, actor: UserMemory, preview: WriteDecision, text: str) -> Sequence[Memory]:
        if preview.memory is None:
            return ()
        memory = replace(preview.memory, content=text)
        near = nearest_known(
            actor.state, memory, vector=actor.state.likeness(text), now_ms=self._parts.now_ms(), limit=KNOWN_MAX
        )
        return [one for one in near if may_be_shown(one)]

    async def _asked(self, actor: UserMemory, question: _Question) -> Opinion:
        assert self._parts.models is not None, "nobody is asked where no model is configured"
        statement = {"text": question.text, "said_by": question.said_by, "about": question.about}
        known = [_shown(memory.content)[:KNOWN_CHARS_MAX] for memory in question.known]
        try:
            reply = await self._parts.models.ask(
                "judge", {"statement": statement, "known": known}, seconds=self._parts.judge_seconds
            )
        except Unavailable:
            actor.judge_failures += 1
            raise
        actor.judged += 1
        return _opinion(reply, question.known)


def _opinion(reply: Mapping[str, object], known: Sequence[Memory]) -> Opinion:
    relations: dict[str, str] = {}
    for row in cast("Sequence[Mapping[str, object]]", reply["relations"]):
        number, relation = cast(int, row["memory"]), str(row["relation"])
        if 0 <= number < len(known) and relation in RELATIONS:
            relations[known[number].memory_id] = relation
    seen = {memory.memory_id: memory.version for memory in known}
    return Opinion(cast(int, reply["importance"]), relations, seen)


def _showable(actor: UserMemory, row: object, space: str) -> bool:
    """Whether a turn, as it came, may be shown to a model. What is malformed is refused elsewhere."""
    if not isinstance(row, Mapping) or not isinstance(row.get("content"), str) or row.get("role") not in ROLES:
        return False
    content = without_recalled(row["content"])
    return (
        bool(content) and screen(content, ROLES[row["role"]]) is None and not is_suppressed(actor.state, content, space)
    )


def _shown(text: str) -> str:
    """A text as a model may see it: secrets masked whatever the settings, and not endless."""
    return mask_secrets(text[:STATEMENT_CHARS_MAX]).text
