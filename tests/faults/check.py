"""Compares a ledger with what is there: each acknowledged write once, under its seq, nothing that nobody sent."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.errors import RearviewError
from engine.events import MemoryWritten
from persistence.codec import decode_events
from persistence.recovery import recover
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.snapshots import SnapshotStore
from tests.faults.book import Acknowledged, Book, text_of
from tests.faults.doors import Again, Door, Refused

PAGE = 200
ANSWERS_WITHIN = 20.0
SEARCHED_PER_USER = 1


@dataclass
class Verdict:
    """What a ledger's check found."""

    acked: int = 0
    lost: int = 0
    duplicated: int = 0
    unknown: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, other: "Verdict") -> None:
        self.acked += other.acked
        self.lost += other.lost
        self.duplicated += other.duplicated
        self.unknown += other.unknown
        self.problems += other.problems

    @property
    def clean(self) -> bool:
        return not (self.lost or self.duplicated or self.problems)


async def patiently(door: Door, user: str, op: str, args: dict[str, object], min_seq: int = 0) -> dict[str, Any]:
    """Ask until answered; a part may still be on its way back."""
    deadline = time.monotonic() + ANSWERS_WITHIN
    while True:
        try:
            return await door.ask(user, op, args, min_seq)
        except Again:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.05)


async def everything(door: Door, user: str, min_seq: int = 0) -> tuple[list[dict[str, Any]], int]:
    """All of a user's memories and the seq they were read at. An owner that was fenced needs `min_seq` to notice."""
    memories: list[dict[str, Any]] = []
    cursor = ""
    while True:
        more: dict[str, object] = {"cursor": cursor} if cursor else {}
        page = await patiently(door, user, "list", {"limit": PAGE, **more}, min_seq)
        memories += page["memories"]
        cursor = page["next_cursor"]
        if not cursor:
            return memories, page["seq"]


async def check_book(
    book: Book, door: Door, row: str, *, store: str = "", snapshots: str = "", may_lose: bool = False
) -> Verdict:
    """The whole ledger. With a store's URL its journals are read as well, and every chain is followed.

    Where something may be lost (`may_lose`), what is left is read as it is, and losses are counted.
    """
    verdict = Verdict(acked=len(book.acks), problems=list(book.contradictions))
    for user in book.users:
        acks = [ack for ack in book.acks if ack.user == user]
        try:
            await _check_user(verdict, door, user, acks, _Sent(book, row, may_lose))
        except (Again, Refused) as error:
            verdict.lost += len(acks)
            verdict.problems.append(f"{user} cannot be read: {error}")
    if store:
        await _check_journals(verdict, book, store, snapshots)
    return verdict


@dataclass(frozen=True)
class _Sent:
    """What a row's client meant to write."""

    book: Book
    row: str
    may_lose: bool

    def texts(self, user: str) -> set[str]:
        return {text_of(self.row, number) for (owner, _), number in self.book.intents.items() if owner == user}


async def _check_user(verdict: Verdict, door: Door, user: str, acks: list[Acknowledged], sent: _Sent) -> None:
    seqs = [ack.seq for ack in acks]
    memories, seq = await everything(door, user, 0 if sent.may_lose else max(seqs, default=0))
    held = Counter(memory["content"] for memory in memories)
    ids = {memory["content"]: memory["id"] for memory in memories}
    acked_texts = set()
    for ack in acks:
        text = text_of(sent.row, ack.number)
        acked_texts.add(text)
        if not held[text]:
            verdict.lost += 1
        elif ack.memory_id != "early" and ids[text] != ack.memory_id:
            verdict.problems.append(f"{user} {ack.key} has another id than was told")
    verdict.duplicated += sum(count - 1 for count in held.values())
    meant = sent.texts(user)
    strangers = [text for text in held if text not in meant]
    if strangers:
        verdict.problems.append(f"{user} holds {len(strangers)} memories that nobody sent")
    verdict.unknown += len(set(held) & meant - acked_texts)
    if len(seqs) != len(set(seqs)) and 0 not in seqs:
        verdict.problems.append(f"{user} was told one seq for two writes")
    if seqs and seq < max(seqs) and not sent.may_lose:
        verdict.problems.append(f"{user} is read at seq {seq}, but {max(seqs)} was acknowledged")
    for ack in acks[:: max(1, len(acks) // SEARCHED_PER_USER)][:SEARCHED_PER_USER]:
        text = text_of(sent.row, ack.number)
        found = await patiently(door, user, "search", {"query": text, "top_k": 3, "min_relevance": 0})
        if held[text] and text not in [memory["content"] for memory in found["memories"]]:
            verdict.problems.append(f"{user} {ack.key} is not found by its own words")


async def _check_journals(verdict: Verdict, book: Book, store: str, snapshots: str) -> None:
    """Follow every chain; what was acknowledged stands in the entry of its seq, unless a snapshot has replaced it."""
    client = RedisClient(store)
    journal, files = RedisJournal(client), SnapshotStore.at(snapshots)
    told = {(ack.user, ack.seq): ack.memory_id for ack in book.acks}
    try:
        for user in book.users:
            head = await journal.look(user)
            if head is None:
                continue
            try:
                recovered = await recover(journal, files, user, head)
            except RearviewError as error:
                verdict.problems.append(f"the journal of {user} does not hold: {error}")
                continue
            for entry in recovered.entries:
                written = [e.memory.memory_id for e in decode_events(entry.body) if isinstance(e, MemoryWritten)]
                if (user, entry.seq) in told and told[user, entry.seq] not in written:
                    verdict.problems.append(f"entry {entry.seq} of {user} is not what was acknowledged")
    finally:
        await client.close()
