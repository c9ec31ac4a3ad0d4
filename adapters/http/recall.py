"""Routes of recall: search, context, and whether a message calls for either."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

from adapters.http.arguments import Args, given_fields, move_time
from adapters.http.bodies import ContextBody, RecallNeededBody, SearchBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import readable_spaces, resolve_user
from engine.limits import check_query
from engine.recall_needed import recall_needed

TOP_K = 8
TOKEN_BUDGET = 1500


async def search(call: Call) -> Answer:
    """What fits a query, each with the reason why."""
    body: SearchBody = call.body
    args = recall_arguments(call, body)
    if not body.also_users:
        return Answer(await call.ask("search", args))
    replies = await asyncio.gather(*(_ask_user(call, user, "search", args) for user in _users(call, body)))
    return Answer(merged(replies, body.top_k or TOP_K))


async def context(call: Call) -> Answer:
    """The same, packed into text for a prompt. Other users' memory gets what the first one leaves of the budget."""
    body: ContextBody = call.body
    args = recall_arguments(call, body)
    left = body.token_budget or TOKEN_BUDGET
    users = _users(call, body)
    reply = await _ask_user(call, call.user, "context", {**args, "token_budget": left})
    for user in users[1:]:
        left = (body.token_budget or TOKEN_BUDGET) - cast(int, reply["tokens"])
        if left <= 0:
            break
        reply = _packed(reply, await _ask_user(call, user, "context", {**args, "token_budget": left}))
    return Answer(reply)


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


def _users(call: Call, body: SearchBody) -> list[str]:
    """The user asked about and those named beside them, each once. Raises: UnknownMemory outside the token."""
    return list(dict.fromkeys([call.user, *(resolve_user(call.principal, user) for user in body.also_users or ())]))


async def _ask_user(call: Call, user: str, op: str, args: Args) -> dict[str, object]:
    if user == call.user:
        return await call.ask(op, args)
    return await call.parts.directory.ask(user, op, args, client=call.principal.agent)


def _packed(first: Mapping[str, object], second: Mapping[str, object]) -> dict[str, object]:
    """Two packed texts as one; `seq` is the first user's."""
    texts = [text for text in (cast(str, first["text"]), cast(str, second["text"])) if text]
    degraded = {word for reply in (first, second) for word in cast(list[str], reply.get("degraded", []))}
    return {
        **first,
        "text": "\n\n".join(texts),
        "tokens": cast(int, first["tokens"]) + cast(int, second["tokens"]),
        "memories": [*cast(list[str], first["memories"]), *cast(list[str], second["memories"])],
        "abstained": bool(first["abstained"] and second["abstained"]),
        **({"degraded": sorted(degraded)} if degraded else {}),
    }


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
        **replies[0],
        "memories": hits[:top_k],
        "abstained": all(reply["abstained"] for reply in replies),
        "hint": "" if hits else replies[0]["hint"],
        "withheld": withheld,
        "took_ms": max(cast(float, reply["took_ms"]) for reply in replies),
        **({"degraded": degraded} if degraded else {}),
    }


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/v1/users/{user}/search",
        operation="search_memories",
        summary="Recall by a query",
        handler=search,
        body=SearchBody,
    ),
    Endpoint(
        method="POST",
        path="/v1/users/{user}/context",
        operation="build_context",
        summary="Recall as text for a prompt",
        handler=context,
        body=ContextBody,
    ),
    Endpoint(
        method="POST",
        path="/v1/recall-needed",
        operation="recall_needed",
        summary="Whether a message calls for recall",
        handler=tell_recall_needed,
        about="service",
        body=RecallNeededBody,
    ),
)
