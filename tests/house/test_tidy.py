"""The house style that a machine can check: sizes, names of files, words that must not be there."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE_FOLDERS = ("engine", "actors", "persistence", "adapters", "rearview")
FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60
CLASS_LINES_MAX = 300
POSITIONAL_MAX = 6  # five and self
DRAWERS = frozenset({"utils", "helpers", "common", "base", "manager", "managers", "core", "misc"})
# Files whose bulk is a table and not logic.
TABLES = frozenset({"engine/hanzi.py"})
# `except Exception` is allowed only here, each with its reason.
BROAD_EXCEPTS: dict[str, str] = {
    "actors/host.py": "a bug in one request must not take its whole batch along; it is reported and answered as one"
}


def tracked() -> list[Path]:
    """The files of this repository, or every file below it where git is not at hand."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file() and ".venv" not in p.parts]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def sources() -> list[Path]:
    return [p for p in tracked() if p.suffix == ".py" and p.relative_to(ROOT).parts[0] in SOURCE_FOLDERS]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_file_is_longer_than_the_limit() -> None:
    long = {
        name_of(p): n
        for p in tracked()
        if p.suffix == ".py"
        and name_of(p) not in TABLES
        and (n := len(p.read_text(encoding="utf-8").splitlines())) > FILE_LINES_MAX
    }
    assert not long, f"more than {FILE_LINES_MAX} lines: {long}"


def test_no_function_is_longer_than_the_limit() -> None:
    long = {}
    for path in sources():
        for node in functions(ast.parse(path.read_text(encoding="utf-8"))):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                long[f"{name_of(path)}:{node.name}"] = lines
    assert not long, f"more than {FUNCTION_LINES_MAX} lines: {long}"


def test_no_class_is_longer_than_the_limit() -> None:
    long = {}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > CLASS_LINES_MAX:
                    long[f"{name_of(path)}:{node.name}"] = lines
    assert not long, f"more than {CLASS_LINES_MAX} lines: {long}"


def test_more_than_five_parameters_are_keyword_only() -> None:
    wide = [
        f"{name_of(path)}:{node.name}"
        for path in sources()
        for node in functions(ast.parse(path.read_text(encoding="utf-8")))
        if len(node.args.posonlyargs) + len(node.args.args) > POSITIONAL_MAX
    ]
    assert not wide, wide


def test_no_file_is_a_drawer() -> None:
    drawers = [name_of(p) for p in tracked() if DRAWERS & set(p.with_suffix("").relative_to(ROOT).parts)]
    assert not drawers, drawers


def test_broad_excepts_are_listed_with_a_reason() -> None:
    broad = set()
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node.type):
                broad.add(name_of(path))
    assert broad == set(BROAD_EXCEPTS), f"broad excepts in {broad ^ set(BROAD_EXCEPTS)}"


def _is_broad(kind: ast.expr | None) -> bool:
    return kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"})


@pytest.mark.parametrize("word", ["FIXME", "XXX" + ":", "HACK"])
def test_no_marker_of_unfinished_work_is_left(word: str) -> None:
    found = [name_of(p) for p in sources() if re.search(rf"\b{word}", p.read_text(encoding="utf-8"))]
    assert not found, found


def test_environment_and_chance_are_read_in_one_place() -> None:
    """Clock, ids and chance come from rearview/clock.py alone."""
    pattern = re.compile(r"^\s*(import|from) (random|secrets|uuid)\b", re.MULTILINE)
    found = [name_of(p) for p in sources() if pattern.search(p.read_text(encoding="utf-8"))]
    assert found == ["rearview/clock.py"], found


def test_no_machine_path_or_registry_is_written_down() -> None:
    banned = re.compile(r"/work/|/root/|https?://(?:[\w.-]*\.)?(?:pythonhosted|artifactory|mirrors?)\.")
    found = [
        name_of(p)
        for p in tracked()
        if p.suffix in {".py", ".md", ".toml", ".yml", ".yaml", ".lua", ""}
        and p.name != "test_tidy.py"
        and p.stat().st_size < 1_000_000
        and banned.search(p.read_text(encoding="utf-8", errors="ignore"))
    ]
    assert not found, found
