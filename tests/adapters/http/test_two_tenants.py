"""What one tenant sees is the same whether or not another one is busy: replies, counts, orders, refusals."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random

import httpx
import pytest

from actors.directory import Directory
from actors.local_hosts import LocalHosts
from actors.placement import Placement
from adapters.http.table import ENDPOINTS
from tests.actors.world import World
from tests.adapters.http.service import Service, running

SAID = [
    "I am allergic to peanuts",
    "我住在深圳南山区",
    "I like green tea",
    "My sister lives in Oslo",
    "我每周三游泳",
    "The spare key is at Ben's",
    "I moved to 12 Elm Street",
    "haha",
    "My card ends in 4711",
    "项目编号是 GF-2093",
]
ASKED = ["peanuts", "where do I live", "茶", "sister", "游泳", "key"]
STEPS = 60
Ids = dict[str, str]


@asynccontextmanager
async def whole() -> AsyncIterator[tuple[Service, World]]:
    world = World()
    world.embedder.broken = True  # When a model's vector lands is a matter of time; here all stay with their stand-ins.
    hosts = LocalHosts(world.parts)
    async with running(directory=Directory(hosts, Placement.shared(1)), now_ms=lambda: world.now_ms) as service:
        yield service, world
    await hosts.stop()


async def step(client: httpx.AsyncClient, user: str, chance: Random, known: list[str]) -> httpx.Response:
    """One random request about a user, the same for the same random numbers and the same replies before."""
    prefix = f"/v1/users/{user}"
    memory = f"{prefix}/memories/{chance.choice(known or ['nope'])}"
    said, asked = chance.choice(SAID), chance.choice(ASKED)
    choices: list[Callable[[], object]] = [
        lambda: client.post(prefix + "/memories", json={"content": said, "tier": "semantic"}),
        lambda: client.post(
            prefix + "/memories", json={"content": said}, headers={"Idempotency-Key": said.encode().hex()}
        ),
        lambda: client.post(prefix + "/search", json={"query": asked, "min_relevance": 0}),
        lambda: client.post(prefix + "/context", json={"query": asked}),
        lambda: client.get(prefix + "/memories?status=any"),
        lambda: client.get(memory),
        lambda: client.patch(memory, json={"content": said, "reason": "test"}),
        lambda: client.delete(memory),
        lambda: client.post(memory + "/restore"),
        lambda: client.get(prefix + "/export"),
        lambda: client.get(prefix + "/stats"),
        lambda: client.post(prefix + "/used", json={"memory_ids": known[:1] or ["nope"]}),
        lambda: client.get(prefix + "/settings"),
    ]
    reply: httpx.Response = await chance.choice(choices)()  # type: ignore[misc]
    if reply.status_code == 201:
        known.append(reply.json()["memory"]["id"])
    return reply


def seen(reply: httpx.Response, ids: Ids) -> str:
    """A reply without what is random by design: ids become their order of appearance, durations go."""
    text = re.sub(r'"(request_id|search_id|took_ms)":("[^"]*"|[\d.]+)', r'"\1":0', reply.text)
    text = re.sub(r'"id-\d+"', lambda found: ids.setdefault(found[0], f'"#{len(ids)}"'), text)
    return f"{reply.status_code} {sorted(reply.headers.keys())} {text}"


async def what_bob_sees(seed: int, *, alice_is_busy: bool, leak: bool = False) -> list[str]:
    ids: Ids = {}
    observed: list[str] = []
    async with whole() as (service, _):
        bob, alice = await service.client("bob"), await service.client("alice")
        bobs, alices, bobs_known, alices_known = Random(seed), Random(seed + 1), [], []  # type: ignore[var-annotated]
        async with bob, alice:
            for _ in range(STEPS):
                if alice_is_busy:
                    if leak:
                        await step(service.admin, "bob", alices, alices_known)
                    else:
                        await step(alice, "alice", alices, alices_known)
                observed.append(seen(await step(bob, "bob", bobs, bobs_known), ids))
                foreign = await step(bob, "alice", Random(len(observed)), alices_known if alice_is_busy else [])
                observed.append(f"{foreign.status_code} {re.sub('request_id.*', '', foreign.text)}")
    return observed


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_tenant_sees_the_same_with_and_without_another(seed: int) -> None:
    alone = await what_bob_sees(seed, alice_is_busy=False)
    beside = await what_bob_sees(seed, alice_is_busy=True)
    assert alone == beside
    assert sum(line.startswith("201") for line in alone) >= 3, "the random walk must write something"
    assert all(line.startswith("404") for line in alone[1::2])


async def test_the_comparison_notices_a_leak() -> None:
    assert await what_bob_sees(1, alice_is_busy=False) != await what_bob_sees(1, alice_is_busy=True, leak=True)


async def test_no_route_forgets_whose_memory_it_is() -> None:
    """Every route of the table, with another tenant's user, memory and text: 404, and not a byte of it."""
    async with whole() as (service, _):
        async with await service.client("alice", role="admin") as alice:
            body = {"content": "My safe opens with 4711", "tier": "semantic"}
            written = await alice.post("/v1/me/memories", json=body)
            memory_id = written.json()["memory"]["id"]
        async with await service.client("bob", role="admin") as bob:
            bodies = {
                "search_memories": {"query": "safe"},
                "build_context": {"query": "safe"},
                "write_memory": {"content": "x"},
                "edit_memory": {"content": "x", "reason": "x"},
                "count_used": {"memory_ids": [memory_id]},
            }
            for endpoint in ENDPOINTS:
                if endpoint.about != "user":
                    continue
                for user in ("alice", "bob"):
                    if "{memory_id}" not in endpoint.path and user == "bob":
                        continue
                    path = endpoint.path.replace("{user}", user).replace("{memory_id}", memory_id)
                    reply = await bob.request(endpoint.method, path, json=bodies.get(endpoint.operation, {}))
                    assert reply.status_code == 404, (endpoint.operation, user, reply.text)
                    assert "4711" not in reply.text
        exported = (await service.admin.get("/v1/users/alice/export")).text.splitlines()
        assert [json.loads(line)["content"] for line in exported] == ["My safe opens with 4711"]


async def test_asking_again_under_a_key_shows_nothing_that_was_moved_out_of_sight_since() -> None:
    async with whole() as (service, _), await service.client("ian", spaces={"shared": "write"}) as narrow:
        key = {"Idempotency-Key": "k"}
        body = {"content": "My boat lies at the north pier", "tier": "semantic"}
        memory_id = (await narrow.post("/v1/me/memories", json=body, headers=key)).json()["memory"]["id"]
        talk = {"conversation": "c", "turns": [{"role": "user", "content": "My sister Ann lives in Oslo"}]}
        told = await narrow.post("/v1/me/turns", json=talk, headers={"Idempotency-Key": "t"})
        written = [one["memory"]["id"] for one in told.json()["written"] if one["memory"]]
        for one in (memory_id, *written):
            edit = {"content": f"It is at berth 4711 {one}", "space": "private", "reason": "moved"}
            path = f"/v1/users/ian/memories/{one}"
            assert (await service.admin.patch(path, json=edit)).status_code == 200
        again = await narrow.post("/v1/me/memories", json=body, headers=key)
        talked = await narrow.post("/v1/me/turns", json=talk, headers={"Idempotency-Key": "t"})
        assert again.json()["memory"] is None
        assert "4711" not in again.text + talked.text
        assert written and talked.status_code == 200
