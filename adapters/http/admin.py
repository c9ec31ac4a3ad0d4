"""Routes of the service: tokens, maintenance, metrics, and whether it is alive and ready."""

from dataclasses import replace

from adapters.http.arguments import given_fields
from adapters.http.bodies import MaintenanceBody, Query, ReembedBody, TokenBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.http.errors import HttpProblem
from adapters.http.parts import Moves
from adapters.identity import ALL_SPACES, Forbidden, Principal, check_id, resolve_user
from adapters.rendering import parse_time, rfc3339
from adapters.tokens import check_principal
from engine.errors import InvalidMemory, Unavailable, UnknownMemory

PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"


async def reembed(call: Call) -> Answer:
    """Begin to move everybody to another model's space, beside the calls; the old one answers until a user is moved."""
    return Answer(await _mover(call).start(given_fields(call.body)), status=202)


async def reembed_status(call: Call) -> Answer:
    """Which model is in force, and how far a move is."""
    return Answer(await _mover(call).status())


def _mover(call: Call) -> Moves:
    mover = call.parts.mover
    if mover is None:
        raise Unavailable.of("This service moves nobody.")
    return mover


class RevokeQuery(Query):
    """Which token."""

    token_id: str = ""


def token_view(principal: Principal) -> dict[str, object]:
    """A token as lists show it: never its secret."""
    expires_at_ms = principal.expires_at_ms
    return {
        "token_id": principal.token_id,
        "users": list(principal.users),
        "role": principal.role,
        "agent": principal.agent,
        "spaces": dict(principal.spaces),
        "max_sensitivity": principal.max_sensitivity,
        "expires_at": None if expires_at_ms is None else rfc3339(expires_at_ms),
        "created_at": rfc3339(principal.created_at_ms),
        "per_minute": principal.per_minute,
        "per_day": principal.per_day,
    }


async def list_tokens(call: Call) -> Answer:
    """Every token that reaches no further than the caller's."""
    return Answer({"tokens": [token_view(p) for p in await call.parts.tokens.list() if call.principal.covers(p)]})


async def create_token(call: Call) -> Answer:
    """A new token; its secret is in this answer and nowhere else."""
    body: TokenBody = call.body
    expires_at_ms = parse_time(body.expires_at, "expires_at")[0] if body.expires_at else None
    if expires_at_ms is not None and expires_at_ms <= call.parts.now_ms():
        raise InvalidMemory.of("A token cannot expire in the past.", field="expires_at")
    wanted = replace(
        call.principal,
        users=body.users,
        role=body.role or "write",
        agent=body.agent or "",
        spaces=dict(ALL_SPACES if body.spaces is None else body.spaces),
        max_sensitivity=body.max_sensitivity or call.principal.max_sensitivity,
        expires_at_ms=expires_at_ms,
        # Without a word of their own they have the limits of their maker, or where it has none the usual ones.
        per_minute=_limit(body.per_minute, call.principal.per_minute),
        per_day=_limit(body.per_day, call.principal.per_day),
    )
    check_principal(wanted)
    rates = call.parts.rates
    faster = not rates.pace_of(wanted).within(rates.pace_of(call.principal))
    if not call.principal.covers(wanted) or not call.principal.outlives(wanted) or faster:
        raise Forbidden.of("A token cannot make one that reaches further than itself.")
    token, made = await call.parts.tokens.create(
        users=wanted.users,
        role=wanted.role,
        agent=wanted.agent,
        spaces=wanted.spaces,
        max_sensitivity=wanted.max_sensitivity,
        expires_at_ms=wanted.expires_at_ms,
        per_minute=wanted.per_minute,
        per_day=wanted.per_day,
    )
    return Answer({"token": token, **token_view(made)}, status=201, headers=((b"cache-control", b"no-store"),))


def _limit(asked: int | None, makers: int | None) -> int | None:
    return asked if asked is not None else makers or None


async def revoke_token(call: Call) -> Answer:
    """Stop a token; effective everywhere within five seconds."""
    token_id = call.path.get("token_id") or call.query.token_id
    check_id(token_id, "token_id")
    tokens = call.parts.tokens
    if not any(p.token_id == token_id and call.principal.covers(p) for p in await tokens.list()):
        raise UnknownMemory.of("There is no such token.", field="token_id")
    await tokens.revoke(token_id)
    return Answer({"revoked": 1, "token_id": token_id})


async def maintain(call: Call) -> Answer:
    """Run now whatever is due, for one user or for everyone."""
    body: MaintenanceBody = call.body
    if body.user:
        user = resolve_user(call.principal, body.user)
        return Answer(await call.parts.directory.ask(user, "maintain", {}, client=call.principal.agent))
    if call.principal.only_user is not None:
        return Answer(await call.parts.directory.ask(call.principal.only_user, "maintain", {}))
    if not call.principal.sees_everyone:
        raise Forbidden.of("This needs a token for all users, or the name of one.")
    if call.parts.maintain_all is None:
        raise HttpProblem(503, "unavailable", "Maintenance of everyone is not wired up here; name a user.")
    return Answer(await call.parts.maintain_all())


async def metrics(call: Call) -> Answer:
    """Counts and times of requests by route, and what other processes count."""
    more = "" if call.parts.more_metrics is None else await call.parts.more_metrics()
    return Answer((call.parts.metrics.text() + more).encode(), media=PROMETHEUS)


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/tokens",
        operation="list_tokens",
        summary="List tokens, never their secrets",
        handler=list_tokens,
        role="admin",
        about="service",
    ),
    Endpoint(
        method="POST",
        path="/v1/tokens",
        operation="create_token",
        summary="Make a token",
        handler=create_token,
        role="admin",
        about="service",
        body=TokenBody,
    ),
    Endpoint(
        method="DELETE",
        path="/v1/tokens",
        operation="revoke_token",
        summary="Revoke a token",
        handler=revoke_token,
        role="admin",
        about="service",
        query=RevokeQuery,
    ),
    Endpoint(
        method="DELETE",
        path="/v1/tokens/{token_id}",
        operation="revoke_token_by_path",
        summary="Revoke a token",
        handler=revoke_token,
        role="admin",
        about="service",
    ),
    Endpoint(
        method="POST",
        path="/v1/maintenance",
        operation="maintain",
        summary="Run now whatever is due",
        handler=maintain,
        role="admin",
        about="service",
        body=MaintenanceBody,
        body_optional=True,
    ),
    Endpoint(
        method="POST",
        path="/v1/reembed",
        operation="reembed",
        summary="Move every user's vectors to another embedding model",
        handler=reembed,
        role="admin",
        about="everyone",
        body=ReembedBody,
    ),
    Endpoint(
        method="GET",
        path="/v1/reembed",
        operation="reembed_status",
        summary="How far that is",
        handler=reembed_status,
        role="admin",
        about="everyone",
    ),
    Endpoint(
        method="GET",
        path="/metrics",
        operation="metrics",
        summary="Prometheus metrics",
        handler=metrics,
        about="everyone",
    ),
)
