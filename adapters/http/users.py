"""Routes of a user as a whole: settings, figures, erasure."""

from adapters.http.arguments import given_fields, move_time, waiting
from adapters.http.bodies import EraseQuery, RevertBody, SettingsBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import require_unrestricted, writable_spaces

USER = "/v1/users/{user}"


async def erase_user(call: Call) -> Answer:
    """Text, vectors, journal, snapshots, caches: all of it, for good."""
    require_unrestricted(call.principal, "write")
    return Answer(await call.ask("erase", waiting(call.query.wait), once=True))


async def get_settings(call: Call) -> Answer:
    """This user's own settings."""
    return Answer(await call.ask("settings_get", {}))


async def put_settings(call: Call) -> Answer:
    """Change this user's own settings."""
    require_unrestricted(call.principal, "write")
    return Answer(await call.ask("settings_put", {"settings": given_fields(call.body)}, once=True))


async def get_stats(call: Call) -> Answer:
    """Counts by tier and status, size, and how far the background work is."""
    require_unrestricted(call.principal, "read")
    return Answer(await call.ask("stats", {}))


async def revert(call: Call) -> Answer:
    """Bin everything that came from a source, a client or a conversation since a time."""
    args = given_fields(call.body)
    move_time(args, "since", "since_ms")
    args["spaces"], args["max_sensitivity"] = writable_spaces(call.principal), call.principal.max_sensitivity
    return Answer(await call.ask("revert", args, once=True))


ENDPOINTS = (
    Endpoint(
        method="DELETE",
        path=USER,
        operation="erase_user",
        summary="Erase a user for good",
        handler=erase_user,
        role="admin",
        query=EraseQuery,
    ),
    Endpoint(
        method="POST",
        path=USER + "/revert",
        operation="revert",
        summary="Undo what came from somewhere",
        handler=revert,
        role="write",
        body=RevertBody,
    ),
    Endpoint(
        method="GET",
        path=USER + "/settings",
        operation="get_settings",
        summary="Read a user's settings",
        handler=get_settings,
    ),
    Endpoint(
        method="PUT",
        path=USER + "/settings",
        operation="put_settings",
        summary="Change a user's settings",
        handler=put_settings,
        role="write",
        body=SettingsBody,
    ),
    Endpoint(method="GET", path=USER + "/stats", operation="get_stats", summary="Figures of a user", handler=get_stats),
)
