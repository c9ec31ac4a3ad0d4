"""The pages about HTTP say what the code does: every route, every code, every limit."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from adapters import oidc, tokens, wire
from adapters.http import arguments, errors, parts, protocol
from adapters.http.table import ENDPOINTS
from adapters.identity import Forbidden
from engine.errors import ERRORS
from engine.policy import Limits

ROOT = Path(__file__).resolve().parents[2]
PAGE = {name: (ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("http", "errors", "limits")}
# Raised before there is anything to answer, or inside one process only: nobody meets them over HTTP or MCP.
NEVER_ANSWERED = {"bad_vector", "corrupt_table", "directory_in_use", "no_oidc", "port_in_use", "temp_dir"}


def codes_in_source() -> set[str]:
    """Every literal `code=` of a call, the second argument of every HttpProblem, and the codes of the classes."""
    found = {cls.default_code for cls in (*ERRORS.values(), Forbidden)}
    for folder in ("engine", "actors", "persistence", "adapters"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    found |= {
                        word.value.value
                        for word in node.keywords
                        if word.arg == "code" and isinstance(word.value, ast.Constant)
                    }
                    name = getattr(node.func, "id", "")
                    if name == "HttpProblem" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
                        found.add(node.args[1].value)
    return (found | {code for code, _ in errors._CODE_OF_PYDANTIC.values()}) - {""}


def test_every_code_is_documented() -> None:
    listed = set(re.findall(r"^\| `(\w+)` \|", PAGE["errors"], re.MULTILINE))
    used = codes_in_source()
    # A model that fails degrades an answer; its errors stay between the host and the model's process.
    assert {code for code in used if not code.startswith("model_")} - listed - NEVER_ANSWERED == set()


def test_every_route_is_documented_with_its_role() -> None:
    rows = re.findall(r"^\| `(\w+) (/\S+)` \|.*\| (\w+) \|$", PAGE["http"], re.MULTILINE)
    listed = {(method, path, role) for method, path, role in rows if role != "none"}
    assert listed == {(endpoint.method, endpoint.path, endpoint.role) for endpoint in ENDPOINTS}


@pytest.mark.parametrize("field", [field.name for field in fields(Limits)])
def test_every_limit_of_the_engine_is_documented(field: str) -> None:
    row = next(row for row in PAGE["limits"].splitlines() if f"`{field}`" in row)
    assert str(getattr(Limits(), field)) in row


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (module, name)
        for module in (arguments, errors, oidc, parts, protocol, tokens, wire)
        for name in vars(module)
        if name.endswith("_MAX") and not name.startswith("_")
    ],
)
def test_every_limit_of_the_doors_is_documented(module: object, name: str) -> None:
    if name in {"TOKEN_CHARS_MAX", "FIELD_CHARS_MAX", "KEYS_AGE_MS_MAX", "KEYS_BYTES_MAX", "FETCH_SECONDS_MAX"}:
        return  # Nobody notices these: a longer token is unknown, a longer field name is shown cut.
    row = next(row for row in PAGE["limits"].splitlines() if f"`{name}`" in row)
    number = getattr(module, name)
    assert str(number if name != "INTEGER_BITS_MAX" else 64) in row


def test_the_python_on_the_page_is_python() -> None:
    for block in re.findall(r"```python\n(.*?)```", PAGE["http"], re.DOTALL):
        ast.parse(block)
