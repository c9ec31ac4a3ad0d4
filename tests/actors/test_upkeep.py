"""Consolidation as part of an actor's upkeep."""

from typing import cast

from actors.replies import Reply
from engine.policy import DAY_MS, Policy
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
