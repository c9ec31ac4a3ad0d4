"""What the engine must know about a set of vectors before it may compare them."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.calibration import Calibration
from engine.memory import Float32Array

QUERY_ENCODERS = ("static", "model")
DOCUMENT_VECTORS = ("model", "stand_in")
CALIBRATION_KEYS = tuple(f"{query}:{document}" for query in QUERY_ENCODERS for document in DOCUMENT_VECTORS)


@dataclass(frozen=True, eq=False, slots=True)
class EmbeddingSpace:
    """One embedder's vectors. Two vectors may be compared only if their `space_id` is the same.

    `mean` (dimensions,) is the mean document vector: a query q is compared as q - 0.9 mean, and a document without
    a vector of its own is held as mean + 0.39 static, normalised (bench/query_encoder.md).
    `calibrations` has one curve for each of `CALIBRATION_KEYS`, named "<query encoder>:<document vector>".
    """

    space_id: str
    dimensions: int
    mean: Float32Array
    calibrations: Mapping[str, Calibration]

    def __post_init__(self) -> None:
        assert self.mean.shape == (self.dimensions,), f"mean has shape {self.mean.shape}, not ({self.dimensions},)"
        missing = [key for key in CALIBRATION_KEYS if key not in self.calibrations]
        assert not missing, f"no calibration for {missing}"

    def calibration(self, encoder: str, *, stand_in: bool) -> Calibration:
        """The curve for a query made by `encoder` ("static" or "model") against this kind of document vector."""
        return self.calibrations[f"{encoder}:{'stand_in' if stand_in else 'model'}"]
