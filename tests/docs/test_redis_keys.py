"""Every key, function and file name is in docs/redis-keys.md."""

import re
from pathlib import Path

from persistence import keys

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "redis-keys.md").read_text("utf-8")


def test_every_redis_key_has_a_row() -> None:
    of_all = (keys.STORE, keys.TOKENS, keys.SCHEDULE, keys.REWRITES, keys.SPACES, keys.MASTER_KEY, keys.RESTORING)
    names = [*of_all, keys.USE + "<day>"]
    of_a_user = (keys.head, keys.journal, keys.receipts, keys.receipt_times, keys.audit, keys.audit_head)
    names += [make("U").replace("u:U", "u:<id>") for make in of_a_user]
    for name in names:
        assert f"| `{name}` |" in PAGE, name


def test_every_function_is_named() -> None:
    library = (ROOT / "persistence" / "append.lua").read_text("utf-8")
    functions = re.findall(r"function_name = '(\w+)'", library)
    assert len(functions) == 8
    for function in functions:
        assert f"`{function}`" in PAGE, function


def test_every_file_name_is_there() -> None:
    for name in (
        keys.LOCK_FILE,
        keys.MASTER_KEY_FILE,
        keys.VALKEY_DIRECTORY,
        keys.SNAPSHOT_SUFFIX,
        keys.TEMPORARY_SUFFIX,
    ):
        assert name in PAGE, name
