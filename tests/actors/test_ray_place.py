"""The directory of Ray's sockets: short, private, and swept of what earlier runs left."""

import stat
from pathlib import Path

import pytest

from actors.ray_place import TEMP_DIR_CHARS_MAX, forget_old_sessions, private_temp_dir, set_environment


def test_a_path_too_long_for_sockets_gets_a_short_private_place_that_stays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    wanted = tmp_path / ("x" * TEMP_DIR_CHARS_MAX)
    place = private_temp_dir(wanted)
    assert (place.parent, place) == (tmp_path, private_temp_dir(wanted))
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert private_temp_dir(tmp_path / ("y" * TEMP_DIR_CHARS_MAX)) != place


def test_sessions_of_earlier_runs_go_and_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "session_1").mkdir()
    (tmp_path / "session_1" / "log").touch()
    (tmp_path / "session_latest").symlink_to(tmp_path / "session_1")
    (tmp_path / "mine").touch()
    forget_old_sessions(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]


def test_the_environment_says_token_and_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"OMP_NUM_THREADS": "3"}
    monkeypatch.setattr("os.environ", environment)
    set_environment(Path("token-file"))
    assert environment == {
        "OMP_NUM_THREADS": "3",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": "token-file",
    }
