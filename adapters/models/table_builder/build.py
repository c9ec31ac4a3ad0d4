"""Makes a query table for an embedder and says how well it agrees with it.

For the bundled model, on one core: words about 6 minutes, sentences about 10, fitting 2. Nothing is downloaded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adapters.models.query_table import TableParts, write_parts
from adapters.models.query_words import QueryWords
from adapters.models.table_builder.fit import (
    agreement,
    bags,
    corrected,
    directions,
    mapped,
    untrained,
)
from adapters.models.table_builder.sentences import LANGUAGES, Frames, framed, plain, read_frames
from engine.memory import Float32Array

HERE = Path(__file__).parent
Embed = Callable[[Sequence[str]], Float32Array]

FRAMED_SENTENCES = 9_000
PLAIN_SENTENCES = 4_500
HELD_OUT_SENTENCES = 400
SEED = 20_261_130


@dataclass(frozen=True, slots=True)
class WordList:
    """words.tsv: `groups` is "en" or "zh" for each word, `probabilities` how often it is said."""

    words: list[str]
    groups: list[str]
    probabilities: list[float]


@dataclass(frozen=True, slots=True)
class TrainingText:
    """Sentences to learn from and, per language, sentences never learned from."""

    training: list[str]
    statements_count: int
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
    sources = {language: _source(language, listed) for language in LANGUAGES}
    training = [s for source in sources.values() for s in framed(source, FRAMED_SENTENCES, rng)]
    statements = len(training)
    training += [s for source in sources.values() for s in plain(source, PLAIN_SENTENCES, rng)]
    held_out = {name: list(framed(source, HELD_OUT_SENTENCES, rng)) for name, source in sources.items()}
    return TrainingText(training, statements, held_out)


def _source(language: str, listed: WordList) -> Frames:
    words = [w for w, g in zip(listed.words, listed.groups, strict=True) if g == language and not w.isdigit()]
    # Single characters are met inside words; as training words they would only make noise.
    return read_frames(language, [w for w in words if len(w) > 1])


def build(out_path: Path, *, embed: Embed, space_id: str, say: Callable[[str], None] = print) -> TableParts:
    """Build the table of the embedder `embed` (n texts -> (n, d), unit norm, as stored documents are) into a file.

    Durable: `out_path` is a complete table when this returns; an error leaves it untouched or partly written.
    """
    listed = read_words()
    text = training_text(listed)
    say(f"{len(listed.words)} words, {len(text.training)} training sentences")
    word_vectors = embed(listed.words)
    say("words embedded")
    sentence_vectors = embed(text.training)
    say("sentences embedded")
    mean = sentence_vectors[: text.statements_count].mean(axis=0)
    parts = fit_table(listed, word_vectors, text, sentence_vectors, mean=mean, space_id=space_id)
    scores = held_out_agreement(parts, text.held_out, embed)
    for language, cosine in scores.items():
        say(f"agreement with the model on held-out {language} sentences: mean cosine {cosine:.3f}")
    parts = TableParts(
        parts.space_id, parts.words, parts.rows, parts.scales, parts.mean, {**parts.made, "agreement": scores}
    )
    write_parts(out_path, parts)
    return parts


def fit_table(
    listed: WordList,
    word_vectors: Float32Array,
    text: TrainingText,
    sentence_vectors: Float32Array,
    *,
    mean: Float32Array,
    space_id: str,
) -> TableParts:
    """Fit all rows and round them to int8."""
    words = QueryWords(listed.words)
    cut = [words.cut(sentence)[0] for sentence in text.training]
    usable = [index for index, rows in enumerate(cut) if rows]
    sentences = bags([cut[index] for index in usable], len(listed.words))
    targets = directions(sentence_vectors[usable] - mean)
    table = untrained(word_vectors, listed.groups, listed.probabilities)
    table = corrected(mapped(table, sentences, targets), sentences, targets)
    made: dict[str, object] = {"seed": SEED, "sentences": len(usable)}
    return rounded(space_id, listed.words, table, mean, made)


def rounded(
    space_id: str, words: Sequence[str], table: Float32Array, mean: Float32Array, made: dict[str, object]
) -> TableParts:
    """Rows to int8, each with a scale of its own."""
    scales = np.maximum(np.abs(table).max(axis=1), 1e-9).astype(np.float32) / np.float32(127)
    rows = np.rint(table / scales[:, None]).astype(np.int8)
    return TableParts(space_id, words, rows, scales, mean.astype(np.float32), made)


def held_out_agreement(parts: TableParts, held_out: dict[str, list[str]], embed: Embed) -> dict[str, float]:
    """Mean cosine between static and centred model vectors, per language, over sentences never learned from."""
    words = QueryWords(parts.words)
    table = parts.rows.astype(np.float32) * parts.scales[:, None]
    scores = {}
    for language, sentences in held_out.items():
        cut = [(index, rows) for index, one in enumerate(sentences) if (rows := words.cut(one)[0])]
        targets = embed([sentences[index] for index, _ in cut]) - parts.mean
        scores[language] = round(agreement(table, bags([rows for _, rows in cut], len(parts.words)), targets), 4)
    return scores
