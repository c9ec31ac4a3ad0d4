"""Reviewing what was decided: memories that wait, memories set aside, and statements that were not kept."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from typing import cast

from adapters.console.memories import list_arguments
from adapters.console.shown import problem
from adapters.console.site import Answer, Page
from adapters.console.visit import Goto, Shown, Visit
from adapters.identity import require_unrestricted
from adapters.rendering import rfc3339
from engine.errors import InvalidMemory, RearviewError, UnknownMemory

REVIEW = "/u/{user}/review"
TABS = ("pending", "quarantined", "skipped", "try")
STEPS_SHOWN = 100
AT_ONCE = 200
SOURCES_OF_TURNS = {"assistant": "agent", "system": "tool"}


async def review(visit: Visit) -> Answer:
    """One of four tabs."""
    tab = visit.query.get("tab", "pending")
    if tab not in TABS:
        tab = TABS[0]
    values: dict[str, object] = {"tab": tab}
    if tab == "skipped":
        values["cases"] = await _skipped(visit)
    elif tab == "try":
        values |= {"text": "", "source": "user", "verdict": None}
    else:
        reply = await visit.ask("list", list_arguments(visit, {"status": tab}))
        memories = cast("list[Mapping[str, object]]", reply["memories"])
        verdicts = await _verdicts(visit, tab) if memories and visit.who.unrestricted("read") else {}
        values["cases"] = [{**memory, "kept": False, "verdict": verdicts.get(str(memory["id"]))} for memory in memories]
    return Shown("review.html", values)


async def settle(visit: Visit) -> Answer:
    """Confirm or reject all that are ticked, or the one whose own button was pressed."""
    op, _, only = visit.form.get("do", "").partition(":")
    if op not in ("confirm", "reject"):
        raise InvalidMemory.of("It is either confirm or reject.", field="do")
    memory_ids = _chosen(visit, only)
    done, missed = 0, 0
    for memory_id in memory_ids:
        try:
            await visit.require_writable(memory_id)
            await visit.ask(op, {"memory_id": memory_id, "reason": visit.form.get("reason", "")})
            done += 1
        except (UnknownMemory, InvalidMemory):
            missed += 1  # Somebody else has settled it meanwhile.
    if op == "confirm":
        visit.notice("good", f"{done} confirmed.", f"已确认 {done} 条。")
    else:
        visit.notice("good", f"{done} rejected; they are in the bin.", f"已拒绝 {done} 条，现在在回收站里。")
    if missed:
        visit.notice("warning", f"{missed} were settled already.", f"{missed} 条此前已处理。")
    return Goto(visit.about("review", tab=visit.form.get("tab", "")))


async def rescue(visit: Visit) -> Answer:
    """Keep statements that the gate had let go. They come in as an import does: as they are, said when they were."""
    require_unrestricted(visit.who, "write")
    only = visit.form.get("do", "").removeprefix("rescue").removeprefix(":")
    wanted = set(_chosen(visit, only))
    records = [case["record"] for case in await _skipped(visit) if case["id"] in wanted]
    reply = await visit.ask("import_many", {"records": records, "format": ""}, once=True)
    kept, refused = cast(int, reply["imported"]), cast("list[Mapping[str, object]]", reply["refused"])
    visit.notice("good", f"{kept} kept after all.", f"已补存 {kept} 条。")
    if refused:
        codes = ", ".join(sorted({str(one["code"]) for one in refused}))
        visit.notice("warning", f"{len(refused)} could not be kept: {codes}.", f"{len(refused)} 条无法保存：{codes}。")
    return Goto(visit.about("review", tab="skipped"))


async def try_out(visit: Visit) -> Answer:
    """What the gate would say to any text. Nothing is kept, and nothing is noted of it."""
    text, source = visit.form.get("text", ""), visit.form.get("source", "user")
    values: dict[str, object] = {"tab": "try", "text": text, "source": source, "verdict": None}
    try:
        args = {"content": text, "source": source, "dry_run": True, **visit.ceiling()}
        values["verdict"] = await visit.ask("write", args)
    except RearviewError as error:
        visit.say("bad", problem(error, visit.language))
        return Shown("review.html", values, 422)
    return Shown("review.html", values)


def _chosen(visit: Visit, only: str) -> Sequence[str]:
    chosen = [only] if only else visit.lists.get("id", [])
    if not chosen:
        raise InvalidMemory.of(visit.t("Tick at least one first.", "请先至少勾选一条。"), field="id")
    return chosen[:AT_ONCE]


async def _skipped(visit: Visit) -> list[dict[str, object]]:
    """The statements of the last days that were not kept, newest first, each once."""
    require_unrestricted(visit.who, "read")
    reply = await visit.ask("replay", {"outcome": "skipped", "order": "newest", "limit": STEPS_SHOWN})
    cases: dict[str, dict[str, object]] = {}
    for step in cast("list[Mapping[str, object]]", reply["turns"]):
        for written in cast("list[Mapping[str, object]]", step["written"]):
            case = _case_of(step, written)
            cases.setdefault(str(case["id"]), case)
    kept = await asyncio.gather(*(_is_there(visit, memory_id) for memory_id in cases))
    return [{**case, "kept": there} for case, there in zip(cases.values(), kept, strict=True)]


def _case_of(step: Mapping[str, object], written: Mapping[str, object]) -> dict[str, object]:
    text, role = str(written["content"]), str(step["role"] or "user")
    # The same statement gets the same id, so that rescuing it twice keeps it once.
    digest = hashlib.sha256(f"{step['said_at']}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
    memory_id = f"rescued-{digest}"
    record = {
        "id": memory_id,
        "content": text,
        "source": SOURCES_OF_TURNS.get(role, role),
        "said_at": rfc3339(cast(int, step["said_at"])),
        "conversation": step["conversation"],
        "space": step["space"],
        "line": 1,
    }
    return {"id": memory_id, "content": text, "step": step, "verdict": written, "record": record}


async def _is_there(visit: Visit, memory_id: str) -> bool:
    try:
        await visit.memory(memory_id)
    except UnknownMemory:
        return False
    return True


async def _verdicts(visit: Visit, outcome: str) -> dict[str, Mapping[str, object]]:
    """Rule and score of the memories that came to this outcome, as far as the trace still knows them."""
    reply = await visit.ask("replay", {"outcome": outcome, "order": "newest", "limit": AT_ONCE})
    return {
        str(written["memory_id"]): written
        for step in cast("list[Mapping[str, object]]", reply["turns"])
        for written in cast("list[Mapping[str, object]]", step["written"])
    }


PAGES = (
    Page(method="GET", path=REVIEW, handler=review),
    Page(method="POST", path=REVIEW + "/settle", handler=settle, role="write"),
    Page(method="POST", path=REVIEW + "/rescue", handler=rescue, role="write"),
    Page(method="POST", path=REVIEW + "/try", handler=try_out, role="write"),
)
