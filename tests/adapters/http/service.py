"""The application over a directory that records what it is asked and answers as told."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

import httpx
from fastapi import FastAPI

from adapters.http.app import create_app
from adapters.http.parts import HttpParts
from adapters.rates import Rates
from adapters.tokens import TokenBook
from engine.errors import Unavailable

NOW_MS = 1_780_000_000_000
HOST = "http://127.0.0.1:8100"
MEMORY: dict[str, object] = {
    "id": "m1",
    "user": "alice",
    "content": "Torch is in the boot.",
    "space": "shared",
    "version": 3,
    "created_at": NOW_MS,
    "occurred_at": None,
    "metadata": {"at": 5},
}
WRITTEN: dict[str, object] = {
    "outcome": "stored",
    "memory": MEMORY,
    "reason": "",
    "rule": "",
    "score": None,
    "related": [],
    "indexed": "now",
    "seq": 1,
    "durability": "strict",
}
FOUND: dict[str, object] = {
    "memories": [{**MEMORY, "score": 0.5, "relevance": 0.6}],
    "abstained": False,
    "hint": "",
    "withheld": {"expired": 0, "below_floor": 1, "suppressed": 0, "sensitive": 0},
    "search_id": "s",
    "took_ms": 1.0,
    "seq": 1,
}
ERASED: dict[str, object] = {
    "erased": {},
    "derived": [],
    "aof_rewritten": False,
    "receipt": "sha256",
    "complete_by": NOW_MS,
    "seq": 2,
    "durability": "strict",
}
SETTLED: dict[str, object] = {"outcome": "restored", "memory": MEMORY, "seq": 1, "durability": "strict"}
REPLIES: dict[str, Mapping[str, object]] = {
    "write": WRITTEN,
    "edit": WRITTEN,
    "search": FOUND,
    "get": {**MEMORY, "revisions": [], "seq": 1},
    "list": {"memories": [MEMORY], "next_cursor": "", "total": 1, "seq": 1},
    "bin": {"deleted": 1, "restorable_until": NOW_MS, "memory": MEMORY, "seq": 1, "durability": "strict"},
    "purge": ERASED,
    "erase": ERASED,
    "restore": SETTLED,
    "confirm": SETTLED,
    "reject": SETTLED,
    "context": {"text": "t", "tokens": 1, "memories": ["m1"], "abstained": False, "seq": 1},
    "used": {"counted": 1, "seq": 1, "durability": "strict"},
    "import_many": {"imported": 1, "refused": [], "seq": 1, "durability": "strict"},
    "export": {"lines": [MEMORY], "next_cursor": "", "seq": 1},
    "stats": {"memories": 1, "last_snapshot_at": None, "seq": 1},
    "settings_get": {"time_zone": "UTC", "seq": 1},
    "settings_put": {"time_zone": "UTC", "seq": 1},
    "refused": {"noted": True},
    "maintain": {"expired": 0, "purged": 0, "archived": 0, "snapshots": 0},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of the directory."""

    user: str
    op: str
    args: Mapping[str, object]
    key: str
    min_seq: int
    client: str


@dataclass(slots=True)
class Directory:
    """Answers from a table; an exception in the table is raised."""

    answers: dict[str, object] = field(default_factory=lambda: dict(REPLIES))
    asked: list[Asked] = field(default_factory=list)

    async def ask(
        self,
        user_id: str,
        op: str,
        args: Mapping[str, object],
        *,
        idempotency_key: str = "",
        min_seq: int = 0,
        client: str = "",
    ) -> dict[str, object]:
        self.asked.append(Asked(user_id, op, args, idempotency_key, min_seq, client))
        answer = self.answers[op]
        if isinstance(answer, list):
            answer = answer.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, Mapping)
        return dict(answer)


class Store:
    """Token records in a dict; `away` makes it unreachable."""

    def __init__(self) -> None:
        self.records: dict[str, bytes] = {}
        self.away = False

    async def put(self, digest_hex: str, record: bytes) -> None:
        self.records[digest_hex] = record

    async def get_all(self) -> dict[str, bytes]:
        if self.away:
            raise Unavailable.of("The store is away.")
        return dict(self.records)

    async def delete(self, digest_hex: str) -> bool:
        return self.records.pop(digest_hex, None) is not None


@dataclass(slots=True)
class Service:
    """The application with its directory and tokens; `admin` is a client that may do everything."""

    app: FastAPI
    directory: Directory
    tokens: TokenBook
    store: Store
    admin: httpx.AsyncClient

    async def client(self, *users: str, **rest: object) -> httpx.AsyncClient:
        """A client with a token for these users."""
        token, _ = await self.tokens.create(users=users, **rest)  # type: ignore[arg-type]
        return client(self.app, token)

    @property
    def last(self) -> Asked:
        """What the directory was asked last."""
        return self.directory.asked[-1]


def client(app: FastAPI, token: str = "", host: str = HOST) -> httpx.AsyncClient:
    """A client of the application, without a network."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=host, headers=headers)


@asynccontextmanager
async def running(**parts: object) -> AsyncIterator[Service]:
    """A service with one admin token; `parts` change what it is made from."""
    numbers, store, directory = count(1), Store(), Directory()
    tokens = TokenBook(
        store, now_ms=lambda: NOW_MS, new_id=lambda: f"t{next(numbers)}", new_token=lambda: f"secret-{next(numbers)}"
    )
    made = {
        "directory": directory,
        "tokens": tokens,
        "rates": Rates(now_ms=lambda: NOW_MS),
        "now_ms": lambda: NOW_MS,
        "new_id": lambda: f"r{next(numbers)}",
        **parts,
    }
    app = create_app(HttpParts(**made))  # type: ignore[arg-type]
    token, _ = await tokens.create(users=("*",), role="admin")
    async with client(app, token) as admin:
        yield Service(app, directory, tokens, store, admin)
