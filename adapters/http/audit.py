"""Routes of the audit trail: what was done for a user, under which token, to which memories."""

from adapters.http.arguments import given_fields
from adapters.http.bodies import AuditQuery
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import require_unrestricted

AUDIT = "/v1/users/{user}/audit"


async def read_audit(call: Call) -> Answer:
    """A page of the trail, newest first. It names memories of every space, so half of the spaces is not enough."""
    require_unrestricted(call.principal, "read")
    return Answer(await call.ask("audit", given_fields(call.query, without=["min_seq"])))


async def verify_audit(call: Call) -> Answer:
    """Whether every entry is as it was written, and which is not."""
    require_unrestricted(call.principal, "read")
    return Answer(await call.ask("audit_verify", {}))


ENDPOINTS = (
    Endpoint(
        method="GET",
        path=AUDIT,
        operation="read_audit",
        summary="What was done, when and under which token",
        handler=read_audit,
        query=AuditQuery,
    ),
    Endpoint(
        method="GET",
        path=AUDIT + "/verify",
        operation="verify_audit",
        summary="Check the audit trail against its chain",
        handler=verify_audit,
    ),
)
