"""The table file and the vectors that come out of it."""

from pathlib import Path

import numpy as np
import pytest

from adapters.models.query_table import BUNDLED_TABLE, QueryTable, TableParts, read_parts, write_parts
from adapters.models.space import BUNDLED_SPACE_ID, bundled_space
from engine.errors import Corrupt
from engine.spaces import CALIBRATION_KEYS
from tests.pace import grows_linearly

TABLE = QueryTable.load()


def small_parts() -> TableParts:
    rows = np.array([[127, 0, 0], [0, 127, 0]], np.int8)
    scales = np.array([1 / 127, 3 / 127], np.float32)
    mean, language = np.array([0, 0, 0.9], np.float32), np.ones(3, np.float32)
    return TableParts("toy", ["one", "二"], rows, scales, mean, language, {"sentences": 2})


def test_a_table_survives_its_file(tmp_path: Path) -> None:
    write_parts(tmp_path / "t", small_parts())
    read = read_parts(tmp_path / "t")
    assert (read.space_id, list(read.words), read.made) == ("toy", ["one", "二"], {"sentences": 2})
    assert np.array_equal(read.rows, small_parts().rows)
    assert np.array_equal(read.scales, small_parts().scales)
    assert np.array_equal(read.mean, small_parts().mean)
    assert np.array_equal(read.language, small_parts().language)


def test_a_vector_is_the_direction_of_the_scaled_sum(tmp_path: Path) -> None:
    write_parts(tmp_path / "t", small_parts())
    made = QueryTable.load(tmp_path / "t").encode("one 二")
    assert made.vector.tolist() == pytest.approx([1 / 10**0.5, 3 / 10**0.5, 0.0])
    assert (made.encoder, made.coverage) == ("static", 1.0)


def test_a_stand_in_is_the_mean_leaning_towards_the_text(tmp_path: Path) -> None:
    write_parts(tmp_path / "t", small_parts())
    table = QueryTable.load(tmp_path / "t")
    wanted = np.array([0.39, 0.0, 0.9]) / np.linalg.norm([0.39, 0.0, 0.9])
    assert table.stand_in("one").tolist() == pytest.approx(wanted.tolist())
    assert table.stand_in("unknown").tolist() == pytest.approx([0.0, 0.0, 1.0])


@pytest.mark.parametrize("damage", ["short", "not a table", "empty"])
def test_a_damaged_file_is_refused_and_never_read_as_a_smaller_table(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "t"
    write_parts(path, small_parts())
    whole = path.read_bytes()
    path.write_bytes({"short": whole[:-1], "not a table": b"X" + whole[1:], "empty": b""}[damage])
    with pytest.raises(Corrupt):
        QueryTable.load(path)


@pytest.mark.parametrize("text", ["", "???", "Где живёт", "\ud800"])
def test_a_text_without_known_words_has_no_direction(text: str) -> None:
    made = TABLE.encode(text)
    assert made.coverage == 0.0
    assert not made.vector.any()
    assert np.linalg.norm(TABLE.stand_in(text)) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("text", ["What am I allergic to?", "我对什么过敏？", "我對什麼過敏？", "a café at 17:45"])
def test_a_known_text_has_a_unit_vector_and_full_coverage(text: str) -> None:
    made = TABLE.encode(text)
    assert made.vector.shape == (384,)
    assert made.vector.dtype == np.float32
    assert np.linalg.norm(made.vector) == pytest.approx(1.0, abs=1e-5)
    assert made.coverage > 0.95


def test_traditional_and_simplified_questions_are_the_same_vector() -> None:
    assert np.array_equal(TABLE.encode("我對什麼過敏？").vector, TABLE.encode("我对什么过敏？").vector)


@pytest.mark.parametrize(
    "text",
    [
        "Wo wohnt meine Schwester jetzt eigentlich?",
        "¿Dónde vive mi hermana ahora?",
        "Où habite ma sœur maintenant ?",
        "妹はどこに住んでいますか",
        "제 여동생은 어디에 살아요?",
        "Где сейчас живёт моя сестра?",
    ],
)
def test_languages_that_the_table_does_not_know_have_low_coverage(text: str) -> None:
    assert TABLE.encode(text).coverage < 0.5


def test_the_bundled_table_is_small_enough_to_ship() -> None:
    assert BUNDLED_TABLE.stat().st_size <= 12_000_000


@pytest.mark.parametrize("unit", ["dentist ", "牙医", "ab1-", "😀"])
def test_a_query_costs_in_proportion_to_its_length(unit: str) -> None:
    assert grows_linearly(TABLE.encode, unit * (8_000 // len(unit)))


def test_the_bundled_space_has_the_tables_mean_and_a_curve_for_every_pair() -> None:
    space = bundled_space()
    assert space.space_id == BUNDLED_SPACE_ID == TABLE.space_id
    assert np.array_equal(space.mean, TABLE.mean)
    assert 0.85 < float(np.linalg.norm(space.mean)) < 0.95
    assert set(space.calibrations) == set(CALIBRATION_KEYS)
