"""Vectors of another space, gathered for one user while the present space answers (`actors.reembed`)."""

from dataclasses import dataclass, field

from engine.memory import Float32Array, Memory
from engine.state import UserState


@dataclass(slots=True)
class Move:
    """Vectors of the new space gathered so far, by memory id, each with the text that it was made of.

    None stands for a text that the model makes nothing of; it is tried again in the new space.
    """

    space_id: str
    rows: dict[str, tuple[str, Float32Array | None]] = field(default_factory=dict)

    def forget_gone(self, state: UserState) -> None:
        """Let go of what was purged meanwhile."""
        for memory_id in self.rows.keys() - state.memories.keys():
            del self.rows[memory_id]

    def waiting(self, state: UserState) -> list[Memory]:
        """Memories on a shelf whose present text has no vector yet."""
        return [
            memory
            for memory_id, memory in state.memories.items()
            if state.shelf(memory_id) is not None and self.rows.get(memory_id, ("\0",))[0] != memory.content
        ]
