"""The page about MCP names every tool, argument, result and error."""

import json
import re
from pathlib import Path

import pytest

from adapters.http.conditions import CONDITIONS_MAX
from adapters.http.retrieval import SECONDS_MAX
from adapters.identity import Forbidden
from adapters.mcp.errors import HINTS
from adapters.tools.budget import TOKENS_MAX
from adapters.tools.calls import LIST_PAGE, WHY_CHARS_MAX
from adapters.tools.table import CATEGORIES, SOURCES, TIERS, TOOLS, Tool
from engine.errors import ERRORS
from rearview.bridge_service import CALL_SECONDS_MAX, START_SECONDS_MAX
from rearview.stdio_bridge import LINE_BYTES_MAX, WORKERS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "mcp.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_stands_there_with_its_arguments_and_results(tool: Tool) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{tool.name}` |")]
    for argument in tool.arguments:
        shown = f"**`{argument.name}`**" if argument.default is None else f"`{argument.name}`"
        assert shown in row
    for key in {"status", *tool.result} if "as for" not in row else ():
        assert f"`{key}`" in row


@pytest.mark.parametrize("word", [*TIERS, *CATEGORIES, *SOURCES])
def test_every_choice_is_explained(word: str) -> None:
    assert f"`{word}`" in PAGE


@pytest.mark.parametrize("code", sorted({cls.default_code for cls in (*ERRORS.values(), Forbidden)}))
def test_every_code_stands_in_the_table_of_errors(code: str) -> None:
    assert f"`{code}`" in PAGE.split("## Errors")[1]


def test_the_example_of_an_error_has_the_keys_of_a_real_one() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert set(json.loads(example)) == {"status", "code", "field", "message", "hint", "retryable"}
    assert json.loads(example)["hint"] in {hint for hint, _ in HINTS.values()}


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+\.md)[^)]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOKENS_MAX", TOKENS_MAX),
        ("LIST_PAGE", LIST_PAGE),
        ("WHY_CHARS_MAX", WHY_CHARS_MAX),
        ("LINE_BYTES_MAX", LINE_BYTES_MAX),
        ("WORKERS", WORKERS),
        ("START_SECONDS_MAX", START_SECONDS_MAX),
        ("CALL_SECONDS_MAX", CALL_SECONDS_MAX),
        ("SECONDS_MAX", SECONDS_MAX),
        ("CONDITIONS_MAX", CONDITIONS_MAX),
    ],
)
def test_a_limit_stands_on_its_page_with_its_value(name: str, value: float) -> None:
    page = (DOCS / "limits.md").read_text(encoding="utf-8").split("## MCP and Dify")[1]
    (row,) = [line for line in page.splitlines() if f"| `{name}` |" in line]
    assert re.search(rf"\b{int(value)}\b", row)
