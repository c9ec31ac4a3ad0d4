"""Write decisions on labelled files, in this process, by `decide_write` and `apply`. Formats: docs/measuring.md.

Every decision is a dry run for a user who knows nothing. The statements of a conflict are written in their order, each
as old as it says; right is when exactly what should be current is active afterwards, because a search returns active
memories. Judging is by rules alone, as on an install without a model.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

import numpy as np

from engine.commands import Write
from engine.decision import WriteDecision
from engine.memory import Float32Array, Status
from engine.policy import DAY_MS, Policy
from engine.state import UserState, apply
from engine.write import decide_write
from rearview.evaluate_files import LabelledFileError
from rearview.evaluate_files import field as field_of
from rearview.evaluate_intervals import NOTHING, Estimate, f1_of, mean_of

KEPT = frozenset({"stored", "merged", "superseded"})
STATEMENTS = ("first", "second", "third")


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What decides: the numbers, and the vector that compares two texts without a model."""

    policy: Policy
    now_ms: int
    dimensions: int
    likeness: Callable[[str], Float32Array]

    def fresh(self) -> UserState:
        """A user who knows nothing."""
        return UserState("eval", dimensions=self.dimensions, stand_in=self.likeness)

    def write(self, state: UserState, write: Write) -> WriteDecision:
        """Decide, and keep what was decided unless it is a dry run."""
        decision = decide_write(
            state,
            write,
            memory_id=f"m{len(state.ids)}",
            now_ms=self.now_ms,
            zone=UTC,
            policy=self.policy,
            vector=self.likeness(write.content),
        )
        if not write.dry_run:
            for event in decision.events:
                apply(state, event)
        return decision


@dataclass(slots=True)
class Rates:
    """How often cases of each kind came out right."""

    right: dict[str, list[bool]] = field(default_factory=dict)

    def count(self, keys: Iterable[str], ok: bool) -> None:
        for key in dict.fromkeys(keys):
            self.right.setdefault(key, []).append(ok)

    def estimates(self) -> dict[str, Estimate]:
        """By name."""
        return {key: mean_of(np.array(values, dtype=np.float64)) for key, values in sorted(self.right.items())}


@dataclass(frozen=True, slots=True)
class Wrong:
    """A case that came out wrong: what it says, what was wanted, what was got."""

    case_id: str
    text: str
    wanted: str
    got: str


@dataclass(frozen=True, slots=True)
class WriteFigures:
    """What one file measured; a figure that its kind does not have is `NOTHING`."""

    kind: str
    cases: int
    f1: Estimate = NOTHING
    category: Estimate = NOTHING
    tier: Estimate = NOTHING
    right: Estimate = NOTHING
    rates: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    wrong: Sequence[Wrong] = ()
    misplaced: Sequence[Wrong] = ()


def decisions(desk: Desk, cases: Sequence[Mapping[str, Any]]) -> WriteFigures:
    """Keep, drop, hold or refuse. F1 is over cases to keep and cases to drop; places over those kept rightly."""
    by_wish, by_language, by_phenomenon = Rates(), Rates(), Rates()
    kept_flags: list[tuple[bool, bool]] = []
    places: list[tuple[bool, bool]] = []
    wrong: list[Wrong] = []
    misplaced: list[Wrong] = []
    state = desk.fresh()
    for case in cases:
        decision = desk.write(
            state,
            Write(content=case["text"], source=case.get("speaker", "user"), task=case.get("task") or "", dry_run=True),
        )
        kept, wish = decision.outcome in KEPT, case["store"]
        if wish in (True, False):
            kept_flags.append((kept, bool(wish)))
        if wish is True and kept and decision.memory is not None:
            placed = decision.memory.category == case.get("category"), decision.memory.tier == case.get("tier")
            places.append(placed)
            if not all(placed):
                misplaced.append(
                    Wrong(
                        str(case["id"]),
                        case["text"],
                        f"{case.get('category')} {case.get('tier')}",
                        f"{decision.memory.category} {decision.memory.tier}",
                    )
                )
        ok = _as_wished(case, decision)
        by_wish.count([_wish(wish)], ok)
        by_language.count([str(case.get("lang", ""))], ok)
        by_phenomenon.count(map(str, case.get("tags", [])), ok)
        if not ok:
            wrong.append(Wrong(str(case["id"]), case["text"], _wish(wish), _said(decision)))
    flags = np.array(kept_flags, dtype=np.bool_).reshape(-1, 2)
    placed_flags = np.array(places, dtype=np.float64).reshape(-1, 2)
    return WriteFigures(
        "decisions",
        len(cases),
        f1=f1_of(flags[:, 0], flags[:, 1]),
        category=mean_of(placed_flags[:, 0]),
        tier=mean_of(placed_flags[:, 1]),
        wrong=wrong,
        misplaced=misplaced,
        rates={
            "wanted": by_wish.estimates(),
            "language": by_language.estimates(),
            "phenomenon": by_phenomenon.estimates(),
        },
    )


def _as_wished(case: Mapping[str, Any], decision: WriteDecision) -> bool:
    kept, wish = decision.outcome in KEPT, case["store"]
    if wish is True:
        return kept
    if wish is False:
        return not kept and decision.outcome != "pending"
    if wish == "pending":
        return decision.outcome == "pending"
    masked = decision.memory is not None and decision.memory.content != case["text"]
    return not kept or masked


def _wish(wish: object) -> str:
    return {"True": "keep", "False": "drop"}.get(str(wish), str(wish))


def _said(decision: WriteDecision) -> str:
    total = "" if decision.score is None else f", score {decision.score.total:.2f}"
    return f"{decision.outcome} ({decision.rule}{total})"


def grades(desk: Desk, cases: Sequence[Mapping[str, Any]]) -> WriteFigures:
    """Turns graded 2 must keep, 0 must drop; 1 is optional and does not count."""
    flags: list[tuple[bool, bool]] = []
    wrong: list[Wrong] = []
    for case in cases:
        if case["grade"] == 1:
            continue
        decision = desk.write(desk.fresh(), Write(content=case["text"]))
        kept, wanted = decision.outcome in KEPT, case["grade"] == 2
        flags.append((kept, wanted))
        if kept != wanted:
            wrong.append(Wrong(str(case["id"]), case["text"], _wish(wanted), _said(decision)))
    array = np.array(flags, dtype=np.bool_).reshape(-1, 2)
    rates = Rates()
    for kept, wanted in flags:
        rates.count([_wish(wanted)], kept == wanted)
    return WriteFigures(
        "grades", len(flags), f1_of(array[:, 0], array[:, 1]), rates={"wanted": rates.estimates()}, wrong=wrong
    )


def conflicts(desk: Desk, cases: Sequence[Mapping[str, Any]]) -> WriteFigures:
    """Two or three statements of one user: is exactly what should be current afterwards active?"""
    by_relation, by_language, by_phenomenon = Rates(), Rates(), Rates()
    results: list[bool] = []
    wrong: list[Wrong] = []
    for case in cases:
        ok, got = _conflict(desk, case)
        results.append(ok)
        by_relation.count([str(case["relation"])], ok)
        by_language.count([str(case.get("lang", ""))], ok)
        by_phenomenon.count(map(str, case.get("tags", [])[:1]), ok)
        if not ok:
            texts = " / ".join(case[name]["text"] for name in STATEMENTS if name in case)
            wrong.append(Wrong(str(case["id"]), texts, f"{case['relation']}, current {', '.join(case['after'])}", got))
    return WriteFigures(
        "conflicts",
        len(cases),
        right=mean_of(np.array(results, dtype=np.float64)),
        wrong=wrong,
        rates={
            "relation": by_relation.estimates(),
            "language": by_language.estimates(),
            "phenomenon": by_phenomenon.estimates(),
        },
    )


def _conflict(desk: Desk, case: Mapping[str, Any]) -> tuple[bool, str]:
    state, texts, outcomes = desk.fresh(), {}, []
    for name in [name for name in STATEMENTS if name in case]:
        said = case[name]
        decision = desk.write(
            state,
            Write(
                content=said["text"],
                source=said["source"],
                category=said.get("category") or "auto",
                tier="semantic",
                said_at_ms=desk.now_ms - int(said["days_ago"] * DAY_MS),
            ),
        )
        texts[name] = decision.memory.content if decision.memory is not None else ""
        outcomes.append(f"{decision.outcome} ({decision.rule})")
    active = [memory.content for memory in state.memories.values() if memory.status is Status.ACTIVE]
    current = {name: bool(text) and text in active for name, text in texts.items()}
    want = set(case["after"])
    wanted = {texts[name] for name in want}
    if case["relation"] in ("same", "refines"):
        ok = len(active) == 1
    else:  # In A, B, A the first and the third hold one text, which is then current.
        ok = all(current[name] == (name in want) for name in texts if name in want or texts[name] not in wanted)
    found = ", ".join(name for name, is_current in current.items() if is_current) or "nothing"
    return ok, f"current {found}; {', '.join(outcomes)}"


REQUIRED: Mapping[str, tuple[str, ...]] = {
    "decisions": ("id", "text", "store"),
    "grades": ("id", "text", "grade"),
    "conflicts": ("id", "first", "second", "relation", "after"),
}
MEASURES: Mapping[str, Callable[[Desk, Sequence[Mapping[str, Any]]], WriteFigures]] = {
    "decisions": decisions,
    "grades": grades,
    "conflicts": conflicts,
}


def checked(path: Path, kind: str, cases: Sequence[Mapping[str, Any]]) -> None:
    """Raises: LabelledFileError naming the first line that lacks a field."""
    if kind not in MEASURES:
        raise LabelledFileError(f"{path} holds {kind} cases; `rearview eval {kind}` measures these")
    for case in cases:
        for name in REQUIRED[kind]:
            field_of(path, case, name)
        for statement in (case[name] for name in STATEMENTS if kind == "conflicts" and name in case):
            for name in ("text", "source", "days_ago"):
                field_of(path, {**statement, "line": case.get("line", "?")}, name)
