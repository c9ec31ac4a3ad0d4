"""POST /retrieval: a user's memories as a knowledge base of Dify (its "External Knowledge API").

The caller sends no user, so the key decides: `knowledge_id` is a user that the key may read, or, with a key for one
user, the name of one of that user's spaces. When its form is saved, Dify posts here with no body at all and takes only
403 and 404 for a failure: a bad key is answered with 403 (in `doors`), a good one without a body must not be a 404.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from adapters.http.calls import ClientGone
from adapters.http.conditions import Conditions, Metadata, named_exactly, read_conditions
from adapters.http.dify import CLIENT, read_object, send_json
from adapters.http.doors import send_problem
from adapters.http.errors import HttpProblem, problem_of
from adapters.http.parts import Asks, HttpParts
from adapters.identity import PRINCIPAL, REFUSED_FOREIGN, Principal, readable_spaces
from adapters.rendering import render
from engine.errors import InvalidMemory, RearviewError, Unavailable, UnknownMemory
from engine.memory import Category, Tier
from engine.policy import Limits

PATH = "/retrieval"
TOP_K_DEFAULT = 8
TOP_K_MAX = Limits().top_k_max
# Dify gives up after 5 s and tries again up to three times.
SECONDS_MAX = 4.0
SHARED = "shared"


def retrieval_routes(parts: HttpParts) -> list[BaseRoute]:
    """The one route."""
    return [Route(PATH, Retrieval(parts), methods=["POST"])]


class Retrieval:
    """POST of one question."""

    def __init__(self, parts: HttpParts) -> None:
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["rearview.route"] = PATH
        try:
            body = await read_object(receive)
            async with asyncio.timeout(SECONDS_MAX):
                records = await retrieve(self._parts.directory, PRINCIPAL.get(), body)
        except TimeoutError:
            late = problem_of(Unavailable.of("The search took too long; try again."))
            return await send_problem(send, late, scope["rearview.request_id"])
        except RearviewError as error:
            return await send_problem(send, problem_of(error), scope["rearview.request_id"])
        except HttpProblem as problem:
            return await send_problem(send, problem, scope["rearview.request_id"])
        except ClientGone:
            return
        await send_json(send, {"records": records})


async def retrieve(directory: Asks, principal: Principal, body: Mapping[str, Any]) -> list[dict[str, object]]:
    """The records for one question of Dify, best first.

    Raises: InvalidMemory for a request that breaks the contract, UnknownMemory for an unknown knowledge base.
    """
    query, knowledge = _needed(body, "query"), _needed(body, "knowledge_id")
    setting = body.get("retrieval_setting") or {}
    if not isinstance(setting, Mapping):
        raise InvalidMemory.of("It must be an object.", field="retrieval_setting")
    top_k = int(_number(setting, "top_k", TOP_K_DEFAULT, 1, TOP_K_MAX))
    threshold = _number(setting, "score_threshold", 0.0, 0.0, 1.0)
    conditions = read_conditions(body.get("metadata_condition"))
    user, spaces = await _knowledge(directory, principal, knowledge)
    reply = render(
        await directory.ask(
            user,
            "search",
            {
                # Conditions are checked afterwards, so more is asked for than will be returned.
                "query": query,
                "top_k": TOP_K_MAX if conditions.conditions else top_k,
                "spaces": spaces,
                "tiers": _known(conditions, "memory_type", Tier),
                "categories": _known(conditions, "category", Category),
                "max_sensitivity": principal.max_sensitivity,
            },
            client=CLIENT,
        )
    )
    hits = reply["memories"]
    assert isinstance(hits, list)
    records = [_record(hit) for hit in hits if hit["relevance"] >= threshold]
    return [record for record in records if conditions.hold(_metadata_of(record))][:top_k]


async def _knowledge(directory: Asks, principal: Principal, knowledge: str) -> tuple[str, tuple[str, ...]]:
    """The user and the spaces to search in. Raises: UnknownMemory, the same for a foreign and for no such user."""
    if principal.allows(knowledge):
        return knowledge, readable_spaces(principal)
    user = principal.only_user
    if user is not None and principal.may_use_space(knowledge, "read"):
        if knowledge == SHARED or knowledge in principal.spaces:
            return user, (knowledge,)
        seen = await directory.ask(user, "list", {"space": knowledge, "status": "any", "limit": 1}, client=CLIENT)
        if seen["memories"]:
            return user, (knowledge,)
    REFUSED_FOREIGN.get()(principal, knowledge)
    raise UnknownMemory.of(
        "There is no such knowledge base for this key.", code="unknown_knowledge", field="knowledge_id"
    )


def _needed(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if value is None:
        raise InvalidMemory.of("This field is needed.", code="missing_field", field=name)
    if not isinstance(value, str):
        raise InvalidMemory.of("It must be text.", field=name)
    if not value.strip():
        raise InvalidMemory.of("It must not be empty.", code="empty", field=name)
    return value


def _number(setting: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    """A number, perhaps as text, held within its bounds: Dify's own forms allow more than we return."""
    value = setting.get(name)
    if value is None or value == "":
        return default
    try:
        if isinstance(value, bool):
            raise TypeError
        number = float(value)
        return min(max(number, low), high) if number == number else default
    except (TypeError, ValueError, OverflowError):
        raise InvalidMemory.of("It must be a number.", field=name) from None


def _known(conditions: Conditions, name: str, kinds: type[Tier] | type[Category]) -> tuple[str, ...]:
    """A filter for the search itself, where the conditions name only words the engine knows."""
    wanted = tuple(named_exactly(conditions, name))
    return wanted if wanted and all(word in set(kinds) for word in wanted) else ()


def _record(hit: Mapping[str, Any]) -> dict[str, object]:
    own = hit.get("metadata") or {}
    metadata = {
        **{key: value for key, value in own.items() if value is not None},
        "memory_id": hit["id"],
        "memory_type": hit["tier"],
        "category": hit["category"],
        "source": hit["source"],
        "confidence": hit["confidence"],
        "timestamp": hit["said_at"],
        "space": hit["space"],
        "task": hit["task"],
        "conversation": hit["conversation"],
        "tags": ", ".join(hit["tags"]),
    }
    day = str(hit["said_at"])[:10]
    return {
        "content": hit["content"],
        "score": hit["relevance"],
        "title": f"{hit['category']} {day}",
        "metadata": metadata,
    }


def _metadata_of(record: Mapping[str, object]) -> Metadata:
    metadata = record["metadata"]
    assert isinstance(metadata, Mapping)
    return metadata
