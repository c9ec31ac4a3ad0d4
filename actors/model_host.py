"""The one place that talks to remote models: a plain class, asked by bytes; `actors.ray_runtime` gives it a process.

The library behind it costs 200 MB and seconds to import, so there is one per cluster, started only when a model is
configured, and never in the HTTP process or a memory host. It keeps nothing but the day's spending: when it dies, Ray
starts it again, and callers have long gone on without it.

A request is a msgpack list `[op, args]`; a reply is `["ok", value]` or `["error", [class name, text]]`.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

import numpy as np

from actors.model_gate import Breaker, Done, Gate, GateLimits, Ledger, Spend
from actors.requests import error_value, pack, unpack
from engine.errors import InvalidMemory, RearviewError, Unavailable
from engine.memory import Float32Array

Model = TypeVar("Model")
Value = TypeVar("Value")
Embed = Callable[[Sequence[str]], Awaitable[Float32Array]]
_log = logging.getLogger("rearview.models")
OTHER = "other"
"""The op that passes a request on to another embedder than that of the settings: `embedder` and `request`."""
FIT_AGAIN_MS = 60_000
# A write or a search goes on without the model while the library loads, which takes longer than either would wait.
SOMEBODY_WAITS = frozenset({"judge", "query", "rerank"})
# Purposes of one model share its breaker and its spending; each has places of its own, so that no query waits for a
# batch of documents.
PURPOSES = {"judge": ("judge", "extract"), "embedder": ("embed", "query"), "reranker": ("rerank",)}


class JudgeModel(Protocol):
    """Says what a statement is worth. Every method is one call of the model, within `seconds`.

    Raises: Unavailable with a code that starts with `model_`.
    """

    async def judge(self, args: Mapping[str, object], seconds: float) -> Done[Mapping[str, object]]: ...

    async def extract(self, args: Mapping[str, object], seconds: float) -> Done[Mapping[str, object]]: ...


class EmbeddingModel(Protocol):
    """Texts to vectors. Raises: as `JudgeModel`."""

    async def embed(self, texts: Sequence[str], seconds: float) -> Done[Float32Array]:
        """Shapes: n texts -> (n, dimensions) of unit norm; a row is NaN where the model gave no usable vector."""
        ...

    async def dimensions(self, seconds: float) -> int:
        """How many the model gives, whatever is in them."""
        ...


class RankingModel(Protocol):
    """How well texts answer a query. Raises: as `JudgeModel`.

    `drops_below` is the score below which a text is no answer; None where scores only tell an order.
    """

    @property
    def drops_below(self) -> float | None: ...

    async def rerank(self, query: str, texts: Sequence[str], seconds: float) -> Done[Sequence[float]]: ...


class SpaceFile(Protocol):
    """What is known of the embedder's space: dimension, mean vector, relevance curve."""

    def read(self) -> Mapping[str, object] | None:
        """What a fit found out earlier."""
        ...

    def write(self, known: Mapping[str, object]) -> None: ...

    async def fit(self, embed: Embed) -> Mapping[str, object] | None:
        """Find them out; None when this model's vectors tell nothing apart."""
        ...


@dataclass(frozen=True, slots=True)
class ModelTimes:
    """The longest that each purpose may take, queue and repeats included."""

    judge_ms: int = 4_000
    extract_ms: int = 8_000
    embed_ms: int = 30_000
    query_ms: int = 2_000
    rerank_ms: int = 1_500


@dataclass(frozen=True, kw_only=True)
class ModelParts:
    """Everything a model host uses. A model that is not configured is None. `prepare` is called once, in a thread."""

    now_ms: Callable[[], int]
    monotonic_ms: Callable[[], float]
    ledger: Ledger
    prepare: Callable[[], None] = lambda: None
    judge: JudgeModel | None = None
    embedder: EmbeddingModel | None = None
    reranker: RankingModel | None = None
    space_file: SpaceFile | None = None
    limits: GateLimits = field(default_factory=GateLimits)
    times: ModelTimes = field(default_factory=ModelTimes)
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep
    other: "Callable[[Mapping[str, object]], ModelParts] | None" = None  # The same for another embedder alone.


class ModelHost:
    """Remote models behind their gates."""

    def __init__(self, parts: ModelParts) -> None:
        self._parts = parts
        self._gates: dict[str, Gate] = {}
        for model, purposes in PURPOSES.items():
            breaker = Breaker(parts.limits, parts.monotonic_ms)
            spend = Spend(model, parts.limits, parts.ledger, parts.now_ms)
            for purpose in purposes:
                self._gates[purpose] = Gate(parts.limits, breaker, spend, parts.pause)
        self._others: dict[bytes, ModelHost] = {}
        self._prepared: asyncio.Task[None] | None = None
        self._fitting: asyncio.Task[None] | None = None
        self._fit_again_ms = 0.0
        self._known: Mapping[str, object] | None = None if parts.space_file is None else parts.space_file.read()
        self._ops: dict[str, Callable[[Mapping[str, object]], Awaitable[object]]] = {
            "judge": self._judge,
            "extract": self._extract,
            "embed": self._embed,
            "query": self._query,
            "rerank": self._rerank,
            "space": self._space,
            "dimensions": self._dimensions,
            "stats": self._stats,
            "warm": self._warm,
        }

    async def call(self, request: bytes) -> bytes:
        """Answer one request. Never raises for what the request or a model does."""
        op, args = cast("list[object]", unpack(request))
        if op == OTHER:
            return await self._pass_on(cast("Mapping[str, object]", args))
        try:
            work = self._ops.get(str(op))
            if work is None:
                raise InvalidMemory.of("there is no such operation", code="unknown_operation", field="op")
            return pack(["ok", await work(cast("Mapping[str, object]", args))])
        except RearviewError as error:
            return pack(["error", error_value(error)])

    async def ready(self) -> None:
        """Have the library in memory. Raises: Unavailable when it is not installed."""
        await asyncio.shield(self._prepare())

    def _prepare(self) -> "asyncio.Task[None]":
        if self._prepared is None or (self._prepared.done() and self._prepared.exception() is not None):
            self._prepared = asyncio.get_running_loop().create_task(asyncio.to_thread(self._parts.prepare))
        return self._prepared

    async def close(self) -> None:
        """End what runs beside the calls."""
        for task in (self._fitting, self._prepared):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _warm(self, args: Mapping[str, object]) -> object:
        await self.ready()
        return {}

    async def _judge(self, args: Mapping[str, object]) -> object:
        model, seconds = _configured(self._parts.judge), self._parts.times.judge_ms / 1000
        return await self._through("judge", lambda: model.judge(args, seconds), self._parts.times.judge_ms)

    async def _extract(self, args: Mapping[str, object]) -> object:
        model, seconds = _configured(self._parts.judge), self._parts.times.extract_ms / 1000
        return await self._through("extract", lambda: model.extract(args, seconds), self._parts.times.extract_ms)

    async def _rerank(self, args: Mapping[str, object]) -> object:
        model, seconds = _configured(self._parts.reranker), self._parts.times.rerank_ms / 1000
        query, texts = str(args["query"]), [str(text) for text in cast("list[object]", args["texts"])]
        work = self._through("rerank", lambda: model.rerank(query, texts, seconds), self._parts.times.rerank_ms)
        return {"scores": list(await work), "drops_below": model.drops_below}

    async def _embed(self, args: Mapping[str, object]) -> object:
        rows = await self._vectors("embed", [str(text) for text in cast("list[object]", args["texts"])])
        return self._vectors_reply(rows)

    async def _query(self, args: Mapping[str, object]) -> object:
        rows = await self._vectors("query", [str(args["text"])])
        if not np.isfinite(rows).all():
            raise Unavailable.of("the model gave no usable vector", code="model_reply")
        return self._vectors_reply(rows)

    def _vectors_reply(self, rows: Float32Array) -> object:
        self._fit_beside()
        return {"rows": rows.tobytes(), "dimensions": int(rows.shape[1]), "fitted": self._known is not None}

    async def _pass_on(self, args: Mapping[str, object]) -> bytes:
        """A request about another embedder, which has gates and a space file of its own."""
        embedder, make = cast("Mapping[str, object]", args["embedder"]), self._parts.other
        name = pack(embedder)
        try:
            if name not in self._others:
                if make is None:
                    raise Unavailable.of("no other model is configured", code="model_missing")
                self._others[name] = ModelHost(make(embedder))
        except OSError:
            return pack(["error", error_value(Unavailable.of("the file of the model's key cannot be read"))])
        except RearviewError as error:
            return pack(["error", error_value(error)])
        return await self._others[name].call(cast(bytes, args["request"]))

    async def _vectors(self, purpose: str, texts: Sequence[str]) -> Float32Array:
        model, times = _configured(self._parts.embedder), self._parts.times
        within_ms = times.embed_ms if purpose == "embed" else times.query_ms
        return await self._through(purpose, lambda: model.embed(texts, within_ms / 1000), within_ms)

    async def _through(self, purpose: str, work: Callable[[], Awaitable[Done[Value]]], within_ms: int) -> Value:
        if purpose in SOMEBODY_WAITS and not self._is_ready():
            raise Unavailable.of("the model's library is still being loaded", code="model_starting")
        await self.ready()
        return await self._gates[purpose].run(work, within_ms=within_ms)

    def _is_ready(self) -> bool:
        """Whether the library is in memory; starts to load it where nobody has."""
        if self._prepared is None:
            self._prepare()
        task = self._prepared
        return task is not None and task.done() and not task.cancelled() and task.exception() is None

    def _fit_beside(self) -> None:
        """Find out mean and curves of a space that is new, once the model answers; again later when that fails."""
        file, now_ms = self._parts.space_file, self._parts.monotonic_ms()
        busy = self._fitting is not None and not self._fitting.done()
        if self._known is None and file is not None and not busy and now_ms >= self._fit_again_ms:
            self._fit_again_ms = now_ms + FIT_AGAIN_MS
            self._fitting = asyncio.get_running_loop().create_task(self._fit(file))

    async def _fit(self, file: SpaceFile) -> None:
        try:
            known = await file.fit(lambda texts: self._vectors("embed", texts))
            if known is None:
                self._fit_again_ms = math.inf  # Asking the same model again would cost the same and end the same.
                _log.warning("the embedder's vectors tell answers from other texts too badly for a curve of their own")
                return
            file.write(known)
            self._known = known
        except (RearviewError, OSError) as error:
            _log.warning("the embedder's relevance curves are not fitted yet: %s", type(error).__name__)

    async def fitted(self) -> None:
        """Wait for a fit under way."""
        if self._fitting is not None:
            await asyncio.wait([self._fitting])

    async def _space(self, args: Mapping[str, object]) -> object:
        return dict(self._known or {})

    async def _dimensions(self, args: Mapping[str, object]) -> object:
        """Asked once, before anything is stored, so it passes no gate."""
        await self.ready()
        return {"dimensions": await _configured(self._parts.embedder).dimensions(self._parts.times.embed_ms / 1000)}

    async def _stats(self, args: Mapping[str, object]) -> object:
        return {
            purpose: {
                "attempts": gate.counts.attempts,
                "ok": gate.counts.ok,
                "failed": dict(gate.counts.failed),
                "breaker": gate.breaker.state,
                "opened": gate.breaker.opened,
                "calls_today": gate.spend.calls,
                "tokens_today": gate.spend.tokens,
            }
            for purpose, gate in self._gates.items()
        }


def _configured(model: Model | None) -> Model:
    if model is None:
        raise Unavailable.of("no such model is configured", code="model_missing")
    return model
