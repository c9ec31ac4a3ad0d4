"""One real server for all contract tests, started on first use.

It is the bundled Valkey, or, to try another one, the server at the URL in TEST_REDIS_URL (whose data is lost).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import pytest

from persistence.embedded_valkey import EmbeddedValkey
from persistence.plain_journal import PlainJournal, PlainSchedule, PlainTokens
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_schedule import RedisSchedule
from persistence.redis_tokens import RedisTokens


@dataclass(frozen=True, slots=True)
class OtherServer:
    """A server that somebody else started."""

    url: str
    pid: int


async def other_server(url: str) -> OtherServer:
    client = RedisClient(url)
    info = bytes(await client.read("INFO", "server")).decode()
    await client.close()
    return OtherServer(url, int(info.split("process_id:", 1)[1].split()[0]))


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey | OtherServer]:
    if url := os.environ.get("TEST_REDIS_URL"):
        yield asyncio.run(other_server(url))
        return
    server = EmbeddedValkey(tmp_path_factory.mktemp("valkey"))
    asyncio.run(server.start())
    yield server
    asyncio.run(server.stop())


@pytest.fixture
async def client(valkey: EmbeddedValkey | OtherServer) -> AsyncIterator[RedisClient]:
    """A client of the real server, which it empties first."""
    client = RedisClient(valkey.url)
    await client.write("FLUSHALL")
    yield client
    await client.close()


@pytest.fixture(params=["plain", "real"])
def journal(request: pytest.FixtureRequest) -> PlainJournal | RedisJournal:
    if request.param == "plain":
        return PlainJournal()
    return RedisJournal(request.getfixturevalue("client"))


@pytest.fixture(params=["plain", "real"])
def tokens(request: pytest.FixtureRequest) -> PlainTokens | RedisTokens:
    return PlainTokens() if request.param == "plain" else RedisTokens(request.getfixturevalue("client"))


@pytest.fixture(params=["plain", "real"])
def schedule(request: pytest.FixtureRequest) -> PlainSchedule | RedisSchedule:
    return PlainSchedule() if request.param == "plain" else RedisSchedule(request.getfixturevalue("client"))
