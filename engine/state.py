"""One user's state and `apply`, the only code that changes it.

Ground state is the journal; `UserState.memories` is its fold. Vectors and keyword rows are derived: `apply` keeps
them in step, with the stand-in vector until the model's own arrives (`place_vector`). A memory stands on one shelf:
its tier while it is active, "aside" while it may only be found by asking for it (pending, superseded, archived,
quarantined), and on none once it is in the bin or suppressed, so that no search can reach it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from engine.columns import Columns
from engine.events import (
    EXPIRED,
    Event,
    MemoriesPurged,
    MemoriesUsed,
    MemoryArchived,
    MemoryBinned,
    MemoryConfirmed,
    MemoryEdited,
    MemoryMerged,
    MemoryPromoted,
    MemoryRestored,
    MemorySuperseded,
    MemorySuppressed,
    MemoryWritten,
    SettingsChanged,
    SuppressionAdded,
    SuppressionLifted,
    WorkingCleared,
)
from engine.lexical import LexicalIndex
from engine.memory import UNTRUSTED, Category, Float32Array, Memory, Revision, Sensitivity, Status, Suppression, Tier
from engine.readings import Readings
from engine.topics import Sense, TopicSense, sense_of, topic_sense_of
from engine.trace import Trace
from engine.user_settings import Settings
from engine.vectors import VectorIndex, VectorPolicy

ASIDE = "aside"
SHELVES = (Tier.WORKING.value, Tier.EPISODIC.value, Tier.SEMANTIC.value, ASIDE)
_ASIDE_STATUSES = frozenset({Status.PENDING, Status.SUPERSEDED, Status.ARCHIVED, Status.QUARANTINED})
_EDITED_TYPES = {"tier": Tier, "category": Category, "sensitivity": Sensitivity, "status": Status}


def shelf_of(memory: Memory) -> str | None:
    """The shelf a memory stands on, or None when no search may reach it."""
    if memory.status is Status.ACTIVE:
        return memory.tier.value
    return ASIDE if memory.status in _ASIDE_STATUSES else None


class UserState:
    """All that is known of one user. Read it freely; change it only through `apply` and `place_vector`.

    `slots` number memories in the order they came; a slot is never reused, so an index can never answer
    with somebody else's label. `stand_in` is a pure function from text to a unit document vector of the space;
    `likeness` one to a unit vector that compares two texts without a model. They are the same unless the space is
    that of a model without a query table: there the stand-in is one placeholder for all texts.
    """

    def __init__(
        self,
        user_id: str,
        *,
        dimensions: int,
        stand_in: Callable[[str], Float32Array],
        vector_policy: VectorPolicy | None = None,
        likeness: Callable[[str], Float32Array] | None = None,
    ) -> None:
        self.user_id = user_id
        self.memories: dict[str, Memory] = {}
        self.settings = Settings()
        self.suppressions: dict[str, Suppression] = {}
        self.topics: dict[str, TopicSense] = {}  # of the suppressions
        self.suppressed: dict[str, Sense] = {}  # of the suppressed memories, which stand in no index
        self.slots: dict[str, int] = {}
        self.ids: list[str] = []
        self.stand_in = stand_in
        self.likeness = likeness or stand_in
        self.likeness_in_space = likeness is None
        self.readings = Readings(self.likeness)
        policy = vector_policy or VectorPolicy()
        self.vectors = {shelf: VectorIndex(dimensions, policy) for shelf in SHELVES}
        self.lexical = LexicalIndex()
        self.columns = Columns()
        self.trace = Trace()  # No fold of events; what is purged leaves it too.
        self.unembedded: dict[str, None] = {}  # ids that still stand on their stand-in vector, oldest first
        self._shelves: dict[str, str] = {}

    @property
    def neutral(self) -> Float32Array:
        """The likeness of an empty text: what all texts share."""
        return self.readings.vectors.neutral

    def sense(self, text: str) -> Sense:
        """A text as topics are compared with it."""
        return sense_of(text, self.likeness, self.neutral)

    def shelf(self, memory_id: str) -> str | None:
        """Where the indexes hold this memory now."""
        return self._shelves.get(memory_id)

    def memory_at(self, slot: int) -> Memory:
        """The memory that an index answered with."""
        return self.memories[self.ids[slot]]

    def vector_of(self, memory_id: str) -> Float32Array | None:
        """Its document vector (the model's, else the stand-in), shape (dimensions,); None when on no shelf."""
        shelf = self._shelves.get(memory_id)
        return None if shelf is None else self.vectors[shelf].vector_of(self.slots[memory_id])

    def _index(self, memory: Memory, vector: Float32Array | None) -> None:
        """Bring the indexes in line with a memory. `vector` is kept when the text did not change."""
        memory_id, shelf = memory.memory_id, shelf_of(memory)
        if memory_id not in self.slots:
            self.slots[memory_id] = len(self.ids)
            self.ids.append(memory_id)
        slot = self.slots[memory_id]
        before = self._shelves.pop(memory_id, None)
        if before is not None and before != shelf:
            self.vectors[before].remove(slot)
        if shelf is None:
            self.readings.forget(memory_id)
            if before is not None:
                self.lexical.remove(slot)
            self.unembedded.pop(memory_id, None)
            return
        self._shelves[memory_id] = shelf
        if vector is not None and before == shelf:
            return  # Same text on the same shelf: touching the graph would only make dead nodes.
        if vector is None:
            vector = self.stand_in(memory.content)
            self.unembedded[memory_id] = None
        self.vectors[shelf].put(slot, vector)

    def _fill_shelves(self, memories: Sequence[Memory], vectors: Mapping[str, Float32Array]) -> None:
        rows: dict[str, list[tuple[int, Float32Array]]] = {shelf: [] for shelf in SHELVES}
        for slot, memory in enumerate(memories):
            if (shelf := shelf_of(memory)) is None:
                continue
            self._shelves[memory.memory_id] = shelf
            vector = vectors.get(memory.memory_id)
            if vector is None:
                vector = self.stand_in(memory.content)
                self.unembedded[memory.memory_id] = None
            rows[shelf].append((slot, vector))
        for shelf, held in rows.items():
            if held:
                self.vectors[shelf].fill(np.array([slot for slot, _ in held]), np.stack([row for _, row in held]))

    def _drop(self, memory_id: str) -> None:
        """Take a purged memory out of everything. Its slot stays used for ever."""
        slot, shelf = self.slots[memory_id], self._shelves.pop(memory_id, None)
        if shelf is not None:
            self.vectors[shelf].remove(slot)
            self.lexical.remove(slot)
        self.unembedded.pop(memory_id, None)
        self.suppressed.pop(memory_id, None)
        self.readings.forget(memory_id)
        self.columns.drop(slot)
        del self.memories[memory_id], self.slots[memory_id]
        self.ids[slot] = ""


def apply(state: UserState, event: Event) -> None:
    """Fold one event into the state. The only mutation; the event is already durable."""
    match event:
        case MemoryWritten(memory) | MemoryPromoted(memory):
            _put(state, memory)
        case SuppressionAdded(suppression):
            state.suppressions[suppression.suppression_id] = suppression
            state.topics[suppression.suppression_id] = topic_sense_of(suppression.about, state.likeness, state.neutral)
        case SuppressionLifted(suppression_id):
            state.suppressions.pop(suppression_id, None)
            state.topics.pop(suppression_id, None)
        case MemoriesPurged(memory_ids) | WorkingCleared(memory_ids):
            # What ran out by itself was never unwanted; its steps stay, and show no text of it.
            if isinstance(event, MemoriesPurged) and event.reason != EXPIRED:
                state.trace.forget([state.memories[one] for one in memory_ids if one in state.memories])
            for memory_id in memory_ids:
                if memory_id in state.memories:
                    state._drop(memory_id)
        case MemoriesUsed(memory_ids, at_ms, renewed, expires_at_ms):
            for memory_id in memory_ids:
                if (held := state.memories.get(memory_id)) is not None:
                    used = replace(held, access_count=held.access_count + 1, last_accessed_at_ms=at_ms)
                    state.memories[memory_id] = used
                    if memory_id in renewed:
                        _put(state, replace(used, expires_at_ms=expires_at_ms))
        case SettingsChanged(settings):
            known = {f.name for f in fields(Settings)}
            state.settings = Settings(**{k: v for k, v in settings.items() if k in known})  # type: ignore[arg-type]
        case _:
            _put(state, _changed(state.memories[event.memory_id], event))


def _changed(memory: Memory, event: Event) -> Memory:
    """A memory after an event that concerns it alone."""
    match event:
        case MemoryMerged(_, at_ms, said_at_ms, confidence, content, sensitivity):
            if content is not None and content != memory.content:
                memory = _with_text(memory, content, at_ms, "said again with more detail")
            return replace(
                memory,
                updated_at_ms=at_ms,
                said_at_ms=max(memory.said_at_ms, said_at_ms),
                confidence=max(memory.confidence, confidence),
                sensitivity=sensitivity or memory.sensitivity,
                version=memory.version + 1,
                repeats=memory.repeats + 1,
            )
        case MemorySuperseded(_, by, at_ms, valid_to_ms):
            return replace(
                memory,
                status=Status.SUPERSEDED,
                superseded_by=by,
                valid_to_ms=valid_to_ms,
                retired_at_ms=at_ms,
                updated_at_ms=at_ms,
                version=memory.version + 1,
            )
        case MemoryEdited(_, at_ms, reason, changes):
            return _edited(memory, at_ms, reason, changes)
        case MemoryBinned(_, at_ms, restorable_until_ms, _):
            return replace(
                memory,
                status=Status.DELETED,
                restore_status=memory.status,
                restorable_until_ms=restorable_until_ms,
                retired_at_ms=at_ms,
                updated_at_ms=at_ms,
                version=memory.version + 1,
            )
        case MemoryRestored(_, at_ms, status):
            return _restored(memory, at_ms, status)
        case MemoryConfirmed(_, at_ms):
            return _confirmed(memory, at_ms)
        case MemorySuppressed(_, at_ms, by):
            return replace(
                memory,
                status=Status.SUPPRESSED,
                suppressed_by=by,
                updated_at_ms=at_ms,
                version=memory.version + 1,
                suppressed_from=memory.suppressed_from if memory.status is Status.SUPPRESSED else memory.status,
            )
        case MemoryArchived(_, at_ms, _):
            return replace(
                memory, status=Status.ARCHIVED, retired_at_ms=at_ms, updated_at_ms=at_ms, version=memory.version + 1
            )
    raise AssertionError(f"no rule for {type(event).__name__}")


def _restored(memory: Memory, at_ms: int, status: Status) -> Memory:
    return replace(
        memory,
        status=status,
        restore_status=None,
        restorable_until_ms=None,
        retired_at_ms=None,
        suppressed_by=memory.suppressed_by if status is Status.SUPPRESSED else None,
        suppressed_from=memory.suppressed_from if status is Status.SUPPRESSED else None,
        superseded_by=None if status is Status.ACTIVE else memory.superseded_by,
        valid_to_ms=None if status is Status.ACTIVE else memory.valid_to_ms,
        updated_at_ms=at_ms,
        version=memory.version + 1,
    )


def _confirmed(memory: Memory, at_ms: int) -> Memory:
    return replace(
        memory,
        status=Status.ACTIVE,
        confidence=1.0,
        rule="confirmed",
        expires_at_ms=None,
        marks=tuple(m for m in memory.marks if m not in ("guess", UNTRUSTED)),
        tier=Tier.SEMANTIC if memory.tier is Tier.WORKING else memory.tier,
        updated_at_ms=at_ms,
        version=memory.version + 1,
    )


def _with_text(memory: Memory, content: str, at_ms: int, reason: str) -> Memory:
    revision = Revision(memory.content, at_ms, reason, memory.version, memory.space, memory.sensitivity)
    return replace(memory, content=content, revisions=(*memory.revisions, revision))


def _edited(memory: Memory, at_ms: int, reason: str, changes: Mapping[str, object]) -> Memory:
    plain = dict(changes)
    if "content" in plain:
        memory = _with_text(memory, str(plain.pop("content")), at_ms, reason)
    for name, kind in _EDITED_TYPES.items():
        if name in plain:
            plain[name] = kind(str(plain[name]))
    for name in ("tags", "marks", "supersedes"):
        if name in plain:
            plain[name] = tuple(str(word) for word in plain[name])  # type: ignore[attr-defined]
    return replace(memory, **plain, updated_at_ms=at_ms, version=memory.version + 1)  # type: ignore[arg-type]


def _put(state: UserState, memory: Memory, model_vector: Float32Array | None = None) -> None:
    """Store a memory and bring its index rows in line with it. `model_vector` is given when a snapshot had one."""
    before = state.memories.get(memory.memory_id)
    same_text = before is not None and before.content == memory.content
    vector = state.vector_of(memory.memory_id) if same_text else model_vector
    on_shelf = state.shelf(memory.memory_id) is not None
    state.memories[memory.memory_id] = memory
    if memory.status is Status.SUPPRESSED:
        if not same_text or memory.memory_id not in state.suppressed:
            state.suppressed[memory.memory_id] = sense_of(memory.content, state.likeness, state.neutral)
    else:
        state.suppressed.pop(memory.memory_id, None)
    state._index(memory, vector)
    state.columns.put(state.slots[memory.memory_id], memory)
    if shelf_of(memory) is not None and not (same_text and on_shelf):
        state.lexical.put(state.slots[memory.memory_id], memory.content)


def restore(state: UserState, memory: Memory, vector: Float32Array | None) -> None:
    """Put a memory into a state that lacks it, with the model's vector if there is one."""
    assert memory.memory_id not in state.memories, "a snapshot holds a memory once"
    _put(state, memory, vector)


def restore_all(
    state: UserState, memories: Sequence[Memory], vectors: Mapping[str, Float32Array], words: LexicalIndex | None
) -> None:
    """Put back what a snapshot held, into a fresh state: its memories in order, the model's vectors by memory id, and
    its keyword index with slots counted from 0. Without one the texts are read again, which takes ten times as long.
    """
    assert not state.memories, "only a fresh state is filled"
    state.ids = [memory.memory_id for memory in memories]
    state.slots = {memory_id: slot for slot, memory_id in enumerate(state.ids)}
    state.memories = dict(zip(state.ids, memories, strict=True))
    assert len(state.slots) == len(memories), "a snapshot holds a memory once"
    state.columns.fill(memories)
    state._fill_shelves(memories, vectors)
    for memory in memories:
        if memory.status is Status.SUPPRESSED:
            state.suppressed[memory.memory_id] = sense_of(memory.content, state.likeness, state.neutral)
    if words is not None and len(words) == len(state._shelves):
        state.lexical = words
        return
    for slot, memory in enumerate(memories):
        if memory.memory_id in state._shelves:
            state.lexical.put(slot, memory.content)


def place_vector(state: UserState, memory_id: str, content: str, vector: Float32Array) -> bool:
    """Put the model's vector in the place of the stand-in. False when the memory changed or went meanwhile."""
    memory = state.memories.get(memory_id)
    shelf = state.shelf(memory_id)
    if memory is None or shelf is None or memory.content != content:
        return False
    state.vectors[shelf].put(state.slots[memory_id], vector)
    state.unembedded.pop(memory_id, None)
    return True


def fold(state: UserState, events: Iterable[Event]) -> UserState:
    """Apply many."""
    for event in events:
        apply(state, event)
    return state


def check_state(state: UserState) -> None:
    """Everything that must hold after every event; tests call it after each step.

    Raises: AssertionError naming what is broken.
    """
    assert set(state.memories) == set(state.slots), "every memory has a slot, and nothing else has"
    on_shelves = 0
    hushed = {memory_id for memory_id, memory in state.memories.items() if memory.status is Status.SUPPRESSED}
    assert set(state.suppressed) == hushed, "exactly the suppressed memories are listed as such"
    for memory_id, memory in state.memories.items():
        assert state.ids[state.slots[memory_id]] == memory_id, "slots and ids are each other's inverse"
        shelf = shelf_of(memory)
        assert state.shelf(memory_id) == shelf, "a memory stands where its status says"
        for name, index in state.vectors.items():
            assert (state.slots[memory_id] in index) == (name == shelf), "a vector stands on one shelf only"
        on_shelves += shelf is not None
        if memory.superseded_by is not None and memory.status is Status.SUPERSEDED:
            assert memory.valid_to_ms is not None, "what was superseded says until when it held"
    assert len(state.lexical) == on_shelves, "keyword rows are exactly the memories on a shelf"
    assert all(state.shelf(memory_id) is not None for memory_id in state.unembedded), (
        "nothing off the shelf waits for a vector"
    )
