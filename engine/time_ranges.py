"""From one date to another in a query: "5/4-5/7", "5月4日到7日", "May 4-7", "from March to May", "since March".

One span from the first day to the last, not two days: what lies between them is what is asked for. A range without a
year means that range in every year the user has memories of; one that ends before it begins runs into the next year.
"""

import re
from collections.abc import Iterator
from datetime import date

from engine.calendar_days import DAY, MONTH_NAMES, MONTHS, NUMERAL, Calendar, Days, Rule, day_of, month_of, number, rule

_TO_HAN = r"\s*(?:-|–|—|~|～|到|至)\s*"
_TO_LATIN = r"\s*(?:-|–|—|to|through|thru|until|till)\s*"
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th)?"
_SEPARATED = r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})[日号]?"


def range_rules() -> Iterator[Rule]:
    """Ranges of written-out days, of days of the year, of months, and from a month until today."""
    for between, to in (("", r"\s*(?:-|–|—|~|～|到|至|to|through|until)\s*"), (r"\bbetween\s+", r"\s+and\s+")):
        yield rule(
            rf"{between}(?<!\d){_SEPARATED}{to}{_SEPARATED}(?!\d)",
            lambda m, c: _between(_written(m, 1), _written(m, 4)),
        )
    yield rule(
        rf"(?<![\d/.-])(\d{{1,2}})/(\d{{1,2}})(?:{_TO_HAN}|{_TO_LATIN})(?:(\d{{1,2}})/)?(\d{{1,2}})(?![\d/.%-])",
        lambda m, c: _in_every_year(c, (int(m[1]), int(m[2])), (int(m[3] or m[1]), int(m[4]))),
    )
    yield rule(
        rf"{NUMERAL}\s?月\s?{NUMERAL}\s?[日号]?{_TO_HAN}(?:{NUMERAL}\s?月\s?)?{NUMERAL}\s?[日号]",
        lambda m, c: _in_every_year(c, (number(m[1]), number(m[2])), (number(m[3] or m[1]), number(m[4]))),
    )
    yield rule(
        rf"\b({MONTH_NAMES})\.?\s+{_ORDINAL}{_TO_LATIN}(?:({MONTH_NAMES})\.?\s+)?{_ORDINAL}(?:,?\s+(\d{{4}}))?\b",
        _named_days,
    )
    yield rule(
        rf"\bbetween\s+({MONTH_NAMES})\.?\s+{_ORDINAL}\s+and\s+(?:({MONTH_NAMES})\.?\s+)?{_ORDINAL}(?:,?\s+(\d{{4}}))?\b",
        _named_days,
    )
    yield rule(
        rf"{NUMERAL}\s?月份?{_TO_HAN}{NUMERAL}\s?月份?(?!\s?\d)", lambda m, c: _months(c, number(m[1]), number(m[2]))
    )
    yield rule(
        rf"\b(?:from\s+)?({MONTH_NAMES}){_TO_LATIN}({MONTH_NAMES})\b|\bbetween\s+({MONTH_NAMES})\s+and\s+({MONTH_NAMES})\b",
        lambda m, c: _months(c, MONTHS[m[1] or m[3]], MONTHS[m[2] or m[4]]),
    )
    yield rule(rf"\bsince\s+({MONTH_NAMES})\b(?!\.?\s+\d)", lambda m, c: _until_today(c, MONTHS[m[1]]))
    yield rule(rf"{NUMERAL}\s?月份?(?:以来|至今|到现在)", lambda m, c: _until_today(c, number(m[1])))


def _written(found: re.Match[str], group: int) -> list[Days]:
    return day_of(int(found[group]), int(found[group + 1]), int(found[group + 2]))


def _between(first: list[Days], last: list[Days]) -> list[Days]:
    """From the first day of one to the last day of the other; nothing when either is no date or they are reversed."""
    return [(first[0][0], last[0][1])] if first and last and first[0][0] < last[0][1] else []


def _span_of_year(year: int, first: tuple[int, int], last: tuple[int, int]) -> list[Days]:
    return _between(day_of(year, *first), day_of(year + (last < first), *last))


def _in_every_year(calendar: Calendar, first: tuple[int, int], last: tuple[int, int]) -> list[Days]:
    return [days for year in calendar.years for days in _span_of_year(year, first, last)]


def _named_days(found: re.Match[str], calendar: Calendar) -> list[Days]:
    first = MONTHS[found[1]], int(found[2])
    last = MONTHS[found[3] or found[1]], int(found[4])
    return _span_of_year(int(found[5]), first, last) if found[5] else _in_every_year(calendar, first, last)


def _months(calendar: Calendar, first: int, last: int) -> list[Days]:
    if not (1 <= first <= 12 and 1 <= last <= 12):
        return []
    return [
        days
        for year in calendar.years
        for days in _between(month_of(year, first), month_of(year + (last < first), last))
    ]


def _until_today(calendar: Calendar, month: int) -> list[Days]:
    """From the latest such month that has begun until today."""
    if not 1 <= month <= 12:
        return []
    year = calendar.today.year - (month > calendar.today.month)
    return [(date(year, month, 1), calendar.today + DAY)]
