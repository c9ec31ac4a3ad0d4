"""The audit trail: what was done for this user, when and under which token; and whether it is as it was written."""

from collections.abc import Mapping
from typing import cast

from adapters.console.site import Answer, Page
from adapters.console.visit import Shown, Visit
from adapters.identity import require_unrestricted

ENTRIES_SHOWN = 100


async def audit(visit: Visit) -> Answer:
    """A page of the trail, newest first, with the verdict on all of it."""
    require_unrestricted(visit.who, "read")
    cursor = visit.query.get("cursor", "")
    page = await visit.ask("audit", {"limit": ENTRIES_SHOWN, "cursor": cursor})
    verdict = await visit.ask("audit_verify", {})
    next_cursor = cast(str, page["next_cursor"])
    return Shown(
        "audit.html",
        {
            "entries": cast("list[Mapping[str, object]]", page["entries"]),
            "total": page["total"],
            "verdict": verdict,
            "more": visit.about("audit", cursor=next_cursor) if next_cursor else "",
        },
    )


PAGES = (Page(method="GET", path="/u/{user}/audit", handler=audit),)
