"""Undoing a bad source: everything that came from it since a time goes to the bin, and what it had replaced comes back.

What was consolidated from any of it goes too: its sentence may be the bad one, and the episodes that are left can be
consolidated again. What was merged into an older memory stays merged, because a memory does not keep who repeated it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import InvalidMemory
from engine.events import Event, MemoryBinned, MemoryRestored, MemorySuperseded
from engine.limits import check_choice, check_word
from engine.memory import Memory, Sensitivity, Source, Status
from engine.policy import Limits, Policy
from engine.state import UserState


@dataclass(frozen=True, slots=True, kw_only=True)
class Revert:
    """What to undo. Empty strings mean "any"; at least one of source, client and conversation is named."""

    since_ms: int
    source: str = ""
    client: str = ""
    conversation: str = ""
    spaces: tuple[str, ...] = ()
    max_sensitivity: str = Sensitivity.SENSITIVE.value

    def covers(self, memory: Memory) -> bool:
        """Whether a memory came from there since then and lies within what the caller may change."""
        return (
            memory.created_at_ms >= self.since_ms
            and memory.status is not Status.DELETED
            and (not self.source or memory.source == self.source)
            and (not self.client or memory.client == self.client)
            and (not self.conversation or memory.conversation == self.conversation)
            and self.may_change(memory)
        )

    def may_change(self, memory: Memory) -> bool:
        """Whether a memory lies in the caller's spaces and below its ceiling."""
        seen = self.max_sensitivity == Sensitivity.SENSITIVE or memory.sensitivity is Sensitivity.NORMAL
        return seen and (not self.spaces or memory.space in self.spaces)


@dataclass(frozen=True, slots=True)
class RevertDecision:
    """`memory_ids` go to the bin, `restored_ids` are current again."""

    events: tuple[Event, ...]
    memory_ids: tuple[str, ...]
    restored_ids: tuple[str, ...]


def check_revert(revert: Revert, limits: Limits) -> None:
    """Refuse a revert that names nothing or breaks a limit. Raises: InvalidMemory, TooLarge."""
    if not (revert.source or revert.client or revert.conversation):
        raise InvalidMemory.of("Name a source, a client or a conversation.", field="source", code="missing_field")
    if revert.source:
        check_choice(revert.source, "source", frozenset(Source))
    check_word(revert.client, "client", limits)
    check_word(revert.conversation, "conversation", limits)


def decide_revert(state: UserState, revert: Revert, *, now_ms: int, policy: Policy) -> RevertDecision:
    """Bin what came from there. Nothing found: nothing happens. Raises: InvalidMemory, TooLarge."""
    check_revert(revert, policy.limits)
    gone = {memory.memory_id: memory for memory in state.memories.values() if revert.covers(memory)}
    for memory in state.memories.values():
        if memory.status is not Status.DELETED and revert.may_change(memory) and set(memory.derived_from) & gone.keys():
            gone[memory.memory_id] = memory
    until_ms = now_ms + policy.forget.bin_ms
    reason = "everything that came from there was undone"
    events: list[Event] = [MemoryBinned(memory_id, now_ms, until_ms, reason) for memory_id in gone]
    back = [event for memory in state.memories.values() if (event := _back(state, memory, gone, now_ms)) is not None]
    restored = tuple(event.memory_id for event in back if isinstance(event, MemoryRestored))
    return RevertDecision((*events, *back), tuple(gone), restored)


def _back(
    state: UserState, memory: Memory, gone: Mapping[str, Memory], now_ms: int
) -> MemoryRestored | MemorySuperseded | None:
    """What becomes of a memory that one of the binned ones had replaced: current again, or replaced by a later one."""
    by = memory.superseded_by or ""
    if memory.status is not Status.SUPERSEDED or memory.memory_id in gone or by not in gone:
        return None
    seen: set[str] = set()
    while by in gone and by not in seen:
        seen.add(by)
        by = gone[by].superseded_by or ""
    newer = state.memories.get(by)
    if newer is None or by in gone or newer.status is Status.DELETED:
        return MemoryRestored(memory.memory_id, now_ms, Status.ACTIVE)
    return MemorySuperseded(memory.memory_id, by, now_ms, max(newer.valid_from_ms, memory.valid_from_ms))
