"""The page of each client: up to date, well-formed, and as that client is known to want it."""

import importlib.util
import json
import shlex
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest

from rearview.__main__ import parser

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "clients"
PATHS = {"http": "/mcp", "sse": "/sse"}
WANTED = {
    "claude-desktop",
    "claude-code",
    "codex",
    "cursor",
    "vs-code",
    "cline",
    "cherry-studio",
    "lobechat",
    "lingma",
    "model-studio",
    "dify",
}


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_client_pages", FOLDER / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = generator()
CLIENTS: dict[str, dict[str, Any]] = GENERATOR.read_clients()


def parsed(client: dict[str, Any]) -> Any:
    """The block as the client would read it."""
    readers = {"json": json.loads, "toml": tomllib.loads, "sh": shlex.split}
    return readers[client["language"]](client["block"])


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def test_every_client_we_name_has_a_page() -> None:
    assert set(CLIENTS) == WANTED


@pytest.mark.parametrize("name", [*(f"{name}.md" for name in CLIENTS), "README.md"])
def test_a_page_is_what_its_source_makes(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == GENERATOR.pages()[name]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_block_parses_and_points_to_the_path_of_its_transport(name: str) -> None:
    client = CLIENTS[name]
    block = parsed(client)
    addresses = [text for text in texts(block) if text.startswith(("http://", "https://"))]
    if client["transport"] == "stdio":
        assert not addresses
    else:
        (address,) = addresses
        assert urlsplit(address).path == PATHS[client["transport"]]


@pytest.mark.parametrize("name", [name for name, client in CLIENTS.items() if client["transport"] == "stdio"])
def test_a_command_is_one_that_our_command_line_takes(name: str) -> None:
    (entry,) = parsed(CLIENTS[name])["mcpServers"].values()
    assert Path(entry["command"]).is_absolute()
    assert parser().parse_args(entry["args"]).command == "mcp"


@pytest.mark.parametrize("name", [name for name, client in CLIENTS.items() if client["transport"] != "stdio"])
def test_a_remote_client_says_where_its_token_goes(name: str) -> None:
    block = CLIENTS[name]["block"]
    assert "Bearer" in block or "bearer_token_env_var" in block
    assert "rv_" not in block


def test_the_spellings_that_clients_insist_on() -> None:
    assert parsed(CLIENTS["cline"])["mcpServers"]["rearview"]["type"] == "streamableHttp"
    assert parsed(CLIENTS["cherry-studio"])["mcpServers"]["rearview"]["type"] == "streamableHttp"
    assert set(parsed(CLIENTS["vs-code"])) == {"inputs", "servers"}
    assert "bearer_token" not in parsed(CLIENTS["codex"])["mcp_servers"]["rearview"]
    assert "url" not in CLIENTS["claude-desktop"]["block"]
    assert parsed(CLIENTS["model-studio"])["server_protocol"] == "sse"
