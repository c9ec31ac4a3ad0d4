"""A small world for actors: plain stores, a clock that tests move, an embedder that costs nothing."""

import asyncio
import hashlib
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from actors.host import MemoryHost
from actors.parts import HostLimits, HostParts
from actors.ports import QueryVector
from actors.replies import Reply
from actors.requests import Request, pack_requests, raised, unpack_answers
from engine.calibration import Calibration
from engine.memory import Float32Array
from engine.policy import Policy, WritePolicy
from engine.spaces import CALIBRATION_KEYS, EmbeddingSpace
from engine.state import UserState, check_state, fold
from persistence.codec import decode_events
from persistence.plain_journal import PlainJournal, PlainRewrites, PlainSchedule
from persistence.plain_snapshots import PlainSnapshots
from persistence.recovery import Recover
from persistence.user_keys import PlainUserKeys

DIMENSIONS = 8
START_MS = 1_700_000_000_000
SPACE = EmbeddingSpace(
    "test-space",
    DIMENSIONS,
    np.zeros(DIMENSIONS, np.float32),
    {key: Calibration((-1.0, 1.0), (0.0, 1.0)) for key in CALIBRATION_KEYS},
)

# Actors are tested with a write gate that lets statements through; what is worth keeping is tested in tests/engine.
KEEPS_ALL = Policy(write=WritePolicy(threshold=0.0))


def hashed(text: str, salt: str) -> Float32Array:
    """A unit vector that depends on nothing but the text."""
    digest = hashlib.sha256((salt + text).encode("utf-8", "surrogatepass")).digest()
    vector = np.frombuffer(digest[: DIMENSIONS * 2], np.int16).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))


class PlainStatic:
    def encode(self, text: str) -> QueryVector:
        return QueryVector(hashed(text, "query"), "static", 1.0)

    def stand_in(self, text: str) -> Float32Array:
        return hashed(text, "stand-in")


class PlainEmbedder:
    """Vectors by hash. `gate` holds it back, `broken` makes it fail."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.broken = False
        self.called = threading.Event()
        self.failed_often = threading.Event()
        self.calls: list[list[str]] = []

    @property
    def space(self) -> EmbeddingSpace:
        return SPACE

    def passages(self, texts: Sequence[str]) -> Float32Array:
        self.calls.append(list(texts))
        self.called.set()
        assert self.gate.wait(10)
        if self.broken:
            if len(self.calls) >= 3:
                self.failed_often.set()
            raise RuntimeError("no model today")
        return np.array([hashed(text, "model") for text in texts], np.float32)

    def query(self, text: str) -> Float32Array:
        if self.broken:
            raise RuntimeError("no model today")
        return hashed(text, "model-query")


@dataclass
class World:
    """Stores that outlive hosts, and the clock they share."""

    journal: PlainJournal = field(default_factory=PlainJournal)
    snapshots: PlainSnapshots = field(default_factory=PlainSnapshots)
    schedule: PlainSchedule = field(default_factory=PlainSchedule)
    rewrites: PlainRewrites = field(default_factory=PlainRewrites)
    keys: PlainUserKeys = field(default_factory=PlainUserKeys)
    embedder: PlainEmbedder = field(default_factory=PlainEmbedder)
    limits: HostLimits = field(default_factory=lambda: HostLimits(patience_ms=5_000, embed_retry_ms=1, embed_at_once=8))
    policy: Policy = KEEPS_ALL
    now_ms: int = START_MS
    steady_ms: int = 0
    ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    query_encoder: str = "static"

    def parts(self, name: str = "") -> HostParts:
        return HostParts(
            journal=self.journal,
            snapshots=self.snapshots,
            recovery=Recover(self.journal, self.snapshots),
            schedule=self.schedule,
            rewrites=self.rewrites,
            keys=self.keys,
            embedder=lambda: self.embedder,
            static=PlainStatic(),
            space=SPACE,
            now_ms=lambda: self.now_ms,
            monotonic_ms=lambda: float(self.steady_ms),
            new_id=lambda: f"id-{next(self.ids)}",
            policy=self.policy,
            limits=self.limits,
            query_encoder=self.query_encoder,
        )

    def pass_time(self, ms: int) -> None:
        """Both clocks go on."""
        self.now_ms += ms
        self.steady_ms += ms

    def host(self, **limits: int) -> MemoryHost:
        """A host whose background work does not run unless a test starts it."""
        self.limits = replace(self.limits, **limits)
        return MemoryHost(self.parts())

    def folded(self, user_id: str) -> UserState:
        """What the journal alone says, for a user whose journal was never trimmed."""
        state = UserState(user_id, dimensions=DIMENSIONS, stand_in=PlainStatic().stand_in)
        for entry in self.journal.entries(user_id):
            fold(state, decode_events(entry.body))
        check_state(state)
        return state


_numbers = itertools.count(1)


async def ask(
    host: MemoryHost, user_id: str, op: str, args: dict[str, object] | None = None, *, key: str = "", min_seq: int = 0
) -> Reply:
    """One request through the bytes, as a caller sends it."""
    request = Request(next(_numbers), user_id, op, args or {}, key, min_seq, "")
    (answer,) = unpack_answers(await host.call(pack_requests([request])))
    if answer.kind == "error":
        raise raised(answer.value)
    assert answer.kind == "ok", "a test that wants parked replies says so"
    assert isinstance(answer.value, dict)
    return answer.value


async def write(host: MemoryHost, user_id: str, content: str, *, key: str = "", **more: object) -> Reply:
    return await ask(host, user_id, "write", {"content": content, "tier": "semantic", **more}, key=key)


def memory_id(reply: Reply) -> str:
    memory = reply["memory"]
    assert isinstance(memory, dict)
    return str(memory["id"])


async def settle(host: MemoryHost) -> None:
    """Let work beside the calls come to its end."""
    while host._beside:
        await asyncio.wait(set(host._beside))
