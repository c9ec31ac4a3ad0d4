"""The model host: asked by bytes, never raising, loading its library once."""

import asyncio
import threading
from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest

from actors.model_client import ModelClient
from actors.model_gate import GateLimits
from actors.model_host import Embed, ModelHost, ModelParts
from actors.ports import QueryVector
from actors.query_cache import ENTRIES_MAX, TTL_MS, QueryCache
from actors.requests import pack, unpack
from engine.errors import InvalidMemory, Unavailable
from tests.actors.models import LocalCalls, ScriptedEmbedder, ScriptedJudge, client_of, model_host
from tests.actors.test_model_gate import PlainLedger


class PlainSpaceFile:
    """What a fit finds out, in RAM."""

    def __init__(self) -> None:
        self.known: Mapping[str, object] | None = None
        self.fits = 0

    def read(self) -> Mapping[str, object] | None:
        return self.known

    def write(self, known: Mapping[str, object]) -> None:
        self.known = known

    async def fit(self, embed: Embed) -> Mapping[str, object] | None:
        self.fits += 1
        rows = await embed(["one", "two"])
        return {"mean": [float(x) for x in rows.mean(axis=0)]}


async def test_an_unknown_operation_and_an_unconfigured_model_are_errors_and_no_crash() -> None:
    client = await client_of(model_host())
    with pytest.raises(InvalidMemory):
        await client.ask("dance", {}, seconds=5.0)
    for op in ("judge", "extract", "embed", "query", "rerank", "dimensions"):
        with pytest.raises(Unavailable) as refused:
            await client.ask(op, {"texts": ["a"], "text": "a", "query": "a", "statement": {}, "known": []}, seconds=5.0)
        assert refused.value.code == "model_missing"


async def test_the_library_is_loaded_once_and_only_when_something_is_asked() -> None:
    loads, release = [0], threading.Event()

    def prepare() -> None:
        loads[0] += 1
        assert release.wait(10)

    host = ModelHost(
        ModelParts(
            now_ms=lambda: 0,
            monotonic_ms=lambda: 0.0,
            ledger=PlainLedger(),
            prepare=prepare,
            judge=ScriptedJudge(),
            embedder=ScriptedEmbedder(),
        )
    )
    client = ModelClient(LocalCalls(host))
    assert loads[0] == 0
    with pytest.raises(Unavailable) as refused:
        await client.ask("query", {"text": "a"}, seconds=5.0)
    assert refused.value.code == "model_starting", "a search does not wait for seconds"
    waits = [asyncio.create_task(client.ask("embed", {"texts": ["a"]}, seconds=5.0)) for _ in range(3)]
    release.set()
    for reply in await asyncio.gather(*waits):
        assert reply["dimensions"] == 8
    await client.ask("query", {"text": "a"}, seconds=5.0)
    assert loads[0] == 1


async def test_a_library_that_is_not_installed_is_said_so_and_looked_for_again() -> None:
    missing = [True]

    def prepare() -> None:
        if missing[0]:
            raise Unavailable.of("litellm is not installed", code="model_missing")

    host = ModelHost(
        ModelParts(
            now_ms=lambda: 0,
            monotonic_ms=lambda: 0.0,
            ledger=PlainLedger(),
            prepare=prepare,
            embedder=ScriptedEmbedder(),
        )
    )
    client = ModelClient(LocalCalls(host))
    with pytest.raises(Unavailable) as refused:
        await client.ask("warm", {}, seconds=5.0)
    assert refused.value.code == "model_missing"
    missing[0] = False
    await client.ask("warm", {}, seconds=5.0)


async def test_vectors_travel_as_bytes() -> None:
    embedder = ScriptedEmbedder()
    client = await client_of(model_host(embedder=embedder))
    reply = await client.ask("embed", {"texts": ["one", "two"]}, seconds=5.0)
    rows = np.frombuffer(cast(bytes, reply["rows"]), np.float32).reshape(2, 8)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
    embedder.useless = frozenset({"odd"})
    with pytest.raises(Unavailable):
        await client.ask("query", {"text": "odd"}, seconds=5.0)


async def test_documents_and_queries_share_a_breaker() -> None:
    embedder = ScriptedEmbedder()
    embedder.code = "model_failed"
    client = await client_of(model_host(embedder=embedder, limits=GateLimits(retries=0, failures_to_open=2)))
    codes = []
    for op, args in (("embed", {"texts": ["a"]}), ("query", {"text": "a"}), ("query", {"text": "a"})):
        with pytest.raises(Unavailable) as refused:
            await client.ask(op, args, seconds=5.0)
        codes.append(refused.value.code)
    assert codes == ["model_failed", "model_failed", "model_paused"]
    stats = await client.ask("stats", {}, seconds=5.0)
    assert cast("Mapping[str, object]", stats["query"])["breaker"] == "open"
    assert cast("Mapping[str, object]", stats["judge"])["breaker"] == "closed"


async def test_a_new_space_is_fitted_once_the_model_answers_and_remembered() -> None:
    file, embedder = PlainSpaceFile(), ScriptedEmbedder()
    host = ModelHost(
        ModelParts(now_ms=lambda: 0, monotonic_ms=lambda: 0.0, ledger=PlainLedger(), embedder=embedder, space_file=file)
    )
    client = await client_of(host)
    embedder.code = "model_failed"
    with pytest.raises(Unavailable):
        await client.ask("embed", {"texts": ["a"]}, seconds=5.0)
    assert file.fits == 0
    embedder.code = ""
    assert (await client.ask("embed", {"texts": ["a"]}, seconds=5.0))["fitted"] is False
    await host.fitted()
    assert (await client.ask("embed", {"texts": ["a"]}, seconds=5.0))["fitted"] is True
    assert await client.ask("space", {}, seconds=5.0) == file.known
    assert file.fits == 1


async def test_a_space_that_no_curve_fits_is_not_fitted_again_and_again() -> None:
    class Unfit(PlainSpaceFile):
        async def fit(self, embed: Embed) -> Mapping[str, object] | None:
            await super().fit(embed)
            return None

    file, now = Unfit(), [0.0]
    host = ModelHost(
        ModelParts(
            now_ms=lambda: 0,
            monotonic_ms=lambda: now[0],
            ledger=PlainLedger(),
            embedder=ScriptedEmbedder(),
            space_file=file,
        )
    )
    client = await client_of(host)
    for _ in range(3):
        assert (await client.ask("embed", {"texts": ["a"]}, seconds=5.0))["fitted"] is False
        await host.fitted()
        now[0] += 1e9
    assert file.fits == 1


async def test_a_client_gives_up_on_a_model_host_that_does_not_answer() -> None:
    judge = ScriptedJudge(release=asyncio.Event())
    client = await client_of(model_host(judge=judge))
    with pytest.raises(Unavailable) as refused:
        await client.ask("judge", {"statement": {}, "known": []}, seconds=0.02)
    assert refused.value.code == "model_timeout"
    with pytest.raises(Unavailable):
        await asyncio.to_thread(client.ask_here, "judge", {"statement": {}, "known": []}, seconds=0.02)
    assert judge.release is not None
    judge.release.set()


async def test_a_reply_is_bytes_whatever_was_asked() -> None:
    host = model_host()
    kind, _ = cast("list[object]", unpack(await host.call(pack(["stats", {}]))))
    assert kind == "ok"


def test_a_cached_query_is_good_for_an_hour_and_for_what_was_known_of_the_space() -> None:
    now = [0.0]
    cache = QueryCache(lambda: now[0])
    vector = QueryVector(np.zeros(3, np.float32), "model", 1.0)
    cache.put("a", vector, fitted=False)
    assert cache.get("a", fitted=False) is vector
    assert cache.get("a", fitted=True) is None
    now[0] = TTL_MS
    assert cache.get("a", fitted=False) is None
    for number in range(2 * ENTRIES_MAX):
        cache.put(str(number), vector, fitted=True)
    assert len(cache) == ENTRIES_MAX
    assert cache.get("0", fitted=True) is None
    assert cache.clear() == ENTRIES_MAX
