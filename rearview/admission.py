"""Who is let in beside the tokens of the book, and how often: settings become objects of the door."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from adapters.identity import Principal
from adapters.rates import Pace, Rates
from adapters.tokens import TokenBook
from engine.errors import Unavailable
from persistence.redis_client import RedisClient
from persistence.redis_tokens import RedisTokens
from rearview.settings import Settings


def rates_of(settings: Settings, client: RedisClient, now_ms: Callable[[], int]) -> Rates:
    """Counts requests by token, those of a day in the journal's store."""
    usual = Pace(settings.rate.per_minute, settings.rate.per_day)
    return Rates(now_ms=now_ms, usual=usual, store=RedisTokens(client))


def verifier(
    tokens: TokenBook, issuer: Callable[[str], Awaitable[Principal | None]] | None
) -> Callable[[str], Awaitable[Principal | None]]:
    """Whose token this is, ours or the issuer's: the answer that the console wants in one."""

    async def verify(token: str) -> Principal | None:
        principal = await tokens.verify(token)
        return await issuer(token) if principal is None and issuer is not None else principal

    return verify


def issuer_tokens(settings: Settings, now_ms: Callable[[], int]) -> Callable[[str], Awaitable[Principal | None]] | None:
    """Checks the tokens of the configured issuer; None without one.

    Raises: Unavailable when the packages that check signatures are not installed.
    """
    oidc = settings.oidc
    if not oidc.issuer:
        return None
    try:
        # Imported here because checking signatures needs packages that come with the extra `oidc`.
        import cryptography  # noqa: F401

        from adapters.oidc import Issuer, JwtVerifier, keys_of_file, keys_of_url
    except ImportError:
        raise Unavailable.of(
            "oidc.issuer needs the extra: pip install '.[oidc]' in Rearview's folder.", code="no_oidc"
        ) from None
    issuer = Issuer(
        issuer=oidc.issuer,
        audience=oidc.audience,
        algorithms=oidc.names,
        user_claim=oidc.user_claim,
        user_prefix=oidc.user_prefix,
        role=oidc.role,
    )
    remote = oidc.jwks.startswith(("https://", "http://"))
    load_keys = keys_of_url(oidc.jwks) if remote else keys_of_file(Path(oidc.jwks).expanduser())
    return JwtVerifier(issuer, load_keys, now_ms=now_ms).verify
