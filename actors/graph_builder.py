"""Builds vector graphs beside the calls: the writer never waits for one, exact search answers until it is there."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from actors.user_memory import UserMemory
from actors.vector_queue import lower_priority


class GraphBuilder:
    """At most one build at a time per host, and one job per shelf."""

    def __init__(self) -> None:
        self.built = 0
        self._thread = ThreadPoolExecutor(1, "graphs", initializer=lower_priority)
        self._building: set[tuple[str, str]] = set()

    async def build(self, actor: UserMemory) -> None:
        """Build whatever graph this user's shelves ask for now."""
        for shelf, index in actor.state.vectors.items():
            place = (actor.user_id, shelf)
            if place in self._building:
                continue
            job = index.graph_job()
            if job is None:
                continue
            self._building.add(place)
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, job.build)
                if actor.lifecycle.active:
                    index.adopt_graph(job)
                    self.built += 1
            finally:
                self._building.discard(place)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
