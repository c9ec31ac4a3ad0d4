"""What the console is shown with: the demo's conversation, and one user with ten thousand memories."""

import itertools
from typing import Any

from rearview.demo.replay import conversation
from tests.adapters.console.service import DAY_MS, Console

MANY = 10_000
_PLACES = ("Lyon", "Bath", "上海", "Oslo", "Kyoto", "成都", "Porto", "Leeds")
_THINGS = ("parcel", "ticket", "invoice", "contract", "合同", "发票", "parcel", "sample")


async def tell_demo(console: Console, user: str = "alice") -> None:
    """Say everything that the demo says, when it says it."""
    now_ms = console.now_ms()
    for line in conversation():
        if "say" in line:
            said: dict[str, Any] = {
                "content": line["say"],
                "source": line.get("as", "user"),
                "said_at_ms": now_ms - int(line["days_ago"]) * DAY_MS,
                "conversation": f"demo-{int(line['days_ago']) // 14}",
            }
            await console.ask(user, "write", said)


async def fill(console: Console, user: str = "many", count: int = MANY) -> None:
    """Import many different memories."""
    rows = (
        {
            "id": f"n{number}",
            "content": f"The {_THINGS[number % 8]} no. {number} went to {_PLACES[number // 8 % 8]} with Anna{number}",
            "tier": "episodic" if number % 3 else "semantic",
            "source": "user",
        }
        for number in range(count)
    )
    while batch := list(itertools.islice(rows, 200)):
        await console.ask(user, "import_many", {"records": batch})


async def ask_demo(console: Console, user: str = "alice") -> None:
    """Ask what the demo asks, as an agent would."""
    for line in conversation():
        if "ask" in line:
            await console.ask(user, "search", {"query": line["ask"], "conversation": "demo-0"})
