"""Hypothesis strategies for the engine's values: anything a memory may hold, the awkward included."""

from dataclasses import fields

from hypothesis import strategies as st

from engine.events import (
    Event,
    MemoriesPurged,
    MemoriesUsed,
    MemoryArchived,
    MemoryBinned,
    MemoryConfirmed,
    MemoryEdited,
    MemoryMerged,
    MemoryPromoted,
    MemoryRestored,
    MemorySuperseded,
    MemorySuppressed,
    MemoryWritten,
    SettingsChanged,
    SuppressionAdded,
    SuppressionLifted,
    WorkingCleared,
)
from engine.memory import Category, Memory, Revision, Sensitivity, Source, Status, Suppression, Tier

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40) | st.sampled_from(
    ["我对花生过敏", "peanut allergy", "🐱", "\u202eabc", "a\0b", "é", "e\u0301", "顺丰单号 SF123"]
)
ids = st.text("abcdef0123456789-:/用户 ", min_size=1, max_size=40)
times_ms = st.integers(-(2**53), 2**53)
shares = st.floats(0, 1)
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
plain_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)
"""JSON-like values. Tuples are left out: they come back as lists, as they do in JSON."""

maps = st.dictionaries(texts, plain_values, max_size=4)
word_tuples = st.lists(texts, max_size=4).map(tuple)
revisions = st.builds(Revision, content=texts, at_ms=times_ms, reason=texts, version=st.integers(1, 1000))

_MEMORY_FIELDS = {
    "memory_id": ids,
    "content": texts,
    "tier": st.sampled_from(Tier),
    "category": st.sampled_from(Category),
    "source": st.sampled_from(Source),
    "confidence": shares,
    "importance": shares,
    "status": st.sampled_from(Status),
    "created_at_ms": times_ms,
    "updated_at_ms": times_ms,
    "said_at_ms": times_ms,
    "valid_from_ms": times_ms,
    "space": texts,
    "sensitivity": st.sampled_from(Sensitivity),
    "tags": word_tuples,
    "metadata": maps,
    "task": texts,
    "conversation": texts,
    "client": texts,
    "occurred_at_ms": st.none() | times_ms,
    "valid_to_ms": st.none() | times_ms,
    "retired_at_ms": st.none() | times_ms,
    "expires_at_ms": st.none() | times_ms,
    "last_accessed_at_ms": st.none() | times_ms,
    "access_count": st.integers(0, 10**6),
    "pinned": st.booleans(),
    "supersedes": word_tuples,
    "superseded_by": st.none() | ids,
    "derived_from": word_tuples,
    "version": st.integers(1, 10**6),
    "revisions": st.lists(revisions, max_size=3).map(tuple),
    "subject": texts,
    "marks": word_tuples,
    "rule": texts,
    "restorable_until_ms": st.none() | times_ms,
    "restore_status": st.none() | st.sampled_from(Status),
    "repeats": st.integers(0, 10**6),
    "suppressed_by": st.none() | ids,
    "suppressed_from": st.none() | st.sampled_from(Status),
}
_REQUIRED = {f.name for f in fields(Memory)} & {
    "memory_id",
    "content",
    "tier",
    "category",
    "source",
    "confidence",
    "importance",
    "status",
    "created_at_ms",
    "updated_at_ms",
    "said_at_ms",
    "valid_from_ms",
}

memories = st.fixed_dictionaries(
    {name: value for name, value in _MEMORY_FIELDS.items() if name in _REQUIRED},
    optional={name: value for name, value in _MEMORY_FIELDS.items() if name not in _REQUIRED},
).map(lambda given: Memory(**given))

suppressions = st.builds(
    Suppression, suppression_id=ids, about=texts, created_at_ms=times_ms, reason=texts, spaces=word_tuples
)

changes = st.fixed_dictionaries(
    {},
    optional={
        name: _MEMORY_FIELDS[name]
        for name in (
            "content",
            "tier",
            "category",
            "confidence",
            "tags",
            "metadata",
            "sensitivity",
            "space",
            "pinned",
            "expires_at_ms",
            "restore_status",
        )
    },
)

events: st.SearchStrategy[Event] = st.one_of(
    st.builds(MemoryWritten, memory=memories),
    st.builds(MemoryMerged, ids, times_ms, times_ms, shares, st.none() | texts),
    st.builds(MemorySuperseded, ids, ids, times_ms, times_ms),
    st.builds(MemoryEdited, ids, times_ms, texts, changes),
    st.builds(MemoryBinned, ids, times_ms, times_ms, texts),
    st.builds(MemoryRestored, ids, times_ms, st.sampled_from(Status)),
    st.builds(MemoryConfirmed, ids, times_ms),
    st.builds(MemoryArchived, ids, times_ms, texts),
    st.builds(MemoriesPurged, st.lists(ids, max_size=4).map(tuple), times_ms, texts),
    st.builds(MemoriesUsed, st.lists(ids, max_size=4).map(tuple), times_ms),
    st.builds(SettingsChanged, maps, times_ms),
    st.builds(MemorySuppressed, ids, times_ms, ids),
    st.builds(SuppressionAdded, suppressions),
    st.builds(SuppressionLifted, ids, times_ms),
    st.builds(MemoryPromoted, memory=memories),
    st.builds(WorkingCleared, st.lists(ids, max_size=4).map(tuple), times_ms, texts),
)
