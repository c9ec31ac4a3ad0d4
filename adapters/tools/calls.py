"""What each tool does: arguments -> one question to the user's actor -> the flat result that every door returns.

MCP and Dify both come through `run_tool`, so identity, roles and argument names are decided in one place.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from adapters.identity import (
    EVERYTHING,
    Forbidden,
    Principal,
    ceiling_of,
    readable_spaces,
    require_space_write,
    resolve_user,
    within_sight,
    writable_spaces,
)
from adapters.rendering import parse_time, render
from adapters.tools import table
from adapters.tools.arguments import Arguments, parse
from adapters.tools.budget import fit
from engine.errors import InvalidMemory, RearviewError, TooLarge, UnknownMemory
from engine.normalise import refuse_bad_characters
from engine.policy import Limits

Result = dict[str, object]

LIST_PAGE = 20
SHARED = "shared"
WHY_CHARS_MAX = 240
KEY_CHARS_MAX = Limits().idempotency_key_chars_max

# The engine speaks of its own fields; a caller only knows the arguments of the tool.
_ARGUMENT_OF_FIELD = {
    "tier": "memory_type",
    "ttl_seconds": "ttl",
    "tiers": "memory_type_filter",
    "categories": "category",
    "from_ms": "time_from",
    "to_ms": "time_to",
    "from": "time_from",
    "to": "time_to",
    "q": "query",
    "user": "user_id",
}


class Directory(Protocol):
    """The part of `actors.directory.Directory` that a tool needs."""

    async def ask(
        self,
        user_id: str,
        op: str,
        args: Mapping[str, object],
        *,
        idempotency_key: str = "",
        min_seq: int = 0,
        client: str = "",
    ) -> dict[str, object]: ...


class Asking:
    """One tool call of one caller: asks the actor with the caller's spaces, key and name filled in."""

    def __init__(self, directory: Directory, principal: Principal, arguments: Arguments, client: str) -> None:
        self.principal = principal
        self.arguments = arguments
        self.client = principal.agent or client
        self._directory = directory
        self._user_id = resolve_user(principal, self.text("user_id"))
        self._key = _checked_key(self.text("idempotency_key"))

    def text(self, name: str) -> str:
        return str(self.arguments.get(name, ""))

    def any_of(self, name: str) -> tuple[str, ...]:
        """A filter as the engine wants it: empty for "any"."""
        chosen = self.text(name)
        return () if chosen == table.ANY else (chosen,)

    async def ask(self, op: str, args: Mapping[str, object]) -> Mapping[str, object]:
        reply = await self._directory.ask(self._user_id, op, args, idempotency_key=self._key, client=self.client)
        return render(within_sight(self.principal, reply))


async def run_tool(
    directory: Directory, principal: Principal, name: str, sent: Mapping[str, object], *, client: str = ""
) -> Result:
    """Answer one call of a tool in the table.

    Raises: RearviewError with the name of the argument at fault in `field`; nothing was written then, except after
            Indeterminate.
    """
    tool = table.BY_NAME[name]
    arguments = parse(tool, sent)
    if not principal.may("write" if tool.writes else "read"):
        raise Forbidden.of("This token may read memories but not change them.")
    try:
        return await _RUN[name](Asking(directory, principal, arguments, client))
    except RearviewError as error:
        raise _in_words_of(tool, error) from error


async def _reach(call: Asking, memory_id: str) -> None:
    """Refuse a memory that lies outside the spaces or sensitivity of the token, as if it did not exist."""
    principal = call.principal
    if principal.unrestricted("write"):
        return
    seen = await call.ask(
        "get",
        {"memory_id": memory_id, "spaces": readable_spaces(principal), "max_sensitivity": principal.max_sensitivity},
    )
    require_space_write(principal, str(seen["space"]))


def _writing_space(principal: Principal) -> str:
    """Where an unnamed write goes: the shared space, or the one space that a narrow token may write into."""
    open_ones = [space for space, access in principal.spaces.items() if access == "write" and space != EVERYTHING]
    narrow = not principal.may_use_space(SHARED, "write") and len(open_ones) == 1
    space = open_ones[0] if narrow else SHARED
    require_space_write(principal, space)
    return space


async def _write(call: Asking) -> Result:
    confidence, ttl = call.arguments["confidence"], call.arguments["ttl"]
    reply = await call.ask(
        "write",
        {
            "content": call.text("content"),
            "tier": call.text("memory_type"),
            "category": call.text("category"),
            "source": call.text("source"),
            "confidence": confidence or None,
            "ttl_seconds": ttl or None,
            "task": call.text("task"),
            "conversation": call.text("conversation"),
            "space": _writing_space(call.principal),
            "client": call.client,
            **ceiling_of(call.principal),
        },
    )
    return _written(reply)


async def _search(call: Asking) -> Result:
    reply = await call.ask(
        "search",
        {
            "query": call.text("query"),
            "top_k": call.arguments["top_k"],
            "tiers": call.any_of("memory_type_filter"),
            "categories": call.any_of("category"),
            "from_ms": _moment(call, "time_from"),
            "to_ms": _moment(call, "time_to"),
            "spaces": readable_spaces(call.principal),
            "max_sensitivity": call.principal.max_sensitivity,
        },
    )
    hits = [_hit(memory) for memory in _rows(reply, "memories")]
    abstained = bool(reply.get("abstained"))
    status = "abstained" if abstained else "ok"
    return fit({"status": status, "memories": hits, "abstained": abstained, "hint": str(reply.get("hint") or "")})


async def _update(call: Asking) -> Result:
    await _reach(call, call.text("memory_id"))
    reply = await call.ask(
        "edit",
        {
            "memory_id": call.text("memory_id"),
            "content": call.text("new_content"),
            "reason": call.text("reason"),
            "client": call.client,
        },
    )
    return _written(reply)


async def _forget(call: Asking) -> Result:
    memory_id, about, reason = call.text("memory_id"), call.text("about"), call.text("reason")
    if bool(memory_id) == bool(about):
        raise InvalidMemory.of("Give exactly one of memory_id and about.", field="memory_id")
    if about:
        reply = await call.ask(
            "forget_about",
            {
                "about": about,
                "reason": reason,
                "client": call.client,
                "spaces": writable_spaces(call.principal),
                "max_sensitivity": call.principal.max_sensitivity,
            },
        )
        memories = [_named(memory) for memory in _rows(reply, "memories")]
    else:
        await _reach(call, memory_id)
        reply = await call.ask("bin", {"memory_id": memory_id, "reason": reason, "client": call.client})
        binned = reply.get("memory")
        memories = [_named(binned)] if isinstance(binned, Mapping) else []
    deleted, suppressed = reply.get("deleted", 0), bool(reply.get("suppressed"))
    return fit(
        {
            "status": "forgotten" if deleted or suppressed else "nothing_to_forget",
            "deleted": deleted,
            "memories": memories,
            "restorable_until": str(reply.get("restorable_until") or ""),
            "suppressed": suppressed,
        }
    )


async def _restore(call: Asking) -> Result:
    await _reach(call, call.text("memory_id"))
    reply = await call.ask("restore", {"memory_id": call.text("memory_id"), "reason": ""})
    memory = reply["memory"]
    if not isinstance(memory, Mapping):  # Moved out of sight since the look above.
        raise UnknownMemory.of("There is no such memory.", field="memory_id")
    return fit({"status": "restored", **_named(memory)})


async def _list(call: Asking) -> Result:
    reply = await call.ask(
        "list",
        {
            "status": call.text("status"),
            "tier": "".join(call.any_of("memory_type_filter")),
            "category": "".join(call.any_of("category")),
            "limit": LIST_PAGE,
            "cursor": call.text("cursor"),
            "spaces": readable_spaces(call.principal),
            "max_sensitivity": call.principal.max_sensitivity,
        },
    )
    rows = [_listed(memory) for memory in _rows(reply, "memories")]
    return fit({"status": "ok", "memories": rows, "next_cursor": str(reply.get("next_cursor") or "")})


_RUN = {
    table.WRITE.name: _write,
    table.SEARCH.name: _search,
    table.UPDATE.name: _update,
    table.FORGET.name: _forget,
    table.RESTORE.name: _restore,
    table.LIST.name: _list,
}


def _rows(reply: Mapping[str, object], key: str) -> Sequence[Mapping[str, object]]:
    rows = reply[key]
    assert isinstance(rows, list)
    return rows


def _checked_key(key: str) -> str:
    if len(key) > KEY_CHARS_MAX:
        raise TooLarge.of(f"At most {KEY_CHARS_MAX} characters.", field="idempotency_key")
    refuse_bad_characters(key, "idempotency_key")
    return key


def _moment(call: Asking, name: str) -> int | None:
    sent = call.text(name)
    return parse_time(sent, name)[0] if sent else None


def _written(reply: Mapping[str, object]) -> Result:
    memory = reply.get("memory")
    memory_id = memory["id"] if isinstance(memory, Mapping) else ""
    related = [{"id": row["id"], "relation": row["relation"]} for row in _rows(reply, "related")]
    return {
        "status": reply["outcome"],
        "outcome": reply["outcome"],
        "memory_id": memory_id,
        "reason": reply["reason"],
        "rule": reply["rule"],
        "related": related,
    }


def _named(memory: Mapping[str, object]) -> Result:
    return {"memory_id": memory.get("id") or memory.get("memory_id"), "content": memory["content"]}


def _hit(memory: Mapping[str, object]) -> Result:
    why = memory.get("why")
    sentence = str(why.get("sentence", "")) if isinstance(why, Mapping) else ""
    return {
        **_named(memory),
        "score": _short(memory["score"]),
        "confidence": _short(memory["confidence"]),
        "timestamp": memory["said_at"],
        "memory_type": memory["tier"],
        "category": memory["category"],
        "why": sentence[:WHY_CHARS_MAX],
    }


def _short(number: object) -> float:
    """More digits say nothing to a model and cost tokens."""
    assert isinstance(number, int | float)
    return round(float(number), 4)


def _listed(memory: Mapping[str, object]) -> Result:
    return {
        **_named(memory),
        "confidence": _short(memory["confidence"]),
        "timestamp": memory["said_at"],
        "memory_type": memory["tier"],
        "category": memory["category"],
        "status": memory["status"],
        "source": memory["source"],
    }


def _in_words_of(tool: table.Tool, error: RearviewError) -> RearviewError:
    """The same error, its field named as the tool's argument."""
    names = {argument.name for argument in tool.arguments}
    field = error.field
    if field and field not in names:
        field = "new_content" if field == "content" else _ARGUMENT_OF_FIELD.get(field, field)
    return type(error).of(error.sentence, code=error.code, field=field)
