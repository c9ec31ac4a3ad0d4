"""What a new statement does to what was known: merge, supersede, wait, or stand beside it.

Candidates are the nearest memories by vector and by keyword, so the cost does not grow with the store. Who wins is a
matter of trust first (the user's word, then tools and documents, then agents and imports), then of confidence, then of
when it was said: late news about the past is filed as history and changes nothing that is newer.
"""

from dataclasses import dataclass, replace
from itertools import islice

from engine.columns import STATUSES, TIERS, BoolArray
from engine.decision import Related, WriteDecision
from engine.events import Event, MemoryMerged, MemorySuperseded, MemoryWritten
from engine.facets import facets_of, overlap
from engine.judgement import APART, Opinion, settled_relation
from engine.memory import TURN, UNTRUSTED, Float32Array, Memory, Sensitivity, Source, Status, Tier
from engine.normalise import content_key
from engine.policy import Policy
from engine.readings import Reading
from engine.reasons import reason_of
from engine.relation import Said
from engine.relation_model import relation_between
from engine.state import ASIDE, UserState
from engine.worth import Worth

_BY_WORDS = 6
_BY_VECTOR = 5
_COMPARED_MAX = 5
_PROBE_CHARS = 400
_ALONE = 0.15  # The closest leads the second by this much of similarity plus overlap.
_TRUST = {Source.USER: 3, Source.TOOL: 2, Source.DOCUMENT: 2, Source.AGENT: 1, Source.IMPORT: 1}
_WORKING = TIERS.index(Tier.WORKING)
_LIVE = (STATUSES.index(Status.ACTIVE), STATUSES.index(Status.PENDING))


@dataclass(frozen=True, slots=True)
class _Met:
    """A known memory, how the new statement stands to it, and how close the two are."""

    memory: Memory
    relation: str
    late: bool
    closeness: float


def reconcile(
    state: UserState,
    memory: Memory,
    worth: Worth,
    *,
    vector: Float32Array,
    now_ms: int,
    policy: Policy,
    opinion: Opinion | None = None,
    ceiling: Sensitivity = Sensitivity.SENSITIVE,
) -> WriteDecision:
    """Decide between the new memory and its nearest neighbours, and return the events. `vector` is not centred.

    What lies above `ceiling` is no neighbour: its writer must neither learn of it nor change it.
    """
    met = _neighbours(state, memory, vector, now_ms, opinion, ceiling)
    related = tuple(Related(one.memory.memory_id, _shown(one)) for one in met if one.relation != "unrelated")
    same = next((one for one in met if one.relation in ("same", "refines") and _may_merge(one, memory)), None)
    if same is not None:
        return _merged(memory, same, worth, now_ms, related)
    if memory.status is Status.PENDING:
        return _written(memory, worth, related, (), memory.rule)
    against = [one for one in met if one.relation in ("same", "refines", "replaces")]
    held = [one.memory for one in against if one.memory.status is Status.ACTIVE]
    if any(outranks(known, memory) for known in held):
        waiting = replace(
            memory, status=Status.PENDING, rule="outranked", expires_at_ms=now_ms + policy.write.pending_ttl_ms
        )
        return _written(waiting, worth, related, (), "outranked")
    newer = [one.memory for one in against if one.late and one.memory.status is Status.ACTIVE]
    if newer:
        return _history(memory, min(newer, key=lambda known: known.valid_from_ms), worth, now_ms, related)
    return _superseding(memory, against, worth, now_ms, related)


def _superseding(
    memory: Memory, against: list[_Met], worth: Worth, now_ms: int, related: tuple[Related, ...]
) -> WriteDecision:
    """Store it, and retire what it replaces: older statements, and guesses it settles."""
    retired = [one.memory for one in against if one.memory.status in (Status.ACTIVE, Status.PENDING)]
    if not retired:
        return _written(memory, worth, related, (), memory.rule)
    memory = replace(memory, supersedes=tuple(known.memory_id for known in retired))
    events = tuple(
        MemorySuperseded(known.memory_id, memory.memory_id, now_ms, max(memory.valid_from_ms, known.valid_from_ms))
        for known in retired
    )
    return _written(memory, worth, related, events, "replaces", outcome="superseded")


def _history(memory: Memory, newer: Memory, worth: Worth, now_ms: int, related: tuple[Related, ...]) -> WriteDecision:
    """Old news: true until the newer statement began."""
    memory = replace(
        memory,
        status=Status.SUPERSEDED,
        superseded_by=newer.memory_id,
        rule="late_arrival",
        retired_at_ms=now_ms,
        valid_to_ms=max(newer.valid_from_ms, memory.valid_from_ms),
    )
    return _written(memory, worth, related, (), "late_arrival")


def _written(
    memory: Memory, worth: Worth, related: tuple[Related, ...], more: tuple[Event, ...], rule: str, *, outcome: str = ""
) -> WriteDecision:
    outcome = outcome or ("pending" if memory.status is Status.PENDING else "stored")
    memory = memory if memory.rule == "masked" else replace(memory, rule=rule)
    reason = reason_of(memory.rule, memory.content)
    return WriteDecision(outcome, memory, (MemoryWritten(memory), *more), reason, memory.rule, worth.score, related)


def _merged(memory: Memory, same: _Met, worth: Worth, now_ms: int, related: tuple[Related, ...]) -> WriteDecision:
    """Nothing is stored twice. Repeating a guess does not make it surer; a fuller wording is kept, and so is the higher
    sensitivity: whoever said it as something sensitive must not find it open to those who may not see such things.
    """
    known = same.memory
    fuller = memory.content if same.relation == "refines" and not same.late else None
    confidence = known.confidence if known.status is Status.PENDING else memory.confidence
    raised = Sensitivity.SENSITIVE if _above(memory, known) else None
    event = MemoryMerged(known.memory_id, now_ms, memory.said_at_ms, confidence, fuller, raised)
    merged = replace(
        known,
        content=fuller or known.content,
        said_at_ms=max(known.said_at_ms, memory.said_at_ms),
        updated_at_ms=now_ms,
        confidence=max(known.confidence, confidence),
        sensitivity=raised or known.sensitivity,
        version=known.version + 1,
    )
    rule = "refines" if fuller else "duplicate"
    return WriteDecision("merged", merged, (event,), reason_of(rule, memory.content), rule, worth.score, related)


def _above(memory: Memory, known: Memory) -> bool:
    return memory.sensitivity is Sensitivity.SENSITIVE and known.sensitivity is Sensitivity.NORMAL


def _may_merge(one: _Met, memory: Memory) -> bool:
    """A pending memory absorbs only what is as unsure; an active one never takes its wording from a lesser source."""
    known = one.memory
    if known.status is Status.PENDING:
        return memory.status is Status.PENDING
    if memory.status is Status.PENDING:
        return one.relation == "same"
    return one.relation == "same" or _trust(memory) >= _trust(known)


def _trust(memory: Memory) -> int:
    if memory.rule == "confirmed":
        return 3
    return _TRUST[Source.IMPORT if UNTRUSTED in memory.marks else memory.source]


def outranks(known: Memory, memory: Memory) -> bool:
    """Whether what is known is more trusted than the new statement."""
    trusts = _trust(known), _trust(memory)
    if trusts[0] != trusts[1]:
        return trusts[0] > trusts[1] and known.said_at_ms <= memory.said_at_ms
    return known.confidence > memory.confidence and known.said_at_ms <= memory.said_at_ms


def _shown(one: _Met) -> str:
    """What a reply calls the relation: a contradiction that changes nothing is a conflict."""
    if one.relation == "replaces" and one.late:
        return "conflicts"
    return one.relation


def nearest_known(state: UserState, memory: Memory, *, vector: Float32Array, now_ms: int, limit: int) -> list[Memory]:
    """The memories that a new one is compared with, closest first: what a judging model should see too."""
    return [one.memory for one in _neighbours(state, memory, vector, now_ms, None, Sensitivity.SENSITIVE)[:limit]]


def _neighbours(
    state: UserState, memory: Memory, vector: Float32Array, now_ms: int, opinion: Opinion | None, ceiling: Sensitivity
) -> list[_Met]:
    """The nearest live memories of the same space, closest first, each with its relation."""
    query = state.readings.vectors.centred(vector)
    said = Said(facets_of(memory.content), memory.category)
    found: list[tuple[float, float, Memory, Reading]] = []
    for known in _candidates(state, memory, query, now_ms, ceiling):
        reading = state.readings.of(known)
        similarity = float(query @ reading.own)
        found.append((similarity + overlap(said.facets, reading.facets), similarity, known, reading))
    found.sort(key=lambda one: -one[0])
    key = content_key(memory.content)
    alone = len(found) == 1 or (len(found) > 1 and found[0][0] - found[1][0] >= _ALONE)
    return _best_only([_meet(memory, said, key, one, opinion, alone=alone and one is found[0]) for one in found])


def _candidates(
    state: UserState, memory: Memory, query: Float32Array, now_ms: int, ceiling: Sensitivity
) -> list[Memory]:
    """The few live memories worth comparing: best by keyword and by vector, by their ranks together."""
    allowed = _allowed(state, memory, now_ms)
    if ceiling is Sensitivity.NORMAL:
        allowed &= state.columns.sensitive[: len(state.columns)] == 0
    ranks: dict[int, float] = {}
    by_words, _ = state.lexical.search(memory.content[:_PROBE_CHARS], limit=_BY_WORDS, allowed=allowed)
    rankings = [by_words.tolist()]
    # Where the shelves hold a foreign model's vectors, the table's vector cannot be compared with them: words alone.
    if state.likeness_in_space:
        shelves = (state.vectors[name] for name in (Tier.SEMANTIC.value, Tier.EPISODIC.value, ASIDE))
        nearest = [shelf.nearest(query, _BY_VECTOR, allowed=allowed)[0].tolist() for shelf in shelves if len(shelf)]
        rankings += nearest
    for ranking in rankings:
        for rank, slot in enumerate(ranking):
            ranks[slot] = ranks.get(slot, 0.0) + 1.0 / (2 + rank)
    best = sorted(ranks, key=lambda slot: -ranks[slot])
    known = (state.memory_at(slot) for slot in best)
    # A turn is what was said word for word; what it states is a memory of its own.
    return list(islice((one for one in known if TURN not in one.marks), _COMPARED_MAX))


def _best_only(met: list[_Met]) -> list[_Met]:
    """Of several that would be replaced only the closest, and those nearly as close, are."""
    closest = max((one.closeness for one in met if one.relation == "replaces"), default=0.0)
    floor = closest - 0.15 * abs(closest)
    far = [one.relation == "replaces" and one.closeness < floor for one in met]
    return [replace(one, relation="unrelated") if is_far else one for one, is_far in zip(met, far, strict=True)]


def _meet(
    memory: Memory,
    said: Said,
    key: str,
    found: tuple[float, float, Memory, Reading],
    opinion: Opinion | None,
    *,
    alone: bool,
) -> _Met:
    closeness, similarity, known, reading = found
    late = memory.said_at_ms < known.said_at_ms
    if reading.key == key:
        return _Met(known, "same", late, closeness)
    old = Said(reading.facets, known.category)
    older, newer = (said, old) if late else (old, said)
    relation = relation_between(older, newer, similarity, alone=alone)
    if late and relation == "refines":
        relation = "same"
    judged = "" if opinion is None else opinion.relation(known.memory_id, known.version)
    if not late or judged in APART:  # Late news is history whatever a model makes of it.
        relation = settled_relation(relation, judged, said.facets, reading.facets)
    return _Met(known, relation, late, closeness)


def _allowed(state: UserState, memory: Memory, now_ms: int) -> BoolArray:
    """Live memories of the same space, by slot; working ones only beside others of their talk, for they do not last."""
    columns, count = state.columns, len(state.columns)
    status = columns.status[:count]
    live: BoolArray = (status == _LIVE[0]) | (status == _LIVE[1])
    live &= columns.space[:count] == columns.spaces.known(memory.space)
    live &= columns.expires_at_ms[:count] > now_ms
    working = (columns.tier[:count] == _WORKING) & (columns.status[:count] == _LIVE[0])
    if memory.tier is Tier.WORKING:
        working &= columns.conversation[:count] != columns.conversations.known(memory.conversation)
    live &= ~working
    return live
