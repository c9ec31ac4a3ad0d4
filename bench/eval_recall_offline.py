"""Recall quality of the engine alone, on the labelled pools that `eval_recall.py` plays over HTTP.

    python -m bench.eval_recall_offline --data DIR --vectors DIR [--encoder static|model] [SET ...]

DIR of `--data` holds SET.jsonl.gz, one pool a line. DIR of `--vectors` holds recall_SET_docs.npy and
recall_SET_queries.npy: passage and uncorrected query vectors of the bundled model, one row per text in file order.
Each pool becomes one user whose memories are written as an import would write them, then every question is recalled
with no floor, the present time as now, and ten hits asked for.
"""

import argparse
import collections
import gzip
import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from adapters.models.bundled_e5 import sharpened
from adapters.models.query_table import QueryTable
from adapters.models.space import bundled_space
from engine.commands import Recall
from engine.events import MemoryWritten
from engine.memory import Category, Float32Array, Memory, Source, Status, Tier
from engine.policy import Policy
from engine.recall import decide_recall
from engine.state import UserState, apply

SETS = (
    "locomo_turns_en", "memorybank_zh", "memorybank_en", "memorybank_zh2en", "touchstone_zh", "memdaily_zh",
    "beam_user_en", "memora_weekly_en",
)
SPACE = bundled_space()


@dataclass(frozen=True)
class QueryVector:
    vector: Float32Array
    encoder: str
    coverage: float


@dataclass(frozen=True)
class Pool:
    """One user, filled, and the questions with their vectors."""

    state: UserState
    queries: list[dict]
    vectors: list[QueryVector]


def memory_of(doc: dict, now_ms: int) -> Memory:
    said = int(datetime.fromisoformat(doc["said_at"]).timestamp() * 1000) if doc.get("said_at") else now_ms
    conversation = "" if doc.get("session") is None else str(doc["session"])
    return Memory(
        memory_id=str(doc["id"]), content=doc["text"], tier=Tier.EPISODIC, category=Category.EVENT, source=Source.USER,
        confidence=1.0, importance=0.5, status=Status.ACTIVE, created_at_ms=now_ms, updated_at_ms=now_ms,
        said_at_ms=said, valid_from_ms=said, conversation=conversation,
    )


def pools(name: str, data: Path, vectors: Path, encoder: str, now_ms: int) -> Iterator[Pool]:
    """Every pool of one set, with document vectors from the cache."""
    docs = np.load(vectors / f"recall_{name}_docs.npy")
    queries = np.load(vectors / f"recall_{name}_queries.npy")
    table = QueryTable.load()
    doc_row = query_row = 0
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            pool = json.loads(line)
            by_text = {doc["text"]: docs[doc_row + i] for i, doc in enumerate(pool["docs"])}
            state = UserState(pool["pool"], dimensions=SPACE.dimensions, stand_in=by_text.__getitem__)
            for doc in pool["docs"]:
                apply(state, MemoryWritten(memory_of(doc, now_ms)))
            state.unembedded.clear()  # The vectors given are the model's own, not stand-ins.
            made = []
            for i, query in enumerate(pool["queries"]):
                static = table.encode(query["text"])
                if encoder == "model":
                    sharp = sharpened(queries[query_row + i], table, query["text"])
                    made.append(QueryVector(sharp, "model", 1.0))
                else:
                    made.append(QueryVector(static.vector, "static", static.coverage))
            yield Pool(state, pool["queries"], made)
            doc_row, query_row = doc_row + len(pool["docs"]), query_row + len(pool["queries"])


def recall_at(query: dict, found: list[str], k: int) -> float:
    gold, first = set(query["gold"]), found[:k]
    if len(gold) == 1 and query.get("alt"):
        return float(any(i in gold or i in set(query["alt"]) for i in first))
    return len(gold & set(first)) / len(gold)


@dataclass(frozen=True)
class Outcome:
    """What one question got: ids found, best relevance, milliseconds."""

    query: dict
    found: list[str]
    best_relevance: float
    took_ms: float


def ask(pool: Pool, policy: Policy, now_ms: int) -> Iterator[Outcome]:
    for query, vector in zip(pool.queries, pool.vectors, strict=True):
        started = time.perf_counter()
        result = decide_recall(
            pool.state, Recall(query=query["text"], top_k=10, min_relevance=0.0), query=vector, space=SPACE,
            now_ms=now_ms, zone=UTC, policy=policy,
        )
        took = (time.perf_counter() - started) * 1e3
        best = max((hit.relevance for hit in result.hits), default=0.0)
        yield Outcome(query, [hit.memory.memory_id for hit in result.hits], best, took)


def summary(outcomes: list[Outcome]) -> dict[str, object]:
    """The figures that `eval_recall.py` prints."""
    sums, by_type = collections.defaultdict(list), collections.defaultdict(list)
    for o in outcomes:
        if not o.query["gold"]:
            continue
        for k in (1, 5, 10):
            sums[f"R@{k}"].append(recall_at(o.query, o.found, k))
        by_type[o.query.get("type", "?")].append(recall_at(o.query, o.found, 5))
        if o.query.get("stale"):
            first = [i for i in o.found[:5] if i in {*o.query["stale"], *o.query["gold"]}]
            sums["stale-above"].append(float(bool(first) and first[0] in o.query["stale"]))
    line: dict[str, object] = {k: round(100 * statistics.mean(v), 1) for k, v in sorted(sums.items())}
    no = [o.best_relevance for o in outcomes if not o.query["gold"]]
    if no:
        yes = [o.best_relevance for o in outcomes if o.query["gold"]]
        line["abstention AUROC"] = round(statistics.mean((y > x) + (y == x) / 2 for y in yes for x in no), 3)
    line["ms_p50"] = round(statistics.median(o.took_ms for o in outcomes), 2)
    line["R@5 by type"] = {k: round(100 * statistics.mean(v), 1) for k, v in sorted(by_type.items())}
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--encoder", choices=("static", "model"), default="static")
    chosen = parser.parse_args()
    now_ms = int(time.time() * 1000)
    for name in chosen.sets:
        outcomes = [
            outcome for pool in pools(name, chosen.data, chosen.vectors, chosen.encoder, now_ms)
            for outcome in ask(pool, Policy(), now_ms)
        ]
        print(json.dumps({"set": name, "encoder": chosen.encoder, **summary(outcomes)}), flush=True)


if __name__ == "__main__":
    main()
