"""The routes over real actors in one process: what a client sees from its first write to the erasure."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial

import httpx
import pytest

from actors.directory import Directory
from actors.local_hosts import LocalHosts
from actors.placement import Placement
from adapters.http.replies import REPLIES
from rearview.maintenance import maintain_everyone
from tests.actors.world import World
from tests.adapters.http.service import Service, running
from tests.adapters.http.test_bad_input import BAD_SEARCHES, BAD_WRITES

ALICE = "/v1/users/alice"
PEANUTS = {"content": "I am allergic to peanuts", "category": "fact", "tier": "semantic"}


@dataclass(frozen=True, slots=True)
class Whole:
    """A service over actors; `admin` may do everything."""

    service: Service
    world: World
    admin: httpx.AsyncClient

    async def write(self, **fields: object) -> dict[str, object]:
        reply = await self.admin.post(ALICE + "/memories", json={**PEANUTS, **fields})
        assert reply.status_code == 201, reply.text
        memory: dict[str, object] = reply.json()["memory"]
        return memory

    async def contents(self, status: str = "active") -> list[str]:
        reply = await self.admin.get(f"{ALICE}/memories?status={status}")
        return [memory["content"] for memory in reply.json()["memories"]]


@pytest.fixture
async def whole() -> AsyncIterator[Whole]:
    world = World()
    hosts = LocalHosts(world.parts)
    directory = Directory(hosts, Placement.shared(1))
    maintain_all = partial(maintain_everyone, directory, world.schedule, lambda: world.now_ms)
    async with running(directory=directory, now_ms=lambda: world.now_ms, maintain_all=maintain_all) as service:
        yield Whole(service, world, service.admin)
    await hosts.stop()


async def test_a_memory_is_written_found_read_changed_binned_and_restored(whole: Whole) -> None:
    memory = await whole.write()
    url = f"{ALICE}/memories/{memory['id']}"
    found = (await whole.admin.post(ALICE + "/search", json={"query": "peanuts", "min_relevance": 0})).json()
    assert [hit["content"] for hit in found["memories"]] == [PEANUTS["content"]]
    assert {"relevance", "score", "why"} <= found["memories"][0].keys()

    read = await whole.admin.get(url)
    edit = {"content": "I am allergic to walnuts", "reason": "corrected"}
    changed = await whole.admin.patch(url, json=edit, headers={"If-Match": read.headers["etag"]})
    assert changed.status_code == 200
    stale = await whole.admin.patch(url, json=edit, headers={"If-Match": read.headers["etag"]})
    assert (stale.status_code, stale.json()["code"]) == (412, "version_mismatch")
    again = (await whole.admin.get(url)).json()
    assert again["content"] == edit["content"]
    assert again["created_at"] == memory["created_at"]
    assert [revision["content"] for revision in again["revisions"]] == [PEANUTS["content"]]
    assert again["revisions"][0]["at"].endswith("+00:00")

    first, second = await whole.admin.delete(url), await whole.admin.delete(url)
    assert [first.json()["deleted"], second.json()["deleted"]] == [1, 0]
    assert await whole.contents() == []
    assert (await whole.admin.post(url + "/restore")).json()["outcome"] == "restored"
    assert await whole.contents() == [edit["content"]]


async def test_a_key_gives_the_first_outcome_again_and_refuses_another_body(whole: Whole) -> None:
    headers = {"Idempotency-Key": "turn-1"}
    first = await whole.admin.post(ALICE + "/memories", json=PEANUTS, headers=headers)
    again = await whole.admin.post(ALICE + "/memories", json=PEANUTS, headers=headers)
    other = await whole.admin.post(ALICE + "/memories", json={"content": "I like tea"}, headers=headers)
    assert (again.json()["seq"], again.json()["memory"]["id"]) == (first.json()["seq"], first.json()["memory"]["id"])
    assert (again.status_code, other.status_code, other.json()["code"]) == (201, 409, "idempotency_conflict")
    assert len(await whole.contents()) == 1


@pytest.mark.parametrize(("path", "cases"), [("/memories", BAD_WRITES), ("/search", BAD_SEARCHES)])
async def test_bad_input_changes_nothing(whole: Whole, path: str, cases: list[tuple[str, int, str, str]]) -> None:
    await whole.write()
    more = (
        [
            ('{"content": "   "}', 422, "content", "empty"),
            ('{"content": ""}', 422, "content", "empty"),
            ('{"content": "a\\u0000b"}', 422, "content", "bad_characters"),
            ('{"content": "' + "x" * 10_001 + '"}', 413, "content", "too_large"),
            ('{"content": "x", "tags": ["' + "t" * 65 + '"]}', 413, "tags", "too_large"),
            ('{"content": "x", "metadata": {"a": {"b": {"c": {"d": {"e": 1}}}}}}', 422, "metadata", "invalid_value"),
            ('{"content": "x", "ttl_seconds": 9007199254740991}', 422, "ttl_seconds", "invalid_value"),
        ]
        if path == "/memories"
        else []
    )
    before = (await whole.admin.get(ALICE + "/export")).content, whole.world.folded("alice").memories
    for body, status, field, code in [*cases, *more]:
        reply = await whole.admin.post(ALICE + path, content=body, headers={"Content-Type": "application/json"})
        assert (reply.status_code, reply.json()["code"]) == (status, code), body[:60]
        assert [fault["field"] for fault in reply.json().get("errors", [])][:1] == ([field] if field else [])
    assert ((await whole.admin.get(ALICE + "/export")).content, whole.world.folded("alice").memories) == before


@pytest.mark.parametrize("path", ["", "/restore", "/confirm", "/reject"])
async def test_an_unknown_memory_is_404(whole: Whole, path: str) -> None:
    method = "POST" if path else "GET"
    reply = await whole.admin.request(method, f"{ALICE}/memories/nope{path}")
    assert (reply.status_code, reply.json()["code"]) == (404, "not_found")


async def test_a_cursor_of_somebody_else_is_refused(whole: Whole) -> None:
    reply = await whole.admin.get(ALICE + "/memories?cursor=zz")
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_cursor")


async def test_a_user_never_written_for_has_an_empty_list(whole: Whole) -> None:
    reply = await whole.admin.get("/v1/users/nobody/memories")
    assert (reply.status_code, reply.json()["memories"], reply.json()["total"]) == (200, [], 0)


async def test_users_whose_ids_look_alike_are_different_users(whole: Whole) -> None:
    users = ["alice", "Alice", "a%2Fb", "a%252Fb", "a:b", "%E7%94%A8%E6%88%B7 1", "%2E%2E"]
    for number, user in enumerate(users):
        body = {**PEANUTS, "content": f"My locker is number {number}"}
        assert (await whole.admin.post(f"/v1/users/{user}/memories", json=body)).status_code == 201
    for number, user in enumerate(users):
        listed = (await whole.admin.get(f"/v1/users/{user}/memories")).json()["memories"]
        assert [memory["content"] for memory in listed] == [f"My locker is number {number}"]


async def test_pages_follow_each_other_to_the_end(whole: Whole) -> None:
    said = [
        "I like tea",
        "My sister lives in Oslo",
        "我的自行车是红色的",
        "Our dog is called Pepper",
        "My dentist is Dr. Moreau",
    ]
    for content in said:
        whole.world.pass_time(1000)
        await whole.write(content=content)
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await whole.admin.get(f"{ALICE}/memories?limit=2&cursor={cursor}")).json()
        seen += [memory["content"] for memory in page["memories"]]
        assert page["total"] == 5
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert seen == said[::-1]


async def test_an_export_comes_back_as_it_was(whole: Whole) -> None:
    memory = await whole.write(tags=["health"], metadata={"at": 5, "deep": {"x": [1, 2.5, None]}}, source="agent")
    await whole.write(content="我的储物柜是 42 号")
    await whole.admin.delete(f"{ALICE}/memories/{memory['id']}")
    exported = (await whole.admin.get(ALICE + "/export")).content
    reply = await whole.admin.post("/v1/users/alice2/import", content=exported)
    assert (reply.json()["imported"], reply.json()["refused"]) == (2, [])
    back = (await whole.admin.get("/v1/users/alice2/export")).content
    kept = ("id", "content", "tier", "category", "source", "status", "said_at", "created_at", "tags", "metadata")
    lines = [[json.loads(line) for line in text.splitlines()] for text in (exported, back)]
    one, two = ([{key: line[key] for key in kept} for line in lines_of] for lines_of in lines)
    assert one == two


async def test_a_state_that_is_not_there_yet_is_412(whole: Whole) -> None:
    memory = await whole.write()
    assert (await whole.admin.get(f"{ALICE}/memories/{memory['id']}?min_seq=1")).status_code == 200
    ahead = await whole.admin.get(f"{ALICE}/memories?min_seq=99")
    assert (ahead.status_code, ahead.json()["code"]) == (412, "behind")


async def test_a_purge_and_an_erasure_leave_nothing(whole: Whole) -> None:
    memory = await whole.write()
    gone = await whole.admin.delete(f"{ALICE}/memories/{memory['id']}?purge=true")
    assert (gone.status_code, gone.json()["erased"]["memories"]) == (200, 1)
    assert (await whole.admin.get(f"{ALICE}/memories/{memory['id']}")).status_code == 404
    await whole.write(content="I like tea")
    receipt = await whole.admin.delete(ALICE)
    assert (receipt.status_code, len(receipt.json()["receipt"])) == (200, 64)
    assert await whole.contents("any") == []


async def test_a_token_for_one_space_never_sees_another(whole: Whole) -> None:
    secret = await whole.write(content="My safe opens with 4711", space="private")
    await whole.write()
    async with await whole.service.client("alice", spaces={"shared": "write"}) as half:
        for path in ("/memories?status=any", "/memories?q=safe"):
            assert "4711" not in (await half.get("/v1/me" + path)).text
        found = await half.post("/v1/me/search", json={"query": "safe 4711", "min_relevance": 0, "top_k": 50})
        assert "4711" not in found.text
        url = f"/v1/me/memories/{secret['id']}"
        for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/restore")):
            body = {"reason": "curious"} if method in ("PATCH", "POST") else {}
            assert (await half.request(method, url + path, json=body)).status_code == 404
    assert "My safe opens with 4711" in await whole.contents()


async def test_maintenance_of_everyone_sees_to_all_who_have_something_due(whole: Whole) -> None:
    for user in ("alice", "bob"):
        body = {**PEANUTS, "ttl_seconds": 60}
        assert (await whole.admin.post(f"/v1/users/{user}/memories", json=body)).status_code == 201
        await whole.world.schedule.set_due(user, whole.world.now_ms + 60_000)
    nothing = (await whole.admin.post("/v1/maintenance")).json()
    whole.world.pass_time(60_000)
    done = (await whole.admin.post("/v1/maintenance")).json()
    assert (nothing["users"], done["users"], done["expired"]) == (0, 2, 2)
    assert (await whole.admin.post("/v1/maintenance")).json()["users"] == 0


async def test_the_examples_of_the_openapi_document_have_the_keys_of_real_replies(whole: Whole) -> None:
    memory = await whole.write()
    url = f"{ALICE}/memories/{memory['id']}"
    calls: list[tuple[str, str, str, dict[str, object] | None]] = [
        ("search_memories", "POST", ALICE + "/search", {"query": "peanuts", "min_relevance": 0}),
        ("build_context", "POST", ALICE + "/context", {"query": "peanuts"}),
        ("recall_needed", "POST", "/v1/recall-needed", {"text": "x"}),
        ("write_memory", "POST", ALICE + "/memories", {"content": "haha"}),
        ("list_memories", "GET", ALICE + "/memories", None),
        ("get_memory", "GET", url, None),
        ("edit_memory", "PATCH", url, {"content": "I am allergic to walnuts", "reason": "corrected"}),
        ("count_used", "POST", ALICE + "/used", {"memory_ids": [memory["id"]]}),
        ("delete_memory", "DELETE", url, None),
        ("restore_memory", "POST", url + "/restore", None),
        (
            "hand_over_turns",
            "POST",
            ALICE + "/turns",
            {"conversation": "c", "turns": [{"role": "user", "content": "I am allergic to cashews."}]},
        ),
        ("replay", "GET", ALICE + "/replay", None),
        ("replay_search", "POST", ALICE + "/replay/search", {"query": "cashews"}),
        ("get_conversation", "GET", ALICE + "/conversations/c", None),
        ("end_conversation", "DELETE", ALICE + "/conversations/c", None),
        ("list_suppressions", "GET", ALICE + "/suppressions", None),
        ("revert", "POST", ALICE + "/revert", {"source": "tool", "since": "2020-01-01T00:00:00Z"}),
        ("get_settings", "GET", ALICE + "/settings", None),
        ("put_settings", "PUT", ALICE + "/settings", {"time_zone": "Asia/Shanghai"}),
        ("get_stats", "GET", ALICE + "/stats", None),
        ("import_memories", "POST", ALICE + "/import", {"content": "I like tea"}),
        ("maintain", "POST", "/v1/maintenance", None),
        ("list_tokens", "GET", "/v1/tokens", None),
        ("erase_user", "DELETE", ALICE, None),
    ]
    for operation, method, path, body in calls:
        reply = await whole.admin.request(method, path, json=body)
        assert reply.status_code == 200, (operation, reply.text)
        _, example = REPLIES[operation]["200"]
        assert isinstance(example, dict)
        assert set(example) <= set(reply.json()), operation
        for nested in ("memory", "score"):
            if isinstance(example.get(nested), dict) and isinstance(reply.json()[nested], dict):
                assert set(example[nested]) <= set(reply.json()[nested]), operation
        for key, value in example.items():
            if isinstance(value, list) and value and isinstance(value[0], dict) and reply.json()[key]:
                assert set(value[0]) <= set(reply.json()[key][0]), (operation, key)
        if operation in ("search_memories", "list_memories"):
            assert set(example["memories"][0]) <= set(reply.json()["memories"][0]), operation
