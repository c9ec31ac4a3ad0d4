"""Memories as plain dicts that survive msgpack. Times are integer ms UTC; adapters render them.

The key names are those of the public contract, so an adapter only turns times into RFC 3339.
"""

from engine.memory import Memory, Suppression

Reply = dict[str, object]

TIME_KEYS = frozenset(
    {
        "created_at",
        "updated_at",
        "said_at",
        "occurred_at",
        "valid_from",
        "valid_to",
        "expires_at",
        "last_accessed_at",
        "restorable_until",
        "retired_at",
        "complete_by",
        "at",
        "as_of",
        "last_snapshot_at",
    }
)


def memory_view(memory: Memory, user_id: str) -> Reply:
    """A memory as the contract shows it (docs: "A memory"), with times in ms."""
    return {
        "id": memory.memory_id,
        "user": user_id,
        "tier": memory.tier.value,
        "category": memory.category.value,
        "content": memory.content,
        "source": memory.source.value,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "status": memory.status.value,
        "space": memory.space,
        "sensitivity": memory.sensitivity.value,
        "tags": list(memory.tags),
        "metadata": dict(memory.metadata),
        "task": memory.task,
        "conversation": memory.conversation,
        "client": memory.client,
        "created_at": memory.created_at_ms,
        "updated_at": memory.updated_at_ms,
        "said_at": memory.said_at_ms,
        "occurred_at": memory.occurred_at_ms,
        "valid_from": memory.valid_from_ms,
        "valid_to": memory.valid_to_ms,
        "expires_at": memory.expires_at_ms,
        "last_accessed_at": memory.last_accessed_at_ms,
        "access_count": memory.access_count,
        "pinned": memory.pinned,
        "supersedes": list(memory.supersedes),
        "superseded_by": memory.superseded_by,
        "derived_from": list(memory.derived_from),
        "version": memory.version,
        "subject": memory.subject,
        "marks": list(memory.marks),
        "restorable_until": memory.restorable_until_ms,
    }


def memory_with_history(memory: Memory, user_id: str) -> Reply:
    """The same with the texts that edits replaced, and the space and sensitivity that each had."""
    revisions = [
        {
            "content": r.content,
            "at": r.at_ms,
            "reason": r.reason,
            "version": r.version,
            "space": r.space or memory.space,
            "sensitivity": (r.sensitivity or memory.sensitivity).value,
        }
        for r in memory.revisions
    ]
    return {
        **memory_view(memory, user_id),
        "revisions": revisions,
        "repeats": memory.repeats,
        "suppressed_by": memory.suppressed_by,
        "suppressed_from": None if memory.suppressed_from is None else memory.suppressed_from.value,
    }


def suppression_view(suppression: Suppression) -> Reply:
    """A topic that is never to be mentioned, as its user sees it."""
    return {
        "id": suppression.suppression_id,
        "about": suppression.about,
        "reason": suppression.reason,
        "created_at": suppression.created_at_ms,
    }
