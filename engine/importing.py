"""Import: a record keeps its id, times, source and status. No scoring, no merging, no reconciling.

A record is one line of an export, or the least record `{content}`. What it says about trust (confidence, source) is
kept: it counts for superseding and promotion later, never for ranking. Of screening only the limits apply here and
whatever `screen_import` masks, quarantines or refuses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from engine.change import Decision
from engine.commands import Write
from engine.errors import Conflict, InvalidMemory
from engine.events import MemoryWritten, SuppressionAdded
from engine.limits import check_choice, check_reason, check_write
from engine.memory import (
    NO_METADATA,
    UNTRUSTED,
    Category,
    Memory,
    Revision,
    Sensitivity,
    Source,
    Status,
    Suppression,
    Tier,
)
from engine.policy import Policy
from engine.state import UserState
from engine.suppress import check_topic, is_suppressed

_TIMES = (
    "created_at",
    "updated_at",
    "said_at",
    "occurred_at",
    "valid_from",
    "valid_to",
    "expires_at",
    "last_accessed_at",
    "restorable_until",
)
YEAR_9999_MS = 253_402_300_799_999


@dataclass(frozen=True, slots=True)
class _Given:
    """A record, read field by field; a wrong type names its field."""

    record: Mapping[str, object]

    def text(self, name: str, default: str = "") -> str:
        value = self.record.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise InvalidMemory.of("It must be text.", field=name)
        return value

    def words(self, name: str) -> tuple[str, ...]:
        value = self.record.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InvalidMemory.of("It must be a list of texts.", field=name)
        return tuple(value)

    def number(self, name: str) -> float | None:
        value = self.record.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidMemory.of("It must be a number.", field=name)
        return float(value)

    def count(self, name: str, default: int) -> int:
        value = self.number(name)
        return default if value is None or not 0 <= value < 2**31 else int(value)

    def time_ms(self, name: str, zone: tzinfo) -> int | None:
        """Integer milliseconds, or RFC 3339; a time without an offset is in the user's zone."""
        value = self.record.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= YEAR_9999_MS:
            return value
        try:
            moment = datetime.fromisoformat(str(value)) if isinstance(value, str) and len(value) <= 40 else None
            if moment is None:
                raise ValueError
            aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
            return round(aware.timestamp() * 1000)
        except (ValueError, OverflowError):
            raise InvalidMemory.of("It must be a time as in RFC 3339.", field=name) from None


def decide_import(
    state: UserState,
    record: Mapping[str, object],
    *,
    memory_id: str,
    now_ms: int,
    zone: tzinfo,
    policy: Policy,
    trusted: bool = True,
) -> Decision:
    """Take one record as it is. One that is not `trusted` is marked so: it supersedes and rises as any import does.

    Raises: InvalidMemory, TooLarge naming the field; Conflict when the id is taken.
    """
    given = _Given(record)
    _check_id(state, memory_id, policy)
    times = {name: given.time_ms(name, zone) for name in _TIMES}
    write = _as_write(given, times)
    check_write(write, policy.limits)
    memory = _memory(given, write, times, memory_id, now_ms, policy)
    if not trusted and UNTRUSTED not in memory.marks:
        memory = replace(memory, marks=(*memory.marks, UNTRUSTED))
    if memory.status is not Status.SUPPRESSED and is_suppressed(state, memory.content, memory.space):
        return Decision("suppressed", None, (), "It is about something never to be mentioned again.", "suppressed")
    return Decision("stored", memory, (MemoryWritten(memory),), "Imported as it is.", "imported")


def decide_import_suppression(
    state: UserState, record: Mapping[str, object], *, now_ms: int, zone: tzinfo, policy: Policy
) -> SuppressionAdded | None:
    """Take one suppression of an export as it is; None where it is known. Raises: InvalidMemory, TooLarge."""
    given = _Given(record)
    about, suppression_id = given.text("about"), given.text("id")
    check_topic(state, about, policy)
    if not 1 <= len(suppression_id) <= policy.limits.memory_id_chars_max or not suppression_id.isprintable():
        raise InvalidMemory.of("An id has 1 to 128 printable characters.", field="id")
    if suppression_id in state.suppressions:
        return None
    check_reason(given.text("reason"), policy.limits)
    created_at_ms = given.time_ms("created_at", zone)
    return SuppressionAdded(
        Suppression(
            suppression_id=suppression_id,
            about=about,
            reason=given.text("reason"),
            spaces=given.words("spaces"),
            created_at_ms=now_ms if created_at_ms is None else created_at_ms,
        )
    )


def _check_id(state: UserState, memory_id: str, policy: Policy) -> None:
    if not 1 <= len(memory_id) <= policy.limits.memory_id_chars_max or not memory_id.isprintable():
        raise InvalidMemory.of("An id has 1 to 128 printable characters.", field="id")
    if memory_id in state.memories:
        raise Conflict.of("This id is taken.", field="id", code="id_taken")


def _as_write(given: _Given, times: Mapping[str, int | None]) -> Write:
    metadata = given.record.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidMemory.of("It must be an object.", field="metadata")
    return Write(
        content=given.text("content"),
        tier=given.text("tier", "auto") or "auto",
        category=given.text("category", "auto") or "auto",
        source=given.text("source", "import") or "import",
        confidence=given.number("confidence"),
        said_at_ms=times["said_at"],
        occurred_at_ms=times["occurred_at"],
        task=given.text("task"),
        conversation=given.text("conversation"),
        space=given.text("space", "shared") or "shared",
        sensitivity=given.text("sensitivity", "normal") or "normal",
        tags=given.words("tags"),
        metadata=NO_METADATA if metadata is None else dict(metadata),
        client=given.text("client"),
    )


def _memory(
    given: _Given, write: Write, times: Mapping[str, int | None], memory_id: str, now_ms: int, policy: Policy
) -> Memory:
    status = given.text("status", "active") or "active"
    check_choice(status, "status", frozenset(Status))
    tier = Tier.EPISODIC if write.tier == "auto" else Tier(write.tier)
    said_at_ms = write.said_at_ms if write.said_at_ms is not None else times["created_at"] or now_ms
    confidence = policy.write.confidence_of(write.source) if write.confidence is None else write.confidence
    created_at_ms = now_ms if times["created_at"] is None else times["created_at"]
    return Memory(
        memory_id=memory_id,
        content=write.content,
        tier=tier,
        category=Category.FACT if write.category == "auto" else Category(write.category),
        source=Source(write.source),
        confidence=float(confidence),
        importance=0.5,
        status=Status(status),
        created_at_ms=created_at_ms,
        updated_at_ms=times["updated_at"] or created_at_ms,
        said_at_ms=said_at_ms,
        valid_from_ms=said_at_ms if times["valid_from"] is None else times["valid_from"],
        valid_to_ms=_ended(status, times, now_ms),
        space=write.space,
        sensitivity=Sensitivity(write.sensitivity),
        tags=write.tags,
        metadata=write.metadata,
        task=write.task,
        conversation=write.conversation,
        client=write.client,
        occurred_at_ms=write.occurred_at_ms,
        expires_at_ms=_expiry(given, tier, times, now_ms, policy),
        last_accessed_at_ms=times["last_accessed_at"],
        access_count=given.count("access_count", 0),
        pinned=given.record.get("pinned") is True,
        supersedes=given.words("supersedes"),
        superseded_by=given.text("superseded_by") or None,
        derived_from=given.words("derived_from"),
        version=max(1, given.count("version", 1)),
        revisions=_revisions(given, now_ms, policy),
        subject=given.text("subject", "user") or "user",
        marks=given.words("marks"),
        rule="imported",
        repeats=given.count("repeats", 0),
        restorable_until_ms=_restorable_until(status, times, now_ms, policy),
        restore_status=Status.ACTIVE if status == Status.DELETED else None,
        suppressed_by=given.text("suppressed_by") or None,
        suppressed_from=_suppressed_from(given, status),
    )


def _suppressed_from(given: _Given, status: str) -> Status | None:
    """The status that lifting gives back: as the record says, else active."""
    if status != Status.SUPPRESSED:
        return None
    former = given.text("suppressed_from") or Status.ACTIVE.value
    check_choice(former, "suppressed_from", frozenset(Status))
    return Status(former)


def _ended(status: str, times: Mapping[str, int | None], now_ms: int) -> int | None:
    """What was superseded says until when it held, also where the record does not."""
    if status == Status.SUPERSEDED and times["valid_to"] is None:
        return now_ms
    return times["valid_to"]


def _restorable_until(status: str, times: Mapping[str, int | None], now_ms: int, policy: Policy) -> int | None:
    if status != Status.DELETED:
        return None
    return times["restorable_until"] or now_ms + policy.forget.bin_ms


def _expiry(given: _Given, tier: Tier, times: Mapping[str, int | None], now_ms: int, policy: Policy) -> int | None:
    """As the record says; one that says nothing (a record of ours with no end, an older system's) gets its tier's."""
    if "expires_at" in given.record:
        return times["expires_at"]
    lifetimes = {Tier.WORKING: policy.write.working_ttl_ms, Tier.EPISODIC: policy.write.episodic_ttl_ms}
    lifetime_ms = lifetimes.get(tier)
    return None if lifetime_ms is None else now_ms + lifetime_ms


def _revisions(given: _Given, now_ms: int, policy: Policy) -> tuple[Revision, ...]:
    listed = given.record.get("revisions") or []
    if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
        raise InvalidMemory.of("It must be a list of revisions.", field="revisions")
    found = []
    for one in listed:
        revision = _Given(one)
        content = revision.text("content")
        space, sensitivity = revision.text("space"), revision.text("sensitivity")
        check_write(Write(content=content, space=space or "shared", sensitivity=sensitivity or "normal"), policy.limits)
        at_ms = revision.time_ms("at", zone=UTC)
        found.append(
            Revision(
                content,
                now_ms if at_ms is None else at_ms,
                revision.text("reason")[:1000],
                max(1, revision.count("version", 1)),
                space,
                Sensitivity(sensitivity) if sensitivity else None,
            )
        )
    return tuple(found)
