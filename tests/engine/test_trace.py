"""The trace is bounded, silent about what may not be kept, and forgets what is purged."""

from dataclasses import replace

import pytest

from engine.events import EXPIRED, MemoriesPurged
from engine.memory import Revision
from engine.state import apply
from engine.trace import SEARCH, STEP_LIFE_MS, STEPS_MAX, TEXT_CHARS_MAX, Recalled, Step, Trace, kept_text, written_of
from tests.engine.deciding import NOW_MS, Desk


def step(text: str = "tea?", *ids: str, at_ms: int = NOW_MS) -> Step:
    recalled = tuple(Recalled(memory_id=one, version=1) for one in ids)
    return Step(number=0, kind=SEARCH, at_ms=at_ms, said_at_ms=at_ms, text=text, recalled=recalled)


def test_steps_are_numbered_in_order_and_the_oldest_make_room() -> None:
    trace = Trace()
    for number in range(STEPS_MAX + 10):
        trace.add(step(str(number)))
    assert len(trace) == STEPS_MAX
    assert [one.number for one in trace] == list(range(11, STEPS_MAX + 11))


def test_a_step_is_shown_for_a_week_to_the_millisecond() -> None:
    trace = Trace()
    trace.add(step())
    assert len(trace.since(NOW_MS + STEP_LIFE_MS)) == 1
    assert trace.since(NOW_MS + STEP_LIFE_MS + 1) == []
    trace.add(step(at_ms=NOW_MS + STEP_LIFE_MS + 1))
    assert len(trace) == 1


def test_numbers_go_on_after_a_snapshot() -> None:
    first, second = Trace(), Trace()
    first.add(step("one"))
    second.fill(list(first))
    second.add(step("two"))
    assert [(one.number, one.text) for one in second] == [(1, "one"), (2, "two")]
    assert second.unsaved == 1


def test_secrets_are_masked_and_texts_are_cut() -> None:
    assert "hunter22" not in kept_text("my password is hunter22")
    assert len(kept_text("tea " * 1_000)) == TEXT_CHARS_MAX


@pytest.mark.parametrize(
    "content",
    [
        "Off the record: I am thinking of leaving my job.",
        "Your verification code is 482913",
        "Forget about my divorce.",
    ],
)
def test_what_may_not_be_kept_leaves_no_text(content: str) -> None:
    written = written_of(Desk().decide(content), content)
    assert (written.memory_id, written.content) == ("", "")
    assert written.rule


def test_a_skipped_write_keeps_its_text_its_score_and_its_rule() -> None:
    written = written_of(
        Desk().decide("The weather is rather grey over there."), "The weather is rather grey over there."
    )
    assert (written.outcome, written.content) == ("skipped", "The weather is rather grey over there.")
    assert written.score is not None
    assert written.score.total < written.score.threshold


def test_a_purge_takes_the_steps_along_that_mention_the_memory_or_its_text() -> None:
    desk = Desk()
    memory = desk.write("I am allergic to peanuts.").memory
    assert memory is not None
    trace = desk.state.trace
    trace.add(step("allergies?", memory.memory_id))
    trace.add(step("he said: I am allergic to peanuts. Is that so?"))
    trace.add(step("what about tea?", "another"))
    apply(desk.state, MemoriesPurged((memory.memory_id,), NOW_MS, "purged"))
    assert [one.text for one in trace] == ["what about tea?"]


def test_an_old_text_of_a_purged_memory_goes_too() -> None:
    memory = Desk().write("I live in Beijing.").memory
    assert memory is not None
    moved = replace(memory, content="I live in Shanghai.")
    trace = Trace()
    trace.add(step("I live in Beijing."))
    trace.forget([moved])
    assert len(trace) == 1
    trace.forget([replace(moved, revisions=(Revision(memory.content, NOW_MS, "moved", 1),))])
    assert len(trace) == 0


def test_what_ran_out_by_itself_leaves_its_steps() -> None:
    desk = Desk()
    memory = desk.write("I am allergic to peanuts.").memory
    assert memory is not None
    desk.state.trace.add(step("allergies?", memory.memory_id))
    apply(desk.state, MemoriesPurged((memory.memory_id,), NOW_MS, EXPIRED))
    assert len(desk.state.trace) == 1


def test_a_label_belongs_to_its_hit_and_the_last_one_counts() -> None:
    trace = Trace()
    trace.add(
        Step(
            number=0, kind=SEARCH, at_ms=1, said_at_ms=1, search_id="s", recalled=(Recalled(memory_id="m", version=1),)
        )
    )
    assert not trace.label("s", "other", True)
    assert not trace.label("other", "m", True)
    before = trace.unsaved
    assert trace.label("s", "m", True)
    assert trace.label("s", "m", False)
    assert trace.unsaved > before
    (step,) = trace
    assert [(one.memory_id, one.right) for one in step.labels] == [("m", False)]
    assert trace.label("s", "m", None)
    assert next(iter(trace)).labels == ()


def test_a_raw_text_is_masked_before_anybody_reads_it() -> None:
    for read in (list, lambda trace: trace.since(NOW_MS), lambda trace: [trace.found("s")]):
        trace = Trace()
        trace.add(replace(step("my password is hunter22"), search_id="s"), raw=True)
        trace.add(step("tea"), raw=True)
        (first, *_) = read(trace)
        assert first is not None
        assert first.text.startswith("my password is ")
        assert "hunter22" not in first.text
        assert [one.number for one in trace] == [1, 2]
