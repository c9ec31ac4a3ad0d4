"""Routes of replay: what was written, skipped, recalled and used, step by step, and a past search asked again."""

from adapters.http.arguments import Args, given_fields, move_time
from adapters.http.bodies import ReplayQuery, ReplaySearchBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import require_unrestricted
from engine.errors import InvalidMemory
from engine.limits import check_query

REPLAY = "/v1/users/{user}/replay"


async def replay(call: Call) -> Answer:
    """The steps of the last days in order. They hold what other agents asked, so half of the spaces is not enough."""
    require_unrestricted(call.principal, "read")
    query: ReplayQuery = call.query
    args = given_fields(query, without=["min_seq"])
    move_time(args, "from_", "from_ms")
    move_time(args, "to", "to_ms")
    return Answer(await call.ask("replay", args))


async def replay_search(call: Call) -> Answer:
    """A past search as of its time, under another ranking, and how the answer differs."""
    require_unrestricted(call.principal, "read")
    body: ReplaySearchBody = call.body
    if (body.search_id is None) == (body.query is None):
        raise InvalidMemory.of("Give either search_id or query.", field="search_id")
    if body.query is not None:
        check_query(body.query, call.parts.limits)
    args: Args = given_fields(body, without=["weights"])
    move_time(args, "as_of", "as_of_ms")
    if body.weights is not None:
        args |= {f"{name}_weight": value for name, value in given_fields(body.weights).items()}
    return Answer(await call.ask("replay_search", args))


ENDPOINTS = (
    Endpoint(
        method="GET",
        path=REPLAY,
        operation="replay",
        summary="What was written, skipped and recalled, in order",
        handler=replay,
        query=ReplayQuery,
    ),
    Endpoint(
        method="POST",
        path=REPLAY + "/search",
        operation="replay_search",
        summary="Ask a past search again under another ranking",
        handler=replay_search,
        body=ReplaySearchBody,
    ),
)
