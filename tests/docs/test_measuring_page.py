"""The page on measuring shows files that can be measured and commands that exist."""

import re
import shlex
from pathlib import Path

import pytest

from adapters.cli.commands import add_commands
from engine.policy import RecallPolicy
from engine.presets import PRESETS, recall_policy
from rearview.__main__ import main, parser
from rearview.measuring_commands import add_measuring_commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "measuring.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(blocks("jsonl"))))
def test_every_example_file_is_measured(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "example.jsonl"
    file.write_text(blocks("jsonl")[number], encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    recall = ["recall", str(file), "--stand-in"]
    flags = recall if '"docs"' in text else ["injection" if '"channel"' in text else "writes", str(file)]
    assert main(["eval", *flags]) == 0
    out = capsys.readouterr().out
    assert "wrong" not in out
    assert "100.0" in out


def test_every_command_shown_is_understood() -> None:
    top = parser()
    commands = top._subparsers._group_actions[0]  # type: ignore[union-attr]
    add_commands(commands)  # type: ignore[arg-type]
    add_measuring_commands(commands)  # type: ignore[arg-type]
    shown = [shlex.split(line) for block in blocks("console") for line in block.splitlines()]
    assert len(shown) >= 7
    for words in shown:
        assert words[0] == "rearview"
        assert callable(top.parse_args(words[1:]).run)


def test_the_presets_are_described_as_they_are() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([\d.]+ \| [\d.]+ \| [\d.]+ \| [\d.]+) \|", PAGE, re.MULTILINE))
    assert {"default", *rows} == set(PRESETS)
    for name, numbers in rows.items():
        policy = recall_policy(name)
        said = [float(number) for number in numbers.split(" | ")]
        assert said == pytest.approx(
            [policy.semantic_weight, policy.keyword_weight, policy.recency_weight, policy.confidence_weight]
        )
    assert dict(RecallPolicy().half_life_days)["fact"] == 7.0
