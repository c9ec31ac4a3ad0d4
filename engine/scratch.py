"""A small copy of a state on which several statements are decided one after another before any is durable.

A decision looks at the nearest memories only, so the copy holds these, borrowed as they are needed, and what the
decisions so far have made of them. The state itself stays as the journal has it until the whole entry is durable.
"""

from engine.events import Event
from engine.memory import Memory
from engine.reconcile import nearest_known
from engine.state import UserState, fold, restore

_NEAREST_MAX = 8


class Scratch:
    """What a handful of decisions see of a user: `state` is written by `take`, and by nothing else."""

    def __init__(self, known: UserState) -> None:
        self.known = known
        self.state = UserState(
            known.user_id,
            dimensions=next(iter(known.vectors.values())).dimensions,
            stand_in=known.stand_in,
            likeness=None if known.likeness_in_space else known.likeness,
        )
        self.events: list[Event] = []

    def borrow_near(self, memory: Memory, *, now_ms: int) -> None:
        """Bring in what a memory like this one is compared with."""
        vector = self.known.likeness(memory.content)
        for near in nearest_known(self.known, memory, vector=vector, now_ms=now_ms, limit=_NEAREST_MAX):
            self.borrow(near)

    def borrow(self, memory: Memory) -> None:
        """Bring in one memory as it stands, unless it is here already."""
        if memory.memory_id not in self.state.memories:
            restore(self.state, memory, self.known.vector_of(memory.memory_id))

    def take(self, events: tuple[Event, ...]) -> None:
        """Go on as if these had happened. They must concern only what was borrowed or is new."""
        fold(self.state, events)
        self.events.extend(events)
