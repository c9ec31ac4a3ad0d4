"""What is never to be mentioned stays out: after a restart, a move, the same talk again, and in the other language."""

from dataclasses import replace
from typing import cast

import pytest

from actors.host import MemoryHost
from actors.parts import HostParts
from actors.replies import Reply
from adapters.models.query_table import bundled_table
from adapters.models.space import bundled_space
from engine.policy import Policy
from tests.actors.world import World, ask


class Bilingual(World):
    """A world that reads both languages by the bundled table."""

    def parts(self, name: str = "") -> HostParts:
        return replace(super().parts(name), static=bundled_table(), space=bundled_space())


@pytest.fixture
def world() -> Bilingual:
    return Bilingual(policy=Policy())


TALKS = {
    "my divorce": (
        ["I got divorced from Anna in May.", "I live in Beijing."],
        ["我五月份离婚了。", "我和安娜离婚的事刚办完。", "The divorce from Anna cost me a lot."],
    ),
    "我离婚的事": (
        ["我五月份跟安娜离婚了。", "我住在北京。"],
        ["I got divorced from Anna in May.", "My divorce was finalised last week.", "我和安娜已经离婚了。"],
    ),
}


async def hand_over(host: MemoryHost, texts: list[str], user_id: str = "u", conversation: str = "c") -> list[Reply]:
    turns = [{"role": "user", "content": text} for text in texts]
    reply = await ask(host, user_id, "turns", {"conversation": conversation, "turns": turns})
    return cast("list[Reply]", reply["written"])


async def visible(host: MemoryHost, query: str, user_id: str = "u") -> str:
    found = await ask(host, user_id, "search", {"query": query, "min_relevance": 0.0, "conversation": "c", "top_k": 50})
    listed = await ask(host, user_id, "list", {})
    everything = cast("list[Reply]", found["memories"]) + cast("list[Reply]", listed["memories"])
    return " ".join(str(one["content"]) for one in everything)


@pytest.mark.parametrize("about", TALKS)
async def test_it_holds_over_restart_move_the_same_talk_again_and_in_the_other_language(
    world: Bilingual, about: str
) -> None:
    talk, paraphrases = TALKS[about]
    host = world.host()
    await hand_over(host, talk)
    suppressed = await ask(host, "u", "suppress", {"about": about})
    assert suppressed["suppressed"]
    await host.stop()
    host = world.host()  # After a restart, from a snapshot.
    exported = await ask(host, "u", "export")
    records = [{**line, "line": number} for number, line in enumerate(cast("list[Reply]", exported["lines"]), 1)]
    await ask(host, "v", "import_many", {"records": records})
    for user_id in ("u", "v"):
        for texts in (talk, paraphrases):
            written = await hand_over(host, texts, user_id)
            stored = [one for one in written if one["memory"] is not None and one["outcome"] in ("stored", "pending")]
            assert [cast(Reply, one["memory"])["content"] for one in stored if _tells(one)] == []
            for text in texts:
                if "北京" not in text and "Beijing" not in text:
                    one = await ask(host, user_id, "write", {"content": text})
                    assert (one["outcome"], one["rule"]) == ("suppressed", "suppressed"), text
        shown = await visible(host, about, user_id)
        assert "离婚" not in shown
        assert "divorce" not in shown
    for talk_form in ("conversations", ""):
        reply = await ask(
            host,
            "u",
            "import_many",
            {"records": [{"role": "user", "content": talk[0], "line": 1}], "format": talk_form},
        )
        assert reply["imported"] == 0
    (topic,) = cast("list[Reply]", (await ask(host, "u", "suppressions"))["suppressions"])
    await ask(host, "u", "lift_suppression", {"suppression_id": topic["id"]})
    assert "离婚" in await visible(host, about) or "divorce" in await visible(host, about), "lifting restores"


def _tells(written: Reply) -> bool:
    content = str(cast(Reply, written["memory"])["content"])
    return "离婚" in content or "divorce" in content
