"""What filters and ranking need of every memory, as arrays by slot, so that no search walks over memories in Python.

Derived data, kept in step by `engine.state`. A slot that was purged or never used has status -1 and matches nothing.
`before` and `after` chain the memories of one talk in the order they were said: what was said next to a good answer is
often part of the answer. A talk is the conversation that the caller named, else what was said in the same hour.
"""

import bisect
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.memory import Category, Memory, Source, Status, Tier
from engine.turn_signs import turn_signs

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
    ("status", np.int8, -1),
    ("tier", np.int8, -1),
    ("category", np.int8, -1),
    ("source", np.int8, -1),
    ("sensitive", np.int8, 0),
    ("han", np.int8, 0),
    ("personal", np.int8, 0),
    ("asking", np.int8, 0),
    ("confirms", np.int8, 0),
    ("orders", np.int8, 0),
    ("changes", np.int8, 0),
    ("about_talk", np.int8, 0),
    ("space", np.int32, NOBODY),
    ("conversation", np.int32, NOBODY),
    ("talk", np.int32, NOBODY),
    ("task", np.int32, NOBODY),
    ("speaker", np.int32, NOBODY),
    ("subject", np.int32, NOBODY),
    ("before", np.int32, NOBODY),
    ("after", np.int32, NOBODY),
    ("said_at_ms", np.int64, 0),
    ("happened_at_ms", np.int64, 0),
    ("expires_at_ms", np.int64, NEVER_MS),
    ("valid_from_ms", np.int64, 0),
    ("known_from_ms", np.int64, 0),
    ("ended_at_ms", np.int64, NEVER_MS),
    ("confidence", np.float32, 0),
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
    confirms: npt.NDArray[np.int8]
    orders: npt.NDArray[np.int8]
    changes: npt.NDArray[np.int8]
    about_talk: npt.NDArray[np.int8]
    space: npt.NDArray[np.int32]
    conversation: npt.NDArray[np.int32]
    talk: npt.NDArray[np.int32]
    task: npt.NDArray[np.int32]
    speaker: npt.NDArray[np.int32]
    subject: npt.NDArray[np.int32]
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
        self.spaces, self.conversations, self.talks, self.tasks = (Names() for _ in range(4))
        self.speakers, self.subjects = Names(), Names()
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
        talk = self.talks.code(_talk_of(memory))
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
        self.subject[slot] = self.subjects.code(memory.subject)
        self.confidence[slot] = memory.confidence
        self.wording[slot] = _wording_of(memory.content)
        self.han[slot] = has_han(memory.content)
        self.personal[slot] = _PERSONAL.search(memory.content) is not None
        self.asking[slot] = _asks(memory.content)
        signs = turn_signs(memory.content)
        self.confirms[slot], self.orders[slot] = signs.confirms, signs.orders
        self.changes[slot], self.about_talk[slot] = signs.changes, signs.about_talk
        self.happened_at_ms[slot] = memory.happened_at_ms
        self.expires_at_ms[slot] = NEVER_MS if memory.expires_at_ms is None else memory.expires_at_ms
        self.valid_from_ms[slot] = memory.valid_from_ms
        self.known_from_ms[slot] = memory.known_from_ms
        self.ended_at_ms[slot] = _ended_at_ms(memory)

    def fill(self, memories: Sequence[Memory]) -> None:
        """Hold memories under the slots 0, 1, 2 ... of fresh columns: as `put` for each, a fifth of the time."""
        assert self._length == 0, "only fresh columns are filled"
        count = len(memories)
        self._grow(max(16, count))
        self._length = count
        self.version += 1
        names = {
            "space": self.spaces,
            "conversation": self.conversations,
            "task": self.tasks,
            "speaker": self.speakers,
            "subject": self.subjects,
            "talk": self.talks,
        }
        for field, values in _columns_of(memories).items():
            coded = [names[field].code(str(value)) for value in values] if field in names else values
            getattr(self, field)[:count] = coded
        self._chain_all()

    def _chain_all(self) -> None:
        """Chain every talk in the order it was said."""
        count = self._length
        order = np.lexsort((np.arange(count), self.said_at_ms[:count], self.talk[:count]))
        same = self.talk[order[1:]] == self.talk[order[:-1]]
        first, second = order[:-1][same], order[1:][same]
        self.after[first], self.before[second] = second, first
        talks, said = self.talk[order].tolist(), self.said_at_ms[order].tolist()
        for talk, said_at_ms, slot in zip(talks, said, order.tolist(), strict=True):
            self._turns.setdefault(talk, []).append((said_at_ms, slot))

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


def _columns_of(memories: Sequence[Memory]) -> dict[str, list[object]]:
    """What `Columns.put` writes, field by field, with names still as text."""
    texts = [one.content for one in memories]
    signs = [turn_signs(text) for text in texts]
    return {
        "status": [_STATUS_CODE[one.status] for one in memories],
        "tier": [_TIER_CODE[one.tier] for one in memories],
        "category": [_CATEGORY_CODE[one.category] for one in memories],
        "source": [_SOURCE_CODE[one.source] for one in memories],
        "sensitive": [one.sensitivity.value == "sensitive" for one in memories],
        "space": [one.space for one in memories],
        "conversation": [one.conversation for one in memories],
        "task": [one.task for one in memories],
        "speaker": [speaker_of(text) for text in texts],
        "subject": [one.subject for one in memories],
        "talk": [_talk_of(one) for one in memories],
        "confidence": [one.confidence for one in memories],
        "wording": [_wording_of(text) for text in texts],
        "han": [has_han(text) for text in texts],
        "personal": [_PERSONAL.search(text) is not None for text in texts],
        "asking": [_asks(text) for text in texts],
        "confirms": [one.confirms for one in signs],
        "orders": [one.orders for one in signs],
        "changes": [one.changes for one in signs],
        "about_talk": [one.about_talk for one in signs],
        "said_at_ms": [one.said_at_ms for one in memories],
        "happened_at_ms": [one.happened_at_ms for one in memories],
        "expires_at_ms": [NEVER_MS if one.expires_at_ms is None else one.expires_at_ms for one in memories],
        "valid_from_ms": [one.valid_from_ms for one in memories],
        "known_from_ms": [one.known_from_ms for one in memories],
        "ended_at_ms": [_ended_at_ms(one) for one in memories],
    }


def has_han(text: str) -> bool:
    """Whether a text is (also) written in Chinese characters."""
    return not text.isascii() and _HAN.search(text) is not None


def _wording_of(content: str) -> int:
    """Equal for texts that differ in case, spaces and stops only. Compared within one process, so salted is fine."""
    return hash(" ".join(content.lower().split()).rstrip(".!。！~ "))


def _asks(content: str) -> bool:
    return content.rstrip(" \"'”’)").endswith(("?", "？"))


def _ended_at_ms(memory: Memory) -> int:
    return NEVER_MS if memory.ended_at_ms is None else memory.ended_at_ms


def _talk_of(memory: Memory) -> str:
    """The conversation that the caller named, else the hour."""
    return memory.conversation or _hour_of(memory)


def _hour_of(memory: Memory) -> str:
    """The talk of a memory that names none. A control character keeps it apart from every name a caller can give."""
    return f"\0{memory.said_at_ms // _HOUR_MS}"


def speaker_of(content: str) -> str:
    """The name in front of a turn ("Caroline: I went ..."), lower-cased, or an empty string."""
    found = _SPEAKER.match(content)
    return found[1].lower() if found else ""
