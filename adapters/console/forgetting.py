"""Forgetting: what is never to be mentioned, the bin, what ends by itself, undoing a source, erasing a user."""

from collections.abc import Mapping
from typing import cast

from adapters.console import shown
from adapters.console.memories import list_arguments
from adapters.console.site import Answer, Page
from adapters.console.visit import Goto, Shown, Visit
from adapters.identity import readable_spaces, require_unrestricted, writable_spaces
from adapters.rendering import parse_time
from engine.errors import InvalidMemory

FORGETTING = "/u/{user}/forgetting"
UPCOMING_SHOWN = 30


async def forgetting(visit: Visit) -> Answer:
    spaces = {"spaces": list(readable_spaces(visit.who))}
    suppressions = await visit.ask("suppressions", spaces)
    binned = await visit.ask("list", list_arguments(visit, {"status": "deleted"}))
    upcoming = await visit.ask("upcoming", {"limit": UPCOMING_SHOWN, **visit.sight()})
    whole = visit.who.unrestricted("read")
    stats: Mapping[str, object] = await visit.ask("stats", {}) if whole else {}
    return Shown(
        "forgetting.html",
        {
            "suppressions": suppressions["suppressions"],
            "binned": sorted(
                cast("list[dict[str, object]]", binned["memories"]), key=lambda one: cast(int, one["restorable_until"])
            ),
            "binned_total": binned["total"],
            "upcoming": upcoming["memories"],
            "upcoming_total": upcoming["total"],
            "capacities": upcoming["capacities"],
            "compaction_at": upcoming["compaction_at"],
            "stats": stats,
            "whole": whole,
            "whole_write": visit.may_write and visit.who.unrestricted("write"),
            "sources": tuple(shown.SOURCES),
        },
    )


async def suppress(visit: Visit) -> Answer:
    """Never mention this again."""
    args: dict[str, object] = {"about": visit.form.get("about", ""), "spaces": list(writable_spaces(visit.who))}
    if reason := visit.form.get("reason", "").strip():
        args["reason"] = reason
    reply = await visit.ask("suppress", args | visit.ceiling(), once=True)
    count = reply["suppressed"]
    visit.notice(
        "good", f"It will not be mentioned again; {count} memories are hidden.", f"不会再提起；已隐藏 {count} 条记忆。"
    )
    return Goto(visit.about("forgetting"))


async def lift(visit: Visit) -> Answer:
    """Let it be mentioned again."""
    args = {"suppression_id": visit.path["suppression_id"], "spaces": list(writable_spaces(visit.who))}
    reply = await visit.ask("lift_suppression", args, once=True)
    count = reply["restored"]
    visit.notice("good", f"Lifted; {count} memories are back.", f"已解除；恢复了 {count} 条记忆。")
    return Goto(visit.about("forgetting"))


async def revert(visit: Visit) -> Answer:
    """Bin everything that came from somewhere since a time."""
    args: dict[str, object] = {
        name: value for name in ("source", "client", "conversation") if (value := visit.form.get(name, "").strip())
    }
    since = visit.form.get("since", "").strip()
    args["since_ms"] = parse_time(since, "since")[0] if since else 0
    args["spaces"] = list(writable_spaces(visit.who))
    args["max_sensitivity"] = visit.who.max_sensitivity
    reply = await visit.ask("revert", args, once=True)
    gone, back = reply["deleted"], len(cast("list[str]", reply["restored"]))
    visit.notice(
        "good",
        f"{gone} memories are in the bin, {back} that they had replaced are back.",
        f"{gone} 条记忆已移入回收站，{back} 条曾被其取代的记忆已恢复。",
    )
    return Goto(visit.about("forgetting"))


async def run_due(visit: Visit) -> Answer:
    """What is due is done now and not at the next look."""
    counts = await visit.ask("maintain", {})
    said = ", ".join(f"{name} {number}" for name, number in counts.items() if isinstance(number, int) and number)
    visit.notice("good", f"Done. {said}", f"已执行。{said}")
    return Goto(visit.about("forgetting"))


async def erase(visit: Visit) -> Answer:
    """The whole user, for good. Whoever does it must type whose memory it is."""
    require_unrestricted(visit.who, "write")
    if visit.form.get("typed", "") != visit.user:
        raise InvalidMemory.of(
            visit.t("Type the user id exactly as it stands there.", "请原样输入用户 ID。"), field="typed"
        )
    reply = await visit.ask("erase", {}, once=True)
    visit.here.recent_users = [user for user in visit.here.recent_users if user != visit.user]
    return Shown("receipt.html", {"receipt": reply, "whole_user": True})


PAGES = (
    Page(method="GET", path=FORGETTING, handler=forgetting),
    Page(method="POST", path=FORGETTING + "/suppress", handler=suppress, role="write"),
    Page(method="POST", path=FORGETTING + "/suppressions/{suppression_id}/lift", handler=lift, role="write"),
    Page(method="POST", path=FORGETTING + "/revert", handler=revert, role="write"),
    Page(method="POST", path=FORGETTING + "/due", handler=run_due, role="admin"),
    Page(method="POST", path=FORGETTING + "/erase", handler=erase, role="admin"),
)
