"""Lines of JSON, streamed in and out, whatever the network makes of them."""

import json
from collections.abc import AsyncIterator

import pytest

from adapters.http.parts import IMPORT_BATCH_LINES, IMPORT_LINE_BYTES_MAX
from tests.adapters.http.service import MEMORY, Service

IMPORT = "/v1/users/alice/import"


async def pieces(raw: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(raw), size):
        yield raw[start : start + size]


@pytest.fixture
def batches(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[list[dict[str, object]]]:
    taken: list[list[dict[str, object]]] = []

    async def ask(self, user_id, op, args, *, idempotency_key="", min_seq=0, client=""):  # type: ignore[no-untyped-def]
        taken.append(list(args["records"]))
        return {"imported": len(args["records"]), "refused": [], "seq": len(taken), "durability": "strict"}

    monkeypatch.setattr(type(service.directory), "ask", ask)
    return taken


@pytest.mark.parametrize("size", [1, 7, 100, 1 << 20])
async def test_lines_are_the_same_however_the_network_cuts_them(
    service: Service, batches: list[list[dict[str, object]]], size: int
) -> None:
    raw = '{"content": "花生"}\n\nnonsense\n{"content": "b"}\r\n[]\n{"id": "x"}'.encode()
    headers = {"Content-Type": "application/x-ndjson"}
    reply = await service.admin.post(IMPORT, content=pieces(raw, size), headers=headers)
    assert reply.json() == {
        "imported": 3,
        "refused": [{"line": 3, "code": "bad_json"}, {"line": 5, "code": "invalid_value"}],
        "refused_total": 2,
        "seq": 1,
        "durability": "strict",
    }
    assert batches == [[{"content": "花生", "line": 1}, {"content": "b", "line": 4}, {"id": "x", "line": 6}]]


async def test_batches_are_cut_by_lines(service: Service, batches: list[list[dict[str, object]]]) -> None:
    raw = b"".join(b'{"content": "%d"}\n' % n for n in range(IMPORT_BATCH_LINES * 2 + 5))
    reply = await service.admin.post(IMPORT, content=pieces(raw, 1000))
    assert [len(batch) for batch in batches] == [IMPORT_BATCH_LINES, IMPORT_BATCH_LINES, 5]
    assert reply.json()["imported"] == IMPORT_BATCH_LINES * 2 + 5


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b'{"a": NaN}', b'{"a": 1e999}', b"[" * 5000, b'{"a": "\\ud800"}', b'{"a": ' + b"9" * 30 + b"}"],
)
async def test_a_bad_line_does_not_stop_the_others(
    service: Service, batches: list[list[dict[str, object]]], line: bytes
) -> None:
    reply = await service.admin.post(IMPORT, content=line + b'\n{"content": "b"}\n')
    assert [refusal["line"] for refusal in reply.json()["refused"]] == [1]
    assert reply.json()["imported"] == 1


async def test_an_endless_line_is_refused_without_being_kept(
    service: Service, batches: list[list[dict[str, object]]]
) -> None:
    raw = b'{"content": "' + b"x" * (IMPORT_LINE_BYTES_MAX * 3) + b'"}\n{"content": "b"}\n'
    reply = await service.admin.post(IMPORT, content=pieces(raw, 60_000))
    assert reply.json()["refused"] == [{"line": 1, "code": "too_large"}]
    assert reply.json()["imported"] == 1


@pytest.mark.parametrize("document", [[{"memory": "a"}], {"results": [{"memory": "a"}]}, {"memory": "a"}])
async def test_a_document_of_another_product_is_taken_too(
    service: Service, batches: list[list[dict[str, object]]], document: object
) -> None:
    reply = await service.admin.post(IMPORT + "?format=mem0", json=document)
    assert reply.json()["imported"] == 1
    assert batches == [[{"memory": "a", "line": 1}]]


async def test_an_import_sent_again_uses_the_same_keys(service: Service) -> None:
    for _ in range(2):
        await service.admin.post(IMPORT, content=b'{"content": "a"}\n', headers={"Idempotency-Key": "k"})
    first, second = service.directory.asked
    assert first.key == second.key != ""


async def test_an_empty_import_imports_nothing(service: Service, batches: list[list[dict[str, object]]]) -> None:
    assert (await service.admin.post(IMPORT, content=b"")).json()["imported"] == 0


async def test_an_export_streams_every_page(service: Service) -> None:
    service.directory.answers["export"] = [
        {"lines": [MEMORY, MEMORY], "next_cursor": "c", "seq": 1},
        {"lines": [MEMORY], "next_cursor": "", "seq": 1},
    ]
    reply = await service.admin.get("/v1/users/alice/export")
    assert reply.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in reply.text.splitlines()]
    assert [line["id"] for line in lines] == ["m1", "m1", "m1"]
    assert lines[0]["created_at"].endswith("+00:00")
    assert [asked.args["cursor"] for asked in service.directory.asked] == ["", "c"]


async def test_a_byte_order_mark_in_front_is_passed_over(
    service: Service, batches: list[list[dict[str, object]]]
) -> None:
    raw = b'\xef\xbb\xbf{"content": "a"}\n{"content": "b"}\n'
    assert (await service.admin.post(IMPORT, content=pieces(raw, 2))).json()["refused"] == []
    document = b'\xef\xbb\xbf[{"content": "c"}]'
    await service.admin.post(IMPORT, content=document, headers={"Content-Type": "application/json"})
    assert [[one["content"] for one in batch] for batch in batches] == [["a", "b"], ["c"]]


@pytest.mark.parametrize(("role", "trusted"), [("write", False), ("admin", True)])
async def test_only_an_admin_vouches_for_what_records_say_of_who_said_it(
    service: Service, role: str, trusted: bool
) -> None:
    async with await service.client("alice", role=role) as agent:
        await agent.post("/v1/me/import?format=conversations", content=b'{"role": "user", "content": "x"}')
    assert service.last.args["trusted"] is trusted
    assert service.last.args["format"] == "conversations"
