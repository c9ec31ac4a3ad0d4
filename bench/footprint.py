"""Memory of each process of an idle service: proportional set size, so that shared pages count once.

python -m bench footprint
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.service import command_line, processes_of, running

IDLE_SECONDS = 5.0
_KINDS = (
    ("gcs_server", "Ray: GCS"),
    ("raylet", "Ray: raylet"),
    ("HostActor", "host (actors of users)"),
    ("ModelActor", "model host"),
    ("DashboardAgent", "Ray: agent"),
    ("dashboard", "Ray: agent"),
    ("runtime_env", "Ray: runtime environment agent"),
    ("RuntimeEnv", "Ray: runtime environment agent"),
    ("valkey-server", "Valkey"),
    ("rearview serve", "service (HTTP, MCP)"),
    ("-m rearview", "service (HTTP, MCP)"),
    ("ray::", "Ray: idle worker"),
)


@dataclass(frozen=True, slots=True)
class Resident:
    """One kind of process: how many, and megabytes of them together."""

    kind: str
    processes: int
    megabytes: float


def footprint() -> list[Resident]:
    """Start a service on an empty directory, leave it alone for a while, and look."""
    with tempfile.TemporaryDirectory(prefix="rv-foot-") as folder, running(Path(folder) / "data") as service:
        time.sleep(IDLE_SECONDS)
        assert service.process is not None
        found: dict[str, list[float]] = {}
        for pid in processes_of(service.data_dir, service.process.pid):
            if (size := _proportional_mb(pid)) is not None:
                found.setdefault(_kind(pid), []).append(size)
    return sorted(
        (Resident(kind, len(sizes), sum(sizes)) for kind, sizes in found.items()), key=lambda row: -row.megabytes
    )


def _kind(pid: int) -> str:
    line = command_line(pid)
    return next((name for word, name in _KINDS if word in line), line.split(" ")[0].rsplit("/", 1)[-1] or "other")


def _proportional_mb(pid: int) -> float | None:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:  # It ended meanwhile.
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), None)
