"""Rewrites of the store's append-only file, which keeps the bytes of whatever was dropped until it is rewritten.

One rewrite serves every drop before it: a drop takes the next number, a rewrite remembers the highest number that was
given out before it began, and a drop is gone from the disk once `done` has reached its number. The numbers lie in the
store, so that a drop is not forgotten when the process that asked for it dies.
"""

import asyncio

from engine.errors import Unavailable
from persistence import keys
from persistence.redis_client import RedisClient
from persistence.values import Rewriting

POLL_S = 0.05
WITHIN_S = 900.0
"""Longer than any store of a size that we serve needs; after that the caller tries again later."""


class RedisRewrites:
    """See `actors.ports.Rewrites`."""

    def __init__(self, client: RedisClient, *, within_s: float = WITHIN_S) -> None:
        self._client = client
        self._within_s = within_s
        self._one_at_a_time = asyncio.Lock()

    async def want(self, *, soon: bool) -> int:
        """Ask for a rewrite after something was dropped. Returns the number that `done` must reach.

        Asking twice costs nothing, so a lost reply is Unavailable too.
        """
        number = int(await self._client.read("HINCRBY", keys.REWRITES, "wanted", 1))
        if soon:
            await self._client.read("HSET", keys.REWRITES, "soon", number)
        return number

    async def progress(self) -> Rewriting:
        """How far it is. Raises Unavailable."""
        found = await self._client.read("HMGET", keys.REWRITES, "wanted", "soon", "done")
        return Rewriting(*(int(number or 0) for number in found))

    async def rewrite(self) -> Rewriting:
        """Rewrite the file, unless somebody else did meanwhile, and wait for the end.

        Durable: when it returns, no file of the store holds what was dropped before the call.
        Raises:  Unavailable: the store may not or cannot do it (its disk is full), or takes too long.
        """
        try:
            async with asyncio.timeout(self._within_s), self._one_at_a_time:
                return await self._rewrite()
        except TimeoutError:
            raise Unavailable.of("The store is still rewriting its append-only file.") from None

    async def _rewrite(self) -> Rewriting:
        wanted = (await self.progress()).wanted
        while True:
            before = await self._at_rest()
            now = await self.progress()
            if now.done >= wanted:
                return now
            try:
                await self._client.read("BGREWRITEAOF")
                break
            except Unavailable:
                # Another process, or the store itself, was faster: theirs may have begun before our drop.
                if not (await self._state()).busy:
                    raise
        after = await self._at_rest()
        if not after.ok or after.server != before.server or after.begun <= before.begun:
            raise Unavailable.of("The store could not rewrite its append-only file; is its disk full?")
        # Two processes may end here at once. The lower number may win, which costs one more rewrite and is never wrong.
        await self._client.read("HSET", keys.REWRITES, "done", now.wanted)
        return Rewriting(now.wanted, now.soon, now.wanted)

    async def _at_rest(self) -> "_Server":
        while True:
            state = await self._state()
            if not state.busy:
                return state
            await asyncio.sleep(POLL_S)

    async def _state(self) -> "_Server":
        return _Server(bytes(await self._client.read("INFO")).decode("utf-8", "replace"))


class _Server:
    """What the server says of its rewrites."""

    def __init__(self, info: str) -> None:
        said = dict(line.split(":", 1) for line in info.split("\r\n") if ":" in line)
        self.server = said.get("run_id", "")
        self.begun = int(said.get("aof_rewrites", 0))
        self.ok = said.get("aof_last_bgrewrite_status") == "ok"
        self.busy = "1" in (said.get("aof_rewrite_in_progress"), said.get("aof_rewrite_scheduled"))
