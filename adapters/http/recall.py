"""Routes of recall: search, context, and whether a message calls for either."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

from adapters.http.arguments import Args, check_query, given_fields, move_time
from adapters.http.bodies import ContextBody, RecallNeededBody, SearchBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import readable_spaces, resolve_user
from engine.recall_needed import recall_needed

TOP_K = 8
TOKEN_BUDGET = 1500


async def search(call: Call) -> Answer:
    """What fits a query, each with the reason why."""
    body: SearchBody = call.body
    args = recall_arguments(call, body)
    if not body.also_users:
        return Answer(await call.ask("search", args))
    users = [call.user, *(resolve_user(call.principal, user) for user in body.also_users)]
    replies = await asyncio.gather(*(
        call.parts.directory.ask(user, "search", args, min_seq=body.min_seq or 0 if user == call.user else 0,
                                 client=call.principal.agent)
        for user in dict.fromkeys(users)
    ))
    return Answer(merged(replies, body.top_k or TOP_K))


async def context(call: Call) -> Answer:
    """The same, packed into text for a prompt."""
    body: ContextBody = call.body
    args = recall_arguments(call, body)
    args["token_budget"] = body.token_budget or TOKEN_BUDGET
    return Answer(await call.ask("context", args))


async def tell_recall_needed(call: Call) -> Answer:
    """The trigger rule for workflows: does this message point back at something?"""
    body: RecallNeededBody = call.body
    needed, why = recall_needed(body.text, body.task or "", body.previous_task or "")
    return Answer({"recall": needed, "why": why})


def recall_arguments(call: Call, body: SearchBody) -> Args:
    """The arguments of a recall, bounded by what the token may read."""
    check_query(body.query, call.parts.limits)
    args = given_fields(body, without=("spaces", "also_users", "min_seq", "token_budget"))
    for name, target in (("from_", "from_ms"), ("to", "to_ms"), ("as_of", "as_of_ms")):
        if name in args:
            move_time(args, name, target)
    spaces = readable_spaces(call.principal, body.spaces or ())
    if spaces:
        args["spaces"] = spaces
    if call.principal.max_sensitivity != "sensitive":
        args["max_sensitivity"] = call.principal.max_sensitivity
    return args


def merged(replies: Sequence[Mapping[str, object]], top_k: int) -> dict[str, object]:
    """One reply out of several users' replies: the best of all by score; `seq` is the first user's."""
    hits = [hit for reply in replies for hit in cast(list[dict[str, object]], reply["memories"])]
    hits.sort(key=lambda hit: -cast(float, hit["score"]))
    withheld: dict[str, int] = {}
    for reply in replies:
        for reason, number in cast(Mapping[str, int], reply["withheld"]).items():
            withheld[reason] = withheld.get(reason, 0) + number
    degraded = sorted({word for reply in replies for word in cast(list[str], reply.get("degraded", []))})
    return {
        **replies[0], "memories": hits[:top_k], "abstained": all(reply["abstained"] for reply in replies),
        "hint": "" if hits else replies[0]["hint"], "withheld": withheld,
        "took_ms": max(cast(float, reply["took_ms"]) for reply in replies),
        **({"degraded": degraded} if degraded else {}),
    }


ENDPOINTS = (
    Endpoint(method="POST", path="/v1/users/{user}/search", operation="search_memories", summary="Recall by a query",
             handler=search, body=SearchBody),
    Endpoint(method="POST", path="/v1/users/{user}/context", operation="build_context",
             summary="Recall as text for a prompt", handler=context, body=ContextBody),
    Endpoint(method="POST", path="/v1/recall-needed", operation="recall_needed",
             summary="Whether a message calls for recall", handler=tell_recall_needed, about="service",
             body=RecallNeededBody),
)
