"""Whatever is sent to a tool, over real actors: a result that can be read, never an exception, never the text back."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.types import CallToolResult, TextContent

from actors.directory import Directory
from actors.local_hosts import LocalHosts
from actors.placement import Placement
from adapters.mcp.tools import call_tool
from adapters.tools.table import TOOLS
from tests.actors.world import World
from tests.adapters.mcp.doubles import ALICE, acting_as

CANARY = "canary-5512"
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["", " ", "any", "auto", "5", "NaN", "1e999", "\0", "\ud800", "2026-01-01", CANARY])
    | st.just("x" * 20_000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool with some of its arguments, good or bad, and sometimes one that it does not have."""
    tool = draw(st.sampled_from(TOOLS))
    sound = {"content": "我对花生过敏", "query": "花生", "memory_id": "m", "new_content": "新的", "reason": "r"}
    arguments: dict[str, Any] = {name: sound[name] for name in tool.required}
    for argument in tool.arguments:
        if draw(st.integers(0, 3)) == 0:
            arguments[argument.name] = draw(anything)
    if draw(st.integers(0, 9)) == 0:
        arguments[draw(st.text(max_size=10))] = draw(anything)
    return tool.name, arguments


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


@pytest.fixture(scope="module")
def directory(runner: asyncio.Runner) -> Iterator[Directory]:
    hosts = LocalHosts(World().parts)
    yield Directory(hosts, Placement.shared(1))
    runner.run(hosts.stop())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(call=calls())
def test_any_arguments_get_a_result(
    runner: asyncio.Runner, directory: Directory, call: tuple[str, dict[str, Any]]
) -> None:
    async def as_alice() -> CallToolResult:
        with acting_as(ALICE):
            return await call_tool(directory, *call)

    result = runner.run(as_alice())
    (block,) = result.content
    assert isinstance(block, TextContent)
    said = json.loads(block.text.encode("utf-8"))
    assert said == result.structured_content
    assert (said["status"] == "error") == bool(result.is_error)
    if result.is_error:
        assert said["code"] != "internal"
        assert CANARY not in block.text
