"""The list of memories: filters, search as you type, a page at a time."""

from collections.abc import Mapping
from typing import cast

from adapters.console import shown
from adapters.console.site import Answer, Page
from adapters.console.visit import Shown, Visit
from adapters.identity import readable_spaces
from adapters.rendering import parse_time

PAGE_ROWS = 50
FILTERS = ("status", "tier", "category", "source", "space", "conversation", "as_of", "q")
STATUS_CHOICES = ("active", "any", *(status for status in shown.STATUSES if status != "active"))


async def memories(visit: Visit) -> Answer:
    """The list, or the rows that a filter, a letter more or "show more" ask for."""
    wanted = {name: value for name in FILTERS if (value := visit.query.get(name, "").strip())}
    cursor = visit.query.get("cursor", "")
    reply = await visit.ask("list", list_arguments(visit, wanted, cursor))
    rows = cast("list[Mapping[str, object]]", reply["memories"])
    next_cursor = cast(str, reply["next_cursor"])
    template = {"more": "memories_rows.html", "results": "memories_results.html"}.get(visit.partial, "memories.html")
    return Shown(
        template,
        {
            "rows": rows,
            "total": reply["total"],
            "wanted": {name: wanted.get(name, "") for name in FILTERS},
            "filtered": bool(wanted),
            "more": visit.about("memories", **wanted, cursor=next_cursor) if next_cursor else "",
            "status_choices": STATUS_CHOICES,
        },
    )


def list_arguments(visit: Visit, wanted: Mapping[str, str], cursor: str = "") -> dict[str, object]:
    """The arguments of "list", bounded by what the token may read."""
    space, as_of = wanted.get("space", ""), wanted.get("as_of", "")
    return {
        **{name: value for name, value in wanted.items() if name != "as_of"},
        **({"as_of_ms": parse_time(as_of, "as_of")[0]} if as_of else {}),
        "limit": PAGE_ROWS,
        "cursor": cursor,
        "spaces": list(readable_spaces(visit.who, (space,) if space else ())),
        "max_sensitivity": visit.who.max_sensitivity,
    }


PAGES = (Page(method="GET", path="/u/{user}/memories", handler=memories),)
