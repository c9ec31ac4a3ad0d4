"""Would the ranking's numbers have been chosen without the set they are measured on?

    python -m bench.recall_leave_one_out --data DIR --vectors DIR [--encoder static|model] [SET ...]

A grid of settings around the default is measured on every set. For each set the setting with the best mean of R@5 and
R@10 over all other sets is taken, and what it gives on the set left out is printed beside the default.
"""

import argparse
import itertools
import statistics
from dataclasses import replace
from pathlib import Path

from bench.eval_recall_offline import SETS, SPACE, pools
from engine.policy import Policy
from rearview.clock import system_now_ms
from rearview.evaluate_recall import Pool, asked, figures_of

GRID: dict[str, tuple[float, ...]] = {
    "keyword_weight": (0.31, 0.37),  # What it leaves of 0.82 is the semantic weight.
    "personal_boost": (1.15, 1.25),
    "feedback_static": (0.05, 0.15, 0.25),
    "order_boost": (1.15, 1.35),
    "confirmation_factor": (0.75, 0.9),
}
Figures = tuple[float, float]  # R@5 and R@10 in percent


def policies() -> list[tuple[dict[str, float], Policy]]:
    """Every setting of the grid, and the default as the last."""
    made: list[tuple[dict[str, float], Policy]] = []
    for values in itertools.product(*GRID.values()):
        setting = dict(zip(GRID, values, strict=True))
        recall = replace(Policy().recall, semantic_weight=0.82 - setting["keyword_weight"], **setting)
        made.append((setting, replace(Policy(), recall=recall)))
    return [*made, ({}, Policy())]


def measured(filled: list[Pool], policy: Policy, now_ms: int) -> Figures:
    answers = [answer for pool in filled for answer in asked(pool, SPACE, policy, now_ms)]
    recall = figures_of(answers, policy.recall.floor).recall
    return 100 * recall[5].value, 100 * recall[10].value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--encoder", choices=("static", "model"), default="static")
    chosen = parser.parse_args()
    now_ms = system_now_ms()
    tried = policies()
    figures: dict[str, list[Figures]] = {}
    for name in chosen.sets:
        filled = list(pools(name, chosen.data, chosen.vectors, chosen.encoder, now_ms))
        figures[name] = [measured(filled, policy, now_ms) for _, policy in tried]
    for name in chosen.sets:
        others = [other for other in chosen.sets if other != name]
        means = [statistics.mean(sum(figures[other][i]) for other in others) for i in range(len(tried) - 1)]
        best = max(range(len(means)), key=means.__getitem__)
        blind, default = figures[name][best], figures[name][-1]
        print(
            f"{name}: left out {blind[0]:.1f} / {blind[1]:.1f}, default {default[0]:.1f} / {default[1]:.1f}, "
            f"chosen without it: {tried[best][0]}",
            flush=True,
        )


if __name__ == "__main__":
    main()
