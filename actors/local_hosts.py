"""Hosts in this very process, without Ray: for tests, tools and measurements. The same bytes, the same host class."""

from collections.abc import Callable

from actors.host import MemoryHost
from actors.parts import HostParts
from engine.errors import Unavailable


class LocalHost:
    """One host behind a handle that can be cut."""

    def __init__(self, host: MemoryHost) -> None:
        self.host = host
        self.lost = False

    async def call(self, batch: bytes) -> bytes:
        if self.lost:
            raise Unavailable.of("the host is gone", code="host_lost")
        return await self.host.call(batch)


class LocalHosts:
    """Starts a host when its name is first asked for."""

    def __init__(self, parts: Callable[[str], HostParts]) -> None:
        self._parts = parts
        self._handles: dict[str, LocalHost] = {}

    async def host(self, name: str) -> LocalHost:
        handle = self._handles.get(name)
        if handle is None:
            handle = self._handles[name] = LocalHost(MemoryHost(self._parts(name)))
            await handle.host.start()
        return handle

    def forget(self, name: str) -> None:
        self._handles.pop(name, None)

    async def stop(self) -> None:
        """Passivate everybody."""
        for handle in list(self._handles.values()):
            await handle.host.stop()
