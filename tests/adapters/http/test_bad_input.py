"""Whatever is sent, the answer is a problem that names the field, repeats nothing, and asks no actor."""

import httpx
import pytest

from tests.adapters.http.service import Service

CANARY = "canary-7391"
MEMORIES = "/v1/users/alice/memories"
SEARCH = "/v1/users/alice/search"
BAD_WRITES = [
    ('{"content": 5}', 422, "content", "invalid_value"),
    ("{}", 422, "content", "missing_field"),
    ('{"content": null}', 422, "content", "invalid_value"),
    ('{"content": "x", "colour": "canary-7391"}', 422, "colour", "unknown_field"),
    ('{"content": "x", "confidence": NaN}', 422, "confidence", "invalid_value"),
    ('{"content": "x", "confidence": 1e999}', 422, "confidence", "invalid_value"),
    ('{"content": "x", "confidence": true}', 422, "confidence", "invalid_value"),
    ('{"content": "x", "confidence": "0.5"}', 422, "confidence", "invalid_value"),
    ('{"content": "x", "confidence": 1.01}', 422, "confidence", "invalid_value"),
    ('{"content": "x", "ttl_seconds": "5"}', 422, "ttl_seconds", "invalid_value"),
    ('{"content": "x", "ttl_seconds": 0}', 422, "ttl_seconds", "invalid_value"),
    ('{"content": "x", "ttl_seconds": 1e400}', 422, "ttl_seconds", "invalid_value"),
    ('{"content": "x", "tier": "canary-7391"}', 422, "tier", "invalid_value"),
    ('{"content": "x", "tags": "canary-7391"}', 422, "tags", "invalid_value"),
    ('{"content": "x", "tags": [5]}', 422, "tags.0", "invalid_value"),
    ('{"content": "x", "metadata": {"a": [{"b": 9223372036854775808}]}}', 422, "metadata", "invalid_value"),
    ('{"content": "x", "metadata": {"a": NaN}}', 422, "metadata", "invalid_value"),
    ('{"content": "x", "metadata": []}', 422, "metadata", "invalid_value"),
    ('{"content": "x", "said_at": "canary-7391"}', 422, "said_at", "invalid_time"),
    ('{"content": "x", "said_at": 1780000000}', 422, "said_at", "invalid_value"),
    ('{"content": "x", "dry_run": "yes"}', 422, "dry_run", "invalid_value"),
    ('{"content": "canary-7391 \\ud800"}', 422, "content", "bad_characters"),
    ('{"content": "x", "metadata": {"a": ["canary-7391\\udfff"]}}', 422, "metadata", "bad_characters"),
    ('{"content": "canary-7391"', 400, "", "bad_json"),
    ("", 400, "", "bad_json"),
    ("[]", 422, "", "invalid_value"),
    ('"canary-7391"', 422, "", "invalid_value"),
    ('{"content": "x", "metadata": ' + "[" * 5000 + "]" * 5000 + "}", 400, "", "bad_json"),
    ("[" * 500_000, 400, "", "bad_json"),
    ('{"content": "x", "ttl_seconds": ' + "9" * 5000 + "}", 400, "", "bad_json"),
    ('{"content": "' + "x" * (1 << 20) + '"}', 413, "body", "too_large"),
]
BAD_SEARCHES = [
    ('{"query": ""}', 422, "query", "empty"),
    ('{"query": " \\n "}', 422, "query", "empty"),
    ('{"query": "' + "q" * 10_001 + '"}', 413, "query", "too_large"),
    ('{"query": "a\\u0000b"}', 422, "query", "bad_characters"),
    ('{"query": "x", "top_k": 1000000}', 422, "top_k", "invalid_value"),
    ('{"query": "x", "metadata": {"a": 1e999}}', 422, "metadata", "invalid_value"),
    ('{"query": "x", "top_k": 0}', 422, "top_k", "invalid_value"),
    ('{"query": "x", "top_k": 1e6}', 422, "top_k", "invalid_value"),
    ('{"query": "x", "top_k": true}', 422, "top_k", "invalid_value"),
    ('{"query": "x", "from": "canary-7391"}', 422, "from", "invalid_time"),
    ('{"query": "x", "from_": "2026-01-01"}', 422, "from_", "unknown_field"),
    ('{"query": "x", "tiers": ["canary-7391"]}', 422, "tiers.0", "invalid_value"),
    ('{"query": "x", "min_seq": -1}', 422, "min_seq", "invalid_value"),
]


def refused(reply: httpx.Response, status: int, field: str, code: str) -> None:
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json"), reply.text
    problem = reply.json()
    assert {"type", "title", "status", "detail", "code", "request_id"} <= problem.keys()
    assert (problem["code"], problem["status"]) == (code, status)
    assert [fault["field"] for fault in problem.get("errors", [])][:1] == ([field] if field else [])
    assert CANARY not in reply.text
    assert problem["request_id"] == reply.headers["x-request-id"]


@pytest.mark.parametrize(("body", "status", "field", "code"), BAD_WRITES)
async def test_a_bad_write_is_refused_by_field_and_asks_nobody(
    service: Service, body: str, status: int, field: str, code: str
) -> None:
    reply = await service.admin.post(MEMORIES, content=body, headers={"Content-Type": "application/json"})
    refused(reply, status, field, code)
    assert service.directory.asked == []


@pytest.mark.parametrize(("body", "status", "field", "code"), BAD_SEARCHES)
async def test_a_bad_search_is_refused_by_field_and_asks_nobody(
    service: Service, body: str, status: int, field: str, code: str
) -> None:
    reply = await service.admin.post(SEARCH, content=body, headers={"Content-Type": "application/json"})
    refused(reply, status, field, code)
    assert service.directory.asked == []


@pytest.mark.parametrize("raw", [b"\xff\xfe{", b'{"content": "\xff"}', b"\x00", b"\xef\xbb\xbf{}"])
async def test_bytes_that_are_no_json_are_refused(service: Service, raw: bytes) -> None:
    reply = await service.admin.post(MEMORIES, content=raw, headers={"Content-Type": "application/json"})
    refused(reply, 400, "", "bad_json")


@pytest.mark.parametrize(
    ("query", "status", "field", "code"),
    [
        ("limit=0", 422, "limit", "invalid_value"),
        ("limit=201", 422, "limit", "invalid_value"),
        ("limit=canary-7391", 422, "limit", "invalid_value"),
        ("status=canary-7391", 422, "status", "invalid_value"),
        ("colour=canary-7391", 422, "colour", "unknown_field"),
        ("limit=5&limit=6", 422, "limit", "invalid_value"),
        ("q=%ff", 422, "query", "invalid_value"),
        ("min_seq=1.5", 422, "min_seq", "invalid_value"),
        ("q=" + "x" * 20_000, 413, "query", "too_large"),
    ],
)
async def test_a_bad_query_string_is_refused_by_field(
    service: Service, query: str, status: int, field: str, code: str
) -> None:
    refused(await service.admin.get(f"{MEMORIES}?{query}"), status, field, code)
    assert service.directory.asked == []


@pytest.mark.parametrize(
    ("user", "status"),
    [("u" * 60_000, 413), ("u" * 257, 413), ("a%00b", 422), ("a%0Ab", 422), ("%FF", 422), ("%ED%A0%80", 422)],
)
async def test_a_bad_user_id_is_refused(service: Service, user: str, status: int) -> None:
    reply = await service.admin.get(f"/v1/users/{user}/memories")
    assert reply.status_code == status
    assert service.directory.asked == []


async def test_a_body_in_another_format_is_refused(service: Service) -> None:
    reply = await service.admin.post(
        MEMORIES, content="content=x", headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    refused(reply, 415, "", "unsupported_media_type")


@pytest.mark.parametrize("key", ["k" * 257, "a\tb", "é"])
async def test_a_bad_idempotency_key_is_refused(service: Service, key: str) -> None:
    reply = await service.admin.post(MEMORIES, json={"content": "x"}, headers={"Idempotency-Key": key.encode()})
    assert reply.status_code == 422
    assert reply.json()["errors"][0]["field"] == "Idempotency-Key"
    assert service.directory.asked == []


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/", 404, "not_found"),
        ("GET", MEMORIES + "/", 404, "not_found"),
        ("PUT", MEMORIES, 405, "method_not_allowed"),
        ("BREW", SEARCH, 405, "method_not_allowed"),
        ("POST", "/v1/users/alice/torches", 404, "not_found"),
        ("POST", "/healthz", 405, "method_not_allowed"),
    ],
)
async def test_an_unknown_path_or_method_is_a_problem_too(
    service: Service, method: str, path: str, status: int, code: str
) -> None:
    reply = await service.admin.request(method, path)
    refused(reply, status, "", code)


async def test_a_wrong_method_learns_the_right_ones(service: Service) -> None:
    assert (await service.admin.put(MEMORIES)).headers["allow"] == "GET, HEAD, POST"


async def test_null_means_absent(service: Service) -> None:
    body = {"content": "x", "tier": None, "confidence": None, "said_at": None, "tags": None, "metadata": None}
    assert (await service.admin.post(MEMORIES, json=body)).status_code == 201
    assert service.last.args == {"content": "x"}
