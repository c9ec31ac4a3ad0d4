"""The store of an installation, for commands that work on stored data without being the service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.errors import RearviewError
from persistence.embedded_valkey import EmbeddedValkey
from persistence.redis_client import RedisClient
from rearview.settings import RedisSettings, Settings


@asynccontextmanager
async def opened_store(settings: Settings, *, beside_a_service: bool = False) -> AsyncIterator[Settings]:
    """The settings with the URL of the store, which is started here where it is the bundled one.

    `beside_a_service`: the bundled one may be in use already, and is then used as it runs.
    Raises: Unavailable when the directory is in use or the store does not start.
    """
    if settings.redis.url:
        yield settings
        return
    valkey = EmbeddedValkey(settings.data_path, settings.durability)
    with_store = settings.model_copy(update={"redis": RedisSettings(url=valkey.url)})
    if beside_a_service and await _answers(valkey.url):
        yield with_store
        return
    await valkey.start()
    try:
        yield with_store
    finally:
        await valkey.stop()


async def _answers(url: str) -> bool:
    client = RedisClient(url)
    try:
        await client.read("PING")
    except RearviewError:
        return False
    finally:
        await client.close()
    return True
