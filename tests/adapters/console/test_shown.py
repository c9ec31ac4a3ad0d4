"""Words, ages and times as a person reads them."""

import re
from pathlib import Path

import pytest

from adapters.console import shown
from adapters.console.pages import ASSETS, TEMPLATES, Assets
from engine.memory import Category, Sensitivity, Source, Status, Tier
from tests.adapters.console.service import DAY_MS

ROOT = Path(__file__).resolve().parents[3]
HOUR_MS = DAY_MS // 24


def test_every_word_of_the_contract_and_every_boost_has_both_languages() -> None:
    for kind, words in (
        (Tier, shown.TIERS),
        (Category, shown.CATEGORIES),
        (Status, shown.STATUSES),
        (Source, shown.SOURCES),
        (Sensitivity, shown.SENSITIVITIES),
    ):
        assert set(words) == {member.value for member in kind}
    source = "".join(path.read_text("utf-8") for path in (ROOT / "engine").glob("*.py"))
    boosts = set(re.findall(r'Boost\(\s*"([a-z_]+)"', source))
    assert boosts, "the engine names its boosts some other way now"
    assert boosts <= set(shown.BOOSTS), boosts - set(shown.BOOSTS)


@pytest.mark.parametrize(
    ("away_ms", "english", "chinese"),
    [
        (0, "just now", "刚刚"),
        (59_999, "just now", "刚刚"),
        (60_000, "1 min ago", "1 分钟前"),
        (3 * HOUR_MS, "3 h ago", "3 小时前"),
        (2 * DAY_MS, "2 d ago", "2 天前"),
        (40 * DAY_MS, "1 mo ago", "1 个月前"),
        (800 * DAY_MS, "2 y ago", "2 年前"),
        (-2 * DAY_MS, "in 2 d", "2 天后"),
    ],
)
def test_an_age_is_told_by_its_largest_unit(away_ms: int, english: str, chinese: str) -> None:
    now_ms = 1_780_000_000_000
    assert shown.ago(now_ms - away_ms, now_ms, "en") == english
    assert shown.ago(now_ms - away_ms, now_ms, "zh") == chinese


def test_a_rule_has_its_sentence_in_the_language_of_the_page() -> None:
    assert shown.reason("chitchat", "zh").startswith("只是寒暄")
    assert shown.reason("chitchat", "en").startswith("Small talk")
    assert shown.reason("no such rule", "en") == ""


def test_pages_hold_no_script_style_or_handler_of_their_own() -> None:
    """The content policy would forbid them anyway, and then they would not work."""
    for template in TEMPLATES.glob("*.html"):
        text = template.read_text("utf-8")
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?! src)|hx-on|\|\s*safe", text), (
            template.name
        )


def test_nothing_points_away_from_the_service() -> None:
    for file in [*TEMPLATES.glob("*.html"), ASSETS / "console.css", ASSETS / "console.js"]:
        assert not re.search(r"(https?:)?//(?!127)[a-z0-9-]+\.[a-z]", file.read_text("utf-8")), file.name


def test_the_address_of_an_asset_changes_with_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a{}")
    before = Assets(tmp_path).address("a.css")
    (tmp_path / "a.css").write_text("b{}")
    after = Assets(tmp_path)
    assert after.address("a.css") != before
    assert after.find("a.css") == (b"b{}", "text/css; charset=utf-8")
    assert after.find("../pages.py") is None


def test_templates_and_assets_are_in_the_package() -> None:
    import tomllib

    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    shipped = {path for pattern in data["adapters.console"] for path in (ROOT / "adapters/console").glob(pattern)}
    assert {*TEMPLATES.iterdir(), *ASSETS.iterdir()} <= shipped
