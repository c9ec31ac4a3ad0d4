"""What must go with a purged memory, because it holds the same text: turns it was said in, and what was made of it."""

from collections.abc import Collection

from engine.memory import TURN, Memory
from engine.normalise import content_key
from engine.state import UserState


def bound_to(state: UserState, memory_ids: Collection[str]) -> list[str]:
    """Ids of the other memories that a purge of these takes along, in the order they came.

    These are the turns still held that contain a text or an earlier text of theirs; the semantic memories that were
    consolidated from them (the episodes that are left can be consolidated again); and, of a consolidated one, the
    episodes that say the same.
    """
    doomed = [state.memories[memory_id] for memory_id in memory_ids]
    texts = {text for memory in doomed for text in (memory.content, *(old.content for old in memory.revisions))}
    keys = {content_key(text) for text in texts}
    ids = frozenset(memory_ids)
    sources = {source_id for memory in doomed for source_id in memory.derived_from}
    return [
        other.memory_id
        for other in state.memories.values()
        if other.memory_id not in ids
        and (
            _says(other, texts, keys)
            if TURN in other.marks
            else not ids.isdisjoint(other.derived_from)
            or (other.memory_id in sources and content_key(other.content) in keys)
        )
    ]


def _says(turn: Memory, texts: set[str], keys: set[str]) -> bool:
    return any(text in turn.content for text in texts) or content_key(turn.content) in keys
