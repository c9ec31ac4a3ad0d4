"""Turns of a talk: each becomes working memory word for word, and what it states is decided like any write.

System turns and text that came out of our own recall are neither stored nor extracted; nor is what its user said off
the record, what holds a secret that must not be kept, and what is about a suppressed topic. Text that gives orders is
quarantined and never becomes working memory, from where it would go back into a prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.commands import Write
from engine.decision import WriteDecision
from engine.errors import InvalidMemory, TooLarge
from engine.events import MemoryWritten
from engine.extract import candidates, without_recalled
from engine.judgement import Extracted, Opinion, grounded
from engine.limits import check_text, check_word, check_write
from engine.memory import TURN, Category, Memory, Source, Tier
from engine.normalise import refuse_bad_characters
from engine.policy import Limits
from engine.scratch import Scratch
from engine.screen import screen
from engine.secrets import mask_secrets
from engine.suppress import is_suppressed
from engine.working import EXTRACTED, Around, Leaving, decide_now, let_go, over_budget, tokens_of, working_of
from engine.write import memory_of

ROLES = {"user": Source.USER, "assistant": Source.AGENT, "tool": Source.TOOL}
SYSTEM = "system"
# Why a turn is not kept even for the hour of its talk. Everything else that screening skips is context all the same.
_NOT_EVEN_HELD = frozenset({"off_the_record", "recalled_text", "system_prompt", "suppression_request"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn as it was handed over. `said_at_ms` None means now."""

    role: str
    content: str
    said_at_ms: int | None = None
    offset_minutes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What the turns of one call have in common."""

    conversation: str
    task: str = ""
    space: str = "shared"
    sensitivity: str = "normal"
    client: str = ""
    time_zone: str = ""
    extract: bool = True
    untrusted: bool = False


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """What becomes of one turn: the working memory it is held as, if any, and the decisions about what it states.

    `texts` are the statements, one for each decision.
    """

    held: Memory | None
    written: tuple[WriteDecision, ...]
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """What the talk's working memory costs after all of it, at most, and how much it may."""

    tokens: int
    limit: int
    held: int
    left: Leaving


def check_talk(talk: Talk, turns: Sequence[Turn], limits: Limits) -> None:
    """Refuse a call that breaks a limit; the field is named as in the request. Raises: InvalidMemory, TooLarge."""
    if not talk.conversation:
        raise InvalidMemory.of("A conversation needs a name.", field="conversation", code="empty")
    check_word(talk.conversation, "conversation", limits)
    check_write(Write(content="-", task=talk.task, space=talk.space, sensitivity=talk.sensitivity), limits)
    if not turns:
        raise InvalidMemory.of("There is no turn.", field="turns", code="empty")
    if len(turns) > limits.turns_max:
        raise TooLarge.of(f"At most {limits.turns_max} turns in one call.", field="turns")
    for number, turn in enumerate(turns):
        if turn.role not in ROLES and turn.role != SYSTEM:
            words = ", ".join([*ROLES, SYSTEM])
            raise InvalidMemory.of(f"It must be one of: {words}.", field=f"turns.{number}.role")
        if turn.role != SYSTEM and turn.content.strip():
            check_text(turn.content, limits, f"turns.{number}.content")
        refuse_bad_characters(turn.content, f"turns.{number}.content")


def decide_turn(
    scratch: Scratch,
    talk: Talk,
    turn: Turn,
    memory_id: str,
    around: Around,
    *,
    found: Sequence[Extracted] = (),
    later: bool = False,
) -> TurnDecision:
    """Decide about one turn. Its events are in the scratch afterwards, but for that of `held` (see `decide_budget`).

    `memory_id` is the turn's own; what it states gets ids made from it. `found` is what a model read out of it: where
    that is grounded in the turn it stands in the place of what rules find. `later` marks what is new for a model.
    """
    content = without_recalled(turn.content)
    if turn.role == SYSTEM or not content:
        return TurnDecision(None, ())
    source = ROLES[turn.role]
    write = Write(
        content=content,
        source=source.value,
        said_at_ms=turn.said_at_ms,
        task=talk.task,
        space=talk.space,
        conversation=talk.conversation,
        client=talk.client,
        sensitivity=talk.sensitivity,
        untrusted=talk.untrusted,
    )
    verdict = screen(content, source)
    if verdict is not None and verdict.rule in _NOT_EVEN_HELD:
        return TurnDecision(None, ())
    if is_suppressed(scratch.known, content, talk.space) or (verdict is not None and verdict.outcome == "quarantined"):
        return TurnDecision(None, (decide_now(scratch, write, memory_id, around),))
    held = _held(write, memory_id, extracted=talk.extract, around=around)
    if not talk.extract or verdict is not None:
        return TurnDecision(held, ())
    pieces = _pieces(content, source, found)
    decided = tuple(
        decide_now(
            scratch,
            replace(write, content=text),
            f"{memory_id}.{number}",
            around,
            opinion=opinion,
            later=later and opinion is None,
        )
        for number, (text, opinion) in enumerate(pieces, start=1)
    )
    return TurnDecision(held, decided, tuple(text for text, _ in pieces))


def _pieces(content: str, source: Source, found: Sequence[Extracted]) -> list[tuple[str, Opinion | None]]:
    """The statements of a turn, by a model with its opinion, or by rules with none."""
    read = [(one.text, Opinion(one.importance)) for one in found if grounded(one.text, content)]
    return [*read] if read else [(text, None) for text in candidates(content, source)]


def _held(write: Write, memory_id: str, *, extracted: bool, around: Around) -> Memory | None:
    """The turn as working memory, its secrets masked; None when it holds one that must not be kept at all."""
    policy, content = around.policy.write, write.content
    if policy.secrets != "off":
        masked = mask_secrets(content)
        if masked.kinds and (policy.secrets == "reject" or masked.one_time or "private key" in masked.kinds):
            return None
        content = masked.text
    memory = memory_of(
        replace(write, content=content),
        Tier.WORKING,
        Category.EVENT,
        memory_id=memory_id,
        now_ms=around.now_ms,
        policy=around.policy,
        lifetime_ms=policy.working_ttl_ms,
    )
    return replace(memory, importance=0.0, rule=TURN, marks=(TURN, EXTRACTED) if extracted else (TURN,))


def decide_budget(scratch: Scratch, talk: Talk, held: Sequence[Memory], around: Around) -> Budget:
    """Take the new turns in and let the oldest of the talk go until it fits its budget.

    A working memory that a statement of these turns became counts too. What leaves was seen and judged; what is new
    and does not fit at all is judged as if it had been held.
    """
    spaces = (talk.space,)
    for memory in working_of(scratch.known, talk.conversation, now_ms=around.now_ms, spaces=spaces):
        scratch.borrow(memory)
    scratch.take(tuple(MemoryWritten(memory) for memory in held))
    everything = working_of(scratch.state, talk.conversation, now_ms=around.now_ms, spaces=spaces)
    limit = around.policy.working.tokens_max
    leaving = over_budget(everything, limit)
    left = let_go(scratch, everything[:leaving], around, "over_budget") if leaving else Leaving((), ())
    staying = everything[leaving:]
    gone = {memory.memory_id for memory in everything[:leaving]}
    return Budget(tokens_of(staying), limit, sum(memory.memory_id not in gone for memory in held), left)
