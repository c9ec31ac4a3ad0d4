"""The tools as the SDK's server wants them: a list, and one function that answers any call."""

from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from adapters.identity import PRINCIPAL
from adapters.mcp.errors import as_result, as_tool_error
from adapters.tools.calls import Directory, run_tool
from adapters.tools.table import BY_NAME, TOOLS
from engine.errors import RearviewError

UNNAMED_CLIENT = "mcp"
BRIDGED_CLIENT_KEY = "rearview/client"
_CLIENT_CHARS_MAX = 64


def listed_tools() -> list[types.Tool]:
    """The table as the SDK's values, in its order."""
    return [types.Tool.model_validate(tool.on_the_wire()) for tool in TOOLS]


async def call_tool(
    directory: Directory, name: str, arguments: Mapping[str, object], *, client: str = UNNAMED_CLIENT
) -> types.CallToolResult:
    """Answer one call for the caller in `PRINCIPAL`; every refusal is a result, not an exception.

    Raises: MCPError for a tool that does not exist, as the protocol asks.
    """
    if name not in BY_NAME:
        raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool")
    try:
        return as_result(await run_tool(directory, PRINCIPAL.get(), name, arguments, client=client))
    except RearviewError as error:
        return as_tool_error(error)


def client_name(context: ServerRequestContext[Any]) -> str:
    """What the client calls itself, for the origin of a memory; a stateless old client has not said it."""
    params = context.session.client_params
    name = params.client_info.name if params is not None and params.client_info is not None else ""
    # The stdio bridge knows its client and says so; old stateless requests have no other place for it.
    name = str((context.meta or {}).get(BRIDGED_CLIENT_KEY, name))
    shown = "".join(letter for letter in name if letter.isprintable())[:_CLIENT_CHARS_MAX]
    return shown or UNNAMED_CLIENT
