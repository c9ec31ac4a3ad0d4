"""A desk for write decisions: a user, a clock, and the bundled static table."""

from datetime import tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from adapters.models.query_table import QueryTable
from engine.commands import Write
from engine.decision import WriteDecision
from engine.memory import Memory, Status
from engine.policy import DAY_MS, Policy
from engine.state import UserState, apply, check_state
from engine.write import decide_write

NOW_MS = 1_773_108_000_000  # 2026-03-10 02:00 UTC, a Tuesday; 10:00 in Shanghai.
SHANGHAI = ZoneInfo("Asia/Shanghai")


@cache
def table() -> QueryTable:
    return QueryTable.load()


class Desk:
    """Writes to one user, whose state is checked after each event."""

    def __init__(self, policy: Policy | None = None, zone: tzinfo = SHANGHAI) -> None:
        self.state = UserState("user", dimensions=table().dimensions, stand_in=table().stand_in)
        self.policy = policy or Policy()
        self.zone = zone
        self.now_ms = NOW_MS

    def decide(self, content: str, **fields: object) -> WriteDecision:
        """The decision alone; nothing changes."""
        return decide_write(
            self.state,
            Write(content=content, **fields),  # type: ignore[arg-type]
            memory_id=f"m{len(self.state.ids)}",
            now_ms=self.now_ms,
            zone=self.zone,
            policy=self.policy,
            vector=self.state.likeness(content[:10_000]),
        )

    def write(self, content: str, *, days_ago: float = 0, **fields: object) -> WriteDecision:
        """Decide and apply. `days_ago` is when it was said."""
        decision = self.decide(content, said_at_ms=self.now_ms - int(days_ago * DAY_MS), **fields)
        for event in decision.events:
            apply(self.state, event)
            check_state(self.state)
        return decision

    def texts(self, status: Status = Status.ACTIVE) -> list[str]:
        return [memory.content for memory in self.state.memories.values() if memory.status is status]

    def memory(self, memory_id: str) -> Memory:
        return self.state.memories[memory_id]
