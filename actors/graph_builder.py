"""Builds vector graphs beside the calls: the writer never waits for one, exact search answers until it is there.

What came since a graph was built is scanned at every search. It is let into the graph a few vectors at a time, in the
pauses between calls, because only the loop's thread may touch a graph that answers. A graph keeps the vectors of what
was removed; after a purge it is built anew at once.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from actors.user_memory import UserMemory
from actors.vector_queue import lower_priority
from engine.vectors import VectorIndex

SETTLED_AT_ONCE = 4  # 0.6 ms.
SETTLE_PAUSE_S = 0.01


class GraphBuilder:
    """At most one build at a time per host, and one job per shelf."""

    def __init__(self) -> None:
        self.built = 0
        self._thread = ThreadPoolExecutor(1, "graphs", initializer=lower_priority)
        self._busy: set[tuple[str, str]] = set()

    async def build(self, actor: UserMemory) -> None:
        """Build whatever graph this user's shelves ask for now, and let in what waits."""
        again = True
        while again and actor.lifecycle.active:
            again = False
            for shelf, index in actor.state.vectors.items():
                place = (actor.user_id, shelf)
                if place in self._busy:
                    continue
                self._busy.add(place)
                try:
                    again = await self._build_one(actor, shelf, index) or again
                finally:
                    self._busy.discard(place)

    async def _build_one(self, actor: UserMemory, shelf: str, index: VectorIndex) -> bool:
        """Returns whether something was built, so that another look is worth while."""
        job = index.graph_job(purge=shelf in actor.purged_shelves)
        if job is not None:
            actor.purged_shelves.discard(shelf)
            await asyncio.get_running_loop().run_in_executor(self._thread, job.build)
            if actor.lifecycle.active:
                index.adopt_graph(job)
                self.built += 1
            return True
        actor.purged_shelves.discard(shelf)
        while actor.lifecycle.active and index.settle(SETTLED_AT_ONCE):
            await asyncio.sleep(SETTLE_PAUSE_S)
            if shelf in actor.purged_shelves:
                return True
        return False

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
