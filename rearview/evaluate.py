"""`rearview eval writes|recall FILE...`: quality on labelled files, measured in this process, without a service.

With the settings in force: the ranking, the write gate and the embedder of this directory's `rearview.toml` and
environment. Formats and figures: docs/measuring.md.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from adapters.cli.show import one_line, printable
from engine.errors import RearviewError
from rearview import evaluate_print as shown
from rearview.clock import system_now_ms
from rearview.evaluate_files import LabelledFileError, cases_of, kind_of
from rearview.evaluate_recall import Answer, LabelledPool, Pool, asked, figures_of, filled, pools_of, recall_at
from rearview.evaluate_vectors import Vectors
from rearview.evaluate_writes import MEASURES, Desk, checked
from rearview.measuring import Measuring, measuring
from rearview.rankings import ranking_of
from rearview.settings import SettingsError, load_settings

DONE, REFUSED, WRONG_USE = 0, 1, 2


def carried_out(work: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    """Run a measurement; what is wrong with the file or the settings is one line, not a traceback."""
    try:
        return work(args)
    except (LabelledFileError, SettingsError, ValueError) as error:
        print(f"rearview: {error}", file=sys.stderr)
        return WRONG_USE
    except RearviewError as error:
        print(f"rearview: {error.sentence}", file=sys.stderr)
        return REFUSED


def eval_writes(args: argparse.Namespace) -> int:
    """Measure each file by its kind. Raises: LabelledFileError, SettingsError."""
    settings = load_settings()
    with measuring(settings) as tools:
        desk = Desk(
            policy=settings.policy(),
            now_ms=system_now_ms(),
            dimensions=tools.likeness_dimensions,
            likeness=tools.likeness,
        )
        for path in args.files:
            cases = cases_of(path)
            kind = kind_of(path, cases)
            if kind == "recall":
                raise LabelledFileError(f"{path} holds questions; `rearview eval recall` measures these")
            checked(path, kind, cases)
            print(shown.writes(path.name, MEASURES[kind](desk, cases), args.show), flush=True)
    return DONE


def eval_recall(args: argparse.Namespace) -> int:
    """Measure each file. Raises: LabelledFileError, SettingsError, ValueError, Unavailable (a remote embedder)."""
    settings = load_settings()
    policy = replace(settings.policy(), recall=ranking_of(settings.recall, args.changes))
    now_ms = system_now_ms()
    with measuring(settings, query_encoder=args.query_encoder) as tools:
        vectors = Vectors(tools.encoders, folder=args.vectors, say=progress)
        for path in args.files:
            pools = labelled_pools(path, now_ms)
            answers = [
                answer
                for pool in pools
                for answer in asked(made(pool, tools, vectors, stand_in=args.stand_in), tools.space, policy, now_ms)
            ]
            vectors.keep()
            print(
                shown.recall(
                    path.name, sum(len(p.memories) for p in pools), len(pools), figures_of(answers, policy.recall.floor)
                ),
                flush=True,
            )
            _show_missed(pools, answers, args.show)
    return DONE


def labelled_pools(path: Path, now_ms: int) -> list[LabelledPool]:
    """The pools of a file. Raises: LabelledFileError."""
    cases = cases_of(path)
    if (kind := kind_of(path, cases)) != "recall":
        raise LabelledFileError(f"{path} holds {kind}; `rearview eval writes` measures these")
    return pools_of(path, cases, now_ms)


def made(pool: LabelledPool, tools: Measuring, vectors: Vectors, *, stand_in: bool) -> Pool:
    """A pool filled, its questions embedded."""
    texts = [] if stand_in else [memory.content for memory in pool.memories]
    state = filled(pool, tools.space, tools.encoders.static.stand_in, vectors.documents(texts))
    texts = [question.text for question in pool.questions]
    surer = tuple(map(vectors.surer, texts)) if tools.encoders.query_encoder == "auto" else ()
    return Pool(state, pool.questions, tuple(map(vectors.query, texts)), surer)


def progress(text: str) -> None:
    """A passing word on standard error, where a person sees it and a file does not."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K\r", end="", file=sys.stderr, flush=True)


def _show_missed(pools: Sequence[LabelledPool], answers: Sequence[Answer], most: int) -> None:
    texts = {memory.memory_id: memory.content for pool in pools for memory in pool.memories} if most else {}
    missed = [answer for answer in answers if answer.question.gold and recall_at(answer, 5) == 0.0]
    for answer in missed[: max(0, most)]:
        print(f"  missed: {one_line(answer.question.text, 100).rstrip()}")
        for word, ids in (("right", sorted(answer.question.gold)[:2]), ("found", answer.found[:2])):
            for memory_id in ids:
                print(f"    {word} {printable(memory_id)}: {one_line(texts.get(memory_id, ''), 100).rstrip()}")
