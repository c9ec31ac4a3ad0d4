"""The pages of docs/: what they show runs as it stands there, everything else in them is at least well formed."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from rearview.__main__ import _add_rest, parser
from tests.service import Service, running

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.glob("**/*.md"))
# Blocks of these pages run, one shell after the other against one service; the rest of the languages is parsed.
RUN = [name for name in PAGES if "<!-- shows:" in (DOCS / name).read_text(encoding="utf-8")]
PARSERS = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
    "python": ast.parse,
}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block and what must be seen of what it prints."""

    language: str
    text: str
    shows: tuple[str, ...]


def blocks(name: str) -> list[Block]:
    text = (DOCS / name).read_text(encoding="utf-8")
    parts = re.split(r"^```([a-z]*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [
        Block(parts[at], parts[at + 1], tuple(re.findall(r"<!-- shows: (.*?) -->", parts[at + 2])))
        for at in range(1, len(parts), 3)
    ]


@pytest.mark.parametrize("name", PAGES)
def test_what_can_be_parsed_parses(name: str) -> None:
    for block in blocks(name):
        if block.language in PARSERS:
            PARSERS[block.language](block.text)  # type: ignore[operator]
        if block.language in ("bash", "sh", "console"):
            checked = subprocess.run(["bash", "-n"], input=block.text, text=True, capture_output=True, check=False)
            assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", PAGES)
def test_every_command_of_ours_on_a_page_is_one(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    top = parser()
    _add_rest(top._subparsers._group_actions[0])  # type: ignore[union-attr,arg-type]
    for block in blocks(name):
        if block.language not in ("bash", "sh", "console"):
            continue
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True) if re.match(r"(\.venv/bin/)?(rearview|make) ", line) else []
            if words and words[0] == "make":
                assert re.search(rf"^{words[1]}:", makefile, re.MULTILINE), line
            elif words and "--help" not in words:
                top.parse_args(words[1:])


def test_the_pages_for_newcomers_are_there_in_both_languages() -> None:
    for name in ("index", "getting-started", "concepts", "write-decisions", "recall", "forgetting"):
        english, chinese = blocks(f"{name}.md"), blocks(f"{name}.zh.md")
        assert [(block.language, len(block.shows)) for block in english] == [
            (block.language, len(block.shows)) for block in chinese
        ]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("docs")
    with running(folder / ".rearview") as made:
        # What a page calls `.venv/bin/rearview` is the command of this checkout.
        (folder / ".venv" / "bin").mkdir(parents=True)
        command = folder / ".venv" / "bin" / "rearview"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rearview "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        yield made


@pytest.mark.recovery
@pytest.mark.parametrize("name", RUN)
def test_what_a_page_shows_happens(name: str, service: Service) -> None:
    assert service.ready is not None
    environment = {k: v for k, v in os.environ.items() if not k.startswith("REARVIEW_")}
    environment["PYTHONPATH"] = str(ROOT)
    kept = ""
    for block in blocks(name):
        text = block.text.replace("http://127.0.0.1:8100", service.ready.url)
        if block.language == "bash":
            # Variables set in one block are there in the next, as in a reader's shell.
            kept += (
                "\n".join(line for line in text.splitlines() if re.match(r"[A-Z]+=(\S+|\$\(cat \S+\))$", line)) + "\n"
            )
            command = ["bash", "-c", f"set -e\n{kept}\n{text}"]
        elif block.language == "python" and block.shows:
            command = [sys.executable, "-c", text]
        else:
            continue
        done = subprocess.run(
            command,
            cwd=service.data_dir.parent,
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        for words in block.shows:
            assert words in done.stdout, f"{words!r} is not in {done.stdout[-3000:]}"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "zh" / "getting-started" / "index.html").is_file()
