"""Decisions about memories that exist: edit, bin, restore, confirm, reject, use, purge. Pure; each returns events."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from engine.commands import Edit
from engine.errors import Conflict, InvalidMemory, UnknownMemory
from engine.events import (
    Event,
    MemoriesPurged,
    MemoriesUsed,
    MemoryBinned,
    MemoryConfirmed,
    MemoryEdited,
    MemoryRestored,
    MemorySuperseded,
    MemorySuppressed,
)
from engine.limits import check_edit
from engine.memory import Memory, Status, Tier
from engine.policy import Policy
from engine.reasons import reason_of
from engine.screen import screen
from engine.secrets import mask_secrets
from engine.state import UserState
from engine.suppress import is_suppressed, suppression_against

RESTORABLE = frozenset({Status.DELETED, Status.SUPERSEDED, Status.ARCHIVED})
UNSETTLED = frozenset({Status.PENDING, Status.QUARANTINED})


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one memory. `memory` is the memory as it is before the events are applied."""

    outcome: str
    memory: Memory | None
    events: tuple[Event, ...]
    reason: str
    rule: str


def known(state: UserState, memory_id: str) -> Memory:
    """The memory of this id. Raises: UnknownMemory, in the same words for unknown, purged and foreign ids."""
    memory = state.memories.get(memory_id)
    if memory is None:
        raise UnknownMemory.of("There is no such memory.", field="memory_id")
    return memory


def decide_edit(state: UserState, edit: Edit, *, now_ms: int, zone: tzinfo, policy: Policy) -> Decision:
    """Change a memory on purpose; the old text becomes a revision.

    An edit whose new text would be quarantined changes nothing: the old text stays in force.
    Raises: UnknownMemory, InvalidMemory, TooLarge, Conflict (another version than `if_version`).
    """
    memory = known(state, edit.memory_id)
    check_edit(edit, policy.limits)
    if edit.content is not None and is_suppressed(state, edit.content, edit.space or memory.space):
        reason = "It is about something never to be mentioned again; the text stays as it is."
        return Decision("suppressed", memory, (), reason, "suppressed")
    if memory.status is Status.DELETED:
        raise InvalidMemory.of(
            "The memory is in the bin; restore it before changing it.", field="memory_id", code="in_bin"
        )
    if edit.if_version is not None and edit.if_version != memory.version:
        raise Conflict.of("The memory has changed since that version.", field="If-Match", code="version_mismatch")
    changes: dict[str, object] = {}
    if edit.content is not None:
        refused = _refused_text(edit.content, memory)
        if refused is not None:
            return refused
        content = edit.content if policy.write.secrets == "off" else _masked(edit.content, policy)
        if content != memory.content:
            changes["content"] = content
    for name in ("tier", "category", "confidence", "tags", "metadata", "sensitivity", "space", "pinned"):
        value = getattr(edit, name)
        if value is not None and value != getattr(memory, name):
            changes[name] = list(value) if name == "tags" else dict(value) if name == "metadata" else value
    expiry = _expiry_after(memory, edit, now_ms, policy)
    if expiry != memory.expires_at_ms:
        changes["expires_at_ms"] = expiry
    if not changes:
        return Decision("stored", memory, (), "Nothing changed.", "unchanged")
    event = MemoryEdited(memory.memory_id, now_ms, edit.reason, changes)
    return Decision("stored", memory, (event,), "Changed on request; the old text is kept as a revision.", "edited")


def _refused_text(content: str, memory: Memory) -> Decision | None:
    """An edit must not bring in what a write could not: instructions to the agent, or our own recalled text."""
    verdict = screen(content, memory.source)
    if verdict is None or verdict.rule not in ("instruction", "recalled_text", "system_prompt"):
        return None
    return Decision("quarantined", memory, (), reason_of(verdict.rule, content), verdict.rule)


def _masked(content: str, policy: Policy) -> str:
    """The text as it may be stored. Raises: InvalidMemory where secrets are refused and not masked."""
    masked = mask_secrets(content)
    if masked.kinds and (policy.write.secrets == "reject" or masked.one_time or "private key" in masked.kinds):
        raise InvalidMemory.of("The text holds a secret, which is not stored.", field="content", code="secret")
    return masked.text


def _expiry_after(memory: Memory, edit: Edit, now_ms: int, policy: Policy) -> int | None:
    """A TTL counts from the edit; a move to another tier takes that tier's lifetime."""
    if edit.ttl_seconds is not None:
        return now_ms + edit.ttl_seconds * 1000
    if edit.tier is None or edit.tier == memory.tier:
        return memory.expires_at_ms
    lifetimes = {Tier.WORKING: policy.write.working_ttl_ms, Tier.EPISODIC: policy.write.episodic_ttl_ms}
    lifetime = lifetimes.get(Tier(edit.tier))
    return None if lifetime is None else now_ms + lifetime


def decide_bin(state: UserState, memory_id: str, reason: str, *, now_ms: int, policy: Policy) -> Decision:
    """Move to the bin, restorable for seven days. Already there: nothing happens. Raises: UnknownMemory."""
    memory = known(state, memory_id)
    if memory.status is Status.DELETED:
        return Decision("deleted", memory, (), "It was in the bin already.", "already_in_bin")
    event = MemoryBinned(memory_id, now_ms, now_ms + policy.forget.bin_ms, reason)
    return Decision("deleted", memory, (event,), "Moved to the bin.", "binned")


def decide_restore(state: UserState, memory_id: str, *, now_ms: int) -> Decision:
    """Take a memory out of the bin, or back from superseded or archived.

    Bringing back a superseded memory turns the relation round: it becomes the current one, and what had
    replaced it becomes history. Out of the bin a memory returns to the status it had.
    Raises: UnknownMemory (also once it expired or its deadline passed), InvalidMemory (nothing to restore).
    """
    memory = known(state, memory_id)
    if memory.over(now_ms):
        raise UnknownMemory.of("There is no such memory.", field="memory_id")
    if memory.status not in RESTORABLE:
        raise InvalidMemory.of(
            "The memory is neither in the bin nor superseded nor archived.", field="memory_id", code="not_restorable"
        )
    if memory.status is Status.DELETED:
        return _out_of_bin(state, memory, now_ms)
    events: list[Event] = []
    newer = state.memories.get(memory.superseded_by) if memory.superseded_by else None
    if newer is not None and newer.status is Status.ACTIVE:
        events.append(MemorySuperseded(newer.memory_id, memory_id, now_ms, now_ms))
    events.append(MemoryRestored(memory_id, now_ms, Status.ACTIVE))
    return Decision("restored", memory, tuple(events), "It is current again.", "restored")


def _out_of_bin(state: UserState, memory: Memory, now_ms: int) -> Decision:
    """Back to the status it had; what may not be mentioned meanwhile, or no longer, is or is not suppressed."""
    status = memory.restore_status or Status.ACTIVE
    if status is Status.SUPPRESSED:
        status = memory.suppressed_from or Status.ACTIVE
    restored = MemoryRestored(memory.memory_id, now_ms, status)
    by = suppression_against(state, memory.content, memory.space)
    if by:
        events = (restored, MemorySuppressed(memory.memory_id, now_ms, by))
        return Decision("restored", memory, events, "Out of the bin, but never to be mentioned.", "suppressed")
    return Decision("restored", memory, (restored,), "Out of the bin.", "restored")


def decide_confirm(state: UserState, memory_id: str, *, now_ms: int) -> Decision:
    """Settle a pending or quarantined memory as right. Raises: UnknownMemory, InvalidMemory."""
    memory = _unsettled(state, memory_id, now_ms)
    events: list[Event] = [MemoryConfirmed(memory_id, now_ms)]
    for older_id in memory.supersedes:
        older = state.memories.get(older_id)
        if older is not None and older.status is Status.ACTIVE:
            events.append(MemorySuperseded(older_id, memory_id, now_ms, memory.valid_from_ms))
    return Decision("confirmed", memory, tuple(events), "Confirmed; it counts as the user's own word now.", "confirmed")


def decide_reject(state: UserState, memory_id: str, reason: str, *, now_ms: int, policy: Policy) -> Decision:
    """Settle a pending or quarantined memory as wrong: it goes to the bin. Raises: UnknownMemory, InvalidMemory."""
    memory = _unsettled(state, memory_id, now_ms)
    event = MemoryBinned(memory_id, now_ms, now_ms + policy.forget.bin_ms, reason)
    return Decision("rejected", memory, (event,), "Rejected; it is in the bin.", "rejected")


def _unsettled(state: UserState, memory_id: str, now_ms: int) -> Memory:
    memory = known(state, memory_id)
    if memory.over(now_ms):
        raise UnknownMemory.of("There is no such memory.", field="memory_id")
    if memory.status not in UNSETTLED:
        raise InvalidMemory.of("The memory is neither pending nor quarantined.", field="memory_id", code="not_pending")
    return memory


def decide_used(state: UserState, memory_ids: Sequence[str], *, now_ms: int, episodic_ttl_ms: int) -> Decision:
    """Note that these entered a final prompt. Unknown ids are refused: a typing error must not pass silently.

    An episode with the usual lifetime lives that long from now on; a lifetime of its own stays what it is.
    """
    for memory_id in memory_ids:
        if known(state, memory_id).status is Status.DELETED:
            raise UnknownMemory.of("There is no such memory.", field="memory_ids")
    unique = tuple(dict.fromkeys(memory_ids))
    renewed = tuple(one for one in unique if _usual_lifetime(state.memories[one], episodic_ttl_ms))
    expires_at_ms = now_ms + episodic_ttl_ms if renewed else None
    events: tuple[Event, ...] = (MemoriesUsed(unique, now_ms, renewed, expires_at_ms),) if unique else ()
    return Decision("used", None, events, "Counted as used.", "used")


def _usual_lifetime(memory: Memory, episodic_ttl_ms: int) -> bool:
    """Whether it is an episode that ends when every episode does: counted from its write, its last change or access.

    An import does not say whether its end was chosen; what is used is rather kept.
    """
    if memory.tier is not Tier.EPISODIC or memory.expires_at_ms is None:
        return False
    began_ms = memory.expires_at_ms - episodic_ttl_ms
    began = (memory.created_at_ms, memory.updated_at_ms, memory.last_accessed_at_ms)
    return memory.rule == "imported" or began_ms in began


def decide_purge(state: UserState, memory_ids: Sequence[str], *, now_ms: int, reason: str = "request") -> Decision:
    """Drop these for good. Raises: UnknownMemory."""
    for memory_id in memory_ids:
        known(state, memory_id)
    unique = tuple(dict.fromkeys(memory_ids))
    memory = state.memories[unique[0]] if len(unique) == 1 else None
    gone = MemoriesPurged(unique, now_ms, reason)
    return Decision("purged", None if memory is None else replace(memory), (gone,), "Purged.", "purged")
