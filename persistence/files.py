"""Where snapshot files lie: a local directory, any other fsspec file system, or plain memory.

All three do the same six things. Paths are relative, with `/`. Everything here blocks; `snapshots.py` calls it from
a thread. `write` gives the file its name only after `verify` has accepted what was read back.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from persistence.keys import TEMPORARY_SUFFIX

Verify = Callable[[bytes], None]
Stamp = tuple[int, ...]


class Files(Protocol):
    """Named byte strings in directories."""

    in_thread: bool

    def names(self, directory: str) -> list[str]:
        """Finished and unfinished files of a directory; empty when there is no such directory."""
        ...

    def read(self, path: str) -> bytes: ...

    def stamp(self, path: str) -> Stamp | None:
        """Changes whenever the file does. None where that cannot be told cheaply."""
        ...

    def write(self, path: str, parts: Sequence[bytes], verify: Verify) -> None: ...

    def remove(self, path: str) -> None:
        """No error when it is gone already."""
        ...

    def remove_directory(self, directory: str) -> None:
        """With everything in it."""
        ...


def open_files(url: str) -> Files:
    """Files below a path or an fsspec URL. Raises ValueError (unknown protocol), ImportError (driver not installed)."""
    file_system, root = url_to_fs(url)
    if isinstance(file_system, LocalFileSystem):
        return LocalFiles(Path(root))
    return RemoteFiles(file_system, root)


class LocalFiles:
    """A directory on a disk: a file is there after a power cut once `write` has returned, and never half."""

    in_thread = True

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self, directory: str) -> list[str]:
        try:
            return [path.name for path in (self._root / directory).iterdir()]
        except FileNotFoundError:
            return []

    def read(self, path: str) -> bytes:
        return (self._root / path).read_bytes()

    def stamp(self, path: str) -> Stamp | None:
        found = (self._root / path).stat()
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def write(self, path: str, parts: Sequence[bytes], verify: Verify) -> None:
        """The order is the promise: data, fsync, read back, name, fsync of the directory."""
        final = self._root / path
        temporary = final.with_name(final.name + TEMPORARY_SUFFIX)
        _make_durable_directory(final.parent)
        finished = False
        try:
            with _create(temporary) as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
                _drop_from_cache(file.fileno())
            verify(temporary.read_bytes())
            temporary.rename(final)
            _sync_directory(final.parent)
            finished = True
        finally:
            if not finished:
                temporary.unlink(missing_ok=True)

    def remove(self, path: str) -> None:
        (self._root / path).unlink(missing_ok=True)

    def remove_directory(self, directory: str) -> None:
        path = self._root / directory
        for name in self.names(directory):
            (path / name).unlink(missing_ok=True)
        if path.is_dir():
            path.rmdir()
            _sync_directory(path.parent)


class RemoteFiles:
    """Any other fsspec file system. One put is all or nothing there, so there is no temporary name."""

    in_thread = True

    def __init__(self, file_system: Any, root: str) -> None:
        self._files = file_system
        self._root = root.rstrip("/")

    def names(self, directory: str) -> list[str]:
        # Listings are cached by many drivers; a stale one would hide a snapshot that another host wrote.
        self._files.invalidate_cache()
        try:
            paths = self._files.ls(f"{self._root}/{directory}", detail=False)
        except FileNotFoundError:
            return []
        return [str(path).rsplit("/", 1)[-1] for path in paths]

    def read(self, path: str) -> bytes:
        data: bytes = self._files.cat_file(f"{self._root}/{path}")
        return data

    def stamp(self, path: str) -> Stamp | None:
        return None

    def write(self, path: str, parts: Sequence[bytes], verify: Verify) -> None:
        where = f"{self._root}/{path}"
        self._files.makedirs(where.rsplit("/", 1)[0], exist_ok=True)
        finished = False
        try:
            self._files.pipe_file(where, b"".join(parts))
            verify(self.read(path))
            finished = True
        finally:
            if not finished:
                self.remove(path)

    def remove(self, path: str) -> None:
        try:
            self._files.rm_file(f"{self._root}/{path}")
        except FileNotFoundError:
            return

    def remove_directory(self, directory: str) -> None:
        for name in self.names(directory):
            self.remove(f"{directory}/{name}")


class PlainFiles:
    """In memory, without threads. `files` is open to tests that damage it; `fail_next_write` stands for a full disk."""

    in_thread = False

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.fail_next_write = False

    def names(self, directory: str) -> list[str]:
        return [path.rsplit("/", 1)[1] for path in self.files if path.rsplit("/", 1)[0] == directory]

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def stamp(self, path: str) -> Stamp | None:
        return None

    def write(self, path: str, parts: Sequence[bytes], verify: Verify) -> None:
        if self.fail_next_write:
            self.fail_next_write = False
            raise OSError("No space left on device")
        data = b"".join(parts)
        verify(data)
        self.files[path] = data

    def remove(self, path: str) -> None:
        self.files.pop(path, None)

    def remove_directory(self, directory: str) -> None:
        for name in self.names(directory):
            self.remove(f"{directory}/{name}")


def _make_durable_directory(path: Path) -> None:
    """Create a directory and its parents so that their names survive a power cut too."""
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(exist_ok=True, mode=0o700)
        _sync_directory(directory.parent)


def _create(path: Path) -> BinaryIO:
    """A new file that only its owner may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _drop_from_cache(descriptor: int) -> None:
    """So that reading back reads the disk and not the page cache. A hint; some systems have no such call."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
