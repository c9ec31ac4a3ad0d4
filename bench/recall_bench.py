"""Recall on every labelled pool in a folder, by the table's queries and by the model's, and by the articles' rankings.

    python -m bench recall --data DIR [--vectors FOLDER]

Document vectors are the model's own (15 to 45 ms a text, once, when `--vectors` keeps them). Prints one row per file:
R@5 / R@10 with 95 % intervals, and the abstention.
"""

from pathlib import Path

from engine.policy import Policy
from engine.presets import PRESETS, recall_policy
from rearview.clock import system_now_ms
from rearview.evaluate import labelled_pools, made, progress
from rearview.evaluate_print import row
from rearview.evaluate_recall import LabelledPool, Pool, RecallFigures, asked, figures_of
from rearview.evaluate_vectors import Vectors
from rearview.measuring import Measuring, measuring
from rearview.settings import Settings

ENCODERS = ("static", "quality", "auto")


def recall(data: Path, folder: Path | None) -> None:
    """Print one table per encoder, and one per preset with the table's queries."""
    now_ms = system_now_ms()
    files = {path.name.split(".")[0]: labelled_pools(path, now_ms) for path in sorted(data.glob("*.jsonl.gz"))}
    for encoder in ENCODERS:
        with measuring(Settings(), query_encoder=encoder) as tools:
            vectors = Vectors(tools.encoders, folder=folder, say=progress)
            filled = {name: _filled(pools, tools, vectors) for name, pools in files.items()}
            vectors.keep()
            for preset in PRESETS if encoder == "static" else ("default",):
                _table(f"queries: {encoder}; ranking: {preset}", filled, tools, preset, now_ms)


def _filled(pools: list[LabelledPool], tools: Measuring, vectors: Vectors) -> list[Pool]:
    return [made(pool, tools, vectors, stand_in=False) for pool in pools]


def _table(title: str, files: dict[str, list[Pool]], tools: Measuring, preset: str, now_ms: int) -> None:
    policy = Policy(recall=recall_policy(preset))
    print(f"\n{title}\n{row('', ['R@5', 'R@10', 'outdated above', 'AUROC', 'ms'])}", flush=True)
    for name, pools in files.items():
        answers = [answer for pool in pools for answer in asked(pool, tools.space, policy, now_ms)]
        print(_line(name, figures_of(answers, policy.recall.floor)), flush=True)


def _line(name: str, figures: RecallFigures) -> str:
    auroc = f"{figures.auroc.value:.3f}" if figures.auroc.known else "-"
    return row(
        name,
        [
            figures.recall[5].percent(),
            figures.recall[10].percent(),
            figures.stale.percent(),
            auroc,
            f"{figures.ms_p50:.2f}",
        ],
    )
