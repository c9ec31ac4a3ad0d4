"""The vectors that a measurement needs, by the embedder in use; kept in a folder, the next run has them at once."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from actors.ports import DocumentEmbedder, QueryVector, StaticEncoder
from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace

KEPT_EVERY = 512  # Texts made that are worth writing down, should the run be ended.
_KEY_BYTES = 16
Said = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Encoders:
    """What turns texts into vectors here: as a host has it (`actors.parts.HostParts`)."""

    embedder: Callable[[], DocumentEmbedder]
    static: StaticEncoder
    space: EmbeddingSpace
    query_encoder: str = "static"
    coverage_min: float = 0.5
    batch: int = 64


class Vectors:
    """Document and query vectors by text; the model is asked only for what the folder lacks. No text is stored."""

    def __init__(self, encoders: Encoders, *, folder: Path | None = None, say: Said = lambda text: None) -> None:
        self._encoders = encoders
        self._say = say
        self._model: DocumentEmbedder | None = None
        name = hashlib.sha256(encoders.space.space_id.encode()).hexdigest()[:16]
        self._path = None if folder is None else folder / f"vectors-{name}.npz"
        self._held: dict[bytes, Float32Array] = _read(self._path, encoders.space.dimensions)
        self._made = 0

    def documents(self, texts: Sequence[str]) -> Mapping[str, Float32Array]:
        """The model's vector of each text. Shapes: (dimensions,) each, unit norm."""
        wanted = [text for text in dict.fromkeys(texts) if _key("p", text) not in self._held]
        size = self._encoders.batch
        for start in range(0, len(wanted), size):
            batch = wanted[start : start + size]
            rows = self._embedder().passages(batch)
            self._held |= {_key("p", text): row.copy() for text, row in zip(batch, rows, strict=True)}
            self._made += len(batch)
            if self._made >= KEPT_EVERY:
                self.keep()
            self._say(f"{start + len(batch)} of {len(wanted)} texts embedded")
        return {text: self._held[_key("p", text)] for text in texts}

    def query(self, text: str) -> QueryVector:
        """By the table or by the model, as a host would choose."""
        encoders = self._encoders
        static = encoders.static.encode(text)
        if encoders.query_encoder != "quality" and static.coverage >= encoders.coverage_min:
            return static
        return self.surer(text)

    def surer(self, text: str) -> QueryVector:
        """By the model, whatever the setting says."""
        key = _key("q", text)
        if key not in self._held:
            self._held[key] = self._embedder().query(text)
            self._made += 1
        return QueryVector(self._held[key], "model", 1.0)

    def keep(self) -> None:
        """Write the folder's file, if there is a folder and anything new."""
        if self._path is None or not self._made:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside = self._path.with_suffix(".tmp.npz")
        keys = np.frombuffer(b"".join(self._held), np.uint8).reshape(-1, _KEY_BYTES)
        np.savez(beside, keys=keys, rows=np.array(list(self._held.values()), np.float32))
        beside.replace(self._path)
        self._made = 0

    def _embedder(self) -> DocumentEmbedder:
        if self._model is None:
            self._model = self._encoders.embedder()
        return self._model


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}:{text}".encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]


def _read(path: Path | None, dimensions: int) -> dict[bytes, Float32Array]:
    if path is None or not path.is_file():
        return {}
    with np.load(path) as held:
        keys, rows = held["keys"], held["rows"]
    if rows.ndim != 2 or rows.shape[1] != dimensions or len(keys) != len(rows):
        return {}
    return {key.tobytes(): row for key, row in zip(keys, rows, strict=True)}
