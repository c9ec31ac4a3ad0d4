"""A host in a process of its own behind a unix socket: `python -m tests.faults.host_process JSON`.

The same `MemoryHost` that Ray runs, with plain vectors, so that rows about the store need no Ray. It can be told to
kill itself at a named point of a write, and to have one of the faults that the suite must find.
"""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from actors.host import MemoryHost
from actors.ports import QueryVector
from actors.user_memory import UserMemory
from engine.errors import RearviewError
from engine.memory import Float32Array
from engine.state import fold
from persistence import recovery
from persistence.codec import decode_events, entry_chain
from persistence.redis_journal import RedisJournal
from rearview.clock import clock, new_id
from tests.actors.world import hashed
from tests.recovery.plain_parts import host_parts, settings_json

POINTS = ("before append", "after append", "after apply", "before reply")
REFUSED = 3  # Exit status of a host whose store has settings that lose data.


@dataclass(frozen=True)
class HostPlan:
    """How a host is set up. `die_at` is a point and the how-manyth write; `flaw` a planted fault."""

    redis: str
    snapshots: str
    socket: str
    durability: str = "strict"
    checked: bool = True
    snapshot_every: int = 200
    idle_ms: int = 300_000
    die_at: tuple[str, int] | None = None
    flaw: str = ""
    clock_file: str = ""


class OneVector:
    """A text has the same vector as a query and as a memory, so that it is nearest to itself. By hash."""

    def encode(self, text: str) -> QueryVector:
        return QueryVector(hashed(text, "model"), "static", 1.0)

    def stand_in(self, text: str) -> Float32Array:
        return hashed(text, "model")


def dying(die_at: tuple[str, int]) -> Callable[[str], None]:
    """Counts how often a point was passed and ends the process there."""
    point, nth = die_at
    counts = itertools.count(1)

    def passed(here: str) -> None:
        if here == point and next(counts) == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    return passed


def plant_death(die_at: tuple[str, int]) -> None:
    passed = dying(die_at)
    append, show, commit = UserMemory._append, UserMemory._make_visible, UserMemory.commit

    async def dying_append(self: UserMemory, *args: Any) -> Any:
        passed("before append")
        done = await append(self, *args)
        passed("after append")
        return done

    def dying_show(self: UserMemory, *args: Any) -> None:
        show(self, *args)
        passed("after apply")

    async def dying_commit(self: UserMemory, *args: Any) -> Any:
        done = await commit(self, *args)
        passed("before reply")
        return done

    UserMemory._append = dying_append  # type: ignore[method-assign]
    UserMemory._make_visible = dying_show  # type: ignore[method-assign]
    UserMemory.commit = dying_commit  # type: ignore[method-assign]


def plant(flaw: str) -> None:
    """One of the faults that the suite must find."""
    if flaw == "apply before append":
        append = UserMemory._append

        async def too_early(self: UserMemory, entries: Any, receipt: Any, audit: Any) -> Any:
            for entry in entries:
                fold(self.state, decode_events(entry.body))
            return await append(self, entries, receipt, audit)

        UserMemory._append = too_early  # type: ignore[method-assign]
        UserMemory._make_visible = lambda self, events, entry: _only_note(self, entry)  # type: ignore[method-assign]
    elif flaw == "no keys":

        async def nothing(self: UserMemory, request: Any) -> None:
            return None

        UserMemory.receipt_of = nothing  # type: ignore[method-assign]
        UserMemory.new_receipt = lambda self, request, note, **more: None  # type: ignore[method-assign]
    elif flaw == "no chain":
        recovery._tail = _unchecked_tail
    else:
        assert flaw in ("", "no fence", "no functions of ours"), flaw


def _only_note(actor: UserMemory, entry: Any) -> None:
    actor.seq, actor.chain = entry.seq, entry.chain


async def _unchecked_tail(journal: Any, user_id: str, after_seq: int, chain: bytes, head: Any) -> tuple[Any, ...]:
    found = [entry async for entry in journal.read(user_id, after_seq) if entry.seq <= head.seq]
    assert entry_chain is not None
    return tuple(found)


async def main(plan: HostPlan) -> None:
    plant(plan.flaw)
    if plan.die_at is not None:
        plant_death(plan.die_at)
    parts = host_parts(settings_json(plan.redis, plan.snapshots))
    limits = replace(parts.limits, snapshot_every=plan.snapshot_every, idle_ms=plan.idle_ms, sweep_ms=500)
    parts = replace(parts, limits=limits, new_id=new_id, durability=plan.durability, static=OneVector())
    if plan.flaw:
        parts = replace(parts, audit_entries_max=0)  # The trail's own numbers would fence as well.
    if plan.clock_file:
        parts = replace(parts, now_ms=clock(plan.clock_file))
    assert isinstance(parts.journal, RedisJournal)
    parts.journal._durability = plan.durability
    if plan.checked:
        try:
            await parts.journal.check()
        except RearviewError as error:
            print(error.sentence, file=sys.stderr, flush=True)
            sys.exit(REFUSED)
    host = MemoryHost(parts)
    await host.start()
    await serve(host, plan.socket)


async def serve(host: MemoryHost, socket: str) -> None:
    """Answer until SIGTERM, then passivate everybody."""
    calls: set[asyncio.Task[None]] = set()

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        calls.add(task)
        try:
            with contextlib.suppress(OSError):  # The client gave up waiting.
                writer.write(await host.call(await reader.read()))
                await writer.drain()
        finally:
            calls.discard(task)
            writer.close()

    server = await asyncio.start_unix_server(answered, socket)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print("ready", flush=True)
    await stop.wait()
    server.close()
    await host.stop()


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    if given.get("die_at"):
        given["die_at"] = tuple(given["die_at"])
    asyncio.run(main(HostPlan(**given)))
