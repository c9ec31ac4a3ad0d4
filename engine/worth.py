"""What of a text is worth keeping: its best statement, the score of that, and where it belongs."""

from dataclasses import dataclass, replace

from engine.clauses import folded
from engine.commands import Write
from engine.cues import cues_of
from engine.decision import Score
from engine.keep_model import TextVectors, category_chances, features, keep_chance, own_part
from engine.memory import Category, Source, Tier
from engine.place import category_of, serves_task_only, tier_of
from engine.policy import WritePolicy
from engine.reading import Reading, Statement, read
from engine.score import density, score_of
from engine.screen import is_record

_NEVER_FOR_TASK = frozenset({"passing", "agent", "meta", "joke", "irony", "generic"})


@dataclass(frozen=True, slots=True)
class Worth:
    """The best statement of a text. `tentative` says that it is a guess or that its user is unsure."""

    statement: Statement
    score: Score
    category: Category
    tier: Tier
    tentative: bool
    rest: tuple[str, ...]


def worth_of(write: Write, policy: WritePolicy, vectors: TextVectors) -> Worth | str:
    """Judge a text that was not screened out. A string is the rule by which nothing in it states anything."""
    source = Source(write.source)
    reading = read(write.content)
    statements = _statements(write, reading, source)
    if not statements:
        others = ("hypothetical", "request", "question", "chitchat")
        return next((rule for rule in others if rule in reading.rest), "chitchat")
    judged = [_judged(statement, reading.rest, write, policy, vectors) for statement in statements]
    best = max(judged, key=lambda one: (one.score.total >= policy.threshold, not one.tentative, one.score.total))
    return replace(best, rest=reading.rest)


def _statements(write: Write, reading: Reading, source: Source) -> tuple[Statement, ...]:
    """What is stated; all of it for a tool, whose lines are no conversation."""
    if source in (Source.USER, Source.IMPORT) or (reading.statements and source is not Source.AGENT):
        return reading.statements
    view = folded(write.content[:400])
    cues = cues_of(view)
    return (Statement(view, cues, (cues,)),)


def _judged(
    statement: Statement, rest: tuple[str, ...], write: Write, policy: WritePolicy, vectors: TextVectors
) -> Worth:
    source, cues, text = Source(write.source), statement.cues, statement.text
    inputs, own = features(cues, rest, density(text)), own_part(text, vectors)
    for_task = serves_task_only(cues, write.task) and not cues & _NEVER_FOR_TASK
    asserted = write.category != "auto"
    score = score_of(text, cues, keep_chance(inputs, own), task=write.task, policy=policy)
    record = source in (Source.TOOL, Source.DOCUMENT) and is_record(text)
    score = _lifted(score, policy, record=record, for_task=for_task, asserted=asserted)
    category = category_of(text, cues, category_chances(inputs, own), for_task=for_task)
    return Worth(
        statement, score, category, tier_of(text, category, cues, for_task=for_task), _tentative(statement, source), ()
    )


def _tentative(statement: Statement, source: Source) -> bool:
    """Whether the user says so themselves, or an agent guesses."""
    if source is Source.AGENT:
        return bool(statement.cues & {"guess", "unsure"})
    return source is Source.USER and statement.unsure


def _lifted(score: Score, policy: WritePolicy, *, record: bool, for_task: bool, asserted: bool) -> Score:
    """Raise parts that are known otherwise: a caller's own category, a record of the user's, the current task."""
    durability, explicitness, relevance = score.durability, score.explicitness, score.relevance
    if asserted:
        durability, explicitness = max(durability, 0.8), max(explicitness, 0.9)
    if record:
        durability, explicitness = max(durability, 0.65), max(explicitness, 0.75)
    if for_task:
        durability, explicitness, relevance = max(durability, 0.6), max(explicitness, 0.6), max(relevance, 0.9)
    total = (
        policy.density_weight * score.density
        + policy.relevance_weight * relevance
        + policy.durability_weight * durability
        + policy.explicitness_weight * explicitness
    )
    return replace(score, durability=durability, explicitness=explicitness, relevance=relevance, total=round(total, 3))
