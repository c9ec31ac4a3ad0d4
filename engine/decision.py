"""What a write came to, with everything needed to explain it."""

from dataclasses import dataclass

from engine.events import Event
from engine.memory import Memory


@dataclass(frozen=True, slots=True)
class Score:
    """How much a statement is worth keeping. All numbers are 0-1; `by` says who judged: "rules" or "llm"."""

    density: float
    relevance: float
    durability: float
    explicitness: float
    total: float
    threshold: float
    by: str


@dataclass(frozen=True, slots=True)
class Related:
    """How a statement stands to one known memory: same, refines, replaces, coexists or conflicts."""

    memory_id: str
    relation: str


@dataclass(frozen=True, slots=True)
class WriteDecision:
    """The outcome of one write. `memory` is as it will be stored, or None when nothing is kept.

    `reason` is one sentence in the language of the content; `rule` is a stable word for what decided.
    """

    outcome: str
    memory: Memory | None
    events: tuple[Event, ...]
    reason: str
    rule: str
    score: Score | None = None
    related: tuple[Related, ...] = ()
