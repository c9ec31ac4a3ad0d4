"""The application over a directory that really remembers, with a token for each kind of caller."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count

import httpx

from adapters.http.app import create_app
from adapters.http.parts import HttpParts
from adapters.rates import Rates
from adapters.tokens import TokenBook
from tests.adapters.http.service import NOW_MS, Store
from tests.adapters.mcp.doubles import ListDirectory

PUBLIC_URL = "http://host.docker.internal:8100/"


@dataclass(frozen=True, slots=True)
class DifyService:
    """Clients by name: `everyone` reads all users, `alice` and `bob` only their own, `nobody` has no token."""

    directory: ListDirectory
    everyone: httpx.AsyncClient
    alice: httpx.AsyncClient
    bob: httpx.AsyncClient
    nobody: httpx.AsyncClient


@asynccontextmanager
async def dify_service() -> AsyncIterator[DifyService]:
    ids, secrets = count(), count()
    tokens = TokenBook(
        Store(), now_ms=lambda: NOW_MS, new_id=lambda: f"id{next(ids)}", new_token=lambda: f"secret{next(secrets)}"
    )
    directory = ListDirectory()
    app = create_app(
        HttpParts(
            directory=directory,
            tokens=tokens,
            rates=Rates(now_ms=lambda: NOW_MS),
            now_ms=lambda: NOW_MS,
            new_id=lambda: f"id{next(ids)}",
            public_url=PUBLIC_URL,
        )
    )
    async with AsyncExitStack() as stack:
        clients = []
        for users in (("*",), ("alice",), ("bob",), ()):
            token = (await tokens.create(users=users))[0] if users else "wrong"
            clients.append(
                await stack.enter_async_context(
                    httpx.AsyncClient(
                        transport=httpx.ASGITransport(app),
                        base_url="http://127.0.0.1:8100",
                        headers={"Authorization": f"Bearer {token}"},
                    )
                )
            )
        yield DifyService(directory, *clients)
