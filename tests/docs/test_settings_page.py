"""docs/settings.md is what the settings say of themselves."""

from pathlib import Path

from rearview.settings_page import page

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_the_one_that_the_settings_make() -> None:
    written = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m rearview.settings_page > docs/settings.md"
