"""Query vectors by table look-up: the words of a text, their rows, a sum. No model runs.

The table is distilled from the bundled model (adapters/models/table_builder, bench/query_encoder.md). It is one file:

    magic "RVQTABLE", a JSON header (4,096 bytes together), then at the byte offsets named in the header:
    words     UTF-8, one a line          mean    float32 (dimensions,)
    language  float32 (dimensions,)      scales  float32 (rows,)
    rows      int8 (rows, dimensions), to be multiplied by their scales

The rows are memory-mapped, so that all processes of a machine share them; the words are held as a dict per process.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from actors.ports import QueryVector
from adapters.models.query_words import QueryWords
from engine.errors import Corrupt
from engine.memory import Float32Array

BUNDLED_TABLE = Path(__file__).parent / "data" / "query_table.rvqt"
STAND_IN_WEIGHT = 0.39  # Fitted on public texts: bench/query_encoder.md.
RECENT_MAX = 4
HEADER_BYTES = 4_096
_MAGIC = b"RVQTABLE"
_ALIGNMENT = 64

Int8Array = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False, slots=True)
class TableParts:
    """What a table file holds: n words, `rows` int8 (n, d), `scales` float32 (n,).

    `mean` (d,) is the mean document vector, `language` (d,) the unit direction in which the model tells Chinese from
    English texts, whatever they say.
    """

    space_id: str
    words: Sequence[str]
    rows: Int8Array
    scales: Float32Array
    mean: Float32Array
    language: Float32Array
    made: Mapping[str, object]


class QueryTable:
    """Static query encoder. Immutable after loading; safe to share between threads."""

    def __init__(self, parts: TableParts) -> None:
        self.space_id = parts.space_id
        self.dimensions = int(parts.mean.shape[0])
        self.mean = parts.mean
        self.language = parts.language
        self.made = parts.made
        self._words = QueryWords(parts.words)
        self._rows = parts.rows
        self._scales = parts.scales
        self._recent: dict[int, Float32Array] = {}  # Replaced, never changed: threads may share it.

    @classmethod
    def load(cls, path: Path = BUNDLED_TABLE) -> "QueryTable":
        """Open a table file; its rows stay on disk until a query touches them.

        Raises:  FileNotFoundError, or Corrupt when the file is not a whole table.
        """
        return cls(read_parts(path))

    def encode(self, text: str) -> QueryVector:
        """Direction of the text, centred: score a stored document p as `vector . p`.

        Shapes:  vector (dimensions,) float32 of unit norm, or all zeros when no word is known.
        `coverage` is the share of the text's letters and digits that lie in known words: below 0.5 the model
        should be asked instead.
        """
        rows, coverage = self._words.cut(text)
        return QueryVector(vector=self._direction(rows), encoder="static", coverage=coverage)

    def stand_in(self, text: str) -> Float32Array:
        """A document vector to use until the model has made its own: mean + 0.39 static, of unit norm, read-only.

        One write asks for the same vector several times, so the last few are kept, by a hash and not by their text.
        """
        key = hash(text)
        if (held := self._recent.get(key)) is not None:
            return held
        rows, _ = self._words.cut(text)
        vector = self.mean + np.float32(STAND_IN_WEIGHT) * self._direction(rows)
        vector /= np.sqrt(vector @ vector)
        vector.flags.writeable = False
        self._recent = {**dict(list(self._recent.items())[1 - RECENT_MAX :]), key: vector}
        return vector

    def _direction(self, rows: list[int]) -> Float32Array:
        if not rows:
            return np.zeros(self.dimensions, np.float32)
        places = np.array(rows, np.intp)
        total: Float32Array = self._scales.take(places) @ self._rows.take(places, axis=0).astype(np.float32)
        norm = np.sqrt(total @ total)
        return total / norm if norm > 0.0 else total


@cache
def bundled_table() -> QueryTable:
    """The table that ships with the package, opened once per process."""
    return QueryTable.load()


def write_parts(path: Path, parts: TableParts) -> None:
    """Write a table file.

    Durable: complete when this returns (not fsynced); an error leaves an older file as it was. A process that has the
    older file mapped keeps it.
    """
    words = "\n".join(parts.words).encode("utf-8")
    blocks = {
        "words": words,
        "mean": parts.mean.astype("<f4").tobytes(),
        "language": parts.language.astype("<f4").tobytes(),
        "scales": parts.scales.astype("<f4").tobytes(),
        "rows": np.ascontiguousarray(parts.rows).tobytes(),
    }
    offsets: dict[str, int] = {}
    at = HEADER_BYTES
    for name, block in blocks.items():
        offsets[name] = at
        at += -(-len(block) // _ALIGNMENT) * _ALIGNMENT
    header = {
        "space_id": parts.space_id,
        "count": len(parts.words),
        "dimensions": int(parts.mean.shape[0]),
        "words_bytes": len(words),
        "offsets": offsets,
        "made": dict(parts.made),
    }
    start = _MAGIC + json.dumps(header).encode("utf-8")
    assert len(start) <= HEADER_BYTES, "the header has outgrown its block"
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        file.write(start.ljust(HEADER_BYTES))
        for name, block in blocks.items():
            file.seek(offsets[name])
            file.write(block)
    beside.replace(path)


def read_parts(path: Path) -> TableParts:
    """Read a table file, its rows memory-mapped.

    Raises:  FileNotFoundError, or Corrupt when the file is not a whole table.
    """
    with path.open("rb") as file:
        start = file.read(HEADER_BYTES)
        if not start.startswith(_MAGIC) or len(start) < HEADER_BYTES:
            raise Corrupt.of("This is not a query table.", code="corrupt_table")
        header = json.loads(start[len(_MAGIC) :])
        count, dimensions, offsets = header["count"], header["dimensions"], header["offsets"]
        if path.stat().st_size != offsets["rows"] + count * dimensions:
            raise Corrupt.of("The query table is cut short; install or build it again.", code="corrupt_table")
        file.seek(offsets["words"])
        words = file.read(header["words_bytes"]).decode("utf-8").split("\n")
        file.seek(offsets["mean"])
        mean = np.frombuffer(file.read(4 * dimensions), "<f4")
        file.seek(offsets["language"])
        language = np.frombuffer(file.read(4 * dimensions), "<f4")
        file.seek(offsets["scales"])
        scales = np.frombuffer(file.read(4 * count), "<f4")
    # A plain view: fancy indexing of the memmap class itself is several times slower.
    rows = np.asarray(np.memmap(path, np.int8, "r", offsets["rows"], (count, dimensions)))
    return TableParts(header["space_id"], words, rows, scales, mean, language, header["made"])
