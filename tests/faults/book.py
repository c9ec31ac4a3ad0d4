"""The ledger: what a client meant to write and what it was told, fsynced before anything else happens.

One line each: `I user key number` before the first attempt, `A user key number seq memory_id` after a success,
`X sentence` for an answer that contradicts an earlier one. Lines of one moment share one fsync.
"""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path

SYLLABLES = dict(zip("0123456789", ("ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "pa", "to"), strict=True))


def text_of(row: str, number: int) -> str:
    """What write `number` of a row says. Each has a number and a word of its own, so that it is new and is found."""
    word = "".join(SYLLABLES[digit] for digit in f"{number:05d}")
    return f"Shelf 7{number:05d} of the {row} archive in our basement holds the box labelled {word}."


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """One success as the client heard it."""

    user: str
    key: str
    number: int
    seq: int
    memory_id: str


@dataclass
class Book:
    """A ledger as read back."""

    intents: dict[tuple[str, str], int] = field(default_factory=dict)
    acks: list[Acknowledged] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)

    @staticmethod
    def read(*paths: Path) -> "Book":
        """The last line may be torn: then it was not fsynced and counts for nothing."""
        book = Book()
        for path in paths:
            whole = path.read_text("utf-8") if path.exists() else ""
            for line in whole[: whole.rfind("\n") + 1].splitlines():
                kind, _, rest = line.partition(" ")
                if not kind:
                    continue
                words = rest.split(" ")
                if kind == "I":
                    book.intents[words[0], words[1]] = int(words[2])
                elif kind == "A":
                    book.acks.append(Acknowledged(words[0], words[1], int(words[2]), int(words[3]), words[4]))
                else:
                    book.contradictions.append(rest)
        return book

    @property
    def users(self) -> list[str]:
        return sorted({user for user, _ in self.intents})


def acks_in(path: Path) -> int:
    """How many successes a ledger holds by now."""
    return path.read_bytes().count(b"\nA ") if path.exists() else 0


class Writer:
    """Appends to a ledger. `note` returns when the line is on the disk."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._lines: list[str] = []
        self._flushing: asyncio.Task[None] | None = None

    async def note(self, line: str) -> None:
        self._lines.append(line)
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().create_task(self._flush())
        await asyncio.shield(self._flushing)

    async def _flush(self) -> None:
        await asyncio.sleep(0)  # Whoever notes something in this round of the loop rides along.
        lines, self._lines, self._flushing = self._lines, [], None
        os.write(self._file, ("\n".join(lines) + "\n").encode())
        os.fdatasync(self._file)
