"""A second look at what was found: another order, within a time, and never a lost answer."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from actors.host import MemoryHost
from actors.model_client import ModelClient
from actors.model_gate import Done, GateLimits
from actors.model_host import ModelHost, ModelParts
from actors.replies import Reply
from engine.errors import Unavailable
from engine.policy import Policy
from tests.actors.models import LocalCalls
from tests.actors.test_model_gate import PlainLedger
from tests.actors.world import World, ask, write

TEXTS = ("I like oolong tea", "I like green tea", "I like black tea", "My sister likes mint tea")


@dataclass
class ScriptedRanking:
    """Prefers texts that hold a word."""

    word: str = ""
    code: str = ""
    shown: list[list[str]] = field(default_factory=list)
    release: asyncio.Event | None = None
    drops_below: float | None = None

    async def rerank(self, query: str, texts: Sequence[str], seconds: float) -> Done[Sequence[float]]:
        self.shown.append(list(texts))
        if self.release is not None:
            await self.release.wait()
        if self.code:
            raise Unavailable.of("no", code=self.code)
        return Done([1.0 if self.word in text else 0.0 for text in texts], 10)


@pytest.fixture
def ranking() -> ScriptedRanking:
    return ScriptedRanking()


@pytest.fixture
async def host(ranking: ScriptedRanking) -> AsyncIterator[MemoryHost]:
    models = ModelHost(
        ModelParts(
            now_ms=lambda: 0,
            monotonic_ms=lambda: 0.0,
            ledger=PlainLedger(),
            reranker=ranking,
            limits=GateLimits(retries=0),
        )
    )
    await models.ready()
    parts = replace(World(policy=Policy()).parts(), models=ModelClient(LocalCalls(models)), reranks=True)
    host = MemoryHost(replace(parts, rerank_seconds=0.2, rerank_drops=True))
    for text in TEXTS:
        await write(host, "u", text)
    yield host
    await host.stop()


async def search(host: MemoryHost, **more: object) -> Reply:
    return await ask(host, "u", "search", {"query": "which tea", "min_relevance": 0.0, "top_k": 2, **more})


def contents(reply: Reply) -> list[str]:
    return [one["content"] for one in reply["memories"]]  # type: ignore[attr-defined]


async def test_what_the_model_prefers_comes_first_even_from_beyond_the_asked_number(
    host: MemoryHost, ranking: ScriptedRanking
) -> None:
    for word in ("oolong", "green", "black", "mint"):
        ranking.word = word
        found = await search(host)
        assert word in contents(found)[0]
        assert len(contents(found)) == 2
        assert "degraded" not in found
    assert all(len(texts) == 4 for texts in ranking.shown)


async def test_the_parts_still_multiply_out_to_the_score(host: MemoryHost, ranking: ScriptedRanking) -> None:
    ranking.word = "mint"
    for hit in (await search(host))["memories"]:  # type: ignore[attr-defined]
        why = hit["why"]
        score = sum(why[name]["part"] for name in ("semantic", "keyword", "recency", "confidence"))
        for boost in why["boosts"]:
            score *= boost["factor"]
        assert score == pytest.approx(hit["score"], abs=1e-3)
        assert why["boosts"][-1]["name"] == "scale"


@pytest.mark.parametrize("code", ["model_failed", "model_rate_limited", "model_reply"])
async def test_without_the_model_the_first_order_stands_and_the_reply_says_so(
    host: MemoryHost, ranking: ScriptedRanking, code: str
) -> None:
    before = contents(await search(host, rerank="off"))
    assert ranking.shown == []
    ranking.code = code
    found = await search(host)
    assert contents(found) == before
    assert found["degraded"] == ["rerank"]


async def test_a_model_that_hangs_costs_a_search_its_time_and_no_more(
    host: MemoryHost, ranking: ScriptedRanking
) -> None:
    ranking.release = asyncio.Event()
    found = await asyncio.wait_for(search(host), 3.0)
    assert len(contents(found)) == 2
    assert found["degraded"] == ["rerank"]
    ranking.release.set()


async def test_what_is_sensitive_is_not_shown(host: MemoryHost, ranking: ScriptedRanking) -> None:
    await write(host, "u", "I drink tea for my diabetes", sensitivity="sensitive")
    assert "degraded" not in await search(host)
    assert ranking.shown == []


async def test_scores_that_say_nothing_change_nothing(host: MemoryHost, ranking: ScriptedRanking) -> None:
    before = contents(await search(host, rerank="off"))
    ranking.word = "coffee"
    assert contents(await search(host)) == before


async def test_a_wish_that_no_model_can_fulfil_is_said_so() -> None:
    host = World(policy=Policy()).host()
    await write(host, "u", TEXTS[0])
    found = await ask(host, "u", "search", {"query": "which tea", "min_relevance": 0.0, "rerank": "llm"})
    assert found["degraded"] == ["rerank"]
    assert found["memories"]
    await host.stop()


async def test_what_the_model_calls_no_answer_is_dropped_and_counted(
    host: MemoryHost, ranking: ScriptedRanking
) -> None:
    ranking.word, ranking.drops_below = "oolong", 0.3
    found = await search(host, top_k=4)
    assert contents(found) == [TEXTS[0]]
    assert found["withheld"]["below_floor"] == 3  # type: ignore[index]
    assert not found["abstained"]


async def test_a_single_hit_can_be_no_answer_and_the_search_then_abstains(ranking: ScriptedRanking) -> None:
    models = ModelHost(ModelParts(now_ms=lambda: 0, monotonic_ms=lambda: 0.0, ledger=PlainLedger(), reranker=ranking))
    await models.ready()
    parts = replace(World(policy=Policy()).parts(), models=ModelClient(LocalCalls(models)), reranks=True)
    host = MemoryHost(replace(parts, rerank_drops=True))
    await write(host, "u", "我的苹果电脑是去年买的")
    asked = {"query": "苹果好吃吗", "min_relevance": 0.0}
    ranking.word, ranking.drops_below = "吃苹果", 0.3
    found = await ask(host, "u", "search", asked)
    assert found["memories"] == []
    assert found["abstained"]
    assert found["hint"].startswith("没有找到")  # type: ignore[union-attr]
    assert len((await ask(host, "u", "search", {**asked, "rerank": "off"}))["memories"]) == 1  # type: ignore[arg-type]
    ranking.code = "model_failed"
    without = await ask(host, "u", "search", asked)
    assert len(without["memories"]) == 1  # type: ignore[arg-type]
    assert without["degraded"] == ["rerank"]
    await host.stop()
