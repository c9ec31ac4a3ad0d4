"""Asking as the agent asks: each hit with what its score is made of, and the same question under another ranking.

The answer comes from the replay of a search, which notes nothing: trying out must not show up as something that an
agent asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from adapters.console.site import Answer, Page
from adapters.console.visit import Goto, Shown, Visit
from adapters.identity import require_unrestricted
from adapters.rendering import parse_time
from engine.errors import InvalidMemory
from engine.policy import RecallPolicy

TOP_K = 10
WEIGHTS = ("semantic", "keyword", "recency", "confidence")
HALF_LIFE_MAX = 365
ASK = "/u/{user}/ask"


@dataclass(frozen=True, slots=True)
class Knob:
    """One slider: whole numbers, what is saved and what is tried."""

    name: str
    saved: int
    tried: int
    least: int
    most: int
    unit: str

    @property
    def changed(self) -> bool:
        return self.saved != self.tried


async def ask(visit: Visit) -> Answer:
    """The page, or the answer alone while somebody moves a slider."""
    knobs = await knobs_of(visit, visit.query)
    query = visit.query.get("query", "").strip()
    values: dict[str, object] = {"knobs": knobs, "query": query, "as_of": visit.query.get("as_of", ""), "found": None}
    if query:
        values |= await answered(visit, query, knobs)
    return Shown("ask_answer.html" if visit.partial == "answer" else "ask.html", values)


async def answered(visit: Visit, query: str, knobs: Sequence[Knob]) -> dict[str, object]:
    """What the question finds, each hit with its place under the saved ranking."""
    as_of = visit.query.get("as_of", "").strip()
    args: dict[str, object] = {"query": query, "top_k": TOP_K, **visit.sight(), **ranking_of(knobs)}
    if as_of:
        args["as_of_ms"] = parse_time(as_of, "as_of")[0]
    found = await visit.ask("replay_search", args)
    return {"found": found, "hits": hits_of(found), "gone": gone_of(found), "as_of_ms": args.get("as_of_ms")}


async def keep_half_life(visit: Visit) -> Answer:
    """Make the half-life that was tried out the user's own."""
    require_unrestricted(visit.who, "write")
    days = whole(visit.form.get("half_life", ""), 1, HALF_LIFE_MAX)
    await visit.ask("settings_put", {"settings": {"half_life_days": days}}, once=True)
    visit.notice(
        "good", f"The half-life of this user's memories is {days} days now.", f"此用户记忆的半衰期现为 {days} 天。"
    )
    return Goto(visit.about("ask", query=visit.form.get("query", "")))


async def knobs_of(visit: Visit, given: Mapping[str, str]) -> tuple[Knob, ...]:
    """The sliders as they stand: what is saved, changed by what the form says."""
    policy = visit.parts.policy.recall
    settings = await visit.ask("settings_get", {})
    saved = {name: round(100 * float(getattr(policy, f"{name}_weight"))) for name in WEIGHTS}
    knobs = [Knob(name, saved[name], whole(given.get(name, ""), 0, 100, saved[name]), 0, 100, "%") for name in WEIGHTS]
    half_life = saved_half_life(settings.get("half_life_days"), policy)
    tried = whole(given.get("half_life", ""), 1, HALF_LIFE_MAX, half_life)
    knobs.append(Knob("half_life", half_life, tried, 1, HALF_LIFE_MAX, "d"))
    floor = round(100 * policy.floor)
    knobs.append(Knob("floor", floor, whole(given.get("floor", ""), 0, 100, floor), 0, 100, "%"))
    return tuple(knobs)


def ranking_of(knobs: Sequence[Knob]) -> dict[str, object]:
    """The arguments of a replayed search; nothing where every slider stands where it was saved."""
    by_name = {knob.name: knob for knob in knobs}
    args: dict[str, object] = {}
    if any(by_name[name].changed for name in WEIGHTS):
        if not any(by_name[name].tried for name in WEIGHTS):
            raise InvalidMemory.of("At least one of the four weights must be more than 0.", field="weights")
        args |= {f"{name}_weight": by_name[name].tried / 100 for name in WEIGHTS}
    if by_name["half_life"].changed:
        args["half_life_days"] = float(by_name["half_life"].tried)
    if by_name["floor"].changed:
        args["floor"] = by_name["floor"].tried / 100
    return args


def hits_of(found: Mapping[str, object]) -> list[dict[str, object]]:
    """Each hit with its place before (0 for new ones) and the segments of its bar."""
    before = cast("list[Mapping[str, object]]", found["before"])
    places = {str(one["memory_id"]): place for place, one in enumerate(before, start=1)}
    hits = cast("list[Mapping[str, object]]", found["after"])
    return [{**hit, "was": places.get(str(hit["id"]), 0), "bar": segments_of(hit)} for hit in hits]


def gone_of(found: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The hits that the saved ranking has and this one has not."""
    now = {str(hit["id"]) for hit in cast("list[Mapping[str, object]]", found["after"])}
    before = cast("list[Mapping[str, object]]", found["before"])
    return [one for one in before if str(one["memory_id"]) not in now]


def segments_of(hit: Mapping[str, object]) -> list[dict[str, object]]:
    """The score cut into its parts, in hundredths: what the boosts do is shared among them in proportion."""
    why = cast("Mapping[str, Mapping[str, float]]", hit["why"])
    total = sum(why[name]["part"] for name in WEIGHTS)
    scale = 100 * cast(float, hit["score"]) / total if total > 0 else 0.0
    segments, start = [], 0.0
    for name in WEIGHTS:
        width = why[name]["part"] * scale
        segments.append({"name": name, "start": round(start, 2), "width": round(width, 2)})
        start += width
    return segments


def saved_half_life(own: object, policy: RecallPolicy) -> int:
    """The half-life in force, in whole days; where categories differ, that of facts."""
    days = dict(policy.half_life_days)["fact"]
    if isinstance(own, Mapping):
        days = float(own.get("fact", days))
    elif isinstance(own, int | float):
        days = float(own)
    return min(HALF_LIFE_MAX, max(1, round(days)))


def whole(text: str, least: int, most: int, absent: int | None = None) -> int:
    """A whole number of a form. Raises: InvalidMemory when it is none or out of bounds."""
    if not text and absent is not None:
        return absent
    if not text.isascii() or not text.isdigit() or len(text) > 10 or not least <= int(text) <= most:
        raise InvalidMemory.of(f"It takes a whole number from {least} to {most}.", field="number")
    return int(text)


PAGES = (
    Page(method="GET", path=ASK, handler=ask),
    Page(method="POST", path=ASK + "/half-life", handler=keep_half_life, role="write"),
)
