"""Every Redis key and every file path, in one place. `docs/redis-keys.md` describes them for operators.

All keys of one user share the hash tag `{u:<id>}`, so that one function call over them is legal in a cluster.
Ids are percent-encoded UTF-8: the encoding is one-to-one, so `alice`, `Alice`, `a/b`, `a:b` and `a}b` stay five
users, and the result holds none of `{ } :`, so it can neither close the tag nor reach another key.

Files are named by SHA-256 of the id instead: a disk may not tell `alice` from `Alice`, and 256 characters of
percent-encoded text do not fit in a file name. The id itself is inside the snapshot's frame and is checked there.
"""

import hashlib
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from engine.errors import InvalidMemory

PREFIX = "rearview"

TOKENS = f"{PREFIX}:tokens"
"""Hash: SHA-256 of a bearer token (hex) -> its msgpack record. Never the token."""

USE = f"{PREFIX}:use:"
"""Start of `use_of`."""

STORE = f"{PREFIX}:store"
"""String: which store this is, made once. A running service that meets another value has had its store replaced."""

SCHEDULE = f"{PREFIX}:schedule"
"""Sorted set: user id -> time (ms UTC) at which that user has something due. Wakes users nobody holds in memory."""

MASTER_KEY = f"{PREFIX}:master-key"
"""String: the id (hex) of the master key that wraps the users' data keys. Never the key."""

RESTORING = f"{PREFIX}:restoring"
"""String: which backup is being put back. There until all of it is back; nothing is served meanwhile."""

SPACES = f"{PREFIX}:spaces"
"""String: msgpack of the embedding model in force, the one users are moved to, and earlier ones. No key of any."""

REWRITES = f"{PREFIX}:rewrites"
"""Hash `wanted`, `soon`, `done`: how many drops wait until the append-only file is rewritten without them."""


def use_of(day: int) -> str:
    """Hash: token id -> requests of one day (days since 1970-01-01, UTC), for tokens with a daily quota."""
    return f"{USE}{day}"


def user_part(user_id: str) -> str:
    """An id as it stands inside keys. Raises InvalidMemory for text that is not Unicode (a lone surrogate)."""
    try:
        return quote(user_id, safe="")
    except UnicodeEncodeError:
        raise InvalidMemory.of("The user id is not valid Unicode.", field="user") from None


def user_tag(user_id: str) -> str:
    """What every key of this user begins with."""
    return f"{PREFIX}:{{u:{user_part(user_id)}}}"


def head(user_id: str) -> str:
    """Hash `epoch`, `seq`, `chain`, `key`: who may write, the last seq, the last chain hash, the wrapped data key.

    Outlives a trimmed journal.
    """
    return user_tag(user_id) + ":head"


def journal(user_id: str) -> str:
    """Stream, one entry per accepted command, id `<seq>-0`, fields `b` (codec bytes) and `c` (chain hash)."""
    return user_tag(user_id) + ":journal"


def receipts(user_id: str) -> str:
    """Hash: idempotency key -> body hash (32 bytes) and msgpack of seq and outcome. Kept for 24 h."""
    return user_tag(user_id) + ":receipts"


def receipt_times(user_id: str) -> str:
    """Sorted set: idempotency key -> time it was used (ms UTC), so that old ones are dropped without a scan."""
    return user_tag(user_id) + ":receipt-times"


def audit(user_id: str) -> str:
    """Stream, one entry per change and per refused attempt, id `<number>-0`, fields `b` (msgpack) and `c` (chain)."""
    return user_tag(user_id) + ":audit"


def audit_head(user_id: str) -> str:
    """Hash `number`, `chain` of the last audit entry; `anchor`, `anchor_chain` of the last one dropped by rule."""
    return user_tag(user_id) + ":audit-head"


HEADS_PATTERN = f"{PREFIX}:{{u:*}}:head"
"""SCAN pattern that finds every known user."""


AUDIT_HEADS_PATTERN = f"{PREFIX}:{{u:*}}:audit-head"
"""SCAN pattern that finds every user who has an audit trail, also after an erasure."""


def user_of_key(key: bytes) -> str:
    """The user id inside a key of a user; the inverse of `head` and its like."""
    return unquote(key.decode("ascii")[len(f"{PREFIX}:{{u:") :].partition("}")[0], errors="strict")


SNAPSHOT_SUFFIX = ".snap"
TEMPORARY_SUFFIX = ".tmp"


def snapshot_directory(user_id: str) -> PurePosixPath:
    """Directory of one user's snapshots below the snapshot root: `users/<2 hex>/<62 hex>`."""
    user_part(user_id)
    digest = hashlib.sha256(user_id.encode("utf-8")).hexdigest()
    return PurePosixPath("users", digest[:2], digest[2:])


def snapshot_name(seq: int, epoch: int, number: int) -> str:
    """A file name that sorts by age. `number` tells apart two snapshots of one seq and epoch (a purge writes such)."""
    return f"{seq:016d}-{epoch:016d}-{number:04d}{SNAPSHOT_SUFFIX}"


def snapshot_order(name: str) -> tuple[int, int, int] | None:
    """(seq, epoch, number) that a snapshot's file name claims, or None when it is no snapshot's name."""
    if not name.endswith(SNAPSHOT_SUFFIX):
        return None
    parts = name[: -len(SNAPSHOT_SUFFIX)].split("-")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return int(parts[0]), int(parts[1]), int(parts[2])


VALKEY_DIRECTORY = "valkey"
"""Below the data directory: the bundled server's append-only files, its log, its pid file and its socket."""

SNAPSHOTS_DIRECTORY = "snapshots"
"""Below the data directory: the default snapshot root."""

MASTER_KEY_FILE = "keys/master"
"""Below the data directory: the master key, unless the settings name another file."""

LOCK_FILE = "lock"
"""Below the data directory: held by the one service that uses the directory."""
