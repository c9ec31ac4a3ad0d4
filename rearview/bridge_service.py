"""The stdio bridge's side of the service: find it, start it if none runs, and hand tool calls to it over HTTP.

Everything here is slow (seconds, when a service has to start), so the bridge only comes here from a worker thread.
Only the standard library is used at import: the bridge must have answered `initialize` before anything heavy loads.
"""

import fcntl
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rearview.bridge_protocol import ToolCall

START_SECONDS_MAX = 120.0
CALL_SECONDS_MAX = 120.0
POLL_SECONDS = 0.1
SILENT_SECONDS_MAX = 5.0
DATA_LOCK = "lock"  # As `persistence.keys.LOCK_FILE`; that module loads too much for here.
PROBE_SECONDS_MAX = 5.0
ATTEMPTS = 3


ServeCommand = Callable[[Path, int | None], Sequence[str]]


class NoService(Exception):
    """There is no service to talk to; the text says why and what to do, for the person at the client."""


@dataclass(frozen=True, slots=True)
class Service:
    """Where a service answers, and the token to show it."""

    url: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which service is meant: one given by address, else the one that belongs to a data directory."""

    url: str = ""
    token: str = ""
    token_file: str = ""
    data_dir: str = ""
    port: int | None = None


class ServiceLink:
    """The one service of this bridge, found or started at first use; safe to use from several threads."""

    def __init__(self, wanted: Wanted, serve: ServeCommand | None = None) -> None:
        self._wanted = wanted
        self._serve = serve or serve_command
        # Held so that an ended service does not stay behind as a zombie of this process.
        self.started: list[subprocess.Popen[bytes]] = []
        self._one_search = threading.Lock()
        self._service: Service | None = None
        self._idle: list[tuple[Service, http.client.HTTPConnection]] = []

    def find(self, lost: Service | None = None) -> Service:
        """The service, ready to answer. `lost` is one that no longer answers and must not be returned again.

        Raises: NoService.
        """
        with self._one_search:
            if self._service is None or self._service == lost:
                self._service = _given(self._wanted) if self._wanted.url else self._of_data_dir()
            return self._service

    def call(self, call: ToolCall) -> tuple[int, bytes]:
        """Status and body of the service's answer to one tool call.

        A call is only sent again because the bridge gives each one an idempotency key.
        Raises: NoService.
        """
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call.params}).encode()
        service = self.find()
        for _ in range(ATTEMPTS):
            try:
                return self._post(service, body, _headers(service, call))
            except TimeoutError:
                raise NoService("The memory service did not answer in time.") from None
            except (OSError, http.client.HTTPException):
                service = self.find(lost=service)
        raise NoService("The memory service does not answer. Is it still running?")

    def _of_data_dir(self) -> Service:
        """The service of a data directory, started when none runs."""
        data_dir, port = _place(self._wanted)
        running = self._running(data_dir)
        if running is not None and _ready(running):
            return running
        run_dir = data_dir / "run"
        run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _only_one_starts(run_dir / "bridge.lock"):
            return self._wait_or_start(data_dir, self._serve(data_dir, port))

    def _running(self, data_dir: Path) -> Service | None:
        for child in self.started:
            child.poll()  # Lets a dead one go; until then its process id looks alive.
        return _said_to_run(data_dir)

    def _wait_or_start(self, data_dir: Path, command: Sequence[str]) -> Service:
        deadline = time.monotonic() + START_SECONDS_MAX
        log = data_dir / "run" / "serve.log"
        silent_until = time.monotonic() + SILENT_SECONDS_MAX
        child: subprocess.Popen[bytes] | None = None
        while time.monotonic() < deadline:
            running = self._running(data_dir)
            ready = None if running is None else _ready(running)
            if running is not None and ready:
                return running
            if ready is not None:
                silent_until = time.monotonic() + SILENT_SECONDS_MAX
            # The process id of a service that died may belong to another process by now; then nobody ever answers.
            if child is None and (running is None or time.monotonic() > silent_until):
                child = _start(command, log)
                self.started.append(child)
            ended = child is not None and child.poll() is not None
            # Ours also ends where somebody else is starting one on the same data; that one will be ready soon.
            if ready is None and ended and not _held(data_dir / DATA_LOCK):
                raise NoService(f"The memory service stopped while starting; {log} says why.")
            time.sleep(POLL_SECONDS)
        raise NoService(f"The memory service is not ready after {START_SECONDS_MAX:.0f} seconds; see {log}.")

    def _post(self, service: Service, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        connection = self._connection(service)
        try:
            connection.request("POST", urlsplit(service.url).path.rstrip("/") + "/mcp", body, headers)
            answer = connection.getresponse()
            said = answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            raise
        self._idle.append((service, connection))
        return said

    def _connection(self, service: Service) -> http.client.HTTPConnection:
        try:
            of, connection = self._idle.pop()
        except IndexError:
            return _open(service.url, CALL_SECONDS_MAX)
        if of == service:
            return connection
        connection.close()
        return self._connection(service)

    def close(self) -> None:
        """Close what is idle. For the last user of the link."""
        while self._idle:
            self._idle.pop()[1].close()


def _headers(service: Service, call: ToolCall) -> dict[str, str]:
    headers = {
        "Authorization": f"Bearer {service.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": call.version,
    }
    if call.modern:
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": str(call.params["name"])}
    return headers


def _open(url: str, seconds: float) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=seconds)


def _given(wanted: Wanted) -> Service:
    """The service at a given address; the bridge never starts that one."""
    token = _token_in(Path(wanted.token_file).expanduser()) if wanted.token_file else wanted.token
    if not token:
        raise NoService("A token is needed with an address: give --token-file, or set REARVIEW_TOKEN.")
    if urlsplit(wanted.url).scheme not in ("http", "https"):
        raise NoService("The address of the service must start with http:// or https://.")
    return Service(wanted.url.rstrip("/"), token)


def _token_in(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise NoService(f"The token file {path} cannot be read: {error.strerror}.") from None


def _place(wanted: Wanted) -> tuple[Path, int | None]:
    # Imported here because pydantic takes longer to load than a client waits for `initialize`.
    from rearview.settings import SettingsError, load_settings

    flags: dict[str, Any] = {"data_dir": wanted.data_dir} if wanted.data_dir else {}
    try:
        return load_settings(flags).data_path, wanted.port
    except SettingsError as error:
        raise NoService(f"The settings cannot be used: {error}.") from None


def _said_to_run(data_dir: Path) -> Service | None:
    """What the file of a running service says; a service that was killed leaves its file behind."""
    try:
        said = json.loads((data_dir / "run" / "serve.json").read_text(encoding="utf-8"))
        _check_alive(int(said["pid"]))
        return Service(str(said["url"]).rstrip("/"), _token_in(Path(said["token_file"])))
    except (FileNotFoundError, ProcessLookupError, ValueError, KeyError):
        return None


def _check_alive(pid: int) -> None:
    """Raises: ProcessLookupError when there is no such process."""
    with suppress(PermissionError):  # It runs, as somebody else.
        os.kill(pid, 0)


def _ready(service: Service) -> bool | None:
    """Whether it can answer now; None when nobody is there."""
    connection = _open(service.url, PROBE_SECONDS_MAX)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


@contextmanager
def _only_one_starts(lock_file: Path) -> Iterator[None]:
    """Two clients that start together must not start two services. The kernel drops the lock if we die."""
    with lock_file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def serve_command(data_dir: Path, port: int | None) -> Sequence[str]:
    """How a service is started, with this interpreter."""
    at_port = () if port is None else ("--port", str(port))
    return (sys.executable, "-m", "rearview", "serve", "--data-dir", str(data_dir), *at_port)


def _held(lock_file: Path) -> bool:
    """Whether a process has this data directory in use."""
    try:
        with lock_file.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _start(command: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
    # A session of its own, so that it outlives this bridge and the client's terminal; and none of our three streams,
    # because our stdout is the client's wire.
    with log.open("ab") as out:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
