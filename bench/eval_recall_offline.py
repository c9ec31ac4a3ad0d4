"""Recall quality of the engine alone with vectors that lie in a folder, for trying things out quickly.

    python -m bench.eval_recall_offline --data DIR --vectors DIR [--encoder static|model|auto] [SET ...]

DIR of `--data` holds SET.jsonl.gz (docs/measuring.md). DIR of `--vectors` holds recall_SET_docs.npy and
recall_SET_queries.npy: passage and uncorrected query vectors of the bundled model, one row per text in file order.
Nothing is embedded. `rearview eval recall` embeds what it needs and gives intervals as well.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from actors.ports import QueryVector
from adapters.models.bundled_e5 import sharpened
from adapters.models.query_table import QueryTable
from adapters.models.space import bundled_space
from engine.policy import Policy
from rearview.clock import system_now_ms
from rearview.evaluate_files import cases_of
from rearview.evaluate_recall import Answer, Pool, RecallFigures, asked, figures_of, filled, pools_of

SETS = (
    "locomo_turns_en",
    "memorybank_zh",
    "memorybank_en",
    "memorybank_zh2en",
    "touchstone_zh",
    "memdaily_zh",
    "beam_user_en",
    "memora_weekly_en",
)
SPACE = bundled_space()
TABLE = QueryTable.load()


def pools(name: str, data: Path, vectors: Path, encoder: str, now_ms: int) -> Iterator[Pool]:
    """Every pool of one set, with document vectors from the folder."""
    docs = np.load(vectors / f"recall_{name}_docs.npy")
    queries = np.load(vectors / f"recall_{name}_queries.npy")
    doc_row = query_row = 0
    path = data / f"{name}.jsonl.gz"
    for pool in pools_of(path, [_with_outdated(case) for case in cases_of(path)], now_ms):
        by_text = {memory.content: docs[doc_row + i] for i, memory in enumerate(pool.memories)}
        table = tuple(TABLE.encode(question.text) for question in pool.questions)
        own = [sharpened(queries[query_row + i], TABLE, question.text) for i, question in enumerate(pool.questions)]
        model = tuple(QueryVector(vector, "model", 1.0) for vector in own)
        state = filled(pool, SPACE, TABLE.stand_in, by_text)
        yield Pool(state, pool.questions, model if encoder == "model" else table, model if encoder == "auto" else ())
        doc_row, query_row = doc_row + len(pool.memories), query_row + len(pool.questions)


def _with_outdated(case: Mapping[str, Any]) -> Mapping[str, Any]:
    """The case with what BEAM calls the original of an updated statement as its outdated memories."""
    queries = []
    for query in case["queries"]:
        source = query.get("src")
        told = isinstance(source, dict) and "original_info" in source
        outdated = set(map(str, source["original_info"])) - set(map(str, source["updated_info"])) if told else set()
        queries.append({**query, "stale": query.get("stale") or sorted(outdated)})
    return {**case, "queries": queries}


def line_of(figures: RecallFigures) -> dict[str, object]:
    """The figures as one short line."""
    line: dict[str, object] = {f"R@{k}": round(100 * estimate.value, 1) for k, estimate in figures.recall.items()}
    if figures.stale.known:
        line["stale-above"] = round(100 * figures.stale.value, 1)
    if figures.auroc.known:
        line["abstention AUROC"] = round(figures.auroc.value, 3)
    by_kind = {kind: round(100 * rates[5].value, 1) for kind, rates in figures.by_kind.items()}
    return {**line, "ms_p50": round(figures.ms_p50, 2), "R@5 by type": by_kind}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--encoder", choices=("static", "model", "auto"), default="static")
    chosen = parser.parse_args()
    now_ms, policy = system_now_ms(), Policy()
    for name in chosen.sets:
        answers: list[Answer] = [
            answer
            for pool in pools(name, chosen.data, chosen.vectors, chosen.encoder, now_ms)
            for answer in asked(pool, SPACE, policy, now_ms)
        ]
        figures = line_of(figures_of(answers, policy.recall.floor))
        print(json.dumps({"set": name, "encoder": chosen.encoder, **figures}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
