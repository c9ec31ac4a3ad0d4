"""What every journal must do. The same bodies run over the plain one and over a real server."""

import asyncio
from dataclasses import replace

import pytest

from engine.errors import Conflict, Corrupt, StaleEpoch, Unavailable
from persistence.plain_journal import PlainJournal
from persistence.redis_journal import RedisJournal
from persistence.values import NO_CHAIN, RECEIPT_LIFE_MS, Entry, Head
from tests.contract.entries import chained, receipt

Journal = PlainJournal | RedisJournal
NOW = 1_000_000_000_000
ODD_IDS = ["alice", "Alice", "a/b", "a:b", "a}b", "a{b", "用户 1", "a%2Fb", "u" * 256, "🐱" * 256, " ", "."]


async def read_all(journal: Journal, user_id: str = "alice", after_seq: int = 0) -> list[Entry]:
    return [entry async for entry in journal.read(user_id, after_seq)]


async def append(journal: Journal, entries: list[Entry], head: Head, **changes: object) -> object:
    arguments = {"epoch": head.epoch, "after_seq": head.seq, "receipt": None, "now_ms": NOW} | changes
    return await journal.append("alice", entries, **arguments)  # type: ignore[arg-type]


async def test_a_new_user_starts_at_zero_and_reads_nothing(journal: Journal) -> None:
    head = await journal.open("alice")
    assert (head.seq, head.chain) == (0, NO_CHAIN)
    assert head.epoch > 0
    assert await read_all(journal) == []
    assert await journal.last_seq("alice") == 0
    assert await journal.last_seq("nobody") == 0


async def test_what_was_appended_is_read_back_in_order_byte_for_byte(journal: Journal) -> None:
    head = await journal.open("alice")
    entries = chained([bytes([i]) * (i + 1) for i in range(256)] + [b"\r\n\0", "花生".encode(), b"x" * 200_000])
    assert await append(journal, entries[:1], head) is None
    assert await append(journal, entries[1:], head, after_seq=1) is None
    assert await read_all(journal) == entries
    assert await read_all(journal, after_seq=200) == entries[200:]
    assert await read_all(journal, after_seq=len(entries)) == []
    assert await journal.last_seq("alice") == len(entries)


async def test_opening_again_gives_a_higher_epoch_and_the_last_seq_and_chain(journal: Journal) -> None:
    first = await journal.open("alice")
    entries = chained([b"a", b"b"])
    await append(journal, entries, first)
    second = await journal.open("alice")
    assert second == Head(first.epoch + 1, 2, entries[-1].chain)


async def test_looking_at_a_user_takes_nothing_over(journal: Journal) -> None:
    assert await journal.look("alice") is None
    head = await journal.open("alice")
    assert await journal.look("alice") == head
    entries = chained([b"a", b"b"])
    await append(journal, entries[:1], head)
    assert await journal.look("alice") == Head(head.epoch, 1, entries[0].chain)
    await append(journal, entries[1:], head, after_seq=1)  # Still the owner.


async def test_a_stale_owner_cannot_append(journal: Journal) -> None:
    stale = await journal.open("alice")
    owner = await journal.open("alice")
    with pytest.raises(StaleEpoch):
        await append(journal, chained([b"a"]), stale)
    assert await read_all(journal) == []
    await append(journal, chained([b"b"]), owner)
    with pytest.raises(StaleEpoch):
        await append(journal, chained([b"a"]), stale, receipt=receipt("k", seq=1))
    assert [entry.body for entry in await read_all(journal)] == [b"b"]


async def test_an_epoch_from_the_future_cannot_append(journal: Journal) -> None:
    head = await journal.open("alice")
    with pytest.raises(StaleEpoch):
        await append(journal, chained([b"a"]), replace(head, epoch=head.epoch + 1))
    assert await read_all(journal) == []


async def test_an_owner_that_is_wrong_about_the_last_seq_is_stopped(journal: Journal) -> None:
    head = await journal.open("alice")
    await append(journal, chained([b"a"]), head)
    for after_seq in (0, 2):
        with pytest.raises(Corrupt):
            await append(journal, chained([b"b"], after=after_seq), head, after_seq=after_seq)
    assert len(await read_all(journal)) == 1


async def test_a_repeated_key_with_the_same_body_appends_nothing_and_tells_the_first_outcome(journal: Journal) -> None:
    head = await journal.open("alice")
    first = receipt("k", seq=1)
    assert await append(journal, chained([b"a"]), head, receipt=first) is None
    again = await append(journal, chained([b"a"]), head, receipt=receipt("k", seq=1, at_ms=NOW + 5), now_ms=NOW + 5)
    assert again == first
    assert len(await read_all(journal)) == 1
    assert await journal.receipt("alice", "k", NOW + 5) == first


async def test_a_repeated_key_is_told_its_outcome_also_by_an_owner_that_went_on(journal: Journal) -> None:
    head = await journal.open("alice")
    first = receipt("k", seq=1)
    entries = chained([b"a", b"b"])
    await append(journal, entries[:1], head, receipt=first)
    await append(journal, entries[1:], head, after_seq=1)
    head = await journal.open("alice")
    assert await append(journal, chained([b"c"], after=2), head, receipt=first) == first
    assert await read_all(journal) == entries


async def test_a_repeated_key_with_another_body_is_a_conflict(journal: Journal) -> None:
    head = await journal.open("alice")
    await append(journal, chained([b"a"]), head, receipt=receipt("k", seq=1))
    with pytest.raises(Conflict):
        await append(journal, chained([b"b"], after=1), head, after_seq=1, receipt=receipt("k", seq=2, body=b"other"))
    assert len(await read_all(journal)) == 1


async def test_a_receipt_can_be_remembered_without_an_entry(journal: Journal) -> None:
    head = await journal.open("alice")
    skipped = receipt("k", seq=0)
    assert await append(journal, [], head, receipt=skipped) is None
    assert await append(journal, [], head, receipt=skipped) == skipped
    assert await journal.receipt("alice", "k", NOW) == skipped
    assert await journal.last_seq("alice") == 0


async def test_a_key_is_forgotten_a_day_after_it_was_used_by_the_callers_clock(journal: Journal) -> None:
    head = await journal.open("alice")
    first = receipt("k", seq=1)
    await append(journal, chained([b"a"]), head, receipt=first)
    last_ms = NOW + RECEIPT_LIFE_MS - 1
    assert await journal.receipt("alice", "k", last_ms) == first
    assert await journal.receipt("alice", "k", last_ms + 1) is None
    second = receipt("k", seq=2, body=b"other", at_ms=last_ms + 1)
    entries = chained([b"a", b"b"])
    assert await append(journal, entries[1:], head, after_seq=1, receipt=second, now_ms=last_ms + 1) is None
    assert await journal.receipt("alice", "k", last_ms + 2) == second


async def test_an_unknown_key_has_no_receipt(journal: Journal) -> None:
    assert await journal.receipt("alice", "k", NOW) is None
    await journal.open("alice")
    assert await journal.receipt("alice", "k", NOW) is None


async def test_trimming_drops_the_old_entries_and_keeps_the_head(journal: Journal) -> None:
    head = await journal.open("alice")
    entries = chained([b"a", b"b", b"c", b"d"])
    await append(journal, entries, head)
    assert await journal.trim("alice", 2) == 2
    assert await journal.trim("alice", 2) == 0
    assert await read_all(journal) == entries[2:]
    assert await journal.trim("alice", 99) == 2
    assert await journal.last_seq("alice") == 4
    head = await journal.open("alice")
    assert (head.seq, head.chain) == (4, entries[-1].chain)
    more = chained([b"e"], after=4, chain=head.chain)
    await append(journal, more, head)
    assert await read_all(journal) == more


async def test_trimming_an_unknown_user_drops_nothing(journal: Journal) -> None:
    assert await journal.trim("nobody", 5) == 0


async def test_erasing_leaves_nothing_and_fences_every_older_owner(journal: Journal) -> None:
    old = [await journal.open("alice"), await journal.open("alice")]
    await append(journal, chained([b"a", b"b"]), old[1], receipt=receipt("k", seq=2))
    assert await journal.erase("alice") == 2
    assert await read_all(journal) == []
    assert await journal.receipt("alice", "k", NOW) is None
    assert await journal.last_seq("alice") == 0
    new = await journal.open("alice")
    assert (new.seq, new.chain) == (0, NO_CHAIN)
    newer = await journal.open("alice")
    for stale in (*old, new):
        with pytest.raises(StaleEpoch):
            await append(journal, chained([b"x"]), replace(stale, seq=0))
    await append(journal, chained([b"y"]), newer)


async def test_erasing_without_opening_again_stops_the_owner_itself(journal: Journal) -> None:
    head = await journal.open("alice")
    await journal.erase("alice")
    with pytest.raises(StaleEpoch):
        await append(journal, chained([b"a"]), head)


async def test_odd_user_ids_are_different_users(journal: Journal) -> None:
    for user_id in ODD_IDS:
        head = await journal.open(user_id)
        assert head.seq == 0
        entries = chained([user_id.encode()])
        await journal.append(user_id, entries, epoch=head.epoch, after_seq=0, receipt=None, now_ms=NOW)
    for user_id in ODD_IDS:
        assert [entry.body for entry in await read_all(journal, user_id)] == [user_id.encode()]
    assert sorted([user_id async for user_id in journal.users()]) == sorted(ODD_IDS)
    await journal.erase("a/b")
    assert [entry.body for entry in await read_all(journal, "a:b")] == [b"a:b"]
    assert "a/b" not in [user_id async for user_id in journal.users()]


async def test_a_hundred_repeats_at_once_append_one_entry(journal: Journal) -> None:
    head = await journal.open("alice")
    sent = receipt("k", seq=1)
    answers = await asyncio.gather(*(append(journal, chained([b"a"]), head, receipt=sent) for _ in range(100)))
    assert answers.count(None) == 1
    assert answers.count(sent) == 99
    assert len(await read_all(journal)) == 1


async def test_of_many_appends_at_one_seq_only_one_gets_in(journal: Journal) -> None:
    head = await journal.open("alice")
    attempts = [append(journal, chained([bytes([i])]), head) for i in range(1, 31)]
    answers = await asyncio.gather(*attempts, return_exceptions=True)
    assert answers.count(None) == 1
    assert sum(isinstance(answer, Corrupt) for answer in answers) == 29
    assert len(await read_all(journal)) == 1


@pytest.mark.parametrize(
    ("entries", "sent"),
    [
        ([], None),
        (chained([b"a"], after=1), None),
        ([Entry(1, b"a", b"short")], None),
        ([Entry(1, b"", b"c" * 32)], None),
    ],
)
async def test_a_malformed_append_is_a_programmers_error(journal: Journal, entries: list[Entry], sent: None) -> None:
    head = await journal.open("alice")
    with pytest.raises(AssertionError):
        await append(journal, entries, head, receipt=sent)
    assert await read_all(journal) == []


async def test_the_durability_in_force_is_told(journal: Journal) -> None:
    assert await journal.check() == "strict"


async def test_a_plain_journal_out_of_reach_is_unavailable_and_unchanged() -> None:
    journal = PlainJournal()
    head = await journal.open("alice")
    journal.reachable = False
    with pytest.raises(Unavailable):
        await append(journal, chained([b"a"]), head)
    journal.reachable = True
    assert await read_all(journal) == []
