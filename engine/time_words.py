"""Time in a query: "5月2日", "上个月", "last spring", "three days ago" become spans of time that boost what they hold.

Calendars are the user's: days, weeks (from Monday), months and years begin at midnight in their zone. A date without a
year means that date in every year the user has memories of, because questions about old talks rarely name the year.
Unknown phrases give no span; nothing is ever filtered because of a word in a query.
Phrases are matched longest rule first and taken out of the text, so "2023年5月2日" is one day and not also a year.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From `start_ms` up to but not including `end_ms`; `phrase` is the query's own wording."""

    start_ms: int
    end_ms: int
    phrase: str

    @property
    def days(self) -> float:
        """Its length in days."""
        return (self.end_ms - self.start_ms) / 86_400_000


@dataclass(frozen=True, slots=True)
class _Calendar:
    """What the rules need: today in the user's zone, and the years in which memories lie."""

    today: date
    years: range


Days = tuple[date, date]  # first day, day after the last
_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], _Calendar], list[Days]]]

_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "半": 0}
_WORDS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "a couple of": 2,
    "couple of": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon 一",
            "tuesday tue tues 二",
            "wednesday wed 三",
            "thursday thu thurs 四",
            "friday fri 五",
            "saturday sat 六",
            "sunday sun 日 天",
        )
    )
    for name in names.split()
}
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_FEASTS = {
    "元旦": (1, 1),
    "new year's day": (1, 1),
    "情人节": (2, 14),
    "valentine's day": (2, 14),
    "妇女节": (3, 8),
    "劳动节": (5, 1),
    "五一": (5, 1),
    "儿童节": (6, 1),
    "国庆": (10, 1),
    "十一假期": (10, 1),
    "halloween": (10, 31),
    "万圣节": (10, 31),
    "双十一": (11, 11),
    "平安夜": (12, 24),
    "christmas eve": (12, 24),
    "圣诞": (12, 25),
    "christmas": (12, 25),
    "跨年": (12, 31),
    "new year's eve": (12, 31),
    "independence day": (7, 4),
}
# Most queries name no time; every rule needs one of these. A number alone is none.
_MAY_NAME_A_TIME = re.compile(
    r"\d\s*[-/.]\s*\d|(?<!\d)(?:19|20)\d\d(?!\d)|[年月天日周季春夏秋冬昨今明晚]|星期|礼拜|五一|十一|国庆|圣诞|情人节"
    r"|元旦|儿童节|妇女节|劳动节|万圣节|平安夜"
    r"|last|this|next|past|ago|back|day|week|month|year|tomorrow|night|earlier|christmas|halloween"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)
NUMERAL = r"(\d{1,4}|[〇零一二两三四五六七八九十]{1,4})"
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_NAMES = "|".join(sorted((w for w in _WEEKDAYS if w.isascii()), key=len, reverse=True))
COUNT = r"(\d{1,3}|" + "|".join(sorted(_WORDS, key=len, reverse=True)) + ")"


def time_spans(text: str, *, now_ms: int, zone: tzinfo, years: range) -> tuple[TimeSpan, ...]:
    """Every span of time that a query names, in the order of the rules.

    `years` are those in which the user has memories. Units: ms UTC. Edges: an impossible date (30 February) is no span.
    """
    if not may_name_a_time(text):
        return ()
    today = (EPOCH + timedelta(milliseconds=now_ms)).astimezone(zone).date()
    calendar, left = _Calendar(today, years), text.lower()
    spans: list[TimeSpan] = []
    for pattern, read in _RULES:
        matches = list(pattern.finditer(left))
        for found in matches:
            for first, after in read(found, calendar):
                spans.append(TimeSpan(start_ms(first, zone), start_ms(after, zone), found[0].strip()))
        if matches:
            left = pattern.sub(lambda found: " " * len(found[0]), left)
    return tuple(dict.fromkeys(spans))


def may_name_a_time(text: str) -> bool:
    """A quick look that says no to most queries."""
    return _MAY_NAME_A_TIME.search(text.lower()) is not None


def start_ms(day: date, zone: tzinfo) -> int:
    """Midnight of a day where the user is, in ms UTC."""
    start = datetime(day.year, day.month, day.day, tzinfo=zone)
    return (start - EPOCH) // timedelta(milliseconds=1)


def number(word: str) -> int:
    """A count written in digits, Chinese numerals up to 99, or English words; 0 when it is none of them."""
    if word.isdecimal():
        return int(word)
    if word in _WORDS:
        return _WORDS[word]
    if "十" in word:
        tens, _, ones = word.partition("十")
        return (_DIGITS.get(tens, 1) if tens else 1) * 10 + (_DIGITS.get(ones, 0) if ones else 0)
    return int("".join(str(_DIGITS[c]) for c in word)) if word and all(c in _DIGITS for c in word) else 0


def _day(year: int, month: int, day: int) -> list[Days]:
    try:
        first = date(year, month, day)
    except ValueError:
        return []
    return [(first, first + _DAY)]


def _month(year: int, month: int) -> list[Days]:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if not 1 <= year < 9999:
        return []
    return [(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1))]


def _year(year: int) -> list[Days]:
    return [(date(year, 1, 1), date(year + 1, 1, 1))] if 1 <= year < 9999 else []


def _season(year: int, first_month: int) -> list[Days]:
    return [(_month(year, first_month)[0][0], _month(year, first_month + 2)[0][1])] if 1 <= year < 9998 else []


def _week(today: date, weeks: int) -> Days:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return monday, monday + timedelta(days=7)


def _weekday(today: date, weeks: int, weekday: int) -> list[Days]:
    first = _week(today, weeks)[0] + timedelta(days=weekday)
    return [(first, first + _DAY)]


def _offset(today: date, days: int) -> list[Days]:
    first = today + timedelta(days=days)
    return [(first, first + _DAY)]


def _ago(today: date, count: int, unit: str) -> list[Days]:
    """So long ago, about: a day exactly, the week around, the month, the year."""
    if unit in "天日day":
        return _offset(today, -count)
    if unit in ("周", "星期", "礼拜", "week"):
        middle = today - timedelta(weeks=count)
        return [(middle - timedelta(days=3), middle + timedelta(days=4))]
    if unit in ("月", "month"):
        return _month(today.year, today.month - count)
    return _year(today.year - count)


def _since(today: date, count: int, unit: str) -> list[Days]:
    days = {"天": 1, "日": 1, "day": 1, "周": 7, "星期": 7, "礼拜": 7, "week": 7, "月": 31, "month": 31}.get(unit, 366)
    return [(today - timedelta(days=min(count * days, 36_500)), today + _DAY)]


def _every_year(calendar: _Calendar, month: int, day: int) -> list[Days]:
    return [days for year in calendar.years for days in _day(year, month, day)]


_YEAR_SHIFT = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2, "last": -1, "this": 0, "next": 1}
_STEP = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2, "last": -1, "this": 0, "next": 1, "past": -1}
_NEAR_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "昨日": -1,
    "今天": 0,
    "今日": 0,
    "今早": 0,
    "今晚": 0,
    "明天": 1,
    "明日": 1,
    "后天": 2,
    "大后天": 3,
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "tomorrow": 1,
}


def _shifted_month(found: re.Match[str], calendar: _Calendar) -> list[Days]:
    return _month(calendar.today.year, calendar.today.month + _STEP[found[1]])


def _named_month(found: re.Match[str], calendar: _Calendar) -> list[Days]:
    month, shift = _MONTHS[found[2]], found[1]
    if shift in ("last", "next"):  # The latest one that is over, or the next to come.
        over = month < calendar.today.month
        return _month(calendar.today.year + (0 if over else -1) + (1 if shift == "next" else 0), month)
    return [days for year in calendar.years for days in _month(year, month)]


def _last_season(found: re.Match[str], calendar: _Calendar) -> list[Days]:
    first_month, shift = _SEASONS[found[2]], _STEP[found[1]]
    if shift == 0:
        return _season(calendar.today.year, first_month)
    over = date(calendar.today.year, (first_month + 1) % 12 + 1, 1) <= calendar.today and first_month != 12
    year = calendar.today.year + (0 if over else -1)
    return _season(year + (1 if shift > 0 else 0), first_month)


_YEAR_WORDS, _STEP_WORDS = "前年|去年|今年|明年|后年", "上上|下下|上|下|这|本"
_UNIT = "(天|日|周|星期|礼拜|月|年)"


def _rule(pattern: str, read: Callable[[re.Match[str], _Calendar], list[Days]]) -> _Rule:
    """A pattern over the lower-cased query, and how its match is read."""
    return re.compile(pattern), read


def _dates() -> Iterator[_Rule]:
    """Written-out dates, longest and most exact first; what a rule takes, no later rule sees."""
    yield _rule(
        r"(?<!\d)(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)\s*[日号]?",
        lambda m, c: _day(int(m[1]), int(m[2]), int(m[3])),
    )
    yield _rule(
        rf"({_YEAR_WORDS})的?\s*{NUMERAL}月份?\s*{NUMERAL}[日号]?",
        lambda m, c: _day(c.today.year + _YEAR_SHIFT[m[1]], number(m[2]), number(m[3])),
    )
    yield _rule(rf"{NUMERAL}月\s*{NUMERAL}\s*[日号]?", lambda m, c: _every_year(c, number(m[1]), number(m[2])))
    yield _rule(
        rf"\b({_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b",
        lambda m, c: _day(int(m[3]), _MONTHS[m[1]], int(m[2])),
    )
    yield _rule(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_NAMES})\.?,?\s+(\d{{4}})\b",
        lambda m, c: _day(int(m[3]), _MONTHS[m[2]], int(m[1])),
    )
    yield _rule(
        rf"\b({_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b", lambda m, c: _every_year(c, _MONTHS[m[1]], int(m[2]))
    )
    yield _rule(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_NAMES})\b",
        lambda m, c: _every_year(c, _MONTHS[m[2]], int(m[1])),
    )
    yield _rule(rf"\b({_NAMES})\.?,?\s+(?:of\s+)?(\d{{4}})\b", lambda m, c: _month(int(m[2]), _MONTHS[m[1]]))
    yield _rule(r"(?<!\d)(\d{4})\s*年\s*(\d{1,2})\s*月份?", lambda m, c: _month(int(m[1]), int(m[2])))
    yield _rule(
        rf"({_YEAR_WORDS})的?\s*{NUMERAL}月份?", lambda m, c: _month(c.today.year + _YEAR_SHIFT[m[1]], number(m[2]))
    )
    yield _rule(
        rf"({_YEAR_WORDS}|(?:last|this|next)\b)(?: year'?s?)?的?\s*({'|'.join(_FEASTS)})",
        lambda m, c: _day(c.today.year + _YEAR_SHIFT[m[1]], *_FEASTS[m[2]]),
    )
    yield _rule("|".join(sorted(_FEASTS, key=len, reverse=True)), lambda m, c: _every_year(c, *_FEASTS[m[0]]))
    yield _rule(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})(?![\d/.%-])", lambda m, c: _every_year(c, int(m[1]), int(m[2])))


def _distances() -> Iterator[_Rule]:
    """So long ago, in so long, the last so many."""
    yield _rule(rf"(?:最近|过去|近)(?:的)?{NUMERAL}\s*个?{_UNIT}", lambda m, c: _since(c.today, number(m[1]), m[2]))
    yield _rule(
        rf"\b(?:last|past)\s+{COUNT}\s+(day|week|month|year)s?\b", lambda m, c: _since(c.today, number(m[1]), m[2])
    )
    yield _rule(rf"{NUMERAL}\s*个?{_UNIT}(?:之|以)?前", lambda m, c: _ago(c.today, number(m[1]), m[2]))
    yield _rule(
        rf"\b{COUNT}\s+(day|week|month|year)s?\s+(?:ago|earlier|back)\b", lambda m, c: _ago(c.today, number(m[1]), m[2])
    )
    yield _rule(rf"{NUMERAL}\s*个?{_UNIT}(?:之|以)?后", lambda m, c: _ago(c.today, -number(m[1]), m[2]))
    yield _rule(rf"\bin\s+{COUNT}\s+(day|week|month|year)s?\b", lambda m, c: _ago(c.today, -number(m[1]), m[2]))
    yield _rule("半年前", lambda m, c: _ago(c.today, 6, "月"))
    yield _rule(
        r"(?:前几天|几天前|这几天|前些天)|\b(?:a few|several) days ago\b|\bthe other day\b",
        lambda m, c: [(c.today - timedelta(days=10), c.today)],
    )
    yield _rule(
        r"\b(?:a few|several) weeks ago\b|几(?:个)?(?:周|星期|礼拜)前",
        lambda m, c: [(c.today - timedelta(days=50), c.today - timedelta(days=13))],
    )
    yield _rule("|".join(sorted(_NEAR_DAYS, key=len, reverse=True)), lambda m, c: _offset(c.today, _NEAR_DAYS[m[0]]))


def _periods() -> Iterator[_Rule]:
    """Weeks, months, seasons and years, named from today."""
    yield _rule(
        rf"({_STEP_WORDS})个?(?:周|星期|礼拜)末",
        lambda m, c: [(_week(c.today, _STEP[m[1]])[0] + timedelta(days=5), _week(c.today, _STEP[m[1]])[1])],
    )
    yield _rule(
        rf"({_STEP_WORDS})个?(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, c: _weekday(c.today, _STEP[m[1]], _WEEKDAYS[m[2]]),
    )
    yield _rule(rf"({_STEP_WORDS})个?(?:周|星期|礼拜)", lambda m, c: [_week(c.today, _STEP[m[1]])])
    yield _rule(
        r"\b(last|this|next|past)\s+weekend\b",
        lambda m, c: [(_week(c.today, _STEP[m[1]])[0] + timedelta(days=5), _week(c.today, _STEP[m[1]])[1])],
    )
    yield _rule(rf"\b(last|this|next)\s+({_DAY_NAMES})\b", lambda m, c: _weekday(c.today, _STEP[m[1]], _WEEKDAYS[m[2]]))
    yield _rule(r"\b(last|this|next|past)\s+week\b", lambda m, c: [_week(c.today, _STEP[m[1]])])
    yield _rule(rf"({_STEP_WORDS})个?月份?(?!\d)", _shifted_month)
    yield _rule(r"\b(last|this|next|past)\s+month\b", _shifted_month)
    yield _rule(
        rf"({_YEAR_WORDS})的?([春夏秋冬])[天季]?",
        lambda m, c: _season(c.today.year + _YEAR_SHIFT[m[1]], _SEASONS[m[2]]),
    )
    yield _rule(r"(上|这|下)个?([春夏秋冬])[天季]", _last_season)
    yield _rule(r"\b(last|this|next|past)\s+(spring|summer|fall|autumn|winter)\b", _last_season)
    yield _rule(rf"\b(last|this|next)\s+({_NAMES})\b", _named_month)
    yield _rule(rf"\b(in|during|since|of|by|until|early|late|mid)[ -]({_NAMES})\b", _named_month)
    yield _rule(
        rf"(?<![个\d一二两三四五六七八九十]){NUMERAL}月份?(?!\d)",
        lambda m, c: [d for y in c.years for d in _month(y, number(m[1])) if 1 <= number(m[1]) <= 12],
    )
    yield _rule(_YEAR_WORDS, lambda m, c: _year(c.today.year + _YEAR_SHIFT[m[0]]))
    yield _rule(r"\b(last|this|next|past)\s+year\b", lambda m, c: _year(c.today.year + _STEP[m[1]]))
    yield _rule(
        r"(?<!\d)((?:19|20)\d{2})\s*年|\b(?:in|during|since|of)\s+((?:19|20)\d{2})\b",
        lambda m, c: _year(int(m[1] or m[2])),
    )
    yield _rule(
        r"(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, c: _weekday(c.today, 0, _WEEKDAYS[m[1]]) + _weekday(c.today, -1, _WEEKDAYS[m[1]]),
    )
    yield _rule(
        rf"\bon\s+({_DAY_NAMES})\b",
        lambda m, c: _weekday(c.today, 0, _WEEKDAYS[m[1]]) + _weekday(c.today, -1, _WEEKDAYS[m[1]]),
    )


_RULES = (*_dates(), *_distances(), *_periods())
