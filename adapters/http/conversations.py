"""Routes of talks: turns handed over, the working memory they make, and the end of a task."""

from adapters.http.arguments import Args, given_fields, move_time
from adapters.http.bodies import TurnBody, TurnsBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import ceiling_of, readable_spaces, require_sensitivity, require_space_write, writable_spaces

CONVERSATION = "/v1/users/{user}/conversations/{conversation}"


async def hand_over_turns(call: Call) -> Answer:
    """Take turns in, and decide what they state."""
    body: TurnsBody = call.body
    require_space_write(call.principal, body.space or "shared")
    require_sensitivity(call.principal, body.sensitivity or "normal")
    args = given_fields(body, without=["turns"])
    args["turns"] = [turn_arguments(turn) for turn in body.turns]
    if call.principal.agent:
        args["client"] = call.principal.agent
    args |= ceiling_of(call.principal)
    return Answer(await call.ask("turns", args, once=True))


def turn_arguments(turn: TurnBody) -> Args:
    """One turn as the actor takes it."""
    args = given_fields(turn)
    if "at" in args:
        args["offset_minutes"] = move_time(args, "at", "said_at_ms")
    return args


async def get_conversation(call: Call) -> Answer:
    """The working memory of a talk, oldest first."""
    return Answer(
        await call.ask(
            "conversation",
            {
                "conversation": call.path["conversation"],
                "spaces": readable_spaces(call.principal),
                "max_sensitivity": call.principal.max_sensitivity,
            },
        )
    )


async def end_conversation(call: Call) -> Answer:
    """The task is over."""
    args: Args = {
        "conversation": call.path["conversation"],
        "spaces": writable_spaces(call.principal),
        **ceiling_of(call.principal),
    }
    return Answer(await call.ask("end_conversation", args, once=True))


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/v1/users/{user}/turns",
        operation="hand_over_turns",
        summary="Hand over turns of a talk",
        handler=hand_over_turns,
        role="write",
        body=TurnsBody,
    ),
    Endpoint(
        method="GET",
        path=CONVERSATION,
        operation="get_conversation",
        summary="Read the working memory of a talk",
        handler=get_conversation,
    ),
    Endpoint(
        method="DELETE",
        path=CONVERSATION,
        operation="end_conversation",
        summary="End a talk",
        handler=end_conversation,
        role="write",
    ),
)
