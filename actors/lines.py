"""How many requests of one user are under way at once. Whoever comes later waits in line, in order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class _Line:
    """One user's places and how many want one; kept only while somebody does."""

    places: asyncio.Semaphore
    wanted: int = 0


class Lines:
    """Places per user."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._lines: dict[str, _Line] = {}

    def __len__(self) -> int:
        return len(self._lines)

    @asynccontextmanager
    async def of(self, user_id: str) -> AsyncIterator[None]:
        """Wait for a place of this user's and hold it."""
        line = self._lines.get(user_id)
        if line is None:
            line = self._lines[user_id] = _Line(asyncio.Semaphore(self._places))
        line.wanted += 1
        try:
            async with line.places:
                yield
        finally:
            line.wanted -= 1
            if not line.wanted:
                del self._lines[user_id]
