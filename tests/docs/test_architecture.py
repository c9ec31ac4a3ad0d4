"""ARCHITECTURE.md draws what the code has.

`python -m tests.docs.test_architecture` writes the diagram into the page.
"""

import re
from pathlib import Path

from actors.lifecycle import TRANSITIONS

PAGE = Path(__file__).resolve().parents[2] / "ARCHITECTURE.md"
BETWEEN = re.compile(r"(<!-- lifecycle:begin -->\n)(.*?)(<!-- lifecycle:end -->)", re.DOTALL)


def diagram() -> str:
    """The transitions as a Mermaid state diagram."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> activating"]
    lines += [f"    {before.value} --> {after.value}: {reason}" for (before, reason), after in TRANSITIONS.items()]
    return "\n".join([*lines, "    stopped --> [*]", "```", ""])


def test_the_diagram_is_the_table() -> None:
    found = BETWEEN.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    assert found[2] == diagram(), "run: python -m tests.docs.test_architecture"


def test_every_file_that_the_page_names_exists() -> None:
    for name in re.findall(
        r"`((?:engine|actors|persistence|adapters|rearview)/[\w/]+\.(?:py|lua))`", PAGE.read_text(encoding="utf-8")
    ):
        assert (PAGE.parent / name).is_file(), name


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BETWEEN.sub(lambda m: m[1] + diagram() + m[3], text), encoding="utf-8")
