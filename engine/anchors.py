"""Times told by another event: "three days before my trip", "婚礼前一天". The event is looked up in the memories."""

import re
from dataclasses import dataclass
from datetime import timedelta, tzinfo

from engine.calendar_days import COUNT, EPOCH, NUMERAL, number, start_ms
from engine.time_words import TimeSpan


@dataclass(frozen=True, slots=True)
class Anchor:
    """So many days from `event` ("my trip"), lasting `days`; a negative offset is before. `phrase` as in the query."""

    event: str
    offset_days: int
    days: int
    phrase: str


_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "月": 30}
_EVENT = (
    r"(?:my|our|the|his|her|their)\s+(?P<event>[a-z][a-z' -]{2,40}?)"
    r"(?=[?.,!;]|$|\s+(?:did|do|was|were|what|who|where|when|how|i)\b)"
)
_ZH_EVENT = r"(?:在|从|我们?|的)*(?P<event>[\u4e00-\u9fff]{2,10}?)(?:的|之|以)?"
_ENGLISH = re.compile(rf"\b(?:{COUNT}|the)\s+(?P<unit>day|week|month)s?\s+(?P<side>before|after)\s+{_EVENT}")
_CHINESE = re.compile(rf"{_ZH_EVENT}(?P<side>前|后)(?:的)?{NUMERAL}个?(?P<unit>天|日|周|星期|礼拜|月)")
_SAME_DAY = re.compile(rf"{_ZH_EVENT}(?:当天|那天)|\bon the day of\s+{_EVENT.replace('?P<event>', '')}")


def anchors_in(text: str) -> tuple[Anchor, ...]:
    """Every time that a query tells by another event."""
    lowered = text.lower()
    found = [_anchor(match, match[1] or "one") for match in _ENGLISH.finditer(lowered)]
    found += [_anchor(match, match[3]) for match in _CHINESE.finditer(lowered)]
    found += [Anchor(match["event"] or match[2], 0, 1, match[0]) for match in _SAME_DAY.finditer(lowered)]
    return tuple(found)


def _anchor(match: re.Match[str], count: str) -> Anchor:
    days = _UNIT_DAYS[match["unit"]]
    away = number(count) * days * (-1 if match["side"] in ("before", "前") else 1)
    # A day before is that day; a week before is some day around it.
    return Anchor(match["event"], away - days // 2, days, match[0])


def span_at(anchor: Anchor, event_ms: int, zone: tzinfo) -> TimeSpan:
    """The span that an anchor means once its event is known to be at `event_ms`."""
    day = (EPOCH + timedelta(milliseconds=event_ms)).astimezone(zone).date() + timedelta(days=anchor.offset_days)
    return TimeSpan(start_ms(day, zone), start_ms(day + timedelta(days=anchor.days), zone), anchor.phrase)
