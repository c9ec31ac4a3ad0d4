"""Fits the table's rows: from word vectors to rows whose sum points where the model's vector of the whole text points.

Three steps, all folded into the rows, so that run time stays a look-up and a sum:
1. without training: word vector, minus the mean of its language group, times a / (a + p(word)) (SIF weights);
2. one ridge map (d, d) from the static direction to the model's centred direction, over the training sentences;
3. one ridge correction per word (conjugate gradients on the normal equations).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.memory import Float32Array

Int64Array = npt.NDArray[np.int64]
SIF = {"en": 1e-3, "zh": 3e-4}
MAP_RIDGE = 0.03
CORRECTION_RIDGE = 4.0
_CHUNK = 4_000


@dataclass(frozen=True, eq=False, slots=True)
class Bags:
    """Sentences as bags of rows: `rows[starts[i]:starts[i + 1]]` with `weights` of the same shape. None is empty."""

    rows: Int64Array
    starts: Int64Array
    weights: Float32Array
    words_count: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def times(self, table: Float32Array) -> Float32Array:
        """Weighted sum of each sentence's rows. Shapes: table (words, d) -> (sentences, d)."""
        out = np.empty((len(self), table.shape[1]), np.float32)
        for low in range(0, len(self), _CHUNK):
            high = min(low + _CHUNK, len(self))
            a, b = self.starts[low], self.starts[high]
            out[low:high] = np.add.reduceat(
                table[self.rows[a:b]] * self.weights[a:b, None], self.starts[low:high] - a, axis=0
            )
        return out

    def transposed_times(self, sentences: Float32Array) -> Float32Array:
        """Each word's weighted sum over the sentences it is in. Shapes: (sentences, d) -> (words, d)."""
        out = np.zeros((self.words_count, sentences.shape[1]), np.float32)
        owner = np.repeat(np.arange(len(self)), np.diff(self.starts))
        order = np.argsort(self.rows, kind="stable")
        ordered = self.rows[order]
        for low in range(0, len(order), _CHUNK * 10):
            part = order[low : low + _CHUNK * 10]
            words = ordered[low : low + _CHUNK * 10]
            firsts = np.flatnonzero(np.r_[True, words[1:] != words[:-1]])
            sums = np.add.reduceat(sentences[owner[part]] * self.weights[part, None], firsts, axis=0)
            out[words[firsts]] += sums  # A word may straddle two parts, never appear twice in one.
        return out

    def scaled(self, factors: Float32Array) -> "Bags":
        """The same sentences, each multiplied by a factor. Shapes: factors (sentences,)."""
        return Bags(self.rows, self.starts, self.weights * np.repeat(factors, np.diff(self.starts)), self.words_count)


def bags(sentences: Sequence[list[int]], words_count: int) -> Bags:
    """Bags of row lists; an empty list is not allowed."""
    lengths = np.array([len(rows) for rows in sentences], np.int64)
    assert min(map(len, sentences), default=0) > 0, "every sentence needs a known word"
    rows = np.concatenate([np.array(one, np.int64) for one in sentences])
    return Bags(rows, np.r_[0, np.cumsum(lengths)].astype(np.int64), np.ones(len(rows), np.float32), words_count)


def untrained(
    vectors: Float32Array, groups: Sequence[str], probabilities: Sequence[float], *, centre: bool = True
) -> Float32Array:
    """Step 1. Shapes: vectors (words, d), one group ("en" or "zh") and probability a word -> (words, d)."""
    table = vectors.astype(np.float32).copy()
    group_of = np.array(groups)
    for group in sorted(set(groups)):
        mine = group_of == group
        if centre:
            table[mine] -= table[mine].mean(axis=0)
        rarity = np.array(probabilities, np.float32)[mine]
        table[mine] *= (SIF[group] / (SIF[group] + rarity))[:, None]
    return table


def directions(vectors: Float32Array) -> Float32Array:
    """Unit rows; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Float32Array = (vectors / np.maximum(norms, 1e-9)).astype(np.float32)
    return unit


def mapped(table: Float32Array, sentences: Bags, targets: Float32Array) -> Float32Array:
    """Step 2: the table after one ridge map that turns the sentences' directions into `targets` (sentences, d)."""
    have = directions(sentences.times(table)).astype(np.float64)
    gram = have.T @ have
    gram += MAP_RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    turn = np.linalg.solve(gram, have.T @ targets.astype(np.float64))
    return (table @ turn.astype(np.float32)).astype(np.float32)


def corrected(table: Float32Array, sentences: Bags, targets: Float32Array, *, steps: int = 25) -> Float32Array:
    """Step 3: the table D + table, D least squares with ridge, so that the sentences' sums meet `targets`.

    Each sentence is scaled by the norm of its present sum: what is compared are directions, and a long sentence
    weighs as much as a short one.
    """
    sums = sentences.times(table)
    scaled = sentences.scaled((1.0 / np.maximum(np.linalg.norm(sums, axis=1), 1e-6)).astype(np.float32))
    # Rows live on the scale of one word in a sentence; the ridge is on that scale too.
    unit = np.float32(np.median(np.linalg.norm(sums, axis=1)))
    scaled = scaled.scaled(np.full(len(scaled), unit, np.float32))
    start = table / unit
    residual = scaled.transposed_times(targets - scaled.times(start))
    step, correction = residual.copy(), np.zeros_like(start)
    squared = np.einsum("ij,ij->j", residual, residual)
    for _ in range(steps):
        image = scaled.transposed_times(scaled.times(step)) + np.float32(CORRECTION_RIDGE) * step
        length = squared / np.maximum(np.einsum("ij,ij->j", step, image), 1e-12)
        correction += step * length
        residual -= image * length
        new_squared = np.einsum("ij,ij->j", residual, residual)
        step = residual + step * (new_squared / np.maximum(squared, 1e-12))
        squared = new_squared
    return ((start + correction) * unit).astype(np.float32)


def agreement(table: Float32Array, sentences: Bags, targets: Float32Array) -> float:
    """Mean cosine between the static directions and the model's centred directions."""
    return float(np.mean(np.einsum("ij,ij->i", directions(sentences.times(table)), directions(targets))))
