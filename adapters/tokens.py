"""Tokens: made once, shown once, kept only as SHA-256.

A token is 256 random bits, so a plain hash is enough: there is nothing to guess, and no salt or slow hash is needed.
Each process keeps the list in memory and reads it again every two seconds, so that a token revoked in one process
stops working in every process well within five.
"""

import asyncio
import hashlib
import hmac
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import msgpack

from adapters.identity import ACCESS, ALL_SPACES, EVERYTHING, ROLES, Principal, check_id
from engine.errors import InvalidMemory, TooLarge, Unavailable, UnknownMemory
from engine.memory import Sensitivity

REFRESH_MS = 2_000
TOKEN_CHARS_MAX = 512
USERS_MAX = 100
SPACES_MAX = 100
PER_MINUTE_MAX = 1_000_000
PER_DAY_MAX = 1_000_000_000


class TokenStore(Protocol):
    """Where token records are kept, keyed by the SHA-256 of the token in hex."""

    async def put(self, digest_hex: str, record: bytes) -> None: ...

    async def get_all(self) -> dict[str, bytes]: ...

    async def delete(self, digest_hex: str) -> bool: ...


def digest(token: str) -> str:
    """What is stored instead of the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def encode_principal(principal: Principal) -> bytes:
    """A record of one token, without the token."""
    packed: bytes = msgpack.packb(
        {
            "v": 1,
            "token_id": principal.token_id,
            "users": list(principal.users),
            "role": principal.role,
            "agent": principal.agent,
            "spaces": dict(principal.spaces),
            "max_sensitivity": principal.max_sensitivity,
            "expires_at_ms": principal.expires_at_ms,
            "created_at_ms": principal.created_at_ms,
            "per_minute": principal.per_minute,
            "per_day": principal.per_day,
        }
    )
    return packed


def decode_principal(record: bytes) -> Principal:
    """The reverse of `encode_principal`."""
    values = msgpack.unpackb(record)
    del values["v"]
    return Principal(**{**values, "users": tuple(values["users"])})


class TokenBook:
    """Every token of the service. `new_token` gives 256 random bits as text, `new_id` an id for lists and logs."""

    def __init__(
        self, store: TokenStore, *, now_ms: Callable[[], int], new_id: Callable[[], str], new_token: Callable[[], str]
    ) -> None:
        self._store = store
        self._now_ms = now_ms
        self._new_id = new_id
        self._new_token = new_token
        self._known: dict[str, Principal] = {}
        self._read_at_ms: int | None = None
        self._one_read = asyncio.Lock()

    async def verify(self, token: str) -> Principal | None:
        """Whose token this is, or None when it is unknown, revoked or expired.

        Raises: Unavailable when the list was never read and the store cannot be reached.
        """
        if not token or len(token) > TOKEN_CHARS_MAX:
            return None
        now_ms = self._now_ms()
        if self._read_at_ms is None or abs(now_ms - self._read_at_ms) >= REFRESH_MS:
            await self._refresh(now_ms)
        wanted = digest(token)
        principal = self._known.get(wanted)
        if principal is None or not hmac.compare_digest(digest(token), wanted):
            return None
        if principal.expires_at_ms is not None and principal.expires_at_ms <= now_ms:
            return None
        return principal

    async def create(
        self,
        *,
        users: tuple[str, ...],
        role: str = "write",
        agent: str = "",
        spaces: Mapping[str, str] = ALL_SPACES,
        max_sensitivity: str = "sensitive",
        expires_at_ms: int | None = None,
        per_minute: int | None = None,
        per_day: int | None = None,
    ) -> tuple[str, Principal]:
        """A new token (shown this once) and what it may do.

        Raises: InvalidMemory, TooLarge, Unavailable.
        """
        token = self._new_token()
        principal = Principal(
            token_id=self._new_id(),
            users=users,
            role=role,
            agent=agent,
            spaces=dict(spaces),
            max_sensitivity=max_sensitivity,
            expires_at_ms=expires_at_ms,
            created_at_ms=self._now_ms(),
            per_minute=per_minute,
            per_day=per_day,
        )
        check_principal(principal)
        await self._keep(token, principal)
        return token, principal

    async def list(self) -> list[Principal]:
        """Every token, oldest first, never with its secret."""
        await self._refresh(self._now_ms(), force=True)
        return sorted(self._known.values(), key=lambda p: (p.created_at_ms, p.token_id))

    async def revoke(self, token_id: str) -> None:
        """Stop a token here at once, and in every other process within five seconds.

        Raises: UnknownMemory when there is no such token.
        """
        await self._refresh(self._now_ms(), force=True)
        for digest_hex, principal in list(self._known.items()):
            if principal.token_id == token_id:
                await self._store.delete(digest_hex)
                self._known.pop(digest_hex, None)
                return
        raise UnknownMemory.of("There is no such token.", field="token_id")

    async def ensure_first(self, path: Path) -> Path:
        """Make sure that the token file of this data directory holds an admin token; made at the first start.

        The file comes before the record, so that a crash between the two leaves a file to adopt, never a token that
        nobody can read. A file whose token was revoked while others exist is left alone.
        """
        await self._refresh(self._now_ms(), force=True)
        token = _read_token(path)
        if token and self._known:
            return path
        if not token:
            token = self._new_token()
            _write_private(path, token + "\n")
        admin = Principal(
            token_id=self._new_id(),
            users=(EVERYTHING,),
            role="admin",
            agent="",
            created_at_ms=self._now_ms(),
            per_minute=0,
            per_day=0,
        )
        await self._keep(token, admin)
        return path

    async def _keep(self, token: str, principal: Principal) -> None:
        await self._store.put(digest(token), encode_principal(principal))
        self._known = {**self._known, digest(token): principal}

    async def _refresh(self, now_ms: int, *, force: bool = False) -> None:
        async with self._one_read:
            if not force and self._read_at_ms is not None and abs(now_ms - self._read_at_ms) < REFRESH_MS:
                return  # Another request read the list while this one waited.
            try:
                records = await self._store.get_all()
            except Unavailable:
                # Reading memories goes on while the journal is away, and so must the tokens it takes. Changes of
                # tokens need the same store, so nothing can have been revoked through us meanwhile.
                if force or self._read_at_ms is None:
                    raise
                self._read_at_ms = now_ms
                return
            self._known = {digest_hex: decode_principal(record) for digest_hex, record in records.items()}
            self._read_at_ms = now_ms


def check_principal(principal: Principal) -> None:
    """Refuse a token that names nobody, or a role, space or limit that does not exist."""
    if not principal.users:
        raise InvalidMemory.of("Name at least one user, or * for all.", field="users")
    if not principal.spaces:
        raise InvalidMemory.of("Name at least one space, or * for all.", field="spaces")
    if len(principal.users) > USERS_MAX or len(principal.spaces) > SPACES_MAX:
        raise TooLarge.of(f"At most {USERS_MAX} users and {SPACES_MAX} spaces.", field="users")
    for name, field in [
        *((user, "users") for user in principal.users),
        *((space, "spaces") for space in principal.spaces),
        (principal.agent or "-", "agent"),
    ]:
        check_id(name, field)
    if principal.role not in ROLES:
        raise InvalidMemory.of(f"It must be one of: {', '.join(ROLES)}.", field="role")
    if not all(access in ACCESS for access in principal.spaces.values()):
        raise InvalidMemory.of(f"A space is open for one of: {', '.join(ACCESS)}.", field="spaces")
    if principal.max_sensitivity not in frozenset(Sensitivity):
        raise InvalidMemory.of("It must be one of: normal, sensitive.", field="max_sensitivity")
    for number, most, field in (
        (principal.per_minute, PER_MINUTE_MAX, "per_minute"),
        (principal.per_day, PER_DAY_MAX, "per_day"),
    ):
        if number is not None and not 0 <= number <= most:
            raise InvalidMemory.of(f"It must be from 0 (no limit) to {most}.", field=field)


def _read_token(path: Path) -> str:
    return path.read_text("utf-8").strip() if path.exists() else ""


def _write_private(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    half_done = path.with_name(path.name + ".new")
    half_done.unlink(missing_ok=True)
    handle = os.open(half_done, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half_done.replace(path)
