"""Fit the weights of engine/relation_model.py to pairs of our own, and write engine/relation_weights.py.

    python -m bench.train_relation_model [--check]

bench/data/write_pairs*.tsv: relation, category, older, newer. Pairs that the rules keep apart (another subject, another
identifier) are left out, because the model is not asked about them. So that it learns what mere likeness is, the kept
statements of write_sentences_*.tsv are paired with those nearest to them: they were written for many different people,
and both stay. `--check` prints five-fold figures and writes nothing.
"""

import argparse
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adapters.models.query_table import QueryTable
from bench.train_write_model import DATA, ENGINE, LABELS, FloatArray, fit, packed
from engine.facets import facets_of, overlap
from engine.keep_model import TextVectors
from engine.memory import Category
from engine.relation import Pair, Said, by_rules
from engine.relation_model import BOTH, ONE, REPLACES, comparable, features

WEIGHTS = ENGINE / "relation_weights.py"
CLASSES = {"coexists": BOTH, "unrelated": BOTH, "replaces": REPLACES, "same": ONE, "refines": ONE}
RIDGE = 3.0
SEEN_MIN = 3
NEAREST = 3
STRANGER_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Example:
    """The inputs of a pair, its class, and how much it counts."""

    names: tuple[str, ...]
    wanted: int
    weight: float


def examples(vectors: TextVectors) -> list[Example]:
    """Every pair that the model would be asked about."""
    found: list[Example] = []
    for path in sorted(DATA.glob("write_pairs*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            relation, category, older, newer = line.split("\t")
            kind = Category(category)
            similarity = float(vectors(older) @ vectors(newer))
            pair = Pair(Said(facets_of(older), kind), Said(facets_of(newer), kind), similarity, True)
            if not pair.kept_apart:
                found.append(Example(tuple(features(pair)), CLASSES[relation], 1.0))
    for path in sorted(DATA.glob("write_sentences_*.tsv")):
        found += strangers(path, vectors)
    return found


def strangers(path: Path, vectors: TextVectors) -> list[Example]:
    """Kept statements of a file with those that stand before them and are nearest, as far as the model sees them."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [(LABELS[row[0]], row[2]) for row in rows if row[0] in LABELS and row[1] == "user" and len(row) == 3]
    said = [Said(facets_of(text), Category(kind)) for kind, text in kept]
    own = np.array([vectors(text) for _, text in kept])
    alike = own @ own.T
    found: list[Example] = []
    for newer in range(1, len(said)):
        closeness = [alike[newer, older] + overlap(said[newer].facets, said[older].facets) for older in range(newer)]
        for older in np.argsort(closeness)[::-1][:NEAREST].tolist():
            pair = Pair(said[older], said[newer], float(alike[newer, older]), True)
            if not pair.kept_apart and comparable(pair) and by_rules(pair) in ("unrelated", "coexists"):
                found.append(Example(tuple(features(pair)), BOTH, STRANGER_WEIGHT))
    return found


def matrix(found: list[Example], names: list[str]) -> FloatArray:
    places = {name: place for place, name in enumerate(names)}
    inputs: FloatArray = np.zeros((len(found), len(names)))
    for row, one in enumerate(found):
        inputs[row, [places[name] for name in one.names if name in places]] = 1.0
    return inputs


def fitted(inputs: FloatArray, classes: FloatArray, weights: FloatArray) -> FloatArray:
    """Weights of each class against the rest, shape (3, inputs)."""
    each = [fit(inputs, (classes == wanted).astype(float), RIDGE, weights) for wanted in (BOTH, REPLACES, ONE)]
    return np.array(each)


def check(inputs: FloatArray, classes: FloatArray, weights: FloatArray) -> None:
    folds = np.random.default_rng(7).integers(0, 5, len(classes))
    said = np.zeros(len(classes))
    for fold in range(5):
        test = folds == fold
        said[test] = (inputs[test] @ fitted(inputs[~test], classes[~test], weights[~test]).T).argmax(axis=1)
    pairs = weights == 1.0
    for title, chosen in (
        ("both stay", pairs & (classes == BOTH)),
        ("replaces", pairs & (classes == REPLACES)),
        ("one", pairs & (classes == ONE)),
        ("strangers stay", ~pairs),
    ):
        print(title, round(100 * float((said[chosen] == classes[chosen]).mean()), 1), "of", int(chosen.sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    found = examples(TextVectors.of(QueryTable.load().stand_in))
    seen = Counter(name for one in found for name in one.names)
    names = sorted(name for name, count in seen.items() if count >= SEEN_MIN)
    inputs, classes = matrix(found, names), np.array([one.wanted for one in found], dtype=float)
    weights = np.array([one.weight for one in found])
    if given.check:
        check(inputs, classes, weights)
        return
    lines = "".join(f'\n    "{" ".join(names[start : start + 4])} "' for start in range(0, len(names), 4))
    text = (
        '"""Weights of `engine.relation_model`. Written by bench/train_relation_model.py; do not edit."""\n\n'
        f"NAMES = ({lines}\n)\n"
        f"WEIGHTS = ({packed(fitted(inputs, classes, weights))}\n)\n"
    )
    Path(WEIGHTS).write_text(text, encoding="utf-8")
    print("wrote", WEIGHTS.name, "from", len(found), "pairs,", len(names), "inputs")


if __name__ == "__main__":
    main()
