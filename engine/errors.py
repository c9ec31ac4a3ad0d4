"""Every error Rearview raises on purpose, as one tree.

    RearviewError
      Rejected            nothing was written; the request is at fault
        InvalidMemory       a value is missing, malformed or over its limit
        UnknownMemory       no such memory for this user (also said of a foreign one)
        TooLarge            a text or body is longer than its limit
        Conflict            the idempotency key was used for another body, or a version no longer matches
      Unavailable         nothing was written; sending again is safe
      Indeterminate       the append may or may not be durable
      StaleEpoch          another actor owns this user; nothing was written by us
      Corrupt             stored bytes fail a check; never repaired in place, never read as "empty"

Domain errors know no status codes: `adapters/http/errors.py` and `adapters/mcp/errors.py` map them.
Each takes one string, so that it survives any serialisation; `field` and `code` ride inside that string
as a prefix `code|field|` and are read back by properties.
"""

from typing import Self


class RearviewError(Exception):
    """Base of the tree. `str(error)` is `code|field|sentence`; use the properties."""

    default_code = "internal"

    @classmethod
    def of(cls, sentence: str, *, code: str = "", field: str = "") -> Self:
        """Build an error from its parts. No part may contain the caller's text."""
        return cls(f"{code or cls.default_code}|{field}|{sentence}")

    @property
    def code(self) -> str:
        """A word from the documented list of codes."""
        return self._parts()[0]

    @property
    def field(self) -> str:
        """The argument at fault, or an empty string."""
        return self._parts()[1]

    @property
    def sentence(self) -> str:
        """What a person should read."""
        return self._parts()[2]

    def _parts(self) -> tuple[str, str, str]:
        pieces = str(self).split("|", 2)
        if len(pieces) == 3:
            return pieces[0], pieces[1], pieces[2]
        return self.default_code, "", str(self)


class Rejected(RearviewError):
    """Nothing was written; the request is at fault."""

    default_code = "rejected"


class InvalidMemory(Rejected):
    """A value is missing, malformed or over its limit."""

    default_code = "invalid_value"


class UnknownMemory(Rejected):
    """No such memory for this user."""

    default_code = "not_found"


class TooLarge(Rejected):
    """A text or body is longer than its limit."""

    default_code = "too_large"


class Conflict(Rejected):
    """The idempotency key belongs to another body, or the version no longer matches."""

    default_code = "conflict"


class Unavailable(RearviewError):
    """Nothing was written; sending again is safe."""

    default_code = "unavailable"


class Indeterminate(RearviewError):
    """The append may or may not be durable; send again with the same idempotency key."""

    default_code = "indeterminate"


class StaleEpoch(RearviewError):
    """Another actor owns this user; nothing was written by us."""

    default_code = "stale_epoch"


class Corrupt(RearviewError):
    """Stored bytes fail a check."""

    default_code = "corrupt"


ERRORS: dict[str, type[RearviewError]] = {
    cls.__name__: cls
    for cls in (
        RearviewError,
        Rejected,
        InvalidMemory,
        UnknownMemory,
        TooLarge,
        Conflict,
        Unavailable,
        Indeterminate,
        StaleEpoch,
        Corrupt,
    )
}
