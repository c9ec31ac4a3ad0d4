"""Memories in the time that a query names."""

from collections.abc import Sequence
from datetime import timedelta, tzinfo

import numpy as np

from engine.anchors import anchors_in, span_at
from engine.columns import BoolArray
from engine.memory import Int64Array
from engine.question import Question
from engine.ranking import Float64Array
from engine.state import UserState
from engine.time_words import EPOCH, TimeSpan, may_name_a_time, time_spans
from engine.tokens import query_weights

_DAY_SPAN_DAYS = 4.0
_MONTH_SPAN_DAYS = 100.0
_MONTH_STRENGTH = 0.5
_YEAR_STRENGTH = 0.1
_PLAIN_SHARE = 0.5


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
    telling = [token for token, weight in query_weights(left)[0].items() if weight >= 1.0]
    return 4.0 / min(8, max(1, len(telling)))


def time_strengths(state: UserState, question: Question, slots: Int64Array) -> Float64Array:
    """The strength of the narrowest span in which each memory happened or was said, 0 outside all. Shapes: (m,)."""
    happened, said = state.columns.happened_at_ms[slots], state.columns.said_at_ms[slots]
    strengths: Float64Array = np.zeros(len(slots))
    for span in question.spans:
        then = in_spans(happened, (span,)) | in_spans(said, (span,))
        strengths = np.maximum(strengths, span_strength(span) * then)
    return strengths
