"""Every check on what a caller may send, so that a write, an edit and an import refuse the same things.

A refusal names the field and the limit and never repeats the input: error texts end up in logs.
"""

import json
import math
from collections.abc import Mapping

from engine.commands import Edit, Write
from engine.errors import InvalidMemory, TooLarge
from engine.memory import Category, Sensitivity, Source, Tier
from engine.normalise import refuse_bad_characters
from engine.policy import Limits

_AUTO = "auto"
_TIERS = frozenset(Tier)
_CATEGORIES = frozenset(Category)
_SOURCES = frozenset(Source)
_SENSITIVITIES = frozenset(Sensitivity)


def check_write(write: Write, limits: Limits) -> None:
    """Refuse a write that breaks any limit.

    Raises: InvalidMemory or TooLarge with the field at fault.
    """
    check_text(write.content, limits)
    check_choice(write.tier, "tier", _TIERS, auto=True)
    check_choice(write.category, "category", _CATEGORIES, auto=True)
    check_choice(write.source, "source", _SOURCES)
    check_choice(write.sensitivity, "sensitivity", _SENSITIVITIES)
    check_choice(write.max_sensitivity, "max_sensitivity", _SENSITIVITIES)
    check_confidence(write.confidence)
    check_ttl(write.ttl_seconds, limits)
    for value, field in ((write.task, "task"), (write.conversation, "conversation"), (write.client, "client")):
        check_word(value, field, limits)
    if not write.space:
        raise InvalidMemory.of("A space needs a name.", field="space")
    check_word(write.space, "space", limits)
    check_tags(write.tags, limits)
    check_metadata(write.metadata, limits)


def check_edit(edit: Edit, limits: Limits) -> None:
    """Refuse an edit that breaks any limit. A field that is None is left as it is and not looked at.

    Raises: InvalidMemory or TooLarge with the field at fault.
    """
    if edit.content is not None:
        check_text(edit.content, limits)
    for value, field, allowed in (
        (edit.tier, "tier", _TIERS),
        (edit.category, "category", _CATEGORIES),
        (edit.sensitivity, "sensitivity", _SENSITIVITIES),
    ):
        if value is not None:
            check_choice(value, field, allowed)
    check_confidence(edit.confidence)
    check_ttl(edit.ttl_seconds, limits)
    check_reason(edit.reason, limits)
    if edit.space is not None:
        if not edit.space:
            raise InvalidMemory.of("A space needs a name.", field="space")
        check_word(edit.space, "space", limits)
    if edit.tags is not None:
        check_tags(edit.tags, limits)
    if edit.metadata is not None:
        check_metadata(edit.metadata, limits)


def check_reason(reason: str, limits: Limits, field: str = "reason") -> None:
    """Refuse a reason that is over-long or holds bad characters."""
    if len(reason) > limits.reason_chars_max:
        raise TooLarge.of(f"A reason has at most {limits.reason_chars_max} characters.", field=field)
    refuse_bad_characters(reason, field)


def check_query(query: str, limits: Limits, field: str = "query") -> None:
    """Refuse a query that is blank, over-long, or holds characters that hide or break text."""
    if not isinstance(query, str):
        raise InvalidMemory.of("It must be text.", field=field)
    if len(query) > limits.query_chars_max:
        raise TooLarge.of(f"At most {limits.query_chars_max} characters.", field=field)
    refuse_bad_characters(query, field)
    if not query.strip():
        raise InvalidMemory.of("There is nothing to look for in an empty query.", code="empty", field=field)


def check_text(content: str, limits: Limits, field: str = "content") -> None:
    """Refuse text that is blank, over-long, or holds characters that hide or break text."""
    if not isinstance(content, str):
        raise InvalidMemory.of("It must be text.", field=field)
    if len(content) > limits.text_chars_max:
        raise TooLarge.of(f"At most {limits.text_chars_max} characters are kept.", field=field)
    refuse_bad_characters(content, field)
    if not content.strip():
        raise InvalidMemory.of("There is nothing to remember in an empty text.", code="empty", field=field)


def check_choice(value: str, field: str, allowed: frozenset[str], *, auto: bool = False) -> None:
    """Refuse a word that is not one of the allowed ones."""
    if value in allowed or (auto and value == _AUTO):
        return
    words = sorted(str(word) for word in allowed) + ([_AUTO] if auto else [])
    raise InvalidMemory.of(f"It must be one of: {', '.join(words)}.", field=field)


def check_confidence(confidence: float | None, field: str = "confidence") -> None:
    """Refuse anything but a number from 0 to 1; NaN is none."""
    if confidence is None:
        return
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not math.isfinite(confidence):
        raise InvalidMemory.of("It must be a number from 0 to 1.", field=field)
    if not 0.0 <= confidence <= 1.0:
        raise InvalidMemory.of("It must be a number from 0 to 1.", field=field)


def check_ttl(ttl_seconds: int | None, limits: Limits, field: str = "ttl_seconds") -> None:
    """Refuse a lifetime that is not positive or longer than the longest."""
    if ttl_seconds is None:
        return
    if isinstance(ttl_seconds, bool) or not isinstance(ttl_seconds, int) or ttl_seconds <= 0:
        raise InvalidMemory.of("A lifetime is a whole number of seconds above 0.", field=field)
    if ttl_seconds > limits.ttl_seconds_max:
        raise InvalidMemory.of(f"A lifetime is at most {limits.ttl_seconds_max} seconds.", field=field)


def check_word(value: str, field: str, limits: Limits) -> None:
    """Refuse a name (task, conversation, space, client) that is over-long or holds bad characters."""
    if not isinstance(value, str):
        raise InvalidMemory.of("It must be text.", field=field)
    if len(value) > limits.word_chars_max:
        raise TooLarge.of(f"At most {limits.word_chars_max} characters.", field=field)
    refuse_bad_characters(value, field)


def check_tags(tags: tuple[str, ...], limits: Limits, field: str = "tags") -> None:
    """Refuse too many tags, and tags that are blank or over-long."""
    if len(tags) > limits.tags_max:
        raise TooLarge.of(f"At most {limits.tags_max} tags.", field=field)
    for tag in tags:
        if not isinstance(tag, str) or not tag.strip():
            raise InvalidMemory.of("A tag is a word that is not blank.", field=field)
        if len(tag) > limits.tag_chars_max:
            raise TooLarge.of(f"A tag has at most {limits.tag_chars_max} characters.", field=field)
        refuse_bad_characters(tag, field)


def check_metadata(metadata: Mapping[str, object], limits: Limits, field: str = "metadata") -> None:
    """Refuse metadata that is not plain JSON, nested too deep, or too large as JSON in UTF-8."""
    _check_json(metadata, limits.metadata_depth_max, limits, field)
    size = len(json.dumps(metadata, default=dict, ensure_ascii=False).encode())
    if size > limits.metadata_bytes_max:
        raise TooLarge.of(f"At most {limits.metadata_bytes_max} bytes of metadata.", field=field)


def _check_json(value: object, depth_left: int, limits: Limits, field: str) -> None:
    if depth_left < 0:
        raise InvalidMemory.of(f"At most {limits.metadata_depth_max} levels of nesting.", field=field)
    if isinstance(value, str):
        refuse_bad_characters(value, field)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InvalidMemory.of("Names of metadata must be text.", field=field)
            refuse_bad_characters(key, field)
            _check_json(inner, depth_left - 1, limits, field)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_json(inner, depth_left - 1, limits, field)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InvalidMemory.of("Numbers must be finite.", field=field)
    elif value is not None and not isinstance(value, int | float):
        raise InvalidMemory.of("Only plain JSON values are kept.", field=field)
