"""How a frozen dataclass becomes plain values and back: one plan per class, built once from its type hints.

Supported field types: str, int, float, bool, bytes, StrEnum, a dataclass, tuple[T, ...], Mapping[str, object]
(JSON-like values), and `T | None` of these. Anything else is a programmer's error and fails when the plan is built.

Fields that equal their default are left out, which keeps an entry near 300 bytes instead of 900.
Therefore a default of a journalled field, once released, must never change: old entries would change with it.
"""

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from engine.errors import Corrupt, InvalidMemory

Convert = Callable[[Any], Any]
ConvertColumn = Callable[[Sequence[Any]], Sequence[Any]]

DEPTH_MAX = 32
"""Nesting of metadata and settings; msgpack's own C limit is 512, Python's recursion is the one to protect."""

_MISSING = dataclasses.MISSING


class Misfit(ValueError):
    """A value does not fit its field. Callers turn it into Corrupt (reading) or InvalidMemory (writing)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """One class: how each field is packed and unpacked, which may be missing, and what they then are."""

    cls: type
    packers: tuple[tuple[str, Convert | None, object], ...]  # name, converter (None: as it is), default
    unpackers: Mapping[str, Convert]
    columns: Mapping[str, ConvertColumn]
    required: frozenset[str]

    def pack(self, value: object) -> dict[str, Any]:
        """Plain values of one instance, without the fields that equal their default. Raises Misfit."""
        plain: dict[str, Any] = {}
        for name, convert, default in self.packers:
            field = getattr(value, name)
            if field is default or (default is not _MISSING and field == default):
                continue
            plain[name] = field if convert is None else convert(field)
        return plain

    def unpack(self, plain: object) -> Any:
        """An instance. Raises Misfit on an unknown field, a missing one without a default, or a wrong type."""
        if type(plain) is not dict:
            raise Misfit(f"{self.cls.__name__} is not a map")
        unpackers = self.unpackers
        fields: dict[str, Any] = {}
        for name, value in plain.items():
            convert = unpackers.get(name)
            if convert is None:
                raise Misfit(f"{self.cls.__name__} has a field that this release does not know")
            fields[name] = convert(value)
        if not self.required <= fields.keys():
            raise Misfit(f"{self.cls.__name__} lacks {', '.join(sorted(self.required - fields.keys()))}")
        return self.cls(**fields)


_plans: dict[type, Plan] = {}


def plan_of(cls: type) -> Plan:
    """The plan of a dataclass, built on first use and kept: the engine has a few dozen classes."""
    plan = _plans.get(cls)
    if plan is None:
        plan = _plans[cls] = _build_plan(cls)
    return plan


def _build_plan(cls: type) -> Plan:
    hints = typing.get_type_hints(cls)
    packers, unpackers, columns, required = [], {}, {}, set()
    for field in dataclasses.fields(cls):
        pack, unpack = converters(hints[field.name])
        default: object = field.default
        if default is _MISSING and field.default_factory is not _MISSING:
            default = field.default_factory()
        if default is _MISSING:
            required.add(field.name)
        packers.append((field.name, pack, default))
        unpackers[field.name] = unpack
        columns[field.name] = _column(hints[field.name], unpack)
    return Plan(cls, tuple(packers), unpackers, columns, frozenset(required))


def converters(hint: Any) -> tuple[Convert | None, Convert]:
    """(pack, unpack) for one type hint. `pack` is None where msgpack takes the value as it is."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        rest = [a for a in arguments if a is not type(None)]
        assert (len(rest), len(arguments)) == (1, 2), f"only `T | None` is supported, not {hint}"
        return _optional(*converters(rest[0]))
    if origin is tuple:
        assert arguments[1:] == (Ellipsis,), f"only tuple[T, ...] is supported, not {hint}"
        return _tuple(*converters(arguments[0]))
    if origin is not None and issubclass(origin, Mapping):
        return pack_mapping, unpack_mapping
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return str, _enum(hint)
    if hint is float:
        return _finite, _finite
    if hint in (str, int, bool, bytes):
        return None, _exact(hint)
    assert hasattr(hint, "__dataclass_fields__"), f"no rule to store {hint}"
    # Looked up late, so that a class may hold itself.
    held: type = hint
    return (lambda value: plan_of(held).pack(value)), (lambda plain: plan_of(held).unpack(plain))


_COLUMN_TYPES: dict[Any, set[type]] = {
    str: {str},
    int: {int},
    bool: {bool},
    str | None: {str, type(None)},
    int | None: {int, type(None)},
}


def _column(hint: Any, unpack: Convert) -> ConvertColumn:
    """The same as `unpack` over many values of one field: types are looked at once per column, not once per value."""
    allowed = _COLUMN_TYPES.get(hint)

    def convert(values: Sequence[Any]) -> Sequence[Any]:
        if allowed is not None and set(map(type, values)) <= allowed:
            return values
        if hint is float and set(map(type, values)) == {float} and all(map(math.isfinite, values)):
            return values
        return list(map(unpack, values))

    return convert


def _exact(kind: type) -> Convert:
    def unpack(value: Any) -> Any:
        if type(value) is not kind:
            raise Misfit(f"a {type(value).__name__} where {kind.__name__} belongs")
        return value

    return unpack


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise Misfit(f"a {type(value).__name__} where a number belongs")
    if not math.isfinite(value):
        raise Misfit("a number that is not finite")
    return float(value)


def _enum(kind: type[StrEnum]) -> Convert:
    members = {member.value: member for member in kind}

    def unpack(value: Any) -> StrEnum:
        member = members.get(value) if type(value) is str else None
        if member is None:
            raise Misfit(f"not a {kind.__name__} that this release knows")
        return member

    return unpack


def _optional(pack: Convert | None, unpack: Convert) -> tuple[Convert | None, Convert]:
    packed = None if pack is None else (lambda value: None if value is None else pack(value))
    return packed, lambda value: None if value is None else unpack(value)


def _tuple(pack: Convert | None, unpack: Convert) -> tuple[Convert, Convert]:
    def unpack_all(values: Any) -> tuple[Any, ...]:
        if type(values) is not list:
            raise Misfit(f"a {type(values).__name__} where a list belongs")
        if not values:
            return ()
        return tuple([unpack(value) for value in values])

    packed = list if pack is None else (lambda values: [pack(value) for value in values])
    return packed, unpack_all


def pack_mapping(values: Any, depth: int = 0) -> dict[str, Any]:
    """A map of JSON-like values, checked all the way down. Raises Misfit."""
    if not isinstance(values, Mapping):
        raise Misfit(f"a {type(values).__name__} where a map belongs")
    plain = {}
    for name, value in values.items():
        if not isinstance(name, str):
            raise Misfit("a map key that is not text")
        plain[str(name)] = _plain(value, depth + 1)
    return plain


unpack_mapping = pack_mapping
"""Reading checks the same things: what came off the disk is no better than what a caller sent."""


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _finite(value)
    if depth > DEPTH_MAX:
        raise Misfit("values nested too deeply")
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return pack_mapping(value, depth)


def refused_on_write(error: Exception) -> InvalidMemory:
    """What a caller hears when a value cannot be stored."""
    return InvalidMemory.of(f"A value cannot be stored: {error}.")


def refused_on_read(what: str, error: object) -> Corrupt:
    """What an operator hears when stored bytes do not decode."""
    return Corrupt.of(f"Stored {what} cannot be read: {error}.")
