"""Write decisions on labelled files through `decide_write` and `apply`, without a service.

    python -m bench.eval_writes_offline DATA_DIR [--part tuned|held|all] [--show N]

Reads decisions.jsonl, conflicts.jsonl and memorybank_grades_{zh,en}.jsonl. A line belongs to the held part when the
first byte of sha256(id) is a multiple of 3; rules were tuned on the other two thirds only. "Found" after a conflict
case means active, because a search returns active memories.
"""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

from adapters.models.query_table import QueryTable
from engine.commands import Write
from engine.decision import WriteDecision
from engine.memory import Status
from engine.policy import DAY_MS, Policy
from engine.state import UserState, apply
from engine.write import decide_write

NOW_MS = 1_767_225_600_000
KEPT = frozenset({"stored", "merged", "superseded"})
POLICY = Policy()


class Bench:
    """A user per case, and the static table that stands in for the model."""

    def __init__(self) -> None:
        self.table = QueryTable.load()

    def fresh(self) -> UserState:
        return UserState("bench", dimensions=self.table.dimensions, stand_in=self.table.stand_in)

    def write(self, state: UserState, write: Write) -> WriteDecision:
        decision = decide_write(
            state, write, memory_id=f"m{len(state.ids)}", now_ms=NOW_MS, zone=UTC, policy=POLICY,
            vector=self.table.stand_in(write.content),
        )
        if not write.dry_run:
            for event in decision.events:
                apply(state, event)
        return decision


def cases(path: Path, part: str) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            held = hashlib.sha256(str(case["id"]).encode()).digest()[0] % 3 == 0
            if part == "all" or held == (part == "held"):
                yield case


def percent(a: int, b: int) -> float | None:
    return round(100 * a / b, 1) if b else None


def f1(tp: int, fp: int, fn: int) -> float:
    return round(200 * tp / (2 * tp + fp + fn), 1) if tp else 0.0


def decisions(bench: Bench, path: Path, part: str, show: int) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    tp = fp = fn = category = tier = 0
    wrong: list[tuple[object, ...]] = []
    state = bench.fresh()
    for case in cases(path, part):
        decision = bench.write(
            state, Write(content=case["text"], source=case["speaker"], task=case.get("task") or "", dry_run=True)
        )
        kept, want = decision.outcome in KEPT, case["store"]
        if want is True:
            tp, fn = tp + kept, fn + (not kept)
            if kept and decision.memory is not None:
                category += decision.memory.category == case["category"]
                tier += decision.memory.tier == case["tier"]
                if decision.memory.category != case["category"] or decision.memory.tier != case["tier"]:
                    wrong.append(("place", case["id"], case["text"][:70], case["category"], case["tier"],
                                  str(decision.memory.category), str(decision.memory.tier)))
        elif want is False:
            fp += kept
        text = decision.memory.content if decision.memory is not None else ""
        ok = {"True": kept, "False": not kept and decision.outcome != "pending", "pending": decision.outcome == "pending",
              "refuse": not kept or text != case["text"]}[str(want)]
        for key in (str(want), case["lang"], *case.get("tags", [])):
            total[key] += 1
            right[key] += ok
        if not ok:
            total_score = None if decision.score is None else decision.score.total
            wrong.append((case["id"], case["text"][:90], want, decision.outcome, decision.rule, total_score))
    print("decisions", json.dumps({
        "F1": f1(tp, fp, fn), "precision": percent(tp, tp + fp), "recall": percent(tp, tp + fn),
        "category": percent(category, tp), "tier": percent(tier, tp),
        "by": {key: percent(right[key], total[key]) for key in sorted(total)},
    }, ensure_ascii=False))
    for line in wrong[:show]:
        print("  ", *line)


def grades(bench: Bench, path: Path, part: str, show: int) -> None:
    tp = fp = fn = 0
    wrong: list[tuple[object, ...]] = []
    for case in cases(path, part):
        if case["grade"] == 1:
            continue
        decision = bench.write(bench.fresh(), Write(content=case["text"]))
        kept, want = decision.outcome in KEPT, case["grade"] == 2
        tp, fp, fn = tp + (kept and want), fp + (kept and not want), fn + (want and not kept)
        if kept != want:
            wrong.append((want, case["text"][:110], decision.outcome, decision.rule, decision.score and decision.score.total))
    print(path.stem, json.dumps({"F1": f1(tp, fp, fn), "kept right": tp, "kept wrong": fp, "missed": fn}))
    for line in wrong[:show]:
        print("  ", *line)


def conflicts(bench: Bench, path: Path, part: str, show: int) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong: list[tuple[object, ...]] = []
    for case in cases(path, part):
        state, texts, outcomes = bench.fresh(), {}, []
        for name in [n for n in ("first", "second", "third") if n in case]:
            said = case[name]
            decision = bench.write(state, Write(
                content=said["text"], source=said["source"], category=said.get("category") or "auto", tier="semantic",
                said_at_ms=NOW_MS - int(said["days_ago"] * DAY_MS),
            ))
            texts[name] = decision.memory.content if decision.memory is not None else ""
            outcomes.append(decision.outcome)
        active = [memory.content for memory in state.memories.values() if memory.status is Status.ACTIVE]
        current = {name: bool(text) and text in active for name, text in texts.items()}
        want = set(case["after"])
        wanted = {texts[name] for name in want}
        if case["relation"] in ("same", "refines"):
            ok = len(active) == 1
        else:
            ok = all(current[n] == (n in want) for n in texts if n in want or texts[n] not in wanted)
        for key in ("all", case["relation"], case["lang"], case["tags"][0]):
            total[key] += 1
            right[key] += ok
        if not ok:
            wrong.append((case["id"], case["relation"], *(case[n]["text"][:46] + " /" for n in texts), outcomes, current))
    print("conflicts", json.dumps({key: percent(right[key], total[key]) for key in sorted(total)}, ensure_ascii=False))
    for line in wrong[:show]:
        print("  ", *line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--part", choices=("tuned", "held", "all"), default="tuned")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    bench = Bench()
    decisions(bench, given.data / "decisions.jsonl", given.part, given.show)
    for language in ("zh", "en"):
        grades(bench, given.data / f"memorybank_grades_{language}.jsonl", given.part, given.show)
    conflicts(bench, given.data / "conflicts.jsonl", given.part, given.show)


if __name__ == "__main__":
    main()
