"""Forgetting by description, as a change like any other: decided and appended under the one writer."""

from typing import cast

from actors.changes import Change, Decided
from actors.replies import Reply
from actors.requests import Request
from actors.user_memory import Note, UserMemory
from actors.zones import zone_of
from engine.commands import Recall
from engine.errors import InvalidMemory, TooLarge
from engine.forget_about import MATCHES_MAX, decide_forget_about, topic_of
from engine.recall import decide_recall


def _forget_about(actor: UserMemory, request: Request, now_ms: int) -> Decided:
    about = request.args.get("about")
    parts = actor.parts
    if not isinstance(about, str) or not about.strip():
        raise InvalidMemory.of("say what to forget", field="about")
    if len(about) > parts.policy.limits.query_chars_max:
        raise TooLarge.of(f"at most {parts.policy.limits.query_chars_max} characters", field="about")
    topic = topic_of(about)
    zone = zone_of("", actor.state.settings.time_zone, None, parts.policy.time_zone)
    recall = Recall(query=topic.text, top_k=MATCHES_MAX, statuses=("active", "pending"))
    result = decide_recall(actor.state, recall, query=parts.static.encode(topic.text), space=parts.space,
                           now_ms=now_ms, zone=zone, policy=parts.policy)
    decision = decide_forget_about(result, topic, str(request.args.get("reason") or ""), now_ms=now_ms,
                                   policy=parts.policy)
    return Decided(decision.events, {"ids": list(decision.memory_ids), "suppressed": decision.suppressed,
                                     "restorable_until": decision.restorable_until_ms})


def _render(actor: UserMemory, note: Note) -> Reply:
    ids = cast("list[str]", note["ids"])
    memories = actor.state.memories
    return {
        "deleted": len(ids), "restorable_until": note["restorable_until"], "suppressed": note["suppressed"],
        "memories": [{"memory_id": one, "content": memories[one].content if one in memories else ""} for one in ids],
    }


FORGET_ABOUT = Change(_forget_about, _render)
