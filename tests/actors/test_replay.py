"""Replay through the actor: what each call left in the trace, and a past search asked again."""

from typing import cast

import pytest

from actors.host import MemoryHost
from actors.replies import Reply
from engine.errors import InvalidMemory, UnknownMemory
from engine.policy import Policy
from tests.actors.test_turns import hand_over, turn
from tests.actors.world import World, ask, memory_id, write

DAY_MS = 86_400_000


@pytest.fixture
def world() -> World:
    return World(policy=Policy())


@pytest.fixture
def host(world: World) -> MemoryHost:
    return world.host()


async def steps(host: MemoryHost, **wanted: object) -> list[Reply]:
    return cast("list[Reply]", (await ask(host, "u", "replay", wanted))["turns"])


def rows(step: Reply, name: str) -> list[Reply]:
    return cast("list[Reply]", step[name])


async def test_a_talk_is_replayed_turn_by_turn_with_what_was_written_and_recalled(host: MemoryHost) -> None:
    await hand_over(host, turn("I am allergic to peanuts."), turn("Noted.", "assistant"))
    found = await ask(host, "u", "search", {"query": "I am allergic to peanuts.", "conversation": "c"})
    await hand_over(host, turn("Something else."), conversation="d")
    told = await steps(host, conversation="c")
    assert [(one["kind"], one["role"]) for one in told] == [("turn", "user"), ("turn", "assistant"), ("search", "")]
    (written,) = [one for one in rows(told[0], "written") if one["outcome"] == "stored"]
    assert written["content"] == "I am allergic to peanuts."
    assert cast("dict[str, float]", written["score"])["total"] >= 0.6
    assert told[2]["search_id"] == found["search_id"]
    shown = [one["id"] for one in cast("list[Reply]", found["memories"])]
    assert [one["memory_id"] for one in rows(told[2], "recalled")] == shown
    assert written["memory_id"] in shown


async def test_skipped_writes_are_told_newest_first_with_score_and_rule(host: MemoryHost) -> None:
    for content in ("Hello there!", "It is rather grey over there.", "I am allergic to peanuts."):
        await ask(host, "u", "write", {"content": content})
    told = await steps(host, outcome="skipped", order="newest")
    assert [rows(one, "written")[0]["content"] for one in told] == ["It is rather grey over there.", "Hello there!"]
    assert [rows(one, "written")[0]["rule"] for one in told] == ["low_score", "chitchat"]


async def test_it_tells_when_a_memory_was_recalled_and_used(world: World, host: MemoryHost) -> None:
    one = memory_id(await write(host, "u", "I am allergic to peanuts."))
    world.pass_time(60_000)
    await ask(host, "u", "search", {"query": "peanuts"})
    world.pass_time(60_000)
    await ask(host, "u", "used", {"memory_ids": [one], "turn": "t-1"})
    told = await steps(host, memory=one)
    assert [(step["kind"], cast(int, step["at"]) - (world.now_ms - 120_000)) for step in told] == [
        ("write", 0),
        ("search", 60_000),
        ("used", 120_000),
    ]


async def test_a_recalled_memory_is_shown_in_the_version_that_was_recalled(host: MemoryHost) -> None:
    one = memory_id(await write(host, "u", "I live in Beijing."))
    await ask(host, "u", "search", {"query": "Where do I live? Beijing"})
    await ask(host, "u", "edit", {"memory_id": one, "content": "I live in Shanghai.", "reason": "moved"})
    (recall,) = await steps(host, kind="search")
    assert [row["content"] for row in rows(recall, "recalled")] == ["I live in Beijing."]


async def test_a_repeat_under_the_same_key_and_a_dry_run_leave_one_step(host: MemoryHost) -> None:
    for _ in range(2):
        await write(host, "u", "I am allergic to peanuts.", key="k")
        await hand_over(host, turn("I like tea."), key="t")
    await write(host, "u", "I like coffee too.", dry_run=True)
    assert [step["kind"] for step in await steps(host)] == ["write", "turn"]


async def test_pages_go_on_where_the_last_one_ended(host: MemoryHost) -> None:
    for number in range(5):
        await ask(host, "u", "search", {"query": f"question {number}"})
    for order, expected in (("oldest", [0, 1, 2, 3, 4]), ("newest", [4, 3, 2, 1, 0])):
        cursor, seen = "", []
        while True:
            reply = await ask(host, "u", "replay", {"limit": 2, "cursor": cursor, "order": order})
            seen += [str(step["text"]) for step in cast("list[Reply]", reply["turns"])]
            cursor = str(reply["next_cursor"])
            if not cursor:
                break
        assert seen == [f"question {number}" for number in expected]


@pytest.mark.parametrize(
    "wanted", [{"order": "sideways"}, {"kind": "x"}, {"limit": 0}, {"limit": 201}, {"cursor": "?"}]
)
async def test_what_cannot_be_wanted_is_refused_by_name(host: MemoryHost, wanted: dict[str, object]) -> None:
    with pytest.raises(InvalidMemory) as refused:
        await ask(host, "u", "replay", wanted)
    assert refused.value.field in wanted


async def test_the_trace_survives_passivation_and_a_week_ends_it(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I am allergic to peanuts.")
    await ask(host, "u", "search", {"query": "peanuts"})
    await host.stop()
    again = world.host()
    assert [step["kind"] for step in await steps(again)] == ["write", "search"]
    world.pass_time(7 * DAY_MS + 1)
    assert await steps(again) == []


async def test_a_user_who_only_asked_keeps_the_trace_too(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I am allergic to peanuts.")
    await host.stop()
    second = world.host()
    await ask(second, "u", "search", {"query": "peanuts"})
    await second.stop()
    assert [step["kind"] for step in await steps(world.host())] == ["write", "search"]


async def test_a_purge_leaves_nothing_of_the_memory_in_the_trace(world: World, host: MemoryHost) -> None:
    one = memory_id(await write(host, "u", "I am allergic to peanuts."))
    await ask(host, "u", "search", {"query": "am I allergic to peanuts?"})
    await ask(host, "u", "search", {"query": "what about tea?"})
    await ask(host, "u", "purge", {"memory_id": one})
    assert all(one not in str(step) and "peanuts" not in str(step) for step in await steps(host))
    await host.stop()
    async for snapshot in world.snapshots.newest_first("u"):
        assert b"peanuts" not in snapshot.state


async def test_nothing_of_a_suppressed_topic_is_replayed(host: MemoryHost) -> None:
    await write(host, "u", "I got divorced in May.")
    await ask(host, "u", "search", {"query": "When was my divorce?"})
    await hand_over(host, turn("My divorce was hard."))
    await ask(host, "u", "suppress", {"about": "my divorce"})
    told = await steps(host)
    assert len(told) == 3
    assert all("divorce" not in str(step) for step in told)


async def test_a_past_search_is_asked_again_under_other_weights(world: World, host: MemoryHost) -> None:
    for content in ("I am allergic to peanuts.", "I live in Beijing.", "My cat is called Dou."):
        await write(host, "u", content)
        world.pass_time(10 * DAY_MS)
    found = await ask(host, "u", "search", {"query": "I am allergic to peanuts.", "min_relevance": 0.0})
    world.pass_time(DAY_MS)
    await write(host, "u", "I am allergic to cashews as well.")
    reply = await ask(
        host,
        "u",
        "replay_search",
        {
            "search_id": found["search_id"],
            "semantic_weight": 0.0,
            "keyword_weight": 0.0,
            "recency_weight": 1.0,
            "confidence_weight": 0.0,
        },
    )
    first = [one["id"] for one in cast("list[Reply]", found["memories"])]
    before = [one["memory_id"] for one in cast("list[Reply]", reply["before"])]
    after = [cast(str, one["id"]) for one in cast("list[Reply]", reply["after"])]
    assert before == first
    assert set(after) == set(first), "what was written since is not known then"
    assert after[0] != first[0], "the newest comes first when only time counts"
    moved = cast("dict[str, list[Reply]]", reply["difference"])["moved"]
    assert {"memory_id": first[0], "from": 1, "to": after.index(first[0]) + 1} in moved


async def test_a_question_can_be_asked_as_of_a_time_without_a_trace(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I am allergic to peanuts.")
    before_ms = world.now_ms
    world.pass_time(DAY_MS)
    await write(host, "u", "I am allergic to cashews as well.")
    reply = await ask(
        host, "u", "replay_search", {"query": "I am allergic to peanuts.", "as_of_ms": before_ms, "floor": 0.0}
    )
    assert len(cast("list[Reply]", reply["after"])) == 1
    assert reply["as_of"] == before_ms


async def test_a_search_that_is_not_in_the_trace_is_unknown_and_a_ranking_without_weights_is_refused(
    host: MemoryHost,
) -> None:
    with pytest.raises(UnknownMemory):
        await ask(host, "u", "replay_search", {"search_id": "nowhere"})
    none = dict.fromkeys(("semantic_weight", "keyword_weight", "recency_weight", "confidence_weight"), 0.0)
    with pytest.raises(InvalidMemory):
        await ask(host, "u", "replay_search", {"query": "tea", **none})


async def test_a_half_life_that_is_tried_out_comes_before_the_users_own(world: World, host: MemoryHost) -> None:
    await write(host, "u", "I am allergic to peanuts.")
    await ask(host, "u", "settings_put", {"settings": {"half_life_days": 1}})
    world.pass_time(10 * DAY_MS)

    async def recency(**tried: object) -> float:
        reply = await ask(host, "u", "replay_search", {"query": "I am allergic to peanuts.", "floor": 0.0, **tried})
        why = cast("list[dict[str, dict[str, dict[str, float]]]]", reply["after"])[0]["why"]
        return why["recency"]["value"]

    assert await recency() == pytest.approx(0.5**10)
    assert await recency(half_life_days=10.0) == pytest.approx(0.5)
