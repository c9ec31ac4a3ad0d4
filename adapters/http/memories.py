"""Routes of single memories: write, list, read, change, bin, restore, settle, count as used."""

from collections.abc import Mapping

from adapters.http.arguments import Args, check_reason, given_fields, move_time, waiting
from adapters.http.bodies import DeleteQuery, EditBody, ListQuery, ReasonBody, UsedBody, WriteBody
from adapters.http.calls import Answer, Call, Endpoint
from adapters.identity import ceiling_of, readable_spaces, require_sensitivity, require_space_write
from engine.errors import InvalidMemory

KEPT = frozenset({"stored", "superseded", "pending", "quarantined"})  # outcomes of a write that leave a new memory
MEMORIES = "/v1/users/{user}/memories"
MEMORY = MEMORIES + "/{memory_id}"


async def write_memory(call: Call) -> Answer:
    """Decide about one statement and keep it when it is worth it."""
    body: WriteBody = call.body
    args = given_fields(body)
    offset_minutes = move_time(args, "said_at", "said_at_ms")
    if offset_minutes is not None:
        args["offset_minutes"] = offset_minutes
    move_time(args, "occurred_at", "occurred_at_ms")
    require_space_write(call.principal, body.space or "shared")
    require_sensitivity(call.principal, body.sensitivity or "normal")
    if call.principal.agent:
        args["client"] = call.principal.agent
    args |= ceiling_of(call.principal)
    reply = await call.ask("write", args, once=True)
    stored = reply["outcome"] in KEPT and not body.dry_run
    return Answer(reply, status=201 if stored else 200)


async def list_memories(call: Call) -> Answer:
    """A page of memories, newest first."""
    query: ListQuery = call.query
    args = given_fields(query, without=["min_seq"])
    move_time(args, "as_of", "as_of_ms")
    spaces = readable_spaces(call.principal, (query.space,) if query.space else ())
    if spaces:
        args["spaces"] = spaces
    args["max_sensitivity"] = call.principal.max_sensitivity
    return Answer(await call.ask("list", args))


async def get_memory(call: Call) -> Answer:
    """One memory with its revisions and its line of versions."""
    reply = await _visible(call)
    return Answer(reply, headers=(_etag(reply),))


async def edit_memory(call: Call) -> Answer:
    """Change a memory on purpose; the old text becomes a revision."""
    body: EditBody = call.body
    await require_writable(call)
    args: Args = {"memory_id": call.path["memory_id"], **given_fields(body)}
    check_reason(body.reason, call.parts.limits)
    if body.space is not None:
        require_space_write(call.principal, body.space)
    require_sensitivity(call.principal, body.sensitivity or "normal")
    expected = _if_match(call.header(b"if-match"))
    if expected is not None:
        args["if_version"] = expected
    if call.principal.agent:
        args["client"] = call.principal.agent
    reply = await call.ask("edit", args, once=True)
    memory = reply.get("memory")
    return Answer(reply, headers=(_etag(memory),) if isinstance(memory, dict) else ())


async def delete_memory(call: Call) -> Answer:
    """Into the bin, restorable for a week; with `purge` gone for good."""
    query: DeleteQuery = call.query
    await require_writable(call)
    memory_id = call.path["memory_id"]
    if query.purge:
        return Answer(await call.ask("purge", {"memory_id": memory_id, **waiting(query.wait)}, once=True))
    args = {
        "memory_id": memory_id,
        "reason": check_reason(query.reason, call.parts.limits),
        "client": call.principal.agent,
    }
    return Answer(await call.ask("bin", args, once=True))


async def restore_memory(call: Call) -> Answer:
    """Out of the bin, or back from history."""
    return await _settle(call, "restore")


async def confirm_memory(call: Call) -> Answer:
    """Accept a pending or quarantined memory."""
    return await _settle(call, "confirm")


async def reject_memory(call: Call) -> Answer:
    """Refuse a pending or quarantined memory."""
    return await _settle(call, "reject")


async def count_used(call: Call) -> Answer:
    """Note that these memories entered the final prompt."""
    body: UsedBody = call.body
    args: Args = {
        "memory_ids": list(body.memory_ids),
        "turn": body.turn or "",
        "spaces": readable_spaces(call.principal),
        "max_sensitivity": call.principal.max_sensitivity,
    }
    return Answer(await call.ask("used", args, once=True))


async def require_writable(call: Call) -> None:
    """Hold the memory of the path against a token for some spaces only; others may write whatever they find.

    Raises: UnknownMemory for a memory the token cannot see, Forbidden for one it only reads.
    """
    if not call.principal.unrestricted("write"):
        memory = await _visible(call)
        require_space_write(call.principal, str(memory["space"]))


async def _visible(call: Call) -> dict[str, object]:
    return await call.ask(
        "get",
        {
            "memory_id": call.path["memory_id"],
            "spaces": readable_spaces(call.principal),
            "max_sensitivity": call.principal.max_sensitivity,
        },
    )


async def _settle(call: Call, op: str) -> Answer:
    body: ReasonBody = call.body
    await require_writable(call)
    args = {"memory_id": call.path["memory_id"], "reason": check_reason(body.reason or "", call.parts.limits)}
    return Answer(await call.ask(op, args, once=True))


def _etag(memory: Mapping[str, object]) -> tuple[bytes, bytes]:
    return b"etag", f'"{memory["version"]}"'.encode()


def _if_match(header: str) -> int | None:
    value = header.strip()
    if not value or value == "*":
        return None
    digits = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise InvalidMemory.of("It takes one ETag as it was given.", field="If-Match")
    return int(digits)


ENDPOINTS = (
    Endpoint(
        method="POST",
        path=MEMORIES,
        operation="write_memory",
        summary="Decide and write one memory",
        handler=write_memory,
        role="write",
        body=WriteBody,
    ),
    Endpoint(
        method="GET",
        path=MEMORIES,
        operation="list_memories",
        summary="List memories, newest first",
        handler=list_memories,
        query=ListQuery,
    ),
    Endpoint(
        method="GET",
        path=MEMORY,
        operation="get_memory",
        summary="Read one memory with its revisions",
        handler=get_memory,
    ),
    Endpoint(
        method="PATCH",
        path=MEMORY,
        operation="edit_memory",
        summary="Change a memory on purpose",
        handler=edit_memory,
        role="write",
        body=EditBody,
    ),
    Endpoint(
        method="DELETE",
        path=MEMORY,
        operation="delete_memory",
        summary="Bin a memory, or purge it",
        handler=delete_memory,
        role="write",
        query=DeleteQuery,
    ),
    Endpoint(
        method="POST",
        path=MEMORY + "/restore",
        operation="restore_memory",
        summary="Take a memory back",
        handler=restore_memory,
        role="write",
        body=ReasonBody,
        body_optional=True,
    ),
    Endpoint(
        method="POST",
        path=MEMORY + "/confirm",
        operation="confirm_memory",
        summary="Accept a pending memory",
        handler=confirm_memory,
        role="write",
        body=ReasonBody,
        body_optional=True,
    ),
    Endpoint(
        method="POST",
        path=MEMORY + "/reject",
        operation="reject_memory",
        summary="Refuse a pending memory",
        handler=reject_memory,
        role="write",
        body=ReasonBody,
        body_optional=True,
    ),
    Endpoint(
        method="POST",
        path="/v1/users/{user}/used",
        operation="count_used",
        summary="These memories entered the final prompt",
        handler=count_used,
        role="write",
        body=UsedBody,
    ),
)
