"""Fits the table's rows: from word vectors to rows whose sum points where the model's vector of the whole text points.

Three steps, all folded into the rows, so that run time stays a look-up and a sum:
1. without training: word vector, minus the mean of its language group, times a / (a + p(word)) (SIF weights);
2. one ridge map (d, d) from the static direction to the model's centred direction, over the training sentences;
3. one ridge correction per word (conjugate gradients on the normal equations).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.memory import Float32Array

Int64Array = npt.NDArray[np.int64]
SIF = {"en": 1e-3, "zh": 3e-4}
MAP_RIDGE = 0.03
CORRECTION_RIDGE = 8.0
_CHUNK = 2_000


@dataclass(frozen=True, eq=False, slots=True)
class Bags:
    """Sentences as bags of words, one entry a word met, ordered by sentence: a sparse matrix (sentences, words).

    `rows[starts[i]:starts[i + 1]]` are sentence i's words, `weights` how much each counts. `by_word` orders the
    entries by word, and `sentence_of` names the sentence of an entry.
    """

    rows: Int64Array
    starts: Int64Array
    weights: Float32Array
    words_count: int
    sentence_of: Int64Array
    by_word: Int64Array

    def __len__(self) -> int:
        return len(self.starts) - 1

    def times(self, table: Float32Array) -> Float32Array:
        """Weighted sum of each sentence's rows. Shapes: table (words, d) -> (sentences, d)."""
        out = np.empty((len(self), table.shape[1]), np.float32)
        for low in range(0, len(self), _CHUNK):
            high = min(low + _CHUNK, len(self))
            a, b = self.starts[low], self.starts[high]
            parts = table[self.rows[a:b]] * self.weights[a:b, None]
            out[low:high] = np.add.reduceat(parts, self.starts[low:high] - a, axis=0)
        return out

    def transposed_times(self, sentences: Float32Array) -> Float32Array:
        """Each word's weighted sum over the sentences it is in. Shapes: (sentences, d) -> (words, d)."""
        out = np.zeros((self.words_count, sentences.shape[1]), np.float32)
        for low in range(0, len(self.by_word), 10 * _CHUNK):
            entries = self.by_word[low : low + 10 * _CHUNK]
            words = self.rows[entries]
            firsts = np.flatnonzero(np.r_[True, words[1:] != words[:-1]])
            parts = sentences[self.sentence_of[entries]] * self.weights[entries, None]
            # A word may straddle two chunks, but is met once in each.
            out[words[firsts]] += np.add.reduceat(parts, firsts, axis=0)
        return out

    def scaled(self, factors: Float32Array) -> "Bags":
        """The same sentences, each multiplied by a factor. Shapes: factors (sentences,)."""
        return replace(self, weights=(self.weights * factors[self.sentence_of]).astype(np.float32))


def bags(sentences: Sequence[list[int]], words_count: int) -> Bags:
    """Bags of row lists; an empty list is not allowed."""
    assert min(map(len, sentences), default=0) > 0, "every sentence needs a known word"
    lengths = np.array([len(rows) for rows in sentences], np.int64)
    rows = np.concatenate([np.array(one, np.int64) for one in sentences])
    return Bags(
        rows=rows,
        starts=np.r_[0, np.cumsum(lengths)].astype(np.int64),
        weights=np.ones(len(rows), np.float32),
        words_count=words_count,
        sentence_of=np.repeat(np.arange(len(sentences)), lengths),
        by_word=np.argsort(rows, kind="stable"),
    )


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


def corrected(table: Float32Array, sentences: Bags, targets: Float32Array, *, steps: int = 20) -> Float32Array:
    """Step 3: table + D, where D is the ridge solution that brings the sentences' sums to `targets` (sentences, d).

    Each sentence is scaled by the norm of its present sum: what is compared are directions, and a long sentence
    weighs as much as a short one.
    """
    norms = np.linalg.norm(sentences.times(table), axis=1)
    # With this unit a word of a typical sentence counts about 1, which is what the ridge is measured against: a word
    # met fewer than 8 times moves little.
    unit = np.float32(np.median(norms))
    scaled = sentences.scaled((unit / np.maximum(norms, 1e-6)).astype(np.float32))
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
