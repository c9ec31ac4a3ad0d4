"""The only place with a clock, ids and chance. Everything else is handed these as values or callables."""

import secrets
import time
from collections.abc import Callable
from pathlib import Path

TOKEN_BYTES = 32
ID_BYTES = 12


def system_now_ms() -> int:
    """Wall clock, ms since the Unix epoch in UTC."""
    return time.time_ns() // 1_000_000


def clock(test_offset_file: str = "") -> Callable[[], int]:
    """The clock to use: the system's, or (tests only) the system's plus the seconds written in a file.

    The file is read at every look, so that a test can move the clock of a running service. A missing or
    unreadable file means an offset of zero: a test writes it before it starts and replaces it at once.
    """
    if not test_offset_file:
        return system_now_ms
    path = Path(test_offset_file)

    def now_ms() -> int:
        return system_now_ms() + offset_ms(path)

    return now_ms


def offset_ms(path: Path) -> int:
    """The offset in a `--test-clock` file, in ms."""
    try:
        text = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return 0
    return int(float(text) * 1000) if text else 0


def new_id() -> str:
    """A random id of 96 bits, so that an id says nothing about how many there are."""
    return secrets.token_hex(ID_BYTES)


def new_token() -> str:
    """A bearer token of 256 bits."""
    return "rv_" + secrets.token_urlsafe(TOKEN_BYTES)


def random_bytes(count: int) -> bytes:
    """For keys and nonces."""
    return secrets.token_bytes(count)


def monotonic_ms() -> float:
    """For durations, never for time stamps."""
    return time.monotonic_ns() / 1_000_000


def precise_ms() -> float:
    """For measuring what takes less than a millisecond."""
    return time.perf_counter() * 1e3
