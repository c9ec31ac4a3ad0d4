"""Routes of what is never to be mentioned again."""

from adapters.http.arguments import Args, check_reason
from adapters.http.bodies import SuppressBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import readable_spaces, writable_spaces

SUPPRESSIONS = "/v1/users/{user}/suppressions"


async def suppress(call: Call) -> Answer:
    """Take everything about a topic out of sight, and refuse it from now on."""
    body: SuppressBody = call.body
    args: Args = {
        "about": body.about,
        "reason": check_reason(body.reason or "", call.parts.limits),
        "spaces": writable_spaces(call.principal),
        "max_sensitivity": call.principal.max_sensitivity,
    }
    return Answer(await call.ask("suppress", args, once=True), status=201)


async def list_suppressions(call: Call) -> Answer:
    """The topics, oldest first."""
    return Answer(await call.ask("suppressions", {"spaces": readable_spaces(call.principal)}))


async def lift_suppression(call: Call) -> Answer:
    """Let a topic be mentioned again."""
    args: Args = {"suppression_id": call.path["suppression_id"], "spaces": writable_spaces(call.principal)}
    return Answer(await call.ask("lift_suppression", args, once=True))


ENDPOINTS = (
    Endpoint(
        method="POST",
        path=SUPPRESSIONS,
        operation="suppress",
        summary="Never mention this again",
        handler=suppress,
        role="write",
        body=SuppressBody,
    ),
    Endpoint(
        method="GET",
        path=SUPPRESSIONS,
        operation="list_suppressions",
        summary="List what is never to be mentioned",
        handler=list_suppressions,
    ),
    Endpoint(
        method="DELETE",
        path=SUPPRESSIONS + "/{suppression_id}",
        operation="lift_suppression",
        summary="Let a topic be mentioned again",
        handler=lift_suppression,
        role="write",
    ),
)
