"""Consolidation as part of an actor's upkeep."""

from typing import cast

from actors.replies import Reply
from engine.policy import DAY_MS, Policy
from engine.quarter import compaction_ms, next_quarter_ms
from tests.actors.world import World, ask


async def test_maintenance_makes_settled_knowledge_once() -> None:
    world = World(policy=Policy())
    host = world.host()
    for days in (9, 5, 1):
        said_at_ms = world.now_ms - days * DAY_MS
        await ask(
            host,
            "u",
            "write",
            {
                "content": "I had a flat white at the harbour cafe",
                "tier": "episodic",
                "category": "event",
                "said_at_ms": said_at_ms,
            },
        )
    first = await ask(host, "u", "maintain")
    assert (first["consolidated"], first["compacted"]) == (1, 0)
    listed = await ask(host, "u", "list", {"tier": "semantic"})
    [made] = cast("list[Reply]", listed["memories"])
    assert cast(Reply, made["metadata"])["evidence"] == 3
    assert (await ask(host, "u", "maintain"))["consolidated"] == 0
    assert set(world.folded("u").memories) >= set(cast("list[str]", made["derived_from"]))


async def test_a_cold_user_is_compacted_once_a_quarter_from_the_schedule() -> None:
    world = World(policy=Policy())
    host = world.host()
    records: list[dict[str, object]] = [
        {"id": one, "content": content, "tier": "semantic", "source": "user", "confidence": confidence, "line": 1}
        for one, content, confidence in (
            ("a", "I am allergic to peanuts.", 0.8),
            ("b", "I'm allergic to peanuts!", 1.0),
        )
    ]
    await ask(host, "u", "import_many", {"records": records})
    await ask(host, "u", "maintain")
    await host.stop()
    due_ms = compaction_ms("u", next_quarter_ms(world.now_ms))
    world.pass_time(due_ms - 1 - world.now_ms)
    early = world.host()
    await early.sweeper.look()
    assert len(early.users) == 0
    world.pass_time(1)
    late = world.host()
    await late.sweeper.look()
    actor = await late.users.actor("u")
    assert {one: memory.status.value for one, memory in actor.state.memories.items()} == {
        "a": "archived",
        "b": "active",
    }
    assert (actor.due_ms, actor.compacted_quarter_ms) == (None, next_quarter_ms(due_ms - 8 * DAY_MS))
