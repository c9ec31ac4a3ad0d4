"""What is found out about a remote model's space, and where it is kept."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from adapters.models.remote_space import NoTable, RemoteSpace, SpaceFile, space_id_of
from adapters.models.spend_file import SpendFile
from engine.memory import Float32Array
from tests.model_stub import hashed_vector

DIMENSIONS = 256


async def hashed(texts: Sequence[str]) -> Float32Array:
    return np.array([hashed_vector(text, DIMENSIONS) for text in texts], np.float32)


async def all_alike(texts: Sequence[str]) -> Float32Array:
    return np.tile(np.array(hashed_vector("x", DIMENSIONS), np.float32), (len(texts), 1))


def space_file(folder: Path) -> SpaceFile:
    return SpaceFile(folder, "openai/stub", DIMENSIONS)


async def test_a_fit_tells_answers_from_wrong_memories_and_is_kept(tmp_path: Path) -> None:
    file = space_file(tmp_path)
    assert file.read() is None
    known = await file.fit(hashed)
    assert known is not None
    file.write(known)
    assert space_file(tmp_path).read() == json.loads(json.dumps(known))
    space = RemoteSpace("openai/stub", DIMENSIONS, space_file(tmp_path).read())
    assert space.fitted
    curve = space.space.calibration("model", stand_in=False)
    asked = space.centred(np.array(hashed_vector("我对什么过敏？", DIMENSIONS), np.float32))
    texts = ("我对海鲜过敏", "Rent is due on Monday")
    answer, other = (np.array(hashed_vector(text, DIMENSIONS), np.float32) for text in texts)
    right, wrong = curve.relevance(np.array([asked @ answer, asked @ other], np.float32))
    assert right > 1.5 * wrong  # These vectors are poor ones, and the curve does not make them better.


async def test_a_model_whose_vectors_tell_nothing_apart_is_not_fitted(tmp_path: Path) -> None:
    assert await space_file(tmp_path).fit(all_alike) is None


def test_a_damaged_or_foreign_file_is_found_out_again(tmp_path: Path) -> None:
    file = space_file(tmp_path)
    file.write({"dimensions": DIMENSIONS})
    assert file.read() is None, "the dimension alone is no fit"
    file.path.write_text("{", "utf-8")
    assert file.read() is None
    space = RemoteSpace("openai/stub", DIMENSIONS, {"mean": [0.0], "curve": {"scores": [0, 1], "relevances": [0, 1]}})
    assert not space.fitted


def test_the_models_own_dimension_is_remembered(tmp_path: Path) -> None:
    file = SpaceFile(tmp_path, "openai/stub", 0)
    assert file.dimensions() == 0
    file.write({"dimensions": 512})
    assert SpaceFile(tmp_path, "openai/stub", 0).dimensions() == 512
    assert SpaceFile(tmp_path, "openai/other", 0).dimensions() == 0


def test_a_space_is_named_by_provider_model_and_dimension() -> None:
    names = {space_id_of(model, n) for model in ("openai/a", "openai/b", "ollama/a") for n in (384, 512)}
    assert len(names) == 6


def test_a_document_without_a_vector_tells_nothing_and_a_query_without_one_says_so() -> None:
    table = NoTable(64)
    query = table.encode("anything")
    assert (query.encoder, query.coverage) == ("none", 0.0)
    assert query.vector @ table.stand_in("a") == 0.0
    assert np.array_equal(table.stand_in("a"), table.stand_in("b"))
    assert np.linalg.norm(table.stand_in("a")) == pytest.approx(1.0)
    space = RemoteSpace("openai/stub", 64, None).space
    for encoder in ("none", "static", "model"):
        low, high = space.calibration(encoder, stand_in=True).relevance(np.array([-1.0, 1.0], np.float32))
        assert low == high


def test_the_days_spending_survives_a_restart_and_a_lost_file_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "models" / "spend.json"
    SpendFile(path).save("judge", 20_000, 7, 900)
    assert SpendFile(path).load("judge", 20_000) == (7, 900)
    assert SpendFile(path).load("judge", 20_001) == (0, 0)
    assert SpendFile(path).load("embedder", 20_000) == (0, 0)
    for damage in ("{", "[]", '{"judge": [1]}', '{"judge": ["x", 1, 2]}'):
        path.write_text(damage, "utf-8")
        assert SpendFile(path).load("judge", 20_000) == (0, 0)
    blocked = tmp_path / "a-file"
    blocked.write_text("", "utf-8")
    SpendFile(blocked / "spend.json").save("judge", 1, 1, 1)
