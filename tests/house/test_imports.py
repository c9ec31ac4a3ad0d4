"""The import rules hold, and they would be noticed if they did not."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "actors", "persistence", "adapters", "rearview")
PLANTED = {
    "the engine reads a clock": ("engine/planted.py", "import time\n"),
    "the engine knows an actor": ("engine/planted.py", "import actors.ports\n"),
    "persistence knows an actor": ("persistence/planted.py", "import actors.ports\n"),
    "an actor knows an adapter": ("actors/planted.py", "import adapters.identity\n"),
    "an adapter reaches storage": ("adapters/planted.py", "import persistence.keys\n"),
    "http knows mcp": ("adapters/http/planted.py", "import adapters.mcp\n"),
    "the console knows http": ("adapters/console/planted.py", "import adapters.http.parts\n"),
    "a second file knows Ray": ("actors/planted.py", "import ray\n"),
    "the service knows Ray": ("rearview/planted.py", "import ray\n"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"},
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source folders, so that planting something cannot touch the real ones."""
    target = tmp_path_factory.mktemp("tree")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__", "data"))
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


def test_the_import_rules_hold(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("planted", PLANTED)
def test_a_forbidden_import_is_noticed(copy: Path, planted: str) -> None:
    name, text = PLANTED[planted]
    file = copy / name
    file.write_text(text, encoding="utf-8")
    try:
        done = lint(copy)
    finally:
        file.unlink()
    assert done.returncode != 0, f"nobody noticed: {planted}"
    assert "BROKEN" in done.stdout, done.stdout + done.stderr
