"""A user's query vectors, for an hour, in RAM: the same question twice asks a remote model once."""

from collections import OrderedDict
from collections.abc import Callable

from actors.ports import QueryVector

TTL_MS = 3_600_000
ENTRIES_MAX = 256


class QueryCache:
    """Least recently used out. One per user, so that nobody can learn from its speed what somebody else asked."""

    def __init__(self, monotonic_ms: Callable[[], float]) -> None:
        self._monotonic_ms = monotonic_ms
        self._held: OrderedDict[tuple[bool, str], tuple[QueryVector, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, text: str, *, fitted: bool) -> QueryVector | None:
        """The vector made for this text while the space was as well known as now."""
        found = self._held.get((fitted, text))
        if found is None:
            return None
        vector, made_ms = found
        if self._monotonic_ms() - made_ms >= TTL_MS:
            del self._held[fitted, text]
            return None
        self._held.move_to_end((fitted, text))
        return vector

    def put(self, text: str, vector: QueryVector, *, fitted: bool) -> None:
        self._held[fitted, text] = (vector, self._monotonic_ms())
        self._held.move_to_end((fitted, text))
        if len(self._held) > ENTRIES_MAX:
            self._held.popitem(last=False)

    def clear(self) -> int:
        """Forget everything; returns how many went."""
        count = len(self._held)
        self._held.clear()
        return count
