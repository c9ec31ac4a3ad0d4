"""The keyword index against SQLite's FTS5 (what matches) and against the BM25 formula (in what order)."""

import math
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine import lexical
from engine.lexical import LexicalIndex
from engine.tokens import document_tokens, query_tokens, query_weights

WORDS = [
    "garlic",
    "Rome",
    "trip",
    "went",
    "to",
    "the",
    "过敏",
    "花生",
    "北京",
    "地址",
    "SF123",
    "3.5",
    "커피를",
    "🎉",
    "a@b.co",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


class SqliteOracle:
    """Which texts share a token with a query, by FTS5 over the same tokens."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect(":memory:", isolation_level=None)
        # Every ASCII mark is part of a token, as all other characters already are to this tokenizer.
        marks = "".join(c for c in map(chr, range(33, 127)) if not c.isalnum() and c not in "'\"")
        self._rows.execute(f"create virtual table texts using fts5(tokens, tokenize=\"ascii tokenchars '{marks}'\")")

    def put(self, slot: int, text: str) -> None:
        self.remove(slot)
        self._rows.execute("insert into texts(rowid, tokens) values (?, ?)", (slot, " ".join(document_tokens(text))))

    def remove(self, slot: int) -> None:
        self._rows.execute("delete from texts where rowid = ?", (slot,))

    def search(self, query: str) -> set[int]:
        wanted = " OR ".join(f'"{token}"' for token in query_tokens(query))
        return {row[0] for row in self._rows.execute("select rowid from texts where texts match ?", (wanted,))}

    def close(self) -> None:
        self._rows.close()


def bm25(texts: dict[int, str], query: str) -> dict[int, float]:
    """The formula of `LexicalIndex.search`, term by term and text by text."""
    tokens = {slot: document_tokens(text) for slot, text in texts.items()}
    average = max(1.0, sum(map(len, tokens.values())) / len(tokens))
    finding, refining = query_weights(query)
    scores: dict[int, float] = {}
    for slot, held in tokens.items():
        if not set(held) & set(finding):
            continue
        scores[slot] = 0.0
        for term, weight in (finding | refining).items():
            holders = sum(term in others for others in tokens.values())
            count = min(15, held.count(term))
            idf = math.log(1 + (len(tokens) - holders + 0.5) / (holders + 0.5))
            norm = lexical.K1 * (1 - lexical.B + lexical.B * len(held) / average)
            scores[slot] += weight * idf * count * (lexical.K1 + 1) / (count + norm)
    return scores


class IndexLikeSqlite(RuleBasedStateMachine):
    """Any order of puts, replacements and removals leaves exactly what FTS5 finds, scored by the formula."""

    @initialize()
    def start(self) -> None:
        self.index = LexicalIndex()
        self.oracle = SqliteOracle()
        self.texts: dict[int, str] = {}
        self.next_slot = 0

    @rule(text=TEXTS)
    def put_new(self, text: str) -> None:
        self._put(self.next_slot, text)
        self.next_slot += 3

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), text=TEXTS)
    def replace(self, data: st.DataObject, text: str) -> None:
        self._put(data.draw(st.sampled_from(sorted(self.texts))), text)

    def _put(self, slot: int, text: str) -> None:
        self.index.put(slot, text)
        self.oracle.put(slot, text)
        self.texts[slot] = text

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        slot = data.draw(st.sampled_from(sorted(self.texts)))
        self.index.remove(slot)
        self.oracle.remove(slot)
        del self.texts[slot]

    @rule(slot=st.integers(10_000, 10_010))
    def remove_what_is_not_there(self, slot: int) -> None:
        self.index.remove(slot)

    @precondition(lambda self: self.texts)
    @rule(query=QUERIES, data=st.data())
    def search(self, query: str, data: st.DataObject) -> None:
        slots, scores = self.index.search(query, limit=1000)
        found = dict(zip(slots.tolist(), scores.tolist(), strict=True))
        assert set(found) == self.oracle.search(query)
        assert found == pytest.approx(bm25(self.texts, query), rel=1e-5)
        assert list(scores) == sorted(scores, reverse=True)
        allowed = np.array(data.draw(st.lists(st.booleans(), max_size=self.next_slot + 2)), dtype=np.bool_)
        kept, _ = self.index.search(query, limit=1000, allowed=allowed)
        assert kept.tolist() == [slot for slot in slots.tolist() if slot < len(allowed) and allowed[slot]]
        first, _ = self.index.search(query, limit=2)
        assert first.tolist() == slots[:2].tolist()

    @rule(data=st.data())
    def pack_and_go_on_with_what_was_unpacked(self, data: st.DataObject) -> None:
        """As a snapshot does: the memories get new slots in the order of the old, and some were never indexed."""
        old = sorted({*self.texts, *data.draw(st.sets(st.integers(20_000, 20_003)))})
        unpacked = LexicalIndex.unpacked(self.index.packed(old), range(5, 5 + len(old)))
        assert unpacked is not None
        self.index = unpacked
        self.texts = {5 + old.index(slot): text for slot, text in self.texts.items()}
        self.next_slot = 5 + len(old)
        self.oracle.close()
        self.oracle = SqliteOracle()
        for slot, text in self.texts.items():
            self.oracle.put(slot, text)

    @invariant()
    def it_holds_what_was_put(self) -> None:
        assert len(self.index) == len(self.texts)
        assert all(slot in self.index for slot in self.texts)

    def teardown(self) -> None:
        self.oracle.close()


TestIndexLikeSqlite = IndexLikeSqlite.TestCase
TestIndexLikeSqlite.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def filled(*texts: str) -> LexicalIndex:
    index = LexicalIndex()
    for slot, text in enumerate(texts):
        index.put(slot, text)
    return index


def test_an_empty_index_answers_nothing_and_costs_almost_nothing() -> None:
    index = LexicalIndex()
    assert index.search("garlic", limit=5)[0].tolist() == []
    assert index.memory_bytes < 500


def test_a_removed_text_leaves_no_term_behind() -> None:
    index = filled("garlic in Rome", "a trip to Rome")
    before = index.memory_bytes
    index.put(2, "a secret password hunter2 in Rome")
    index.remove(2)
    assert index.search("password hunter2 secret", limit=5)[0].tolist() == []
    assert index.search("Rome", limit=5)[0].tolist() == [0, 1] or index.search("Rome", limit=5)[0].tolist() == [1, 0]
    assert index.memory_bytes <= before + 200


def test_bigrams_put_the_word_above_its_scattered_characters() -> None:
    index = filled("花园里有学生", "他对花生过敏", "生活在花都")
    assert index.search("花生", limit=5)[0][0] == 1


def test_a_query_of_two_common_words_prefers_the_text_with_both() -> None:
    index = filled("garlic soup", "Rome trip", "garlic in Rome", "soup")
    assert index.search("garlic Rome", limit=1)[0].tolist() == [2]


def test_equal_scores_come_newest_first() -> None:
    assert filled("tea", "tea", "tea").search("tea", limit=2)[0].tolist() == [2, 1]


@given(st.text(st.characters(), max_size=40), st.text(st.characters(), max_size=40))
def test_any_text_can_be_put_searched_and_removed(text: str, query: str) -> None:
    index = filled(text)
    slots, scores = index.search(query, limit=3)
    assert (scores > 0).all()
    assert set(slots.tolist()) <= {0}
    index.matched_terms(query, text)
    index.remove(0)
    assert len(index) == 0
    assert index.search(text, limit=3)[0].tolist() == []


def test_a_packed_index_of_other_tokens_or_of_another_snapshot_is_not_taken() -> None:
    packed = filled("garlic in Rome", "a trip to Rome").packed([0, 1])
    assert LexicalIndex.unpacked(packed, [0, 1]) is not None
    assert LexicalIndex.unpacked(replace(packed, version=packed.version + 1), [0, 1]) is None
    assert LexicalIndex.unpacked(packed, [0, 1, 2]) is None
    assert LexicalIndex.unpacked(packed, [1, 0]) is None
    assert LexicalIndex.unpacked(replace(packed, entries=packed.entries[4:]), [0, 1]) is None
    assert LexicalIndex.unpacked(replace(packed, lengths=b"\xff" * len(packed.lengths)), [0, 1]) is None


def test_common_terms_refine_what_rare_ones_found(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {slot: f"coffee number {slot}" + (" Rome" if slot % 50 == 0 else "") for slot in range(400)}
    index = filled(*texts.values())
    full = index.search("coffee in Rome", limit=2)
    monkeypatch.setattr(lexical, "_ENTRIES_MAX", 5)
    slots, scores = index.search("coffee in Rome", limit=2)
    assert slots.tolist() == full[0].tolist()
    assert scores == pytest.approx(full[1])


def test_common_terms_are_added_in_full_where_rare_ones_found_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "_ENTRIES_MAX", 5)
    index = filled(*(f"coffee number {slot}" for slot in range(40)), "a zebra")
    assert index.search("coffee zebra", limit=10)[0][0] == 40
    assert len(index.search("coffee zebra", limit=10)[0]) == 10


def test_few_entries_among_many_slots_add_up_the_same() -> None:
    index = LexicalIndex()
    index.put(5, "Rome trip")
    index.put(90_000, "Rome Rome")
    slots, scores = index.search("Rome trip", limit=5)
    wanted = bm25({5: "Rome trip", 90_000: "Rome Rome"}, "Rome trip")
    assert dict(zip(slots.tolist(), scores.tolist(), strict=True)) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("query", "text", "words"),
    [
        ("请问顺丰快递到了吗", "顺丰快递周五到", ("顺丰快递",)),
        ("顺丰的快递", "快递是顺丰", ("顺丰", "快递")),
        ("Where are CAROLINE's Kids?", "caroline has a kid", ("CAROLINE's", "Kids")),
        ("我的花生過敏", "他对花生过敏", ("花生過敏",)),
        ("order SF1234567890 now", "SF1234567890 shipped", ("SF1234567890",)),
        ("Ｃａｆé in Łódź", "cafe lodz", ("Ｃａｆé", "Łódź")),
        ("어디서 커피를", "커피 좋아", ("커피",)),
        ("what is this", "nothing of the kind", ()),
    ],
)
def test_matched_terms_are_written_as_the_query_writes_them(query: str, text: str, words: tuple[str, ...]) -> None:
    index = filled(text)
    assert index.matched_terms(query, text) == words
    assert index.matched_terms(query, text, slot=0) == words


def test_a_hundred_memories_stay_small() -> None:
    index = filled(
        *(f"On day {n} I met friend{n} in city{n % 7} and we talked about topic{n % 13}" for n in range(100))
    )
    assert index.memory_bytes < 120_000
