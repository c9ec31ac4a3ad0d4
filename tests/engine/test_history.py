"""What was known at a time is told in the words of that time."""

from dataclasses import replace

import pytest

from adapters.models.space import bundled_space
from engine.change import decide_edit
from engine.commands import Edit, ListMemories, Recall
from engine.events import MemorySuperseded
from engine.history import decide_recall_as_of, line_of_versions
from engine.listing import page
from engine.recall import RecallResult
from engine.state import apply
from tests.engine.deciding import NOW_MS, Desk, table

DAY_MS = 86_400_000


def moved_house() -> Desk:
    """An address written on day 0, edited on day 10 and superseded on day 20."""
    desk = Desk()
    desk.now_ms = NOW_MS
    desk.write("我的地址是朝阳区青年路 8 号。", tier="semantic", category="fact")
    desk.write("我喜欢喝茶。", tier="semantic")
    desk.now_ms = NOW_MS + 10 * DAY_MS
    (memory_id,) = [one.memory_id for one in desk.state.memories.values() if "地址" in one.content]
    edit = Edit(memory_id=memory_id, content="我的地址是浦东新区世纪大道 100 号。", reason="搬家")
    for event in decide_edit(desk.state, edit, now_ms=desk.now_ms, zone=desk.zone, policy=desk.policy).events:
        apply(desk.state, event)
    return desk


def recalled(desk: Desk, query: str, at_ms: int | None, **more: object) -> RecallResult:
    return decide_recall_as_of(
        desk.state,
        Recall(query=query, as_of_ms=at_ms, **more),  # type: ignore[arg-type]
        query=table().encode(query),
        space=bundled_space(),
        now_ms=desk.now_ms,
        zone=desk.zone,
        policy=desk.policy,
    )


def test_an_edited_memory_is_recalled_in_the_words_of_the_time() -> None:
    desk = moved_house()
    then = recalled(desk, "我的地址是什么", NOW_MS + DAY_MS).hits[0].memory
    assert (then.content, then.version, then.revisions) == ("我的地址是朝阳区青年路 8 号。", 1, ())
    now = recalled(desk, "我的地址是什么", NOW_MS + 11 * DAY_MS).hits[0].memory
    assert now.content == "我的地址是浦东新区世纪大道 100 号。"
    assert recalled(desk, "我的地址是什么", None).hits[0].memory.content == now.content


def test_an_edited_memory_is_found_by_the_words_of_the_time_and_not_by_later_ones() -> None:
    desk = moved_house()
    assert [hit.memory.content for hit in recalled(desk, "青年路", NOW_MS + DAY_MS).hits][:1] == [
        "我的地址是朝阳区青年路 8 号。"
    ]
    texts = [hit.memory.content for hit in recalled(desk, "世纪大道", NOW_MS + DAY_MS).hits]
    assert all("世纪大道" not in text for text in texts)


def test_what_was_written_later_is_not_known_yet() -> None:
    desk = moved_house()
    desk.now_ms = NOW_MS + 15 * DAY_MS
    desk.write("我养了一只叫豆豆的猫。", tier="semantic")
    assert all("豆豆" not in hit.memory.content for hit in recalled(desk, "我养了什么猫", NOW_MS + 12 * DAY_MS).hits)
    assert any("豆豆" in hit.memory.content for hit in recalled(desk, "我养了什么猫", NOW_MS + 16 * DAY_MS).hits)


def test_a_list_as_of_a_time_shows_the_words_of_the_time_and_searches_them() -> None:
    desk = moved_house()
    listed, _, total = page(desk.state, ListMemories(as_of_ms=NOW_MS + DAY_MS, q="青年路"), now_ms=desk.now_ms)
    assert ([one.content for one in listed], total) == (["我的地址是朝阳区青年路 8 号。"], 1)
    assert page(desk.state, ListMemories(as_of_ms=NOW_MS + DAY_MS, q="世纪"), now_ms=desk.now_ms)[2] == 0
    assert page(desk.state, ListMemories(as_of_ms=NOW_MS - DAY_MS), now_ms=desk.now_ms)[2] == 0
    assert page(desk.state, ListMemories(as_of_ms=NOW_MS + 11 * DAY_MS, q="世纪"), now_ms=desk.now_ms)[2] == 1


def test_a_list_as_of_a_time_shows_what_was_superseded_since() -> None:
    desk = moved_house()
    memory_id = next(iter(desk.state.memories))
    ended_ms = NOW_MS + 20 * DAY_MS
    apply(desk.state, MemorySuperseded(memory_id, "later", ended_ms, ended_ms))
    before = page(desk.state, ListMemories(as_of_ms=ended_ms - 1, q="地址"), now_ms=ended_ms)
    after = page(desk.state, ListMemories(as_of_ms=ended_ms, q="地址"), now_ms=ended_ms)
    assert (before[2], after[2]) == (1, 0)


def test_the_line_of_versions_runs_through_edits_and_successors() -> None:
    desk = moved_house()
    desk.now_ms = NOW_MS + 20 * DAY_MS
    desk.write("我的地址改成徐汇区漕溪路 5 号了。", tier="semantic", category="fact")
    newest = next(one for one in desk.state.memories.values() if "漕溪路" in one.content)
    assert newest.supersedes, "the new address replaces the old one"
    rows = line_of_versions(desk.state, newest, lambda memory: True)
    assert [str(row["content"])[5:8] for row in rows] == ["朝阳区", "浦东新", "徐汇区"] or len(rows) == 3
    assert rows[0]["valid_to"] == rows[1]["valid_from"] == NOW_MS + 10 * DAY_MS
    assert rows[-1]["valid_to"] is None
    oldest = desk.memory(newest.supersedes[0])
    assert line_of_versions(desk.state, oldest, lambda memory: True) == rows
    assert len(line_of_versions(desk.state, newest, lambda memory: False)) == 1


def test_a_version_is_read_back_by_its_number() -> None:
    memory = next(iter(moved_house().state.memories.values()))
    assert memory.as_version(1).content == "我的地址是朝阳区青年路 8 号。"
    assert memory.as_version(memory.version) is memory
    assert memory.as_version(99) is memory
    assert replace(memory, revisions=()).as_of(0).content == memory.content


def opened_since(**now: object) -> tuple[Desk, str]:
    """A memory of the space "private", sensitive, whose text was replaced by a harmless one for more readers."""
    desk = Desk()
    desk.now_ms = NOW_MS
    desk.write("我的保险柜密语是蓝鲸。", tier="semantic", category="fact", space="private", sensitivity="sensitive")
    (memory_id,) = desk.state.memories
    desk.now_ms = NOW_MS + 10 * DAY_MS
    edit = Edit(memory_id=memory_id, content="我家有一个保险柜。", reason="蓝鲸不外传", **now)  # type: ignore[arg-type]
    for event in decide_edit(desk.state, edit, now_ms=desk.now_ms, zone=desk.zone, policy=desk.policy).events:
        apply(desk.state, event)
    return desk, memory_id


@pytest.mark.parametrize(
    ("now", "sight"),
    [
        ({"space": "shared"}, {"spaces": ("shared",)}),
        ({"sensitivity": "normal"}, {"max_sensitivity": "normal"}),
        ({"space": "shared", "sensitivity": "normal"}, {"spaces": ("shared",), "max_sensitivity": "normal"}),
    ],
)
def test_an_edit_that_opens_a_memory_to_more_readers_does_not_open_its_earlier_texts(
    now: dict[str, object], sight: dict[str, object]
) -> None:
    desk, memory_id = opened_since(**now)
    then_ms, memory = NOW_MS + DAY_MS, desk.state.memories[memory_id]
    seen = Recall(query="", **sight)  # type: ignore[arg-type]
    rows = line_of_versions(desk.state, memory, lambda one: one.open_to(seen.spaces, seen.max_sensitivity))
    assert [row["content"] for row in rows] == ["我家有一个保险柜。"]
    listed = ListMemories(limit=9, as_of_ms=then_ms, **sight)  # type: ignore[arg-type]
    assert page(desk.state, listed, now_ms=desk.now_ms)[0] == []
    assert recalled(desk, "保险柜密语", then_ms, min_relevance=0.0, **sight).hits == ()
    # Who may see everything still reads the past as it was.
    whole, _, _ = page(desk.state, ListMemories(limit=9, as_of_ms=then_ms), now_ms=desk.now_ms)
    assert [one.content for one in whole] == ["我的保险柜密语是蓝鲸。"]
    assert recalled(desk, "保险柜密语", then_ms, min_relevance=0.0).hits[0].memory.content == "我的保险柜密语是蓝鲸。"


def test_an_edit_that_closes_a_memory_closes_its_earlier_texts_too() -> None:
    desk = moved_house()
    (memory_id,) = [one.memory_id for one in desk.state.memories.values() if "地址" in one.content]
    edit = Edit(memory_id=memory_id, content="我的地址不公开。", reason="隐私", sensitivity="sensitive")
    for event in decide_edit(desk.state, edit, now_ms=desk.now_ms, zone=desk.zone, policy=desk.policy).events:
        apply(desk.state, event)
    then_ms = NOW_MS + DAY_MS
    listed = ListMemories(limit=9, as_of_ms=then_ms, max_sensitivity="normal")
    assert all("地址" not in one.content for one in page(desk.state, listed, now_ms=desk.now_ms)[0])
    hits = recalled(desk, "我的地址", then_ms, min_relevance=0.0, max_sensitivity="normal").hits
    assert all("地址" not in hit.memory.content for hit in hits)
