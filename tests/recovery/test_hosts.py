"""Hosts as real Ray actors, killed: what was acknowledged is there, once, and nothing stays behind."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from actors.directory import Directory
from actors.placement import Placement
from actors.ray_runtime import HostSpec, RayRuntime, Waits, start_local
from engine.errors import Indeterminate, Unavailable
from persistence.embedded_valkey import EmbeddedValkey
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from tests.recovery.plain_parts import PARTS, settings_json

pytestmark = [pytest.mark.recovery, pytest.mark.filterwarnings("ignore::ResourceWarning")]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def ray_temp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One Ray for this file; each test has its own namespace and stores."""
    place = tmp_path_factory.mktemp("ray")
    token_file = place / "token"
    token_file.write_text("t" * 43)
    runtime = start_local(spec_for(place, "redis://unused", "first"), temp_dir=place / "r", token_file=token_file)
    yield place
    runtime.shutdown()


def spec_for(place: Path, url: str, namespace: str, dedicated: tuple[str, ...] = ()) -> HostSpec:
    return HostSpec(Placement.shared(2, dedicated), PARTS, settings_json(url, str(place / "snapshots")), namespace)


@asynccontextmanager
async def service(
    place: Path, namespace: str, dedicated: tuple[str, ...] = ()
) -> AsyncIterator[tuple[Directory, RayRuntime, RedisJournal]]:
    server = EmbeddedValkey(place / "valkey")
    await server.start()
    client = RedisClient(server.url)
    spec = spec_for(place, server.url, namespace, dedicated)
    runtime = RayRuntime(spec, owns_cluster=True)
    try:
        yield Directory(runtime, spec.placement), runtime, RedisJournal(client)
    finally:
        await runtime.stop_hosts()
        await client.close()
        await server.stop()


async def write(directory: Directory, user_id: str, number: int) -> str:
    """Write until it is acknowledged, with one key, as a client should. Returns the memory's id."""
    args = {"content": f"The parcel number {number} went to Lyon by train", "tier": "semantic"}
    while True:
        try:
            reply = await directory.ask(user_id, "write", args, idempotency_key=f"key-{number}")
        except (Unavailable, Indeterminate):
            continue
        memory = reply["memory"]
        assert isinstance(memory, dict)
        return str(memory["id"])


async def test_a_host_killed_in_the_middle_of_writes_is_back_and_nothing_is_lost(
    ray_temp: Path, tmp_path: Path
) -> None:
    async with service(tmp_path, "killed") as (directory, runtime, journal):
        name = Placement.shared(2).host_of("u")
        first = await (await runtime.host(name)).ping()
        writes = [asyncio.create_task(write(directory, "u", number)) for number in range(60)]
        await asyncio.gather(*writes[:10])
        os.kill(first, signal.SIGKILL)
        ids = await asyncio.gather(*writes)
        assert len(set(ids)) == 60
        listed = await directory.ask("u", "list", {"limit": 200})
        assert {memory["id"] for memory in listed["memories"]} == set(ids)  # type: ignore[union-attr]
        assert listed["seq"] == await journal.last_seq("u") == 60
        assert await (await runtime.host(name)).ping() != first


async def test_a_host_that_stands_still_is_replaced_and_cannot_write_when_it_wakes_up(
    ray_temp: Path, tmp_path: Path
) -> None:
    async with service(tmp_path, "still") as (directory, runtime, journal):
        runtime._waits = Waits(call=2.0, stuck=1.0)
        name = Placement.shared(2).host_of("u")
        await write(directory, "u", 1)
        still = await (await runtime.host(name)).ping()
        os.kill(still, signal.SIGSTOP)
        try:
            await write(directory, "u", 2)
            assert await (await runtime.host(name)).ping() != still
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(still, signal.SIGCONT)
        await write(directory, "u", 3)
        assert (await directory.ask("u", "list", {}))["total"] == 3
        assert await journal.last_seq("u") == 3


async def test_a_stopped_host_leaves_snapshots_and_its_successor_goes_on(ray_temp: Path, tmp_path: Path) -> None:
    async with service(tmp_path, "stopped") as (directory, runtime, _):
        ids = {await write(directory, "u", number) for number in range(3)}
        await runtime.stop_hosts()
        assert list((tmp_path / "snapshots").rglob("*.snap"))
        ids.add(await write(directory, "u", 3))
        listed = await directory.ask("u", "list", {"limit": 200})
        assert {memory["id"] for memory in listed["memories"]} == ids  # type: ignore[union-attr]


async def test_a_dedicated_user_has_a_process_of_their_own(ray_temp: Path, tmp_path: Path) -> None:
    async with service(tmp_path, "dedicated", ("vip-*",)) as (directory, runtime, _):
        await write(directory, "vip-1", 1)
        await write(directory, "somebody", 2)
        placement = Placement.shared(2, ("vip-*",))
        pids = {await (await runtime.host(placement.host_of(user))).ping() for user in ("vip-1", "somebody")}
        assert len(pids) == 2
        assert "vip" not in placement.host_of("vip-1")


DRIVER = """
import asyncio, os, sys
from pathlib import Path
from actors.ray_runtime import start_local
from tests.recovery.test_hosts import spec_for
place = Path(sys.argv[1])
token_file = place / "token"
token_file.write_text("t" * 43)
spec = spec_for(place, "redis://127.0.0.1:1", "driver")
runtime = start_local(spec, temp_dir=place / "r", token_file=token_file)
async def main():
    print(await (await runtime.host("host-0")).ping(), flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_nothing_stays_behind_when_the_service_is_killed(tmp_path: Path) -> None:
    driver = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        DRIVER,
        str(tmp_path),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={k: v for k, v in os.environ.items() if not k.startswith("RAY_")},
    )
    assert driver.stdout is not None
    host_pid = int(await driver.stdout.readline())
    family = descendants(driver.pid)
    assert host_pid in family
    assert len(family) >= 3, "gcs_server, raylet and the host at least"
    watched = [os.pidfd_open(pid) for pid in family]
    driver.kill()
    await driver.wait()
    await asyncio.wait_for(asyncio.gather(*(ended(descriptor) for descriptor in watched)), 20)


async def ended(descriptor: int) -> None:
    """Until the process of a pidfd is gone."""
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, gone.set)
    await gone.wait()
    loop.remove_reader(descriptor)
    os.close(descriptor)


def descendants(pid: int) -> set[int]:
    found: set[int] = set()
    wanted = [pid]
    while wanted:
        for children in Path(f"/proc/{wanted.pop()}/task").glob("*/children"):
            new = {int(one) for one in children.read_text().split()} - found
            found |= new
            wanted.extend(new)
    return found


async def test_hosts_of_an_older_release_give_way_and_newer_ones_are_not_touched(
    ray_temp: Path, tmp_path: Path
) -> None:
    server = EmbeddedValkey(tmp_path / "valkey")
    await server.start()
    spec = spec_for(tmp_path, server.url, "releases")
    old = RayRuntime(replace(spec, release="1.4.0"), owns_cluster=True)
    new = RayRuntime(replace(spec, release="1.10.0"), owns_cluster=True)
    try:
        name = spec.placement.host_of("u")
        memory = await write(Directory(old, spec.placement), "u", 1)
        before = await (await old.host(name)).ping()
        directory = Directory(new, spec.placement)
        listed = await directory.ask("u", "list", {})
        assert [one["id"] for one in listed["memories"]] == [memory]  # type: ignore[union-attr]
        after = await (await new.host(name)).ping()
        assert after != before
        old.forget(name)
        with pytest.raises(Unavailable, match=r"release 1\.10\.0, this service is 1\.4\.0") as refused:
            await old.host(name)
        assert refused.value.code == "newer_hosts"
        assert await (await new.host(name)).ping() == after
    finally:
        await new.stop_hosts()
        await server.stop()
