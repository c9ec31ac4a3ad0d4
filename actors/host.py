"""A host: many users' actors in one process, behind one method that takes a batch of requests.

Users run beside each other; the requests of one user in one batch run in order. A batch answers when all its
requests are done or when patience ends: what takes longer (a hydration, an import, a purge) is parked and collected by
a call of its own, so that one slow user never holds up the replies of the others in its batch.

Users take turns: one user has at most `lines_per_user` requests in a round of the loop, and a request for a live user
is through after four rounds, so that it waits for a few requests of each other user, however many somebody sends.

Nothing here knows Ray: `actors.ray_runtime` wraps this class, tests use it as it is.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from actors.answers import ANSWERS, Queries, answer
from actors.audit import ACTING, Acting
from actors.audit_answers import REFUSED, Refusals
from actors.changes import CHANGES, change, write
from actors.erasure import erase, erase_damaged, purge
from actors.forgetting import FORGETTING
from actors.graph_builder import GraphBuilder
from actors.importing import import_many
from actors.judge_queue import JudgeQueue
from actors.judging import Judging
from actors.lines import Lines
from actors.live_users import LiveUsers
from actors.parts import HostLimits, HostParts
from actors.ports import DocumentEmbedder
from actors.reembed import reembed
from actors.replies import Reply
from actors.requests import COLLECT, ERROR, OK, PARKED, Answer, Request, error_value, pack_answers, unpack_requests
from actors.rewriting import Rewriter
from actors.spaces import Spaces, spec_of
from actors.sweep import Sweeper
from actors.turns import end_talk, hand_over
from actors.upkeep import maintain
from actors.user_memory import UserMemory
from actors.vector_queue import VectorQueue
from engine.errors import Corrupt, InvalidMemory, RearviewError, Unavailable

__all__ = ["HostLimits", "HostParts", "MemoryHost"]

_log = logging.getLogger("rearview.host")
PARKED_MAX = 10_000
ALL_CHANGES = {**CHANGES, **FORGETTING}
MANY_DECISIONS = {"import_many": import_many, "end_conversation": end_talk}
OWN_WAYS = ("write", "turns", "purge", "erase", "maintain", "reembed", REFUSED)
OPS = frozenset({*ANSWERS, *ALL_CHANGES, *OWN_WAYS, *MANY_DECISIONS})


class MemoryHost:
    """Users' actors in one process. Build it anywhere, call `start` on the loop that it is to live on."""

    def __init__(self, parts: HostParts) -> None:
        self.parts = parts
        self.spaces = Spaces(parts)
        self.users = LiveUsers(parts, self.later, self._arrived, self.spaces)
        self.graphs = GraphBuilder()
        self.vectors = VectorQueue(self.embedder, parts.limits, self._changed)
        self.sweeper = Sweeper(self.users, parts)
        self.rewriter = Rewriter(parts)
        self.refusals = Refusals(parts, self.users.actor)
        self.judging = Judging(parts)
        self.judgements = JudgeQueue(self.judging, parts.limits, self._changed)
        self._query_threads: dict[str, ThreadPoolExecutor] = {}  # by embedding space, like the embedders
        self._queries = Queries(self.embedder, self._query_thread)
        self._embedders: dict[str, asyncio.Task[DocumentEmbedder]] = {}
        self._beside: set[asyncio.Task[None]] = set()
        self._background: list[asyncio.Task[None]] = []
        self._parked: dict[int, tuple[asyncio.Task[list[Answer]], int]] = {}
        self._tickets = 0
        self._lines = Lines(parts.limits.lines_per_user)
        self._stopping = False

    async def start(self) -> None:
        """Begin the background work. Call it once."""
        loop = asyncio.get_running_loop()
        works = (
            self.vectors.run(),
            self.judgements.run(),
            self.sweeper.run(),
            self.spaces.watch(),
            self.rewriter.run(),
        )
        self._background = [loop.create_task(work) for work in works]

    async def stop(self) -> None:
        """Take no more calls, passivate everybody, end the background work."""
        self._stopping = True
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.users.let_all_go()
        if self._beside:
            await asyncio.wait(self._beside)
        self.vectors.close()
        self.graphs.close()
        for threads in self._query_threads.values():
            threads.shutdown(wait=False, cancel_futures=True)

    def figures(self) -> dict[str, int]:
        """How this host is: numbers only, of nobody in particular."""
        live = list(self.users)
        return {
            "live_users": len(live),
            "hydrated": self.users.counts.hydrated,
            "passivated": self.users.counts.passivated,
            "damaged": self.users.counts.damaged,
            "vectors_waiting": sum(len(actor.state.unembedded) for actor in live),
            "judgements_waiting": sum(actor.judge_waiting for actor in live),
            "snapshots": self.sweeper.snapshots,
            "failures": self.sweeper.failures,
        }

    async def call(self, batch: bytes) -> bytes:
        """Answer a batch (actors/requests.py). Never raises for what one request does."""
        requests = unpack_requests(batch)
        collected = [await self._collect(request) for request in requests if request.op == COLLECT]
        groups: dict[str, list[Request]] = {}
        for request in requests:
            if request.op != COLLECT:
                groups.setdefault(request.user_id, []).append(request)
        if not groups:
            return pack_answers(collected)
        loop = asyncio.get_running_loop()
        tasks = {loop.create_task(self._run_in_order(group)): group for group in groups.values()}
        await asyncio.wait(tasks, timeout=self.parts.limits.patience_ms / 1000)
        return pack_answers([*collected, *self._ready(tasks)])

    def _ready(self, tasks: dict["asyncio.Task[list[Answer]]", list[Request]]) -> Iterable[Answer]:
        for task, group in tasks.items():
            if task.done():
                yield from task.result()
                continue
            for place, request in enumerate(group):
                yield Answer(request.request_id, PARKED, self._park(task, place))

    def _park(self, task: "asyncio.Task[list[Answer]]", place: int) -> int:
        """A ticket for a reply. The oldest tickets go when nobody collects them: their callers are gone."""
        self._tickets += 1
        self._parked[self._tickets] = (task, place)
        if len(self._parked) > PARKED_MAX:
            del self._parked[next(iter(self._parked))]
        return self._tickets

    async def _collect(self, request: Request) -> Answer:
        """Wait for a parked reply. A ticket is good once."""
        parked = self._parked.pop(cast(int, request.args["ticket"]), None)
        if parked is None:
            error = Unavailable.of("the host no longer has this reply", code="host_lost")
            return Answer(request.request_id, ERROR, error_value(error))
        task, place = parked
        done = (await asyncio.shield(task))[place]
        return Answer(request.request_id, done.kind, done.value)

    async def _run_in_order(self, group: list[Request]) -> list[Answer]:
        answers = []
        for request in group:
            async with self._lines.of(request.user_id):
                answers.append(await self._answer(request))
                # The others' turn. Still in its place, or this user's next request would come before them.
                await asyncio.sleep(0)
        return answers

    async def _answer(self, request: Request) -> Answer:
        try:
            return Answer(request.request_id, OK, await self.run(request))
        except RearviewError as error:
            return Answer(request.request_id, ERROR, error_value(error))
        except Exception as error:  # noqa: BLE001 - a bug in one request must not take its batch along.
            report_bug(request.op, error)
            problem = RearviewError.of("an internal error; the request may not have been done")
            return Answer(request.request_id, ERROR, error_value(problem))

    async def run(self, request: Request) -> Reply:
        """Do one request. Raises: errors of our tree."""
        if self._stopping:
            raise Unavailable.of("the host is stopping", code="host_lost")
        ACTING.set(Acting(request.op, request.by))  # In the task of this user's requests alone.
        if request.op not in OPS:
            raise InvalidMemory.of("there is no such operation", code="unknown_operation", field="op")
        if request.op == REFUSED:
            return await self.refusals.note(request)
        try:
            actor = await self.users.actor(request.user_id)
        except Corrupt:
            if request.op != "erase":
                raise
            self.users.forget_damage(request.user_id)
            return await erase_damaged(request, self.parts)
        actor.calls += 1
        actor.last_call_ms = self.parts.monotonic_ms()
        try:
            return await self._do(actor, request)
        finally:
            actor.calls -= 1

    async def _do(self, actor: UserMemory, request: Request) -> Reply:
        if request.op in ANSWERS:
            return await answer(actor, request, self._queries)
        if request.op == "write":
            reply = await self._write(actor, request)
        elif request.op in ALL_CHANGES:
            reply = await change(actor, request, ALL_CHANGES[request.op])
        elif request.op == "turns":
            reply = await self._turns(actor, request)
        elif request.op in MANY_DECISIONS:
            reply = await MANY_DECISIONS[request.op](actor, request)
        elif request.op == "purge":
            reply = await purge(actor, request)
        elif request.op == "reembed":
            reply = await reembed(actor, self.spaces.of(spec_of(request.args)), self.vectors.embed)
        elif request.op == "erase":
            return await erase(actor, request)
        else:
            reply = await maintain(actor)
        self._changed(actor)
        return reply

    async def _write(self, actor: UserMemory, request: Request) -> Reply:
        reply = await write(actor, request, await self.judging.before_write(actor, request))
        memory = reply["memory"]
        if isinstance(memory, dict):
            self.judgements.want(actor, str(memory["id"]))
        return reply

    async def _turns(self, actor: UserMemory, request: Request) -> Reply:
        reply = await hand_over(actor, request, await self.judging.before_turns(actor, request))
        for written in cast("list[Reply]", reply["written"]):
            if isinstance(memory := written["memory"], dict):
                self.judgements.want(actor, str(memory["id"]))
        return reply

    def _arrived(self, actor: UserMemory) -> None:
        self.judgements.arrived(actor)
        self._changed(actor)

    def _changed(self, actor: UserMemory) -> None:
        """Start what a change makes due beside the calls: vectors, graphs, a snapshot."""
        self.vectors.want(actor)
        if any(len(index) > self.parts.vector_policy.graph_above for index in actor.state.vectors.values()):
            self.later(self.graphs.build(actor))
        if self.sweeper.snapshot_due(actor):
            self.later(self.sweeper.snapshot(actor))

    def later(self, work: Coroutine[object, object, None]) -> None:
        """Run something beside the calls; its failure is reported and changes nothing."""
        task = asyncio.get_running_loop().create_task(quietly(work))
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def embedder(self, parts: HostParts) -> DocumentEmbedder:
        """A space's model, loaded in a thread when it is first wanted. A load that failed is tried again."""
        space_id = parts.space.space_id
        task = self._embedders.get(space_id)
        if task is None or (task.done() and task.exception() is not None):
            task = asyncio.get_running_loop().create_task(asyncio.to_thread(parts.embedder))
            self._embedders[space_id] = task
        return await asyncio.shield(task)

    def _query_thread(self, parts: HostParts) -> ThreadPoolExecutor:
        """Where a space's queries are embedded."""
        space_id = parts.space.space_id
        if space_id not in self._query_threads:
            self._query_threads[space_id] = ThreadPoolExecutor(parts.limits.query_threads, "queries")
        return self._query_threads[space_id]


async def quietly(work: Coroutine[object, object, None]) -> None:
    """Background work that may fail because storage does; the next look tries again."""
    try:
        await work
    except (RearviewError, OSError) as error:
        _log.warning("background work failed: %s", type(error).__name__)


def report_bug(op: str, error: Exception) -> None:
    """Where a bug is, without its message, which may hold a user's text."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}")
        trace = trace.tb_next
    _log.error("bug in %s: %s at %s", op, type(error).__name__, " < ".join(reversed(frames)))
