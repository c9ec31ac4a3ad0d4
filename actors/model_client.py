"""How a memory host asks the model host. Whatever happens over there comes back as `Unavailable`, within a time."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Protocol, cast

from actors.requests import pack, raised, unpack
from engine.errors import Unavailable

Value = Mapping[str, object]


class ModelCalls(Protocol):
    """The model host as this process reaches it."""

    def submit(self, request: bytes) -> "Future[bytes]":
        """Send a request; the future brings the reply or raises Unavailable.

        May block for milliseconds, so it is called in a thread. Raises: Unavailable.
        """
        ...


class ModelClient:
    """Asks from the loop (`ask`) or from a thread (`ask_here`)."""

    def __init__(self, calls: ModelCalls) -> None:
        self._calls = calls

    async def ask(self, op: str, args: Mapping[str, object], *, seconds: float) -> Value:
        """Raises: Unavailable with the model host's own code, or `model_timeout` or `model_host_lost`."""
        try:
            async with asyncio.timeout(seconds):
                future = await asyncio.to_thread(self._calls.submit, pack([op, dict(args)]))
                return _value(await asyncio.wrap_future(future))
        except TimeoutError:
            raise _too_slow() from None

    def ask_here(self, op: str, args: Mapping[str, object], *, seconds: float) -> Value:
        """The same, blocking this thread. Raises: as `ask`."""
        future = self._calls.submit(pack([op, dict(args)]))
        try:
            return _value(future.result(seconds))
        except TimeoutError:
            raise _too_slow() from None


def _value(reply: bytes) -> Value:
    kind, value = cast("list[object]", unpack(reply))
    if kind != "ok":
        raise raised(value)
    return cast(Value, value)


def _too_slow() -> Unavailable:
    return Unavailable.of("the model host did not answer in time", code="model_timeout")
