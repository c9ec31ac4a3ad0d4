"""Labelled files: JSON, one case a line, plain or gzipped. What is wrong in one is said with its line number."""

import gzip
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

KINDS: Mapping[str, str] = {"docs": "recall", "store": "decisions", "first": "conflicts", "grade": "grades"}
Kind = Literal["recall", "decisions", "conflicts", "grades"]


class LabelledFileError(Exception):
    """A labelled file cannot be read, or a line of it is no case. The text says where."""


def cases_of(path: Path) -> list[dict[str, Any]]:
    """Every case of a file, at least one.

    Raises: LabelledFileError.
    """
    try:
        cases = list(_lines(path))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise LabelledFileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not cases:
        raise LabelledFileError(f"{path} holds no case")
    return cases


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                case = json.loads(line)
            except ValueError:
                raise LabelledFileError(f"{path}, line {number}: not JSON") from None
            if not isinstance(case, dict):
                raise LabelledFileError(f"{path}, line {number}: a case is a JSON object")
            yield {**case, "line": number}


def kind_of(path: Path, cases: list[dict[str, Any]]) -> str:
    """What the cases of a file are about, told by a field that only they have. Raises: LabelledFileError."""
    for field, kind in KINDS.items():
        if field in cases[0]:
            return kind
    raise LabelledFileError(
        f"{path}: its cases are of no known kind; a case has one of the fields {', '.join(KINDS)} (docs/measuring.md)"
    )


def field(path: Path, case: Mapping[str, Any], name: str) -> Any:
    """A field that a case must have. Raises: LabelledFileError."""
    if name not in case:
        raise LabelledFileError(f"{path}, line {case.get('line', '?')}: the field {name} is missing")
    return case[name]


def time_of(path: Path, case: Mapping[str, Any], text: str) -> int:
    """A time in a file, ms UTC; without an offset it is UTC. Raises: LabelledFileError."""
    try:
        when = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        raise LabelledFileError(f"{path}, line {case.get('line', '?')}: {text!r} is no RFC 3339 time") from None
    return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
