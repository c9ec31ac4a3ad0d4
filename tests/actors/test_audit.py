"""The audit trail: every change is in it, no content is, and whoever touches an entry is found."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from actors.audit import WORDS, next_entry, verify
from actors.host import MemoryHost
from actors.replies import Reply
from actors.requests import Request, pack
from engine.errors import InvalidMemory
from engine.events import EVENTS
from persistence.codec import entry_chain
from persistence.values import AuditHead, Entry
from tests.actors.world import World, ask, memory_id, settle, write


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def host(world: World) -> MemoryHost:
    return world.host()


async def trail(host: MemoryHost, user_id: str = "u") -> list[Reply]:
    return cast("list[Reply]", (await ask(host, user_id, "audit", {"limit": 200}))["entries"])


async def filled(host: MemoryHost, count: int = 6) -> None:
    for number in range(count):
        await write(host, "u", f"My locker {number} is in hall {number * 7} on floor {number * 3}")


def test_every_event_has_a_word() -> None:
    assert set(WORDS) == set(EVENTS.values())


async def test_every_change_is_noted_with_time_token_and_memory_and_never_with_content(
    world: World, host: MemoryHost
) -> None:
    request = Request(1, "u", "write", {"content": "The canary sings at midnight", "tier": "semantic"}, by="token-1")
    first = memory_id(await host.run(request))
    world.pass_time(1_000)
    await ask(host, "u", "edit", {"memory_id": first, "content": "The canary sings at noon", "reason": "a canary"})
    await ask(host, "u", "bin", {"memory_id": first, "reason": "because of the canary"})
    await ask(host, "u", "export", {})
    await settle(host)
    shown = await trail(host)
    assert [one["action"] for one in shown] == ["export", "bin", "edit", "write"]
    assert [one["number"] for one in shown] == [4, 3, 2, 1]
    assert shown[-1] == {
        "number": 1,
        "at": world.now_ms - 1_000,
        "action": "write",
        "by": "token-1",
        "seq": 1,
        "changes": [{"what": "written", "count": 1, "memory_ids": [first]}],
        "hash": world.journal.audit_entries("u")[0].chain.hex(),
    }
    stored = b"".join(entry.body for entry in world.journal.audit_entries("u"))
    assert b"canary" not in stored
    assert (await ask(host, "u", "audit_verify"))["ok"] is True


async def test_what_happens_by_itself_is_noted_as_such(world: World, host: MemoryHost) -> None:
    await write(host, "u", "The parcel comes at noon", ttl_seconds=60)
    world.pass_time(60_000)
    await host.sweeper.look()
    (gone, _) = await trail(host)
    assert (gone["action"], gone["by"]) == ("upkeep", "")
    assert cast("list[Reply]", gone["changes"])[0]["what"] == "purged"


async def test_a_write_that_changes_nothing_and_one_that_fails_leave_no_entry(world: World, host: MemoryHost) -> None:
    await write(host, "u", "谢谢", key="k", tier="auto")
    await ask(host, "u", "list")
    await ask(host, "u", "search", {"query": "locker"})
    assert await trail(host) == []


async def test_pages_go_back_in_time_and_meet_without_a_gap(host: MemoryHost) -> None:
    await filled(host, 7)
    numbers, cursor = [], ""
    while True:
        page = await ask(host, "u", "audit", {"limit": 3, "cursor": cursor})
        assert page["total"] == 7
        numbers += [one["number"] for one in cast("list[Reply]", page["entries"])]
        cursor = cast(str, page["next_cursor"])
        if not cursor:
            break
    assert numbers == [7, 6, 5, 4, 3, 2, 1]
    for wrong in ({"cursor": "x"}, {"cursor": "-1"}, {"limit": 0}, {"limit": 201}):
        with pytest.raises(InvalidMemory):
            await ask(host, "u", "audit", wrong)


def edited(entries: list[Entry]) -> None:
    entries[2] = replace(entries[2], body=entries[2].body.replace(b"written", b"wriTTen"))


def dropped(entries: list[Entry]) -> None:
    del entries[2]


def swapped(entries: list[Entry]) -> None:
    third, fourth = entries[2], entries[3]
    entries[2], entries[3] = replace(fourth, seq=3), replace(third, seq=4)


def cut_off(entries: list[Entry]) -> None:
    del entries[4:]


def first_gone(entries: list[Entry]) -> None:
    del entries[0]


def planted(entries: list[Entry]) -> None:
    entries.append(next_entry(AuditHead(6, entries[-1].chain), 0))


def last_edited_with_its_hash(entries: list[Entry]) -> None:
    body = pack({"v": 1, "at": 0, "op": "write", "by": "", "seq": 6})
    entries[-1] = Entry(6, body, entry_chain(entries[-2].chain, 6, body))


@pytest.mark.parametrize(
    ("damage", "broken_at"),
    [
        (edited, 3),
        (dropped, 3),
        (swapped, 3),
        (cut_off, 5),
        (first_gone, 1),
        (planted, 7),
        (last_edited_with_its_hash, 6),
    ],
)
async def test_an_entry_that_was_touched_is_found_and_named(
    world: World, host: MemoryHost, damage: Callable[[list[Entry]], None], broken_at: int
) -> None:
    await filled(host)
    assert (await ask(host, "u", "audit_verify"))["ok"] is True
    damage(world.journal.audit_entries("u"))
    found = await ask(host, "u", "audit_verify")
    assert (found["ok"], found["broken_at"]) == (False, broken_at)
    assert str(broken_at) in str(found["reason"])


async def test_a_beginning_that_was_dropped_as_if_by_rule_is_found(world: World, host: MemoryHost) -> None:
    await filled(host)
    await world.journal.audit_trim("u", world.journal.audit_entries("u")[2])
    found = await ask(host, "u", "audit_verify")
    assert (found["ok"], found["broken_at"]) == (False, 3)


async def test_the_trail_stays_within_its_limit_and_verifies(world: World) -> None:
    parts = replace(world.parts(), audit_entries_max=1_000)
    host = MemoryHost(parts)
    actor = await host.users.actor("u")
    for _ in range(1_100):
        await actor.note()
    assert len(world.journal.audit_entries("u")) == 1_100
    await actor.note()
    await settle(host)
    assert len(world.journal.audit_entries("u")) == 1_000
    verified = await verify(world.journal, "u")
    assert (verified.entries, verified.broken_at) == (1_000, None)
    await actor.note()
    assert len(await trail(host)) == 200
    assert (await ask(host, "u", "audit_verify"))["entries"] == 1_001


async def test_a_trail_that_is_turned_off_gets_no_entry(world: World) -> None:
    host = MemoryHost(replace(world.parts(), audit_entries_max=0))
    await filled(host, 2)
    await ask(host, "u", "erase")
    assert world.journal.audit_entries("u") == []


async def test_an_erasure_leaves_one_entry_with_its_receipt(world: World, host: MemoryHost) -> None:
    await filled(host, 3)
    reply = await ask(host, "u", "erase")
    (left,) = await trail(host)
    assert (left["action"], left["receipt"]) == ("erase", reply["receipt"])
    assert left["changes"] == [{"what": "erased", "count": 3, "memory_ids": []}]
    verified = await ask(host, "u", "audit_verify")
    assert (verified["ok"], verified["entries"]) == (True, 1)
    await filled(host, 1)
    assert [one["number"] for one in await trail(host)] == [5, 4]
    assert (await ask(host, "u", "audit_verify"))["ok"] is True


async def test_the_trail_goes_on_with_a_new_owner(world: World, host: MemoryHost) -> None:
    await filled(host, 2)
    later = world.host()
    await filled(later, 3)
    assert (await ask(later, "u", "audit_verify"))["entries"] == len(world.journal.entries("u"))


async def refuse(host: MemoryHost, user_id: str, by: str) -> None:
    await host.run(Request(1, user_id, "refused", {}, by=by))


async def test_who_reaches_for_a_user_from_outside_is_noted_there_once_a_minute(world: World, host: MemoryHost) -> None:
    await filled(host, 1)
    for _ in range(5):
        await refuse(host, "u", "thief")
    await refuse(host, "u", "another")
    world.pass_time(60_000)
    await refuse(host, "u", "thief")
    refused = [one for one in await trail(host) if one["action"] == "refused"]
    assert [(one["by"], one["times"]) for one in refused] == [("thief", 5), ("another", 1), ("thief", 1)]
    assert (await ask(host, "u", "audit_verify"))["ok"] is True


async def test_a_user_who_is_not_there_is_not_made_by_being_asked_for(world: World, host: MemoryHost) -> None:
    await refuse(host, "nobody", "thief")
    assert [user async for user in world.journal.users()] == []
    assert world.journal.audit_entries("nobody") == []


def forged(world: World, count: int) -> None:
    """A whole trail made anew, head included, by somebody who knows how."""
    head, entries = AuditHead(), world.journal.audit_entries("u")
    entries.clear()
    for _ in range(count):
        entry = next_entry(head, 0)
        head = AuditHead(entry.seq, entry.chain)
        entries.append(entry)
    world.journal._audit_heads["u"] = head


@pytest.mark.parametrize(("count", "broken_at"), [(6, 6), (4, 5), (0, 1)])
async def test_a_trail_made_anew_is_found_by_its_owner_and_later_by_what_a_snapshot_knows(
    world: World, host: MemoryHost, count: int, broken_at: int
) -> None:
    await filled(host)
    await ask(host, "u", "maintain")
    forged(world, count)
    for look in (host, world.host()):
        found = await ask(look, "u", "audit_verify")
        assert (found["ok"], found["broken_at"]) == (False, broken_at)
