"""What Dify's importer and its tool node need, rule by rule (docs/dify.md)."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from adapters.tools.table import TOOLS
from tests.adapters.http.dify_service import DifyService, dify_service

RESERVED = {"json", "text", "files"}


@pytest.fixture
async def dify() -> AsyncIterator[DifyService]:
    async with dify_service() as service:
        yield service


async def document(dify: DifyService) -> dict:  # type: ignore[type-arg]
    answer = await dify.nobody.get("/openapi-dify.json", headers={"Authorization": ""})
    assert answer.status_code == 200
    read: dict = answer.json()  # type: ignore[type-arg]
    return read


async def test_the_document_is_read_without_a_token_and_names_an_absolute_server(dify: DifyService) -> None:
    read = await document(dify)
    (server,) = read["servers"]
    assert server["url"] == "http://host.docker.internal:8100"
    assert urlsplit(server["url"]).scheme in ("http", "https")
    assert read["info"]["title"]
    assert read["info"]["description"]


async def test_there_are_six_posts_named_like_the_tools(dify: DifyService) -> None:
    paths = (await document(dify))["paths"]
    assert list(paths) == [f"/dify/{tool.name}" for tool in TOOLS]
    for path, methods in paths.items():
        assert list(methods) == ["post"]
        assert path.endswith("/" + methods["post"]["operationId"])


async def test_a_body_is_flat_inline_and_described(dify: DifyService) -> None:
    for methods in (await document(dify))["paths"].values():
        operation = methods["post"]
        assert "parameters" not in operation
        (content,) = operation["requestBody"]["content"].items()
        assert content[0] == "application/json"
        body = content[1]["schema"]
        assert body["type"] == "object"
        for schema in body["properties"].values():
            assert set(schema) <= {"type", "description", "default"}
            assert schema["type"] in ("string", "integer", "number", "boolean")
            assert schema["description"]
            assert isinstance(schema.get("default", ""), str | int | float)


async def test_every_success_is_200_with_an_object_that_has_a_status(dify: DifyService) -> None:
    written = await dify.alice.post("/dify/memory_write", json={"content": "我对花生过敏"})
    memory_id = written.json()["memory_id"]
    calls = [
        ("memory_search", {"query": "花生"}),
        ("memory_list", {}),
        ("memory_update", {"memory_id": memory_id, "new_content": "我对虾过敏", "reason": "更正"}),
        ("memory_forget", {"memory_id": memory_id}),
        ("memory_restore", {"memory_id": memory_id}),
        ("memory_forget", {"about": "nothing like it"}),
    ]
    answers = [written, *[await dify.alice.post(f"/dify/{tool}", json=body) for tool, body in calls]]
    for answer in answers:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["status"]
        assert not RESERVED & set(answer.json())


@pytest.mark.parametrize("nothing", ["", None, "   "])
async def test_blank_null_and_absent_are_the_same(dify: DifyService, nothing: str | None) -> None:
    bare = {"content": "x"}
    filled = {**{argument.name: nothing for argument in TOOLS[0].arguments}, **bare}
    for body in (bare, filled):
        assert (await dify.alice.post("/dify/memory_write", json=body)).status_code == 200
    first, second = (args for _, _, args in dify.directory.asked)
    assert first == second


async def test_numbers_may_come_as_text(dify: DifyService) -> None:
    answer = await dify.alice.post("/dify/memory_search", json={"query": "x", "top_k": "3"})
    assert answer.status_code == 200
    assert dify.directory.asked[-1][2]["top_k"] == 3


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        (b"", 422, "missing_field", "content"),
        (b"{", 400, "bad_json", None),
        (b"[]", 422, "invalid_value", "body"),
        (b'{"content": 5}', 422, "invalid_value", "content"),
        (b'{"content": "x", "ttl": "soon"}', 422, "invalid_value", "ttl"),
        (b'{"content": "x", "more": 1}', 422, "unknown_field", "more"),
        (b'{"content": "x", "user_id": "{{#sys.user_id#}}"}', 422, "invalid_value", "user_id"),
        (b'{"content": "x", "confidence": NaN}', 422, "invalid_value", "confidence"),
        (b'{"content": "\\u0000"}', 422, "invalid_value", "content"),
        (b"[" * 50_000, 400, "bad_json", None),
    ],
)
async def test_a_bad_body_is_a_problem_with_a_code_and_the_field(
    dify: DifyService, body: bytes, status: int, code: str, field: str | None
) -> None:
    answer = await dify.alice.post("/dify/memory_write", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    if field:
        assert answer.json()["errors"][0]["field"] == field
    assert not dify.directory.memories.get("alice")


async def test_a_user_outside_the_token_is_like_an_unknown_memory(dify: DifyService) -> None:
    for user in ("alice", "nobody at all"):
        answer = await dify.bob.post("/dify/memory_list", json={"user_id": user})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert (await dify.everyone.post("/dify/memory_list", json={"user_id": "alice"})).status_code == 200
    unnamed = await dify.everyone.post("/dify/memory_list", json={})
    assert unnamed.json()["errors"][0]["field"] == "user_id"


async def test_without_a_good_token_nothing_is_done(dify: DifyService) -> None:
    answer = await dify.nobody.post("/dify/memory_write", json={"content": "x"})
    assert answer.status_code == 401
    assert not dify.directory.asked


async def test_a_retried_request_may_carry_its_key_in_a_header(dify: DifyService) -> None:
    for key, body in [("run-1", {}), ("run-2", {"idempotency_key": "own"})]:
        sent = {"content": "x", **body}
        await dify.alice.post("/dify/memory_write", json=sent, headers={"Idempotency-Key": key})
    await dify.alice.post("/dify/memory_search", json={"query": "x"}, headers={"Idempotency-Key": "run-3"})
    assert dify.directory.keys == ["run-1", "own", ""]
