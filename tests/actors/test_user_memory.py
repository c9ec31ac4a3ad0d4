"""The writer: durable before visible, once per key, and what it does when storage is in trouble."""

from typing import cast

import pytest

from actors.host import MemoryHost
from engine.errors import (
    Conflict,
    Corrupt,
    Indeterminate,
    InvalidMemory,
    StaleEpoch,
    TooLarge,
    Unavailable,
    UnknownMemory,
)
from engine.state import check_state
from persistence.plain_journal import Fault
from tests.actors.world import World, ask, memory_id, settle, write


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def host(world: World) -> MemoryHost:
    return world.host()


async def test_a_write_is_in_the_journal_and_findable_when_it_is_answered(world: World, host: MemoryHost) -> None:
    reply = await write(host, "u", "I am allergic to peanuts")
    assert (reply["outcome"], reply["seq"], reply["durability"]) == ("stored", 1, "strict")
    assert memory_id(reply) in world.folded("u").memories
    found = await ask(host, "u", "search", {"query": "peanuts", "min_relevance": 0.0})
    assert [hit["id"] for hit in found["memories"]] == [memory_id(reply)]  # type: ignore[index, union-attr]
    assert found["seq"] == 1


async def test_a_write_that_cannot_be_stored_changes_nothing(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I live in Hangzhou")
    world.journal.fail_next(Fault.REJECT)
    with pytest.raises(Unavailable):
        await write(host, "u", "I live in Beijing now")
    listed = await ask(host, "u", "list")
    assert (listed["total"], listed["seq"], listed["stale"]) == (1, 1, True)
    assert (await write(host, "u", "I live in Beijing now"))["seq"] == 2
    assert "stale" not in await ask(host, "u", "list")


@pytest.mark.parametrize(("fault", "total"), [(Fault.UNSURE_WRITTEN, 1), (Fault.UNSURE_UNWRITTEN, 0)])
async def test_after_an_unsure_append_the_next_call_reads_what_the_journal_has(
    world: World, host: MemoryHost, fault: Fault, total: int
) -> None:
    await ask(host, "u", "list")
    world.journal.fail_next(fault)
    with pytest.raises(Indeterminate):
        await write(host, "u", "I have two cats at home", key="k")
    assert (await ask(host, "u", "list"))["total"] == total
    again = await write(host, "u", "I have two cats at home", key="k")
    assert again["seq"] == 1
    assert (await ask(host, "u", "list"))["total"] == 1
    assert len(world.journal.entries("u")) == 1


async def test_the_same_key_and_body_give_the_first_outcome_once(world: World, host: MemoryHost) -> None:
    first = await write(host, "u", "My passport expires in May", key="k")
    second = await write(host, "u", "My passport expires in May", key="k")
    assert {k: second[k] for k in ("outcome", "seq", "memory", "rule", "score")} == {
        k: first[k] for k in ("outcome", "seq", "memory", "rule", "score")
    }
    assert len(world.journal.entries("u")) == 1


async def test_the_same_key_with_another_body_is_a_conflict(host: MemoryHost) -> None:
    await write(host, "u", "My passport expires in May", key="k")
    with pytest.raises(Conflict) as raised:
        await write(host, "u", "My passport expires in June", key="k")
    assert raised.value.code == "idempotency_conflict"


async def test_a_skipped_write_is_remembered_by_its_key_without_an_entry(world: World, host: MemoryHost) -> None:
    first = await write(host, "u", "谢谢", key="k", tier="auto")
    assert (first["outcome"], first["memory"], first["seq"]) == ("skipped", None, 0)
    await write(host, "u", "I work at a bakery in Lyon")
    again = await write(host, "u", "谢谢", key="k", tier="auto")
    assert (again["outcome"], again["memory"], again["seq"]) == ("skipped", None, 0)
    with pytest.raises(Conflict):
        await write(host, "u", "I work at a bakery in Lyon", key="k")


async def test_a_repeat_reads_the_text_as_it_is_now_and_nothing_after_a_purge(host: MemoryHost) -> None:
    first = await write(host, "u", "My locker is number 12", key="k")
    await ask(host, "u", "edit", {"memory_id": memory_id(first), "content": "My locker is number 14"})
    again = await write(host, "u", "My locker is number 12", key="k")
    assert again["memory"]["content"] == "My locker is number 14"  # type: ignore[index]
    await ask(host, "u", "purge", {"memory_id": memory_id(first)})
    gone = await write(host, "u", "My locker is number 12", key="k")
    assert (gone["outcome"], gone["seq"], gone["memory"]) == ("stored", 1, None)


async def test_a_dry_run_shows_the_memory_and_changes_nothing(world: World, host: MemoryHost) -> None:
    reply = await write(host, "u", "I play the cello", key="k", dry_run=True)
    assert reply["memory"]["content"] == "I play the cello"  # type: ignore[index]
    assert (reply["seq"], world.journal.entries("u")) == (0, [])
    assert (await write(host, "u", "I play the violin", key="k"))["seq"] == 1


async def test_an_owner_who_was_replaced_stops_at_its_first_write(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I take the tram to work")
    other = MemoryHost(world.parts())
    await write(other, "u", "Our cat is called Mimi")
    with pytest.raises(StaleEpoch):
        await write(host, "u", "I walk to school")
    assert len(world.journal.entries("u")) == 2
    assert (await ask(host, "u", "list"))["total"] == 2


async def test_min_seq_finds_out_that_another_owner_is_ahead(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I take the tram to work")
    other = MemoryHost(world.parts())
    assert (await write(other, "u", "Our cat is called Mimi"))["seq"] == 2
    with pytest.raises(StaleEpoch):
        await ask(host, "u", "list", min_seq=2)
    assert (await ask(host, "u", "list", min_seq=2))["total"] == 2
    with pytest.raises(Unavailable) as raised:
        await ask(host, "u", "list", min_seq=3)
    assert raised.value.code == "behind"


async def test_a_reading_owner_notices_within_a_second_that_it_was_replaced(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I take the tram to work")
    await write(MemoryHost(world.parts()), "u", "Our cat is called Mimi")
    assert (await ask(host, "u", "list"))["total"] == 1
    world.pass_time(world.limits.owner_check_ms)
    await ask(host, "u", "list")
    await settle(host)
    assert (await ask(host, "u", "list"))["total"] == 2


async def test_a_journal_that_lost_entries_under_its_owner_takes_no_more_writes(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I take the tram to work")
    world.journal._users["u"].seq = 0
    with pytest.raises(Corrupt):
        await write(host, "u", "Our cat is called Mimi")
    with pytest.raises(Corrupt):
        await write(host, "u", "Our cat is called Mimi")
    assert (await ask(host, "u", "list"))["total"] == 1


async def test_reads_go_on_and_say_stale_while_the_journal_is_away(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I take the tram to work")
    world.journal.reachable = False
    with pytest.raises(Unavailable):
        await write(host, "u", "Our cat is called Mimi")
    listed = await ask(host, "u", "list")
    assert (listed["total"], listed["stale"]) == (1, True)


async def test_bin_restore_and_unknown_ids(host: MemoryHost) -> None:
    first = memory_id(await write(host, "u", "I take the tram to work"))
    binned = await ask(host, "u", "bin", {"memory_id": first, "reason": "wrong"})
    assert (binned["deleted"], binned["memory"]["status"]) == (1, "deleted")  # type: ignore[index]
    assert binned["restorable_until"] == binned["memory"]["restorable_until"]  # type: ignore[index]
    assert (await ask(host, "u", "bin", {"memory_id": first}))["deleted"] == 0
    assert (await ask(host, "u", "list"))["total"] == 0
    restored = await ask(host, "u", "restore", {"memory_id": first})
    assert (restored["outcome"], restored["memory"]["status"]) == ("restored", "active")  # type: ignore[index]
    for op in ("get", "bin", "purge", "restore", "confirm", "edit"):
        with pytest.raises(UnknownMemory):
            await ask(host, "u", op, {"memory_id": "nobody"})
    with pytest.raises(UnknownMemory):
        await ask(host, "v", "get", {"memory_id": first})


async def test_what_the_caller_may_not_see_is_unknown_to_every_operation(host: MemoryHost) -> None:
    secret = memory_id(await write(host, "u", "My salary is 9000 a month", sensitivity="sensitive", space="private"))
    for sight in ({"max_sensitivity": "normal"}, {"spaces": ["shared"]}):
        for op in ("get", "bin", "purge", "restore", "confirm", "reject", "edit"):
            with pytest.raises(UnknownMemory):
                await ask(host, "u", op, {"memory_id": secret, **sight})
        with pytest.raises(UnknownMemory):
            await ask(host, "u", "used", {"memory_ids": [secret], **sight})
    assert (await ask(host, "u", "get", {"memory_id": secret, "spaces": ["private"]}))["id"] == secret


async def test_unknown_operations_arguments_and_values_are_refused(host: MemoryHost) -> None:
    with pytest.raises(InvalidMemory) as raised:
        await ask(host, "u", "dance")
    assert raised.value.code == "unknown_operation"
    with pytest.raises(InvalidMemory) as raised:
        await write(host, "u", "I take the tram to work", colour="red")
    assert (raised.value.code, raised.value.field) == ("unknown_field", "colour")
    with pytest.raises(InvalidMemory) as raised:
        await ask(host, "u", "settings_put", {"settings": {"time_zone": "Mars/Olympus"}})
    assert raised.value.field == "time_zone"
    with pytest.raises(InvalidMemory):
        await write(host, "u", "a lone \ud800 surrogate in a longer sentence")
    assert (await ask(host, "u", "stats"))["seq"] == 0


async def test_settings_are_kept_and_given_back(world: World, host: MemoryHost) -> None:
    put = await ask(host, "u", "settings_put", {"settings": {"time_zone": "Asia/Shanghai", "half_life_days": 3}})
    assert (put["time_zone"], put["half_life_days"], put["seq"]) == ("Asia/Shanghai", 3, 1)
    assert (await ask(host, "u", "settings_get"))["time_zone"] == "Asia/Shanghai"
    assert world.folded("u").settings.time_zone == "Asia/Shanghai"


async def test_a_user_who_wants_to_hold_less_has_the_rest_archived(world: World, host: MemoryHost) -> None:
    for number in range(4):
        world.now_ms += 1_000
        await write(host, "u", f"My locker {number} is in hall {number * 7} on floor {number * 3}")
    wanted = {"capacities": {"semantic": 2}, "half_life_days": {"fact": 90.0}}
    put = await ask(host, "u", "settings_put", {"settings": wanted})
    assert (put["capacities"], put["half_life_days"]) == ({"semantic": 2}, {"fact": 90.0})
    assert (await ask(host, "u", "maintain", {}))["archived"] == 2
    assert cast("dict[str, int]", (await ask(host, "u", "stats"))["statuses"])["archived"] == 2
    assert world.folded("u").settings.capacity_of("semantic", 9) == 2


@pytest.mark.parametrize(("how", "ends_in_ms"), [("lifetime", 60_000), ("bin", 7 * 86_400_000)])
async def test_what_is_over_cannot_be_read_by_any_way_before_the_sweep_has_been(
    world: World, host: MemoryHost, how: str, ends_in_ms: int
) -> None:
    over = memory_id(
        await write(host, "u", "The door code is 4711", **({"ttl_seconds": 60} if how == "lifetime" else {}))
    )
    if how == "bin":
        await ask(host, "u", "bin", {"memory_id": over})
    world.now_ms += ends_in_ms - 1
    assert (await ask(host, "u", "get", {"memory_id": over}))["id"] == over
    assert len(cast("list[object]", (await ask(host, "u", "export"))["lines"])) == 1
    world.now_ms += 1
    assert over in world.folded("u").memories, "nothing swept it yet"
    for op in ("get", "restore", "bin"):
        with pytest.raises(UnknownMemory):
            await ask(host, "u", op, {"memory_id": over})
    assert (await ask(host, "u", "export"))["lines"] == []
    assert (await ask(host, "u", "list", {"status": "any"}))["total"] == 0
    assert (await ask(host, "u", "stats"))["memories"] == 0


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("search", {"query": "a\0b"}),
        ("search", {"query": "x" * 10_001}),
        ("context", {"query": "  "}),
        ("bin", {"reason": "a\0b"}),
        ("bin", {"reason": "r" * 1_001}),
        ("reject", {"reason": "a\0b"}),
        ("forget_about", {"about": "tram", "reason": "a\0b"}),
        ("forget_about", {"about": "tram", "reason": "r" * 1_001}),
        ("settings_put", {"settings": {"language": "\0"}}),
        ("settings_put", {"settings": {"time_zone": 5}}),
    ],
)
async def test_every_door_to_an_actor_refuses_bad_text(host: MemoryHost, op: str, args: dict[str, object]) -> None:
    kept = memory_id(await write(host, "u", "I take the tram to work"))
    more = {"memory_id": kept} if op in ("bin", "reject") else {}
    with pytest.raises((InvalidMemory, TooLarge)):
        await ask(host, "u", op, {**args, **more})
    assert (await ask(host, "u", "stats"))["seq"] == 1


async def test_a_purge_leaves_no_text_in_journal_or_snapshots(world: World, host: MemoryHost) -> None:
    kept = memory_id(await write(host, "u", "I take the tram to work"))
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    await ask(host, "u", "maintain")
    reply = await ask(host, "u", "purge", {"memory_id": doomed})
    assert reply["erased"]["memories"] == 1  # type: ignore[index]
    assert reply["erased"]["snapshots"] == 1  # type: ignore[index]
    stored = b"".join(world.snapshots.files.files.values())
    assert b"tram" in stored
    stored += b"".join(entry.body for entry in world.journal.entries("u"))
    assert b"canary" not in stored
    again = MemoryHost(world.parts())
    listed = await ask(again, "u", "list", {"status": "any"})
    assert [memory["id"] for memory in listed["memories"]] == [kept]  # type: ignore[union-attr]


async def test_an_erased_user_is_new_and_older_owners_stay_fenced(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I take the tram to work")
    await ask(host, "u", "maintain")
    older = MemoryHost(world.parts())
    actor = await older.users.actor("u")
    reply = await ask(host, "u", "erase")
    assert not actor.lifecycle.stopped
    assert reply["erased"]["memories"] == 1  # type: ignore[index]
    assert (await ask(host, "u", "list", {"status": "any"}))["total"] == 0
    with pytest.raises(StaleEpoch):
        await write(older, "u", "Our cat is called Mimi")
    assert (await write(host, "u", "Our cat is called Mimi"))["seq"] == 1


async def test_import_keeps_ids_and_names_what_it_refuses_by_line(world: World, host: MemoryHost) -> None:
    records = [
        {"line": 1, "id": "mine-1", "content": "I take the tram to work", "said_at": "2024-05-01T10:00:00+08:00"},
        {"line": 2, "content": ""},
        {"line": 3, "id": "mine-1", "content": "the same id again"},
        {"line": 4, "content": "no id of its own", "tier": "semantic"},
    ]
    reply = await ask(host, "u", "import_many", {"records": records}, key="k")
    assert reply["imported"] == 2
    assert [one["line"] for one in reply["refused"]] == [2, 3]  # type: ignore[union-attr]
    got = await ask(host, "u", "get", {"memory_id": "mine-1"})
    assert got["said_at"] == 1_714_528_800_000
    assert await ask(host, "u", "import_many", {"records": records}, key="k") == reply
    exported = await ask(host, "u", "export", {"cursor": "", "limit": 1})
    assert exported["lines"][0]["id"] == "mine-1"  # type: ignore[index]
    assert exported["next_cursor"]
    check_state((await host.users.actor("u")).state)


async def test_a_mem0_export_is_understood(host: MemoryHost) -> None:
    record = {
        "line": 1,
        "id": "m0",
        "memory": "Likes hiking in autumn",
        "created_at": "2024-01-02T03:04:05Z",
        "metadata": {"a": 1},
        "user_id": "someone",
        "hash": "x",
    }
    reply = await ask(host, "u", "import_many", {"records": [record], "format": "mem0"})
    assert (reply["imported"], reply["refused"]) == (1, [])
    got = await ask(host, "u", "get", {"memory_id": "m0"})
    assert (got["content"], got["metadata"], got["source"]) == ("Likes hiking in autumn", {"a": 1}, "import")


async def test_maintenance_lets_go_of_what_expired_and_of_the_bin(world: World, host: MemoryHost) -> None:
    await write(host, "u", "The parcel comes at noon", ttl_seconds=60)
    binned = memory_id(await write(host, "u", "I take the tram to work"))
    await ask(host, "u", "bin", {"memory_id": binned})
    world.pass_time(7 * 86_400_000)
    reply = await ask(host, "u", "maintain")
    assert (reply["expired"], reply["purged"]) == (1, 1)
    assert (await host.users.actor("u")).state.memories == {}
    assert world.journal.entries("u") == []


async def test_stats_count_tiers_statuses_and_waiting_vectors(host: MemoryHost) -> None:
    await write(host, "u", "I take the tram to work")
    await ask(host, "u", "bin", {"memory_id": memory_id(await write(host, "u", "The parcel comes at noon"))})
    stats = await ask(host, "u", "stats")
    assert (stats["tiers"]["semantic"], stats["statuses"]["deleted"]) == (1, 1)  # type: ignore[index]
    assert (stats["vectors_pending"], stats["index"]["semantic"]) == (1, "exact")  # type: ignore[index]


async def test_forgetting_by_description_bins_what_it_means_and_nothing_else(host: MemoryHost) -> None:
    doomed = memory_id(await write(host, "u", "My old address is 12 Rue Victor Hugo in Lyon"))
    kept = memory_id(await write(host, "u", "The piano is tuned in March"))
    first = await ask(host, "u", "forget_about", {"about": "forget my old address", "reason": "moved"}, key="k")
    assert (first["deleted"], first["suppressed"]) == (1, False)
    said = {"content": "My old address is 12 Rue Victor Hugo in Lyon", "space": "shared", "sensitivity": "normal"}
    assert first["memories"] == [{"memory_id": doomed, **said}]
    assert await ask(host, "u", "forget_about", {"about": "forget my old address", "reason": "moved"}, key="k") == first
    listed = await ask(host, "u", "list")
    assert [memory["id"] for memory in listed["memories"]] == [kept]  # type: ignore[union-attr]
    assert (await ask(host, "u", "forget_about", {"about": "my bank account"}))["deleted"] == 0


async def test_never_mention_again_suppresses_what_it_means_and_refuses_it_later(host: MemoryHost) -> None:
    await write(host, "u", "I broke up with Zoe in Lyon")
    reply = await ask(host, "u", "forget_about", {"about": "never mention Zoe again"})
    assert (reply["deleted"], reply["suppressed"], reply["restorable_until"]) == (1, True, None)
    assert (await ask(host, "u", "search", {"query": "Zoe", "min_relevance": 0.0}))["memories"] == []
    assert (await write(host, "u", "I broke up with Zoe in Lyon"))["outcome"] == "suppressed"
