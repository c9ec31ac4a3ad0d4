"""Who is asking, and whose memories they may touch. HTTP and MCP both go through `resolve_user`.

The token is the tenant: a user named in a path or an argument only selects inside what the token allows. Outside of
it the answer is the same as for a memory that does not exist, so that nobody learns which users there are.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.errors import InvalidMemory, Rejected, TooLarge, UnknownMemory
from engine.memory import Sensitivity

USER_ID_CHARS_MAX = 256
ROLES = ("read", "write", "admin")
ACCESS = ("read", "write")
EVERYTHING = "*"
ALL_SPACES: Mapping[str, str] = MappingProxyType({EVERYTHING: "write"})

_SURROGATES = range(0xD800, 0xE000)
_CONTROLS = frozenset([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029])


class Forbidden(Rejected):
    """The token is good, but its role or spaces do not reach that far."""

    default_code = "forbidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """What one token may do. `users` are exact ids or patterns that end in `*`; `spaces` maps a name (or `*`)
    to "read" or "write"; `expires_at_ms` None means never; `per_minute` and `per_day` are the requests it has, 0 for no
    limit and None for what the service gives to all.
    """

    token_id: str
    users: tuple[str, ...]
    role: str = "write"
    agent: str = ""
    spaces: Mapping[str, str] = field(default_factory=lambda: ALL_SPACES)
    max_sensitivity: str = "sensitive"
    expires_at_ms: int | None = None
    created_at_ms: int = 0
    per_minute: int | None = None
    per_day: int | None = None

    def allows(self, user: str) -> bool:
        """Whether this user id lies inside the token."""
        return any(
            user.startswith(pattern[:-1]) if pattern.endswith(EVERYTHING) else user == pattern for pattern in self.users
        )

    @property
    def only_user(self) -> str | None:
        """The user of a token for exactly one, else None."""
        if len(self.users) == 1 and not self.users[0].endswith(EVERYTHING):
            return self.users[0]
        return None

    @property
    def sees_everyone(self) -> bool:
        """Whether figures over all users (metrics, maintenance of the whole service) are its business."""
        return EVERYTHING in self.users

    def unrestricted(self, access: str) -> bool:
        """Whether every space and sensitivity of its users is open to "read" or "write"."""
        return self.may_everywhere(access) and self.max_sensitivity == Sensitivity.SENSITIVE

    def may_everywhere(self, access: str) -> bool:
        """Whether it may do this in every space: one that is named beside `*` may be open for less."""
        return all(self.may_use_space(space, access) for space in (EVERYTHING, *self.spaces))

    def may(self, role: str) -> bool:
        """Whether its role is at least this one."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def may_use_space(self, space: str, access: str) -> bool:
        """Whether it may "read" or "write" this space; the right to write includes reading."""
        granted = self.spaces.get(space) or self.spaces.get(EVERYTHING, "")
        return granted == "write" or (granted == "read" and access == "read")

    def covers(self, other: "Principal") -> bool:
        """Whether everything the other may do lies inside this one, as when a token makes another."""
        return (
            all(self._covers_pattern(pattern) for pattern in other.users)
            and self.may(other.role)
            and all(self.may_use_space(space, access) for space, access in other.spaces.items())
            # What this one names beside `*` the other reaches by its own `*`.
            and all(other.may_use_space(space, "write") <= self.may_use_space(space, "write") for space in self.spaces)
            and (self.max_sensitivity == Sensitivity.SENSITIVE or other.max_sensitivity == Sensitivity.NORMAL)
        )

    def outlives(self, other: "Principal") -> bool:
        """Whether it lasts at least as long as the other: a token that ends must not make one that goes on."""
        if self.expires_at_ms is None:
            return True
        return other.expires_at_ms is not None and other.expires_at_ms <= self.expires_at_ms

    def _covers_pattern(self, pattern: str) -> bool:
        # A pattern lies inside another one exactly when its prefix starts with the other's prefix.
        if pattern.endswith(EVERYTHING):
            return any(p.endswith(EVERYTHING) and pattern[:-1].startswith(p[:-1]) for p in self.users)
        return self.allows(pattern)


PRINCIPAL: ContextVar[Principal] = ContextVar("principal")


def _nobody_listens(_: Principal, __: str) -> None:
    """Where no door is open, as in tests of one function."""


# Called when a token asks for a user outside of it. The door sets it beside PRINCIPAL. The user who was meant hears of
# it in their own audit trail; anywhere else what a stranger types is nobody's to keep.
REFUSED_FOREIGN: ContextVar[Callable[[Principal, str], None]] = ContextVar("refused_foreign", default=_nobody_listens)


def check_id(value: str, field: str) -> str:
    """The id itself, untouched, when it keeps the rules: 1-256 characters, no control characters, no lone surrogates.

    Raises: InvalidMemory, or TooLarge when it is too long.
    """
    if not value:
        raise InvalidMemory.of("It must not be empty.", field=field)
    if len(value) > USER_ID_CHARS_MAX:
        raise TooLarge.of(f"At most {USER_ID_CHARS_MAX} characters.", field=field)
    for character in value:
        point = ord(character)
        if point in _CONTROLS or point in _SURROGATES:
            raise InvalidMemory.of("Control characters and broken Unicode are not allowed.", field=field)
    return value


def resolve_user(principal: Principal, requested: str | None) -> str:
    """The user that a request is about; the one check in front of every user's memories.

    Raises: UnknownMemory when the token does not reach this user (the same answer as for an unknown id),
            InvalidMemory when no user is named and the token is not for exactly one, or the id breaks the rules.
    """
    if not requested:
        if principal.only_user is None:
            raise InvalidMemory.of(
                "This token is for several users: say which one.", code="missing_user", field="user_id"
            )
        return principal.only_user
    check_id(requested, "user_id")
    if not principal.allows(requested):
        REFUSED_FOREIGN.get()(principal, requested)
        raise UnknownMemory.of("There is no such memory.", field="user_id")
    return requested


def readable_spaces(principal: Principal, wanted: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The spaces to read in, for the `spaces` argument of an actor, where () stands for every space.

    Raises: UnknownMemory when none of them, or of those that were named, is open to this token.
    """
    if principal.may_use_space(EVERYTHING, "read"):
        return wanted
    open_ones = tuple(space for space in wanted or principal.spaces if principal.may_use_space(space, "read"))
    if not open_ones:
        raise UnknownMemory.of("There is no such space.", field="spaces")
    return open_ones


def writable_spaces(principal: Principal) -> tuple[str, ...]:
    """The spaces a token may change, () for all of them. Raises: Forbidden when there is none."""
    if principal.may_everywhere("write"):
        return ()
    spaces = tuple(space for space, access in principal.spaces.items() if access == "write" and space != EVERYTHING)
    if not spaces:
        raise Forbidden.of("This token may write into no space.")
    return spaces


def require_space_write(principal: Principal, space: str) -> None:
    """Refuse to write into a space that the token only reads, or does not know of.

    Raises: Forbidden when it may read the space, UnknownMemory when it may not.
    """
    if principal.may_use_space(space, "write"):
        return
    if principal.may_use_space(space, "read"):
        raise Forbidden.of("This token may read that space but not write into it.", field="space")
    raise UnknownMemory.of("There is no such space.", field="space")


def within_sight(principal: Principal, reply: Mapping[str, object]) -> dict[str, object]:
    """A reply without the memories that the token cannot see; null stands for each, as after a purge.

    What a change did is shown as it reads now, also to who asks again under the same idempotency key: since then, or by
    another token, it may have been moved out of sight.
    """
    if principal.unrestricted("read"):
        return dict(reply)
    seen = dict(reply)
    if isinstance(memory := reply.get("memory"), Mapping) and not _sees(principal, memory):
        seen["memory"] = None
    if isinstance(written := reply.get("written"), list):
        seen["written"] = [within_sight(principal, one) for one in written]
    if isinstance(rows := reply.get("memories"), list):
        seen["memories"] = [_row_within_sight(principal, row) for row in rows]
    return seen


def _row_within_sight(principal: Principal, row: object) -> object:
    """A row of what was forgotten, without its text where the token cannot see it; other rows are in sight already."""
    if isinstance(row, Mapping) and "space" in row and not _sees(principal, row):
        return {**row, "content": ""}
    return row


def _sees(principal: Principal, memory: Mapping[str, object]) -> bool:
    return principal.may_use_space(str(memory.get("space", "")), "read") and (
        principal.max_sensitivity == Sensitivity.SENSITIVE or memory.get("sensitivity") == Sensitivity.NORMAL
    )


def require_unrestricted(principal: Principal, access: str) -> None:
    """For what concerns a user as a whole (erase, export, import, settings): no half of the spaces is enough.

    Raises: Forbidden.
    """
    if not principal.unrestricted(access):
        raise Forbidden.of("This needs a token for every space of the user.")


def ceiling_of(principal: Principal) -> dict[str, object]:
    """The `max_sensitivity` argument of an actor for a token with a ceiling; without one there is none to name."""
    if principal.max_sensitivity == Sensitivity.SENSITIVE:
        return {}
    return {"max_sensitivity": principal.max_sensitivity}


def require_sensitivity(principal: Principal, sensitivity: str) -> None:
    """Refuse to write what the token could not read back. Raises: Forbidden."""
    if sensitivity == Sensitivity.SENSITIVE and principal.max_sensitivity != Sensitivity.SENSITIVE:
        raise Forbidden.of("This token has no access to sensitive memories.", field="sensitivity")
