"""A model host in this process, with models that a test scripts."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np

from actors.model_client import ModelClient
from actors.model_gate import Done, GateLimits
from actors.model_host import ModelHost, ModelParts, ModelTimes
from engine.errors import Unavailable
from engine.memory import Float32Array
from tests.actors.test_model_gate import PlainLedger
from tests.actors.world import hashed


class LocalCalls:
    """Implements `ModelCalls` on the test's own loop."""

    def __init__(self, host: ModelHost) -> None:
        self._host = host
        self._loop = asyncio.get_running_loop()
        self.lost = False

    def submit(self, request: bytes) -> "Future[bytes]":
        if self.lost:
            raise Unavailable.of("the model host is gone", code="model_host_lost")
        return asyncio.run_coroutine_threadsafe(self._host.call(request), self._loop)


@dataclass
class ScriptedJudge:
    """Answers with `importance` and `relations`; fails with `code` while there is one."""

    importance: int = 8
    relations: Mapping[str, str] = field(default_factory=dict)  # text of a known memory -> relation
    statements: tuple[Mapping[str, object], ...] = ({"text": "The user lives in Lyon.", "turn": 0, "importance": 9},)
    talks: list[Mapping[str, object]] = field(default_factory=list)
    code: str = ""
    asked: list[Mapping[str, object]] = field(default_factory=list)
    release: asyncio.Event | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def judge(self, args: Mapping[str, object], seconds: float) -> Done[Mapping[str, object]]:
        self.asked.append(args)
        self.begun.set()
        if self.release is not None:
            await self.release.wait()
        if self.code:
            raise Unavailable.of("no", code=self.code)
        known = args["known"]
        assert isinstance(known, list)
        rows = [{"memory": n, "relation": self.relations[t]} for n, t in enumerate(known) if t in self.relations]
        return Done({"importance": self.importance, "relations": rows}, 10)

    async def extract(self, args: Mapping[str, object], seconds: float) -> Done[Mapping[str, object]]:
        self.talks.append(args)
        if self.code:
            raise Unavailable.of("no", code=self.code)
        return Done({"statements": [dict(one) for one in self.statements]}, 10)

    @property
    def texts(self) -> list[str]:
        statements = [args["statement"] for args in self.asked]
        return [str(one["text"]) for one in statements if isinstance(one, dict)]


class ScriptedEmbedder:
    """Vectors by hash, of any dimension of `tests.actors.world`."""

    def __init__(self) -> None:
        self.code = ""
        self.useless: frozenset[str] = frozenset()
        self.calls: list[list[str]] = []

    async def embed(self, texts: Sequence[str], seconds: float) -> Done[Float32Array]:
        self.calls.append(list(texts))
        if self.code:
            raise Unavailable.of("no", code=self.code)
        rows = np.array([hashed(text, "remote") for text in texts], np.float32)
        rows[[text in self.useless for text in texts]] = np.nan
        return Done(rows, len(texts))

    async def dimensions(self, seconds: float) -> int:
        return 8


def model_host(
    *,
    judge: ScriptedJudge | None = None,
    embedder: ScriptedEmbedder | None = None,
    limits: GateLimits | None = None,
    judge_ms: int = 5_000,
) -> ModelHost:
    """One whose clock stands still."""
    return ModelHost(
        ModelParts(
            now_ms=lambda: 0,
            monotonic_ms=lambda: 0.0,
            ledger=PlainLedger(),
            judge=judge,
            embedder=embedder,
            limits=limits or GateLimits(retries=0),
            times=ModelTimes(judge_ms=judge_ms),
        )
    )


async def client_of(host: ModelHost) -> ModelClient:
    """A client of a host whose library is loaded."""
    await host.ready()
    return ModelClient(LocalCalls(host))
