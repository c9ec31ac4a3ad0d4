"""Makes a query table for an embedder and says how well it agrees with it.

For the bundled model, on one core: words about 6 minutes, sentences about 10, fitting 2. Nothing is downloaded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from adapters.models.query_table import Int8Array, TableParts, write_parts
from adapters.models.query_words import QueryWords
from adapters.models.table_builder.fit import agreement, bags, corrected, directions, mapped, untrained
from adapters.models.table_builder.sentences import LANGUAGES, framed, plain, read_frames
from engine.memory import Float32Array

HERE = Path(__file__).parent
Embed = Callable[[Sequence[str]], Float32Array]

EVERYDAY_SENTENCES = 9_000
PLAIN_SENTENCES = 4_500
OPEN_SENTENCES = {"en": 5_000, "zh": 4_000}
HELD_OUT_SENTENCES = 400
SEED = 20_261_130
OPEN_SEED = 77


@dataclass(frozen=True, slots=True)
class WordList:
    """words.tsv: `groups` is "en" or "zh" for each word, `probabilities` how often it is said."""

    words: list[str]
    groups: list[str]
    probabilities: list[float]


@dataclass(frozen=True, slots=True)
class TrainingText:
    """Sentences to learn from, the first `framed_count` of them from frames; and some never learned from."""

    training: list[str]
    framed_count: int
    held_out: dict[str, list[str]]


def read_words() -> WordList:
    seen: dict[str, tuple[str, float]] = {}
    for line in (HERE / "words.tsv").read_text("utf-8").splitlines():
        group, word, probability = line.split("\t")
        seen.setdefault(word, (group, float(probability)))
    return WordList(list(seen), [group for group, _ in seen.values()], [p for _, p in seen.values()])


def training_text(listed: WordList, *, seed: int = SEED) -> TrainingText:
    """The same seed gives the same sentences."""
    rng = np.random.default_rng(seed)
    vocabulary = {language: _vocabulary(language, listed) for language in LANGUAGES}
    everyday = {language: read_frames("frames", language, vocabulary[language]) for language in LANGUAGES}
    training = [s for source in everyday.values() for s in framed(source, EVERYDAY_SENTENCES, rng)]
    random_words = [s for source in everyday.values() for s in plain(source, PLAIN_SENTENCES, rng)]
    held_out = {language: list(framed(source, HELD_OUT_SENTENCES, rng)) for language, source in everyday.items()}
    rng = np.random.default_rng(OPEN_SEED)
    for language, count in OPEN_SENTENCES.items():
        training += framed(read_frames("frames_open", language, vocabulary[language]), count, rng)
    return TrainingText(training + random_words, len(training), held_out)


def _vocabulary(language: str, listed: WordList) -> list[str]:
    """Words for the frames. Single characters are met inside words; on their own they would only make noise."""
    pairs = zip(listed.words, listed.groups, strict=True)
    return [word for word, group in pairs if group == language and len(word) > 1 and not word.isdigit()]


def centred(sentences: Sequence[str], framed_count: int, vectors: Float32Array) -> Float32Array:
    """Targets of the fit: the model's vectors minus the mean of their kind, as unit rows.

    A kind is a language, framed (the first `framed_count`) or not, so many questions, one statement or two. What is
    common to a kind (English, "this is a question", short) is a large part of the model's vector and tells nothing of
    what is asked; a table that learns it prefers memories that look like questions (bench/query_encoder.md).
    """
    kinds = [
        (index < framed_count, sentence.isascii(), sentence.count("?"), ". " in sentence or "。" in sentence)
        for index, sentence in enumerate(sentences)
    ]
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    kind_of = np.array([numbers[kind] for kind in kinds])
    targets = vectors.astype(np.float32).copy()
    for number in numbers.values():
        targets[kind_of == number] -= targets[kind_of == number].mean(axis=0)
    return directions(targets)


def build(out_path: Path, *, embed: Embed, space_id: str, say: Callable[[str], None] = print) -> TableParts:
    """Build the table of the embedder `embed` (n texts -> (n, d), unit norm, as stored documents are) into a file.

    Durable: `out_path` is a complete table when this returns; an error leaves it untouched.
    """
    listed = read_words()
    text = training_text(listed)
    say(f"{len(listed.words)} words, {len(text.training)} training sentences")
    word_vectors = embed(listed.words)
    say("words embedded")
    sentence_vectors = embed(text.training)
    say("sentences embedded")
    parts = fit_table(listed, word_vectors, text, sentence_vectors, space_id)
    scores = held_out_agreement(parts, text.held_out, embed)
    for language, cosine in scores.items():
        say(f"agreement with the model on held-out {language} sentences: mean cosine {cosine:.3f}")
    parts = replace(parts, made={**parts.made, "agreement": scores})
    write_parts(out_path, parts)
    return parts


def fit_table(
    listed: WordList, word_vectors: Float32Array, text: TrainingText, sentence_vectors: Float32Array, space_id: str
) -> TableParts:
    """Fit all rows and round them to int8."""
    words = QueryWords(listed.words)
    cut = [words.cut(sentence)[0] for sentence in text.training]
    usable = [index for index, rows in enumerate(cut) if rows]
    sentences = bags([cut[index] for index in usable], len(listed.words))
    targets = centred(text.training, text.framed_count, sentence_vectors)[usable]
    table = untrained(word_vectors, listed.groups, listed.probabilities)
    table = corrected(mapped(table, sentences, targets), sentences, targets)
    rows, scales = rounded(table)
    mean, language = common_parts(text, sentence_vectors)
    made: dict[str, object] = {"seed": SEED, "sentences": len(usable)}
    return TableParts(space_id, listed.words, rows, scales, mean, language, made)


def rounded(table: Float32Array) -> tuple[Int8Array, Float32Array]:
    """Rows as int8, each with a scale of its own. Shapes: (words, d) -> (words, d), (words,)."""
    scales = np.maximum(np.abs(table).max(axis=1), 1e-9).astype(np.float32) / np.float32(127)
    return np.rint(table / scales[:, None]).astype(np.int8), scales


def common_parts(text: TrainingText, vectors: Float32Array) -> tuple[Float32Array, Float32Array]:
    """What all texts have in common, and what all Chinese ones have against English ones (unit norm). Shapes: (d,)."""
    english = np.array([sentence.isascii() for sentence in text.training[: text.framed_count]])
    said = vectors[: text.framed_count]
    apart = said[~english].mean(axis=0) - said[english].mean(axis=0)
    return said.mean(axis=0).astype(np.float32), (apart / np.linalg.norm(apart)).astype(np.float32)


def held_out_agreement(parts: TableParts, held_out: dict[str, list[str]], embed: Embed) -> dict[str, float]:
    """Mean cosine between static and centred model vectors, per language, over sentences never learned from."""
    words = QueryWords(parts.words)
    table = parts.rows.astype(np.float32) * parts.scales[:, None]
    scores = {}
    for language, sentences in held_out.items():
        cut = [words.cut(sentence)[0] for sentence in sentences]
        usable = [index for index, rows in enumerate(cut) if rows]
        targets = centred(sentences, len(sentences), embed(sentences))[usable]
        scores[language] = round(agreement(table, bags([cut[i] for i in usable], len(parts.words)), targets), 4)
    return scores
