"""Time in a query, in both languages, in the user's own calendar. It is Sunday 5 April 2026, 10:00 in Shanghai."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.anchors import anchors_in
from engine.calendar_days import number
from engine.time_words import time_spans
from tests.engine.remembering import day, ids, memory, recall, state_of

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW_MS = int(datetime(2026, 4, 5, 10, tzinfo=SHANGHAI).timestamp() * 1000)


def spans(text: str, years: range = range(2023, 2024)) -> list[tuple[str, float]]:
    """First day and length in days of each span."""
    found = time_spans(text, now_ms=NOW_MS, zone=SHANGHAI, years=years)
    return [(datetime.fromtimestamp(span.start_ms / 1000, SHANGHAI).date().isoformat(), span.days) for span in found]


@pytest.mark.parametrize(("text", "first", "days"), [
    ("我曾经在5月2日提到过我去了博物馆", "2023-05-02", 1), ("五月二号", "2023-05-02", 1),
    ("2024年12月31日", "2024-12-31", 1),

    ("4/21 那晚睡了几小时", "2023-04-21", 1), ("去年5月", "2025-05-01", 31), ("去年五月三号", "2025-05-03", 1),
    ("上个月花了多少", "2026-03-01", 31), ("下个月", "2026-05-01", 31), ("上周五说的", "2026-03-27", 1),
    ("上周", "2026-03-23", 7), ("上周末", "2026-03-28", 2), ("昨天我把年假改到几月", "2026-04-04", 1),
    ("前天", "2026-04-03", 1), ("大前天", "2026-04-02", 1), ("三天前", "2026-04-02", 1), ("十二天前", "2026-03-24", 1),
    ("两周前", "2026-03-19", 7), ("三个月前", "2026-01-01", 31), ("两年前", "2024-01-01", 366),
    ("去年夏天", "2025-06-01", 92),
    ("前年", "2024-01-01", 366), ("2023年", "2023-01-01", 365), ("圣诞节", "2023-12-25", 1),
    ("最近三个月", "2026-01-02", 94),
    ("I mentioned on May 2nd that I went", "2023-05-02", 1), ("on 8 May 2023", "2023-05-08", 1),
    ("March 11, 2026", "2026-03-11", 1), ("2026-03-11", "2026-03-11", 1), ("in May 2022", "2022-05-01", 31),
    ("last spring", "2025-03-01", 92), ("last winter", "2025-12-01", 90), ("last month", "2026-03-01", 31),
    ("last week", "2026-03-23", 7), ("last Friday", "2026-03-27", 1), ("yesterday", "2026-04-04", 1),
    ("the day before yesterday", "2026-04-03", 1), ("three days ago", "2026-04-02", 1),
    ("two weeks ago", "2026-03-19", 7),
    ("in 2022", "2022-01-01", 365), ("last year", "2025-01-01", 365), ("last Christmas", "2025-12-25", 1),
    ("in the past two months", "2026-02-02", 63), ("tomorrow", "2026-04-06", 1), ("in three days", "2026-04-08", 1),
    ("last December", "2025-12-01", 31), ("during August", "2023-08-01", 31),
])  # fmt: skip
def test_a_phrase_names_its_days(text: str, first: str, days: float) -> None:
    assert spans(text) == [(first, days)]


@pytest.mark.parametrize("text", [
    "you may go", "推荐个餐厅", "二月三十日", "花了3个月的工资", "it costs 30", "版本 3.11.2", "ratio 16/9",
    "ring me at 2:30", "march on", "C++", "the weekday menu", "号码是多少", "",
])  # fmt: skip
def test_what_names_no_day_gives_no_span(text: str) -> None:
    assert spans(text) == []


def test_a_date_without_a_year_means_that_date_in_every_year_with_memories() -> None:
    assert [first for first, _ in spans("5月2日", range(2022, 2025))] == ["2022-05-02", "2023-05-02", "2024-05-02"]


def test_two_dates_are_two_spans() -> None:
    assert spans("2023-05-02 and 2023-05-09") == [("2023-05-02", 1), ("2023-05-09", 1)]


@pytest.mark.parametrize(("text", "first", "days"), [
    ("between 2023-05-02 and 2023-05-09", "2023-05-02", 8), ("2023-05-02 to 2023-05-09", "2023-05-02", 8),
    ("2023年5月2日到2023年5月9日", "2023-05-02", 8), ("(5/4-5/7)", "2023-05-04", 4), ("5/4-7", "2023-05-04", 4),
    ("5月4日到7日", "2023-05-04", 4), ("5月4号至6月2号", "2023-05-04", 30), ("五月四日到五月七日", "2023-05-04", 4),
    ("May 4-7", "2023-05-04", 4), ("from May 4 to June 2", "2023-05-04", 30), ("May 4th through 7th", "2023-05-04", 4),
    ("between May 4 and May 7, 2024", "2024-05-04", 4), ("12/30-1/2", "2023-12-30", 4), ("3月到5月", "2023-03-01", 92),
    ("from March to May", "2023-03-01", 92), ("between November and February", "2023-11-01", 121),
    ("since March", "2026-03-01", 36), ("三月以来", "2026-03-01", 36), ("since November", "2025-11-01", 156),
    ("5 月份体重", "2023-05-01", 31),
])  # fmt: skip
def test_from_one_date_to_another_is_one_span(text: str, first: str, days: float) -> None:
    assert spans(text) == [(first, days)]


@pytest.mark.parametrize("text", ["30/2-31/2", "2月30日到31日", "between 13/40-14/41", "2023-05-09 to 2023-05-02"])
def test_a_range_of_no_dates_or_one_that_runs_backwards_is_no_span(text: str) -> None:
    assert spans(text) == []


def test_days_begin_at_midnight_where_the_user_is() -> None:
    (span,) = time_spans("昨天", now_ms=NOW_MS, zone=SHANGHAI, years=range(0))
    assert span.start_ms == int(datetime(2026, 4, 3, 16, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(("word", "value"), [
    ("7", 7), ("七", 7), ("十", 10), ("十二", 12), ("二十", 20), ("二十三", 23), ("两", 2), ("twelve", 12), ("a", 1),
    ("二〇二三", 2023), ("x", 0), ("", 0),
])  # fmt: skip
def test_numbers_are_read_in_digits_and_in_words(word: str, value: int) -> None:
    assert number(word) == value


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    for span in time_spans(text, now_ms=NOW_MS, zone=SHANGHAI, years=range(2023, 2025)):
        assert span.start_ms < span.end_ms


@given(st.dates(date(1990, 1, 1), date(2060, 12, 31)))
def test_every_written_out_date_is_one_day(when: date) -> None:
    english = f"{when:%B} {when.day}, {when.year}"
    for text in (f"{when.year}年{when.month}月{when.day}日", when.isoformat(), english):
        assert spans(text) == [(when.isoformat(), (_midnight(when + timedelta(days=1)) - _midnight(when)) / 86400)]


def _midnight(when: date) -> float:
    return datetime(when.year, when.month, when.day, tzinfo=SHANGHAI).timestamp()


def test_what_was_said_on_the_day_named_comes_first() -> None:
    state = state_of(
        memory("before", "我去博物馆看了展览", said_at_ms=day(2023, 5, 1)),
        memory("that", "在博物馆看了展览", said_at_ms=day(2023, 5, 2)),
        memory("after", "我去博物馆看了展览", said_at_ms=day(2023, 5, 9)),
    )
    assert ids(recall(state, "我在5月2日去博物馆看了什么展览", min_relevance=0.0))[0] == "that"
    assert ids(recall(state, "what exhibition on May 2nd, 博物馆展览", min_relevance=0.0))[0] == "that"


def test_a_thing_that_happens_on_the_day_named_is_found_though_it_was_said_before() -> None:
    check = memory("check", "明天要去车管所年检。", said_at_ms=day(2026, 3, 10), occurred_at_ms=day(2026, 3, 11))
    others = [memory(f"o{i}", f"买了{thing}", said_at_ms=day(2026, 2, 1)) for i, thing in enumerate("米面油盐")]
    assert ids(recall(state_of(*others, check), "3月11日我有什么安排", min_relevance=0.0, top_k=3))[0] == "check"


def test_who_asks_for_a_day_and_little_else_gets_what_lies_in_it() -> None:
    state = state_of(memory("oil", "changed the oil", said_at_ms=day(2026, 3, 11)))
    assert ids(recall(state, "what happened on March 11?")) == ["oil"]
    assert ids(recall(state, "3月11日我有什么安排")) == ["oil"]
    assert ids(recall(state, "我3月11日那天做了什么")) == ["oil"]
    assert ids(recall(state, "how far did Linda run with her sister on March 11?")) == []


@pytest.mark.parametrize(("text", "event", "offset", "days"), [
    ("What did I buy three days before my trip?", "trip", -3, 1),
    ("the day after the wedding, who called", "wedding", 1, 1),
    ("a week before my thesis defence what did I eat", "thesis defence", -10, 7),
    ("出差前三天我买了什么", "出差", -3, 1),
    ("婚礼前一天谁来了", "婚礼", -1, 1), ("我们旅行之后两天", "旅行", 2, 1), ("搬家那天", "搬家", 0, 1),
])  # fmt: skip
def test_a_time_can_be_told_by_another_event(text: str, event: str, offset: int, days: int) -> None:
    (anchor,) = anchors_in(text)
    assert (anchor.event, anchor.offset_days, anchor.days) == (event, offset, days)


@pytest.mark.parametrize("text", ["三天前我买了什么", "两周前", "before my eyes", "the day before yesterday", "以前"])
def test_plain_times_need_no_event(text: str) -> None:
    assert anchors_in(text) == ()


def test_the_event_is_looked_up_in_the_memories() -> None:
    state = state_of(
        memory("trip", "出差去成都", said_at_ms=day(2026, 1, 2), occurred_at_ms=day(2026, 3, 10)),
        memory("near", "买了一个行李箱", said_at_ms=day(2026, 3, 7)),
        memory("far", "买了一个书架", said_at_ms=day(2026, 2, 1)),
    )
    assert ids(recall(state, "出差前三天我买了什么", min_relevance=0.0))[0] == "near"
