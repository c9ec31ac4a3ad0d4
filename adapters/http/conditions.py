"""Dify's `metadata_condition`: which records of a retrieval its user wants. Pure; every operator Dify has.

A condition names one or more keys and holds when it holds for any of them. A key that a record lacks counts as empty.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adapters.rendering import parse_time
from engine.errors import InvalidMemory

CONDITIONS_MAX = 50
Metadata = Mapping[str, object]

_FIELD = "metadata_condition"
# Larger numbers than this are milliseconds; as seconds they would be the year 5138.
_SECONDS_MAX = 100_000_000_000


@dataclass(frozen=True, slots=True)
class Condition:
    """`operator` is a key of `OPERATORS`; `value` is the right side as it was sent."""

    names: tuple[str, ...]
    operator: str
    value: object

    def holds(self, metadata: Metadata) -> bool:
        return any(OPERATORS[self.operator](metadata.get(name), self.value) for name in self.names)


@dataclass(frozen=True, slots=True)
class Conditions:
    """All of them ("and") or any of them ("or"); none at all lets everything through."""

    conditions: tuple[Condition, ...] = ()
    any_of_them: bool = False

    def hold(self, metadata: Metadata) -> bool:
        if not self.conditions:
            return True
        held = (condition.holds(metadata) for condition in self.conditions)
        return any(held) if self.any_of_them else all(held)


def read_conditions(sent: object) -> Conditions:
    """Dify's object, which may be null. Raises: InvalidMemory."""
    if not sent:
        return Conditions()
    if not isinstance(sent, Mapping):
        raise InvalidMemory.of("It must be an object.", field=_FIELD)
    rows = sent.get("conditions") or []
    if not isinstance(rows, list) or len(rows) > CONDITIONS_MAX:
        raise InvalidMemory.of(f"conditions must be a list of at most {CONDITIONS_MAX}.", field=_FIELD)
    joined = str(sent.get("logical_operator") or "and").lower()
    if joined not in ("and", "or"):
        raise InvalidMemory.of("logical_operator must be and, or.", field=_FIELD)
    return Conditions(tuple(_condition(row) for row in rows), joined == "or")


def _condition(row: object) -> Condition:
    if not isinstance(row, Mapping):
        raise InvalidMemory.of("A condition must be an object.", field=_FIELD)
    names = row.get("name")
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidMemory.of("A condition needs the name of a metadata key.", field=_FIELD)
    operator = str(row.get("comparison_operator") or "").strip().lower()
    operator = _SPELLINGS.get(operator, operator)
    if operator not in OPERATORS:
        raise InvalidMemory.of(f"comparison_operator must be one of: {', '.join(OPERATORS)}.", field=_FIELD)
    return Condition(tuple(names), operator, row.get("value"))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(_text(one) for one in value)
    return str(value).strip().lower()


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _time_ms(value: object) -> float | None:
    number = _number(value)
    if number is not None:
        return number if abs(number) > _SECONDS_MAX else number * 1000
    try:
        return parse_time(str(value), _FIELD)[0] if value else None
    except InvalidMemory:
        return None


def _is_in(mine: object, wanted: object) -> bool:
    choices = wanted if isinstance(wanted, list | tuple) else str(wanted or "").split(",")
    return _text(mine) in {_text(choice) for choice in choices}


def _same(mine: object, wanted: object) -> bool:
    left, right = _number(mine), _number(wanted)
    return left == right if left is not None and right is not None else _text(mine) == _text(wanted)


def _ordered(order: Callable[[float, float], bool], read: Callable[[object], float | None]) -> "Operator":
    def holds(mine: object, wanted: object) -> bool:
        left, right = read(mine), read(wanted)
        return left is not None and right is not None and order(left, right)

    return holds


Operator = Callable[[object, object], bool]

OPERATORS: Mapping[str, Operator] = {
    "contains": lambda mine, wanted: _text(wanted) in _text(mine),
    "not contains": lambda mine, wanted: _text(wanted) not in _text(mine),
    "start with": lambda mine, wanted: _text(mine).startswith(_text(wanted)),
    "end with": lambda mine, wanted: _text(mine).endswith(_text(wanted)),
    "is": lambda mine, wanted: _same(mine, wanted),
    "is not": lambda mine, wanted: not _same(mine, wanted),
    "in": _is_in,
    "not in": lambda mine, wanted: not _is_in(mine, wanted),
    "empty": lambda mine, _: not _text(mine),
    "not empty": lambda mine, _: bool(_text(mine)),
    "=": _same,
    "≠": lambda mine, wanted: not _same(mine, wanted),
    ">": _ordered(lambda left, right: left > right, _number),
    "<": _ordered(lambda left, right: left < right, _number),
    "≥": _ordered(lambda left, right: left >= right, _number),
    "≤": _ordered(lambda left, right: left <= right, _number),
    "before": _ordered(lambda left, right: left < right, _time_ms),
    "after": _ordered(lambda left, right: left > right, _time_ms),
}
_SPELLINGS = {
    "!=": "≠",
    "<>": "≠",
    ">=": "≥",
    "<=": "≤",
    "==": "=",
    "starts with": "start with",
    "ends with": "end with",
    "is empty": "empty",
    "is not empty": "not empty",
    "not_contains": "not contains",
    "not_in": "not in",
}


def named_exactly(conditions: Conditions, name: str) -> Sequence[str]:
    """The values that a record must have under this key, where the conditions say so: a search can ask for them."""
    if conditions.any_of_them:
        return ()
    for condition in conditions.conditions:
        if condition.names == (name,) and condition.operator in ("is", "=", "in"):
            listed = condition.value if isinstance(condition.value, list | tuple) else str(condition.value).split(",")
            return [_text(one) for one in listed]
    return ()
