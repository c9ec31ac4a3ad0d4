"""What a user's memory needs by itself: expiry, the end of the bin, capacity, snapshots, and the schedule."""

import asyncio
from dataclasses import asdict, dataclass

from actors.passivate import SCRUB_COPIES, scrub, write_snapshot
from actors.replies import Reply
from actors.user_memory import UserMemory, written_reply
from actors.zones import zone_of
from engine.consolidate import decide_compact, decide_compact_meanings, decide_consolidate, seeds, settled_since
from engine.forget import decide_due, next_due_ms
from engine.quarter import SPREAD_MS, compaction_ms, next_compaction_ms, quarter_start_ms
from engine.working import Around

# Each look decides a bounded number, so a large backlog takes several entries. This many looks at once are enough.
LOOKS_MAX = 1_000
SEEDS_AT_ONCE = 4


@dataclass(slots=True)
class Upkept:
    """Counts of what was done."""

    expired: int = 0
    purged: int = 0
    archived: int = 0
    consolidated: int = 0
    compacted: int = 0
    snapshots: int = 0


async def do_due(actor: UserMemory) -> Upkept:
    """Let go of everything that is due now, scrub after a purge, and tell the schedule what comes next."""
    done = Upkept()
    for _ in range(LOOKS_MAX):
        async with actor.one_writer:
            if not actor.lifecycle.active:
                return done
            events, counts = decide_due(actor.state, now_ms=actor.parts.now_ms(), policy=actor.parts.policy)
            await actor.commit(events)
        done.expired += counts["expired"]
        done.purged += counts["purged"]
        done.archived += counts["archived"]
        if not events:
            break
    await consolidate(actor, done)
    await compact_quarter(actor, done)
    if actor.must_scrub:
        async with actor.one_writer:
            await scrub(actor)
            done.snapshots += SCRUB_COPIES
    await tell_schedule(actor)
    return done


async def consolidate(actor: UserMemory, done: Upkept) -> None:
    """Make settled knowledge of what repeats, a few episodes at a time so that calls come in between."""
    if actor.seq == actor.consolidated_seq:
        return
    parts = actor.parts
    waiting = seeds(actor.state, parts.now_ms())
    for start in range(0, len(waiting), SEEDS_AT_ONCE):
        async with actor.one_writer:
            if not actor.lifecycle.active:
                return
            zone = zone_of("", actor.state.settings.time_zone, None, parts.policy.time_zone)
            around = Around(parts.now_ms(), zone, parts.policy)
            events, made = decide_consolidate(actor.state, waiting[start : start + SEEDS_AT_ONCE], around)
            await actor.commit(events)
        done.consolidated += made
        await asyncio.sleep(0)
    async with actor.one_writer:
        if not actor.lifecycle.active:
            return
        doubles = decide_compact(actor.state, now_ms=parts.now_ms())
        await actor.commit(doubles)
        actor.consolidated_seq = actor.seq
    done.compacted += len(doubles)


async def compact_quarter(actor: UserMemory, done: Upkept) -> None:
    """Once a quarter, look through the settled knowledge that the last one added for the same in other words.

    When it was done last is remembered by the live actor alone. A user who comes to life within a week of the time is
    looked through again, which changes nothing the second time.
    """
    now_ms = actor.parts.now_ms()
    quarter_ms = quarter_start_ms(now_ms)
    due_ms = compaction_ms(actor.user_id, quarter_ms)
    missed = actor.compacted_quarter_ms is None and now_ms - due_ms >= SPREAD_MS
    if now_ms < due_ms or actor.compacted_quarter_ms == quarter_ms or missed:
        return
    waiting = settled_since(actor.state, quarter_start_ms(quarter_ms - 1), now_ms)
    for start in range(0, len(waiting), SEEDS_AT_ONCE):
        async with actor.one_writer:
            if not actor.lifecycle.active:
                return
            batch = waiting[start : start + SEEDS_AT_ONCE]
            events = decide_compact_meanings(actor.state, batch, now_ms=now_ms)
            await actor.commit(events)
        done.compacted += len(events)
        await asyncio.sleep(0)
    actor.compacted_quarter_ms = quarter_ms


async def tell_schedule(actor: UserMemory) -> None:
    """Note when this user is due next, if that may have changed."""
    if not actor.due_changed:
        return
    actor.due_changed = False
    deadlines = (next_due_ms(actor.state), next_compaction_ms(actor.state, actor.parts.now_ms()))
    due_ms = min((at_ms for at_ms in deadlines if at_ms is not None), default=None)
    if actor.due_told and due_ms == actor.due_ms:
        return
    actor.due_ms, actor.due_told = due_ms, True
    await actor.parts.schedule.set_due(actor.user_id, due_ms)


async def maintain(actor: UserMemory) -> Reply:
    """Do now whatever is due, and take a snapshot if there is news."""
    done = await do_due(actor)
    if actor.lifecycle.active:
        done.snapshots += await write_snapshot(actor)
    return written_reply(actor, asdict(done), actor.seq)
