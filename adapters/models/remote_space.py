"""The embedding space of a remote model: its name, and what is found out about it at first use.

Cosines of different models mean different things, so mean vector and relevance curve are fitted once on the shipped
pairs (data/calibration_pairs.txt) and kept in a file beside the data. Until then a curve serves that is cautious for
every model. There is no query table for a foreign space and no static vector in it: a document without a vector of its
own is held as one constant placeholder, the same for all, whose curve says nothing, and is found by its words.
"""

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from actors.model_host import Embed
from actors.ports import QueryVector
from adapters.models.calibrate import evidence, fitted, read_people
from engine.calibration import Calibration
from engine.memory import Float32Array
from engine.spaces import CALIBRATION_KEYS, EmbeddingSpace

FIT_BATCH = 10  # The smallest number of texts that some provider takes at once.
MEAN_SHARE = np.float32(0.9)  # As for the bundled model: bench/query_encoder.md.
NO_ENCODER = "none"  # The query has no vector: words alone.
# A vector that says nothing: about what a memory that shares some word has. Less would hold back what words find.
_SILENT = Calibration((-1.0, 1.0), (0.25, 0.25))
_CAUTIOUS = Calibration((0.2, 0.5, 0.7, 0.9), (0.15, 0.3, 0.6, 0.95))


def space_id_of(model: str, dimensions: int) -> str:
    """Provider, model and dimension: vectors may be compared only where all three are the same."""
    return f"{model}/{dimensions}"


class RemoteSpace:
    """A space whose mean and curves may become known while it is in use; `space` always shows what is known now."""

    def __init__(self, model: str, dimensions: int, known: Mapping[str, object] | None) -> None:
        self._curves = dict.fromkeys(CALIBRATION_KEYS, _SILENT)
        self._curves["model:model"] = _CAUTIOUS
        self._curves |= {f"{NO_ENCODER}:{document}": _SILENT for document in ("model", "stand_in")}
        self._mean = np.zeros(dimensions, np.float32)
        self.space = EmbeddingSpace(space_id_of(model, dimensions), dimensions, self._mean, self._curves)
        self.fitted = False
        if known is not None:
            self.learn(known)

    def learn(self, known: Mapping[str, object]) -> None:
        """Take over what a fit found out (`SpaceFile`). What is of another dimension is left alone."""
        with contextlib.suppress(KeyError, TypeError, ValueError, AssertionError):
            mean = np.array(known["mean"], np.float32)
            knots = cast("Mapping[str, Sequence[float]]", known["curve"])
            curve = Calibration(tuple(knots["scores"]), tuple(knots["relevances"]))
            if mean.shape == self._mean.shape and np.isfinite(mean).all():
                self._mean[:] = mean
                self._curves["model:model"] = curve
                self.fitted = True

    def centred(self, vector: Float32Array) -> Float32Array:
        """A query vector with the common part taken off."""
        centred: Float32Array = vector - MEAN_SHARE * self._mean
        return centred


class NoTable:
    """Implements `actors.ports.StaticEncoder` for a space without a query table: it knows nothing, and says so."""

    def __init__(self, dimensions: int) -> None:
        self._nothing = np.zeros(dimensions, np.float32)
        self._placeholder = np.full(dimensions, 1.0 / np.sqrt(dimensions), np.float32)

    def encode(self, text: str) -> QueryVector:
        """No direction at all: every document scores 0, so words decide."""
        return QueryVector(self._nothing, NO_ENCODER, 0.0)

    def stand_in(self, text: str) -> Float32Array:
        """The same for every text, so that it tells no two of them apart, and costs one row of an index in all."""
        return self._placeholder


class SpaceFile:
    """Implements `actors.model_host.SpaceFile`: JSON with `space_id`, `dimensions`, `mean` and `curve`. Numbers only.

    `asked_for` is the dimension in the settings, 0 for the model's own, which is then found out and kept here.
    """

    def __init__(self, folder: Path, model: str, asked_for: int) -> None:
        self._model, self._asked_for = model, asked_for
        digest = hashlib.sha256(space_id_of(model, asked_for).encode()).hexdigest()[:16]
        self.path = folder / f"space-{digest}.json"

    def read(self) -> Mapping[str, object] | None:
        """What a fit found out earlier; None when it was not fitted, or cannot be read (then it is fitted again)."""
        known = self._all()
        return known if "curve" in known else None

    def dimensions(self) -> int:
        """The dimension in use, as far as settings or an earlier run know it, else 0."""
        found = self._asked_for or self._all().get("dimensions", 0)
        return found if isinstance(found, int) and found > 0 else 0

    def _all(self) -> Mapping[str, object]:
        with contextlib.suppress(OSError, ValueError):
            known = json.loads(self.path.read_text("utf-8"))
            if isinstance(known, dict):
                return known
        return {}

    def write(self, known: Mapping[str, object]) -> None:
        """Durable enough: a lost file is made again."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = self.path.with_suffix(".tmp")
        beside.write_text(json.dumps(known), "utf-8")
        beside.replace(self.path)

    async def fit(self, embed: Embed) -> Mapping[str, object] | None:
        """Embed the shipped pairs; mean of the statements, curve of the centred questions against them."""
        people = read_people()
        statements = [text for person in people for text in person.statements]
        questions = [text for person in people for text, _ in person.questions]
        documents, asked = await _embedded(embed, statements), await _embedded(embed, questions)
        mean = np.mean([vector for vector in documents.values() if np.isfinite(vector).all()], axis=0)
        queries = {text: vector - MEAN_SHARE * mean for text, vector in asked.items()}
        seen = evidence(people, queries, documents)
        sound = np.isfinite(seen.scores)
        scores, answers = seen.scores[sound], seen.answers[sound]
        if len(scores) < 2 or float(np.corrcoef(scores, answers)[0, 1] if scores.std() > 0 else 0.0) <= 0.0:
            return None  # A higher score means no better answer: no curve can be fitted to that.
        curve = fitted(scores, answers)
        dimensions = len(mean)
        return {
            "space_id": space_id_of(self._model, dimensions),
            "dimensions": dimensions,
            "mean": [float(x) for x in mean],
            "curve": {"scores": list(curve.scores), "relevances": list(curve.relevances)},
        }


async def _embedded(embed: Embed, texts: Sequence[str]) -> dict[str, Float32Array]:
    rows: dict[str, Float32Array] = {}
    for start in range(0, len(texts), FIT_BATCH):
        batch = texts[start : start + FIT_BATCH]
        rows |= dict(zip(batch, await embed(batch), strict=True))
    return rows
