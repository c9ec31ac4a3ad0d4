"""Figures as a person reads them: percent, with the 95 % interval in brackets, columns that line up."""

from collections.abc import Mapping, Sequence

from adapters.cli.show import one_line, printable
from rearview.evaluate_intervals import Estimate
from rearview.evaluate_recall import RANKS, RecallFigures
from rearview.evaluate_writes import WriteFigures, Wrong

NAME_COLUMNS = 36
FIGURE_COLUMNS = 24
TEXT_COLUMNS = 72
NOUNS = {"decisions": "statements", "grades": "graded turns", "conflicts": "conflicts"}


def row(name: str, cells: Sequence[str]) -> str:
    """One line of a table."""
    indent = len(name) - len(name.lstrip())
    columns = "".join(f"{cell:<{FIGURE_COLUMNS}}" for cell in cells).rstrip()
    return " " * indent + one_line(name, NAME_COLUMNS - indent) + columns


def recall(name: str, memories: int, users: int, figures: RecallFigures) -> str:
    """The figures of one file of questions."""
    answerable = figures.questions - figures.unanswerable
    lines = [
        f"{printable(name)}: {memories} memories of {users} user{'s' if users != 1 else ''}, "
        f"{figures.questions} questions ({figures.unanswerable} without an answer), {figures.ms_p50:.2f} ms each",
        row("", [f"R@{k}" for k in RANKS]),
        row(f"all ({answerable})", [figures.recall[k].percent() for k in RANKS]),
    ]
    lines += [
        row(f"  {kind} ({by_rank[RANKS[0]].count})", [by_rank[k].percent() for k in RANKS])
        for kind, by_rank in figures.by_kind.items()
    ]
    if figures.stale.known:
        lines.append(row("outdated above right", [figures.stale.percent(), f"of {figures.stale.count} questions"]))
    if figures.auroc.known:
        lines.append(row("abstention AUROC", [figures.auroc.plain()]))
        lines.append(row("silent where nothing answers", [figures.unanswerable_kept_silent.percent()]))
    if figures.answerable_kept_silent.known:
        lines.append(row("silent although one answers", [figures.answerable_kept_silent.percent()]))
    return "\n".join(lines)


def writes(name: str, figures: WriteFigures, show: int) -> str:
    """The figures of one file of statements."""
    lines = [f"{printable(name)}: {figures.cases} {NOUNS[figures.kind]}"]
    for label, estimate in (
        ("F1 of keeping", figures.f1),
        ("category right", figures.category),
        ("tier right", figures.tier),
        ("right", figures.right),
    ):
        if estimate.known:
            lines.append(row(label, [estimate.percent(), f"of {estimate.count}"]))
    for group, rates in figures.rates.items():
        lines += _rates(group, rates)
    lines += _wrong("wrong", figures.wrong, show)
    lines += _wrong("kept, but in the wrong place", figures.misplaced, show)
    return "\n".join(lines)


def _rates(group: str, rates: Mapping[str, Estimate]) -> list[str]:
    """The commonest first."""
    ordered = sorted(((key, rate) for key, rate in rates.items() if key), key=lambda item: (-item[1].count, item[0]))
    return [f"right by {group}:"] * bool(ordered) + [
        row(f"  {key}", [rate.percent(), f"of {rate.count}"]) for key, rate in ordered
    ]


def _wrong(title: str, wrong: Sequence[Wrong], show: int) -> list[str]:
    if not wrong or show <= 0:
        return []
    lines = [f"{title} ({len(wrong)}):"]
    for case in wrong[:show]:
        lines.append(f"  {printable(case.case_id)}  {one_line(case.text, TEXT_COLUMNS).rstrip()}")
        lines.append(f"      wanted {printable(case.wanted)}; got {printable(case.got)}")
    if len(wrong) > show:
        lines.append(f"  … and {len(wrong) - show} more (--show {len(wrong)})")
    return lines
