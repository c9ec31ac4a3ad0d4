"""From the shape of a request to the arguments of an actor: times to milliseconds, absent fields left out."""

from collections.abc import Iterable

from pydantic import BaseModel

from adapters.rendering import parse_time
from adapters.wire import travels
from engine.errors import InvalidMemory, TooLarge
from engine.normalise import refuse_bad_characters
from engine.policy import Limits

Args = dict[str, object]


def given_fields(body: BaseModel, *, without: Iterable[str] = ()) -> Args:
    """The fields that were sent and are not null. Absent ones keep the engine's defaults.

    Raises: InvalidMemory for metadata that no journal could hold.
    """
    left_out = frozenset(without)
    args: Args = {
        name: value
        for name in body.model_fields_set
        if name not in left_out and (value := getattr(body, name)) is not None
    }
    if "metadata" in args and not travels(args["metadata"]):
        raise InvalidMemory.of("Numbers must be finite, and whole ones fit into 64 bits.", field="metadata")
    return args


def move_time(args: Args, name: str, target: str) -> int | None:
    """Replace the text of one time by its milliseconds under `target`; returns the offset it was written with."""
    text = args.pop(name, None)
    if text is None:
        return None
    args[target], offset_minutes = parse_time(str(text), name.rstrip("_"))
    return offset_minutes


def check_reason(reason: str, limits: Limits) -> str:
    """A reason as it may be kept."""
    if len(reason) > limits.reason_chars_max:
        raise TooLarge.of(f"At most {limits.reason_chars_max} characters.", field="reason")
    refuse_bad_characters(reason, "reason")
    return reason


def waiting(wait: bool) -> Args:
    """The `wait` argument of an erasure, only where it is wished for."""
    return {"wait": True} if wait else {}
