"""docs/dependencies.md gives a reason for each dependency, and for nothing else."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!;~ ]", wanted, maxsplit=1)[0].lower() for wanted in requirements}


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = names(project["dependencies"]) | names(
        [*project["optional-dependencies"]["models"], *project["optional-dependencies"]["oidc"]]
    )
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    explained = {name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row.split("|")[1])}
    assert wanted <= explained, wanted - explained


def test_litellm_excludes_the_malicious_releases() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (litellm,) = project["optional-dependencies"]["models"]
    assert "!=1.82.7" in litellm
    assert "!=1.82.8" in litellm
