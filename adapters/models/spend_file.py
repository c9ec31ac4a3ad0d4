"""The day's calls and tokens of each model in one small file, so that a restart does not start the day anew."""

import contextlib
import json
from pathlib import Path


class SpendFile:
    """Implements `actors.model_gate.Ledger`. One writer: the model host. It holds numbers and no content.

    A file that cannot be written or read never stops a call; the cap then counts from the start of the process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._spent: dict[str, list[int]] = {}
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(path.read_text("utf-8"))
            self._spent = (
                {str(role): [int(number) for number in row] for role, row in found.items() if len(row) == 3}
                if isinstance(found, dict)
                else {}
            )

    def load(self, role: str, day: int) -> tuple[int, int]:
        kept_day, calls, tokens = self._spent.get(role, [-1, 0, 0])
        return (calls, tokens) if kept_day == day else (0, 0)

    def save(self, role: str, day: int, calls: int, tokens: int) -> None:
        self._spent[role] = [day, calls, tokens]
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = self._path.with_suffix(".tmp")
            beside.write_text(json.dumps(self._spent), "utf-8")
            beside.replace(self._path)
