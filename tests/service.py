"""A real `rearview serve` in its own process, for tests that must see the whole thing."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from rearview.ready_line import Ready, parse_ready

START_SECONDS_MAX = 60.0


class Service:
    """One service on a data directory; may be killed and started again."""

    def __init__(self, data_dir: Path, environment: dict[str, str] | None = None, within: tuple[str, ...] = ()) -> None:
        self.data_dir = data_dir
        self.environment = environment or {}
        self.within = within  # a command that runs it, such as one that enters a namespace
        self.process: subprocess.Popen[str] | None = None
        self.ready: Ready | None = None

    def start(self, *flags: str) -> "Service":
        """Start it and wait for the ready line."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("REARVIEW_")}
        command = [sys.executable, "-m", "rearview", "serve", "--port", "0", "--data-dir", str(self.data_dir), *flags]
        self.process = subprocess.Popen(
            [*self.within, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**inherited, **self.environment},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.ready = parse_ready(line)
        assert self.ready is not None, f"no ready line but {line!r}\n{self._errors()}"
        return self

    def _errors(self) -> str:
        assert self.process is not None and self.process.stderr is not None
        self.process.kill()
        return self.process.stderr.read()[-4000:]

    @property
    def token(self) -> str:
        assert self.ready is not None
        return Path(self.ready.token_file).read_text(encoding="ascii").strip()

    def client(self, user: str = "") -> httpx.Client:
        """A client of this service, below one user's prefix when a user is named."""
        assert self.ready is not None
        prefix = f"/v1/users/{user}" if user else ""
        return httpx.Client(
            base_url=self.ready.url + prefix,
            trust_env=False,
            timeout=30.0,
            headers={"Authorization": f"Bearer {self.token}"},
        )

    def kill(self) -> None:
        """kill -9 of the service process alone; its children must notice by themselves."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)
        self._close()

    def stop(self) -> float:
        """SIGTERM; returns the seconds it took to end."""
        assert self.process is not None
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(20) == 0
        self._close()
        return time.monotonic() - started

    def _close(self) -> None:
        assert self.process is not None
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def children(self, name: str) -> list[int]:
        """Process ids of ours whose command line holds a word."""
        return [pid for pid in processes_of(self.data_dir, self._pid) if name in command_line(pid)]

    @property
    def _pid(self) -> int:
        assert self.process is not None
        return self.process.pid


def command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def names(pid: int, data_dir: Path) -> bool:
    """Whether a process says the data directory in its command line or its environment (Ray renames its own)."""
    with contextlib.suppress(OSError):
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        return str(data_dir) in command_line(pid) or str(data_dir).encode() in environment
    return False


def processes_of(data_dir: Path, root: int) -> list[int]:
    """Everything that stems from a service: by descent, or by naming its data directory."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = {root} if root in parents else set()
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        grown = bool(more)
        found |= more
    found |= {pid for pid in parents if names(pid, data_dir) and pid != os.getpid()}
    return sorted(found)


def wait_until(holds: Any, seconds: float, what: str) -> None:
    """Poll a condition of another process; the only thing a test can do about one."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"still not after {seconds} s: {what}"
        time.sleep(0.05)


@contextlib.contextmanager
def running(
    data_dir: Path, *flags: str, environment: dict[str, str] | None = None, within: tuple[str, ...] = ()
) -> Iterator[Service]:
    """A service that is gone at the end, with everything it started."""
    service = Service(data_dir, environment, within)
    try:
        yield service.start(*flags)
    finally:
        if service.process is not None:
            if service.process.poll() is None:
                service.process.terminate()
                try:
                    service.process.wait(15)
                except subprocess.TimeoutExpired:
                    service.process.kill()
                    service.process.wait(5)
            service._close()
        for pid in processes_of(data_dir, -1):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
