"""Write decisions on sentences and pairs of our own: the ones that rules and weights are made with.

    python -m bench.own_writes [--show N]

write_sentences_*.tsv: label, speaker, text, task?. P F E K W are to be kept (preference, fact, event, to-do, for
the task only), U waits as pending, N is dropped. write_pairs.tsv: relation, category, older, newer. The last part
writes all kept sentences of a language into one store and lists what superseded or merged: most of that would be wrong.
"""

import argparse
from collections import Counter
from pathlib import Path

from bench.eval_writes_offline import KEPT, NOW_MS, Bench, f1, percent
from engine.commands import Write
from engine.memory import Status
from engine.policy import DAY_MS

DATA = Path(__file__).parent / "data"
CATEGORIES = {"P": "preference", "F": "fact", "E": "event", "K": "task", "W": "task"}
ONE_LEFT = frozenset({"same", "refines", "replaces"})


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]


def sentences(bench: Bench, language: str, show: int) -> None:
    state = bench.fresh()
    tp = fp = fn = category = pending = waits = 0
    wrong: list[str] = []
    for label, speaker, text, *task in rows(DATA / f"write_sentences_{language}.tsv"):
        decision = bench.write(state, Write(content=text, source=speaker, task="".join(task), dry_run=True))
        kept = decision.outcome in KEPT
        ok = kept == (label in CATEGORIES) and (label == "U") == (decision.outcome == "pending")
        wanted = label in CATEGORIES
        tp, fp, fn = tp + (kept and wanted), fp + (kept and label == "N"), fn + (wanted and not kept)
        category += kept and decision.memory is not None and decision.memory.category == CATEGORIES.get(label)
        waits, pending = waits + (label == "U"), pending + (label == "U" and decision.outcome == "pending")
        if not ok:
            wrong.append(f"{label} {speaker} {text[:80]} -> {decision.outcome} {decision.rule}")
    print(language, "F1", f1(tp, fp, fn), "category", percent(category, tp), "pending", percent(pending, waits))
    print("\n".join("   " + line for line in wrong[:show]))


def pairs(bench: Bench, show: int) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong: list[str] = []
    for relation, category, older, newer in rows(DATA / "write_pairs.tsv"):
        state, outcomes = bench.fresh(), []
        for days_ago, text in ((30, older), (20, newer)):
            write = Write(content=text, category=category, tier="semantic", said_at_ms=NOW_MS - days_ago * DAY_MS)
            outcomes.append(bench.write(state, write).outcome)
        active = [memory.content for memory in state.memories.values() if memory.status is Status.ACTIVE]
        ok = len(active) == 2
        if relation in ONE_LEFT:
            ok = len(active) == 1 and (relation != "replaces" or active == [newer])
        total[relation] += 1
        right[relation] += ok
        if not ok:
            wrong.append(f"{relation} {category} | {older} | {newer} | {outcomes}")
    by_relation = {relation: percent(right[relation], total[relation]) for relation in total}
    print("pairs", by_relation, percent(right.total(), total.total()))
    print("\n".join("   " + line for line in wrong[:show]))


def one_store(bench: Bench, language: str, show: int) -> None:
    state = bench.fresh()
    outcomes: Counter[str] = Counter()
    lines: list[str] = []
    for minute, (label, speaker, text, *task) in enumerate(rows(DATA / f"write_sentences_{language}.tsv")):
        if speaker != "user" or label not in CATEGORIES or task:
            continue
        decision = bench.write(state, Write(content=text, said_at_ms=NOW_MS - 30 * DAY_MS + 60_000 * minute))
        outcomes[decision.outcome] += 1
        if decision.outcome in ("superseded", "merged"):
            lines += [
                f"{decision.outcome} {text[:70]} <- {state.memories[one.memory_id].content[:70]}"
                for one in decision.related
                if one.relation in ONE_LEFT
            ]
    print("one store", language, dict(outcomes))
    print("\n".join("   " + line for line in lines[:show]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    bench = Bench()
    for language in ("zh", "en"):
        sentences(bench, language, given.show)
    pairs(bench, given.show)
    for language in ("zh", "en"):
        one_store(bench, language, given.show)


if __name__ == "__main__":
    main()
