"""Tokens (JWT) of an OpenID Connect issuer, for people who have one. Nothing here runs unless it is configured.

A signature by one of the issuer's keys, `iss`, `aud`, `exp` and (where present) `nbf` are checked by PyJWT with the
algorithms the operator named; symmetric ones cannot be named, so a public key can never pass for a shared secret. The
subject becomes exactly one user. Keys come from a file, or from an address that is asked again at most once a minute
when a token names an unknown key.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import jwt

from adapters.identity import EVERYTHING, Principal, check_id
from engine.errors import Rejected, Unavailable

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
JWT_CHARS_MAX = 8_192
KEYS_BYTES_MAX = 1 << 20
KEYS_AGE_MS_MAX = 3_600_000
ASK_AGAIN_MS = 60_000
FETCH_SECONDS_MAX = 5.0
LEEWAY_S = 30

LoadKeys = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """Who signs, for whom, and what a subject may do. `user_claim` names the claim that becomes the user, after
    `user_prefix`; `per_minute` and `per_day` are as in `Principal`.
    """

    issuer: str
    audience: str
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    user_claim: str = "sub"
    user_prefix: str = ""
    role: str = "write"
    per_minute: int | None = None
    per_day: int | None = None


class JwtVerifier:
    """Says whose token a JWT is."""

    def __init__(self, issuer: Issuer, load_keys: LoadKeys, *, now_ms: Callable[[], int]) -> None:
        assert issuer.algorithms and set(issuer.algorithms) <= set(ALGORITHMS), "checked by the settings"
        self._issuer = issuer
        self._load_keys = load_keys
        self._now_ms = now_ms
        self._keys: list[jwt.PyJWK] = []
        self._asked_at_ms: int | None = None
        self._one_load = asyncio.Lock()

    async def verify(self, token: str) -> Principal | None:
        """What the bearer may do, or None for a token that is not good. Raises: Unavailable without any keys."""
        if len(token) > JWT_CHARS_MAX or token.count(".") != 2:
            return None
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
        except jwt.PyJWTError:
            return None
        key = await self._key(key_id)
        if key is None:
            return None
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=list(self._issuer.algorithms),
                audience=self._issuer.audience,
                issuer=self._issuer.issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError:
            return None
        return self._principal(claims)

    def _principal(self, claims: Mapping[str, Any]) -> Principal | None:
        subject, named = claims["sub"], claims.get(self._issuer.user_claim)
        if not isinstance(subject, str) or not isinstance(named, str) or not named:
            return None
        user = self._issuer.user_prefix + named
        # A subject that ends in a star would be a pattern for every user that starts alike.
        if user.endswith(EVERYTHING):
            return None
        try:
            check_id(user, "user_id")
        except Rejected:
            return None
        session = hashlib.sha256(f"{self._issuer.issuer}\n{subject}\n{user}".encode()).hexdigest()
        return Principal(
            token_id=f"oidc-{session[:24]}",
            users=(user,),
            role=self._issuer.role,
            expires_at_ms=int(claims["exp"]) * 1000,
            per_minute=self._issuer.per_minute,
            per_day=self._issuer.per_day,
        )

    async def _key(self, key_id: object) -> jwt.PyJWK | None:
        """The key of this name, or the only one for a token that names none."""
        now_ms = self._now_ms()
        found = self._find(key_id)
        asked_ms_ago = None if self._asked_at_ms is None else abs(now_ms - self._asked_at_ms)
        if asked_ms_ago is None or asked_ms_ago >= (KEYS_AGE_MS_MAX if found else ASK_AGAIN_MS):
            await self._load(now_ms)
            found = self._find(key_id)
        return found

    def _find(self, key_id: object) -> jwt.PyJWK | None:
        if key_id is None:
            return self._keys[0] if len(self._keys) == 1 else None
        return next((key for key in self._keys if key.key_id == key_id), None)

    async def _load(self, now_ms: int) -> None:
        async with self._one_load:
            if self._asked_at_ms is not None and abs(now_ms - self._asked_at_ms) < ASK_AGAIN_MS:
                return  # Another request loaded them while this one waited.
            try:
                self._keys = read_keys(await self._load_keys(), self._issuer.algorithms)
            except Unavailable:
                if not self._keys:
                    raise
            self._asked_at_ms = now_ms


def read_keys(raw: bytes, algorithms: tuple[str, ...]) -> list[jwt.PyJWK]:
    """The signing keys of a JWK set that fit one of the algorithms. Raises: Unavailable when there are none."""
    try:
        listed = json.loads(raw)["keys"]
        offered = [entry for entry in listed if isinstance(entry, dict) and entry.get("use", "sig") == "sig"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unavailable.of("The issuer's keys are not a JWK set.", code="oidc_keys") from None
    keys = []
    for entry in offered:
        try:
            key = jwt.PyJWK(entry)
        except jwt.PyJWTError:
            continue  # A set may hold kinds of keys that we do not know.
        if key.algorithm_name in algorithms:
            keys.append(key)
    if not keys:
        raise Unavailable.of("The issuer has no key for the configured algorithms.", code="oidc_keys")
    return keys


def keys_of_file(path: Path) -> LoadKeys:
    """Reads the keys from a file, again when they are asked for again."""

    async def load() -> bytes:
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError:
            raise Unavailable.of("The file with the issuer's keys cannot be read.", code="oidc_keys") from None

    return load


def keys_of_url(url: str, transport: httpx.AsyncBaseTransport | None = None) -> LoadKeys:
    """Fetches the keys: no redirects, a bounded answer, a few seconds at most."""

    async def load() -> bytes:
        try:
            async with (
                asyncio.timeout(FETCH_SECONDS_MAX),
                httpx.AsyncClient(transport=transport, timeout=FETCH_SECONDS_MAX) as client,
                client.stream("GET", url) as answer,
            ):
                body = bytearray()
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > KEYS_BYTES_MAX:
                        break
                if answer.status_code == httpx.codes.OK and len(body) <= KEYS_BYTES_MAX:
                    return bytes(body)
        except (httpx.HTTPError, TimeoutError):
            pass
        raise Unavailable.of("The issuer's keys cannot be fetched.", code="oidc_keys")

    return load
