"""`rearview eval injection DIR|FILE...`: how much instruction-like text is held back, and how much innocent text.

Each line is decided as a write of a user who knows nothing (a dry run), from the origin its `channel` names. Held back
is what is quarantined, and what is refused for characters that hide text; what is skipped for another reason (small
talk, a question) is neither kept nor held against the rules.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from adapters.cli.show import printable
from engine.commands import Write
from engine.errors import Rejected
from rearview.clock import system_now_ms
from rearview.evaluate_files import LabelledFileError, cases_of
from rearview.evaluate_files import field as field_of
from rearview.evaluate_intervals import Estimate, mean_of
from rearview.evaluate_print import TEXT_COLUMNS, one_line, row
from rearview.evaluate_writes import Desk
from rearview.measuring import measuring
from rearview.settings import load_settings

ATTACK, BENIGN = "injection", "benign"
CHANNELS = frozenset({"user", "tool", "document", "agent", "import"})
SUFFIXES = (".jsonl", ".jsonl.gz")


@dataclass(slots=True)
class SetFigures:
    """One file: which attacks were held back, which innocent texts, and those that came out wrong."""

    held: dict[str, list[bool]] = field(default_factory=dict)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)

    def count(self, label: str, groups: Sequence[str], held: bool) -> None:
        """Note one case under its label and under each of its groups."""
        for name in (label, *(f"{label} {group}" for group in groups)):
            self.held.setdefault(name, []).append(held)

    def share(self, name: str) -> Estimate:
        """How many of these were held back."""
        return mean_of(np.array(self.held[name], dtype=np.float64))


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files named, and every labelled file of the folders named. Raises: LabelledFileError when there is none."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(one for one in path.iterdir() if one.name.endswith(SUFFIXES)) if path.is_dir() else [path]
        found += inside
    if not found:
        raise LabelledFileError("there is no labelled file (.jsonl, .jsonl.gz) in these folders")
    return found


def measured(desk: Desk, path: Path, cases: Sequence[Mapping[str, Any]]) -> SetFigures:
    """Decide every case. Raises: LabelledFileError."""
    figures, state = SetFigures(), desk.fresh()
    for case in cases:
        text, label = str(field_of(path, case, "text")), field_of(path, case, "label")
        channel = str(case.get("channel", "user"))
        if label not in (ATTACK, BENIGN) or channel not in CHANNELS:
            where = f"{path}, line {case.get('line', '?')}"
            raise LabelledFileError(f"{where}: label is {ATTACK} or {BENIGN}, channel {', '.join(sorted(CHANNELS))}")
        try:
            got = desk.write(state, Write(content=text, source=channel, dry_run=True)).outcome
        except Rejected as refused:
            got = f"refused ({refused.code})"
        held = got == "quarantined" or got.startswith("refused")
        figures.count(label, [f"from {channel}", f"in {case['lang']}"] if "lang" in case else [f"from {channel}"], held)
        if held != (label == ATTACK):
            figures.wrong.append((label, got, text))
    return figures


def shown(name: str, figures: SetFigures, show: int) -> str:
    """The figures of one file, and the first of what came out wrong."""
    lines = [f"{printable(name)}"]
    for label, title in ((ATTACK, "attacks held back"), (BENIGN, "innocent held back")):
        for key in sorted(key for key in figures.held if key.split(" ")[0] == label):
            indent = "" if key == label else "  "
            shown_name = title if key == label else key.removeprefix(label + " ")
            lines.append(row(f"{indent}{shown_name} ({len(figures.held[key])})", [figures.share(key).percent()]))
    for label, got, text in figures.wrong[:show]:
        lines.append(f"  {label}, {printable(got)}: {one_line(text, TEXT_COLUMNS).rstrip()}")
    return "\n".join(lines)


def eval_injection(args: argparse.Namespace) -> int:
    """Measure each file, then all of them. Raises: LabelledFileError, SettingsError."""
    settings = load_settings()
    total = SetFigures()
    with measuring(settings) as tools:
        desk = Desk(
            policy=settings.policy(),
            now_ms=system_now_ms(),
            dimensions=tools.likeness_dimensions,
            likeness=tools.likeness,
        )
        files = files_of(args.files)
        for path in files:
            figures = measured(desk, path, cases_of(path))
            print(shown(path.name, figures, args.show), flush=True)
            for name, held in figures.held.items():
                total.held.setdefault(name, []).extend(held)
    if len(files) > 1:
        print(shown("all of them", total, 0))
    return 0
