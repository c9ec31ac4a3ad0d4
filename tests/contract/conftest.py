"""One real server for all contract tests, started on first use."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from persistence.embedded_valkey import EmbeddedValkey
from persistence.plain_journal import PlainJournal, PlainSchedule, PlainTokens
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_schedule import RedisSchedule
from persistence.redis_tokens import RedisTokens


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path_factory.mktemp("valkey"))
    asyncio.run(server.start())
    yield server
    asyncio.run(server.stop())


@pytest.fixture
async def client(valkey: EmbeddedValkey) -> AsyncIterator[RedisClient]:
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
