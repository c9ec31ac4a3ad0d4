"""What the README shows works as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service import running

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKE_TARGETS = ("setup", "serve", "demo", "check", "test", "faults", "sim", "soak", "bench", "screenshots", "docs")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_every_make_command_of_the_readme_is_a_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    shown = {line.split()[1] for block in blocks("console") for line in block.splitlines() if line.startswith("make ")}
    assert shown <= targets
    assert set(MAKE_TARGETS) <= targets


def test_every_link_to_a_file_leads_somewhere() -> None:
    for name in ("README.md", "ARCHITECTURE.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert (ROOT / target).exists(), f"{name} links to {target}"


@pytest.mark.recovery
def test_the_curl_lines_of_the_readme_write_and_find_both_memories(tmp_path: Path) -> None:
    (block,) = blocks("bash")
    with running(tmp_path / ".rearview") as service:
        assert service.ready is not None
        script = "set -e\n" + block.replace("http://127.0.0.1:8100", service.ready.url)
        done = subprocess.run(
            ["bash", "-c", script.replace("\n\n", "\necho\n")],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    answers = [line for line in done.stdout.splitlines() if line.strip()]
    assert len(answers) == 4, done.stdout
    assert '"outcome":"stored"' in answers[0]
    assert '"outcome":"stored"' in answers[1]
    assert "peanuts" in answers[2]
    assert "安福路" in answers[3]


@pytest.mark.recovery
def test_the_demo_finds_what_its_story_says(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("REARVIEW_")}
    done = subprocess.run(
        [sys.executable, "-m", "rearview", "demo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    for words in ("kept", "said before", "replaces what was known", "waits to be confirmed", "not kept", "set aside"):
        assert words in done.stdout
    assert "erased again" in done.stdout
    # The README shows some of it, as it is printed; scores may differ in the last place on another processor.
    (shown,) = re.findall(r"<!-- demo:begin -->\n```text\n(.*?)```\n<!-- demo:end -->", README, re.DOTALL)
    printed = {_without_scores(line) for line in done.stdout.splitlines()}
    assert [line for line in shown.splitlines() if _without_scores(line) not in printed] == []


def _without_scores(line: str) -> str:
    return re.sub(r"\d\.\d\d", "#", line)
