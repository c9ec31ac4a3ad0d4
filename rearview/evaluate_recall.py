"""Recall quality on labelled pools, in this process, by the engine alone and without a judging model.

Each pool becomes one user whose memories are taken over as an import takes them over (nothing is scored or merged);
then every question is recalled with no floor, ten hits asked for. R@k is the share of the right memories among the
first k hits; where one is right, any of its `alt` counts too. A question without a right memory is unanswerable and
counts only for the abstention: whether the best relevance of an answerable question is higher than that of one which
nothing answers. `stale-above` is the share of questions with outdated memories where one of these stands above every
right one within the first five.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from actors.ports import QueryVector
from engine.commands import Recall
from engine.memory import Category, Float32Array, Memory, Source, Status, Tier
from engine.policy import Policy
from engine.recall import decide_recall, undecided
from engine.spaces import EmbeddingSpace
from engine.state import UserState, restore
from rearview.evaluate_files import LabelledFileError, field, time_of
from rearview.evaluate_intervals import Estimate, Float64Array, auroc_of, mean_of

TOP_K = 10
RANKS = (1, 5, 10)
STALE_WITHIN = 5


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the ids that answer it; none = nothing does."""

    text: str
    gold: frozenset[str]
    alt: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class LabelledPool:
    """One user's memories, as the file has them, and the questions about them."""

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """One user, filled, and the questions with their vectors; `surer` are the model's own, for `auto`."""

    state: UserState
    questions: tuple[Question, ...]
    vectors: tuple[QueryVector, ...]
    surer: tuple[QueryVector, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question got: ids, best first; the best relevance; milliseconds."""

    question: Question
    found: tuple[str, ...]
    best_relevance: float
    took_ms: float


def pools_of(path: Path, cases: Sequence[Mapping[str, Any]], now_ms: int) -> list[LabelledPool]:
    """Raises: LabelledFileError naming the line."""
    return [_pool(path, case, now_ms) for case in cases]


def _pool(path: Path, case: Mapping[str, Any], now_ms: int) -> LabelledPool:
    memories: dict[str, Memory] = {}
    for doc in field(path, case, "docs"):
        memory = _memory(path, case, doc, now_ms)
        if memory.memory_id in memories:
            raise LabelledFileError(f"{path}, line {case['line']}: the id {memory.memory_id} stands twice")
        memories[memory.memory_id] = memory
    questions = tuple(_question(path, case, query) for query in field(path, case, "queries"))
    for question in questions:
        if unknown := question.gold - set(memories):
            raise LabelledFileError(f"{path}, line {case['line']}: no memory has the id {min(unknown)}")
    return LabelledPool(str(case.get("pool", case["line"])), tuple(memories.values()), questions)


def _memory(path: Path, case: Mapping[str, Any], doc: Mapping[str, Any], now_ms: int) -> Memory:
    here = {**doc, "line": case["line"]}
    said_ms = time_of(path, here, doc["said_at"]) if doc.get("said_at") else now_ms
    return Memory(
        memory_id=str(field(path, here, "id")),
        content=str(field(path, here, "text")),
        tier=Tier(doc.get("tier", Tier.EPISODIC)),
        category=Category(doc.get("category", Category.EVENT)),
        source=Source.USER,
        confidence=1.0,
        importance=0.5,
        status=Status.ACTIVE,
        created_at_ms=now_ms,
        updated_at_ms=now_ms,
        said_at_ms=said_ms,
        valid_from_ms=said_ms,
        conversation="" if doc.get("session") is None else str(doc["session"]),
    )


def _question(path: Path, case: Mapping[str, Any], query: Mapping[str, Any]) -> Question:
    here = {**query, "line": case["line"]}
    gold, alt, stale = (frozenset(map(str, query.get(name) or ())) for name in ("gold", "alt", "stale"))
    return Question(str(field(path, here, "text")), gold, alt, stale, str(query.get("type") or ""))


def filled(
    pool: LabelledPool,
    space: EmbeddingSpace,
    stand_in: Callable[[str], Float32Array],
    vectors: Mapping[str, Float32Array],
) -> UserState:
    """The state of a user who imported the pool. A text without a vector stands on its stand-in."""
    state = UserState(pool.name, dimensions=space.dimensions, stand_in=stand_in)
    for memory in pool.memories:
        restore(state, memory, vectors.get(memory.content))
    return state


def asked(
    pool: Pool, space: EmbeddingSpace, policy: Policy, now_ms: int, picked: Sequence[int] | None = None
) -> Iterator[Answer]:
    """Recall the pool's questions, or those picked by number."""
    for number in range(len(pool.questions)) if picked is None else picked:
        question, started = pool.questions[number], time.perf_counter()
        wanted = Recall(query=question.text, top_k=TOP_K, min_relevance=0.0)
        decide = partial(decide_recall, pool.state, wanted, space=space, now_ms=now_ms, zone=UTC, policy=policy)
        result = decide(query=pool.vectors[number])
        if pool.surer and undecided(result, TOP_K):
            result = decide(query=pool.surer[number])
        took_ms = (time.perf_counter() - started) * 1e3
        best = max((hit.relevance for hit in result.hits), default=0.0)
        yield Answer(question, tuple(hit.memory.memory_id for hit in result.hits), best, took_ms)


def recall_at(answer: Answer, k: int) -> float:
    """Share of the right memories among the first k; NaN for an unanswerable question."""
    gold, first = answer.question.gold, answer.found[:k]
    if not gold:
        return float("nan")
    if len(gold) == 1:
        return float(any(i in gold or i in answer.question.alt for i in first))
    return len(gold.intersection(first)) / len(gold)


def stale_above(answer: Answer) -> float:
    """1 when what is outdated comes first; NaN where nothing is outdated, or nothing answers."""
    question = answer.question
    if not question.stale or not question.gold:
        return float("nan")
    first = [i for i in answer.found[:STALE_WITHIN] if i in question.stale or i in question.gold]
    return float(bool(first) and first[0] in question.stale)


@dataclass(frozen=True, slots=True)
class RecallFigures:
    """Everything measured on one file. `recall[k]` over all questions, `by_kind[kind][k]` over those of a type."""

    questions: int
    unanswerable: int
    recall: dict[int, Estimate]
    by_kind: dict[str, dict[int, Estimate]]
    stale: Estimate
    auroc: Estimate
    answerable_kept_silent: Estimate
    unanswerable_kept_silent: Estimate
    ms_p50: float


def figures_of(answers: Sequence[Answer], floor: float) -> RecallFigures:
    """Figures with their intervals. `floor` is the relevance below which the service would return nothing."""
    at = {k: np.array([recall_at(answer, k) for answer in answers]) for k in RANKS}
    kinds = np.array([answer.question.kind for answer in answers])
    answerable = np.array([bool(answer.question.gold) for answer in answers], dtype=np.bool_)
    best = np.array([answer.best_relevance for answer in answers], dtype=np.float64)
    silent: Float64Array = (best < floor).astype(np.float64)
    named = sorted(set(kinds[answerable].tolist()) - {""})
    return RecallFigures(
        questions=len(answers),
        unanswerable=int((~answerable).sum()),
        recall={k: mean_of(values) for k, values in at.items()},
        by_kind={kind: {k: mean_of(values[kinds == kind]) for k, values in at.items()} for kind in named},
        stale=mean_of(np.array([stale_above(answer) for answer in answers])),
        auroc=auroc_of(best[answerable], best[~answerable]),
        answerable_kept_silent=mean_of(silent[answerable]),
        unanswerable_kept_silent=mean_of(silent[~answerable]),
        ms_p50=float(np.median([answer.took_ms for answer in answers])) if answers else 0.0,
    )
