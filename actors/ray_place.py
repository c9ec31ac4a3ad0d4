"""Where a Ray of our own lives and what its processes inherit. Nothing here knows Ray itself."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from engine.errors import Unavailable

# A socket's path holds 107 bytes on Linux, and Ray puts about 65 of its own after this directory.
TEMP_DIR_CHARS_MAX = 40


def set_environment(token_file: Path | None) -> None:
    """What Ray's processes inherit. One thread of linear algebra each: two hosts share two cores.

    Ray runs its workers at niceness 15, as batch jobs; ours answer people, and on a busy machine would starve.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_worker_niceness", "0")
    if token_file is not None:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN_PATH"] = str(token_file)


def private_temp_dir(wanted: Path) -> Path:
    """`wanted`, or a short directory of this user's own where Ray's sockets would not fit below it."""
    if len(str(wanted)) > TEMP_DIR_CHARS_MAX:
        digest = hashlib.sha256(str(wanted).encode()).hexdigest()[:8]
        wanted = Path(tempfile.gettempdir()) / f"rearview-{os.getuid()}-{digest}"
    wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
    if wanted.stat().st_uid != os.getuid():
        raise Unavailable.of("the directory for Ray's sockets belongs to somebody else", code="temp_dir")
    wanted.chmod(0o700)
    return wanted


def forget_old_sessions(place: Path) -> None:
    """Remove what earlier runs left. The data directory is locked by its service, so none of them is alive."""
    for session in place.glob("session_*"):
        if session.is_symlink():
            session.unlink()
        else:
            shutil.rmtree(session, ignore_errors=True)
