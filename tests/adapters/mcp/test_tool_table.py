"""What clients have been seen to choke on, checked on the table of tools itself."""

import json
import re
from collections.abc import Iterator

import pytest

from adapters.mcp.tools import listed_tools
from adapters.tools.budget import tokens_of
from adapters.tools.table import TOOLS, TOP_K_MAX, TTL_SECONDS_MAX, Tool
from engine.policy import Limits

FORBIDDEN = {
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "const",
    "title",
    "pattern",
    "format",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "additionalProperties",
    "nullable",
}
SCALARS = {"string", "integer", "number", "boolean"}
RESERVED_BY_DIFY = {"json", "text", "files"}

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def schemas(schema: object) -> Iterator[dict[str, object]]:
    """A schema and every schema inside it."""
    if isinstance(schema, dict):
        yield schema
        for name, inner in schema.items():
            if name == "properties":
                for one in inner.values():
                    yield from schemas(one)
            elif name == "items":
                yield from schemas(inner)


@every_tool
def test_names_fit_the_strictest_client(tool: Tool) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,31}", tool.name)
    for argument in tool.arguments:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", argument.name)


@every_tool
def test_the_input_is_an_object_of_single_scalar_types(tool: Tool) -> None:
    schema = tool.input_schema()
    assert schema["type"] == "object"
    assert schema["properties"]
    for inner in schemas(schema):
        assert not FORBIDDEN & set(inner), inner
        assert isinstance(inner["type"], str)
    for argument in tool.arguments:
        assert argument.type in SCALARS
        assert argument.description


@every_tool
def test_an_optional_argument_has_a_real_default_of_its_type(tool: Tool) -> None:
    properties = tool.input_schema()["properties"]
    assert isinstance(properties, dict)
    for name, schema in properties.items():
        assert (name in tool.required) == ("default" not in schema)
        kinds = {"string": str, "integer": int, "number": int | float}
        if "default" in schema:
            assert isinstance(schema["default"], kinds[schema["type"]])
            assert schema["default"] in schema.get("enum", [schema["default"]])


@every_tool
def test_choices_are_never_empty_and_stand_in_the_description(tool: Tool) -> None:
    for argument in tool.arguments:
        for choice in argument.choices:
            assert choice
            assert choice in argument.description


@every_tool
def test_the_output_is_an_object_with_a_status(tool: Tool) -> None:
    schema = tool.output_schema()
    assert schema["type"] == "object"
    assert "status" in tool.result
    assert not RESERVED_BY_DIFY & set(tool.result)
    for inner in schemas(schema):
        assert not FORBIDDEN & set(inner)
        assert isinstance(inner["type"], str)
        if inner["type"] == "array":
            assert inner["items"]


def test_the_bounds_are_those_of_the_engine() -> None:
    assert (Limits().ttl_seconds_max, Limits().top_k_max) == (TTL_SECONDS_MAX, TOP_K_MAX)


def test_required_arguments_come_first() -> None:
    for tool in TOOLS:
        needed = [argument.default is None for argument in tool.arguments]
        assert needed == sorted(needed, reverse=True), tool.name


def test_only_searching_and_listing_are_read_only_and_only_forgetting_destroys() -> None:
    hints = {tool.name: tool.annotations() for tool in TOOLS}
    assert {name for name, hint in hints.items() if hint["readOnlyHint"]} == {"memory_search", "memory_list"}
    assert {name for name, hint in hints.items() if hint["destructiveHint"]} == {"memory_forget"}
    assert {name for name, hint in hints.items() if not hint["idempotentHint"]} == {"memory_write"}


def test_the_whole_list_is_cheap_for_a_model() -> None:
    assert tokens_of(json.dumps([tool.on_the_wire() for tool in TOOLS])) < 4_000


def test_the_sdk_lists_exactly_the_table() -> None:
    shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed_tools()]
    assert shown == [tool.on_the_wire() for tool in TOOLS]
