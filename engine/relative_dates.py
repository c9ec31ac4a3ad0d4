"""When something happens, from the words of a statement, seen from when it was said in the user's zone.

The first expression that gives a day wins, a clock time beside it sets the hour; a day without one stands for noon,
so that reading it in a neighbouring zone keeps the day. "上周五" and "last Friday" differ: the first is a day of the
calendar week before (Monday first), the second the latest Friday before today. A whole week or month stands for its
middle. The original words stay in the memory; this is only kept beside them.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

NOON = (12, 0)
_READ_CHARS = 600
_LONG_PAST_DAYS = 120
_DIGITS_ZH = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "半": 0}
_NUMBERS_EN = {
    word: i
    for i, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
} | {"a": 1, "an": 1, "couple": 2, "few": 3}
_WEEKDAYS_ZH = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6, "末": 5}
_WEEKDAYS_EN = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS_EN = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(mon|tue|wed|thu|thur|fri|sat|sun)(?:day|sday|nesday|rsday|urday|s|rs|r)?\b"
_N_ZH = r"(\d{1,3}|[一二三四五六七八九十两]{1,3})"
_N_EN = r"(\d{1,3}|a couple of|a few|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨": -1,
    "今": 0,
    "明": 1,
    "后天": 2,
    "大后天": 3,
    "day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "day after tomorrow": 2,
    "tomorrow": 1,
    "tomorow": 1,
    "tmrw": 1,
}
_DAY = re.compile(
    r"大前天|前天|大后天|后天|昨(?=[天晚日夜早])|今(?=[天晚日夜早])|明(?=[天晚日早])"
    r"|\b(?:day before yesterday|yesterday|last night|today|tonight|this (?:morning|afternoon|evening)|"
    r"day after tomorrow|tomorr?ow|tmrw)\b"
)
_FULL = re.compile(r"(?<!\d)((?:19|20)\d{2})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?!\d)")
_MONTH_DAY_ZH = re.compile(
    r"(明年|去年|今年)?(\d{1,2}|十[一二]?|[一二三四五六七八九])月(\d{1,2}|[一二三]?十[一二三四五六七八九]?|"
    r"[一二三四五六七八九])[日号]?"
)
_MONTH_DAY_EN = re.compile(
    rf"\b{_MONTH}\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? ((?:19|20)\d{{2}}))?|\b(\d{{1,2}})(?:st|nd|rd|"
    rf"th)?(?: of)? {_MONTH}\b(?:,? ((?:19|20)\d{{2}}))?"
)
_WEEK_DAY_ZH = re.compile(r"(上上|下下|上|下|这|本)?(?:个)?(?:周|星期|礼拜)([一二三四五六日天末])")
_WEEK_DAY_EN = re.compile(rf"\b(last|next|this|on|by|until|till|before|coming)? ?{_WEEKDAY}(?!s)")
_AGO_ZH = re.compile(rf"{_N_ZH}(?:个)?(半)?(小时|钟头|天|周|星期|礼拜|月|年)(之?前|以前|之?后|以后)")
_AGO_EN = re.compile(rf"\b(in )?{_N_EN} (hour|day|week|fortnight|month|year)s?( ago| from now| later|'? time)?\b")
_SPAN = re.compile(
    r"(上上|下下|上|下|这|本)(?:个)?(周|星期|礼拜|月|年)(?![一二三四五六日天末])(?:份)?(\d{1,2}|"
    r"[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])?[号日]?|(去年|前年|明年|后年)|\b(last|next|"
    r"this) (week|weekend|month|year)\b"
)
_DAY_OF_MONTH = re.compile(
    r"(?<![\d月年])(\d{1,2}|[一二三]?十[一二三四五六七八九]?)[号日](?!楼|线|院|门|店|位|厅|房|桌)|\b(?:on |by |"
    r"before )?the (\d{1,2})(?:st|nd|rd|th)\b"
)
_CLOCK_ZH = re.compile(
    r"(凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明晚|昨晚|晚|早)?\s?(\d{1,2}|十[一二]?|"
    r"[一二两三四五六七八九])(?:点(半|一刻|三刻|钟)?(?:(\d{1,2})分?)?|[:](\d{2}))(?!\d)"
)
_CLOCK_EN = re.compile(
    r"\b(?:at )?(\d{1,2})(?:[:.](\d{2}))? ?(am|pm)\b|\b(?:at )?(\d{1,2}):(\d{2})\b|\b(noon|midday|midnight)\b|"
    r"\bhalf (?:past )?(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
)


@dataclass(frozen=True, slots=True)
class EventTime:
    """When it happens, and the words that said so."""

    at_ms: int
    words: str


def event_time(view: str, *, said_at_ms: int, zone: tzinfo) -> EventTime | None:
    """The time a text of the folded view speaks of, or None. Bad dates ("31 June") count as not said."""
    view = view[:_READ_CHARS]
    said = datetime.fromtimestamp(said_at_ms / 1000, zone)
    hours = _AGO_ZH.search(view) or _AGO_EN.search(view)
    if hours is not None and (moved := _hours(hours, said)) is not None:
        return EventTime(int(moved.timestamp() * 1000), hours[0])
    found = _day_of(view, said.date())
    if found is None:
        return None
    day, words = found
    hour, minute = _clock_of(view, view.find(words)) or NOON
    at = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    return EventTime(int(at.timestamp() * 1000), words.strip())


def _hours(match: re.Match[str], said: datetime) -> datetime | None:
    chinese = match.re is _AGO_ZH
    unit = match[3]
    if unit not in ("小时", "钟头", "hour"):
        return None
    number = _number(match[1] if chinese else match[2])
    back = ("前" in match[4]) if chinese else bool(match[4] and "ago" in match[4])
    if not chinese and not match[1] and not match[4]:
        return None
    return said - timedelta(hours=number) if back else said + timedelta(hours=number)


def _day_of(view: str, today: date) -> tuple[date, str] | None:
    """The first kind of expression that gives a real day."""
    for pattern, reader in _READERS:
        match = pattern.search(view)
        if match is None:
            continue
        try:
            day = reader(match, today)
        except (ValueError, OverflowError):
            continue
        if day is not None:
            return day, match[0]
    return None


def _full(match: re.Match[str], _: date) -> date:
    return date(int(match[1]), int(match[2]), int(match[3]))


def _near_year(month: int, day: int, today: date) -> date:
    """The date of this year, unless it is long past or far off: a date without a year is more often still to come."""
    near = date(today.year, month, day)
    if (today - near).days > _LONG_PAST_DAYS:
        return date(today.year + 1, month, day)
    return date(today.year - 1, month, day) if (near - today).days > 365 - _LONG_PAST_DAYS else near


def _month_day_zh(match: re.Match[str], today: date) -> date:
    month, day = _number(match[2]), _number(match[3])
    if match[1]:
        return date(today.year + {"去年": -1, "今年": 0, "明年": 1}[match[1]], month, day)
    return _near_year(month, day, today)


def _month_day_en(match: re.Match[str], today: date) -> date:
    name, day, year = (match[1], match[2], match[3]) if match[1] else (match[5], match[4], match[6])
    month = _MONTHS_EN.index(name[:3]) + 1
    return date(int(year), month, int(day)) if year else _near_year(month, int(day), today)


def _plain_day(match: re.Match[str], today: date) -> date:
    return today + timedelta(days=_DAYS[match[0]])


def _week_day_zh(match: re.Match[str], today: date) -> date:
    monday = today - timedelta(days=today.weekday())
    weeks = {"上上": -2, "上": -1, "下": 1, "下下": 2}.get(match[1] or "", 0)
    day = monday + timedelta(days=7 * weeks + _WEEKDAYS_ZH[match[2]])
    return day + timedelta(days=7) if match[1] is None and day < today else day


def _week_day_en(match: re.Match[str], today: date) -> date:
    wanted = _WEEKDAYS_EN.index(match[2][:3])
    if match[1] == "last":
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    if match[1] == "next":
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + wanted)
    return today + timedelta(days=(wanted - today.weekday()) % 7)


def _ago_zh(match: re.Match[str], today: date) -> date:
    sign = -1 if "前" in match[4] else 1
    return _moved(today, sign * _number(match[1]), match[3])


def _ago_en(match: re.Match[str], today: date) -> date | None:
    if not match[1] and not match[4]:
        return None
    sign = -1 if match[4] and "ago" in match[4] else 1
    return _moved(today, sign * _number(match[2]), match[3])


def _moved(today: date, count: int, unit: str) -> date:
    days = {"天": 1, "day": 1, "周": 7, "星期": 7, "礼拜": 7, "week": 7, "fortnight": 14}.get(unit)
    if days is not None:
        return today + timedelta(days=days * count)
    if unit in ("年", "year"):
        return today.replace(year=today.year + count, day=min(today.day, 28))
    return _month_moved(today, count)


def _month_moved(today: date, count: int) -> date:
    months = today.year * 12 + today.month - 1 + count
    return date(months // 12, months % 12 + 1, min(today.day, 28))


def _span(match: re.Match[str], today: date) -> date:
    if match[4]:
        return date(today.year + {"去年": -1, "前年": -2, "明年": 1, "后年": 2}[match[4]], 7, 1)
    step = {"上上": -2, "上": -1, "last": -1, "下": 1, "next": 1, "下下": 2}.get(match[1] or match[5], 0)
    unit = match[2] or match[6]
    if unit in ("年", "year"):
        return date(today.year + step, 7, 1)
    if unit in ("月", "month"):
        return _month_moved(today, step).replace(day=_number(match[3]) if match[3] else 15)
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(days=7 * step + (5 if unit == "weekend" else 2))


def _day_of_month(match: re.Match[str], today: date) -> date:
    """This month's; once that is ten days past, next month's ("the 4th" said on the 20th)."""
    day = _number(match[1] or match[2])
    near = today.replace(day=day)
    return _month_moved(today, 1).replace(day=day) if (today - near).days > 10 else near


_READERS = (
    (_FULL, _full),
    (_MONTH_DAY_ZH, _month_day_zh),
    (_MONTH_DAY_EN, _month_day_en),
    (_DAY, _plain_day),
    (_WEEK_DAY_ZH, _week_day_zh),
    (_AGO_ZH, _ago_zh),
    (_AGO_EN, _ago_en),
    (_SPAN, _span),
    (_WEEK_DAY_EN, _week_day_en),
    (_DAY_OF_MONTH, _day_of_month),
)


def _number(words: str) -> int:
    """A number in digits, Chinese (up to 99) or English words."""
    words = words.strip()
    if words.isdigit():
        return int(words)
    if words[0] in _DIGITS_ZH or words[0] == "十":
        tens, ten, ones = words.partition("十")
        if not ten:
            return _DIGITS_ZH[words[0]]
        return 10 * (_DIGITS_ZH[tens] if tens else 1) + (_DIGITS_ZH[ones] if ones else 0)
    return next(_NUMBERS_EN[word] for word in reversed(words.split()) if word in _NUMBERS_EN)


def _clock_of(view: str, near: int) -> tuple[int, int] | None:
    """A clock time, the one after the day's words where there are several."""
    match = _CLOCK_EN.search(view, max(near, 0)) or _CLOCK_EN.search(view)
    if match is not None and (match[3] or match[6] or match[7]):
        return _clock_en(match)
    chinese = _CLOCK_ZH.search(view, max(near, 0)) or _CLOCK_ZH.search(view)
    if chinese is not None:
        return _clock_zh(chinese)
    return None if match is None else _clock_en(match)


def _clock_zh(match: re.Match[str]) -> tuple[int, int] | None:
    hour = _number(match[2])
    minute = int(match[4] or match[5] or {"半": 30, "一刻": 15, "三刻": 45}.get(match[3] or "", 0))
    part = match[1] or ""
    if ((part in ("下午", "傍晚") or "晚" in part) and hour < 12) or (part == "中午" and hour < 5):
        hour += 12
    return (hour, minute) if hour < 24 and minute < 60 else None


def _clock_en(match: re.Match[str]) -> tuple[int, int] | None:
    if match[6]:
        return (0, 0) if match[6] == "midnight" else NOON
    if match[7]:
        hour = _number(match[7])
        return (hour + 12 if hour < 8 else hour, 30)
    hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
    if match[3]:
        hour = hour % 12 + (12 if match[3] == "pm" else 0)
    return (hour, minute) if hour < 24 and minute < 60 else None
