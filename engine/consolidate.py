"""From episodes to settled knowledge: what repeats, and what was stated plainly and lasts, becomes one semantic memory.

Without a model the sentence is one of the episodes' own: the one that is nearest to all the others. The evidence is
counted, and the new memory is believed as little as the least of what it came from; it is never evidence itself, so no
number of rounds makes anything surer than it was said. What an agent guessed, a document claimed or an import brought
along is not promoted by repetition.

A single episode, said once and for all or said again and again, is set aside for its semantic twin. Episodes that stand
beside each other stay, because each of them happened.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.columns import STATUSES, TIERS, BoolArray
from engine.commands import Write
from engine.events import Event, MemoryArchived, MemoryPromoted, MemoryWritten
from engine.facets import Facets, facets_of, overlap
from engine.keep_model import TextVectors
from engine.memory import UNTRUSTED, Category, Float32Array, Memory, Source, Status, Tier
from engine.normalise import content_key
from engine.relation import Said, relation_of
from engine.state import UserState
from engine.topics import centred
from engine.working import Around
from engine.worth import worth_of

CONSOLIDATED = "consolidated"
SEEDS_MAX = 100
EPISODES_MIN = 3
DAYS_MIN = 2
CONFIDENCE_MIN = 0.7
_NEAREST = 24
_ALIKE, _ALIKE_IN_WORDS = 0.5, 0.5
_ALIKE_BY_VECTOR_ALONE = 0.75
_LASTING, _PLAIN = 0.8, 0.7
_DAY_MS = 86_400_000
_TRUST = (Source.IMPORT, Source.AGENT, Source.DOCUMENT, Source.TOOL, Source.USER)
_PROMOTABLE = frozenset({Source.USER, Source.TOOL})


@dataclass(frozen=True, slots=True)
class _Group:
    """Episodes that say the same, and the one that speaks for them."""

    episodes: tuple[Memory, ...]
    speaker: Memory


class _Readings:
    """What was read of the memories in one round, so that each is read once."""

    def __init__(self, state: UserState) -> None:
        self.state = state
        self._neutral = state.neutral
        self._own: dict[str, Float32Array] = {}
        self._facets: dict[str, Facets] = {}

    def likeness(self, first: Memory, second: Memory) -> float:
        """Centred cosine of their static vectors."""
        return float(self._vector(first) @ self._vector(second))

    def facets(self, memory: Memory) -> Facets:
        """What tells it apart from look-alikes."""
        if memory.memory_id not in self._facets:
            self._facets[memory.memory_id] = facets_of(memory.content)
        return self._facets[memory.memory_id]

    def _vector(self, memory: Memory) -> Float32Array:
        if memory.memory_id not in self._own:
            self._own[memory.memory_id] = centred(self.state.likeness(memory.content), self._neutral)
        return self._own[memory.memory_id]


def seeds(state: UserState, now_ms: int) -> list[str]:
    """Ids of the newest episodes: what one round looks at, so that its cost does not grow with the store."""
    slots = np.flatnonzero(_active(state, Tier.EPISODIC, now_ms))[-SEEDS_MAX:]
    return [state.ids[int(slot)] for slot in slots]


def decide_consolidate(state: UserState, memory_ids: Sequence[str], around: Around) -> tuple[tuple[Event, ...], int]:
    """What becomes of these episodes. An id that is no active episode any more is passed over.

    Returns: events, and how many semantic memories are made or given more evidence.
    """
    events: list[Event] = []
    made: list[Memory] = []
    used, readings = _used(state), _Readings(state)
    for memory in (state.memories[memory_id] for memory_id in memory_ids if memory_id in state.memories):
        if memory.memory_id in used or not _may_rise(memory, around.now_ms):
            continue
        group = _repeated(readings, memory, used, around.now_ms)
        if group is None and _lasts(state, memory, around):
            group = _Group((memory,), memory)
        if group is None:
            continue
        used.update(one.memory_id for one in group.episodes)
        risen = _risen(readings, group, made, around.now_ms)
        if risen is not None:
            made.append(risen)
            known = risen.memory_id in state.memories
            events.append(MemoryPromoted(risen) if known else MemoryWritten(risen))
            if len(group.episodes) == 1:
                events.append(MemoryArchived(group.speaker.memory_id, around.now_ms, "its semantic twin says it"))
    return tuple(events), len(made)


def _used(state: UserState) -> set[str]:
    """Episodes that went into some memory already, whatever became of it since: what its user binned stays binned."""
    return {
        source for memory in state.memories.values() if CONSOLIDATED in memory.marks for source in memory.derived_from
    }


def _may_rise(memory: Memory, now_ms: int) -> bool:
    held = memory.tier is Tier.EPISODIC and memory.status is Status.ACTIVE and not memory.expired(now_ms)
    trusted = memory.source in _PROMOTABLE and memory.confidence >= CONFIDENCE_MIN
    return held and trusted and not {"guess", UNTRUSTED} & set(memory.marks)


def _repeated(readings: _Readings, memory: Memory, used: set[str], now_ms: int) -> _Group | None:
    """The group of a memory, where it is large enough and spread over days."""
    alike = [
        memory,
        *(
            other
            for other in _near(readings.state, memory, now_ms)
            if other.memory_id not in used and _may_rise(other, now_ms) and _same_thing(readings, memory, other)
        ),
    ]
    days = {at_ms // _DAY_MS for one in alike for at_ms in (one.valid_from_ms, one.said_at_ms, one.happened_at_ms)}
    if _evidence(alike) < EPISODES_MIN or len(days) < DAYS_MIN:
        return None
    likeness = [sum(readings.likeness(one, other) for other in alike) for one in alike]
    best = max(range(len(alike)), key=lambda row: (likeness[row], alike[row].said_at_ms))
    return _Group(tuple(alike), alike[best])


def _evidence(episodes: Sequence[Memory]) -> int:
    """How often it was said: one for each episode, and one for each time that it was said again and merged."""
    return sum(1 + one.repeats for one in episodes)


def _near(state: UserState, memory: Memory, now_ms: int) -> list[Memory]:
    """Other episodes that may say the same."""
    columns, count = state.columns, len(state.columns)
    allowed = _active(state, Tier.EPISODIC, now_ms) & (columns.space[:count] == columns.spaces.known(memory.space))
    allowed[state.slots[memory.memory_id]] = False
    return _nearest(state, memory, Tier.EPISODIC, allowed)


def _same_thing(readings: _Readings, first: Memory, second: Memory) -> bool:
    """Whether two episodes are two times the same: nothing that tells statements apart differs but the day."""
    likeness = readings.likeness(first, second)
    if likeness < _ALIKE or first.sensitivity is not second.sensitivity:
        return False
    a, b = readings.facets(first), readings.facets(second)
    if a.negative != b.negative or a.subject != b.subject:
        return False
    if a.numbers != b.numbers or (a.names != b.names and a.chinese == b.chinese):
        return False
    return overlap(a, b) >= _ALIKE_IN_WORDS or likeness >= _ALIKE_BY_VECTOR_ALONE


def _lasts(state: UserState, memory: Memory, around: Around) -> bool:
    """Whether one statement is explicit and lasting enough to need no repetition."""
    if memory.category not in (Category.FACT, Category.PREFERENCE) or memory.source is not Source.USER:
        return False
    write = Write(content=memory.content, source=memory.source.value)
    worth = worth_of(write, around.policy.write, TextVectors.of(state.likeness))
    return (
        not isinstance(worth, str)
        and not worth.tentative
        and worth.tier is Tier.SEMANTIC
        and worth.score.durability >= _LASTING
        and worth.score.explicitness >= _PLAIN
    )


def _risen(readings: _Readings, group: _Group, made: Sequence[Memory], now_ms: int) -> Memory | None:
    """The semantic memory of a group as it stands afterwards; None where another one says it, or says otherwise."""
    state, speaker = readings.state, group.speaker
    for known in (*made, *_semantic_near(state, speaker, now_ms)):
        relation = _relation(readings, known, speaker)
        if relation in ("same", "refines") and CONSOLIDATED in known.marks and _evidence(group.episodes) > 1:
            return _with_more(known, group.episodes, now_ms)
        if relation in ("same", "refines", "replaces"):
            return None
    memory_id = f"{speaker.memory_id}.s"
    if memory_id in state.memories:
        return None
    episodes = group.episodes
    said_at_ms = max(one.said_at_ms for one in episodes)
    return Memory(
        memory_id=memory_id,
        content=speaker.content,
        tier=Tier.SEMANTIC,
        status=Status.ACTIVE,
        category=Category.FACT if speaker.category is Category.EVENT else speaker.category,
        source=min((one.source for one in episodes), key=_TRUST.index),
        confidence=min(one.confidence for one in episodes),
        importance=max(one.importance for one in episodes),
        created_at_ms=now_ms,
        updated_at_ms=now_ms,
        said_at_ms=said_at_ms,
        valid_from_ms=min(one.valid_from_ms for one in episodes),
        space=speaker.space,
        sensitivity=speaker.sensitivity,
        tags=speaker.tags,
        client=speaker.client,
        subject=speaker.subject,
        rule=CONSOLIDATED,
        marks=(CONSOLIDATED,),
        metadata={"evidence": _evidence(episodes)},
        derived_from=tuple(one.memory_id for one in episodes),
    )


def _with_more(known: Memory, episodes: Sequence[Memory], now_ms: int) -> Memory:
    """More evidence: it is dated later, and believed at most as much as before."""
    derived_from = tuple(dict.fromkeys((*known.derived_from, *(one.memory_id for one in episodes))))
    before = known.metadata.get("evidence")
    evidence = _evidence(episodes) + (before if isinstance(before, int) else len(known.derived_from))
    return replace(
        known,
        derived_from=derived_from,
        metadata={**known.metadata, "evidence": evidence},
        source=min((known.source, *(one.source for one in episodes)), key=_TRUST.index),
        confidence=min(known.confidence, *(one.confidence for one in episodes)),
        updated_at_ms=now_ms,
        said_at_ms=max(known.said_at_ms, *(one.said_at_ms for one in episodes)),
        version=known.version + 1,
    )


def _semantic_near(state: UserState, memory: Memory, now_ms: int) -> list[Memory]:
    columns, count = state.columns, len(state.columns)
    allowed = _active(state, Tier.SEMANTIC, now_ms) & (columns.space[:count] == columns.spaces.known(memory.space))
    return _nearest(state, memory, Tier.SEMANTIC, allowed)


def _relation(readings: _Readings, known: Memory, memory: Memory) -> str:
    """How an episode stands to a semantic memory: by the rules of any write."""
    if content_key(known.content) == content_key(memory.content):
        return "same"
    old, new = Said(readings.facets(known), known.category), Said(readings.facets(memory), memory.category)
    return relation_of(old, new, readings.likeness(known, memory))


def _active(state: UserState, tier: Tier, now_ms: int) -> BoolArray:
    columns, count = state.columns, len(state.columns)
    fits: BoolArray = columns.tier[:count] == TIERS.index(tier)
    fits = fits & (columns.status[:count] == STATUSES.index(Status.ACTIVE))
    return fits & (columns.expires_at_ms[:count] > now_ms)


def _nearest(state: UserState, memory: Memory, tier: Tier, allowed: BoolArray) -> list[Memory]:
    """The nearest of a tier, by word and by vector."""
    by_word, _ = state.lexical.search(memory.content[:400], limit=_NEAREST, allowed=allowed)
    slots = dict.fromkeys(int(slot) for slot in by_word)
    vector = state.vector_of(memory.memory_id)
    if vector is not None:
        nearest, _ = state.vectors[tier.value].nearest(vector, _NEAREST, allowed=allowed)
        slots |= dict.fromkeys(int(slot) for slot in nearest)
    return [state.memory_at(slot) for slot in slots]


def decide_compact(state: UserState, *, now_ms: int) -> tuple[Event, ...]:
    """Set aside semantic memories that say the same word for word, as edits can make them. The best of each stays."""
    columns, count = state.columns, len(state.columns)
    slots = np.flatnonzero(
        (columns.tier[:count] == TIERS.index(Tier.SEMANTIC)) & (columns.status[:count] == STATUSES.index(Status.ACTIVE))
    )
    wordings, sizes = np.unique(columns.wording[slots], return_counts=True)
    groups: dict[tuple[str, str, str], list[Memory]] = {}
    for slot in slots[np.isin(columns.wording[slots], wordings[sizes > 1])]:
        memory = state.memory_at(int(slot))
        groups.setdefault((content_key(memory.content), memory.space, memory.sensitivity.value), []).append(memory)
    return tuple(
        MemoryArchived(memory.memory_id, now_ms, "another memory says the same")
        for group in groups.values()
        for memory in sorted(group, key=_worth_keeping, reverse=True)[1:]
        if not memory.pinned
    )


def settled_since(state: UserState, since_ms: int, now_ms: int) -> list[str]:
    """Ids of the semantic memories that came or changed since a time, oldest first: what a quarter adds."""
    slots = np.flatnonzero(_active(state, Tier.SEMANTIC, now_ms))
    found = (state.memory_at(int(slot)) for slot in slots)
    return [memory.memory_id for memory in found if memory.updated_at_ms >= since_ms]


def decide_compact_meanings(state: UserState, memory_ids: Sequence[str], *, now_ms: int) -> tuple[Event, ...]:
    """Set aside what says in other words what another semantic memory says: the same numbers, names and polarity.

    The better trusted of two stays, then the surer, the more used and the older. Neither is believed more for it.
    """
    readings, gone = _Readings(state), set[str]()
    for memory_id in memory_ids:
        memory = state.memories.get(memory_id)
        if memory is None or memory_id in gone or memory.status is not Status.ACTIVE:
            continue
        for other in _semantic_near(state, memory, now_ms):
            apart = other.subject != memory.subject or other.sensitivity is not memory.sensitivity
            if other.memory_id in (memory_id, *gone) or apart or _relation(readings, other, memory) != "same":
                continue
            lesser = min(memory, other, key=_worth_keeping)
            if not lesser.pinned:
                gone.add(lesser.memory_id)
            if lesser is memory:
                break
    return tuple(MemoryArchived(memory_id, now_ms, "another memory says the same") for memory_id in sorted(gone))


def _worth_keeping(memory: Memory) -> tuple[bool, int, float, int, int]:
    return memory.pinned, _TRUST.index(memory.source), memory.confidence, memory.access_count, -memory.created_at_ms
