"""One memory: what it says and said, what it replaced or came from, and everything that can be done to it."""

from collections.abc import Mapping, Sequence
from typing import cast

from adapters.console.ask import whole
from adapters.console.site import Answer, Page
from adapters.console.visit import Goto, Shown, Visit
from adapters.identity import require_sensitivity, require_space_write
from engine.errors import InvalidMemory, UnknownMemory

MEMORY = "/u/{user}/memories/{memory_id}"
LINE_MAX = 12
VERSION_MAX = 10**9
LINKS_MAX = 20
TAG_SEPARATORS = (",", "，", "、")


async def memory_page(visit: Visit) -> Answer:
    memory = await visit.memory(visit.path["memory_id"])
    return Shown(
        "memory.html",
        {
            "memory": memory,
            "line": await _line_of(visit, memory),
            "steps": await _steps_with(visit, str(memory["id"])),
            "derived_from": await _linked(visit, cast("list[str]", memory["derived_from"])),
        },
    )


async def edit(visit: Visit) -> Answer:
    """Change text and properties, with the reason why."""
    memory_id = visit.path["memory_id"]
    memory = await visit.require_writable(memory_id)
    form = visit.form
    if not form.get("reason", "").strip():
        raise InvalidMemory.of(
            visit.t("Say in a few words why you change it.", "请简单说明修改的原因。"), field="reason"
        )
    args: dict[str, object] = {"memory_id": memory_id, "reason": form["reason"].strip()}
    # All that the form holds goes along, also what is as it was: the same form sent twice must ask for the same.
    args |= {name: form[name] for name in ("content", "tier", "category", "sensitivity", "space") if form.get(name)}
    if args.get("content") == str(memory["content"]).replace("\r\n", "\n"):
        args["content"] = memory["content"]  # Only the line ends differ, and those the browser has changed.
    if "tags" in form:
        args["tags"] = _tags(form["tags"])
    if "space" in args:
        require_space_write(visit.who, str(args["space"]))
    require_sensitivity(visit.who, str(args.get("sensitivity", "normal")))
    if version := form.get("version", ""):
        args["if_version"] = whole(version, 1, VERSION_MAX)
    return await _changed(visit, args)


async def pin(visit: Visit) -> Answer:
    """Pinned memories are never archived to make room."""
    memory_id = visit.path["memory_id"]
    await visit.require_writable(memory_id)
    pinned = visit.form.get("pinned") == "yes"
    return await _changed(visit, {"memory_id": memory_id, "pinned": pinned, "reason": ""})


async def bin_memory(visit: Visit) -> Answer:
    """To the bin, restorable for a week."""
    await visit.require_writable(visit.path["memory_id"])
    args = {"memory_id": visit.path["memory_id"], "reason": visit.form.get("reason", ""), "client": visit.who.agent}
    await visit.ask("bin", args, once=True)
    visit.notice("good", "Moved to the bin. It can be restored for seven days.", "已移入回收站，七天内可以恢复。")
    return _back(visit)


async def restore(visit: Visit) -> Answer:
    return await _settle(visit, "restore", "It is current again.", "已恢复。")


async def confirm(visit: Visit) -> Answer:
    return await _settle(visit, "confirm", "Confirmed.", "已确认。")


async def reject(visit: Visit) -> Answer:
    return await _settle(visit, "reject", "Rejected; it is in the bin.", "已拒绝，现在在回收站里。")


async def purge(visit: Visit) -> Answer:
    """Erase one memory for good. The page with the receipt is the answer: there is nothing left to look at."""
    await visit.require_writable(visit.path["memory_id"])
    if visit.form.get("sure") != "yes":
        raise InvalidMemory.of(
            visit.t("Tick the box first: a purge cannot be undone.", "请先勾选：彻底清除无法撤销。"), field="sure"
        )
    reply = await visit.ask("purge", {"memory_id": visit.path["memory_id"]}, once=True)
    return Shown("receipt.html", {"receipt": reply, "whole_user": False})


async def _changed(visit: Visit, args: Mapping[str, object]) -> Answer:
    reply = await visit.ask("edit", {**args, "client": visit.who.agent}, once=True)
    if reply["outcome"] == "stored":
        visit.notice("good", "Saved.", "已保存。")
    else:
        visit.say("warning", str(reply["reason"]))
    return _back(visit)


async def _settle(visit: Visit, op: str, english: str, chinese: str) -> Answer:
    await visit.require_writable(visit.path["memory_id"])
    args = {"memory_id": visit.path["memory_id"], "reason": visit.form.get("reason", "")}
    await visit.ask(op, args, once=True)
    visit.notice("good", english, chinese)
    return _back(visit)


def _back(visit: Visit) -> Goto:
    return Goto(visit.about("memories", visit.path["memory_id"]))


async def _steps_with(visit: Visit, memory_id: str) -> list[Mapping[str, object]] | None:
    """When it was recalled or used lately; None for a token that may not see what others asked."""
    if not visit.who.unrestricted("read"):
        return None
    reply = await visit.ask("replay", {"memory": memory_id, "order": "newest", "limit": LINKS_MAX})
    steps = cast("list[Mapping[str, object]]", reply["turns"])
    return [step for step in steps if step["recalled"]]


async def _line_of(visit: Visit, memory: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The line of statements that this one stands in, oldest first: what it replaced, itself, what replaced it."""
    line: list[Mapping[str, object]] = [memory]
    while len(line) < LINE_MAX and (older := cast("list[str]", line[0]["supersedes"])):
        found = await _linked(visit, older[:1])
        if not found or found[0]["id"] in {one["id"] for one in line}:
            break
        line.insert(0, found[0])
    while len(line) < 2 * LINE_MAX and (newer := line[-1]["superseded_by"]):
        found = await _linked(visit, [str(newer)])
        if not found or found[0]["id"] in {one["id"] for one in line}:
            break
        line.append(found[0])
    return line


async def _linked(visit: Visit, memory_ids: Sequence[str]) -> list[Mapping[str, object]]:
    """The memories of these ids that are still there and that the token may see."""
    found: list[Mapping[str, object]] = []
    for memory_id in memory_ids[:LINKS_MAX]:
        try:
            found.append(await visit.memory(memory_id))
        except UnknownMemory:
            continue  # Purged, or outside of the token: then there is nothing to show.
    return found


def _tags(text: str) -> list[str]:
    for separator in TAG_SEPARATORS[1:]:
        text = text.replace(separator, TAG_SEPARATORS[0])
    return [tag for one in text.split(TAG_SEPARATORS[0]) if (tag := one.strip())]


PAGES = (
    Page(method="GET", path=MEMORY, handler=memory_page),
    Page(method="POST", path=MEMORY + "/edit", handler=edit, role="write"),
    Page(method="POST", path=MEMORY + "/pin", handler=pin, role="write"),
    Page(method="POST", path=MEMORY + "/bin", handler=bin_memory, role="write"),
    Page(method="POST", path=MEMORY + "/restore", handler=restore, role="write"),
    Page(method="POST", path=MEMORY + "/confirm", handler=confirm, role="write"),
    Page(method="POST", path=MEMORY + "/reject", handler=reject, role="write"),
    Page(method="POST", path=MEMORY + "/purge", handler=purge, role="write"),
)
