"""Who may do what through a tool, and what reaches the actor."""

import pytest

from adapters.identity import Forbidden, Principal
from adapters.tools.calls import run_tool
from engine.errors import InvalidMemory, RearviewError, TooLarge, UnknownMemory
from tests.adapters.mcp.doubles import ADMIN, ALICE, BOB, READER, ListDirectory

PRIVATE = Principal(token_id="t-private", users=("alice",), spaces={"work": "write", "shared": "read"})


async def test_the_token_for_one_user_needs_no_user_id() -> None:
    directory = ListDirectory()
    await run_tool(directory, ALICE, "memory_list", {})
    await run_tool(directory, ALICE, "memory_list", {"user_id": "alice"})
    assert [user for user, _, _ in directory.asked] == ["alice", "alice"]


async def test_a_token_for_several_users_must_name_one() -> None:
    with pytest.raises(InvalidMemory) as refused:
        await run_tool(ListDirectory(), ADMIN, "memory_list", {})
    assert refused.value.field == "user_id"


async def test_another_user_is_answered_like_an_unknown_memory() -> None:
    directory = ListDirectory()
    with pytest.raises(UnknownMemory):
        await run_tool(directory, BOB, "memory_search", {"query": "x", "user_id": "alice"})
    assert directory.asked == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_write", {"content": "x"}),
        ("memory_forget", {"memory_id": "m"}),
        ("memory_restore", {"memory_id": "m"}),
        ("memory_update", {"memory_id": "m", "new_content": "x", "reason": "y"}),
    ],
)
async def test_a_reading_token_changes_nothing(tool: str, arguments: dict[str, object]) -> None:
    directory = ListDirectory()
    with pytest.raises(Forbidden):
        await run_tool(directory, READER, tool, arguments)
    assert directory.asked == []
    await run_tool(directory, READER, "memory_list", {})


async def test_what_is_not_given_is_left_to_the_engine() -> None:
    directory = ListDirectory()
    await run_tool(directory, ALICE, "memory_write", {"content": "x", "confidence": 0, "ttl": "0"})
    args = directory.asked[0][2]
    assert (args["confidence"], args["ttl_seconds"], args["tier"], args["space"]) == (None, None, "auto", "shared")
    await run_tool(directory, ALICE, "memory_search", {"query": "x"})
    args = directory.asked[1][2]
    assert (args["tiers"], args["categories"], args["from_ms"], args["spaces"]) == ((), (), None, ())


async def test_times_are_read_and_a_bad_one_is_named() -> None:
    directory = ListDirectory()
    await run_tool(directory, ALICE, "memory_search", {"query": "x", "time_from": "1970-01-01T00:00:01+00:00"})
    assert directory.asked[0][2]["from_ms"] == 1000
    with pytest.raises(InvalidMemory) as refused:
        await run_tool(directory, ALICE, "memory_search", {"query": "x", "time_to": "last week"})
    assert refused.value.field == "time_to"


async def test_a_token_for_some_spaces_stays_in_them() -> None:
    directory = ListDirectory()
    outside = await run_tool(directory, ALICE, "memory_write", {"content": "seen by all"})
    await run_tool(directory, PRIVATE, "memory_write", {"content": "x"})
    assert directory.asked[-1][2]["space"] == "work"
    await run_tool(directory, PRIVATE, "memory_search", {"query": "x"})
    assert set(directory.asked[-1][2]["spaces"]) == {"work", "shared"}  # type: ignore[call-overload]
    change = {"new_content": "x", "reason": "y"}
    for tool, more in [("memory_forget", {}), ("memory_restore", {}), ("memory_update", change)]:
        with pytest.raises(RearviewError):
            await run_tool(directory, PRIVATE, tool, {"memory_id": outside["memory_id"], **more})
    assert directory.memories["alice"][str(outside["memory_id"])].content == "seen by all"
    await run_tool(directory, PRIVATE, "memory_forget", {"about": "all"})
    assert directory.asked[-1][2]["spaces"] == ("work",)


@pytest.mark.parametrize("sent", [{}, {"memory_id": "m", "about": "x"}])
async def test_forgetting_takes_exactly_one_of_its_two_ways(sent: dict[str, object]) -> None:
    with pytest.raises(InvalidMemory):
        await run_tool(ListDirectory(), ALICE, "memory_forget", sent)


async def test_forgetting_about_nothing_is_not_an_error() -> None:
    gone = await run_tool(ListDirectory(), ALICE, "memory_forget", {"about": "tea"})
    assert gone == {
        "status": "nothing_to_forget",
        "deleted": 0,
        "memories": [],
        "restorable_until": "",
        "suppressed": False,
    }


async def test_the_key_of_the_caller_reaches_the_actor_and_a_bad_one_is_refused() -> None:
    directory = ListDirectory()
    await run_tool(directory, ALICE, "memory_write", {"content": "x", "idempotency_key": "k"})
    assert directory.keys == ["k"]
    with pytest.raises(TooLarge):
        await run_tool(directory, ALICE, "memory_write", {"content": "x", "idempotency_key": "k" * 257})
    with pytest.raises(InvalidMemory):
        await run_tool(directory, ALICE, "memory_write", {"content": "x", "idempotency_key": "k\ud800"})


async def test_the_origin_of_a_memory_is_the_agent_of_the_token_else_the_client() -> None:
    directory = ListDirectory()
    named = Principal(token_id="t", users=("alice",), agent="planner")
    await run_tool(directory, named, "memory_write", {"content": "x"}, client="cursor")
    await run_tool(directory, ALICE, "memory_write", {"content": "x"}, client="cursor")
    assert [args["client"] for _, _, args in directory.asked] == ["planner", "cursor"]
