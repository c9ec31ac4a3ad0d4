"""Who gets into the console, and which forms are taken."""

import httpx
import pytest

from adapters.console.app import USER_PAGES
from adapters.console.entry import safe_next
from adapters.console.parts import SESSION_IDLE_MS, SESSION_LIFE_MS, SESSIONS_MAX, SESSIONS_PER_TOKEN_MAX
from adapters.console.sessions import Sessions
from tests.adapters.console.service import HOST, Console, browser_of, mark_of, sign_in

MEMORIES = "/console/u/alice/memories"


async def test_without_a_session_every_page_leads_to_the_sign_in_page(console: Console) -> None:
    async with browser_of(console.app) as client:
        for page in USER_PAGES:
            path = "/console" + page.path.replace("{user}", "alice").replace("{memory_id}", "m")
            reply = await client.request(page.method, path, data={"csrf": "x"} if page.method == "POST" else None)
            assert reply.status_code == 303, path
            assert reply.headers["location"].startswith("/console/sign-in"), path
        reply = await client.get(MEMORIES + "?q=tea")
        assert reply.headers["location"] == "/console/sign-in?next=%2Fconsole%2Fu%2Falice%2Fmemories%3Fq%3Dtea"
        signed = await client.post("/console/sign-in", data={"token": console.token, "next": MEMORIES + "?q=tea"})
        assert signed.headers["location"] == MEMORIES + "?q=tea"


async def test_the_bare_address_leads_to_the_console_and_to_nothing_else(console: Console) -> None:
    async with browser_of(console.app) as client:
        reply = await client.get("/")
        assert (reply.status_code, reply.headers["location"], reply.text) == (303, "/console", "")
        assert (await client.post("/")).status_code == 405
        assert (await client.get("/v1/tokens")).status_code == 401
        assert (await client.get("/", headers={"Host": "elsewhere.example"})).status_code == 421


async def test_the_cookie_is_random_and_out_of_reach_of_scripts_and_other_sites(console: Console) -> None:
    async with browser_of(console.app) as client:
        cookie = (await sign_in(client, console.token)).headers["set-cookie"]
        assert console.token not in cookie
        assert {"HttpOnly", "SameSite=Strict", "Path=/console"} <= set(cookie.split("; "))
        page = await client.get(MEMORIES)
        assert console.token not in page.text


async def test_behind_a_public_https_address_the_cookie_is_secure() -> None:
    from tests.adapters.console.service import running

    async with running(public_url="https://memory.example") as console, browser_of(console.app) as client:
        client.headers["Origin"] = "https://memory.example"
        refused = await sign_in(client, console.token)
        assert refused.status_code == 403, "the door in front does not know this name here"
        client.headers["Origin"] = HOST
        assert "Secure" in (await sign_in(client, console.token)).headers["set-cookie"].split("; ")


async def test_a_wrong_token_is_refused_and_not_repeated(console: Console) -> None:
    async with browser_of(console.app) as client:
        reply = await sign_in(client, "rv_wrong")
        assert reply.status_code == 401
        assert "set-cookie" not in reply.headers
        assert "rv_wrong" not in reply.text


async def test_a_session_ends_with_its_token_with_sign_out_and_with_time(console: Console) -> None:
    token, principal = await console.tokens.create(users=("alice",))
    async with browser_of(console.app) as client:
        await sign_in(client, token)
        page = await client.get(MEMORIES)
        assert page.status_code == 200
        old = client.cookies["rearview_session"]
        await client.post("/console/sign-out", data={"csrf": mark_of(page)})
        client.cookies.set("rearview_session", old, path="/console")
        assert (await client.get(MEMORIES)).status_code == 303
        await sign_in(client, token)
        await console.tokens.revoke(principal.token_id)
        assert (await client.get(MEMORIES)).status_code == 303
        await sign_in(client, console.token)
        console.shift_ms += SESSION_IDLE_MS
        assert (await client.get(MEMORIES)).status_code == 303


def test_a_session_that_is_used_all_the_time_ends_too() -> None:
    now = [0]
    secrets = iter("abcdef")
    sessions = Sessions(now_ms=lambda: now[0], new_secret=lambda: next(secrets))
    secret = sessions.open("token")
    while now[0] + SESSION_IDLE_MS // 2 < SESSION_LIFE_MS:
        now[0] += SESSION_IDLE_MS // 2
        assert sessions.find(secret) is not None
    now[0] = SESSION_LIFE_MS
    assert sessions.find(secret) is None
    assert len(sessions) == 0


def test_one_token_does_not_push_out_the_sessions_of_another() -> None:
    secrets = map(str, range(10 * SESSIONS_MAX))
    sessions = Sessions(now_ms=lambda: 0, new_secret=lambda: next(secrets))
    mine = sessions.open("mine")
    theirs = [sessions.open("theirs") for _ in range(SESSIONS_PER_TOKEN_MAX + 1)]
    assert len(sessions) == SESSIONS_PER_TOKEN_MAX + 1
    assert sessions.find(mine) is not None
    assert sessions.find(theirs[0]) is None and sessions.find(theirs[-1]) is not None


async def test_a_form_of_another_site_is_refused(console: Console, browser: httpx.AsyncClient) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    page = await browser.get(f"{MEMORIES}/{memory['id']}")
    form = {"csrf": mark_of(page)}
    url = f"{MEMORIES}/{memory['id']}/bin"
    for origin in (
        "https://evil.example",
        "null",
        "",
        "http://[",
        "http://127.0.0.1:8100.evil.example",
        "http://localhost:8100",
    ):
        reply = await browser.post(url, data=form, headers={"Origin": origin})
        assert reply.status_code == 403, origin
    assert (await console.ask("alice", "get", {"memory_id": memory["id"]}))["status"] == "active"
    assert (await browser.post(url, data=form)).status_code == 303
    assert (await console.ask("alice", "get", {"memory_id": memory["id"]}))["status"] == "deleted"


@pytest.mark.parametrize("mark", ["", "wrong", "é", "\ud800"])
async def test_a_form_without_the_mark_of_its_session_is_refused(
    console: Console, browser: httpx.AsyncClient, mark: str
) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    body = b"csrf=" + mark.encode("utf-8", "surrogatepass")
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    reply = await browser.post(f"{MEMORIES}/{memory['id']}/bin", content=body, headers=headers)
    assert reply.status_code in (403, 422)
    assert (await console.ask("alice", "get", {"memory_id": memory["id"]}))["status"] == "active"


async def test_the_mark_of_one_session_is_worth_nothing_in_another(console: Console) -> None:
    memory = await console.write("alice", "I am allergic to peanuts")
    async with browser_of(console.app) as one, browser_of(console.app) as other:
        await sign_in(one, console.token)
        await sign_in(other, console.token)
        mark = mark_of(await one.get(MEMORIES))
        reply = await other.post(f"{MEMORIES}/{memory['id']}/bin", data={"csrf": mark})
        assert reply.status_code == 403


async def test_no_change_is_made_by_looking(browser: httpx.AsyncClient) -> None:
    for page in USER_PAGES:
        if page.method == "POST":
            path = "/console" + page.path.replace("{user}", "alice").replace("{memory_id}", "m")
            assert (await browser.get(path)).status_code in (405, 404), path


async def test_every_answer_forbids_inline_scripts_frames_and_caches(
    console: Console, browser: httpx.AsyncClient
) -> None:
    for path in ("/console", MEMORIES, MEMORIES + "/nope", "/console/nowhere", "/console/sign-in"):
        headers = (await browser.get(path)).headers
        assert "unsafe" not in headers["content-security-policy"], path
        assert "script-src 'self'" in headers["content-security-policy"], path
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store", path


@pytest.mark.parametrize(
    "where",
    ["https://evil.example", "//evil.example", "/v1/tokens", "/consolex", "/console/\\evil", "/console\r\nX: y"],
)
def test_after_signing_in_nobody_is_sent_elsewhere(where: str) -> None:
    assert safe_next(where) == ""


async def test_a_token_sees_only_its_users_spaces_and_what_lies_below_its_ceiling(console: Console) -> None:
    await console.write("alice", "Alice drinks tea in the morning")
    secret = await console.write("alice", "My therapist is Dr. Weber", sensitivity="sensitive")
    work = await console.write("alice", "The deploy key lives in the vault", space="work")
    token, _ = await console.tokens.create(
        users=("alice",), role="read", spaces={"shared": "read"}, max_sensitivity="normal"
    )
    async with browser_of(console.app) as client:
        await sign_in(client, token)
        assert (await client.get("/console")).headers["location"] == MEMORIES
        text = (await client.get(MEMORIES)).text
        assert "drinks tea" in text
        assert "Weber" not in text
        assert "vault" not in text
        for memory in (secret, work):
            hidden = await client.get(f"{MEMORIES}/{memory['id']}")
            unknown = await client.get(f"{MEMORIES}/nope")
            assert (hidden.status_code, unknown.status_code) == (404, 404)
        assert (await client.get("/console/u/bob/memories")).status_code == 404
        mark = mark_of(await client.get(MEMORIES))
        refused = await client.post(f"{MEMORIES}/{work['id']}/bin", data={"csrf": mark})
        assert refused.status_code == 403


async def test_ids_with_slashes_and_percent_signs_stay_whole(console: Console, browser: httpx.AsyncClient) -> None:
    for user in ("a/b", "a%2Fb", "用户 1", "a:b?c#d"):
        await console.write(user, f"The name is {user} exactly")
        reply = await browser.post("/console/user", data={"user": user, "csrf": mark_of(await browser.get("/console"))})
        page = await browser.get(reply.headers["location"])
        assert page.status_code == 200
        assert page.text.count("exactly") == 1


async def test_pages_count_against_the_limit_of_a_token(console: Console) -> None:
    token, _ = await console.tokens.create(users=("alice",), per_minute=2)
    async with browser_of(console.app) as client:
        await sign_in(client, token)
        statuses = [(await client.get(MEMORIES)).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert (await client.get("/console/assets/console.css")).status_code == 200
