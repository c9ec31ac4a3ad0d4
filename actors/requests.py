"""Requests and replies as bytes: what travels between a caller and a host.

A batch is a msgpack list of `[id, user, op, args, key, min_seq, client, by]`; its answer is a list of
`[id, "ok", reply]`, `[id, "error", [class name, text]]` or `[id, "parked", ticket]` in any order. Lone surrogates
pass through, so that the engine refuses them with a proper error instead of the transport failing.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar, cast

import msgpack

from engine.errors import ERRORS, InvalidMemory, RearviewError

Command = TypeVar("Command")

OK, ERROR, PARKED = "ok", "error", "parked"
COLLECT = "collect"  # the op that waits for a parked reply


@dataclass(frozen=True, slots=True)
class Request:
    """One thing asked of one user. `args` is plain data."""

    request_id: int
    user_id: str
    op: str
    args: Mapping[str, object]
    key: str = ""
    min_seq: int = 0
    client: str = ""
    by: str = ""  # The id of the token that asks, for the audit trail.

    def body_hash(self) -> bytes:
        """Equal for equal operations with equal arguments, in whatever order these were given."""
        return hashlib.sha256(pack([self.op, _sorted(self.args)])).digest()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one request: a reply, an error or a ticket for a reply that takes longer."""

    request_id: int
    kind: str
    value: object


def pack(value: object) -> bytes:
    """Raises: InvalidMemory when a value cannot travel (a number beyond 64 bits, nesting without end)."""
    try:
        return cast(bytes, msgpack.packb(value, default=_plain, unicode_errors="surrogatepass"))
    except (OverflowError, ValueError, TypeError, RecursionError):
        raise InvalidMemory.of("a value is too large, too deep or of no known kind", code="invalid_value") from None


def unpack(data: bytes) -> object:
    return msgpack.unpackb(data, unicode_errors="surrogatepass", strict_map_key=False)


def pack_request(request: Request) -> bytes:
    """One row of a batch. Raises: InvalidMemory, so that only its own caller hears of what cannot travel."""
    r = request
    return pack([r.request_id, r.user_id, r.op, r.args, r.key, r.min_seq, r.client, r.by])


def batch_of(rows: Sequence[bytes]) -> bytes:
    """Rows that are packed already, as one batch."""
    return cast(bytes, msgpack.Packer().pack_array_header(len(rows))) + b"".join(rows)


def pack_requests(requests: Iterable[Request]) -> bytes:
    return batch_of([pack_request(request) for request in requests])


def unpack_requests(batch: bytes) -> list[Request]:
    return [Request(*row) for row in cast(list[list[object]], unpack(batch))]  # type: ignore[arg-type]


def pack_answers(answers: Iterable[Answer]) -> bytes:
    return batch_of([_pack_answer(answer) for answer in answers])


def _pack_answer(answer: Answer) -> bytes:
    try:
        return pack([answer.request_id, answer.kind, answer.value])
    except InvalidMemory:  # A bug in one reply must not take the others along.
        problem = RearviewError.of("the reply cannot travel")
        return pack([answer.request_id, ERROR, error_value(problem)])


def unpack_answers(data: bytes) -> list[Answer]:
    return [Answer(*row) for row in cast(list[list[object]], unpack(data))]  # type: ignore[arg-type]


def error_value(error: RearviewError) -> list[str]:
    """An error as data; `raised` reads it back."""
    return [type(error).__name__, str(error)]


def raised(value: object) -> RearviewError:
    """The error that a host sent, of our own class and with our own text only."""
    name, text = cast(Sequence[str], value)
    return ERRORS.get(name, RearviewError)(text)


def command_of(kind: type[Command], args: Mapping[str, object], **more: object) -> Command:
    """Build a command from plain arguments; lists become tuples where the command is a tuple's owner.

    Raises: InvalidMemory naming the first argument that the command does not know.
    """
    known = _field_names(kind)
    given = {**args, **more}
    for name in given:
        if name not in known:
            raise InvalidMemory.of("there is no such argument", code="unknown_field", field=name)
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})


_FIELD_NAMES: dict[type, frozenset[str]] = {}


def _field_names(kind: type) -> frozenset[str]:
    if kind not in _FIELD_NAMES:
        _FIELD_NAMES[kind] = frozenset(field.name for field in fields(kind))
    return _FIELD_NAMES[kind]


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    raise TypeError(type(value).__name__)


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return [[str(key), _sorted(value[key])] for key in sorted(value, key=str)]
    if isinstance(value, (list, tuple)):
        return [_sorted(one) for one in value]
    return value
