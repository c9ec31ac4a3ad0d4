"""The one line that `rearview serve` prints when it can be used, and the file that says the same to other commands."""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

_READY = re.compile(r"ready (?P<url>http://\S+) token-file (?P<token_file>.+)")


@dataclass(frozen=True, slots=True)
class Ready:
    """Where a service answers and where its first token was written."""

    url: str
    token_file: str
    pid: int = 0


def ready_line(ready: Ready) -> str:
    """What is printed on stdout."""
    return f"ready {ready.url} token-file {ready.token_file}"


def parse_ready(line: str) -> Ready | None:
    """The reverse; None for any other line."""
    found = _READY.match(line.strip())
    return Ready(found["url"], found["token_file"]) if found else None


def ready_file(data_dir: Path) -> Path:
    """Where the running service of a data directory says the same."""
    return data_dir / "run" / "serve.json"


def write_ready_file(data_dir: Path, ready: Ready) -> None:
    """Replace the file in one step, so that a reader never sees half of it."""
    path = ready_file(data_dir)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".tmp")
    fresh.write_text(json.dumps(asdict(ready)), encoding="utf-8")
    fresh.replace(path)


def forget_ready_file(data_dir: Path, pid: int) -> None:
    """Take back what process `pid` wrote. The file of another one stays: who was refused must not hide who runs."""
    path = ready_file(data_dir)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return
    if said.get("pid") == pid:
        path.unlink(missing_ok=True)
