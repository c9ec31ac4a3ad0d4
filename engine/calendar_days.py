"""Days, months and years as queries name them: their words in Chinese and English, and the arithmetic of a calendar."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Calendar:
    """What the rules need: today in the user's zone, and the years in which memories lie."""

    today: date
    years: range


Days = tuple[date, date]  # first day, day after the last
Rule = tuple[re.Pattern[str], Callable[[re.Match[str], Calendar], list[Days]]]

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
MONTHS = {
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
WEEKDAYS = {
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
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
FEASTS = {
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
NUMERAL = r"(\d{1,4}|[〇零一二两三四五六七八九十]{1,4})"
MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
DAY_NAMES = "|".join(sorted((w for w in WEEKDAYS if w.isascii()), key=len, reverse=True))
COUNT = r"(\d{1,3}|" + "|".join(sorted(_WORDS, key=len, reverse=True)) + ")"


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


def day_of(year: int, month: int, day: int) -> list[Days]:
    try:
        first = date(year, month, day)
    except ValueError:
        return []
    return [(first, first + DAY)]


def month_of(year: int, month: int) -> list[Days]:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if not 1 <= year < 9999:
        return []
    return [(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1))]


def year_of(year: int) -> list[Days]:
    return [(date(year, 1, 1), date(year + 1, 1, 1))] if 1 <= year < 9999 else []


def season_of(year: int, first_month: int) -> list[Days]:
    return [(month_of(year, first_month)[0][0], month_of(year, first_month + 2)[0][1])] if 1 <= year < 9998 else []


def week_of(today: date, weeks: int) -> Days:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return monday, monday + timedelta(days=7)


def weekday_of(today: date, weeks: int, weekday: int) -> list[Days]:
    first = week_of(today, weeks)[0] + timedelta(days=weekday)
    return [(first, first + DAY)]


def offset_from(today: date, days: int) -> list[Days]:
    first = today + timedelta(days=days)
    return [(first, first + DAY)]


def ago(today: date, count: int, unit: str) -> list[Days]:
    """So long ago, about: a day exactly, the week around, the month, the year."""
    if unit in "天日day":
        return offset_from(today, -count)
    if unit in ("周", "星期", "礼拜", "week"):
        middle = today - timedelta(weeks=count)
        return [(middle - timedelta(days=3), middle + timedelta(days=4))]
    if unit in ("月", "month"):
        return month_of(today.year, today.month - count)
    return year_of(today.year - count)


def lately(today: date, count: int, unit: str) -> list[Days]:
    days = {"天": 1, "日": 1, "day": 1, "周": 7, "星期": 7, "礼拜": 7, "week": 7, "月": 31, "month": 31}.get(unit, 366)
    return [(today - timedelta(days=min(count * days, 36_500)), today + DAY)]


def every_year(calendar: Calendar, month: int, day: int) -> list[Days]:
    return [days for year in calendar.years for days in day_of(year, month, day)]


def rule(pattern: str, read: Callable[[re.Match[str], Calendar], list[Days]]) -> Rule:
    """A pattern over the lower-cased query, and how its match is read."""
    return re.compile(pattern), read
