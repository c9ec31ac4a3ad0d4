"""What a start makes of a changed embedding model, and the rounds of a move."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from actors.parts import EmbedderSpec
from actors.spaces import SpaceRecord, decode_record, encode_record
from engine.errors import Corrupt, Unavailable
from persistence.plain_journal import PlainSpaces
from rearview import moving
from rearview.embedder_spec import BUNDLED_SPEC, same_space, settings_with
from rearview.moving import Mover, settings_in_force
from rearview.settings import ModelSettings, Settings

REMOTE = EmbedderSpec("openai/stub", 64, "http://127.0.0.1:9/v1")


class Journal:
    def __init__(self, *users: str) -> None:
        self.known = list(users)

    async def users(self) -> AsyncIterator[str]:
        for user_id in self.known:
            yield user_id


class Directory:
    """Moves a user at the second asking; `failing` refuses."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.space: dict[str, str] = {}
        self.failing = False
        self.damaged: set[str] = set()
        self.unlucky: set[str] = set()

    async def ask(self, user_id: str, op: str, args: Mapping[str, object]) -> dict[str, object]:
        assert op == "reembed"
        if self.failing:
            raise Unavailable.of("The model is away.")
        if user_id in self.damaged:
            raise Corrupt.of("These bytes fail a check.")
        if user_id in self.unlucky:
            self.unlucky.discard(user_id)
            raise Unavailable.of("The host is gone.")
        self.asked.append(user_id)
        moved = self.asked.count(user_id) > 1
        if moved:
            self.space[user_id] = str(args["model"])
        return {"moved": moved, "left": 0, "embedded": 3}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AGAIN_SECONDS", "AGAIN_MAX_SECONDS", "SETTLE_SECONDS"):
        monkeypatch.setattr(moving, name, 0.001)


def settings(tmp_path: Path, model: str = "bundled") -> Settings:
    return Settings(data_dir=str(tmp_path), models=ModelSettings(embedder=model, embedder_dimensions=0))


async def until(holds: Callable[[], bool]) -> None:
    """Let the rounds go on, at most so many turns of the loop."""
    for _ in range(10_000):
        if holds():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("not in time")


async def stored(record: SpaceRecord | None) -> PlainSpaces:
    store = PlainSpaces()
    if record is not None:
        await store.write(encode_record(record))
    return store


async def test_a_model_in_the_settings_that_is_not_in_force_is_said_with_what_to_do(tmp_path: Path) -> None:
    store = await stored(SpaceRecord(REMOTE))
    used, record, problem = await settings_in_force(settings(tmp_path), store, Journal("alice"))
    assert (used.models.embedder, used.models.embedder_api_base) == (REMOTE.model, REMOTE.api_base)
    assert record == SpaceRecord(REMOTE)
    assert "rearview reembed --model bundled" in problem
    assert "REARVIEW_MODELS__EMBEDDER=openai/stub" in problem


@pytest.mark.parametrize("users", [(), ("alice",)])
async def test_a_first_start_and_the_same_model_need_no_word(tmp_path: Path, users: tuple[str, ...]) -> None:
    for record in (None, SpaceRecord(BUNDLED_SPEC)):
        used, _, problem = await settings_in_force(settings(tmp_path), await stored(record), Journal(*users))
        assert (used.models.embedder, problem) == ("bundled", "")


async def test_a_store_without_users_takes_the_model_of_the_settings(tmp_path: Path) -> None:
    store = await stored(SpaceRecord(REMOTE))
    used, record, problem = await settings_in_force(settings(tmp_path), store, Journal())
    assert (used.models.embedder, problem) == ("bundled", "")
    assert record is not None
    assert record.current == BUNDLED_SPEC


async def test_a_server_that_moved_house_is_the_same_model(tmp_path: Path) -> None:
    here = settings(tmp_path, REMOTE.model)
    used, record, problem = await settings_in_force(here, await stored(SpaceRecord(REMOTE)), Journal("alice"))
    assert (used, problem) == (here, "")
    assert record is not None
    assert (record.current.api_base, record.current.dimensions) == ("", 64)


async def test_everybody_moves_and_a_failure_only_delays(tmp_path: Path) -> None:
    store, directory = await stored(SpaceRecord(BUNDLED_SPEC, REMOTE)), Directory()
    directory.failing = True
    mover = Mover(directory, Journal("alice", "bob", "carol"), store, lambda: pytest.fail("nobody asks the model"))
    await mover.begin(settings(tmp_path), SpaceRecord(BUNDLED_SPEC, REMOTE))
    await until(lambda: mover.progress.state == "waiting")
    assert mover.progress.problem == "The model is away."
    directory.failing = False
    await until(lambda: mover.progress.state == "done")
    assert directory.space == dict.fromkeys(("alice", "bob", "carol"), REMOTE.model)
    found = await store.read()
    assert found is not None
    assert decode_record(found) == SpaceRecord(REMOTE, None, (BUNDLED_SPEC,))
    assert await mover.status() == {
        "model": REMOTE.model,
        "dimensions": 64,
        "moving_to": None,
        **asdict(mover.progress),
    }


async def test_a_damaged_user_and_one_who_fails_once_keep_nobody_else(tmp_path: Path) -> None:
    record, directory = SpaceRecord(BUNDLED_SPEC, REMOTE), Directory()
    directory.damaged, directory.unlucky = {"a-damaged"}, {"b-unlucky"}
    users = ("a-damaged", "b-unlucky", "c", "d", "e")
    mover = Mover(directory, Journal(*users), await stored(record), lambda: pytest.fail("nobody asks the model"))
    await mover.begin(settings(tmp_path), record)
    await until(lambda: mover.progress.state == "done")
    assert sorted(directory.space) == ["b-unlucky", "c", "d", "e"]
    assert (mover.progress.users_moved, mover.progress.users_damaged) == (4, 1)


async def test_moving_to_where_everybody_is_does_nothing(tmp_path: Path) -> None:
    store, directory = PlainSpaces(), Directory()
    mover = Mover(directory, Journal("alice"), store, lambda: pytest.fail("nobody asks the model"))
    await mover.begin(settings(tmp_path), None)
    assert (await mover.start({"model": "bundled"}))["state"] == "none"
    assert directory.asked == []


def test_the_key_of_another_model_comes_from_its_file_and_not_from_the_record(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("secret-key\n")
    chosen = settings_with(settings(tmp_path), EmbedderSpec("openai/x", 8, "", 8, str(file)))
    assert chosen.models.embedder_api_key.get_secret_value() == "secret-key"
    assert chosen.models.embedder_dimensions == 8


def test_a_dimension_that_nobody_knows_yet_is_no_other_space() -> None:
    assert same_space(EmbedderSpec("m", 0), EmbedderSpec("m", 64, "http://x"))
    assert not same_space(EmbedderSpec("m", 32), EmbedderSpec("m", 64))
    assert not same_space(EmbedderSpec("m", 64), EmbedderSpec("n", 64))
