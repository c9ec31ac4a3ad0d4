"""Models in the settings: what is built from them, and that nothing is where nothing is set."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from actors.placement import Placement
from actors.ray_runtime import HostSpec
from rearview.model_wiring import known_dimensions, model_host, space_file
from rearview.settings import Settings, SettingsError, load_settings
from rearview.stack import host_spec

KEY = "sk-not-for-anybody"


def settings_of(data_dir: Path, **models: object) -> Settings:
    return load_settings({"data_dir": str(data_dir), "models": models}, {})


def spec_of(settings: Settings) -> HostSpec:
    return host_spec(settings, Placement.shared(1, ()))


def test_nothing_configured_means_nothing_imported_and_no_actor_started(tmp_path: Path) -> None:
    assert not settings_of(tmp_path).models.remote
    script = (
        "import sys; from rearview.wiring import host_parts; from rearview.settings import Settings;"
        f"parts = host_parts(Settings(data_dir={str(tmp_path)!r}, redis={{'url': 'redis://x'}}).model_dump_json());"
        "import rearview.stack; assert 'litellm' not in sys.modules and 'openai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_building_the_model_host_imports_no_model_library_yet(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, judge="openai/stub", embedder="openai/stub", embedder_dimensions=64)
    script = (
        "import sys; from rearview.model_wiring import model_host;"
        f"model_host({settings.revealed_json()!r}); assert 'litellm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_keys_reach_the_model_host_and_nobody_else(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, judge="openai/stub", judge_api_key=KEY, embedder="openai/e", embedder_api_key=KEY)
    spec = spec_of(settings)
    assert json.loads(spec.models_json)["models"]["judge_api_key"] == KEY
    assert KEY not in spec.settings_json
    assert KEY not in repr(spec)
    assert KEY not in repr(settings)
    assert KEY not in settings.model_dump_json()
    assert KEY not in repr(model_host(spec.models_json).__dict__)


def test_a_judge_that_is_switched_off_is_no_remote_model(tmp_path: Path) -> None:
    assert not settings_of(tmp_path, judge="openai/stub", scoring="off").models.remote
    assert settings_of(tmp_path, judge="openai/stub").models.remote
    assert settings_of(tmp_path, embedder="openai/stub").models.remote
    assert settings_of(tmp_path, reranker="openai/stub").models.remote


def test_dimensions_come_from_settings_then_an_earlier_run_then_the_list_of_known_models(tmp_path: Path) -> None:
    assert known_dimensions(settings_of(tmp_path, embedder="openai/stub")) == 0
    assert known_dimensions(settings_of(tmp_path, embedder="openai/BAAI/bge-m3")) == 1024
    assert known_dimensions(settings_of(tmp_path, embedder="openai/stub", embedder_dimensions=32)) == 32
    space_file(settings_of(tmp_path, embedder="openai/stub")).write({"dimensions": 512})
    assert known_dimensions(settings_of(tmp_path, embedder="openai/stub")) == 512


def test_the_bundled_embedder_cannot_be_given_other_dimensions(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="384"):
        settings_of(tmp_path, embedder_dimensions=512)
    assert settings_of(tmp_path, embedder_dimensions=384).models.embedder == "bundled"
