"""Memories in the time that a query names."""

import re
from collections.abc import Sequence
from datetime import timedelta, tzinfo

import numpy as np

from engine.anchors import anchors_in, span_at
from engine.calendar_days import EPOCH
from engine.columns import BoolArray, has_han
from engine.memory import Int64Array
from engine.question import Question
from engine.ranking import Float64Array
from engine.state import UserState
from engine.time_words import TimeSpan, may_name_a_time, time_spans

_DAY_SPAN_DAYS = 4.0
_MONTH_SPAN_DAYS = 100.0
_MONTH_STRENGTH = 0.5
_YEAR_STRENGTH = 0.1
_PLAIN_SHARE = 0.5
_HAN_IN_A_WORD = 2.0
_LATIN_WORD = re.compile(r"[a-z0-9']{2,}")
# What stands around a date in a question for the day itself.
_ASKS_FOR_A_DAY = re.compile(
    r"什么|哪些|安排|计划|日程|行程|事情|发生|那天|当天|怎么样|有没有|提到|提过|说过|聊过|聊了|记得|[我你咱有啥事要做干了吗呢的在是过]"
    r"|\b(what|what's|did|do|does|have|had|has|on|the|my|me|plans?|planned|schedule|happen(s|ed)?|was|were|is|there|any"
    r"|anything|we|you|to|for|that|day|going|am|are|it|in|of|at|about|say|said|talk(ed)?|mention(ed)?|remember)\b"
)


def spans_of(state: UserState, text: str, allowed: BoolArray, at_ms: int, zone: tzinfo) -> tuple[TimeSpan, ...]:
    """Spans of time that the query names; a date without a year is looked for in every year that has memories."""
    n = len(state.columns)
    if n == 0 or not may_name_a_time(text):
        return ()
    times = state.columns.happened_at_ms[:n]
    edges = [(EPOCH + timedelta(milliseconds=int(edge))).astimezone(zone).year for edge in (times.min(), times.max())]
    spans = time_spans(text, now_ms=at_ms, zone=zone, years=range(edges[0], edges[1] + 1))
    told = [(anchor, _event_ms(state, anchor.event, allowed)) for anchor in anchors_in(text)]
    return (*spans, *(span_at(anchor, event_ms, zone) for anchor, event_ms in told if event_ms is not None))


def _event_ms(state: UserState, event: str, allowed: BoolArray) -> int | None:
    """When the event happened that a query counts from, if one memory plainly speaks of it."""
    slots, scores = state.lexical.search(event, limit=1, allowed=allowed)
    if len(slots) == 0 or scores[0] < _PLAIN_SHARE * state.lexical.strength(event).known:
        return None
    return int(state.columns.happened_at_ms[slots[0]])


def in_spans(times_ms: Int64Array, spans: Sequence[TimeSpan]) -> BoolArray:
    """Which times lie in any of the spans. Shapes: (n,) -> (n,)."""
    inside = np.zeros(len(times_ms), dtype=np.bool_)
    for span in spans:
        inside |= (times_ms >= span.start_ms) & (times_ms < span.end_ms)
    return inside


def span_strength(span: TimeSpan) -> float:
    """How much it tells that a memory lies in a span: a day much, a year next to nothing."""
    if span.days <= _DAY_SPAN_DAYS:
        return 1.0
    return _MONTH_STRENGTH if span.days <= _MONTH_SPAN_DAYS else _YEAR_STRENGTH


def date_weight(question: Question) -> float:
    """1 for a date beside four words that tell something, more beside fewer: "3月11日有什么安排" asks for the day."""
    left = question.text.lower()
    for span in question.spans:
        left = left.replace(span.phrase, " ")
    left = _ASKS_FOR_A_DAY.sub(" ", left)
    telling = len(_LATIN_WORD.findall(left)) + sum(has_han(character) for character in left) / _HAN_IN_A_WORD
    return 4.0 / min(8.0, max(1.0, telling))


def time_strengths(state: UserState, question: Question, slots: Int64Array) -> Float64Array:
    """The strength of the narrowest span in which each memory happened or was said, 0 outside all. Shapes: (m,)."""
    happened, said = state.columns.happened_at_ms[slots], state.columns.said_at_ms[slots]
    strengths: Float64Array = np.zeros(len(slots))
    for span in question.spans:
        then = in_spans(happened, (span,)) | in_spans(said, (span,))
        strengths = np.maximum(strengths, span_strength(span) * then)
    return strengths
