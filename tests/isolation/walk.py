"""Two tenants on one host: what Bob observes while Alice works, and while she does not.

Everything random is drawn per tenant (requests, ids, secrets), and time moves with Bob's steps alone. So every byte of
Bob's answers must be the same in both runs, but for the figures that tell of the host (`_OF_THE_HOST`). What is
compared beside the bytes is the work: how many questions each request puts to the actors.
"""

import gc
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from random import Random

import httpx

from actors.directory import Directory
from actors.host import MemoryHost
from actors.local_hosts import LocalHost, LocalHosts
from actors.parts import HostLimits
from actors.placement import Placement
from adapters.http.app import create_app
from adapters.http.parts import LOOPBACK_HOSTS, Asks, HttpParts
from adapters.mcp.server import build_mcp, scope_user
from adapters.rates import Rates
from adapters.tokens import TokenBook
from persistence.plain_journal import PlainTokens
from tests.actors.world import World
from tests.isolation.ways_in import Hand, Sent, requests_of

TENANTS = (("bob", "alice"), ("a", "a/b"), ("u:1", "u"), ("用户 1", "用户 10"), ("x", "x}"), ("Al", "al"))
# That somebody reached for them is noted in the audit trail of the user who was meant, beside the answer.
NOTED = "refused"
WORDS = ("bobsword7", "alicesword9")
HOST = "http://127.0.0.1:8100"
SECOND_MS, HOUR_MS = 1_000, 3_600_000
# How long an answer took, and when this user last left the host's memory: a full host sends its least recently used
# user to storage, and anybody may see that their host is full.
_OF_THE_HOST = re.compile(r'"(took_ms|last_snapshot_at|snapshots|journal_entries|cache)":("[^"]*"|[\w.-]+)')
# The trace that these show is in memory first, and a full host does not wait to write down what was only asked: where
# each step of one tenant evicts the other, they are compared by their status, and searched for leaks like all others.
_OF_THE_TRACE = frozenset({"replay", "replay_search"})
# Sums of a matrix product differ in their last digits with the order of its rows, which is that of arrival until the
# user was read from storage.
_LONG_NUMBER = re.compile(r"\d+\.\d{6,}(?:e-?\d+)?")
_ID = re.compile(r'\\?"(?:id|memory_id|token_id)\\?":\\?"((?:bob|alice)-\d{6})')


@dataclass(slots=True)
class Counted:
    """The directory of a service, counting what it is asked; `mix` is for tests of the walk itself."""

    inner: Asks
    asked: list[tuple[str, str]] = field(default_factory=list)
    mix: Mapping[str, str] = field(default_factory=dict)

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
        if op != NOTED:
            self.asked.append((user_id, op))
        user_id = self.mix.get(op, user_id)
        return await self.inner.ask(user_id, op, args, idempotency_key=idempotency_key, min_seq=min_seq, client=client)


@dataclass(slots=True)
class TwoTenants:
    """One service, two callers. `acting` is whose ids are made next."""

    world: World
    directory: Counted
    bob: httpx.AsyncClient
    alice: httpx.AsyncClient
    acting: list[str]
    users: tuple[str, str]
    evicting: bool


class QuietHosts(LocalHosts):
    """Hosts whose background work never begins: it looks at the machine's clock, which no two runs share."""

    async def host(self, name: str) -> LocalHost:
        handle = self._handles.get(name)
        if handle is None:
            handle = self._handles[name] = LocalHost(MemoryHost(self._parts(name)))
        return handle


@asynccontextmanager
async def two_tenants(users: tuple[str, str], *, live_users_max: int) -> AsyncIterator[TwoTenants]:
    """A service over plain stores with a token for each user. With one live user at most, each step of one tenant
    makes the other one leave the host's memory.
    """
    acting, numbers = ["bob"], {"bob": 0, "alice": 0}

    def new_id() -> str:
        numbers[acting[0]] += 1
        return f"{acting[0]}-{numbers[acting[0]]:06d}"

    world = World(limits=HostLimits(embed_retry_ms=10**9, live_users_max=live_users_max, snapshot_every=50))
    world.embedder.broken = True  # When a model's vector lands is a matter of time: all stay with their stand-ins.
    hosts = QuietHosts(lambda name: replace(world.parts(name), new_id=new_id))
    directory = Counted(Directory(hosts, Placement.shared(1)))

    def now_ms() -> int:
        return world.now_ms

    tokens = TokenBook(PlainTokens(), now_ms=now_ms, new_id=new_id, new_token=lambda: "secret-" + new_id())
    door = build_mcp(directory, version="0", allowed_hosts=LOOPBACK_HOSTS)
    app = create_app(
        HttpParts(
            directory=directory,
            tokens=tokens,
            rates=Rates(now_ms=now_ms),
            now_ms=now_ms,
            new_id=new_id,
            extra_routes=door.routes,
            lifespans=[door.lifespan],
            scope_user=scope_user,
        )
    )
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(app.router.lifespan_context(app))
        clients = []
        for name, user in zip(("bob", "alice"), users, strict=True):
            acting[0] = name
            token, _ = await tokens.create(users=(user,), role="admin")
            client = httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url=HOST, headers={"Authorization": f"Bearer {token}"}
            )
            clients.append(await stack.enter_async_context(client))
        yield TwoTenants(world, directory, *clients, acting, users, live_users_max == 1)
    await hosts.stop()


async def play(client: httpx.AsyncClient, sent: Sent, hand: Hand) -> httpx.Response:
    """Send one request and remember the ids that its answer names."""
    reply = await client.request(sent.method, sent.path, content=sent.body, headers=dict(sent.headers))
    if (
        sent.operation not in _OF_THE_TRACE
    ):  # What these answer depends on the host, and so would the requests after it.
        hand.known.extend(found for found in _ID.findall(reply.text) if found not in hand.known[-200:])
    return reply


def drawn(hand: Hand, user: str) -> Sent:
    """One random request about this user."""
    ways = requests_of(hand, user)
    (make,) = hand.chance.choices([way for _, way in ways], [weight for weight, _ in ways])
    return make()


@dataclass(slots=True)
class Seen:
    """What one run showed Bob."""

    observed: list[str] = field(default_factory=list)
    operations: set[tuple[str, int]] = field(default_factory=set)
    leaks: list[str] = field(default_factory=list)
    steps: int = 0
    cpu_s: float = 0.0


async def what_bob_sees(seed: int, steps: int, *, alice_is_busy: bool, mix: Mapping[str, str] | None = None) -> Seen:
    """`steps` requests of Bob about himself, each followed by one that reaches for Alice; Alice works between them."""
    users, seen = TENANTS[seed % len(TENANTS)], Seen()
    async with two_tenants(users, live_users_max=1 if seed % 2 else 100) as both:
        both.directory.mix = mix or {}
        bob = Hand(users[0], WORDS[0], Random(seed))
        stranger = Hand(users[0], WORDS[0], Random(seed + 1), [f"alice-{n:06d}" for n in range(1, 40)])
        alice = Hand(users[1], WORDS[1], Random(seed + 2))
        for _ in range(steps):
            if alice_is_busy:
                both.acting[0] = "alice"
                reply = await play(both.alice, drawn(alice, users[1]), alice)
                seen.steps += 1
                if WORDS[0] in reply.text:
                    seen.leaks.append(f"Alice was shown Bob's: {reply.request.method} {reply.request.url.path}")
            both.acting[0] = "bob"
            both.world.pass_time(bob.chance.choice((0, SECOND_MS, SECOND_MS, HOUR_MS)))
            for hand, user in ((bob, users[0]), (stranger, users[1])):
                both.directory.asked.clear()
                sent = drawn(hand, user)
                started = time.thread_time()
                reply = await play(both.bob, sent, hand)
                seen.cpu_s += time.thread_time() - started
                seen.steps += 1
                note(seen, both, sent, reply)
    return seen


def note(seen: Seen, both: TwoTenants, sent: Sent, reply: httpx.Response) -> None:
    """Keep what Bob can tell apart, and what must never be in it."""
    if WORDS[1] in reply.text or any(user != both.users[0] for user, _ in both.directory.asked):
        seen.leaks.append(f"Bob reached Alice: {sent.operation} {reply.status_code}")
    headers = sorted((name, value) for name, value in reply.headers.items() if name != "content-length")
    work = [op for _, op in both.directory.asked]
    seen.operations.add((sent.operation, reply.status_code))
    text = "" if both.evicting and sent.operation in _OF_THE_TRACE else plain(reply.text)
    seen.observed.append(f"{sent.operation} {reply.status_code} {headers} {work} {text}")


def plain(text: str) -> str:
    """An answer without what tells of the host."""
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.5f}", _OF_THE_HOST.sub("", text))


async def compared(seed: int, steps: int) -> tuple[Seen, Seen, list[int]]:
    """Both runs of one seed, and the steps at which they differ."""
    alone = await what_bob_sees(seed, steps, alice_is_busy=False)
    gc.collect()
    beside = await what_bob_sees(seed, steps, alice_is_busy=True)
    differ = [
        index for index, (one, other) in enumerate(zip(alone.observed, beside.observed, strict=True)) if one != other
    ]
    return alone, beside, differ
