"""The doctor's look at files: what a crash left unfinished, and snapshots of users the store does not know."""

import asyncio
import json
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from persistence import keys
from persistence.files import Files, open_files
from persistence.redis_schedule import RedisSchedule
from rearview.findings import Finding, Repair, fine, note, wrong
from rearview.ready_line import ready_file

USERS_FOLDER = "users"
SCHEDULED_MAX = 1_000_000
END_OF_TIME_MS = 2**53


async def check_files(snapshots_url: str, users: Iterable[str]) -> list[Finding]:
    """Unfinished and orphaned snapshot files. Raises: OSError when the place cannot be read."""
    return await asyncio.to_thread(_snapshot_files, open_files(snapshots_url), frozenset(map(_directory, users)))


def _directory(user_id: str) -> str:
    return str(keys.snapshot_directory(user_id))


def _snapshot_files(files: Files, known: frozenset[str]) -> list[Finding]:
    findings: list[Finding] = []
    count = 0
    for first in sorted(files.names(USERS_FOLDER)):
        for rest in sorted(files.names(f"{USERS_FOLDER}/{first}")):
            directory = f"{USERS_FOLDER}/{first}/{rest}"
            names = files.names(directory)
            count += sum(keys.snapshot_order(name) is not None for name in names)
            findings += _unfinished(files, directory, names)
            findings += _strangers(directory, names)
            if directory not in known and any(keys.snapshot_order(name) for name in names):
                findings.append(
                    wrong(
                        "files",
                        f"{directory} holds snapshots of a user the store does not know: the store was emptied or "
                        "replaced, or an erasure was cut short. Nothing was changed; restore the store, or remove the "
                        "directory to accept the loss",
                    )
                )
    return [*findings, fine("files", f"{count} snapshot files looked at")]


def _unfinished(files: Files, directory: str, names: Iterable[str]) -> list[Finding]:
    findings = []
    for name in sorted(names):
        if name.endswith(keys.TEMPORARY_SUFFIX):

            async def remove(path: str = f"{directory}/{name}") -> str:
                await asyncio.to_thread(files.remove, path)
                return f"removed {path}"

            findings.append(note("files", f"{directory}/{name} was left unfinished by a crash", remove))
    return findings


def _strangers(directory: str, names: Iterable[str]) -> list[Finding]:
    """Names that we never write. Theirs to keep: only said."""
    odd = [name for name in names if keys.snapshot_order(name) is None and not name.endswith(keys.TEMPORARY_SUFFIX)]
    return [note("files", f"{directory}/{name} is not one of ours") for name in sorted(odd)]


def check_data_directory(data_path: Path, *, in_use: bool) -> list[Finding]:
    """What a service that died left in its own directory. `in_use`: one may be running, so nothing is taken away."""
    findings: list[Finding] = []
    told = ready_file(data_path)
    if told.exists() and not _alive(told):
        findings.append(note("files", f"{told.name} tells of a service that no longer runs", _removal(told)))
    for left in sorted((data_path / keys.VALKEY_DIRECTORY).glob("**/temp-rewriteaof*")):
        findings.append(
            note(
                "files", f"{left.name} was left by a rewrite that a crash cut short", None if in_use else _removal(left)
            )
        )
    for secret in (data_path / "admin-token", *sorted((data_path / "keys").glob("*"))):
        if secret.is_file() and secret.stat().st_mode & 0o077:
            findings.append(wrong("files", f"{secret.name} can be read by others on this machine; run chmod 600 on it"))
    return findings


def _removal(path: Path) -> Repair:
    async def remove() -> str:
        await asyncio.to_thread(path.unlink, missing_ok=True)
        return f"removed {path.name}"

    return remove


def _alive(told: Path) -> bool:
    """Whether the process that wrote the file still runs."""
    try:
        os.kill(int(json.loads(told.read_text("utf-8"))["pid"]), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


async def check_schedule(schedule: RedisSchedule, users: frozenset[str]) -> list[Finding]:
    """Entries of users who are gone: harmless, and derived. Raises: Unavailable."""
    findings: list[Finding] = []
    for user_id in await schedule.due(END_OF_TIME_MS, SCHEDULED_MAX):
        if user_id not in users:

            async def take_off(gone: str = user_id) -> str:
                await schedule.set_due(gone, None)
                return f"took {gone} off the schedule"

            findings.append(note("schedule", f"{user_id} has something due, but no journal", take_off))
    return findings


def journal_name(url: str) -> str:
    """A store's address without its password."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return "the bundled store"
    return f"{parts.scheme}://{parts.hostname or ''}:{parts.port or 6379}"
