"""`rearview backup FILE` and `rearview restore FILE`: users, their snapshots and the digests of tokens in one tar file.

A backup may be taken beside a running service. Each user is of one moment: the snapshots are read first, then all keys
of the user in one step, and a user whose snapshots changed meanwhile is read again. A restore goes into an empty
installation only and checks every byte of the file before it writes the first; one that was broken off is repeated, and
nothing is served before its end.

What is not in the file: secrets. The token file and the `keys` folder of the data directory are for the operator to
keep elsewhere; whoever has the backup alone has neither.
"""

import argparse
import asyncio
import hashlib
import io
import json
import os
import re
import sys
import tarfile
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path

import msgpack

from engine.errors import RearviewError, Unavailable
from persistence import keys
from persistence.dump import (
    DumpedKey,
    begin_restoring,
    dump,
    end_restoring,
    is_empty,
    key_groups,
    refuse_half_restored,
    restore,
    restoring,
)
from persistence.files import Files, open_files
from persistence.redis_client import RedisClient
from rearview.clock import system_now_ms
from rearview.opened_store import opened_store
from rearview.settings import Settings, SettingsError, load_settings
from rearview.version import VERSION
from rearview.wiring import redis_url, snapshots_url

FORMAT = 1
MANIFEST = "manifest.json"
LOOKS_MAX = 20
_KEYS, _FILES = "keys/", "snapshots/"
_SNAPSHOT = re.compile(rf"{_FILES}users/[0-9a-f]{{2}}/[0-9a-f]{{62}}/[0-9-]+{re.escape(keys.SNAPSHOT_SUFFIX)}")
_PREFIX = f"{keys.PREFIX}:".encode()


class BadBackup(ValueError):
    """The file is no backup, or not the one that was written."""


def backup(args: argparse.Namespace) -> int:
    """Write the file; returns the exit status."""
    if args.file.exists():
        print(f"rearview: {args.file} exists; a backup never replaces a file", file=sys.stderr)
        return 2
    return _carried_out(_backup, args)


def restore_backup(args: argparse.Namespace) -> int:
    """Read the file into an empty installation; returns the exit status."""
    return _carried_out(_restore, args)


def _carried_out(work: Callable[[Settings, Path], Coroutine[None, None, str]], args: argparse.Namespace) -> int:
    try:
        settings = load_settings({"data_dir": args.data_dir} if args.data_dir else {})
        print(asyncio.run(work(settings, args.file)))
    except (RearviewError, SettingsError, BadBackup, OSError, tarfile.TarError) as error:
        print(f"rearview: {getattr(error, 'sentence', error)}", file=sys.stderr)
        return 2
    return 0


async def _backup(settings: Settings, path: Path) -> str:
    if not settings.redis.url and not settings.data_path.is_dir():
        raise SettingsError(f"there is no data directory {settings.data_path}")
    async with opened_store(settings, beside_a_service=True) as with_store:
        client = RedisClient(redis_url(with_store))
        try:
            await refuse_half_restored(client)
            users = await _write(client, open_files(snapshots_url(settings)), path)
        finally:
            await client.close()
    return f"{users} users are in {path}. Keep the token file and the keys folder elsewhere; they are not in it."


async def _write(client: RedisClient, files: Files, path: Path) -> int:
    """The number of users. The file has its name only when it is whole and on the disk."""
    temporary = path.with_name(path.name + keys.TEMPORARY_SUFFIX)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            with tarfile.open(fileobj=out, mode="w") as tar:
                users = await _fill(client, files, _Writer(tar))
            out.flush()
            os.fsync(out.fileno())
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)
    return users


async def _fill(client: RedisClient, files: Files, writer: "_Writer") -> int:
    groups = await key_groups(client)
    writer.add(f"{_KEYS}service", _packed(await dump(client, groups.pop(b""))))
    for number, (tag, names) in enumerate(groups.items()):
        snapshots, dumped = await _one_user(client, files, _user_of(tag), names)
        for name, data in snapshots.items():
            writer.add(f"{_FILES}{name}", data)
        writer.add(f"{_KEYS}{number}", _packed(dumped))
    writer.close(len(groups))
    return len(groups)


async def _one_user(
    client: RedisClient, files: Files, user_id: str, names: list[bytes]
) -> tuple[dict[str, bytes], list[DumpedKey]]:
    """Snapshots by path, and keys that are not older than they. Raises: Unavailable when it never stands still."""
    directory = str(keys.snapshot_directory(user_id))
    for _ in range(LOOKS_MAX):
        before = _finished(files, directory)
        try:
            snapshots = {f"{directory}/{name}": files.read(f"{directory}/{name}") for name in before}
        except FileNotFoundError:
            continue  # Replaced by a newer one between the look and the reading.
        dumped = await dump(client, names)
        if _finished(files, directory) == before:
            return snapshots, dumped
    raise Unavailable.of("A user's snapshots change faster than they can be read; try again at a quieter time.")


async def _restore(settings: Settings, path: Path) -> str:
    manifest = check(path)
    settings.data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
    async with opened_store(settings) as with_store:
        client = RedisClient(redis_url(with_store))
        files = open_files(snapshots_url(settings))
        try:
            # A restore that was broken off may be repeated: until its end nothing but the same bytes can be there.
            digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
            if await restoring(client) != digest:
                if not await is_empty(client) or files.names("users"):
                    raise SettingsError("this installation holds data already; a backup is restored into an empty one")
                await begin_restoring(client, digest)
            for name, data in _members(path):
                if name.startswith(_FILES):
                    _write_file(files, name.removeprefix(_FILES), data)
            # The keys last: a user exists from then on, with the snapshots in place.
            for name, data in _members(path):
                if name.startswith(_KEYS):
                    await restore(client, _unpacked(name, data))
            await end_restoring(client)
        finally:
            await client.close()
    return f"{manifest['users']} users are back. Put the keys folder back too; `rearview doctor` then looks at it all."


def check(path: Path) -> dict[str, object]:
    """The manifest of a file that is whole. Raises: BadBackup naming the first member that is not, OSError."""
    seen: dict[str, str] = {}
    manifest: dict[str, object] = {}
    for name, data in _members(path):
        if name == MANIFEST:
            manifest = json.loads(data)
        else:
            _check_member(name, data)
            seen[name] = hashlib.sha256(data).hexdigest()
    if not manifest:
        raise BadBackup(f"{path} has no manifest: it is no backup, or was cut off")
    if manifest.get("format") != FORMAT:
        raise BadBackup(f"{path} has format {manifest.get('format')}; this release reads format {FORMAT}")
    listed = manifest["members"]
    assert isinstance(listed, dict)
    for name in sorted(listed.keys() | seen.keys()):
        if listed.get(name) != seen.get(name):
            raise BadBackup(f"{path} is damaged: {name} is missing or altered")
    return manifest


class _Writer:
    """Members of the file, with their digests for the manifest that closes it."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._digests: dict[str, str] = {}

    def add(self, name: str, data: bytes) -> None:
        self._digests[name] = hashlib.sha256(data).hexdigest()
        self._put(name, data)

    def close(self, users: int) -> None:
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "made_at_ms": system_now_ms(),
            "users": users,
            "members": self._digests,
        }
        self._put(MANIFEST, json.dumps(manifest).encode())

    def _put(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(data), 0o600
        self._tar.addfile(info, io.BytesIO(data))


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path, mode="r:") as tar:
        for info in tar:
            data = tar.extractfile(info)
            if data is None:
                raise BadBackup(f"{path} is no backup: {info.name} is not a file")
            yield info.name, data.read()


def _finished(files: Files, directory: str) -> list[str]:
    return sorted(name for name in files.names(directory) if name.endswith(keys.SNAPSHOT_SUFFIX))


def _write_file(files: Files, path: str, data: bytes) -> None:
    def same(read: bytes) -> None:
        if read != data:
            raise OSError("a snapshot read back differently from how it was written")

    files.write(path, [data], same)


def _user_of(tag: bytes) -> str:
    return keys.user_of_key(tag + b":head")


def _packed(dumped: list[DumpedKey]) -> bytes:
    packed: bytes = msgpack.packb([tuple(key) for key in dumped])
    return packed


def _check_member(name: str, data: bytes) -> None:
    """Whether it is one of ours and goes where ours go. Raises: BadBackup."""
    if name.startswith(_KEYS):
        _unpacked(name, data)
    elif not _SNAPSHOT.fullmatch(name):
        raise BadBackup(f"it is no backup: {name!r:.200} is neither a key nor a snapshot")


def _unpacked(name: str, data: bytes) -> list[DumpedKey]:
    try:
        found = [DumpedKey(*row) for row in msgpack.unpackb(data)]
    except (ValueError, TypeError, msgpack.UnpackException):
        raise BadBackup(f"the backup is damaged: {name!r:.200} does not hold keys") from None
    for key in found:
        whole = type(key.name) is bytes and type(key.ttl_ms) is int and type(key.value) is bytes
        if not whole or not key.name.startswith(_PREFIX):
            raise BadBackup(f"the backup is damaged: {name!r:.200} does not hold keys")
    return found
