"""Fit the weights of engine/keep_model.py to sentences of our own: engine/keep_weights.py, category_weights.py.

    python -m bench.train_write_model [--check]

Only the user's sentences without a task are used, and of those only what screening lets through, because the model
never sees the others. write_categories_*.tsv holds kept statements for the categories only: with their counterparts
that are not worth keeping, keeping got no better. `--check` prints five-fold cross-validation and writes nothing.
"""

import argparse
import base64
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from adapters.models.query_table import QueryTable
from engine.keep_model import CATEGORIES, TextVectors, features
from engine.memory import Source
from engine.reading import read
from engine.score import density
from engine.screen import screen

DATA = Path(__file__).parent / "data"
ENGINE = Path(__file__).parent.parent / "engine"
WEIGHTS, CATEGORY_WEIGHTS = ENGINE / "keep_weights.py", ENGINE / "category_weights.py"
LABELS = {"P": "preference", "F": "fact", "E": "event", "K": "task"}
RIDGE = 2.0
VECTOR_SCALE = 2.5
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One statement: its inputs, whether to keep it, and its category where it is kept."""

    text: str
    names: tuple[str, ...]
    keep: bool
    category: str


def examples(files: str = "write_sentences_*.tsv") -> list[Example]:
    """Every statement the model would see; of a text with several, all are labelled as the text is."""
    found: list[Example] = []
    for path in sorted(DATA.glob(files)):
        for line in path.read_text(encoding="utf-8").splitlines():
            label, speaker, text, *task = line.split("\t")
            if speaker != "user" or task or label not in (*LABELS, "N") or screen(text, Source.USER) is not None:
                continue
            reading = read(text)
            statements = reading.statements if len(reading.statements) == 1 or label == "N" else ()
            found += [
                Example(
                    one.text,
                    tuple(features(one.cues, reading.rest, density(one.text))),
                    label != "N",
                    LABELS.get(label, ""),
                )
                for one in statements
            ]
    return found


def fit(inputs: FloatArray, wanted: FloatArray, ridge: float = RIDGE, weights: FloatArray | float = 1.0) -> FloatArray:
    """Logistic regression by Newton's method with a ridge; the bias is an input like any other."""
    found: FloatArray = np.zeros(inputs.shape[1])
    for _ in range(25):
        chance = 1.0 / (1.0 + np.exp(-inputs @ found))
        slope = inputs.T @ (weights * (chance - wanted)) + ridge * found
        curve = (inputs * (weights * chance * (1.0 - chance))[:, None]).T @ inputs + ridge * np.eye(len(found))
        step = np.linalg.solve(curve, slope)
        found -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return found


def matrix(found: list[Example], names: list[str]) -> FloatArray:
    places = {name: place for place, name in enumerate(names)}
    inputs: FloatArray = np.zeros((len(found), len(names)))
    for row, example in enumerate(found):
        for name in example.names:
            if name in places:
                inputs[row, places[name]] = 1.0
    return inputs


def with_vectors(inputs: FloatArray, found: list[Example], vectors: TextVectors) -> FloatArray:
    """The inputs with the centred vectors beside them; the ridge is spread evenly over both."""
    return np.hstack([inputs, VECTOR_SCALE * np.array([vectors(example.text) for example in found], dtype=np.float64)])


def check(found: list[Example], kept: list[Example], names: list[str], vectors: TextVectors) -> None:
    """Print five-fold figures of keeping, over all statements, and of the categories, over the kept ones."""
    folds = np.random.default_rng(7).integers(0, 5, len(found))
    inputs, keep = matrix(found, names), np.array([example.keep for example in found], dtype=float)
    for title, columns in (("cues alone", inputs), ("cues and vectors", with_vectors(inputs, found, vectors))):
        said = np.zeros(len(found), dtype=bool)
        for fold in range(5):
            test = folds == fold
            said[test] = columns[test] @ fit(columns[~test], keep[~test]) > 0
        right = int((said & (keep > 0.5)).sum())
        print("keep F1", title, round(200 * right / (int(said.sum()) + int(keep.sum())), 1), "of", len(found))
    folds, inputs = np.random.default_rng(7).integers(0, 5, len(kept)), matrix(kept, names)
    for title, columns in (("cues alone", inputs), ("cues and vectors", with_vectors(inputs, kept, vectors))):
        scores = np.zeros((len(kept), len(CATEGORIES)))
        for fold in range(5):
            test = folds == fold
            for column, category in enumerate(CATEGORIES):
                wanted = np.array([one.category == category for one in kept], dtype=float)
                scores[test, column] = columns[test] @ fit(columns[~test], wanted[~test])
        hits = sum(CATEGORIES[int(best)] == one.category for best, one in zip(scores.argmax(1), kept, strict=True))
        print("category", title, round(100 * hits / len(kept), 1), "of", len(kept))


def written(names: list[str], weights: FloatArray) -> str:
    """A dict literal, several entries a line."""
    lines = [""]
    for name, weight in zip(names, weights, strict=True):
        entry = f'"{name}": {weight:.3f}, ' if abs(weight) >= 0.0005 else ""
        if len(lines[-1]) + len(entry) > 108:
            lines.append("")
        lines[-1] += entry
    return "{\n" + "\n".join(f"    {line.rstrip()}" for line in lines) + "\n}"


def packed(numbers: FloatArray) -> str:
    """Half-precision floats as base64, in lines."""
    plain = base64.b64encode(numbers.astype("<f2").tobytes()).decode()
    return "".join(f'\n    "{plain[start : start + 100]}"' for start in range(0, len(plain), 100))


def keep_file(found: list[Example], names: list[str], vectors: TextVectors) -> str:
    """The source of engine/keep_weights.py."""
    keep = np.array([example.keep for example in found], dtype=float)
    alone = matrix(found, names)
    both, count = fit(with_vectors(alone, found, vectors), keep), len(names)
    return (
        '"""Weights of `engine.keep_model`. Written by bench/train_write_model.py; do not edit."""\n\n'
        f"KEEP_WEIGHTS: dict[str, float] = {written(names, both[:count])}\n"
        f"ALONE_WEIGHTS: dict[str, float] = {written(names, fit(alone, keep))}\n"
        f"VECTOR_WEIGHTS = ({packed(VECTOR_SCALE * both[count:])}\n)\n"
        f"NEUTRAL = ({packed(vectors.neutral.astype(np.float64))}\n)\n"
    )


def category_file(kept: list[Example], names: list[str], vectors: TextVectors) -> str:
    """The source of engine/category_weights.py: a row for each category, a column for each name or dimension."""
    alone, count = matrix(kept, names), len(names)
    beside = with_vectors(alone, kept, vectors)
    wanted = [np.array([one.category == name for one in kept], dtype=float) for name in CATEGORIES]
    fitted = np.array([fit(beside, one) for one in wanted])
    lines = "".join(f'\n    "{" ".join(names[start : start + 8])} "' for start in range(0, count, 8))
    return (
        '"""Weights of categories, for `engine.keep_model`. Written by bench/train_write_model.py; do not edit."""\n\n'
        f"NAMES = ({lines}\n)\n"
        f"WEIGHTS = ({packed(fitted[:, :count])}\n)\n"
        f"VECTOR_WEIGHTS = ({packed(VECTOR_SCALE * fitted[:, count:])}\n)\n"
        f"ALONE_WEIGHTS = ({packed(np.array([fit(alone, one) for one in wanted]))}\n)\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    found = examples()
    kept = [one for one in (*found, *examples("write_categories_*.tsv")) if one.keep]
    names = sorted({name for example in found for name in example.names})
    vectors = TextVectors.of(QueryTable.load().stand_in)
    if given.check:
        check(found, kept, names, vectors)
        return
    WEIGHTS.write_text(keep_file(found, names, vectors), encoding="utf-8")
    CATEGORY_WEIGHTS.write_text(category_file(kept, names, vectors), encoding="utf-8")
    print("wrote", WEIGHTS.name, "from", len(found), "and", CATEGORY_WEIGHTS.name, "from", len(kept), "statements")


if __name__ == "__main__":
    main()
