"""From another network nothing but the HTTP port answers, and no secret lies about on this machine.

The service and the stranger live in two network namespaces of their own, joined by one cable (a veth pair), so that
nothing of the machine's own network takes part.
"""

import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.service import Service, command_line, processes_of, running

pytestmark = pytest.mark.recovery

PORT = 8100
OURS, THEIRS = "10.213.7.1", "10.213.7.2"
LOOPBACK = {"0100007F", "00000000000000000000000001000000"}
# Run by the stranger: every TCP port there is. A closed one refuses at once.
SCAN = """
import json, socket, sys
found = []
for port in range(1, 65536):
    with socket.socket() as one:
        one.settimeout(2)
        if one.connect_ex((sys.argv[1], port)) == 0:
            found.append(port)
print(json.dumps(found))
"""
ASK = """
import json, sys, urllib.error, urllib.request
def ask(path, token=""):
    wanted = urllib.request.Request(f"http://{sys.argv[1]}{path}", headers={"Authorization": "Bearer " + token})
    try:
        with urllib.request.urlopen(wanted, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code
token = open(sys.argv[2]).read().strip()
print(json.dumps([ask("/healthz"), ask("/v1/tokens"), ask("/v1/tokens", token), ask("/docs"), ask("/metrics")]))
"""


@dataclass(frozen=True)
class Network:
    """Two namespaces; each is a command prefix that runs what follows inside."""

    ours: tuple[str, ...]
    theirs: tuple[str, ...]

    def stranger(self, program: str, *arguments: str) -> object:
        command = [*self.theirs, sys.executable, "-c", program, *arguments]
        said = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
        return json.loads(said.stdout)


@contextmanager
def namespace(stack: ExitStack) -> Iterator[tuple[int, tuple[str, ...]]]:
    holder = stack.enter_context(
        subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo in; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    )
    stack.callback(holder.kill)
    assert holder.stdout is not None
    if holder.stdout.readline() != b"in\n":
        pytest.skip("this machine lets us make no network namespaces")
    yield holder.pid, ("nsenter", "--target", str(holder.pid), "--net", "--")


@pytest.fixture
def network() -> Iterator[Network]:
    missing = [tool for tool in ("unshare", "nsenter", "ip") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed here")
    with ExitStack() as stack:
        _, ours = stack.enter_context(namespace(stack))
        their_pid, theirs = stack.enter_context(namespace(stack))
        cable = f"ip link add rv0 type veth peer name rv1 netns {their_pid}"
        if subprocess.run([*ours, *cable.split()], capture_output=True, check=False).returncode:
            pytest.skip("this machine lets us join no network namespaces (veth)")
        for inside, name, address in ((ours, "rv0", OURS), (theirs, "rv1", THEIRS)):
            for command in ("ip link set lo up", f"ip addr add {address}/24 dev {name}", f"ip link set {name} up"):
                subprocess.run([*inside, *command.split()], check=True)
        yield Network(ours, theirs)


def test_from_another_network_nothing_but_the_http_port_answers(network: Network, tmp_path: Path) -> None:
    flags = ("--host", "0.0.0.0", "--port", str(PORT))
    names = {"REARVIEW_HTTP__ALLOWED_HOSTS": OURS}
    with running(tmp_path / "data", *flags, environment=names, within=network.ours) as service:
        assert network.stranger(SCAN, OURS) == [PORT]
        token_file = str(service.ready.token_file) if service.ready is not None else ""
        assert network.stranger(ASK, f"{OURS}:{PORT}", token_file) == [200, 401, 200, 401, 401]
        assert datagram_addresses(network) <= LOOPBACK
        no_secret_lies_about(service)


def datagram_addresses(network: Network) -> set[str]:
    """Where UDP sockets of the service's namespace listen, as the kernel writes addresses."""
    tables = ("/proc/net/udp", "/proc/net/udp6")
    said = subprocess.run([*network.ours, "cat", *tables], capture_output=True, text=True, check=True)
    rows = [line.split() for line in said.stdout.splitlines()]
    return {row[1].partition(":")[0] for row in rows if row[0] != "sl"}


def no_secret_lies_about(service: Service) -> None:
    """Command lines are for every local user to read, and so would files and sockets be."""
    secrets = [path for path in service.data_dir.rglob("*token*") if path.is_file()]
    assert len(secrets) >= 2
    for path in secrets:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(service.data_dir.stat().st_mode) == 0o700
    shown = " ".join(map(command_line, processes_of(service.data_dir, service._pid)))
    assert "valkey" in shown
    for path in secrets:
        assert path.read_text(encoding="ascii").strip() not in shown, path
