"""The model host inside this process, for commands that need a remote embedder and no service."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from actors.model_client import ModelCalls, ModelClient
from actors.model_host import ModelHost, ModelTimes
from adapters.models.providers import rows_of
from adapters.models.remote_embedder import RemoteEmbedder
from adapters.models.remote_space import NoTable, RemoteSpace
from rearview.evaluate_vectors import Encoders
from rearview.model_wiring import FIRST_CALL_SECONDS, found_dimensions, known_dimensions, model_host, space_file
from rearview.settings import Settings

CLOSE_SECONDS = 5.0
FIT_SECONDS = 600.0


class LoopCalls:
    """Implements `actors.model_client.ModelCalls` over a loop in a thread of this process."""

    def __init__(self, host: ModelHost, loop: asyncio.AbstractEventLoop) -> None:
        self._host, self._loop = host, loop

    def submit(self, request: bytes) -> "Future[bytes]":
        return asyncio.run_coroutine_threadsafe(self._host.call(request), self._loop)


@contextmanager
def host_here(settings: Settings) -> Iterator[tuple[ModelHost, ModelCalls, asyncio.AbstractEventLoop]]:
    """A model host with the settings' models; its loop ends with the block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="models", daemon=True)
    thread.start()
    host = model_host(settings.revealed_json())
    try:
        yield host, LoopCalls(host, loop), loop
    finally:
        asyncio.run_coroutine_threadsafe(host.close(), loop).result(CLOSE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_SECONDS)
        loop.close()


def fitted_space(
    settings: Settings, host: ModelHost, calls: ModelCalls, loop: asyncio.AbstractEventLoop
) -> RemoteSpace:
    """The remote embedder's space, its mean and curve fitted if the model lets them be.

    Raises: Unavailable when the model cannot be reached.
    """
    client = ModelClient(calls)
    dimensions = known_dimensions(settings) or asyncio.run(found_dimensions(settings, calls))
    client.ask_here("embed", {"texts": ["a first text"]}, seconds=FIRST_CALL_SECONDS)
    asyncio.run_coroutine_threadsafe(host.fitted(), loop).result(FIT_SECONDS)
    return RemoteSpace(settings.models.embedder, dimensions, space_file(settings).read())


@contextmanager
def remote_encoders(settings: Settings) -> Iterator[Encoders]:
    """Encoders in the remote embedder's space: there is no table, so every query goes to the model.

    Raises: Unavailable.
    """
    models = settings.models
    with host_here(settings) as (host, calls, loop):
        space = fitted_space(settings, host, calls, loop)
        embedder = RemoteEmbedder(
            ModelClient(calls), space, passages_seconds=ModelTimes().embed_ms / 1000, query_seconds=models.query_seconds
        )
        yield Encoders(
            embedder=lambda: embedder,
            static=NoTable(space.space.dimensions),
            space=space.space,
            query_encoder="quality",
            batch=rows_of(models.embedder),
        )
