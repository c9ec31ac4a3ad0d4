"""One service per data directory: a file lock that the kernel drops when its holder dies, however it dies."""

import fcntl
import os
from pathlib import Path

from engine.errors import Unavailable
from persistence import keys


class DirectoryLock:
    """Held from `take` to `release`. The file holds the process id of the holder, for the error message only."""

    def __init__(self, data_directory: Path) -> None:
        self._path = data_directory / keys.LOCK_FILE
        self._file: int | None = None

    def take(self) -> None:
        """Raises Unavailable when another process, or another lock of this one, holds the directory."""
        assert self._file is None, "the lock is taken once"
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 32).decode("ascii", "replace").strip()
            os.close(file)
            raise Unavailable.of(
                f"Another Rearview (process {holder or 'unknown'}) uses this data directory; "
                "stop it or choose another directory.",
                code="directory_in_use",
            ) from None
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        self._file = file

    def release(self) -> None:
        """Let the next service in. The file stays: removing it would let two processes lock two files of one name."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
