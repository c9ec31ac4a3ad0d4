"""The command line of the commands that measure, tune and look after data. What they do is imported when one runs."""

import argparse
import os
from pathlib import Path
from typing import TypeAlias

SHOWN_DEFAULT = 10
CHANGED_SHOWN = 5
QUESTIONS_DEFAULT = 400
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_measuring_commands(commands: Commands) -> None:
    """Add them all."""
    _add_eval(commands)
    _add_tune(commands)
    _add_bench(commands)
    _add_calibrate(commands)
    _add_doctor(commands)
    _add_backup(commands)


def _one_thread() -> None:
    """As in a host: threads of numpy wait for each other longer than they save. Read when numpy is first imported."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def _eval_writes(args: argparse.Namespace) -> int:
    _one_thread()
    from rearview.evaluate import carried_out, eval_writes

    return carried_out(eval_writes, args)


def _eval_recall(args: argparse.Namespace) -> int:
    _one_thread()
    from rearview.evaluate import carried_out, eval_recall

    return carried_out(eval_recall, args)


def _eval_injection(args: argparse.Namespace) -> int:
    _one_thread()
    from rearview.evaluate import carried_out
    from rearview.evaluate_injection import eval_injection

    return carried_out(eval_injection, args)


def _add_eval(commands: Commands) -> None:
    top = commands.add_parser("eval", help="recall and write quality on labelled files")
    kinds = top.add_subparsers(dest="eval_command", required=True, metavar="writes|recall|injection")
    writes = kinds.add_parser("writes", help="what is kept, dropped, held or refused, and what meets what was known")
    writes.add_argument("files", nargs="+", type=Path, metavar="FILE")
    writes.add_argument("--show", type=int, default=SHOWN_DEFAULT, help="wrong cases to show (default 10)")
    writes.set_defaults(run=_eval_writes)
    injection = kinds.add_parser("injection", help="how much instruction-like text is held back, by set")
    injection.add_argument("files", nargs="+", type=Path, metavar="DIR|FILE")
    injection.add_argument("--show", type=int, default=0, help="wrong cases of each file to show (default 0)")
    injection.set_defaults(run=_eval_injection)
    recall = kinds.add_parser("recall", help="whether the right memories are found, and first")
    recall.add_argument("files", nargs="+", type=Path, metavar="FILE")
    recall.add_argument("--show", type=int, default=0, help="questions to show that found nothing right (default 0)")
    recall.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        dest="changes",
        help="numbers of the ranking to change, such as preset=article-a or floor=0.5",
    )
    _add_vectors(recall)
    recall.set_defaults(run=_eval_recall)


def _add_vectors(command: argparse.ArgumentParser) -> None:
    """Which vectors a measurement of recall uses."""
    command.add_argument("--query-encoder", choices=("static", "quality", "auto"), help="default: as the settings say")
    command.add_argument(
        "--stand-in",
        action="store_true",
        help="documents on stand-in vectors, as in the first seconds after a write: no model runs",
    )
    command.add_argument(
        "--vectors",
        type=Path,
        metavar="FOLDER",
        help="keep the model's vectors here, so that the next run need not make them again",
    )


def _tune(args: argparse.Namespace) -> int:
    _one_thread()
    from rearview.evaluate import carried_out
    from rearview.tune import tune

    return carried_out(tune, args)


def _add_tune(commands: Commands) -> None:
    command = commands.add_parser("tune", help="tune the ranking on labelled questions, or compare two settings")
    command.add_argument("files", nargs="+", type=Path, metavar="FILE")
    for side in ("a", "b"):
        command.add_argument(
            f"--{side}",
            nargs="*",
            metavar="KEY=VALUE",
            help="one of two settings to compare, such as preset=article-a half_life_days=14",
        )
    command.add_argument("--show", type=int, default=CHANGED_SHOWN, help="questions that changed to show (default 5)")
    command.add_argument(
        "--questions",
        type=int,
        default=QUESTIONS_DEFAULT,
        help=f"questions to tune on, drawn from all (default {QUESTIONS_DEFAULT})",
    )
    _add_vectors(command)
    command.set_defaults(run=_tune)


def _bench(args: argparse.Namespace) -> int:
    _one_thread()
    from rearview.benchmark import bench

    return bench(args)


def _add_bench(commands: Commands) -> None:
    command = commands.add_parser("bench", help="latency and throughput of a running service")
    command.add_argument("--url", help="where the service answers")
    command.add_argument("--token-file", help="the file that holds a token for users named bench-*")
    command.add_argument("--data-dir", help="data directory of a service on this machine (default .rearview)")
    command.add_argument("--port", type=int, help="port of a service on this machine (default 8100)")
    command.add_argument("--memories", type=_count, default=500, help="memories to search in (default 500)")
    command.add_argument("--calls", type=_count, default=300, help="calls per latency (default 300)")
    command.add_argument("--connections", type=_count, default=16, help="connections for throughput (default 16)")
    command.add_argument("--seconds", type=float, default=5.0, help="seconds per throughput (default 5)")
    command.add_argument("--json", action="store_true", help="print the figures as JSON")
    command.set_defaults(run=_bench)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _calibrate(args: argparse.Namespace) -> int:
    _one_thread()
    from rearview.calibrate import calibrate
    from rearview.evaluate import carried_out

    return carried_out(calibrate, args)


def _add_calibrate(commands: Commands) -> None:
    command = commands.add_parser("calibrate", help="show the curves from dot product to relevance, and how they fit")
    command.add_argument("--data-dir", help="where a remote embedder's curve is kept (default .rearview)")
    command.add_argument("--no-measure", action="store_true", help="only the curves: embed nothing")
    command.add_argument("--again", action="store_true", help="fit a remote embedder's curve anew")
    command.set_defaults(run=_calibrate)


def _doctor(args: argparse.Namespace) -> int:
    from rearview.doctor import doctor

    return doctor(args)


def _add_doctor(commands: Commands) -> None:
    command = commands.add_parser("doctor", help="check all that is stored: settings, journals, snapshots, indexes")
    command.add_argument("--data-dir", help="data directory of a stopped service (default .rearview)")
    command.add_argument("--user", default="", help="only this user's")
    command.add_argument("--verbose", action="store_true", help="say what is right about every user, too")
    command.add_argument("--repair", action="store_true", help="put right what is derived: never the journal")
    command.add_argument(
        "--service-is-stopped",
        action="store_true",
        help="with --repair and a store of your own: no service uses it now",
    )
    command.set_defaults(run=_doctor)


def _backup(args: argparse.Namespace) -> int:
    from rearview.backup import backup

    return backup(args)


def _restore(args: argparse.Namespace) -> int:
    from rearview.backup import restore_backup

    return restore_backup(args)


def _add_backup(commands: Commands) -> None:
    words = {
        "backup": ("write all users, snapshots and token digests to one file; a service may run", _backup),
        "restore": ("read such a file into an empty installation", _restore),
    }
    for name, (help_text, run) in words.items():
        command = commands.add_parser(name, help=help_text)
        command.add_argument("file", type=Path, metavar="FILE")
        command.add_argument("--data-dir", help="data directory (default .rearview)")
        command.set_defaults(run=run)
