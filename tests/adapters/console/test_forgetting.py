"""Forgetting, export and import as requests."""

import json

import httpx

from tests.adapters.console.service import DAY_MS, HOST, Console, browser_of, mark_of, sign_in

FORGETTING = "/console/u/alice/forgetting"
IMPORT = "/console/u/alice/import"


async def post(browser: httpx.AsyncClient, path: str, **form: object) -> httpx.Response:
    page = await browser.get("/console/u/alice/memories")
    return await browser.post(FORGETTING + path, data={"csrf": mark_of(page), **form})


async def test_a_topic_is_suppressed_and_lifted(console: Console, browser: httpx.AsyncClient) -> None:
    memory = await console.write("alice", "I got divorced in May.")
    await post(browser, "/suppress", about="my divorce", reason="it hurts")
    page = await browser.get(FORGETTING)
    assert "my divorce" in page.text
    assert "it hurts" in page.text
    assert (await console.ask("alice", "get", {"memory_id": memory["id"]}))["status"] == "suppressed"
    lift = page.text.split(FORGETTING + "/suppressions/")[1].split('"')[0]
    await post(browser, f"/suppressions/{lift}")
    assert (await console.ask("alice", "get", {"memory_id": memory["id"]}))["status"] == "active"


async def test_the_bin_and_what_ends_by_itself_are_listed_soonest_first(
    console: Console, browser: httpx.AsyncClient
) -> None:
    binned = await console.write("alice", "The spare key is under the pot")
    await console.ask("alice", "bin", {"memory_id": binned["id"]})
    for days, content in ((9, "The guest leaves next week"), (2, "The parcel comes tomorrow")):
        kept = await console.write("alice", content)
        await console.ask("alice", "edit", {"memory_id": kept["id"], "ttl_seconds": days * 86_400})
    text = (await browser.get(FORGETTING)).text
    assert f'action="/console/u/alice/memories/{binned["id"]}/restore"' in text
    assert text.index("parcel comes") < text.index("guest leaves")
    console.shift_ms += 3 * DAY_MS
    await sign_in(browser, console.token)
    assert "parcel comes" not in (await browser.get(FORGETTING)).text
    assert (await post(browser, "/due")).status_code == 303


async def test_what_a_source_brought_is_undone(console: Console, browser: httpx.AsyncClient) -> None:
    await console.write("alice", "The order 5 was sent", source="tool")
    await console.write("alice", "I am allergic to peanuts")
    refused = await post(browser, "/revert")
    assert refused.status_code == 422
    assert (await post(browser, "/revert", source="tool", since="2020-01-01T10:00")).status_code == 303
    left = (await console.ask("alice", "list", {}))["memories"]
    assert [memory["content"] for memory in left] == ["I am allergic to peanuts"]


async def test_a_user_is_erased_only_by_an_admin_who_types_the_id(console: Console, browser: httpx.AsyncClient) -> None:
    await console.write("alice", "I am allergic to peanuts")
    for typed in ("", "Alice", "alice "):
        assert (await post(browser, "/erase", typed=typed)).status_code == 422
    token, _ = await console.tokens.create(users=("alice",), role="write")
    async with browser_of(console.app) as writer:
        await sign_in(writer, token)
        assert (await post(writer, "/erase", typed="alice")).status_code == 403
        assert "Erase this user" not in (await writer.get(FORGETTING)).text
    assert (await console.ask("alice", "list", {}))["total"] == 1
    receipt = await post(browser, "/erase", typed="alice")
    assert "Erased for good" in receipt.text
    assert (await console.ask("alice", "list", {}))["total"] == 0


async def test_an_export_can_be_imported_piece_by_piece(console: Console, browser: httpx.AsyncClient) -> None:
    for number in range(230):
        await console.write("alice", f"The parcel no. {number} went to Lyon")
    export = await browser.get("/console/u/alice/export")
    lines = export.text.splitlines()
    assert len(lines) == 230
    assert "attachment" in export.headers["content-disposition"]
    mark = mark_of(await browser.get(FORGETTING))
    pairs = [[number, json.loads(line)] for number, line in enumerate(lines, 1)]
    headers = {"X-CSRF-Token": mark, "Content-Type": "application/json"}
    piece = [*pairs[:3], [4, None], [5, {"a": 1 << 70}]]
    taken = await browser.post("/console/u/bob/import", json=piece, headers=headers)
    assert taken.json() == {
        "imported": 3,
        "refused": [{"line": 4, "code": "bad_json"}, {"line": 5, "code": "invalid_value"}],
    }
    assert (await console.ask("bob", "list", {}))["total"] == 3


async def test_an_import_needs_the_mark_and_the_shape(console: Console, browser: httpx.AsyncClient) -> None:
    mark = mark_of(await browser.get(FORGETTING))
    record = [[1, {"content": "I am allergic to peanuts"}]]
    assert (await browser.post(IMPORT, json=record)).status_code == 403
    away = {"X-CSRF-Token": mark, "Origin": "https://evil.example"}
    assert (await browser.post(IMPORT, json=record, headers=away)).status_code == 403
    for body in (b"nonsense", b"{}", b"[1]", b"[[1]]", json.dumps([[1, {}]] * 501).encode()):
        reply = await browser.post(IMPORT, content=body, headers={"X-CSRF-Token": mark, "Origin": HOST})
        assert reply.status_code in (400, 422), body[:20]
    assert (await console.ask("alice", "list", {}))["total"] == 0


async def test_what_is_done_here_is_in_the_trail_under_the_token_that_signed_in(
    console: Console, browser: httpx.AsyncClient
) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    token, principal = await console.tokens.create(users=("alice",), role="write")
    async with browser_of(console.app) as writer:
        await sign_in(writer, token)
        page = await writer.get("/console/u/alice/memories")
        await writer.post(f"/console/u/alice/memories/{memory['id']}/bin", data={"csrf": mark_of(page)})
        assert (await writer.get("/console/u/bob/memories")).status_code == 404
    trail = await browser.get("/console/u/alice/audit")
    assert f"<code>{principal.token_id}</code>" in trail.text
    assert "Every entry is as it was written" in trail.text
    assert "peanuts" not in trail.text
    narrow, _ = await console.tokens.create(users=("alice",), spaces={"shared": "read"}, role="read")
    async with browser_of(console.app) as reader:
        await sign_in(reader, narrow)
        assert (await reader.get("/console/u/alice/audit")).status_code == 403
