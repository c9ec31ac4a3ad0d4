"""Write the page of each client from `clients.toml`."""

import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KINDS = {"stdio": "stdio, through `rearview mcp`", "http": "Streamable HTTP, `/mcp`", "sse": "HTTP with SSE, `/sse`"}
MADE_BY = "_Made by `docs/clients/generate.py` from `clients.toml`._\n"


def read_clients() -> dict[str, dict[str, Any]]:
    """The source, by page name."""
    with (HERE / "clients.toml").open("rb") as file:
        return tomllib.load(file)


def page(client: dict[str, Any]) -> str:
    """One client's page."""
    notes = "\n".join(f"- {note}" for note in client["notes"])
    return (
        f"# {client['name']}\n\nConnects by {KINDS[client['transport']]}. Put this into {client['where']}:\n\n"
        f"```{client['language']}\n{client['block'].strip()}\n```\n\n{notes}\n\n"
        f"Tokens, users and the tools themselves: [MCP](../mcp.md).\n\n{MADE_BY}"
    )


def index(clients: dict[str, dict[str, Any]]) -> str:
    """The list of all of them."""
    rows = "\n".join(
        f"| [{client['name']}]({name}.md) | {KINDS[client['transport']]} |" for name, client in clients.items()
    )
    return f"# Clients\n\n| client | how it connects |\n| --- | --- |\n{rows}\n\n{MADE_BY}"


def pages() -> dict[str, str]:
    """Every file of this folder that is made, by name."""
    clients = read_clients()
    return {"README.md": index(clients), **{f"{name}.md": page(client) for name, client in clients.items()}}


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
