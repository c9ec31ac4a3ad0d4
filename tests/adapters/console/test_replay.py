"""Replay as requests, and the arithmetic of labels."""

import json
from pathlib import Path
from typing import Any

import httpx

from adapters.console.agreement import Standing, compared, questions_of, sampled, standing_of
from rearview.evaluate import labelled_pools
from tests.adapters.console.service import Console, browser_of, mark_of, sign_in

REPLAY = "/console/u/alice/replay"


def step(search_id: str, *hits: tuple[str, bool | None]) -> dict[str, Any]:
    recalled = [{"memory_id": memory_id, "content": memory_id, "right": right} for memory_id, right in hits]
    return {"search_id": search_id, "text": f"question {search_id}", "recalled": recalled}


async def told(console: Console) -> str:
    """A conversation with a write, a turn, a write that is not kept, and a search; returns the search's id."""
    for content in ("I am allergic to peanuts", "My sister is allergic to cats", "ok cool thx"):
        await console.ask("alice", "write", {"content": content, "conversation": "chat-1"})
    found = await console.ask("alice", "search", {"query": "what am I allergic to?", "conversation": "chat-1"})
    await console.ask("alice", "write", {"content": "I live in Bergen", "conversation": "chat-2"})
    return str(found["search_id"])


async def post_label(browser: httpx.AsyncClient, **form: str) -> httpx.Response:
    page = await browser.get("/console/u/alice/memories")
    return await browser.post(REPLAY + "/label", data={"csrf": mark_of(page), **form})


async def test_the_steps_of_a_conversation_stand_in_order_with_what_came_of_them(
    console: Console, browser: httpx.AsyncClient
) -> None:
    await told(console)
    page = await browser.get(REPLAY, params={"conversation": "chat-1"})
    steps = page.text.split('class="steps"')[1].split("</ol>")[0]
    assert steps.count("step-kind") == 4
    assert steps.index("peanuts") < steps.index("ok cool thx") < steps.index("what am I allergic")
    assert "1 skipped" in steps
    assert "2 recalled" in steps
    everything = await browser.get(REPLAY)
    assert everything.text.split('class="steps"')[1].split("</ol>")[0].count("step-kind") == 5
    assert (await browser.get(REPLAY, params={"step": "ffff"})).status_code == 404


async def test_a_step_shows_what_was_known_then(console: Console, browser: httpx.AsyncClient) -> None:
    await told(console)
    page = await browser.get(REPLAY, params={"step": "1"})
    then = page.text.split('id="then"')[1]
    assert "peanuts" in then
    assert "Bergen" not in then


async def test_a_label_is_kept_with_its_hit_and_can_be_taken_back(console: Console, browser: httpx.AsyncClient) -> None:
    search_id = await told(console)
    turns = (await console.ask("alice", "replay", {"kind": "search"}))["turns"]
    memory_id = turns[0]["recalled"][0]["memory_id"]
    for right, kept in (("yes", True), ("no", False), ("", None)):
        done = await post_label(browser, search_id=search_id, memory_id=memory_id, right=right)
        assert done.status_code == 303
        turns = (await console.ask("alice", "replay", {"kind": "search"}))["turns"]
        assert turns[0]["recalled"][0]["right"] is kept
    unknown = await post_label(browser, search_id="nowhere", memory_id=memory_id, right="yes")
    nonsense = await post_label(browser, search_id=search_id, memory_id=memory_id, right="maybe")
    assert (unknown.status_code, nonsense.status_code) == (404, 422)


async def test_the_labels_are_a_file_that_tune_reads(
    console: Console, browser: httpx.AsyncClient, tmp_path: Path
) -> None:
    assert (await browser.get(REPLAY + "/labels")).content == b""
    search_id = await told(console)
    turns = (await console.ask("alice", "replay", {"kind": "search"}))["turns"]
    right = turns[0]["recalled"][0]["memory_id"]
    await post_label(browser, search_id=search_id, memory_id=right, right="yes")
    file = tmp_path / "labels.jsonl"
    file.write_bytes((await browser.get(REPLAY + "/labels")).content)
    (line,) = file.read_text("utf-8").splitlines()
    assert json.loads(line)["queries"] == [{"text": "what am I allergic to?", "gold": [right], "alt": [], "stale": []}]
    (pool,) = labelled_pools(file, console.now_ms())
    assert (len(pool.memories), len(pool.questions)) == (3, 1)


async def test_two_rankings_are_compared_over_all_searches(console: Console, browser: httpx.AsyncClient) -> None:
    search_id = await told(console)
    turns = (await console.ask("alice", "replay", {"kind": "search"}))["turns"]
    await post_label(browser, search_id=search_id, memory_id=turns[0]["recalled"][0]["memory_id"], right="no")
    page = await browser.get(REPLAY + "/compare", params={"floor": "100"})
    assert "1 of 1" in " ".join(page.text.split())
    saved, tried = page.text.split("<tbody>")[1].split("</tbody>")[0].split("<tr>")[1:]
    assert "0 %" in saved
    assert "100 %" in tried


async def test_a_token_for_some_spaces_has_no_replay(console: Console) -> None:
    await told(console)
    token, _ = await console.tokens.create(users=("alice",), role="write", spaces={"shared": "write"})
    async with browser_of(console.app) as client:
        await sign_in(client, token)
        for path in ("", "/sample", "/compare?floor=100", "/labels"):
            assert (await client.get(REPLAY + path)).status_code == 403, path
        memory = (await console.ask("alice", "list", {}))["memories"][0]
        assert (await client.get(f"/console/u/alice/memories/{memory['id']}")).status_code == 200


def test_a_standing_speaks_from_ten_labels_on() -> None:
    assert Standing(0, 0).share is None
    assert not Standing(9, 0).too_low
    assert Standing(10, 7).too_low
    assert not Standing(10, 8).too_low


def test_the_sample_is_the_same_at_every_look_and_holds_what_can_be_read() -> None:
    steps = [step(f"s{number}", (f"a{number}", None), ("", None)) for number in range(150)]
    first = sampled(steps)
    assert len(first) == 100
    assert [one.hit["memory_id"] for one in first] == [one.hit["memory_id"] for one in sampled(steps[::-1])]
    assert all(one.hit["memory_id"] for one in first)


def test_another_ranking_agrees_where_it_keeps_what_was_right_and_drops_what_was_wrong() -> None:
    steps = [step("s1", ("a", True), ("b", False), ("c", None)), step("s2", ("a", True))]
    standings = compared([(steps[0], ["a"]), (steps[1], ["b"])])
    assert standings["saved"] == Standing(3, 2)
    assert standings["tried"] == Standing(3, 2)
    assert standing_of(sampled(steps)) == Standing(3, 2)
    assert [question["gold"] for question in questions_of(steps)] == [["a"], ["a"]]
