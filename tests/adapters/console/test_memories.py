"""The list and the page of one memory, as requests."""

import html

import httpx
import pytest

from tests.adapters.console.service import Console, mark_of

MEMORIES = "/console/u/alice/memories"


async def post(browser: httpx.AsyncClient, path: str, **form: str) -> httpx.Response:
    page = await browser.get(MEMORIES)
    return await browser.post(path, data={"csrf": mark_of(page), **form})


async def test_the_list_filters_and_goes_on(console: Console, browser: httpx.AsyncClient) -> None:
    for number in range(60):
        await console.write("alice", f"Parcel number {number} went to Lyon by train on its own")
    first = await browser.get(MEMORIES)
    assert first.text.count('class="row"') == 50
    more = html.unescape(first.text.split('hx-get="')[2].split('"')[0])
    rest = await browser.get(more, headers={"HX-Request": "true", "HX-Target": "more"})
    assert rest.text.count('class="row"') == 10
    assert "<html" not in rest.text
    found = await browser.get(MEMORIES + "?q=number+33", headers={"HX-Request": "true", "HX-Target": "results"})
    assert found.text.count('class="row"') == 1
    assert "<html" not in found.text
    nothing = await browser.get(MEMORIES + "?q=zebra")
    assert "Nothing matches" in nothing.text


async def test_a_memory_is_edited_with_a_reason_and_shows_its_versions(
    console: Console, browser: httpx.AsyncClient
) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    url = f"{MEMORIES}/{memory['id']}"
    without = await post(browser, url + "/edit", content="I am allergic to walnuts")
    assert without.status_code == 422
    done = await post(
        browser,
        url + "/edit",
        content="I am allergic to walnuts",
        reason="misheard",
        tags="health, food",
        sensitivity="sensitive",
        version="1",
    )
    assert done.status_code == 303
    text = (await browser.get(url)).text
    assert "walnuts" in text
    assert "<del>I am allergic to peanuts</del>" in text
    assert "misheard" in text
    kept = await console.ask("alice", "get", {"memory_id": memory["id"]})
    assert (kept["tags"], kept["sensitivity"]) == (["health", "food"], "sensitive")
    stale = await post(browser, url + "/edit", content="I am allergic to cashews", reason="again", version="1")
    assert stale.status_code == 412


async def test_line_ends_that_a_browser_changes_are_no_change(console: Console, browser: httpx.AsyncClient) -> None:
    memory = await console.write("alice", "My address:\nRose Lane 7\nBath")
    url = f"{MEMORIES}/{memory['id']}"
    await post(browser, url + "/edit", content="My address:\r\nRose Lane 7\r\nBath", reason="none", tags="home")
    kept = await console.ask("alice", "get", {"memory_id": memory["id"]})
    assert kept["content"] == "My address:\nRose Lane 7\nBath"
    assert kept["tags"] == ["home"]


async def test_bin_restore_pin_and_purge(console: Console, browser: httpx.AsyncClient) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    url = f"{MEMORIES}/{memory['id']}"
    await post(browser, url + "/bin")
    page = await browser.get(url)
    assert "data-until=" in page.text
    assert "peanuts" not in (await browser.get(MEMORIES)).text
    assert "peanuts" in (await browser.get(MEMORIES + "?status=deleted")).text
    await post(browser, url + "/restore")
    await post(browser, url + "/pin", pinned="yes")
    kept = await console.ask("alice", "get", {"memory_id": memory["id"]})
    assert (kept["status"], kept["pinned"]) == ("active", True)
    assert (await post(browser, url + "/purge")).status_code == 422
    receipt = await post(browser, url + "/purge", sure="yes")
    assert receipt.status_code == 200
    assert "Erased for good" in receipt.text
    assert (await browser.get(url)).status_code == 404


async def test_a_form_sent_twice_counts_once(console: Console, browser: httpx.AsyncClient) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    url = f"{MEMORIES}/{memory['id']}/edit"
    for _ in range(2):
        done = await post(browser, url, content="I am allergic to walnuts", reason="misheard", once="form-1")
        assert done.status_code == 303
    assert (await console.ask("alice", "get", {"memory_id": memory["id"]}))["version"] == 2


async def test_what_replaced_what_is_one_line(console: Console, browser: httpx.AsyncClient) -> None:
    old = await console.write("alice", "我住在杭州市西湖区文三路 18 号")
    new = await console.ask("alice", "write", {"content": "我搬家了，现在住在上海市徐汇区安福路 201 号"})
    assert new["outcome"] == "superseded"
    for memory_id in (old["id"], new["memory"]["id"]):
        text = (await browser.get(f"{MEMORIES}/{memory_id}")).text
        assert text.index("文三路", text.index('class="line"')) < text.index("安福路", text.index('class="line"'))


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</textarea><script>alert(1)</script>",
    "[click](javascript:alert(1)) **bold** `code`",
    "{{ 7 * 7 }} {% raw %}",
    "שלום العربية mixed with English",
    "x" * 10_000,
)


async def test_whatever_a_memory_says_is_shown_as_text(console: Console, browser: httpx.AsyncClient) -> None:
    for number, text in enumerate(HOSTILE):
        records = [{"id": f"h{number}", "content": text, "tags": ["<b>"], "metadata": {"<i>": "<u>"}}]
        reply = await console.ask("alice", "import_many", {"records": records})
        assert reply["imported"] == 1, (text[:40], reply)
        page = (await browser.get(f"{MEMORIES}/h{number}")).text
        assert html.escape(text, quote=False) in page.replace("&#34;", '"').replace("&#39;", "'")
        for tag in ("<script>alert", "<img src=x", "<b>", "<i>", "<u>"):
            assert tag not in page
    listed = (await browser.get(MEMORIES + "?status=any")).text
    assert "<script>alert" not in listed
    assert "49" not in listed.split('class="rows"')[1].split("xxxx")[0]


async def test_the_console_speaks_chinese_to_who_asks_for_it(console: Console, browser: httpx.AsyncClient) -> None:
    page = await browser.get(MEMORIES, headers={"Accept-Language": "zh-CN,zh;q=0.9"})
    assert 'lang="zh-CN"' in page.text
    assert "还没有任何记忆" in page.text
    form = {"csrf": mark_of(page), "language": "zh", "next": MEMORIES}
    assert (await browser.post("/console/preferences", data=form)).headers["location"] == MEMORIES
    assert 'lang="zh-CN"' in (await browser.get(MEMORIES)).text
    form = {"csrf": mark_of(page), "theme": "dark", "next": MEMORIES}
    await browser.post("/console/preferences", data=form)
    assert 'data-theme="dark"' in (await browser.get(MEMORIES)).text


@pytest.mark.parametrize(
    ("field", "value"),
    [*(("version", value) for value in ("²", "٣", "-1", "1e6", "0", "9" * 30, "9" * 5_000)), ("once", "x" * 1_000)],
)
async def test_what_the_hidden_fields_of_a_form_hold_is_checked_too(
    console: Console, browser: httpx.AsyncClient, field: str, value: str
) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    form = {"content": "I am allergic to nuts", "reason": "exact", field: value}
    reply = await post(browser, f"{MEMORIES}/{memory['id']}/edit", **form)
    assert reply.status_code in (413, 422)
    assert (await console.ask("alice", "get", {"memory_id": memory["id"]}))["version"] == 1
