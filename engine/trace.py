"""What was lately asked, found, written and not written: enough to tell why an agent knew something, or did not.

The trace is no fold of events: it is kept in RAM and in snapshots, is never flushed for its own sake, and the steps
since the last snapshot are lost in a crash. It is bounded in number and in age. Of what was kept it holds ids, so that
the text is read from the state; of what was not kept, and of questions, it holds the text with its secrets masked, and
none at all where its user did not want it kept. What is purged takes the steps that mention it along.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from engine.decision import Score, WriteDecision
from engine.memory import NO_METADATA, Memory
from engine.normalise import normalised_view
from engine.secrets import mask_secrets

STEPS_MAX = 300  # About half a megabyte of searches.
STEP_LIFE_MS = 7 * 24 * 3_600_000
TEXT_CHARS_MAX = 1_000
TURN, WRITE, SEARCH, CONTEXT, USED = "turn", "write", "search", "context", "used"
KINDS = (TURN, WRITE, SEARCH, CONTEXT, USED)
_CONTAINED_MAX = 64  # More memories than this at once (a large expiry) are looked for by id and whole text alone.
# Refused for what it is: its text is not kept here either.
_WITHOUT_TEXT = frozenset(
    {"off_the_record", "secret", "suppressed", "suppression_request", "recalled_text", "system_prompt"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What one write came to. `content` is only that of a write that left no memory; `version` the one it made."""

    outcome: str
    rule: str
    memory_id: str = ""
    version: int = 0
    content: str = ""
    score: Score | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One memory that a recall returned: how well it fitted, its rank score, and the version that was shown."""

    memory_id: str
    version: int
    relevance: float = 0.0
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a person said of one memory that a recall returned: that it was right to return it, or not."""

    memory_id: str
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was asked of a user's memory. `number` counts them; times are ms UTC.

    `at_ms` is when it was asked, `said_at_ms` when its turn or statement was said. `asked` holds the arguments of a
    recall that its caller gave, `text` its query or the turn.
    """

    number: int
    kind: str
    at_ms: int
    said_at_ms: int
    text: str = ""
    role: str = ""
    conversation: str = ""
    task: str = ""
    space: str = "shared"
    client: str = ""
    search_id: str = ""
    abstained: bool = False
    asked: Mapping[str, object] = field(default_factory=lambda: NO_METADATA)
    written: tuple[Written, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    labels: tuple[Label, ...] = ()

    def mentions(self, memory_id: str) -> bool:
        """Whether this memory was written, recalled or used at this step."""
        return memory_id in self.memory_ids

    @property
    def memory_ids(self) -> frozenset[str]:
        """The memories that were written, recalled or used at this step."""
        return frozenset([one.memory_id for one in self.written] + [one.memory_id for one in self.recalled])


class Trace:
    """The last steps of one user, oldest first."""

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=STEPS_MAX)
        self._next = 1
        self._raw: set[int] = set()  # Numbers of steps whose text was not masked yet.
        self.unsaved = 0  # Steps since the last snapshot.

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._masked())

    def _masked(self) -> deque[Step]:
        if self._raw:
            steps = (replace(one, text=kept_text(one.text)) if one.number in self._raw else one for one in self._steps)
            self._steps, self._raw = deque(steps, maxlen=STEPS_MAX), set()
        return self._steps

    def add(self, step: Step, *, raw: bool = False) -> None:
        """Note one step; its number is set here. The oldest make room, and those that are too old go.

        A `raw` text is masked before anybody reads it or a snapshot holds it: looking for secrets costs a tenth of a
        search, and most questions are never looked at again.
        """
        self._steps.append(replace(step, number=self._next))
        if raw:
            self._raw.add(self._next)
            self._raw.discard(self._next - STEPS_MAX)  # That step has made room.
        self._next += 1
        self.unsaved += 1
        while self._steps and self._steps[0].at_ms < step.at_ms - STEP_LIFE_MS:
            self._steps.popleft()

    def fill(self, steps: Iterable[Step]) -> None:
        """Take back what a snapshot held, into a fresh trace."""
        assert not self._steps, "only a fresh trace is filled"
        self._steps.extend(steps)
        if self._steps:
            self._next = self._steps[-1].number + 1

    def since(self, now_ms: int) -> list[Step]:
        """The steps that are not too old, oldest first."""
        return [step for step in self._masked() if step.at_ms >= now_ms - STEP_LIFE_MS]

    def found(self, search_id: str) -> Step | None:
        """The step of a search."""
        return next((step for step in reversed(self._masked()) if step.search_id == search_id), None)

    def label(self, search_id: str, memory_id: str, right: bool | None) -> bool:
        """Note what a person said of one hit, None to take it back. Returns whether there is such a hit."""
        for place, step in enumerate(self._steps):
            if step.search_id == search_id and any(one.memory_id == memory_id for one in step.recalled):
                others = tuple(one for one in step.labels if one.memory_id != memory_id)
                said = () if right is None else (Label(memory_id=memory_id, right=right),)
                self._steps[place] = replace(step, labels=others + said)
                self.unsaved += 1
                return True
        return False

    def forget(self, memories: Collection[Memory]) -> None:
        """Drop every step that mentions one of these memories or holds the text of one, or of an older version."""
        if not self._steps or not memories:
            return
        ids = {memory.memory_id for memory in memories}
        texts = {normalised_view(text) for memory in memories for text in _texts_of(memory)} - {""}
        inside = texts if len(memories) <= _CONTAINED_MAX else set()
        kept = [step for step in self._steps if not _speaks_of(step, ids, texts, inside)]
        if len(kept) != len(self._steps):
            self._steps = deque(kept, maxlen=STEPS_MAX)
            self.unsaved += 1


def _texts_of(memory: Memory) -> list[str]:
    return [memory.content, *(revision.content for revision in memory.revisions)]


def _speaks_of(step: Step, ids: set[str], texts: set[str], inside: set[str]) -> bool:
    if not ids.isdisjoint(step.memory_ids):
        return True
    held = {normalised_view(text) for text in (step.text, *(one.content for one in step.written)) if text}
    return bool(held & texts) or any(text in view or view in text for text in inside for view in held)


def kept_text(text: str, rule: str = "") -> str:
    """A text as the trace may hold it: secrets masked, cut, and nothing where the rule forbids to keep it."""
    return "" if rule in _WITHOUT_TEXT else mask_secrets(text).text[:TEXT_CHARS_MAX]


def written_of(decision: WriteDecision, content: str) -> Written:
    """What a decision about this text came to."""
    kept = decision.memory if decision.events else None
    return Written(
        outcome=decision.outcome,
        rule=decision.rule,
        memory_id="" if kept is None else kept.memory_id,
        version=0 if kept is None else kept.version,
        content="" if kept is not None else kept_text(content, decision.rule),
        score=decision.score,
    )
