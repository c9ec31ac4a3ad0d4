"""Replay: what was handed over, written, skipped and recalled, step by step; asked again; labelled; compared."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import cast

from pydantic_core import to_json

from adapters.console import agreement
from adapters.console.ask import Knob, gone_of, hits_of, knobs_of, ranking_of
from adapters.console.memories import list_arguments
from adapters.console.site import Answer, Page
from adapters.console.visit import Goto, Raw, Shown, Stream, Visit
from adapters.identity import require_unrestricted
from adapters.rendering import rfc3339
from engine.errors import InvalidMemory, UnknownMemory

REPLAY = "/u/{user}/replay"
STEPS_SHOWN = 200
KNOWN_SHOWN = 8
AT_ONCE = 8
ASKED = ("search", "context")
RIGHT = {"yes": True, "no": False, "": None}

Step = Mapping[str, object]


async def replay(visit: Visit) -> Answer:
    """The timeline of a conversation, or of all, with one step opened."""
    conversation = visit.query.get("conversation", "")
    steps = await steps_of(visit, conversation)
    place = _place_of(steps, visit.query.get("step", ""))
    values: dict[str, object] = {
        "steps": steps,
        "conversation": conversation,
        "conversations": await _conversations(visit) if not visit.partial else [],
        "step": None,
        "before": "",
        "after": "",
    }
    if steps:
        step = steps[place]
        values |= {
            "step": step,
            "place": place + 1,
            "before": str(steps[place - 1]["id"]) if place > 0 else "",
            "after": str(steps[place + 1]["id"]) if place + 1 < len(steps) else "",
            **await _opened(visit, step),
        }
    return Shown("replay_again.html" if visit.partial == "again" else "replay.html", values)


async def label(visit: Visit) -> Answer:
    """Say of one hit that it was right, or wrong, or take that back; then look at what the form names."""
    require_unrestricted(visit.who, "write")
    right = visit.form.get("right", "")
    if right not in RIGHT:
        raise InvalidMemory.of("It is yes, no or nothing.", field="right")
    await visit.ask(
        "label",
        {
            "search_id": visit.form.get("search_id", ""),
            "memory_id": visit.form.get("memory_id", ""),
            "right": RIGHT[right],
        },
    )
    if visit.form.get("then") == "sample":
        return Goto(visit.about("replay", "sample"))
    return Goto(visit.about("replay", conversation=visit.form.get("conversation", ""), step=visit.form.get("step", "")))


async def sample(visit: Visit) -> Answer:
    """A hundred hits of the last seven days, one after the other, to be called right or wrong."""
    hits = agreement.sampled(await steps_of(visit, "", kinds=ASKED))
    open_ones = [hit for hit in hits if hit.right is None]
    return Shown(
        "sample.html",
        {
            "total": len(hits),
            "done": len(hits) - len(open_ones),
            "hit": open_ones[0] if open_ones else None,
            "standing": agreement.standing_of(hits),
        },
    )


async def compare(visit: Visit) -> Answer:
    """Every search of a conversation, or of all, under another ranking, beside what it returned."""
    conversation = visit.query.get("conversation", "")
    knobs = await knobs_of(visit, visit.query)
    values: dict[str, object] = {"knobs": knobs, "conversation": conversation, "rows": None, "standing": None}
    if any(knob.changed for knob in knobs):
        steps = [one for one in await steps_of(visit, conversation, kinds=ASKED) if one["text"]]
        values |= await _compared(visit, steps, knobs)
    elif not visit.partial:
        values["conversations"] = await _conversations(visit)
    values.setdefault("conversations", await _conversations(visit) if not visit.partial else [])
    return Shown("compare_answer.html" if visit.partial == "compared" else "compare.html", values)


async def labels_file(visit: Visit) -> Answer:
    """The labelled searches in the form that `rearview tune` reads."""
    require_unrestricted(visit.who, "read")
    questions = agreement.questions_of(await steps_of(visit, "", kinds=ASKED))
    headers = {"content-disposition": 'attachment; filename="labels.jsonl"'}
    if not questions:
        return Raw(b"", "application/x-ndjson", headers)
    return Stream(_pool(visit, questions), "application/x-ndjson", headers)


async def steps_of(visit: Visit, conversation: str, *, kinds: Sequence[str] = ()) -> list[Step]:
    """The last steps, oldest first; of these kinds where some are named."""
    require_unrestricted(visit.who, "read")
    args: dict[str, object] = {"order": "newest", "limit": STEPS_SHOWN}
    if conversation:
        args["conversation"] = conversation
    replies = await asyncio.gather(
        *(visit.ask("replay", {**args, **({"kind": kind} if kind else {})}) for kind in kinds or ("",))
    )
    steps = [step for reply in replies for step in cast("list[Step]", reply["turns"])]
    return sorted(steps, key=lambda step: int(str(step["id"]), 16))


async def _conversations(visit: Visit) -> list[str]:
    """The conversations of the trace, the one spoken in last first."""
    names = [str(step["conversation"]) for step in reversed(await steps_of(visit, ""))]
    return [name for name in dict.fromkeys(names) if name]


def _place_of(steps: Sequence[Step], step_id: str) -> int:
    """Where the step stands that an address names; the last one where it names none."""
    if not step_id:
        return max(0, len(steps) - 1)
    for place, step in enumerate(steps):
        if step["id"] == step_id:
            return place
    raise UnknownMemory.of("There is no such step in the trace any more.", field="step")


async def _opened(visit: Visit, step: Step) -> dict[str, object]:
    """What was known at a step, and, where it asked something, the same question under the sliders' ranking."""
    known = await visit.ask("list", {**list_arguments(visit, {}), "as_of_ms": step["at"], "limit": KNOWN_SHOWN})
    opened: dict[str, object] = {
        "known": known["memories"],
        "known_total": known["total"],
        "as_of": rfc3339(cast(int, step["at"])),
        "knobs": (),
        "hits": None,
        "gone": [],
    }
    if step["kind"] in ASKED and step["text"]:
        knobs = await knobs_of(visit, visit.query)
        opened["knobs"] = knobs
        if any(knob.changed for knob in knobs):
            again = await visit.ask("replay_search", {"search_id": step["search_id"], **ranking_of(knobs)})
            opened |= {"hits": hits_of(again), "gone": gone_of(again)}
    return opened


async def _compared(visit: Visit, steps: Sequence[Step], knobs: Sequence[Knob]) -> dict[str, object]:
    ranking = ranking_of(knobs)
    places = asyncio.Semaphore(AT_ONCE)

    async def again(step: Step) -> dict[str, object]:
        async with places:
            reply = await visit.ask("replay_search", {"search_id": step["search_id"], **ranking})
        now = [str(one["id"]) for one in cast("list[Step]", reply["after"])]
        return {"step": step, "difference": reply["difference"], "now": now}

    rows = await asyncio.gather(*(again(step) for step in steps))
    changed = [row for row in rows if any(cast("Mapping[str, object]", row["difference"]).values())]
    return {
        "rows": changed,
        "steps_count": len(rows),
        "standing": agreement.compared([(cast(Step, row["step"]), cast("list[str]", row["now"])) for row in rows]),
    }


async def _pool(visit: Visit, questions: Sequence[Mapping[str, object]]) -> AsyncIterator[bytes]:
    """One line: every memory, and the questions with what is right."""
    yield b'{"pool": ' + to_json(visit.user) + b', "docs": ['
    cursor, first = "", True
    while True:
        page = await visit.ask("export", {"cursor": cursor, "limit": STEPS_SHOWN})
        for line in cast("list[Step]", page["lines"]):
            if "tier" in line and line["status"] == "active":
                yield (b"" if first else b", ") + to_json(_doc_of(line))
                first = False
        cursor = cast(str, page["next_cursor"])
        if not cursor:
            break
    yield b'], "queries": ' + to_json(questions) + b"}\n"


def _doc_of(line: Step) -> dict[str, object]:
    return {
        "id": line["id"],
        "text": line["content"],
        "said_at": rfc3339(cast(int, line["said_at"])),
        "session": line["conversation"],
        "tier": line["tier"],
        "category": line["category"],
    }


PAGES = (
    Page(method="GET", path=REPLAY, handler=replay),
    Page(method="POST", path=REPLAY + "/label", handler=label, role="write"),
    Page(method="GET", path=REPLAY + "/sample", handler=sample),
    Page(method="GET", path=REPLAY + "/compare", handler=compare),
    Page(method="GET", path=REPLAY + "/labels", handler=labels_file),
)
