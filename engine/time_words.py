"""Time in a query: "5月2日", "上个月", "last spring", "three days ago" become spans of time that boost what they hold.

Calendars are the user's: days, weeks (from Monday), months and years begin at midnight in their zone. A date without a
year means that date in every year the user has memories of, because questions about old talks rarely name the year.
Unknown phrases give no span; nothing is ever filtered because of a word in a query.
Phrases are matched longest rule first and taken out of the text, so "2023年5月2日" is one day and not also a year, and
"5月4日到7日" four days and not also the two at its ends.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo

from engine.calendar_days import (
    COUNT,
    DAY_NAMES,
    EPOCH,
    FEASTS,
    MONTH_NAMES,
    MONTHS,
    NUMERAL,
    SEASONS,
    WEEKDAYS,
    Calendar,
    Days,
    Rule,
    ago,
    day_of,
    every_year,
    lately,
    month_of,
    number,
    offset_from,
    rule,
    season_of,
    start_ms,
    week_of,
    weekday_of,
    year_of,
)
from engine.time_ranges import range_rules


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


# Most queries name no time; every rule needs one of these. A number alone is none.
_MAY_NAME_A_TIME = re.compile(
    r"\d\s*[-/.]\s*\d|(?<!\d)(?:19|20)\d\d(?!\d)|[年月天日周季春夏秋冬昨今明晚]|星期|礼拜|五一|十一|国庆|圣诞|情人节"
    r"|元旦|儿童节|妇女节|劳动节|万圣节|平安夜"
    r"|last|this|next|past|ago|back|day|week|month|year|tomorrow|night|earlier|christmas|halloween"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)


def time_spans(text: str, *, now_ms: int, zone: tzinfo, years: range) -> tuple[TimeSpan, ...]:
    """Every span of time that a query names, in the order of the rules.

    `years` are those in which the user has memories. Units: ms UTC. Edges: an impossible date (30 February) is no span.
    """
    if not may_name_a_time(text):
        return ()
    today = (EPOCH + timedelta(milliseconds=now_ms)).astimezone(zone).date()
    calendar, left = Calendar(today, years), text.lower()
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


def _shifted_month(found: re.Match[str], calendar: Calendar) -> list[Days]:
    return month_of(calendar.today.year, calendar.today.month + _STEP[found[1]])


def _named_month(found: re.Match[str], calendar: Calendar) -> list[Days]:
    month, shift = MONTHS[found[2]], found[1]
    if shift in ("last", "next"):  # The latest one that is over, or the next to come.
        over = month < calendar.today.month
        return month_of(calendar.today.year + (0 if over else -1) + (1 if shift == "next" else 0), month)
    return [days for year in calendar.years for days in month_of(year, month)]


def _last_season(found: re.Match[str], calendar: Calendar) -> list[Days]:
    first_month, shift = SEASONS[found[2]], _STEP[found[1]]
    if shift == 0:
        return season_of(calendar.today.year, first_month)
    over = date(calendar.today.year, (first_month + 1) % 12 + 1, 1) <= calendar.today and first_month != 12
    year = calendar.today.year + (0 if over else -1)
    return season_of(year + (1 if shift > 0 else 0), first_month)


_YEAR_WORDS, _STEP_WORDS = "前年|去年|今年|明年|后年", "上上|下下|上|下|这|本"
_UNIT = "(天|日|周|星期|礼拜|月|年)"


def _dates() -> Iterator[Rule]:
    """Written-out dates, longest and most exact first; what a rule takes, no later rule sees."""
    yield rule(
        r"(?<!\d)(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)\s*[日号]?",
        lambda m, c: day_of(int(m[1]), int(m[2]), int(m[3])),
    )
    yield rule(
        rf"({_YEAR_WORDS})的?\s*{NUMERAL}月份?\s*{NUMERAL}[日号]?",
        lambda m, c: day_of(c.today.year + _YEAR_SHIFT[m[1]], number(m[2]), number(m[3])),
    )
    yield rule(rf"{NUMERAL}月\s*{NUMERAL}\s*[日号]?", lambda m, c: every_year(c, number(m[1]), number(m[2])))
    yield rule(
        rf"\b({MONTH_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b",
        lambda m, c: day_of(int(m[3]), MONTHS[m[1]], int(m[2])),
    )
    yield rule(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({MONTH_NAMES})\.?,?\s+(\d{{4}})\b",
        lambda m, c: day_of(int(m[3]), MONTHS[m[2]], int(m[1])),
    )
    yield rule(
        rf"\b({MONTH_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b", lambda m, c: every_year(c, MONTHS[m[1]], int(m[2]))
    )
    yield rule(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({MONTH_NAMES})\b",
        lambda m, c: every_year(c, MONTHS[m[2]], int(m[1])),
    )
    yield rule(rf"\b({MONTH_NAMES})\.?,?\s+(?:of\s+)?(\d{{4}})\b", lambda m, c: month_of(int(m[2]), MONTHS[m[1]]))
    yield rule(r"(?<!\d)(\d{4})\s*年\s*(\d{1,2})\s*月份?", lambda m, c: month_of(int(m[1]), int(m[2])))
    yield rule(
        rf"({_YEAR_WORDS})的?\s*{NUMERAL}月份?", lambda m, c: month_of(c.today.year + _YEAR_SHIFT[m[1]], number(m[2]))
    )
    yield rule(
        rf"({_YEAR_WORDS}|(?:last|this|next)\b)(?: year'?s?)?的?\s*({'|'.join(FEASTS)})",
        lambda m, c: day_of(c.today.year + _YEAR_SHIFT[m[1]], *FEASTS[m[2]]),
    )
    yield rule("|".join(sorted(FEASTS, key=len, reverse=True)), lambda m, c: every_year(c, *FEASTS[m[0]]))
    yield rule(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})(?![\d/.%-])", lambda m, c: every_year(c, int(m[1]), int(m[2])))


def _distances() -> Iterator[Rule]:
    """So long ago, in so long, the last so many."""
    yield rule(rf"(?:最近|过去|近)(?:的)?{NUMERAL}\s*个?{_UNIT}", lambda m, c: lately(c.today, number(m[1]), m[2]))
    yield rule(
        rf"\b(?:last|past)\s+{COUNT}\s+(day|week|month|year)s?\b", lambda m, c: lately(c.today, number(m[1]), m[2])
    )
    yield rule(rf"{NUMERAL}\s*个?{_UNIT}(?:之|以)?前", lambda m, c: ago(c.today, number(m[1]), m[2]))
    yield rule(
        rf"\b{COUNT}\s+(day|week|month|year)s?\s+(?:ago|earlier|back)\b", lambda m, c: ago(c.today, number(m[1]), m[2])
    )
    yield rule(rf"{NUMERAL}\s*个?{_UNIT}(?:之|以)?后", lambda m, c: ago(c.today, -number(m[1]), m[2]))
    yield rule(rf"\bin\s+{COUNT}\s+(day|week|month|year)s?\b", lambda m, c: ago(c.today, -number(m[1]), m[2]))
    yield rule("半年前", lambda m, c: ago(c.today, 6, "月"))
    yield rule(
        r"(?:前几天|几天前|这几天|前些天)|\b(?:a few|several) days ago\b|\bthe other day\b",
        lambda m, c: [(c.today - timedelta(days=10), c.today)],
    )
    yield rule(
        r"\b(?:a few|several) weeks ago\b|几(?:个)?(?:周|星期|礼拜)前",
        lambda m, c: [(c.today - timedelta(days=50), c.today - timedelta(days=13))],
    )
    yield rule("|".join(sorted(_NEAR_DAYS, key=len, reverse=True)), lambda m, c: offset_from(c.today, _NEAR_DAYS[m[0]]))


def _periods() -> Iterator[Rule]:
    """Weeks, months, seasons and years, named from today."""
    yield rule(
        rf"({_STEP_WORDS})个?(?:周|星期|礼拜)末",
        lambda m, c: [(week_of(c.today, _STEP[m[1]])[0] + timedelta(days=5), week_of(c.today, _STEP[m[1]])[1])],
    )
    yield rule(
        rf"({_STEP_WORDS})个?(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, c: weekday_of(c.today, _STEP[m[1]], WEEKDAYS[m[2]]),
    )
    yield rule(rf"({_STEP_WORDS})个?(?:周|星期|礼拜)", lambda m, c: [week_of(c.today, _STEP[m[1]])])
    yield rule(
        r"\b(last|this|next|past)\s+weekend\b",
        lambda m, c: [(week_of(c.today, _STEP[m[1]])[0] + timedelta(days=5), week_of(c.today, _STEP[m[1]])[1])],
    )
    yield rule(rf"\b(last|this|next)\s+({DAY_NAMES})\b", lambda m, c: weekday_of(c.today, _STEP[m[1]], WEEKDAYS[m[2]]))
    yield rule(r"\b(last|this|next|past)\s+week\b", lambda m, c: [week_of(c.today, _STEP[m[1]])])
    yield rule(rf"({_STEP_WORDS})个?月份?(?!\d)", _shifted_month)
    yield rule(r"\b(last|this|next|past)\s+month\b", _shifted_month)
    yield rule(
        rf"({_YEAR_WORDS})的?([春夏秋冬])[天季]?",
        lambda m, c: season_of(c.today.year + _YEAR_SHIFT[m[1]], SEASONS[m[2]]),
    )
    yield rule(r"(上|这|下)个?([春夏秋冬])[天季]", _last_season)
    yield rule(r"\b(last|this|next|past)\s+(spring|summer|fall|autumn|winter)\b", _last_season)
    yield rule(rf"\b(last|this|next)\s+({MONTH_NAMES})\b", _named_month)
    yield rule(rf"\b(in|during|since|of|by|until|early|late|mid)[ -]({MONTH_NAMES})\b", _named_month)
    yield rule(
        rf"(?<![个\d一二两三四五六七八九十]){NUMERAL}\s?月份?(?!\d)",
        lambda m, c: [d for y in c.years for d in month_of(y, number(m[1])) if 1 <= number(m[1]) <= 12],
    )
    yield rule(_YEAR_WORDS, lambda m, c: year_of(c.today.year + _YEAR_SHIFT[m[0]]))
    yield rule(r"\b(last|this|next|past)\s+year\b", lambda m, c: year_of(c.today.year + _STEP[m[1]]))
    yield rule(
        r"(?<!\d)((?:19|20)\d{2})\s*年|\b(?:in|during|since|of)\s+((?:19|20)\d{2})\b",
        lambda m, c: year_of(int(m[1] or m[2])),
    )
    yield rule(
        r"(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, c: weekday_of(c.today, 0, WEEKDAYS[m[1]]) + weekday_of(c.today, -1, WEEKDAYS[m[1]]),
    )
    yield rule(
        rf"\bon\s+({DAY_NAMES})\b",
        lambda m, c: weekday_of(c.today, 0, WEEKDAYS[m[1]]) + weekday_of(c.today, -1, WEEKDAYS[m[1]]),
    )


_RULES = (*range_rules(), *_dates(), *_distances(), *_periods())
