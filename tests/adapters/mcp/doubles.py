"""A directory that remembers in a plain list, and an application with nothing but the MCP door."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from adapters.identity import PRINCIPAL, Principal
from adapters.mcp.server import McpDoor, build_mcp, scope_user
from engine.errors import InvalidMemory, RearviewError, UnknownMemory
from engine.memory import Category, Memory, Source, Status, Tier
from engine.views import memory_with_history

NOW_MS = 1_790_000_000_000
ADMIN = Principal(token_id="t-admin", users=("*",), role="admin")
ALICE = Principal(token_id="t-alice", users=("alice",), agent="")
BOB = Principal(token_id="t-bob", users=("bob",))
READER = Principal(token_id="t-reader", users=("alice",), role="read")
TOKENS = {"admin": ADMIN, "alice": ALICE, "bob": BOB, "reader": READER}


@dataclass
class ListDirectory:
    """Answers like an actor, from lists in memory; `asked` keeps what came in."""

    memories: dict[str, dict[str, Memory]] = field(default_factory=dict)
    asked: list[tuple[str, str, Mapping[str, object]]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    failing: RearviewError | None = None
    _answers: dict[str, dict[str, object]] = field(default_factory=dict)

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
        self.asked.append((user_id, op, args))
        self.keys.append(idempotency_key)
        if self.failing is not None:
            raise self.failing
        mine = self.memories.setdefault(user_id, {})
        if idempotency_key in self._answers:
            return self._answers[idempotency_key]
        answer: dict[str, object] = getattr(self, f"_{op}")(user_id, mine, args)
        if idempotency_key:
            self._answers[idempotency_key] = answer
        return answer

    def _write(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        content = str(args["content"])
        if "\0" in content:
            raise InvalidMemory.of("It holds a NUL character.", field="content")
        memory = Memory(
            memory_id=f"{user}-{len(mine) + 1}",
            content=content,
            tier=Tier.SEMANTIC,
            category=Category.FACT,
            source=Source(str(args["source"])),
            confidence=1.0,
            importance=0.5,
            status=Status.ACTIVE,
            created_at_ms=NOW_MS,
            updated_at_ms=NOW_MS,
            said_at_ms=NOW_MS,
            valid_from_ms=NOW_MS,
            client=str(args["client"]),
        )
        mine[memory.memory_id] = memory
        return self._outcome(user, "stored", memory)

    def _outcome(self, user: str, outcome: str, memory: Memory) -> dict[str, object]:
        return {
            "outcome": outcome,
            "memory": memory_with_history(memory, user),
            "reason": "It is a fact.",
            "rule": "kept",
            "score": None,
            "related": [],
            "indexed": "now",
            "seq": 1,
            "durability": "strict",
        }

    def _search(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        words = str(args["query"]).lower()
        top_k = args["top_k"]
        assert isinstance(top_k, int)
        found = [m for m in mine.values() if m.status is Status.ACTIVE and words in m.content.lower()][:top_k]
        why = {"sentence": "The words match."}
        hits = [{**memory_with_history(m, user), "score": 0.9, "relevance": 0.8, "why": why} for m in found]
        return {
            "memories": hits,
            "abstained": not hits,
            "hint": "" if hits else "Ask the user.",
            "withheld": {},
            "search_id": "s",
            "took_ms": 0.1,
            "seq": 1,
        }

    def _get(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        memory = self._known(mine, args)
        spaces = args["spaces"]
        assert isinstance(spaces, tuple)
        if spaces and memory.space not in spaces:
            raise UnknownMemory.of("There is no such memory.", field="memory_id")
        return {**memory_with_history(memory, user), "seq": 1}

    def _edit(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        memory = replace(self._known(mine, args), content=str(args["content"]))
        mine[memory.memory_id] = memory
        return self._outcome(user, "stored", memory)

    def _bin(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        memory = replace(self._known(mine, args), status=Status.DELETED, restorable_until_ms=NOW_MS)
        mine[memory.memory_id] = memory
        return {
            "deleted": 1,
            "restorable_until": NOW_MS,
            "memory": memory_with_history(memory, user),
            "seq": 2,
            "durability": "strict",
        }

    def _forget_about(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        spaces = args["spaces"]
        assert isinstance(spaces, tuple)
        found = [m for m in mine.values() if str(args["about"]) in m.content and (not spaces or m.space in spaces)]
        for memory in found:
            mine[memory.memory_id] = replace(memory, status=Status.DELETED)
        return {
            "deleted": len(found),
            "memories": [{"memory_id": m.memory_id, "content": m.content} for m in found],
            "restorable_until": NOW_MS if found else None,
            "suppressed": False,
            "seq": 2,
            "durability": "strict",
        }

    def _restore(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        memory = replace(self._known(mine, args), status=Status.ACTIVE)
        mine[memory.memory_id] = memory
        return self._outcome(user, "restored", memory)

    def _list(self, user: str, mine: dict[str, Memory], args: Mapping[str, object]) -> dict[str, object]:
        rows = [
            m
            for m in reversed(mine.values())
            if args["status"] in ("any", m.status.value) and args.get("space", "") in ("", m.space)
        ]
        start, limit = int(str(args.get("cursor") or 0)), args["limit"]
        assert isinstance(limit, int)
        page = rows[start : start + limit]
        more = str(start + limit) if start + limit < len(rows) else ""
        return {
            "memories": [memory_with_history(m, user) for m in page],
            "next_cursor": more,
            "total": len(rows),
            "seq": 1,
        }

    def _known(self, mine: dict[str, Memory], args: Mapping[str, object]) -> Memory:
        memory = mine.get(str(args["memory_id"]))
        if memory is None:
            raise UnknownMemory.of("There is no such memory.", field="memory_id")
        return memory


@contextmanager
def acting_as(principal: Principal) -> Iterator[None]:
    """The caller of everything inside."""
    reset = PRINCIPAL.set(principal)
    try:
        yield
    finally:
        PRINCIPAL.reset(reset)


class TokenGate:
    """The smallest gate that does what the real one must: who is asking, in `PRINCIPAL` and in the scope."""

    def __init__(self, app: ASGIApp, *, with_scope_user: bool = True) -> None:
        self._app = app
        self._with_scope_user = with_scope_user

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        principal = TOKENS.get(sent)
        if principal is None:
            await PlainTextResponse("no token", 401)(scope, receive, send)
            return
        if self._with_scope_user:
            scope = {**scope, "user": scope_user(principal)}
        with acting_as(principal):
            await self._app(scope, receive, send)


def app_of(door: McpDoor) -> ASGIApp:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with door.lifespan():
            yield

    return TokenGate(Starlette(routes=list(door.routes), lifespan=lifespan))


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """Serve on a free loopback port; the socket listens before the server runs, so nobody has to wait."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws="none"))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listener.close()


@asynccontextmanager
async def served_door(directory: ListDirectory) -> AsyncIterator[str]:
    door = build_mcp(directory, version="0.0", allowed_hosts=["127.0.0.1", "localhost"])
    async with serving(app_of(door)) as url:
        yield url
