"""The engine alone, its query vector in hand: search and write decisions of one user, and the graph against the scan.

    python -m bench engine [--sizes 10000 100000] [--calls 300] [--data DIR]

Texts are made up: few different words and sentences that differ by a number, which is hard for words and for the graph.
With `--data` they are the texts and questions of the recall pools in DIR (*.jsonl.gz); where these are too few, each is
taken again with a number of its own. Vectors are the table's document vectors, so nothing waits for the model.
"""

import time
from collections.abc import Callable
from datetime import UTC
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from adapters.models.query_table import QueryTable
from adapters.models.space import bundled_space
from bench.index_bench import from_pools
from bench.loads import Timing
from engine.commands import Recall, Write
from engine.memory import Category, Memory, Source, Status, Tier
from engine.policy import DAY_MS, Policy
from engine.recall import decide_recall
from engine.state import UserState, restore
from engine.write import decide_write
from rearview.clock import system_now_ms
from rearview.made_up import queries, statements

GRAPH_K = (10, 60)
SPREAD_DAYS = 365


def engine(sizes: list[int], calls: int, data: Path | None) -> None:
    """Print one block per size."""
    table = QueryTable.load()
    for size in sizes:
        texts, asked = texts_of(size + calls, calls, data)
        state, seconds = filled(texts[:size], table)
        print(f"\n{size} memories, filled in {seconds:.1f} s", flush=True)
        built = time.perf_counter()
        kinds = _build_graphs(state)
        print(f"graph of {kinds or 'no shelf'} built in {time.perf_counter() - built:.1f} s", flush=True)
        _timed("search, vector in hand", _searches(state, table, asked))
        _timed("decide a write, vector in hand", _decisions(state, table, texts[size:]))
        _graph(state, table, asked)


def growth(sizes: list[int], calls: int) -> dict[str, list[tuple[int, Timing]]]:
    """Processor time of a search and of a write decision, by the number of memories."""
    table = QueryTable.load()
    rows: dict[str, list[tuple[int, Timing]]] = {}
    for size in sizes:
        texts, asked = texts_of(size + calls, calls, None)
        state, _ = filled(texts[:size], table)
        _build_graphs(state)
        rows.setdefault("search", []).append((size, _took(_searches(state, table, asked))[1]))
        rows.setdefault("decide a write", []).append((size, _took(_decisions(state, table, texts[size:]))[1]))
    return rows


def texts_of(size: int, calls: int, data: Path | None) -> tuple[list[str], list[str]]:
    """Texts that all differ, and questions that all differ."""
    if data is None:
        return list(islice(statements(), size)), list(islice(queries(), calls))
    texts, asked = from_pools(data)
    texts = list(dict.fromkeys(texts))
    again = (f"{texts[n % len(texts)]} ({n})" for n in range(len(texts), size))
    return [*texts[:size], *again], list(dict.fromkeys(asked))[:calls]


def filled(texts: list[str], table: QueryTable) -> tuple[UserState, float]:
    """One user with these episodes, said over the last year."""
    now_ms, started = system_now_ms(), time.perf_counter()
    state = UserState("bench", dimensions=table.dimensions, stand_in=table.stand_in)
    for number, text in enumerate(texts):
        said_ms = now_ms - SPREAD_DAYS * DAY_MS * (len(texts) - number) // len(texts)
        restore(
            state,
            Memory(
                memory_id=f"m{number}",
                content=text,
                tier=Tier.EPISODIC,
                category=Category.EVENT,
                source=Source.USER,
                confidence=1.0,
                importance=0.5,
                status=Status.ACTIVE,
                created_at_ms=said_ms,
                updated_at_ms=said_ms,
                said_at_ms=said_ms,
                valid_from_ms=said_ms,
                conversation=str(number // 20),
            ),
            table.stand_in(text),
        )
    return state, time.perf_counter() - started


def _build_graphs(state: UserState) -> str:
    built = []
    for shelf, index in state.vectors.items():
        if (job := index.graph_job()) is not None:
            job.build()
            index.adopt_graph(job)
            built.append(shelf)
    return ", ".join(built)


def _searches(state: UserState, table: QueryTable, asked: list[str]) -> list[Callable[[], object]]:
    space, policy, now_ms = bundled_space(), Policy(), system_now_ms()
    vectors = [table.encode(text) for text in asked]
    return [
        partial(
            decide_recall, state, Recall(query=text), query=vector, space=space, now_ms=now_ms, zone=UTC, policy=policy
        )
        for text, vector in zip(asked, vectors, strict=True)
    ]


def _decisions(state: UserState, table: QueryTable, fresh: list[str]) -> list[Callable[[], object]]:
    policy, now_ms = Policy(), system_now_ms()
    vectors = [table.stand_in(text) for text in fresh]
    return [
        partial(
            decide_write,
            state,
            Write(content=text),
            memory_id=f"new{number}",
            now_ms=now_ms,
            zone=UTC,
            policy=policy,
            vector=vector,
        )
        for number, (text, vector) in enumerate(zip(fresh, vectors, strict=True))
    ]


def _timed(name: str, calls: list[Callable[[], object]]) -> None:
    wall, processor = _took(calls)
    print(f"{name:36} {wall}\n{'  of it processor time':36} {processor}", flush=True)


def _took(calls: list[Callable[[], object]]) -> tuple[Timing, Timing]:
    """By the wall clock, and by the processor's, which other programs on the machine disturb less."""
    wall, processor = [], []
    for call in calls:
        started, started_cpu = time.perf_counter(), time.thread_time()
        call()
        wall.append(time.perf_counter() - started)
        processor.append(time.thread_time() - started_cpu)
    return Timing.of(wall), Timing.of(processor)


def _graph(state: UserState, table: QueryTable, asked: list[str]) -> None:
    index = state.vectors[Tier.EPISODIC.value]
    centred = [table.encode(text).vector for text in asked]
    for k in GRAPH_K:
        shares = [len(set(index.nearest(q, k)[0].tolist()) & set(index.exact(q, k)[0].tolist())) / k for q in centred]
        print(f"{f'{index.kind} against exact, first {k}':36} {float(np.mean(shares)):.4f} of them found", flush=True)
