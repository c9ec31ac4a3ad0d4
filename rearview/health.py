"""How the service is, for the console: hosts, store, models, and how long operations take. Never anybody's text."""

from collections.abc import Mapping
from typing import cast

from prometheus_client import CollectorRegistry

from actors.model_client import ModelClient
from actors.ray_runtime import RayRuntime
from engine.errors import RearviewError
from persistence.redis_journal import RedisJournal
from rearview.settings import BUNDLED, Settings

MODEL_SECONDS_MAX = 1.0
LATENCY = "rearview_operation_ms"


async def health_of(
    settings: Settings, ray: RayRuntime, journal: RedisJournal, registry: CollectorRegistry
) -> Mapping[str, object]:
    """What the page shows. A part that does not answer says so; nothing here raises for it."""
    return {
        "hosts": [{"name": name, "up": bool(one), **one} for name, one in (await ray.figures()).items()],
        "store": await _store(journal),
        "durability": settings.durability,
        "models": await _models(settings, ray),
        "latency": latencies(registry),
    }


async def _store(journal: RedisJournal) -> dict[str, object]:
    try:
        return {"up": True, "problem": "", "figures": await journal.figures()}
    except RearviewError as error:
        return {"up": False, "problem": error.sentence, "figures": {}}


async def _models(settings: Settings, ray: RayRuntime) -> dict[str, object]:
    models = settings.models
    status: Mapping[str, object] = {}
    up = True
    if models.remote:
        try:
            status = await ModelClient(ray.models()).ask("stats", {}, seconds=MODEL_SECONDS_MAX)
        except RearviewError:
            up = False
    return {
        "embedder": models.embedder,
        "bundled": models.embedder == BUNDLED,
        "query_encoder": models.query_encoder,
        "judge": models.judge,
        "reranker": models.reranker,
        "scoring": models.scoring,
        "up": up,
        "purposes": [
            {"purpose": name, **cast("Mapping[str, object]", counts)} for name, counts in sorted(status.items())
        ],
    }


def latencies(registry: CollectorRegistry) -> list[dict[str, object]]:
    """Of each operation how many took how long, the most frequent first. Buckets are ms; the last has no end."""
    edges: dict[str, list[tuple[float, float]]] = {}
    for metric in registry.collect():
        for sample in metric.samples if metric.name == LATENCY else ():
            if sample.name.endswith("_bucket"):
                edges.setdefault(sample.labels["op"], []).append((float(sample.labels["le"]), sample.value))
    shown = [_latency(op, sorted(cumulative)) for op, cumulative in edges.items()]
    return sorted(shown, key=lambda one: -cast(int, one["count"]))


def _latency(op: str, cumulative: list[tuple[float, float]]) -> dict[str, object]:
    counts = [
        int(value - before) for (_, value), before in zip(cumulative, [0.0, *(v for _, v in cumulative)], strict=False)
    ]
    return {
        "op": op,
        "count": int(cumulative[-1][1]),
        "p50": quantile(cumulative, 0.5),
        "p99": quantile(cumulative, 0.99),
        "edges": [None if edge == float("inf") else edge for edge, _ in cumulative],
        "counts": counts,
    }


def quantile(cumulative: list[tuple[float, float]], share: float) -> float:
    """The value that this share stays below, by a straight line within its bucket; the last edge for what lies beyond.

    `cumulative` has (upper edge, how many up to it), rising; the last edge is infinite.
    """
    wanted = share * cumulative[-1][1]
    low, below = 0.0, 0.0
    for edge, count in cumulative:
        if count >= wanted and count > below:
            return low if edge == float("inf") else low + (edge - low) * (wanted - below) / (count - below)
        low, below = edge, count
    return low
