"""Asking users wherever they live, also when a host dies or an owner is replaced in between."""

import asyncio

import pytest

from actors.directory import Directory
from actors.host import MemoryHost
from actors.local_hosts import LocalHosts
from actors.placement import Placement
from actors.requests import error_value, raised
from engine.errors import ERRORS, Indeterminate, RearviewError, Unavailable
from tests.actors.world import World, write


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def hosts(world: World) -> LocalHosts:
    return LocalHosts(world.parts)


@pytest.fixture
def directory(hosts: LocalHosts) -> Directory:
    return Directory(hosts, Placement.shared(2))


async def test_users_of_all_hosts_are_reached(directory: Directory, hosts: LocalHosts) -> None:
    replies = await asyncio.gather(
        *(
            directory.ask(f"u-{n}", "write", {"content": "Our cat is called Mimi", "tier": "semantic"})
            for n in range(20)
        )
    )
    assert {reply["seq"] for reply in replies} == {1}
    await hosts.stop()


async def test_a_replaced_owner_is_never_seen_by_the_caller(world: World, directory: Directory) -> None:
    args = {"content": "Our cat is called Mimi", "tier": "semantic"}
    await directory.ask("u", "write", args)
    await write(MemoryHost(world.parts()), "u", "I take the tram to work")
    reply = await directory.ask("u", "write", {"content": "My locker is number 12", "tier": "semantic"})
    assert reply["seq"] == 3


async def test_a_lost_host_is_found_anew_for_reads_and_for_changes_with_a_key(
    hosts: LocalHosts, directory: Directory
) -> None:
    args = {"content": "Our cat is called Mimi", "tier": "semantic"}
    await directory.ask("u", "write", args, idempotency_key="k")
    (await hosts.host(Placement.shared(2).host_of("u"))).lost = True
    assert (await directory.ask("u", "list", {}))["total"] == 1
    (await hosts.host(Placement.shared(2).host_of("u"))).lost = True
    assert (await directory.ask("u", "write", args, idempotency_key="k"))["seq"] == 1


async def test_a_change_without_a_key_is_not_repeated_on_a_lost_host(hosts: LocalHosts, directory: Directory) -> None:
    await directory.ask("u", "list", {})
    (await hosts.host(Placement.shared(2).host_of("u"))).lost = True
    with pytest.raises(Indeterminate):
        await directory.ask("u", "write", {"content": "Our cat is called Mimi"})
    assert (await directory.ask("u", "list", {}))["total"] == 0


async def test_two_losses_in_a_row_are_unavailable(directory: Directory, hosts: LocalHosts) -> None:
    class AlwaysLost:
        async def call(self, batch: bytes) -> bytes:
            raise Unavailable.of("gone", code="host_lost")

    async def host(name: str) -> AlwaysLost:
        return AlwaysLost()

    hosts.host = host  # type: ignore[method-assign, assignment]
    with pytest.raises(Unavailable):
        await directory.ask("u", "list", {})


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_every_error_travels_with_its_class_code_field_and_sentence(name: str) -> None:
    error = ERRORS[name].of("a sentence | with a bar", code="some_code", field="content")
    back = raised(error_value(error))
    assert type(back) is type(error)
    assert (back.code, back.field, back.sentence) == ("some_code", "content", "a sentence | with a bar")


def test_an_error_class_we_do_not_know_stays_in_our_tree() -> None:
    assert type(raised(["Surprise", "x|y|z"])) is RearviewError
