"""Every error of the engine is a result that a model can act on, and nothing else of it gets out."""

import json

import pytest
from mcp.types import TextContent

from adapters.identity import Forbidden
from adapters.mcp.errors import HINTS, as_tool_error
from adapters.mcp.tools import call_tool
from adapters.tools.table import TOOLS
from engine.errors import ERRORS, RearviewError, UnknownMemory
from tests.adapters.mcp.doubles import ALICE, ListDirectory, acting_as

EXAMPLES: dict[str, dict[str, object]] = {
    "memory_write": {"content": "x"},
    "memory_search": {"query": "x"},
    "memory_update": {"memory_id": "m", "new_content": "x", "reason": "y"},
    "memory_forget": {"memory_id": "m"},
    "memory_restore": {"memory_id": "m"},
    "memory_list": {},
}


def test_every_class_of_error_has_a_hint_of_its_own() -> None:
    assert set(HINTS) == {*ERRORS.values(), Forbidden}


@pytest.mark.parametrize("cls", [*ERRORS.values(), Forbidden], ids=lambda cls: cls.__name__)
def test_an_error_becomes_a_result_with_code_field_and_hint(cls: type[RearviewError]) -> None:
    result = as_tool_error(cls.of("It cannot be done.", field="content"))
    said = result.structured_content
    assert result.is_error
    assert isinstance(said, dict)
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert json.loads(block.text) == said
    assert (said["status"], said["code"], said["field"]) == ("error", cls.default_code, "content")
    assert said["hint"]
    assert isinstance(said["retryable"], bool)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("cls", ERRORS.values(), ids=lambda cls: cls.__name__)
async def test_no_tool_lets_an_error_escape(tool, cls) -> None:  # type: ignore[no-untyped-def]
    directory = ListDirectory(failing=cls.of("It cannot be done."))
    with acting_as(ALICE):
        result = await call_tool(directory, tool.name, EXAMPLES[tool.name])
    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["code"] == cls.default_code


async def test_a_field_is_named_as_the_argument_of_the_tool() -> None:
    for tool, field, shown in [
        ("memory_write", "tier", "memory_type"),
        ("memory_write", "ttl_seconds", "ttl"),
        ("memory_update", "content", "new_content"),
        ("memory_search", "from_ms", "time_from"),
    ]:
        directory = ListDirectory(failing=UnknownMemory.of("No.", field=field))
        with acting_as(ALICE):
            result = await call_tool(directory, tool, EXAMPLES[tool])
        assert result.structured_content is not None
        assert result.structured_content["field"] == shown
