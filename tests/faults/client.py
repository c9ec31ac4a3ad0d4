"""The client of a row, in a process of its own: `python -m tests.faults.client JSON`.

Every write has a key and is repeated with it until its outcome is certain. Intents are on the disk before the first
attempt, successes as soon as they are heard. Some successes are asked for once more: the answer must be the same.
"""

import asyncio
import itertools
import json
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.book import Writer, text_of
from tests.faults.doors import Again, Door, Refused, door_to

PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Plan:
    """What one client does. `first` and `count` bound the numbers it writes."""

    row: str
    book: str
    target: dict[str, str]
    users: int = 8
    first: int = 0
    count: int = 600
    workers: int = 16
    again_every: int = 20  # How often a success is asked for once more; 0 for never.
    early: bool = False  # A planted fault of the client itself: it notes successes before it asks.


class Client:
    def __init__(self, plan: Plan, door: Door) -> None:
        self.plan = plan
        self.door = door
        self.book = Writer(Path(plan.book))
        self.numbers = itertools.count(plan.first)
        self.stopping = False

    async def run(self) -> None:
        await self.book.note("")
        await asyncio.gather(*(self._work() for _ in range(self.plan.workers)))

    async def _work(self) -> None:
        for number in self.numbers:
            if self.stopping or number >= self.plan.first + self.plan.count:
                return
            user, key = f"{self.plan.row}-{number % self.plan.users}", f"k{number}"
            await self.book.note(f"I {user} {key} {number}")
            if self.plan.early:
                await self.book.note(f"A {user} {key} {number} 0 early")
            told = await self._until_certain(user, key, number)
            if told is None:
                continue
            if not self.plan.early:
                await self.book.note(f"A {user} {key} {number} {told[0]} {told[1]}")
            if self.plan.again_every and number % self.plan.again_every == 0:
                again = await self._until_certain(user, key, number)
                if again is not None and again != told:
                    await self.book.note(f"X {key} was told {told} and then {again}")

    async def _until_certain(self, user: str, key: str, number: int) -> tuple[int, str] | None:
        while not self.stopping:
            try:
                return await self.door.write(user, key, text_of(self.plan.row, number))
            except Again:
                await asyncio.sleep(PAUSE_SECONDS)
            except Refused as refused:
                await self.book.note(f"X {key} was refused: {refused}")
                return None
        return None


async def main(plan: dict[str, Any]) -> None:
    made = Plan(**plan)
    door = door_to(made.target)
    client = Client(made, door)

    def stop() -> None:
        client.stopping = True

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    await client.run()
    await door.close()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
