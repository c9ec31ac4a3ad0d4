"""What filters and ranking need of every memory, as arrays by slot, so that no search walks over memories in Python.

Derived data, kept in step by `engine.state`. A slot that was purged or never used has status -1 and matches nothing.
`before` and `after` chain the memories of one talk in the order they were said: what was said next to a good answer is
often part of the answer. A talk is the conversation that the caller named, else what was said in the same hour.
"""

import bisect
import re

import numpy as np
import numpy.typing as npt

from engine.memory import Category, Memory, Source, Status, Tier

BoolArray = npt.NDArray[np.bool_]
NEVER_MS = np.iinfo(np.int64).max
NOBODY = -1

TIERS = tuple(Tier)
CATEGORIES = tuple(Category)
SOURCES = tuple(Source)
STATUSES = tuple(Status)
_TIER_CODE = {tier: code for code, tier in enumerate(TIERS)}
_CATEGORY_CODE = {category: code for code, category in enumerate(CATEGORIES)}
_SOURCE_CODE = {source: code for code, source in enumerate(SOURCES)}
_STATUS_CODE = {status: code for code, status in enumerate(STATUSES)}
_HOUR_MS = 3_600_000
_HAN = re.compile("[\u3400-\u9fff]")
_PERSONAL = re.compile(r"\b(?:i|my|me|mine|i'm|i've|i'd|we|our)\b|[我咱俺]", re.IGNORECASE)
_SPEAKER = re.compile(r"\s*([^\W\d_][\w .'’-]{0,30}?)\s*[:：]\s")

_FIELDS: tuple[tuple[str, type, int], ...] = (
    ("status", np.int8, -1), ("tier", np.int8, -1), ("category", np.int8, -1), ("source", np.int8, -1),
    ("sensitive", np.int8, 0), ("han", np.int8, 0), ("personal", np.int8, 0),
    ("asking", np.int8, 0), ("space", np.int32, NOBODY), ("conversation", np.int32, NOBODY), ("talk", np.int32, NOBODY),
    ("task", np.int32, NOBODY), ("speaker", np.int32, NOBODY), ("before", np.int32, NOBODY),
    ("after", np.int32, NOBODY), ("said_at_ms", np.int64, 0), ("happened_at_ms", np.int64, 0),
    ("expires_at_ms", np.int64, NEVER_MS), ("valid_from_ms", np.int64, 0), ("known_from_ms", np.int64, 0),
    ("ended_at_ms", np.int64, NEVER_MS), ("confidence", np.float32, 0),
    ("wording", np.int64, 0),
)


class Names:
    """Strings of one user as small integers; 0 is the first name met."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """The number of a name, new when it was not met before; NOBODY for an empty one."""
        return self.codes.setdefault(name, len(self.codes)) if name else NOBODY

    def known(self, name: str) -> int:
        """The number of a name, or one that no memory has."""
        return self.codes.get(name, NOBODY - 1)


class Columns:
    """Arrays by slot, each of shape (slots,). They grow by doubling, so read them through `[: len(columns)]`."""

    status: npt.NDArray[np.int8]
    tier: npt.NDArray[np.int8]
    category: npt.NDArray[np.int8]
    source: npt.NDArray[np.int8]
    sensitive: npt.NDArray[np.int8]
    han: npt.NDArray[np.int8]
    personal: npt.NDArray[np.int8]
    asking: npt.NDArray[np.int8]
    space: npt.NDArray[np.int32]
    conversation: npt.NDArray[np.int32]
    talk: npt.NDArray[np.int32]
    task: npt.NDArray[np.int32]
    speaker: npt.NDArray[np.int32]
    before: npt.NDArray[np.int32]
    after: npt.NDArray[np.int32]
    said_at_ms: npt.NDArray[np.int64]
    happened_at_ms: npt.NDArray[np.int64]
    expires_at_ms: npt.NDArray[np.int64]
    valid_from_ms: npt.NDArray[np.int64]
    known_from_ms: npt.NDArray[np.int64]
    ended_at_ms: npt.NDArray[np.int64]
    confidence: npt.NDArray[np.float32]
    wording: npt.NDArray[np.int64]

    def __init__(self) -> None:
        self._length = 0
        self._capacity = 0
        self.version = 0  # Counts changes, so that what was worked out from these arrays can be kept until the next.
        self.kept: object = None  # The scope of a search without filters; `engine.filters` keeps and checks it.
        self.spaces, self.conversations, self.talks, self.tasks, self.speakers = (Names() for _ in range(5))
        self._turns: dict[int, list[tuple[int, int]]] = {}  # talk -> (said_at_ms, slot), sorted
        self._grow(16)

    def __len__(self) -> int:
        return self._length

    def _grow(self, capacity: int) -> None:
        for name, kind, empty in _FIELDS:
            grown: npt.NDArray[np.generic] = np.full(capacity, empty, dtype=kind)
            if self._capacity:
                grown[: self._capacity] = getattr(self, name)
            setattr(self, name, grown)
        self._capacity = capacity

    def put(self, slot: int, memory: Memory) -> None:
        """Bring one slot in line with its memory."""
        if slot >= self._capacity:
            self._grow(max(2 * self._capacity, slot + 1))
        self._length = max(self._length, slot + 1)
        self.version += 1
        talk = self.talks.code(memory.conversation or _hour_of(memory))
        if self.status[slot] < 0 or (self.talk[slot], self.said_at_ms[slot]) != (talk, memory.said_at_ms):
            self._unchain(slot)
            self.talk[slot], self.said_at_ms[slot] = talk, memory.said_at_ms
            self._chain(slot)
        self.status[slot] = _STATUS_CODE[memory.status]
        self.tier[slot] = _TIER_CODE[memory.tier]
        self.category[slot] = _CATEGORY_CODE[memory.category]
        self.source[slot] = _SOURCE_CODE[memory.source]
        self.sensitive[slot] = memory.sensitivity.value == "sensitive"
        self.space[slot] = self.spaces.code(memory.space)
        self.conversation[slot] = self.conversations.code(memory.conversation)
        self.task[slot] = self.tasks.code(memory.task)
        self.speaker[slot] = self.speakers.code(speaker_of(memory.content))
        self.confidence[slot] = memory.confidence
        # Only ever compared within this process, so a salted hash will do.
        self.wording[slot] = hash(" ".join(memory.content.lower().split()).rstrip(".!。！~ "))
        self.han[slot] = has_han(memory.content)
        self.personal[slot] = _PERSONAL.search(memory.content) is not None
        self.asking[slot] = memory.content.rstrip(" \"'”’)").endswith(("?", "？"))
        self._put_times(slot, memory)

    def _put_times(self, slot: int, memory: Memory) -> None:
        self.happened_at_ms[slot] = memory.happened_at_ms
        self.expires_at_ms[slot] = NEVER_MS if memory.expires_at_ms is None else memory.expires_at_ms
        self.valid_from_ms[slot] = memory.valid_from_ms
        # What was handed over later (an import, a back-filled talk) counts as known from when it was said.
        self.known_from_ms[slot] = min(memory.created_at_ms, memory.said_at_ms)
        ended = memory.valid_to_ms if memory.valid_to_ms is not None else memory.retired_at_ms
        self.ended_at_ms[slot] = NEVER_MS if ended is None else ended

    def drop(self, slot: int) -> None:
        """Forget a purged memory's slot."""
        self.version += 1
        self._unchain(slot)
        for name, _, empty in _FIELDS:
            getattr(self, name)[slot] = empty

    def _chain(self, slot: int) -> None:
        turns = self._turns.setdefault(int(self.talk[slot]), [])
        key = (int(self.said_at_ms[slot]), slot)
        place = bisect.bisect_left(turns, key)
        turns.insert(place, key)
        before = turns[place - 1][1] if place else NOBODY
        after = turns[place + 1][1] if place + 1 < len(turns) else NOBODY
        self._link(before, slot)
        self._link(slot, after)

    def _unchain(self, slot: int) -> None:
        turns = self._turns.get(int(self.talk[slot]))
        if turns is None:
            return
        key = (int(self.said_at_ms[slot]), slot)
        place = bisect.bisect_left(turns, key)
        if place == len(turns) or turns[place] != key:
            return
        del turns[place]
        self._link(int(self.before[slot]), int(self.after[slot]))
        self.before[slot] = self.after[slot] = NOBODY

    def _link(self, first: int, second: int) -> None:
        if first != NOBODY:
            self.after[first] = second
        if second != NOBODY:
            self.before[second] = first


def has_han(text: str) -> bool:
    """Whether a text is (also) written in Chinese characters."""
    return _HAN.search(text) is not None


def _hour_of(memory: Memory) -> str:
    """The talk of a memory that names none. A control character keeps it apart from every name a caller can give."""
    return f"\0{memory.said_at_ms // _HOUR_MS}"


def speaker_of(content: str) -> str:
    """The name in front of a turn ("Caroline: I went ..."), lower-cased, or an empty string."""
    found = _SPEAKER.match(content)
    return found[1].lower() if found else ""
