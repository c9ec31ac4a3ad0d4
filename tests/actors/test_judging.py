"""A model that judges writes: what it changes, and that nothing depends on it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import cast

import pytest

from actors.host import MemoryHost
from actors.model_client import ModelClient
from actors.model_gate import GateLimits
from actors.replies import Reply
from engine.errors import Conflict, Unavailable
from engine.policy import Policy
from tests.actors.models import LocalCalls, ScriptedJudge, client_of, model_host
from tests.actors.world import World, ask, memory_id, write


@pytest.fixture
def world() -> World:
    return World(policy=Policy())


@pytest.fixture
def judge() -> ScriptedJudge:
    return ScriptedJudge()


def host_with(world: World, models: ModelClient | None, scoring: str, *, seconds: float = 5.0) -> MemoryHost:
    return MemoryHost(replace(world.parts(), models=models, scoring=scoring, judge_seconds=seconds))


@pytest.fixture
async def inline(world: World, judge: ScriptedJudge) -> AsyncIterator[MemoryHost]:
    host = host_with(world, await client_of(model_host(judge=judge)), "inline")
    await host.start()
    yield host
    await host.stop()


@pytest.fixture
async def deferred(world: World, judge: ScriptedJudge) -> AsyncIterator[MemoryHost]:
    host = host_with(world, await client_of(model_host(judge=judge)), "deferred")
    await host.start()
    yield host
    await host.stop()


async def view(host: MemoryHost, identity: str) -> dict[str, object]:
    return dict(await ask(host, "u", "get", {"memory_id": identity}))


async def test_an_opinion_gives_the_score_and_the_importance(inline: MemoryHost, judge: ScriptedJudge) -> None:
    judge.importance = 10
    reply = await write(inline, "u", "I am allergic to peanuts")
    assert reply["score"]["by"] == "llm"  # type: ignore[index]
    assert reply["score"]["total"] == 1.0  # type: ignore[index]
    assert reply["memory"]["importance"] == 1.0  # type: ignore[index]
    assert "degraded" not in reply
    assert judge.texts == ["I am allergic to peanuts"]


async def test_a_low_opinion_drops_what_rules_would_keep(inline: MemoryHost, judge: ScriptedJudge) -> None:
    judge.importance = 1
    reply = await write(inline, "u", "The bus was a bit late on Monday, 14 minutes", tier="auto")
    assert reply["outcome"] == "skipped"
    assert reply["memory"] is None


async def test_what_rules_turn_away_unscored_is_never_shown(inline: MemoryHost, judge: ScriptedJudge) -> None:
    for text in ("ok thanks", "好的收到，谢谢啦", "off the record: I hate my boss"):
        assert (await write(inline, "u", text))["outcome"] == "skipped"
    assert judge.asked == []


async def test_secrets_and_sensitive_memories_are_never_shown(inline: MemoryHost, judge: ScriptedJudge) -> None:
    await write(inline, "u", "My card number is 4111 1111 1111 1111 and it expires in May")
    await write(inline, "u", "I was diagnosed with diabetes", sensitivity="sensitive")
    assert all("4111" not in text for text in judge.texts)
    assert all("diabetes" not in text for text in judge.texts)
    await write(inline, "u", "I was diagnosed with asthma years ago")
    assert "diabetes" not in str(judge.asked)


@pytest.mark.parametrize(
    "code",
    [
        "model_timeout",
        "model_rate_limited",
        "model_failed",
        "model_refused",
        "model_cut_off",
        "model_reply",
        "model_denied",
    ],
)
async def test_whatever_fails_the_rules_decide_and_the_reply_says_so(
    inline: MemoryHost, judge: ScriptedJudge, code: str
) -> None:
    judge.code = code
    reply = await write(inline, "u", "I am allergic to peanuts")
    assert reply["outcome"] == "stored"
    assert reply["score"]["by"] == "rules"  # type: ignore[index]
    assert reply["degraded"] == ["judge"]
    assert (await ask(inline, "u", "search", {"query": "peanuts", "min_relevance": 0.0}))["memories"]
    assert (await ask(inline, "u", "stats"))["judge"]["failed"] >= 1  # type: ignore[index]


async def test_a_model_that_hangs_holds_a_write_for_its_time_and_no_longer(world: World, judge: ScriptedJudge) -> None:
    judge.release = asyncio.Event()
    host = host_with(world, await client_of(model_host(judge=judge, judge_ms=20)), "inline", seconds=5.0)
    reply = await asyncio.wait_for(write(host, "u", "I am allergic to peanuts"), 4.0)
    assert reply["degraded"] == ["judge"]
    assert reply["outcome"] == "stored"
    judge.release.set()
    await host.stop()


async def test_a_model_host_that_is_gone_or_starting_costs_nothing_but_the_opinion(
    world: World, judge: ScriptedJudge
) -> None:
    models = model_host(judge=judge)
    calls = LocalCalls(models)
    host = host_with(world, ModelClient(calls), "inline")
    assert (await write(host, "u", "I am allergic to peanuts"))["degraded"] == ["judge"], "it starts"
    await models.ready()
    assert "degraded" not in await write(host, "u", "I work as a nurse in Lyon")
    calls.lost = True
    assert (await write(host, "u", "My dog is called Rex"))["degraded"] == ["judge"]
    await host.stop()


async def test_the_state_may_change_while_the_model_thinks(inline: MemoryHost, judge: ScriptedJudge) -> None:
    judge.release = asyncio.Event()
    slow = asyncio.create_task(write(inline, "u", "I live in Lyon"))
    await asyncio.wait_for(judge.begun.wait(), 5)
    judge.release.set()
    other = await write(inline, "v", "I live in Nice")
    assert other["seq"] == 1
    assert (await slow)["outcome"] == "stored"
    again = await write(inline, "u", "I live in Lyon")
    assert again["outcome"] == "merged"


async def test_reads_go_on_while_a_write_waits_for_the_model(inline: MemoryHost, judge: ScriptedJudge) -> None:
    await write(inline, "u", "I live in Lyon")
    judge.release = asyncio.Event()
    slow = asyncio.create_task(write(inline, "u", "My dog is called Rex"))
    found = await ask(inline, "u", "search", {"query": "Lyon", "min_relevance": 0.0})
    assert found["memories"]
    judge.release.set()
    await slow


async def test_a_relation_that_the_model_sees_retires_the_old_memory(inline: MemoryHost, judge: ScriptedJudge) -> None:
    old = await write(inline, "u", "My favourite drink is oolong tea")
    assert (await write(inline, "u", "I have only water with my meals", dry_run=True))["outcome"] == "stored"
    judge.relations = {"My favourite drink is oolong tea": "replaces"}
    new = await write(inline, "u", "I have only water with my meals")
    assert new["related"] == [{"id": memory_id(old), "relation": "replaces"}]
    assert new["outcome"] == "superseded"
    assert (await view(inline, memory_id(old)))["status"] == "superseded"


async def test_a_repeated_key_does_not_ask_again_and_another_body_is_a_conflict(
    inline: MemoryHost, judge: ScriptedJudge
) -> None:
    first = await write(inline, "u", "I am allergic to peanuts", key="k")
    again = await write(inline, "u", "I am allergic to peanuts", key="k")
    assert memory_id(again) == memory_id(first)
    assert again["score"]["by"] == "llm"  # type: ignore[index]
    assert len(judge.asked) == 1
    with pytest.raises(Conflict):
        await write(inline, "u", "I live in Lyon", key="k")


async def test_a_dry_run_asks_and_keeps_nothing(inline: MemoryHost, judge: ScriptedJudge) -> None:
    reply = await write(inline, "u", "I am allergic to peanuts", dry_run=True)
    assert reply["score"]["by"] == "llm"  # type: ignore[index]
    assert reply["seq"] == 0


async def test_the_breaker_spares_writes_a_model_that_is_down(world: World, judge: ScriptedJudge) -> None:
    judge.code = "model_timeout"
    limits = GateLimits(retries=0, failures_to_open=2)
    host = host_with(world, await client_of(model_host(judge=judge, limits=limits)), "inline")
    for n in range(6):
        assert (await write(host, "u", f"My locker at the gym number {n} is blue"))["outcome"] != "skipped"
    assert len(judge.asked) == 2
    await host.stop()


async def test_the_daily_cap_stops_calls_and_not_writes(world: World, judge: ScriptedJudge) -> None:
    limits = GateLimits(retries=0, daily_calls=2)
    host = host_with(world, await client_of(model_host(judge=judge, limits=limits)), "inline")
    replies = [
        await write(host, "u", text)
        for text in ("I am allergic to peanuts", "I work as a nurse", "My dog is called Rex", "I live in Lyon")
    ]
    assert [reply["outcome"] for reply in replies] == ["stored"] * 4
    assert [reply["score"]["by"] for reply in replies] == ["llm", "llm", "rules", "rules"]  # type: ignore[index]
    assert len(judge.asked) == 2
    await host.stop()


async def test_a_deferred_write_is_stored_by_rules_at_once_and_revised_later(
    deferred: MemoryHost, judge: ScriptedJudge
) -> None:
    judge.importance = 10
    reply = await write(deferred, "u", "I am allergic to peanuts")
    assert reply["score"]["by"] == "rules"  # type: ignore[index]
    await asyncio.wait_for(deferred.judgements.drained(), 5)
    revised = await view(deferred, memory_id(reply))
    assert (revised["importance"], revised["status"]) == (1.0, "active")


async def test_what_is_next_to_nothing_is_set_aside_later_and_can_be_brought_back(
    deferred: MemoryHost, judge: ScriptedJudge
) -> None:
    judge.importance = 0
    identity = memory_id(await write(deferred, "u", "I am allergic to peanuts"))
    await asyncio.wait_for(deferred.judgements.drained(), 5)
    assert (await view(deferred, identity))["status"] == "archived"
    assert (await ask(deferred, "u", "restore", {"memory_id": identity}))["outcome"] == "restored"


async def test_what_waits_for_its_opinion_survives_the_host(world: World, judge: ScriptedJudge) -> None:
    judge.code = "model_failed"
    first = host_with(world, await client_of(model_host(judge=judge)), "deferred")
    await first.start()
    identity = memory_id(await write(first, "u", "I am allergic to peanuts"))
    await first.stop()
    judge.code, judge.importance = "", 9
    second = host_with(world, await client_of(model_host(judge=judge)), "deferred")
    await second.start()
    await ask(second, "u", "list")
    await asyncio.wait_for(second.judgements.drained(), 5)
    assert (await view(second, identity))["importance"] == 0.9
    await second.stop()


async def test_what_an_inline_judge_could_not_judge_is_judged_when_it_is_back(
    inline: MemoryHost, judge: ScriptedJudge
) -> None:
    judge.code = "model_failed"
    identity = memory_id(await write(inline, "u", "I am allergic to peanuts"))
    judge.code, judge.importance = "", 9
    await asyncio.wait_for(inline.judgements.drained(), 5)
    assert (await view(inline, identity))["importance"] == 0.9


async def test_a_memory_that_changed_meanwhile_is_asked_about_anew(deferred: MemoryHost, judge: ScriptedJudge) -> None:
    judge.release = asyncio.Event()
    judge.importance = 0
    identity = memory_id(await write(deferred, "u", "I am allergic to peanuts"))
    await asyncio.wait_for(judge.begun.wait(), 5)
    await ask(deferred, "u", "edit", {"memory_id": identity, "content": "I am allergic to walnuts"})
    judge.release.set()
    judge.release = None
    await asyncio.wait_for(deferred.judgements.drained(), 5)
    assert judge.texts == ["I am allergic to peanuts", "I am allergic to walnuts"]


async def test_a_text_that_cannot_be_judged_is_asked_about_a_few_times_and_kept(
    deferred: MemoryHost, judge: ScriptedJudge
) -> None:
    judge.code = "model_refused"
    identity = memory_id(await write(deferred, "u", "I am allergic to peanuts"))
    await asyncio.wait_for(deferred.judgements.drained(), 5)
    assert len(judge.asked) == 3
    assert (await view(deferred, identity))["status"] == "active"


async def test_nobody_is_asked_where_scoring_is_off(world: World, judge: ScriptedJudge) -> None:
    host = host_with(world, await client_of(model_host(judge=judge)), "off")
    reply = await write(host, "u", "I am allergic to peanuts")
    assert reply["score"]["by"] == "rules"  # type: ignore[index]
    assert judge.asked == []
    await host.stop()


async def test_a_talk_is_read_for_statements(inline: MemoryHost) -> None:
    (found,) = await inline.judging.statements([{"role": "user", "content": "I live in Lyon"}])
    assert found.text == "The user lives in Lyon."
    assert found.turn == 0


async def test_without_a_model_a_talk_is_unavailable(world: World) -> None:
    with pytest.raises(Unavailable):
        await world.host().judging.statements([{"role": "user", "content": "I live in Lyon"}])


def talk(*contents: str, **more: object) -> dict[str, object]:
    turns = [{"role": "user", "content": content} for content in contents]
    return {"conversation": "c", "turns": turns, **more}


def said(reply: Reply) -> list[tuple[str, str]]:
    """Outcome and text of what was made of turns."""
    written = cast("list[Reply]", reply["written"])
    return [(str(one["outcome"]), str(cast(Reply, one["memory"])["content"])) for one in written if one["memory"]]


async def test_statements_that_a_model_reads_out_of_a_talk_go_the_same_way(
    inline: MemoryHost, judge: ScriptedJudge
) -> None:
    judge.statements = (
        {"text": "I live in Lyon now.", "turn": 0, "importance": 9},
        {"text": "No such turn.", "turn": 7, "importance": 9},
    )
    reply = await ask(inline, "u", "turns", talk("Hello there!", "well, so, you know, Lyon is where I live now"))
    assert said(reply) == [("stored", "I live in Lyon now.")]
    assert cast("list[Reply]", reply["written"])[0]["score"]["by"] == "llm"  # type: ignore[index]
    assert "degraded" not in reply


async def test_what_a_model_made_up_is_not_stored(inline: MemoryHost, judge: ScriptedJudge) -> None:
    judge.statements = ({"text": "The user owns 3 yachts in Monaco.", "turn": 0, "importance": 10},)
    reply = await ask(inline, "u", "turns", talk("I am allergic to peanuts."))
    assert said(reply) == [("stored", "I am allergic to peanuts.")]


async def test_turns_are_read_by_rules_where_the_model_fails_and_the_reply_says_so(
    inline: MemoryHost, judge: ScriptedJudge
) -> None:
    judge.code = "model_cut_off"
    reply = await ask(inline, "u", "turns", talk("I am allergic to peanuts."))
    assert said(reply) == [("stored", "I am allergic to peanuts.")]
    assert reply["degraded"] == ["judge"]


async def test_turns_that_rules_screen_out_are_not_shown(inline: MemoryHost, judge: ScriptedJudge) -> None:
    await ask(inline, "u", "turns", talk("off the record: I hate my boss", "I am allergic to peanuts."))
    assert "boss" not in str(judge.talks)
    await ask(inline, "u", "turns", talk("I was diagnosed with diabetes.", sensitivity="sensitive"))
    assert len(judge.talks) == 1


async def test_statements_of_a_talk_are_judged_later_where_the_judge_is_deferred(
    deferred: MemoryHost, judge: ScriptedJudge
) -> None:
    judge.importance = 10
    reply = await ask(deferred, "u", "turns", talk("I am allergic to peanuts."))
    assert judge.talks == []
    await asyncio.wait_for(deferred.judgements.drained(), 5)
    (written,) = cast("list[Reply]", reply["written"])
    assert (await view(deferred, memory_id(written)))["importance"] == 1.0
