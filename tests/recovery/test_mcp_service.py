"""The same tools against a real service, and the bridge that starts one by itself."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.interaction.test_mcp_tools import (
    ERAS,
    ROOT,
    TRANSPORTS,
    Connect,
    read,
    test_a_bad_argument_is_an_error_the_model_can_read,  # noqa: F401
    test_a_memory_is_written_found_changed_forgotten_and_restored,  # noqa: F401
    test_a_topic_is_forgotten_once_and_only_the_topic,  # noqa: F401
    test_six_clients_of_two_users_at_once_never_mix,  # noqa: F401
    test_the_six_tools_are_listed_in_their_order,  # noqa: F401
    test_two_users_never_see_each_other,  # noqa: F401
)
from tests.service import Service, processes_of, running

pytestmark = pytest.mark.recovery

_runs = count(1)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("mcp") / "data") as made:
        yield made


def token_for(service: Service, user: str) -> str:
    with service.client() as admin:
        made = admin.post("/v1/tokens", json={"users": [user], "role": "write"})
    assert made.status_code == 201, made.text
    token: str = made.json()["token"]
    return token


@pytest.fixture(params=[(name, mode) for name in TRANSPORTS for mode in ERAS], ids="-".join)
def connect(request: pytest.FixtureRequest, service: Service) -> Connect:
    transport, mode = request.param
    run = next(_runs)
    assert service.ready is not None
    url = service.ready.url
    tokens = {name: token_for(service, f"{name}-{run}") for name in ("alice", "bob")}
    return lambda name: TRANSPORTS[transport](url, tokens[name], mode)


@asynccontextmanager
async def bridge_to(data_dir: Path) -> AsyncIterator[Client]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("REARVIEW_")}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "rearview", "mcp", "--data-dir", str(data_dir), "--port", "0"],
        cwd=ROOT,
        env=inherited,
    )
    async with Client(server, mode="legacy") as client:
        yield client


def pid_of(data_dir: Path) -> int:
    said: dict[str, Any] = json.loads((data_dir / "run" / "serve.json").read_text(encoding="utf-8"))
    return int(said["pid"])


@pytest.fixture
def own_data_dir(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "data"
    for pid in processes_of(tmp_path / "data", -1):
        os.kill(pid, signal.SIGKILL)


async def test_a_bridge_answers_at_once_starts_the_service_and_starts_it_again_after_a_kill(own_data_dir: Path) -> None:
    async with bridge_to(own_data_dir) as client:
        await client.list_tools()
        # The list never waits for the service, which says where it listens only once it is ready.
        assert not (own_data_dir / "run" / "serve.json").exists()
        written = read(await client.call_tool("memory_write", {"content": "我对花生过敏"}))
        assert written["status"] == "stored"
        async with bridge_to(own_data_dir) as second:
            shared = read(await second.call_tool("memory_list", {}))
        assert [row["memory_id"] for row in shared["memories"]] == [written["memory_id"]]  # type: ignore[attr-defined]
        first_pid = pid_of(own_data_dir)
        os.kill(first_pid, signal.SIGKILL)
        again = read(await client.call_tool("memory_list", {}))
        assert [row["memory_id"] for row in again["memories"]] == [written["memory_id"]]  # type: ignore[attr-defined]
        assert pid_of(own_data_dir) != first_pid
    # The service belongs to nobody's terminal: it stays when its clients have gone.
    os.kill(pid_of(own_data_dir), 0)
    await asyncio.to_thread(os.kill, pid_of(own_data_dir), signal.SIGTERM)
