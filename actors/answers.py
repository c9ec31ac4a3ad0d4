"""Reads: what an actor answers from its state. No lock, nothing changes but the access to the model's queries."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from datetime import tzinfo
from typing import cast

from actors.audit_answers import audit, audit_verify
from actors.parts import HostParts
from actors.ports import DocumentEmbedder, QueryVector
from actors.replay import asked_again, difference_reply, label_reply, replay_reply
from actors.replies import Reply, memory_view, memory_with_history, suppression_view
from actors.requests import Request, command_of
from actors.reranking import second_look, widened
from actors.tracing import note_recall
from actors.turns import talk_reply
from actors.user_memory import UserMemory
from actors.zones import zone_of
from engine.change import known
from engine.commands import ListMemories, Recall
from engine.context import pack_context
from engine.errors import InvalidMemory, RearviewError, UnknownMemory
from engine.forget import capacity_of
from engine.history import decide_recall_as_of, line_of_versions
from engine.limits import check_query
from engine.listing import export_page, page
from engine.listing import upcoming as list_upcoming
from engine.memory import Float32Array, Memory, Sensitivity, Status, Tier
from engine.policy import Policy
from engine.quarter import next_compaction_ms
from engine.recall import RecallResult, undecided
from engine.state import SHELVES
from engine.suppress import visible_suppressions

Answerer = Callable[[UserMemory, Request, "Queries"], Awaitable[Reply]]
VECTOR_NUMBER_BYTES = 4
TOKEN_BUDGET_MAX = 200_000


class Queries:
    """Query vectors: by the table, or by the model where the settings or the text call for it."""

    def __init__(
        self, embedder: Callable[[HostParts], Awaitable[DocumentEmbedder]], executor: Callable[[HostParts], Executor]
    ) -> None:
        self._embedder = embedder
        self._executor = executor

    async def vector(self, actor: UserMemory, text: str) -> tuple[QueryVector, bool]:
        """The vector, and whether the model was wanted but could not be had in time (then it is the table's)."""
        parts = actor.parts
        text = text[: parts.policy.limits.query_chars_max]
        static = parts.static.encode(text)
        if parts.query_encoder != "quality" and static.coverage >= parts.coverage_min:
            return static, False
        made = await self.by_model(actor, text)
        return (static, True) if made is None else (made, False)

    async def by_model(self, actor: UserMemory, text: str) -> QueryVector | None:
        """The model's own vector of a query, from the user's cache or made within the budget; None when it is not."""
        parts = actor.parts
        fitted = bool(parts.space.mean.any())
        cached = actor.query_cache.get(text, fitted=fitted)
        if cached is not None:
            return cached
        try:
            vector = await asyncio.wait_for(self._embedded(parts, text), parts.query_budget_ms / 1000)
        except (TimeoutError, RearviewError, OSError, RuntimeError, ValueError):
            return None
        made = QueryVector(vector, "model", 1.0)
        if actor.parts is parts:  # Else the user was moved into another space meanwhile.
            actor.query_cache.put(text, made, fitted=fitted)
        return made

    async def _embedded(self, parts: HostParts, text: str) -> Float32Array:
        embedder = await self._embedder(parts)
        return await asyncio.get_running_loop().run_in_executor(self._executor(parts), embedder.query, text)


async def get(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    memory = readable(actor, request.args)

    def shown(one: Memory) -> bool:
        return may_read(actor, one, request.args)

    seen = replace(memory, revisions=tuple(one for one in memory.revisions if shown(memory.reading(one))))
    return {**memory_with_history(seen, actor.user_id), "versions": line_of_versions(actor.state, memory, shown)}


async def list_memories(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    wanted = command_of(ListMemories, request.args)
    limits = actor.parts.policy.limits
    if wanted.limit > limits.list_limit_max:
        raise InvalidMemory.of(f"limit is at most {limits.list_limit_max}", field="limit")
    memories, cursor, total = page(actor.state, wanted, now_ms=actor.parts.now_ms())
    return {"memories": [memory_view(m, actor.user_id) for m in memories], "next_cursor": cursor, "total": total}


async def search(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    started_ms = actor.parts.monotonic_ms()
    recall = command_of(Recall, request.args)
    result, _, degraded = await recalled(actor, recall, queries)
    search_id = actor.parts.new_id()
    note_recall(actor, request.args, recall, result, search_id, packed=False)
    reply = {
        **result.reply(actor.user_id),
        "search_id": search_id,
        "took_ms": round(actor.parts.monotonic_ms() - started_ms, 3),
    }
    return {**reply, "degraded": list(degraded)} if degraded else reply


async def context(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    args = dict(request.args)
    budget = args.pop("token_budget", 1500)
    if not isinstance(budget, int) or not 1 <= budget <= TOKEN_BUDGET_MAX:
        raise InvalidMemory.of(f"token_budget is between 1 and {TOKEN_BUDGET_MAX}", field="token_budget")
    recall = command_of(Recall, args)
    result, zone, degraded = await recalled(actor, recall, queries)
    packed = pack_context(result, token_budget=budget, zone=zone, now_ms=actor.parts.now_ms())
    note_recall(actor, args, recall, result, actor.parts.new_id(), packed=True)
    reply: Reply = {
        "text": packed.text,
        "tokens": packed.tokens,
        "memories": list(packed.memory_ids),
        "abstained": packed.abstained,
    }
    return {**reply, "degraded": list(degraded)} if degraded else reply


async def replay(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    return replay_reply(actor, request.args)


async def label(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    """Whether a hit was right. Nothing is decided by it, so it is noted in the trace and not in the journal."""
    return label_reply(actor, request.args)


async def replay_search(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    """A past search again, as of its time, under another ranking. Nothing is noted of it."""
    again = asked_again(actor, request.args)
    before = None
    if again.first is None:
        before, _, _ = await recalled(actor, again.recall, queries)
    changed = replace(actor.parts.policy, recall=again.policy)
    after, _, degraded = await recalled(actor, again.recall, queries, changed)
    reply = difference_reply(actor, again, before, after)
    return {**reply, "degraded": list(degraded)} if degraded else reply


async def recalled(
    actor: UserMemory, recall: Recall, queries: Queries, policy: Policy | None = None
) -> tuple[RecallResult, tzinfo, tuple[str, ...]]:
    """What is found, the zone it is told in, and which models were wanted but could not help."""
    policy = policy or actor.parts.policy
    limits = policy.limits
    check_query(recall.query, limits)
    if not 1 <= recall.top_k <= limits.top_k_max:
        raise InvalidMemory.of(f"top_k is between 1 and {limits.top_k_max}", field="top_k")
    zone = zone_of(recall.time_zone, actor.state.settings.time_zone, None, policy.time_zone)
    parts = actor.parts
    query, without_model = await queries.vector(actor, recall.query)
    degraded = ("embedding",) if without_model else ()
    wider = widened(parts, recall)

    def decided(query: QueryVector) -> RecallResult:
        return decide_recall_as_of(
            actor.state, wider, query=query, space=parts.space, now_ms=parts.now_ms(), zone=zone, policy=policy
        )

    if actor.parts is not parts:  # Moved into another space while the vector was made: this one says nothing there.
        return await recalled(actor, recall, queries, policy)
    result = decided(query)
    if parts.query_encoder == "auto" and query.encoder == "static" and undecided(result, wider.top_k):
        surer = await queries.by_model(actor, recall.query[: limits.query_chars_max])
        if actor.parts is parts and surer is not None:
            result = decided(surer)
    if wider is recall:
        return result, zone, (*degraded, "rerank") if recall.rerank == "llm" and result.hits else degraded
    result, ranked = await second_look(actor.parts, recall, result)
    return result, zone, degraded if ranked else (*degraded, "rerank")


async def export(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    most = actor.parts.limits.export_records_max
    limit = min(int(cast(int, request.args.get("limit", most))), most)
    given = str(request.args.get("cursor", ""))
    if not given:
        actor.later(actor.note())  # Once, however many pages are fetched.
    memories, cursor = export_page(actor.state, given, max(1, limit), now_ms=actor.parts.now_ms())
    # Suppressions come first, so that what they forbid is refused by whoever reads the lines in order.
    topics = (
        []
        if given
        else [
            {"kind": "suppression", **suppression_view(one), "spaces": list(one.spaces)}
            for one in actor.state.suppressions.values()
        ]
    )
    return {"lines": [*topics, *(memory_with_history(m, actor.user_id) for m in memories)], "next_cursor": cursor}


async def stats(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    state, now_ms = actor.state, actor.parts.now_ms()
    tiers = {tier.value: 0 for tier in Tier}
    statuses = {status.value: 0 for status in Status}
    live = [memory for memory in state.memories.values() if not memory.over(now_ms)]
    text_bytes = 0
    for memory in live:
        statuses[memory.status.value] += 1
        tiers[memory.tier.value] += memory.status is Status.ACTIVE
        text_bytes += len(memory.content.encode())
    indexes = {shelf: state.vectors[shelf] for shelf in SHELVES}
    return {
        "tiers": tiers,
        "statuses": statuses,
        "memories": len(live),
        # What the memories are, not what their indexes take up just now: that depends on when this user was last read
        # from storage, which is to say on who else lives on the host.
        "bytes": text_bytes + VECTOR_NUMBER_BYTES * sum(index.dimensions * len(index) for index in indexes.values()),
        "index": {shelf: index.kind for shelf, index in indexes.items()},
        "last_snapshot_at": actor.snapshot_at_ms,
        "vectors_pending": len(state.unembedded),
        "space": actor.parts.space.space_id,
        "durability": actor.parts.durability,
        "judge": {
            "scoring": actor.parts.scoring,
            "judged": actor.judged,
            "failed": actor.judge_failures,
            "waiting": actor.judge_waiting,
        },
    }


async def upcoming(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    """What will be forgotten by itself: what expires next, and how full the tiers are."""
    args, state, policy = request.args, actor.state, actor.parts.policy
    limit = args.get("limit", 50)
    if not isinstance(limit, int) or not 1 <= limit <= policy.limits.list_limit_max:
        raise InvalidMemory.of(f"limit is between 1 and {policy.limits.list_limit_max}", field="limit")
    memories, total = list_upcoming(
        state,
        limit=limit,
        spaces=tuple(cast("list[str]", args.get("spaces") or ())),
        max_sensitivity=str(args.get("max_sensitivity") or "sensitive"),
        now_ms=actor.parts.now_ms(),
    )
    capacities = {tier.value: state.settings.capacity_of(tier.value, capacity_of(tier, policy)) for tier in Tier}
    return {
        "memories": [memory_view(memory, actor.user_id) for memory in memories],
        "total": total,
        "capacities": capacities,
        "compaction_at": next_compaction_ms(state, actor.parts.now_ms()),
    }


async def suppressions(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    spaces = tuple(cast("list[str]", request.args.get("spaces") or ()))
    return {"suppressions": [suppression_view(one) for one in visible_suppressions(actor.state, spaces)]}


async def conversation(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    return talk_reply(actor, request)


async def settings_get(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    return settings_reply(actor)


def settings_reply(actor: UserMemory) -> Reply:
    settings = actor.state.settings
    return {
        "time_zone": settings.time_zone,
        "language": settings.language,
        "half_life_days": settings.half_life_days,
        "capacities": settings.capacities,
        "dedicated": settings.dedicated,
    }


def readable(actor: UserMemory, args: Mapping[str, object]) -> Memory:
    """The memory of `memory_id`, if this caller may see it.

    Raises: UnknownMemory, in the same words for unknown, expired, hidden and foreign ones.
    """
    memory = known(actor.state, str(args.get("memory_id", "")))
    if not may_read(actor, memory, args):
        raise UnknownMemory.of("There is no such memory.", field="memory_id")
    return memory


def may_read(actor: UserMemory, memory: Memory, args: Mapping[str, object]) -> bool:
    """Whether a memory is there for this caller."""
    spaces = cast("list[str]", args.get("spaces") or [])
    ceiling = str(args.get("max_sensitivity", Sensitivity.SENSITIVE))
    return not memory.over(actor.parts.now_ms()) and memory.open_to(spaces, ceiling)


ANSWERS: dict[str, Answerer] = {
    "get": get,
    "list": list_memories,
    "search": search,
    "context": context,
    "export": export,
    "stats": stats,
    "settings_get": settings_get,
    "suppressions": suppressions,
    "upcoming": upcoming,
    "conversation": conversation,
    "replay": replay,
    "label": label,
    "replay_search": replay_search,
    "audit": audit,
    "audit_verify": audit_verify,
}


async def answer(actor: UserMemory, request: Request, queries: Queries) -> Reply:
    """Answer a read from a state at least as new as the caller asks for. Adds `seq`, and `stale` where it applies."""
    await actor.at_least(request.min_seq)
    actor.check_owner_soon()
    reply = await ANSWERS[request.op](actor, request, queries)
    reply = {**reply, "seq": actor.seq}
    return {**reply, "stale": True} if actor.stale else reply
