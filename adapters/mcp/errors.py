"""Every error of the engine as a tool result that a model can act on: code, field, a sentence, and what to do next.

Errors are results with `isError`, not protocol errors: the model sees a result and can correct itself, while a
protocol error only reaches the client's log.
"""

from mcp import types

from adapters.identity import Forbidden
from adapters.tools.text import error_payload, to_json
from engine.errors import (
    Conflict,
    Corrupt,
    Indeterminate,
    InvalidMemory,
    RearviewError,
    Rejected,
    StaleEpoch,
    TooLarge,
    Unavailable,
    UnknownMemory,
)

# class -> (what the caller should do, whether sending the same again can help)
HINTS: dict[type[RearviewError], tuple[str, bool]] = {
    InvalidMemory: ("Correct the named argument and call again.", False),
    UnknownMemory: ("Look the id up with memory_search or memory_list; it may be forgotten or another user's.", False),
    TooLarge: ("Shorten it, or split it into several statements.", False),
    Conflict: ("Use a new idempotency_key for new arguments.", False),
    Forbidden: ("Ask for a token that may do this.", False),
    Rejected: ("Correct the request and call again.", False),
    Unavailable: ("Nothing was changed. Call again in a few seconds.", True),
    Indeterminate: ("It may have been stored. Call again with the same idempotency_key.", True),
    StaleEpoch: ("Nothing was changed. Call again in a few seconds.", True),
    Corrupt: ("Do not call again; the operator of the memory service must look at it.", False),
    RearviewError: ("The memory service failed; its operator should look at the log.", False),
}


def hint_of(error: RearviewError) -> tuple[str, bool]:
    """The entry of the nearest class in the tree."""
    return next(HINTS[cls] for cls in type(error).__mro__ if cls in HINTS)


def as_tool_error(error: RearviewError) -> types.CallToolResult:
    """The result a client gets for this error. It never holds the caller's text, a path or a traceback."""
    hint, retryable = hint_of(error)
    payload = error_payload(error.code, error.field, error.sentence, hint=hint, retryable=retryable)
    return as_result(payload, is_error=True)


def as_result(payload: dict[str, object], *, is_error: bool = False) -> types.CallToolResult:
    """A payload both ways: some clients show the model only the text, others only the structure."""
    text = types.TextContent(type="text", text=to_json(payload))
    return types.CallToolResult(content=[text], structured_content=payload, is_error=is_error)
