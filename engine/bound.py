"""What must go with a purged memory, because it holds the same text: turns it was said in, and what was made of it."""

from engine.memory import TURN, Memory
from engine.normalise import content_key
from engine.state import UserState


def bound_to(state: UserState, memory_id: str) -> list[str]:
    """Ids of the memories that a purge of this one takes along, in the order they came.

    These are the turns still held that contain its text or an earlier one of its texts; the semantic memories that were
    consolidated from it (the episodes that are left can be consolidated again); and, of a consolidated one, the
    episodes that say the same.
    """
    memory = state.memories[memory_id]
    texts = {memory.content, *(revision.content for revision in memory.revisions)}
    keys = {content_key(text) for text in texts}
    return [
        other.memory_id
        for other in state.memories.values()
        if other.memory_id != memory_id
        and (
            _says(other, texts, keys)
            if TURN in other.marks
            else memory_id in other.derived_from
            or (other.memory_id in memory.derived_from and content_key(other.content) in keys)
        )
    ]


def _says(turn: Memory, texts: set[str], keys: set[str]) -> bool:
    return any(text in turn.content for text in texts) or content_key(turn.content) in keys
