"""A host: batches, order, parked replies, who lives here and who goes."""

import asyncio
from dataclasses import replace

import msgpack
import pytest

from actors.host import MemoryHost
from actors.passivate import take_snapshot
from actors.requests import COLLECT, OK, PARKED, Request, pack_requests, unpack_answers
from engine.change import decide_purge
from engine.errors import Corrupt, Unavailable
from engine.state import check_state
from persistence.values import Head, Recovered
from tests.actors.world import World, ask, memory_id, settle, write


@pytest.fixture
def world() -> World:
    return World()


def writes(user_id: str, *contents: str) -> list[Request]:
    return [Request(n, user_id, "write", {"content": one, "tier": "semantic"}) for n, one in enumerate(contents)]


async def test_requests_of_one_user_in_a_batch_are_done_in_order(world: World) -> None:
    host = world.host()
    batch = [*writes("u", "Our cat is called Mimi", "My locker is number 12"), Request(9, "u", "list", {})]
    answers = {a.request_id: a.value for a in unpack_answers(await host.call(pack_requests(batch)))}
    assert [answers[n]["seq"] for n in (0, 1, 9)] == [1, 2, 2]  # type: ignore[index]
    assert answers[9]["total"] == 2  # type: ignore[index]


async def test_what_takes_longer_is_parked_and_collected_without_holding_up_its_batch(world: World) -> None:
    host = world.host(patience_ms=300)  # Long enough for what is quick on a busy machine.
    held = asyncio.Event()
    recover = host.parts.recovery

    async def slow(user_id: str, head: Head) -> Recovered:
        if user_id == "slow":
            await held.wait()
        return await recover(user_id, head)

    object.__setattr__(host.parts, "recovery", slow)
    await ask(host, "quick", "list")
    batch = [Request(1, "slow", "list", {}), Request(2, "quick", "list", {})]
    answers = {a.request_id: a for a in unpack_answers(await host.call(pack_requests(batch)))}
    assert (answers[1].kind, answers[2].kind) == (PARKED, OK)
    collect = pack_requests([Request(3, "", COLLECT, {"ticket": answers[1].value})])
    waiting = asyncio.create_task(host.call(collect))
    held.set()
    (collected,) = unpack_answers(await waiting)
    assert collected.kind == OK
    assert collected.value["total"] == 0  # type: ignore[index]
    (again,) = unpack_answers(await host.call(collect))
    assert again.kind == "error"


async def test_a_bug_in_one_request_fails_that_request_alone(world: World, caplog: pytest.LogCaptureFixture) -> None:
    host = world.host()
    batch = [Request(1, "u", "list", {"limit": "a secret text"}), Request(2, "u", "list", {})]
    answers = {a.request_id: a for a in unpack_answers(await host.call(pack_requests(batch)))}
    assert (answers[1].kind, answers[2].kind) == ("error", OK)
    assert answers[1].value[0] == "RearviewError"  # type: ignore[index]
    assert "TypeError" in caplog.text
    assert "secret" not in caplog.text


async def test_an_idle_user_is_passivated_and_comes_back_whole(world: World) -> None:
    host = world.host()
    written = memory_id(await write(host, "u", "Our cat is called Mimi"))
    world.pass_time(world.limits.idle_ms - 1)
    await host.sweeper.look()
    assert len(host.users) == 1
    world.pass_time(1)
    await host.sweeper.look()
    assert len(host.users) == 0
    assert (await ask(host, "u", "get", {"memory_id": written}))["content"] == "Our cat is called Mimi"
    assert (host.users.counts.passivated, host.users.counts.hydrated) == (1, 2)
    actor = await host.users.actor("u")
    assert (actor.snapshot_seq, actor.seq) == (1, 1)


@pytest.mark.parametrize("words", ["as written", "none", "of another release"])
async def test_the_words_of_a_snapshot_are_found_whether_or_not_it_has_an_index_of_them(
    world: World, words: str
) -> None:
    host = world.host()
    written = memory_id(await write(host, "u", "Our cat is called Mimi"))
    actor = await host.users.actor("u")
    snapshot = await take_snapshot(actor)
    assert snapshot.words
    await host.stop()
    kept = {"as written": snapshot.words, "none": b"", "of another release": msgpack.packb(["another shape"])}
    await world.snapshots.write("u", replace(snapshot, words=kept[words]))
    later = await world.host().users.actor("u")
    assert later.state.lexical.search("Mimi", limit=9)[0].tolist() == [later.state.slots[written]]
    check_state(later.state)


async def test_the_least_recently_used_user_makes_room(world: World) -> None:
    host = world.host(live_users_max=2)
    for user in ("a", "b"):
        await write(host, user, "Our cat is called Mimi")
    await ask(host, "a", "list")
    await write(host, "c", "Our cat is called Mimi")
    assert {actor.user_id for actor in host.users} == {"a", "c"}
    assert (await ask(host, "b", "list"))["total"] == 1


async def test_many_calls_for_a_cold_user_hydrate_it_once(world: World) -> None:
    host = world.host()
    await asyncio.gather(*(ask(host, "u", "list") for _ in range(20)))
    assert host.users.counts.hydrated == 1


async def test_no_more_users_hydrate_at_once_than_allowed(world: World) -> None:
    host = world.host(hydrations_at_once=2)
    recover, now, most = host.parts.recovery, 0, 0

    async def counted(user_id: str, head: Head) -> Recovered:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return await recover(user_id, head)

    object.__setattr__(host.parts, "recovery", counted)
    await asyncio.gather(*(ask(host, f"u-{number}", "list") for number in range(10)))
    assert most == 2


async def test_damaged_bytes_are_an_error_and_never_an_empty_user(world: World) -> None:
    host = world.host()
    await write(host, "u", "Our cat is called Mimi")
    entries = world.journal.entries("u")
    other = MemoryHost(world.parts())
    entries[0] = type(entries[0])(1, entries[0].body.replace(b"Mimi", b"Momo"), entries[0].chain)
    for op in ("list", "search", "write"):
        with pytest.raises(Corrupt):
            await ask(other, "u", op, {"query": "cat"} if op == "search" else {})
    assert other.users.counts.damaged == 1
    await ask(other, "u", "erase")
    assert (await ask(other, "u", "list"))["total"] == 0


async def test_a_store_that_cannot_be_reached_is_unavailable_and_tried_again(world: World) -> None:
    host = world.host()
    world.journal.reachable = False
    with pytest.raises(Unavailable):
        await ask(host, "u", "list")
    world.journal.reachable = True
    assert (await ask(host, "u", "list"))["total"] == 0


async def test_a_snapshot_is_written_beside_the_calls_and_the_journal_is_trimmed(world: World) -> None:
    host = world.host(snapshot_every=2)
    for number in range(6):
        await write(host, "u", f"The parcel {number} went to Lyon")
        await settle(host)
    assert host.sweeper.snapshots == 3
    assert [entry.seq for entry in world.journal.entries("u")] == [3, 4, 5, 6]
    again = MemoryHost(world.parts())
    before = await ask(host, "u", "export")
    assert (await ask(again, "u", "export"))["lines"] == before["lines"]
    assert (await ask(again, "u", "stats"))["seq"] == 6


async def test_a_stopping_host_passivates_everybody_and_takes_no_more_calls(world: World) -> None:
    host = world.host()
    await host.start()
    for user in ("a", "b"):
        await write(host, user, "Our cat is called Mimi")
    await host.stop()
    assert host.users.counts.passivated == 2
    with pytest.raises(Unavailable):
        await ask(host, "a", "list")
    assert (await ask(MemoryHost(world.parts()), "a", "list"))["total"] == 1


async def test_a_passivation_that_fails_loses_nothing(world: World) -> None:
    host = world.host()
    await write(host, "u", "Our cat is called Mimi")
    world.snapshots.files.fail_next_write = True
    world.pass_time(world.limits.idle_ms)
    await host.sweeper.look()
    assert (await ask(host, "u", "list"))["total"] == 1


async def test_a_cold_user_is_woken_when_something_falls_due(world: World) -> None:
    host = world.host()
    await write(host, "u", "The parcel comes at noon", ttl_seconds=3600)
    await settle(host)
    await host.sweeper.look()
    await host.stop()
    later = world.host()
    world.pass_time(3_600_000)
    await later.sweeper.look()
    (actor,) = later.users
    assert actor.state.memories == {}
    assert await world.schedule.due(world.now_ms + 10**12, 10) == []


async def test_a_user_of_another_host_is_left_to_it(world: World) -> None:
    host = world.host()
    await write(host, "u", "The parcel comes at noon", ttl_seconds=3600)
    await settle(host)
    woken: list[str] = []

    async def elsewhere(user_id: str) -> None:
        woken.append(user_id)

    other = world.host()
    object.__setattr__(other.parts, "owns", lambda user_id: False)
    object.__setattr__(other.parts, "elsewhere", elsewhere)
    world.pass_time(3_600_000)
    await other.sweeper.look()
    assert (woken, len(other.users)) == (["u"], 0)


async def test_a_jump_of_the_wall_clock_purges_nothing_at_the_first_look(world: World) -> None:
    host = world.host()
    await write(host, "u", "The parcel comes at noon", ttl_seconds=3600)
    await settle(host)
    world.now_ms += 3_600_000
    assert (await ask(host, "u", "list"))["total"] == 0
    await host.sweeper.look()
    actor = await host.users.actor("u")
    assert len(actor.state.memories) == 1
    world.now_ms -= 3_600_000
    await host.sweeper.look()
    assert (await ask(host, "u", "list"))["total"] == 1
    world.pass_time(3_600_000)
    await host.sweeper.look()
    assert actor.state.memories == {}


async def test_a_purge_whose_scrub_failed_is_scrubbed_by_the_next_look(world: World) -> None:
    host = world.host()
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    world.snapshots.files.fail_next_write = True
    await ask(host, "u", "purge", {"memory_id": doomed})
    actor = await host.users.actor("u")
    assert actor.must_scrub
    await host.sweeper.look()
    assert not actor.must_scrub
    assert not [entry for entry in world.journal.entries("u") if b"canary" in entry.body]


async def test_a_scrub_that_a_crash_cut_off_is_done_after_hydration(world: World) -> None:
    host = world.host()
    doomed = memory_id(await write(host, "u", "the canary sings at midnight"))
    actor = await host.users.actor("u")
    async with actor.one_writer:
        await actor.commit(decide_purge(actor.state, [doomed], now_ms=world.now_ms).events)
    later = world.host()
    await ask(later, "u", "list")
    await later.sweeper.look()
    assert not [entry for entry in world.journal.entries("u") if b"canary" in entry.body]
