"""Training sentences: hand-written frames filled from hand-written lists, and runs of random vocabulary words.

Nothing here comes from a benchmark or from anyone's conversation.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
_SLOT = re.compile(r"\{(\w+)\}")
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Frames:
    """Sentence patterns of one language, what fills them, and the vocabulary for the slot {word}."""

    language: str
    frames: Sequence[str]
    slots: Mapping[str, Sequence[str]]
    words: Sequence[str]


def read_frames(kind: str, language: str, words: Sequence[str]) -> Frames:
    """`kind` is "frames" (everyday statements and questions) or "frames_open" (with general nouns and verbs)."""
    frames = _lines(f"{kind}_{language}.txt")
    slots = {}
    for line in _lines(f"slots_{language}.txt"):
        name, fillers = line.split(":", 1)
        slots[name] = [filler.strip() for filler in fillers.split("|")]
    return Frames(language, frames, slots, words)


def _lines(name: str) -> list[str]:
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def framed(source: Frames, count: int, rng: np.random.Generator) -> Iterator[str]:
    """`count` sentences; one in three is two statements in a row, as people talk."""
    for _ in range(count):
        sentence = _fill(_one_of(source.frames, rng), source, rng)
        if rng.random() < 0.33:
            stop = "。" if source.language == "zh" else ". "
            sentence += stop + _fill(_one_of(source.frames, rng), source, rng)
        yield sentence


def plain(source: Frames, count: int, rng: np.random.Generator) -> Iterator[str]:
    """`count` runs of 4 to 9 random vocabulary words: every word is seen among others, whatever the frames say."""
    joint = "" if source.language == "zh" else " "
    order: list[int] = []
    for _ in range(count):
        length = int(rng.integers(4, 10))
        while len(order) < length:
            order += rng.permutation(len(source.words)).tolist()
        yield joint.join(source.words[order.pop()] for _ in range(length))


def _one_of(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def _fill(frame: str, source: Frames, rng: np.random.Generator) -> str:
    return _SLOT.sub(lambda slot: _filler(slot.group(1), source, rng), frame)


def _filler(slot: str, source: Frames, rng: np.random.Generator) -> str:
    if slot in source.slots:
        return _one_of(source.slots[slot], rng)
    if slot == "word":
        return _one_of(source.words, rng)
    return _made_up(slot, source.language, rng)


def _made_up(slot: str, language: str, rng: np.random.Generator) -> str:
    def number(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    match slot:
        case "n":
            return str(number(1, 200))
        case "age":
            return str(number(3, 95))
        case "day":
            return str(number(1, 32))
        case "m":
            return str(number(1, 13))
        case "year":
            return str(number(1950, 2030))
        case "phone":
            return f"1{number(30, 99)}{number(10_000_000, 99_999_999)}"
        case "email":
            return f"{''.join(chr(number(97, 123)) for _ in range(6))}{number(1, 99)}@example.com"
        case "code":
            return f"{chr(number(65, 91))}{number(100, 99_999)}"
        case "money":
            return f"{number(1, 90) * 50}元" if language == "zh" else f"${number(1, 90) * 50}"
        case "time":
            return _time(language, number(7, 23), number(0, 4) * 15)
    raise KeyError(f"no filler for the slot {slot}")


def _time(language: str, hour: int, minute: int) -> str:
    if language == "zh":
        part = "上午" if hour < 12 else "下午" if hour < 18 else "晚上"
        return f"{part}{(hour - 1) % 12 + 1}点{'半' if minute == 30 else f'{minute}分' if minute else ''}"
    return f"{(hour - 1) % 12 + 1}{f':{minute:02d}' if minute else ''} {'am' if hour < 12 else 'pm'}"
