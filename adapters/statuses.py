"""Domain errors know no status codes; this file gives them theirs, for every door that speaks HTTP."""

from adapters.identity import Forbidden
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

STATUS: dict[type[RearviewError], int] = {
    RearviewError: 500,
    Rejected: 422,
    InvalidMemory: 422,
    UnknownMemory: 404,
    TooLarge: 413,
    Conflict: 409,
    Forbidden: 403,
    Unavailable: 503,
    Indeterminate: 504,
    StaleEpoch: 503,
    Corrupt: 500,
}
# Codes that say more than their class.
STATUS_OF_CODE = {
    "version_mismatch": 412,
    "behind": 412,  # `min_seq` names a state that does not exist (yet); waiting for it is the caller's choice.
    "bad_json": 400,
}


def status_of(error: RearviewError) -> int:
    """The status that tells of a domain error."""
    known = next(cls for cls in type(error).__mro__ if cls in STATUS)
    return STATUS_OF_CODE.get(error.code) or STATUS[known]
