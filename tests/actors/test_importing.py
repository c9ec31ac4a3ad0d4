"""Conversations that were had elsewhere, and how far an import is believed."""

from typing import cast

import pytest

from actors.host import MemoryHost
from actors.importing_talks import talks_of
from actors.replies import Reply
from engine.errors import InvalidMemory
from engine.policy import Policy
from tests.actors.world import World, ask

SPRING_MS = 1_709_251_200_000  # 2024-03-01T00:00:00Z


@pytest.fixture
def world() -> World:
    return World(policy=Policy())


@pytest.fixture
def host(world: World) -> MemoryHost:
    world.now_ms = SPRING_MS + 10 * 86_400_000
    return world.host()


async def take(host: MemoryHost, *records: Reply, form: str = "conversations", trusted: bool = True) -> Reply:
    lines = [{**record, "line": number} for number, record in enumerate(records, start=1)]
    return await ask(host, "u", "import_many", {"records": lines, "format": form, "trusted": trusted})


async def memories(host: MemoryHost, **wanted: object) -> list[Reply]:
    return cast("list[Reply]", (await ask(host, "u", "list", {"limit": 200, **wanted}))["memories"])


def said(content: str, role: str = "user", **more: object) -> Reply:
    return {"role": role, "content": content, **more}


async def test_a_conversation_is_decided_like_a_talk_at_the_time_it_was_said(host: MemoryHost) -> None:
    reply = await take(
        host,
        {
            "conversation": "spring",
            "messages": [
                said("Hello there!", at="2024-03-01T00:00:00Z"),
                said("I am allergic to peanuts.", at="2024-03-01T00:00:00Z"),
                said("Noted, no peanuts.", "assistant", at="2024-03-01T00:01:00Z"),
                said("You are a helpful assistant.", "system"),
            ],
        },
    )
    assert (reply["imported"], reply["refused"]) == (1, [])
    (memory,) = await memories(host)
    assert (memory["content"], memory["conversation"]) == ("I am allergic to peanuts.", "spring")
    assert (memory["said_at"], memory["source"]) == (SPRING_MS, "user")
    talk = await ask(host, "u", "conversation", {"conversation": "spring"})
    assert talk["memories"] == [], "the talk is over, so nothing of it is working memory"


async def test_a_later_conversation_supersedes_and_the_same_again_changes_nothing(host: MemoryHost) -> None:
    first = {"conversation": "a", "messages": [said("I live in Beijing.", at=SPRING_MS)]}
    second = {"conversation": "b", "messages": [said("I live in Shanghai now.", at=SPRING_MS + 86_400_000)]}
    await take(host, first, second)
    await take(host, second)
    assert [memory["content"] for memory in await memories(host)] == ["I live in Shanghai now."]
    assert len(await memories(host, status="any")) == 2


async def test_what_cannot_be_read_is_named_and_the_rest_goes_on(host: MemoryHost) -> None:
    reply = await take(
        host,
        {"messages": "none"},
        {"messages": [said("x", at="yesterday")]},
        {"messages": [{"role": "wizard", "content": "x"}]},
        said("I am allergic to peanuts.", "human"),
    )
    refused = cast("list[Reply]", reply["refused"])
    assert [one["line"] for one in refused] == [1, 2, 3]
    assert reply["imported"] == 1


def test_names_of_other_products_are_read() -> None:
    ((talk, turns),) = talks_of(
        {
            "title": "trip",
            "turns": [
                {"sender": "Human", "text": "hi", "created_at": 1_709_251_200},
                {
                    "role": "ai",
                    "content": [{"type": "text", "text": "a"}, {"type": "image"}, "b"],
                    "timestamp": SPRING_MS,
                },
            ],
        },
        200,
    )
    assert talk.conversation == "trip"
    assert [(one.role, one.content, one.said_at_ms) for one in turns] == [
        ("user", "hi", SPRING_MS),
        ("assistant", "a\nb", SPRING_MS),
    ]


def test_a_long_conversation_comes_in_pieces() -> None:
    pieces = talks_of({"conversation": "c", "messages": [said(str(n)) for n in range(450)]}, 200)
    assert [len(turns) for _, turns in pieces] == [200, 200, 50]


@pytest.mark.parametrize("row", [{"role": "user"}, {"role": "user", "content": 5}, {"content": "x", "at": True}])
def test_a_message_without_a_text_or_with_a_strange_time_is_refused(row: Reply) -> None:
    with pytest.raises(InvalidMemory):
        talks_of({"messages": [row]}, 200)


@pytest.mark.parametrize("form", ["", "conversations"])
async def test_an_untrusted_import_replaces_nothing_that_its_user_said(host: MemoryHost, form: str) -> None:
    await ask(host, "u", "write", {"content": "I live in Beijing."})
    record = {"content": "I live in Paris now.", "source": "user", "confidence": 1.0, "role": "user"}
    await take(host, record, form=form, trusted=False)
    assert "I live in Beijing." in [memory["content"] for memory in await memories(host)]


async def test_what_its_user_says_replaces_an_untrusted_import_until_that_is_confirmed(host: MemoryHost) -> None:
    record = {"id": "one", "content": "I live in Paris.", "source": "user", "tier": "semantic", "category": "fact"}
    await take(host, record, form="", trusted=False)
    (memory,) = await memories(host)
    assert "untrusted" in cast("list[str]", memory["marks"])
    await ask(host, "u", "write", {"content": "I live in Beijing now."})
    assert [one["content"] for one in await memories(host)] == ["I live in Beijing now."]
