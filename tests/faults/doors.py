"""Two ways for a client to reach a user's memory: a host process by its socket, or a whole service by HTTP."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from actors.coalescer import CoalescerLimits
from actors.directory import Directory
from actors.placement import Placement
from engine.errors import Conflict, Indeterminate, RearviewError, Unavailable

CALL_SECONDS = 4.0
IN_FLIGHT = 2


class Again(Exception):
    """The outcome is not known or surely nothing was done; ask again with the same key."""


class Refused(Exception):
    """A definite no."""


class Door(Protocol):
    async def write(self, user: str, key: str, text: str) -> tuple[int, str]:
        """(seq, memory id). Raises: Again, Refused."""
        ...

    async def ask(self, user: str, op: str, args: Mapping[str, object], min_seq: int = 0) -> dict[str, Any]:
        """A read that knows at least `min_seq`. Raises: Again, Refused."""
        ...

    async def close(self) -> None: ...


@dataclass
class SocketHandle:
    """A host behind a unix socket: one connection per call, the end of the stream ends the batch."""

    path: str
    seconds: float = CALL_SECONDS

    async def call(self, batch: bytes) -> bytes:
        try:
            async with asyncio.timeout(self.seconds):
                reader, writer = await asyncio.open_unix_connection(self.path)
                try:
                    writer.write(batch)
                    writer.write_eof()
                    answer = await reader.read()
                finally:
                    writer.close()
        except OSError:
            raise Unavailable.of("the host is gone", code="host_lost") from None
        if not answer:
            raise Unavailable.of("the host is gone", code="host_lost")
        return answer


class SocketHosts:
    """The one host of a row. Implements `actors.ports.Hosts`."""

    def __init__(self, path: str, seconds: float = CALL_SECONDS) -> None:
        self._handle = SocketHandle(path, seconds)

    async def host(self, name: str) -> SocketHandle:
        return self._handle

    def forget(self, name: str) -> None:
        """The socket's path stays the same."""


class HostDoor:
    def __init__(self, path: str, seconds: float = CALL_SECONDS) -> None:
        hosts = SocketHosts(path, seconds)
        self._directory = Directory(hosts, Placement.shared(1), CoalescerLimits(in_flight_max=IN_FLIGHT))

    async def write(self, user: str, key: str, text: str) -> tuple[int, str]:
        reply = await self._ask(user, "write", {"content": text, "tier": "semantic"}, key)
        if reply["outcome"] != "stored":
            raise Refused(f"a write was {reply['outcome']}")
        return reply["seq"], reply["memory"]["id"]

    async def ask(self, user: str, op: str, args: Mapping[str, object], min_seq: int = 0) -> dict[str, Any]:
        return await self._ask(user, op, args, min_seq=min_seq)

    async def _ask(
        self, user: str, op: str, args: Mapping[str, object], key: str = "", min_seq: int = 0
    ) -> dict[str, Any]:
        try:
            return dict(await self._directory.ask(user, op, args, idempotency_key=key, min_seq=min_seq))
        except Conflict as error:
            raise Refused(str(error)) from None
        except (Unavailable, Indeterminate) as error:
            raise Again(str(error)) from None
        except RearviewError as error:
            raise Refused(str(error)) from None

    async def close(self) -> None:
        return


class HttpDoor:
    def __init__(self, url: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        limits = httpx.Limits(max_connections=64)
        self._client = httpx.AsyncClient(base_url=url, headers=headers, timeout=15, trust_env=False, limits=limits)

    async def write(self, user: str, key: str, text: str) -> tuple[int, str]:
        body = {"content": text, "tier": "semantic", "category": "fact"}
        reply = await self._send("POST", user, "/memories", json=body, headers={"Idempotency-Key": key})
        if reply["outcome"] != "stored":
            raise Refused(f"a write was {reply['outcome']}")
        return reply["seq"], reply["memory"]["id"]

    async def ask(self, user: str, op: str, args: Mapping[str, object], min_seq: int = 0) -> dict[str, Any]:
        if op == "list":
            return await self._send("GET", user, "/memories", params={**args, "min_seq": min_seq})
        return await self._send("POST", user, f"/{op}", json={**args, "min_seq": min_seq})

    async def _send(self, method: str, user: str, path: str, **more: Any) -> dict[str, Any]:
        try:
            answer = await self._client.request(method, f"/v1/users/{user}{path}", **more)
        except httpx.TransportError as error:
            raise Again(type(error).__name__) from None
        if answer.status_code in (502, 503, 504):
            await asyncio.sleep(min(0.5, float(answer.headers.get("Retry-After", "0.2"))))
            raise Again(str(answer.status_code))
        if answer.status_code >= 300:
            raise Refused(f"{answer.status_code}: {answer.json().get('code')}")
        return dict(answer.json())

    async def close(self) -> None:
        await self._client.aclose()


def door_to(target: Mapping[str, str]) -> Door:
    """A door by its description: {"socket": path} or {"url": ..., "token": ...}."""
    if "socket" in target:
        return HostDoor(target["socket"])
    return HttpDoor(target["url"], target["token"])
