"""Curves are shown beside what was measured, and a remote embedder's is fitted when it is not there yet."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from actors.model_gate import Done, GateLimits
from actors.model_host import ModelHost, ModelParts
from adapters.models.query_table import QueryTable
from adapters.models.spend_file import SpendFile
from engine.calibration import Calibration
from engine.memory import Float32Array
from rearview import model_here
from rearview.__main__ import main
from rearview.calibrate_print import COLUMNS, bins_of, error_of, plot
from rearview.clock import monotonic_ms, system_now_ms
from rearview.model_wiring import space_file
from rearview.settings import Settings

CURVE = Calibration((0.0, 0.5, 1.0), (0.0, 0.5, 1.0))
TABLE = QueryTable.load()


class TableModel:
    """A remote embedder as far as anybody can tell: the bundled table's document vectors. `blind` gives all alike."""

    def __init__(self, *, blind: bool = False) -> None:
        self.blind = blind
        self.texts = 0

    async def embed(self, texts: Sequence[str], seconds: float) -> Done[Float32Array]:
        self.texts += len(texts)
        rows = [TABLE.stand_in("x" if self.blind else text) for text in texts]
        return Done(np.array(rows, np.float32), 0)

    async def dimensions(self, seconds: float) -> int:
        return TABLE.dimensions


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableModel:
    """The settings name a remote embedder; its host holds the model above."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REARVIEW_MODELS__EMBEDDER", "openai/test-model")
    made = TableModel()

    def host(settings_json: str) -> ModelHost:
        settings = Settings.model_validate_json(settings_json)
        return ModelHost(
            ModelParts(
                now_ms=system_now_ms,
                monotonic_ms=monotonic_ms,
                ledger=SpendFile(tmp_path / "spend.json"),
                embedder=made,
                space_file=space_file(settings),
                limits=GateLimits(),
            )
        )

    monkeypatch.setattr(model_here, "model_host", host)
    return made


def test_bins_hold_alike_many_pairs_and_say_how_far_the_curve_is_off() -> None:
    scores = np.linspace(0.0, 1.0, 400)
    right = (np.arange(400) % 10 < 10 * scores).astype(np.float64)
    bins = bins_of(CURVE, scores, right)
    assert {b.count for b in bins} == {50}
    assert error_of(bins) < 0.06
    assert error_of(bins_of(CURVE, scores, 1.0 - right)) > 0.3


def test_a_plot_rises_from_the_lower_left_to_the_upper_right() -> None:
    lines = plot(CURVE, [])
    assert lines[0].startswith(" 1.0 |")
    assert lines[0].rstrip().endswith("·")
    assert len(lines[0]) == 6 + COLUMNS
    assert lines[10].startswith(" 0.0 |·")


def test_the_shipped_curves_are_shown_without_embedding_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", "--no-measure"]) == 0
    out = capsys.readouterr().out
    assert "384 dimensions" in out
    for name in ("static:model", "static:stand_in", "model:model", "model:stand_in"):
        assert f"{name}: " in out


def test_a_remote_embedder_is_fitted_once_and_again_on_request(
    model: TableModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "--data-dir", str(tmp_path / "data"), "--no-measure"]) == 0
    kept = next((tmp_path / "data" / "models").glob("space-*.json"))
    assert json.loads(kept.read_text())["dimensions"] == TABLE.dimensions
    assert "openai/test-model/384" in capsys.readouterr().out
    once = model.texts
    assert once > 300
    assert main(["calibrate", "--data-dir", str(tmp_path / "data"), "--no-measure"]) == 0
    assert model.texts <= once + 1
    assert main(["calibrate", "--data-dir", str(tmp_path / "data"), "--no-measure", "--again"]) == 0
    assert model.texts > 1.9 * once


def test_a_remote_curve_is_held_against_the_pairs(
    model: TableModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "--data-dir", str(tmp_path / "data")]) == 0
    out = capsys.readouterr().out
    off = float(out.split("off by ")[1].split()[0])
    assert off < 10.0


def test_a_model_that_tells_nothing_apart_is_said_so(
    model: TableModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.blind = True
    assert main(["calibrate", "--data-dir", str(tmp_path / "data")]) == 1
    assert "no curve can be fitted" in capsys.readouterr().out


def test_recall_can_be_measured_with_a_remote_embedder(
    model: TableModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = {
        "pool": "p",
        "docs": [{"id": "a", "text": "I am allergic to peanuts."}, {"id": "b", "text": "My sister lives in Lisbon."}],
        "queries": [{"text": "Where does my sister live?", "gold": ["b"]}],
    }
    (tmp_path / "pool.jsonl").write_text(json.dumps(pool))
    assert main(["eval", "recall", str(tmp_path / "pool.jsonl")]) == 0
    assert "100.0" in next(line for line in capsys.readouterr().out.splitlines() if line.startswith("all (1)"))
