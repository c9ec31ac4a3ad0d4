"""Fits the curves from dot product to relevance for one embedder and its query table.

Evidence: data/calibration_pairs.txt, short memories of invented people with questions that one of them answers and
questions that none answers, in Chinese, English and across. What a floor has to tell apart is the answer from the
best-looking wrong memories, so each question contributes its answer and the three wrong memories that score highest;
against random memories every curve would look better than it is.

A logistic curve (two parameters, a small ridge) is fitted to each pair of query encoder and document vector and
stored as a piecewise linear one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from actors.ports import StaticEncoder
from engine.calibration import Calibration
from engine.memory import Float32Array
from engine.spaces import DOCUMENT_VECTORS, QUERY_ENCODERS

CALIBRATION_PAIRS = Path(__file__).parent / "data" / "calibration_pairs.txt"
HARD_WRONG_COUNT = 3
KNOTS_COUNT = 13
_RIDGE = 1e-3

Float64Array = npt.NDArray[np.float64]


class Embedder(Protocol):
    """What is calibrated: see `actors.ports.DocumentEmbedder`."""

    def passages(self, texts: Sequence[str]) -> Float32Array: ...

    def query(self, text: str) -> Float32Array: ...


@dataclass(slots=True)
class Person:
    """One invented person: statements, and questions with the index of the statement that answers, or None."""

    name: str
    statements: list[str] = field(default_factory=list)
    questions: list[tuple[str, int | None]] = field(default_factory=list)


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """Scores with their truth (1 = this memory answers), and each question's best score, answerable or hopeless."""

    scores: Float64Array
    answers: Float64Array
    best_of_answerable: Float64Array
    best_of_hopeless: Float64Array

    @property
    def abstention_auroc(self) -> float:
        """Chance that an answerable question's best score exceeds a hopeless one's."""
        higher = self.best_of_answerable[:, None] > self.best_of_hopeless[None, :]
        equal = self.best_of_answerable[:, None] == self.best_of_hopeless[None, :]
        return float(np.mean(higher + equal / 2))


def read_people(path: Path = CALIBRATION_PAIRS) -> list[Person]:
    people: list[Person] = []
    for line in path.read_text("utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "==":
            people.append(Person(text))
        elif mark == "S":
            people[-1].statements.append(text)
        elif mark in ("Q", "X", "R"):
            people[-1].questions.append((text, len(people[-1].statements) - 1))
        elif mark == "U":
            people[-1].questions.append((text, None))
    return people


def evidence(
    people: Sequence[Person], queries: Mapping[str, Float32Array], documents: Mapping[str, Float32Array]
) -> Evidence:
    """Scores of the pairs. `queries` and `documents` map a text to its vector."""
    scores: list[float] = []
    answers: list[float] = []
    best: dict[bool, list[float]] = {True: [], False: []}
    for person in people:
        held = np.array([documents[text] for text in person.statements])
        for text, answer in person.questions:
            found = held @ queries[text]
            best[answer is not None].append(float(found.max()))
            if answer is not None:
                scores.append(float(found[answer]))
                answers.append(1.0)
                found = np.delete(found, answer)
            wrong = np.sort(found)[-HARD_WRONG_COUNT:]
            scores += wrong.tolist()
            answers += [0.0] * len(wrong)
    return Evidence(np.array(scores), np.array(answers), np.array(best[True]), np.array(best[False]))


def fitted(scores: Float64Array, answers: Float64Array) -> Calibration:
    """Logistic regression by Newton's method, as a piecewise linear curve over the scores seen."""
    middle, spread = float(scores.mean()), float(scores.std())
    design = np.stack([np.ones_like(scores), (scores - middle) / spread], axis=1)
    weights = np.zeros(2)
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-design @ weights))
        gradient = design.T @ (p - answers) / len(scores) + _RIDGE * weights
        curvature = (design * (p * (1 - p))[:, None]).T @ design / len(scores) + _RIDGE * np.eye(2)
        weights -= np.linalg.solve(curvature, gradient)
    assert weights[1] > 0, "a higher score must mean a better answer; these vectors do not fit this table"
    reach = np.linspace(-5.0, 5.0, KNOTS_COUNT)  # In logits: from 0.7 % to 99.3 %.
    knots = middle + spread * (reach - weights[0]) / weights[1]
    return Calibration(
        tuple(round(float(knot), 5) for knot in knots),
        tuple(round(float(1.0 / (1.0 + np.exp(-logit))), 4) for logit in reach),
    )


def gathered(embedder: Embedder, static: StaticEncoder) -> dict[str, Evidence]:
    """Evidence for each pair of query encoder and document vector, keyed "<query encoder>:<document vector>"."""
    people = read_people()
    statements = [text for person in people for text in person.statements]
    questions = [text for person in people for text, _ in person.questions]
    documents = {
        "model": dict(zip(statements, embedder.passages(statements), strict=True)),
        "stand_in": {text: static.stand_in(text) for text in statements},
    }
    queries = {
        "static": {text: static.encode(text).vector for text in questions},
        "model": {text: embedder.query(text) for text in questions},
    }
    return {f"{q}:{d}": evidence(people, queries[q], documents[d]) for q in QUERY_ENCODERS for d in DOCUMENT_VECTORS}


def write_calibrations(path: Path, space_id: str, curves: Mapping[str, Calibration]) -> None:
    """Write curves as `adapters.models.space.read_calibrations` reads them."""
    knots = {key: {"scores": list(c.scores), "relevances": list(c.relevances)} for key, c in curves.items()}
    path.write_text(json.dumps({"space_id": space_id, "curves": knots}, indent=1) + "\n", "utf-8")
