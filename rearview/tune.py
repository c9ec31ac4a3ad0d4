"""`rearview tune FILE...`: which ranking finds more on your own labelled questions.

With `--a KEY=VALUE... --b KEY=VALUE...` two settings answer the same questions and stand side by side. Without them the
weights are tuned by cross-validation. Format and meaning: docs/measuring.md.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adapters.cli.show import one_line
from engine.policy import Policy, RecallPolicy
from engine.presets import HALF_LIFE, WEIGHTS
from engine.spaces import EmbeddingSpace
from rearview.clock import system_now_ms
from rearview.evaluate import DONE, labelled_pools, made, progress
from rearview.evaluate_intervals import Estimate, Float64Array, auroc_of, difference_of
from rearview.evaluate_print import row
from rearview.evaluate_recall import RANKS, Answer, Pool, asked, figures_of, recall_at, stale_above
from rearview.evaluate_vectors import Vectors
from rearview.measuring import measuring
from rearview.rankings import ranking_of
from rearview.settings import load_settings
from rearview.tune_search import Numbers, Tuned, cross_validated, folds_of, settings_tried, table_of

TUNED = (*WEIGHTS, HALF_LIFE, "fact_boost")
GOAL_RANKS = (5, 10)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The questions that settings are tried on: pools, and of each the numbers of its questions."""

    pools: Sequence[Pool]
    picked: Sequence[Sequence[int]]
    space: EmbeddingSpace
    policy: Policy
    now_ms: int

    def answers(self, recall: RecallPolicy) -> list[Answer]:
        """Every question by one setting."""
        policy = replace(self.policy, recall=recall)
        return [
            answer
            for pool, picked in zip(self.pools, self.picked, strict=True)
            for answer in asked(pool, self.space, policy, self.now_ms, picked)
        ]

    @property
    def users(self) -> list[int]:
        """Whose question each is."""
        return [number for number, picked in enumerate(self.picked) for _ in picked]


def tune(args: argparse.Namespace) -> int:
    """Raises: LabelledFileError, SettingsError, ValueError, Unavailable (a remote embedder)."""
    settings = load_settings()
    now_ms = system_now_ms()
    a, b = (None if words is None else ranking_of(settings.recall, words) for words in (args.a, args.b))
    with measuring(settings, query_encoder=args.query_encoder) as tools:
        vectors = Vectors(tools.encoders, folder=args.vectors, say=progress)
        pools = [
            made(pool, tools, vectors, stand_in=args.stand_in)
            for path in args.files
            for pool in labelled_pools(path, now_ms)
        ]
        vectors.keep()
        side_by_side = a is not None or b is not None
        picked = _picked(pools, None if side_by_side else args.questions)
        trial = Trial(pools=pools, picked=picked, space=tools.space, policy=settings.policy(), now_ms=now_ms)
        in_force = trial.policy.recall
        if side_by_side:
            print(compared(trial, a or in_force, b or in_force, names=(_name(args.a), _name(args.b)), show=args.show))
        else:
            print(_tuned(trial, in_force))
    return DONE


def _name(words: Sequence[str] | None) -> str:
    return " ".join(words) if words else "as in force"


def _picked(pools: Sequence[Pool], most: int | None) -> list[list[int]]:
    """Of every pool the numbers of its questions, or of all a sample that is the same every time."""
    everything = [(p, q) for p, pool in enumerate(pools) for q in range(len(pool.questions))]
    if most is not None and len(everything) > most:
        chosen = np.random.default_rng(1).choice(len(everything), size=most, replace=False)
        everything = [everything[i] for i in sorted(chosen.tolist())]
    picked: list[list[int]] = [[] for _ in pools]
    for p, q in everything:
        picked[p].append(q)
    return picked


def compared(trial: Trial, a: RecallPolicy, b: RecallPolicy, *, names: tuple[str, str], show: int) -> str:
    """Two settings on the same questions, with the difference and its interval."""
    one, other = trial.answers(a), trial.answers(b)
    counted = sum(bool(answer.question.gold) for answer in one)
    lines = [f"A: {names[0]}", f"B: {names[1]}", row(f"{counted} questions", ["A", "B", "B - A"])]
    for k in RANKS:
        lines.append(_compared_row(f"R@{k}", *(np.array([recall_at(x, k) for x in side]) for side in (one, other))))
    kinds = sorted({answer.question.kind for answer in one if answer.question.gold} - {""})
    for kind in kinds:
        of_kind = [[x for x in side if x.question.kind == kind] for side in (one, other)]
        sides = [np.array([recall_at(x, GOAL_RANKS[0]) for x in side]) for side in of_kind]
        lines.append(_compared_row(f"  R@{GOAL_RANKS[0]} {kind}", *sides))
    stale = [np.array([stale_above(answer) for answer in side]) for side in (one, other)]
    if not np.isnan(stale[0]).all():
        lines.append(_compared_row("outdated above right", *stale))
    aurocs = [_auroc(side) for side in (one, other)]
    if aurocs[0].known:
        lines.append(row("abstention AUROC", [estimate.plain() for estimate in aurocs]))
    won, lost = _changed(one, other)
    lines.append(f"B finds more for {len(won)} questions, less for {len(lost)} (within {GOAL_RANKS[0]})")
    lines += [f"  more: {one_line(answer.question.text, 100).rstrip()}" for answer in won[:show]]
    lines += [f"  less: {one_line(answer.question.text, 100).rstrip()}" for answer in lost[:show]]
    return "\n".join(lines)


def _compared_row(name: str, a: Float64Array, b: Float64Array) -> str:
    difference = difference_of(a, b)
    sure = "" if difference.low <= 0.0 <= difference.high else " *"
    shown = f"{100 * difference.value:+.1f} ({100 * difference.low:+.1f} to {100 * difference.high:+.1f}){sure}"
    return row(name, [f"{100 * float(np.nanmean(a)):.1f}", f"{100 * float(np.nanmean(b)):.1f}", shown])


def _auroc(answers: Sequence[Answer]) -> Estimate:
    best = np.array([answer.best_relevance for answer in answers])
    answerable = np.array([bool(answer.question.gold) for answer in answers], dtype=np.bool_)
    return auroc_of(best[answerable], best[~answerable])


def _changed(one: Sequence[Answer], other: Sequence[Answer]) -> tuple[list[Answer], list[Answer]]:
    pairs = [(recall_at(a, GOAL_RANKS[0]), recall_at(b, GOAL_RANKS[0]), a) for a, b in zip(one, other, strict=True)]
    return [a for x, y, a in pairs if y > x], [a for x, y, a in pairs if y < x]


def _tuned(trial: Trial, in_force: RecallPolicy) -> str:
    start = {name: _number(in_force, name) for name in TUNED}
    tried = settings_tried(start)

    def score(numbers: Numbers) -> Float64Array:
        progress(f"{len(done)} of {len(tried)} settings tried")
        answers = trial.answers(_with(in_force, numbers))
        done.append(answers)
        return np.asarray(np.mean([[recall_at(answer, k) for answer in answers] for k in GOAL_RANKS], axis=0))

    done: list[list[Answer]] = []
    table = table_of(tried, score)
    found = cross_validated(table, folds_of(trial.users))
    return "\n".join(_report(tried, found, done, in_force.floor))


def _number(policy: RecallPolicy, name: str) -> float:
    value = getattr(policy, name)
    return float(value[0][1] if isinstance(value, tuple) else value)


def _with(policy: RecallPolicy, numbers: Numbers) -> RecallPolicy:
    """The ranking with some numbers changed, its weights made to sum to 1."""
    total = sum(numbers[name] for name in WEIGHTS)
    semantic, keyword, recency, confidence = (numbers[name] / total for name in WEIGHTS)
    return replace(
        policy,
        semantic_weight=semantic,
        keyword_weight=keyword,
        recency_weight=recency,
        confidence_weight=confidence,
        half_life_days=tuple((category, numbers[HALF_LIFE]) for category, _ in policy.half_life_days),
        fact_boost=numbers["fact_boost"],
    )


def _report(tried: Sequence[Numbers], found: Tuned, answers: Sequence[Sequence[Answer]], floor: float) -> list[str]:
    lines = [
        f"{len(tried)} settings on {found.in_force.count} questions; the goal is the mean of R@5 and R@10",
        row("in force", [found.in_force.percent()]),
        row("tuned, on other questions", [found.held_out.percent()]),
        row("gain", [found.gain.percent()]),
    ]
    agreed = found.chosen.count(found.best)
    if not found.worth_it or found.best == 0:
        return [*lines, "Nothing tried is surely better on questions that did not choose it: keep what is in force."]
    best = tried[found.best]
    lines += [f"Best on all questions ({agreed} of {len(found.chosen)} folds chose it too); to use it:"]
    lines += [f"  REARVIEW_RECALL__{name.upper()}={value:g}" for name, value in best.items()]
    before, after = (figures_of(answers[number], floor) for number in (0, found.best))
    lines.append(row("with it", [f"R@5 {after.recall[5].percent()}", f"R@10 {after.recall[10].percent()}"]))
    if after.stale.known:
        lines.append(row("outdated above right", [f"{before.stale.percent()} ->", after.stale.percent()]))
    return lines
