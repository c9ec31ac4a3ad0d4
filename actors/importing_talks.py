"""Import of plain conversations: what was said in them is decided like the turns of a talk, at the time it was said.

Nothing of it becomes working memory, because the talk is over. A record is a whole conversation, `{conversation?,
messages: [{role, content, at?}]}` (also under `turns`, with `id`, `title` or `conversation_id` as its name), or one
message of it, `{role, content, at?, conversation?}`. Other names of roles and times that products export are read too.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from actors.user_memory import UserMemory
from actors.zones import zone_of
from engine.errors import InvalidMemory
from engine.events import Event
from engine.scratch import Scratch
from engine.turns import Talk, Turn, check_talk, decide_turn
from engine.working import Around

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "function": "tool",
    "developer": "system",
}
_LISTS, _NAMES = ("messages", "turns"), ("conversation", "conversation_id", "id", "title")
_TIMES = ("at", "created_at", "create_time", "timestamp", "time", "said_at")
_SECONDS_MAX = 100_000_000_000  # A larger number counts milliseconds: as seconds it would lie in the year 5138.


def talks_of(record: Mapping[str, object], turns_max: int) -> list[tuple[Talk, list[Turn]]]:
    """A conversation in pieces of at most `turns_max` turns. Raises: InvalidMemory naming what cannot be read."""
    listed = next((record[name] for name in _LISTS if name in record), None)
    rows = [record] if listed is None else listed
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidMemory.of("It must be a list of messages.", field="messages")
    names = _NAMES if listed is not None else _NAMES[:2]
    name = next((str(record[one]) for one in names if record.get(one)), "imported")
    talk = Talk(conversation=name, task=str(record.get("task") or ""), space=str(record.get("space") or "shared"))
    turns = [_turn(cast("Mapping[str, object]", row)) for row in rows]
    return [(talk, turns[start : start + turns_max]) for start in range(0, len(turns), turns_max)]


def _turn(row: Mapping[str, object]) -> Turn:
    role = str(row.get("role") or row.get("sender") or row.get("from") or "user").lower()
    content = row.get("content", row.get("text"))
    if isinstance(content, list):  # Parts, of which only text says something.
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = "\n".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        raise InvalidMemory.of("It must be text.", field="content")
    said_at_ms, offset_minutes = _time(next((row[one] for one in _TIMES if row.get(one)), None))
    return Turn(role=_ROLES.get(role, role), content=content, said_at_ms=said_at_ms, offset_minutes=offset_minutes)


def _time(value: object) -> tuple[int | None, int | None]:
    """RFC 3339, or seconds or milliseconds since 1970, as ms and the offset in minutes that it was written with."""
    if value is None:
        return None, None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1000 * _SECONDS_MAX:
        return round(value * 1000 if value < _SECONDS_MAX else value), None
    try:
        if not isinstance(value, str) or len(value) > 64:
            raise ValueError
        moment = datetime.fromisoformat(value.strip())
        offset = moment.utcoffset()
        seconds = moment.timestamp() if offset is not None else (moment - datetime(1970, 1, 1)).total_seconds()
        return round(seconds * 1000), None if offset is None else int(offset.total_seconds() // 60)
    except (ValueError, OverflowError):
        raise InvalidMemory.of("It must be a time as in RFC 3339.", field="at") from None


async def decide_talk(
    actor: UserMemory, record: Mapping[str, object], *, client: str, trusted: bool
) -> list[tuple[Event, ...]]:
    """What each piece of a conversation comes to, one entry each; the caller holds `one_writer` and commits them.

    Raises: InvalidMemory, TooLarge for a conversation that cannot be taken; then none of it is.
    """
    parts = actor.parts
    talks = talks_of(record, parts.policy.limits.turns_max)
    for talk, turns in talks:
        check_talk(talk, turns, parts.policy.limits)
    scratch, entries = Scratch(actor.state), []
    for talk, turns in talks:
        done = len(scratch.events)
        for turn in turns:
            zone = zone_of("", actor.state.settings.time_zone, turn.offset_minutes, parts.policy.time_zone)
            around = Around(parts.now_ms(), zone, parts.policy)
            decide_turn(scratch, replace(talk, client=client, untrusted=not trusted), turn, parts.new_id(), around)
            await asyncio.sleep(0)
        entries.append(tuple(scratch.events[done:]))
    return entries
