"""Which service a command talks to, and with which token."""

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path

URL_VARIABLE = "REARVIEW_URL"
TOKEN_VARIABLE = "REARVIEW_TOKEN"
DATA_DIR_VARIABLE = "REARVIEW_DATA_DIR"
DEFAULT_PORT = 8100
DEFAULT_DATA_DIR = ".rearview"
TOKEN_FILE = "admin-token"


class NoConnection(Exception):
    """No token could be found. The text says where we looked."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a service answers, and a token for it."""

    url: str
    token: str


def find_connection(args: argparse.Namespace) -> Connection:
    """Flags before the environment before what a running service left in its data directory.

    Raises: NoConnection.
    """
    data_dir = Path(args.data_dir or os.environ.get(DATA_DIR_VARIABLE) or DEFAULT_DATA_DIR)
    running = _running_service(data_dir)
    url = args.url or ("" if args.port else os.environ.get(URL_VARIABLE, "") or running.get("url", ""))
    token = _token(args, data_dir, running)
    return Connection(url or f"http://127.0.0.1:{args.port or DEFAULT_PORT}", token)


def _token(args: argparse.Namespace, data_dir: Path, running: dict[str, str]) -> str:
    if not args.token_file and os.environ.get(TOKEN_VARIABLE):
        return os.environ[TOKEN_VARIABLE].strip()
    path = Path(args.token_file or running.get("token_file") or data_dir / TOKEN_FILE)
    try:
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise NoConnection(
            f"no token: {path} cannot be read ({error.strerror}). Start a service with `rearview serve`, "
            f"or pass --token-file, or set {TOKEN_VARIABLE}."
        ) from None


def _running_service(data_dir: Path) -> dict[str, str]:
    """What a running service wrote about itself; empty when none did."""
    try:
        told = json.loads((data_dir / "run" / "serve.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: told[name] for name in ("url", "token_file") if isinstance(told.get(name), str)}
