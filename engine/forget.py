"""Forgetting that happens by itself: expiry and the end of the bin's seven days. Pure; the owner runs it when due."""

from collections.abc import Mapping

from engine.bound import bound_to
from engine.events import EXPIRED, Event, MemoriesPurged, MemoryArchived
from engine.memory import Memory, Status, Tier
from engine.policy import Policy
from engine.state import UserState

# What an actor appends at once; more waits for the next look, so that no entry grows without bound.
DUE_BATCH_MAX = 1_000
BIN_OVER = "bin_over"


def due_at_ms(memory: Memory) -> int | None:
    """When this memory must go for good by itself: the end of its lifetime or of its time in the bin."""
    deadlines = [t for t in (memory.expires_at_ms, memory.restorable_until_ms) if t is not None]
    return min(deadlines, default=None)


def next_due_ms(state: UserState) -> int | None:
    """The earliest deadline of this user, for the schedule; None when nothing will ever be due by itself."""
    deadlines = [t for m in state.memories.values() if (t := due_at_ms(m)) is not None]
    return min(deadlines, default=None)


def decide_due(state: UserState, *, now_ms: int, policy: Policy) -> tuple[tuple[Event, ...], Mapping[str, int]]:
    """Purge what expired or whose bin time is over, and archive what a tier cannot hold.

    What leaves the bin for good takes along what holds its text, as a purge on request does. What expired does not:
    settled knowledge outlives the episodes that it was made of.

    Returns: events, and counts under "expired", "purged" (out of the bin) and "archived".
    """
    expired: list[str] = []
    binned: list[str] = []
    for memory in state.memories.values():
        if len(expired) + len(binned) >= DUE_BATCH_MAX:
            break
        if memory.expired(now_ms):
            expired.append(memory.memory_id)
        elif memory.restorable_until_ms is not None and memory.restorable_until_ms <= now_ms:
            binned.append(memory.memory_id)
    events: list[Event] = []
    if expired:
        events.append(MemoriesPurged(tuple(expired), now_ms, EXPIRED))
    if binned:
        binned += bound_to(state, binned)
        events.append(MemoriesPurged(tuple(binned), now_ms, BIN_OVER))
    gone = frozenset(expired)
    victims = [memory_id for tier in Tier for memory_id in over_capacity(state, tier, gone, policy)]
    events.extend(MemoryArchived(memory_id, now_ms, "capacity") for memory_id in victims[:DUE_BATCH_MAX])
    counts = {"expired": len(expired), "purged": len(binned), "archived": len(victims[:DUE_BATCH_MAX])}
    return tuple(events), counts


def capacity_of(tier: Tier, policy: Policy) -> int:
    """The most active memories a user may hold in a tier."""
    forget = policy.forget
    return {
        Tier.WORKING: forget.working_capacity,
        Tier.EPISODIC: forget.episodic_capacity,
        Tier.SEMANTIC: forget.semantic_capacity,
    }[tier]


def over_capacity(state: UserState, tier: Tier, gone: frozenset[str], policy: Policy) -> list[str]:
    """The ids to archive so that the tier fits again: least valuable first, never pinned ones, never the newest.

    Value orders by access count, last access (else when it was stored), importance, confidence.
    """
    capacity = state.settings.capacity_of(tier.value, capacity_of(tier, policy))
    if len(state.vectors[tier.value]) <= capacity:
        return []
    active = [
        m for m in state.memories.values() if m.tier is tier and m.status is Status.ACTIVE and m.memory_id not in gone
    ]
    if len(active) <= capacity:
        return []
    newest = max(active, key=lambda m: (m.created_at_ms, state.slots[m.memory_id]))
    victims = [m for m in active if not m.pinned and m is not newest]
    victims.sort(
        key=lambda m: (
            m.access_count,
            m.last_accessed_at_ms or m.created_at_ms,
            m.importance,
            m.confidence,
            state.slots[m.memory_id],
        )
    )
    return [m.memory_id for m in victims[: len(active) - capacity]]
