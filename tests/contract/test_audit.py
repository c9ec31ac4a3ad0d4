"""The audit trail in every journal: appended with the change or not at all, and fenced with it."""

from dataclasses import replace

import pytest

from actors.audit import verify
from engine.errors import Corrupt, StaleEpoch
from persistence import keys
from persistence.plain_journal import PlainJournal
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.values import AuditHead, Entry
from tests.contract.entries import chained, receipt

Journal = PlainJournal | RedisJournal
NOW = 1_000_000_000_000
TRAIL = chained([b"one", b"two", b"three", b"four"])


async def append(journal: Journal, epoch: int, seq: int, audit: Entry | None, **more: object) -> object:
    entry = chained([b"x"] * seq)[seq - 1]
    arguments = {"epoch": epoch, "after_seq": seq - 1, "receipt": None, "now_ms": NOW, "audit": audit} | more
    return await journal.append("alice", [entry], **arguments)  # type: ignore[arg-type]


async def test_an_audit_entry_comes_with_its_change(journal: Journal) -> None:
    head = await journal.open("alice")
    assert await journal.audit_head("alice") == AuditHead()
    assert await journal.audit_page("alice", 1, 10) == []
    await append(journal, head.epoch, 1, TRAIL[0])
    await append(journal, head.epoch, 2, TRAIL[1])
    assert await journal.audit_page("alice", 1, 10) == TRAIL[:2]
    assert await journal.audit_page("alice", 2, 10) == TRAIL[1:2]
    assert await journal.audit_page("alice", 1, 1) == TRAIL[:1]
    assert await journal.audit_head("alice") == AuditHead(2, TRAIL[1].chain)


async def test_a_change_that_is_refused_or_known_leaves_no_audit_entry(journal: Journal) -> None:
    old = await journal.open("alice")
    await append(journal, old.epoch, 1, TRAIL[0], receipt=receipt("k", seq=1))
    assert await append(journal, old.epoch, 2, TRAIL[1], receipt=receipt("k", seq=2)) is not None
    await journal.open("alice")
    with pytest.raises(StaleEpoch):
        await append(journal, old.epoch, 2, TRAIL[1])
    assert await journal.audit_head("alice") == AuditHead(1, TRAIL[0].chain)


async def test_a_change_whose_audit_entry_is_not_the_next_is_refused_whole(journal: Journal) -> None:
    head = await journal.open("alice")
    await append(journal, head.epoch, 1, TRAIL[0])
    for wrong in (TRAIL[0], TRAIL[2]):
        with pytest.raises(StaleEpoch):
            await append(journal, head.epoch, 2, wrong)
    assert await journal.last_seq("alice") == 1
    await append(journal, head.epoch, 2, TRAIL[1])


async def test_an_entry_of_its_own_must_be_the_next(journal: Journal) -> None:
    await journal.audit_add("alice", TRAIL[0])
    with pytest.raises(StaleEpoch):
        await journal.audit_add("alice", TRAIL[0])
    await journal.audit_add("alice", TRAIL[1])
    assert await journal.audit_page("alice", 1, 10) == TRAIL[:2]


async def test_trimming_anchors_the_trail(journal: Journal) -> None:
    for entry in TRAIL:
        await journal.audit_add("alice", entry)
    await journal.audit_trim("alice", TRAIL[1])
    assert await journal.audit_page("alice", 1, 10) == TRAIL[2:]
    assert await journal.audit_head("alice") == AuditHead(4, TRAIL[3].chain, 2, TRAIL[1].chain)


async def test_an_erasure_keeps_the_trail_which_then_keeps_one_entry(journal: Journal) -> None:
    head = await journal.open("alice")
    for seq in (1, 2):
        await append(journal, head.epoch, seq, TRAIL[seq - 1])
    await journal.erase("alice")
    await journal.audit_add("alice", TRAIL[2], only=True)
    assert await journal.audit_page("alice", 1, 10) == TRAIL[2:3]
    assert await journal.audit_head("alice") == AuditHead(3, TRAIL[2].chain, 2, TRAIL[1].chain)
    assert [user async for user in journal.users()] == []


async def test_the_first_entry_of_all_may_be_an_erasure(journal: Journal) -> None:
    await journal.audit_add("alice", TRAIL[0], only=True)
    assert await journal.audit_page("alice", 1, 10) == TRAIL[:1]
    assert await journal.audit_head("alice") == AuditHead(1, TRAIL[0].chain)


async def test_a_trail_that_is_ahead_of_its_head_takes_nothing_and_neither_does_the_journal(
    client: RedisClient,
) -> None:
    journal = RedisJournal(client)
    head = await journal.open("alice")
    await client.write("XADD", keys.audit("alice"), "7-0", "b", "planted", "c", "planted")
    with pytest.raises(Corrupt):
        await append(journal, head.epoch, 1, TRAIL[0])
    assert await journal.last_seq("alice") == 0
    assert await client.read("XLEN", keys.journal("alice")) == 0
    assert replace(head, epoch=head.epoch + 1) == await journal.open("alice")


async def test_an_entry_in_another_form_is_named(client: RedisClient) -> None:
    journal = RedisJournal(client)
    for entry in TRAIL:
        await journal.audit_add("alice", entry)
    await client.write("DEL", keys.audit("alice"))
    for entry in TRAIL:
        body = "bb" if entry.seq == 3 else "b"
        await client.write("XADD", keys.audit("alice"), f"{entry.seq}-0", body, entry.body, "c", entry.chain)
    found = await verify(journal, "alice")
    assert (found.broken_at, found.entries) == (3, 2)
