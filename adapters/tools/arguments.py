"""From what a client sent to checked values.

Clients drop, blank, nullify and stringify arguments in every combination (docs/mcp.md), so: absent, null and a blank
string are the same, numbers may come as strings, and a choice may come in capitals. What is left after that and is
still wrong is refused with the name of the argument, before anything happens.
"""

import math
import re
from collections.abc import Mapping

from adapters.tools.table import ANY, AUTO, Argument, Tool
from engine.errors import InvalidMemory, RearviewError

Value = str | int | float
Arguments = dict[str, Value]

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
# Every number we take is far smaller; a longer one is a mistake or an attack, and int() of it is slow.
_NUMBER_CHARS_MAX = 32
_PLACEHOLDER = re.compile(r"\{\{.*\}\}", re.DOTALL)


def parse(tool: Tool, sent: Mapping[str, object]) -> Arguments:
    """Every argument of the tool with its value or default.

    Raises: InvalidMemory naming the argument; the refused value itself is never repeated.
    """
    known = {argument.name for argument in tool.arguments}
    for name in sent:
        if name not in known:
            # An unknown name is the caller's text too, so it is only repeated when it looks like a name.
            shown = name if _PLAIN_NAME.fullmatch(name) else ""
            raise InvalidMemory.of(
                f"{tool.name} has no such argument; it takes {', '.join(a.name for a in tool.arguments)}.",
                code="unknown_field",
                field=shown,
            )
    return {argument.name: _value(argument, sent.get(argument.name)) for argument in tool.arguments}


def _value(argument: Argument, sent: object) -> Value:
    if _blank(sent):
        if argument.default is None:
            code = "missing_field" if sent is None else "empty"
            raise InvalidMemory.of(f"{argument.name} is required and may not be blank.", code=code, field=argument.name)
        return argument.default
    if argument.type == "string":
        return _chosen(argument, _word(argument, sent))
    return _bounded(argument, _number(argument, sent))


def _blank(sent: object) -> bool:
    return sent is None or (isinstance(sent, str) and not sent.strip())


def _word(argument: Argument, sent: object) -> str:
    if not isinstance(sent, str):
        raise _wrong(argument, "must be text")
    if argument.name == "user_id" and _PLACEHOLDER.search(sent):
        raise _wrong(argument, "holds a template placeholder that was never filled in")
    return sent


def _chosen(argument: Argument, word: str) -> str:
    if not argument.choices:
        return word
    chosen = word.strip().lower()
    if chosen in argument.choices:
        return chosen
    if chosen in (ANY, AUTO, "null", "none") and isinstance(argument.default, str):
        return argument.default
    raise _wrong(argument, f"must be one of {', '.join(argument.choices)}")


def _number(argument: Argument, sent: object) -> int | float:
    if isinstance(sent, bool) or not isinstance(sent, int | float | str):
        raise _wrong(argument, "must be a number")
    text = str(sent).strip() if isinstance(sent, str) else ""
    if text.lower() in ("null", "none") and argument.default is not None:
        assert not isinstance(argument.default, str)
        return argument.default
    if len(text) > _NUMBER_CHARS_MAX:
        raise _wrong(argument, "must be a number")
    try:
        number = float(sent)
    except (ValueError, OverflowError):
        raise _wrong(argument, "must be a number") from None
    if not math.isfinite(number):
        raise _wrong(argument, "must be a finite number")
    if argument.type == "number":
        return number
    if number != int(number):
        raise _wrong(argument, "must be a whole number")
    return int(number)


def _bounded(argument: Argument, number: int | float) -> int | float:
    lowest, highest = argument.minimum, argument.maximum
    if highest is not None and not (lowest or 0) <= number <= highest:
        raise _wrong(argument, f"must be from {lowest or 0:.15g} to {highest:.15g}")
    if lowest is not None and number < lowest:
        raise _wrong(argument, f"must be at least {lowest:g}")
    return number


def _wrong(argument: Argument, what: str) -> RearviewError:
    return InvalidMemory.of(f"{argument.name} {what}.", field=argument.name)
