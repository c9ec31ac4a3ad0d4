"""Asking: bars that add up, sliders that re-rank, and nothing noted of it."""

import re

import httpx
import pytest

from adapters.console.ask import hits_of, segments_of, whole
from adapters.rendering import rfc3339
from engine.errors import InvalidMemory
from tests.adapters.console.service import DAY_MS, Console, mark_of, sign_in

ASK = "/console/u/alice/ask"
PART = {"headers": {"HX-Request": "true", "HX-Target": "answer"}}


async def told(console: Console) -> None:
    now_ms = console.now_ms()
    for content, days in (("I am allergic to peanuts", 90), ("My sister works at the bakery on the corner", 1)):
        await console.ask("alice", "write", {"content": content, "said_at_ms": now_ms - days * DAY_MS})


def texts(page: httpx.Response) -> list[str]:
    return re.findall(r'class="row-text"[^>]*>([^<]*)<', page.text)


async def test_each_hit_shows_what_its_score_is_made_of(console: Console, browser: httpx.AsyncClient) -> None:
    await told(console)
    page = await browser.get(ASK, params={"query": "am I allergic to peanuts?"}, **PART)  # type: ignore[arg-type]
    assert "<html" not in page.text
    assert texts(page) == ["I am allergic to peanuts"]
    assert page.text.count('class="bar"') == 1
    assert "Against what is saved" not in page.text


def test_the_segments_of_a_bar_add_up_to_the_score() -> None:
    parts = {"semantic": 0.3, "keyword": 0.1, "recency": 0.0, "confidence": 0.08}
    hit = {"id": "m", "score": 0.6, "why": {name: {"part": part} for name, part in parts.items()}}
    segments = segments_of(hit)
    assert sum(float(str(one["width"])) for one in segments) == pytest.approx(60, abs=0.05)
    assert segments[2]["width"] == 0
    nothing = {"id": "m", "score": 0.0, "why": {name: {"part": 0.0} for name in parts}}
    assert [one["width"] for one in segments_of(nothing)] == [0, 0, 0, 0]
    before = [{"memory_id": "x"}, {"memory_id": "m"}]
    assert hits_of({"before": before, "after": [hit]})[0]["was"] == 2


async def test_sliders_rank_anew_and_say_what_differs(console: Console, browser: httpx.AsyncClient) -> None:
    await told(console)
    saved = await browser.get(ASK, params={"query": "am I allergic to peanuts?", "floor": "0"})
    tried = {"query": "am I allergic to peanuts?", "floor": "0", "semantic": "0", "keyword": "0", "confidence": "0"}
    by_time = await browser.get(ASK, params={**tried, "recency": "100", "half_life": "30"})
    assert texts(saved)[0] == "I am allergic to peanuts"
    assert texts(by_time)[0] == "My sister works at the bakery on the corner"
    assert "move-new" in by_time.text
    assert "half_life_days = 30" in by_time.text
    none = await browser.get(ASK, params={**tried, "recency": "0"})
    assert none.status_code == 422


async def test_a_half_life_that_was_tried_out_can_be_kept(console: Console, browser: httpx.AsyncClient) -> None:
    page = await browser.get(ASK)
    form = {"csrf": mark_of(page), "half_life": "30", "query": "tea"}
    assert (await browser.post(ASK + "/half-life", data=form)).status_code == 303
    assert (await console.ask("alice", "settings_get"))["half_life_days"] == 30
    assert '<output for="k-half_life" data-unit="d">30 d</output>' in (await browser.get(ASK)).text


async def test_asking_here_is_not_noted_as_something_an_agent_asked(
    console: Console, browser: httpx.AsyncClient
) -> None:
    await told(console)
    await browser.get(ASK, params={"query": "allergies?"})
    assert [step["kind"] for step in (await console.ask("alice", "replay"))["turns"]] == ["write", "write"]


@pytest.mark.parametrize("text", ["-1", "101", "1.5", "abc", "٣", "9" * 30])
def test_a_slider_takes_whole_numbers_within_its_bounds(text: str) -> None:
    with pytest.raises(InvalidMemory):
        whole(text, 0, 100)


async def test_the_past_is_asked_as_it_was(console: Console, browser: httpx.AsyncClient) -> None:
    await console.ask("alice", "write", {"content": "我住在杭州市西湖区文三路 18 号"})
    console.shift_ms += 2 * DAY_MS
    await console.ask("alice", "write", {"content": "我搬家了，现在住在上海市徐汇区安福路 201 号"})
    await sign_in(browser, console.token)  # The session from two days ago is over.
    now = await browser.get(ASK, params={"query": "我的地址是哪个"})
    assert "安福路" in texts(now)[0]
    day = rfc3339(console.now_ms() - DAY_MS)
    then = await browser.get(ASK, params={"query": "我的地址是哪个", "as_of": day})
    assert "文三路" in texts(then)[0]
    assert (await browser.get(ASK, params={"query": "x", "as_of": "yesterday-ish"})).status_code == 422
