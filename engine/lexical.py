"""Keyword search (BM25) over the memories of one user."""

import numpy as np
import numpy.typing as npt

from engine.memory import Float32Array, Int64Array
from engine.tokens import document_tokens, query_tokens


class LexicalIndex:
    """Keywords of one user's memories, keyed by slot."""

    def __init__(self) -> None:
        self._tokens: dict[int, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self._tokens)

    def put(self, slot: int, text: str) -> None:
        self._tokens[slot] = frozenset(document_tokens(text))

    def remove(self, slot: int) -> None:
        self._tokens.pop(slot, None)

    def search(
        self, query: str, *, limit: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Int64Array, Float32Array]:
        wanted = set(query_tokens(query))
        found = [(float(len(wanted & tokens)), slot) for slot, tokens in self._tokens.items() if wanted & tokens]
        found = [(s, slot) for s, slot in found if allowed is None or (slot < len(allowed) and allowed[slot])]
        found.sort(key=lambda pair: (-pair[0], pair[1]))
        found = found[:limit]
        return np.array([p[1] for p in found], np.int64), np.array([p[0] for p in found], np.float32)

    def matched_terms(self, query: str, text: str) -> tuple[str, ...]:
        theirs = set(document_tokens(text))
        return tuple(sorted({t for t in query_tokens(query) if t in theirs}, key=len, reverse=True))
