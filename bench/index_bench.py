"""The engine's two indexes alone: latency, memory, the graph against the scan, our keyword index against FTS5.

    OPENBLAS_NUM_THREADS=1 python -m bench.index_bench [--memories 10000] [--data DIR]

Texts are made up (few different words, so that every term is common: the hard case), or, with `--data`, the texts
and questions of the recall pools in DIR (*.jsonl.gz), repeated until there are enough. Vectors are the stand-in
vectors of the bundled query table. Figures hold for one thread of numpy, as the hosts run it.
"""

import argparse
import gzip
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from adapters.models.query_table import QueryTable
from bench.loads import Timing
from engine.lexical import LexicalIndex
from engine.memory import Float32Array
from engine.tokens import document_tokens, query_tokens
from engine.vectors import VectorIndex, VectorPolicy
from rearview.made_up import queries, statements

QUERIES = 300
LIMIT = 60


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.index_bench", description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--data", type=Path)
    args = parser.parse_args()
    texts, asked = from_pools(args.data) if args.data else made_up(args.memories)
    measure_tokens(texts)
    measure_words([texts[n % len(texts)] for n in range(args.memories)], asked)
    measure_vectors(list(dict.fromkeys(texts))[: args.memories], asked)


def made_up(count: int) -> tuple[list[str], list[str]]:
    """Statements and questions from a fixed seed."""
    return list(islice(statements(), count)), list(islice(queries(), QUERIES))


def from_pools(folder: Path) -> tuple[list[str], list[str]]:
    """All texts of all pools in one order, and some of their questions."""
    texts: list[str] = []
    asked: list[str] = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                pool = json.loads(line)
                texts += [memory["text"] for memory in pool["docs"]]
                asked += [query["text"] for query in pool["queries"]]
    order = np.random.default_rng(1)
    order.shuffle(texts)
    order.shuffle(asked)
    return texts, asked[:QUERIES]


def each(call: Callable[[object], object], arguments: Sequence[object]) -> str:
    """Microseconds of one call for each argument."""
    seconds = []
    for argument in arguments:
        started = time.perf_counter()
        call(argument)
        seconds.append(time.perf_counter() - started)
    timing = Timing.of(seconds)
    return f"p50 {timing.p50 * 1e3:8.1f} us   p99 {timing.p99 * 1e3:8.1f} us   ({timing.calls} calls)"


def measure_tokens(texts: list[str]) -> None:
    some = texts[:3000]
    length = sum(map(len, some)) / len(some)
    print(f"tokens of a text of {length:.0f} characters       {each(document_tokens, some)}")


def measure_words(texts: list[str], asked: list[str]) -> None:
    """Our index and FTS5 over the same tokens."""
    index = LexicalIndex()
    print(f"keyword put, tokens included          {each(lambda n: index.put(n, texts[n]), range(len(texts)))}")
    print(f"keyword index holds                   {index.memory_bytes / 1e6:.1f} MB for {len(index)} memories")
    print(f"keyword search                        {each(lambda q: index.search(q, limit=LIMIT), asked)}")
    half = np.arange(len(texts)) % 2 == 0
    print(f"keyword search, half allowed          {each(lambda q: index.search(q, limit=LIMIT, allowed=half), asked)}")
    table = fts5(texts)
    select = "select rowid, rank from texts where texts match ? order by rank limit ?"
    matches = [" OR ".join(f'"{token}"' for token in query_tokens(query)) for query in asked]
    by_fts5 = each(lambda match: table.execute(select, (match, LIMIT)).fetchall(), matches)
    print(f"the same by FTS5, tokens given        {by_fts5}")
    removed = range(0, len(texts), max(1, len(texts) // 500))
    print(f"keyword remove                        {each(index.remove, removed)}")


def fts5(texts: list[str]) -> sqlite3.Connection:
    """An FTS5 table of the texts' tokens."""
    marks = "".join(c for c in map(chr, range(33, 127)) if not c.isalnum() and c not in "'\"")
    table = sqlite3.connect(":memory:")
    table.execute(f"create virtual table texts using fts5(tokens, tokenize=\"ascii tokenchars '{marks}'\")")
    rows = ((slot, " ".join(document_tokens(text))) for slot, text in enumerate(texts))
    table.executemany("insert into texts(rowid, tokens) values (?, ?)", rows)
    table.commit()
    return table


def measure_vectors(texts: list[str], asked: list[str]) -> None:
    """Scan and graph over the stand-in vectors of the texts."""
    table = QueryTable.load()
    vectors = [table.stand_in(text) for text in texts]
    centred = [table.encode(query).vector for query in asked]
    index = VectorIndex(table.dimensions, VectorPolicy())
    print(f"vector put                            {each(lambda n: index.put(n, vectors[n]), range(len(vectors)))}")
    print(f"vectors hold                          {index.memory_bytes / 1e6:.1f} MB for {len(index)} memories")
    print(f"exact scan, k = 10                    {each(lambda q: index.exact(q, 10), centred)}")
    job = index.graph_job()
    if job is None:
        return
    builder = threading.Thread(target=job.build)
    started = time.perf_counter()
    builder.start()
    meanwhile = []
    while builder.is_alive():
        one = time.perf_counter()
        index.exact(centred[len(meanwhile) % len(centred)], 10)
        meanwhile.append(time.perf_counter() - one)
    print(
        f"graph built in another thread         {time.perf_counter() - started:.1f} s; scans meanwhile "
        f"{Timing.of(meanwhile)}"
    )
    index.adopt_graph(job)
    print(f"with the graph they hold              {index.memory_bytes / 1e6:.1f} MB")
    allowed = np.arange(len(vectors)) % 2 == 0
    for k in (10, 60, 200):
        print(
            f"graph, k = {k:<3}                         {each(lambda q, k=k: index.nearest(q, k), centred)}   "
            f"recall {recall(index, centred, k):.4f}"
        )
    print(f"graph, k = 60, half allowed           {each(lambda q: index.nearest(q, 60, allowed=allowed), centred)}")


def recall(index: VectorIndex, centred: list[Float32Array], k: int) -> float:
    """Share of the scan's first k that the graph finds as well."""
    shares = [len(set(index.nearest(q, k)[0].tolist()) & set(index.exact(q, k)[0].tolist())) / k for q in centred]
    return float(np.mean(shares))


if __name__ == "__main__":
    main()
