"""What every way of rewriting the store's file must do."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import Unavailable
from persistence.embedded_valkey import EmbeddedValkey
from persistence.plain_journal import PlainRewrites
from persistence.redis_client import RedisClient
from persistence.redis_rewrites import RedisRewrites
from persistence.values import Rewriting

Rewrites = PlainRewrites | RedisRewrites


@pytest.fixture(params=["plain", "real"])
def rewrites(request: pytest.FixtureRequest) -> Rewrites:
    return PlainRewrites() if request.param == "plain" else RedisRewrites(request.getfixturevalue("client"))


async def test_a_drop_waits_until_a_rewrite_has_begun_after_it(rewrites: Rewrites) -> None:
    assert await rewrites.progress() == Rewriting(0, 0, 0)
    assert await rewrites.want(soon=False) == 1
    assert await rewrites.want(soon=True) == 2
    assert await rewrites.progress() == Rewriting(2, 2, 0)
    assert await rewrites.rewrite() == Rewriting(2, 2, 2)
    assert await rewrites.want(soon=False) == 3
    assert await rewrites.progress() == Rewriting(3, 2, 2)


async def test_many_who_want_one_at_once_share_it(client: RedisClient) -> None:
    rewrites = [RedisRewrites(client) for _ in range(2)]
    before = await begun(client)
    for number in range(10):
        await rewrites[number % 2].want(soon=True)
    done = await asyncio.gather(*(one.rewrite() for one in rewrites * 5))
    assert [one.done for one in done] == [10] * 10
    assert await begun(client) - before <= 2  # Two processes, each with one at a time.
    before = await begun(client)
    await rewrites[0].rewrite()
    assert await begun(client) == before, "nothing was dropped since"


async def begun(client: RedisClient) -> int:
    info = bytes(await client.read("INFO", "persistence")).decode()
    return int(info.split("aof_rewrites:", 1)[1].split()[0])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path)
    asyncio.run(server.start())
    yield server
    asyncio.run(server.stop())


def held_bytes(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())


async def test_what_was_dropped_is_in_no_file_of_the_store_afterwards(server: EmbeddedValkey, tmp_path: Path) -> None:
    """A stream keeps the bytes of what it trimmed beside entries that stay, which is why a scrub trims all of it."""
    client = RedisClient(server.url)
    rewrites = RedisRewrites(client)
    for number in range(1, 21):
        await client.write("XADD", "s", f"{number}-0", "b", b"the canary sings %d" % number)
    await client.write("SET", "other", "what stays")
    await client.write("XTRIM", "s", "MINID", "=", "20-0")
    await rewrites.want(soon=True)
    await rewrites.rewrite()
    assert b"the canary sings 19" in held_bytes(tmp_path)
    await client.write("XTRIM", "s", "MINID", "=", "21-0")
    await rewrites.want(soon=True)
    assert (await rewrites.rewrite()).done == 2
    assert b"canary" not in held_bytes(tmp_path)
    assert b"what stays" in held_bytes(tmp_path)
    await client.close()


async def test_a_store_that_may_not_rewrite_says_so_and_the_drop_goes_on_waiting(client: RedisClient) -> None:
    await client.write("ACL", "SETUSER", "narrow", "on", ">secret", "~*", "+@all", "-bgrewriteaof")
    scheme, _, path = client_url(client).partition("://")
    other = RedisClient(f"{scheme}://narrow:secret@{path}")
    rewrites = RedisRewrites(other)
    await rewrites.want(soon=True)
    with pytest.raises(Unavailable):
        await rewrites.rewrite()
    assert await rewrites.progress() == Rewriting(1, 1, 0)
    await other.close()
    await client.write("ACL", "DELUSER", "narrow")


def client_url(client: RedisClient) -> str:
    return f"unix://{client._options['path']}"
