"""When the store's append-only file is rewritten: once for all drops of a while, sooner where somebody asked for them.

Every host looks, because any of them may die; a look that finds the work under way or done by another host does
nothing. A rewrite copies all that the store holds, so at most a tenth of the time goes into rewriting.
"""

import asyncio

from actors.parts import HostParts
from actors.ports import Rewriting
from engine.errors import RearviewError

REST_FACTOR = 9


class Rewriter:
    """One per host, beside its calls."""

    def __init__(self, parts: HostParts) -> None:
        self.failures = 0
        self._parts = parts
        self._waiting: dict[str, tuple[int, float]] = {}  # The oldest drop of a kind, and when it was first seen.
        self._not_before_ms = 0.0

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(self._parts.limits.sweep_ms / 1000)
            await self.look()

    async def look(self) -> None:
        """Rewrite if it is time. Failures are counted; a later look tries again."""
        parts = self._parts
        if parts.monotonic_ms() < self._not_before_ms:
            return
        try:
            if not self._due(await parts.rewrites.progress()):
                return
            began_ms = parts.monotonic_ms()
            await parts.rewrites.rewrite()
            self._not_before_ms = parts.monotonic_ms() + REST_FACTOR * (parts.monotonic_ms() - began_ms)
        except (RearviewError, OSError):
            self.failures += 1
            self._not_before_ms = parts.monotonic_ms() + parts.limits.rewrite_soon_ms

    def _due(self, now: Rewriting) -> bool:
        limits = self._parts.limits
        waited = [
            self._waited_ms("soon", now.soon, now.done) >= limits.rewrite_soon_ms,
            self._waited_ms("any", now.wanted, now.done) >= limits.rewrite_ms,
        ]
        return any(waited)

    def _waited_ms(self, kind: str, number: int, done: int) -> float:
        """How long the oldest drop of this kind waits; less than nothing when none does."""
        if number <= done:
            self._waiting.pop(kind, None)
            return -1.0
        now_ms = self._parts.monotonic_ms()
        first, since_ms = self._waiting.get(kind, (0, 0.0))
        if first <= done:
            first, since_ms = self._waiting[kind] = (number, now_ms)
        return now_ms - since_ms
