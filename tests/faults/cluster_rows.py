"""Rows on a Ray cluster of three nodes in one machine, with two services as drivers of it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.book import Book
from tests.faults.service_rows import checked, ready
from tests.faults.stage import Stage, Writing, until
from tests.faults.table import Outcome, Row
from tests.service import Service, command_line

BACK_WITHIN = 20.0  # Less than five on an idle machine; the row prints what it was.
# How Ray notices a node that died: about two seconds instead of fifteen (deploy/kuberay sets the same).
HEALTH = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "500",
    "RAY_health_check_failure_threshold": "3",
}


@dataclass
class Nodes:
    """Three nodes, by Ray's own command for adding one; each is a process group that can be killed as one."""

    folder: Path
    environment: dict[str, str]
    process: subprocess.Popen[str]
    address: str = ""
    raylets: list[int] = field(default_factory=list)

    def add(self) -> None:
        self._say("add")

    def kill(self, raylet: int) -> None:
        """SIGKILL of a node: its raylet and every process that it started."""
        victims = [raylet, *children(raylet)]
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.raylets.remove(raylet)

    def _say(self, word: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        self.raylets = [int(pid) for pid in self.process.stdout.readline().split()[1:]]

    def close(self) -> None:
        for raylet in list(self.raylets):
            self.kill(raylet)
        for pid in children(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()


def children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in path.read_text().split():
                found += [int(child), *children(int(child))]
    return found


def three_nodes(stage: Stage) -> Nodes:
    token = stage.folder / "ray-token"
    token.write_text("f" * 64)
    environment = {
        **os.environ,
        **HEALTH,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "tests.faults.cluster", str(stage.folder / "ray")]
    process = subprocess.Popen(
        command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    nodes = Nodes(stage.folder, environment, process)
    stage.parts.append(nodes)
    assert process.stdout is not None
    words = process.stdout.readline().split()
    assert words, "the cluster did not start"
    nodes.address, nodes.raylets = words[0], [int(pid) for pid in words[1:]]
    return nodes


@contextlib.contextmanager
def two_services(stage: Stage, nodes: Nodes) -> Iterator[list[Service]]:
    store = stage.store()
    key = stage.folder / "master-key"
    key.write_text("ab" * 32)
    key.chmod(0o600)
    environment = {
        **HEALTH,
        "REARVIEW_REDIS__URL": store.url,
        "REARVIEW_RAY__ADDRESS": nodes.address,
        "REARVIEW_RAY__TOKEN_FILE": str(stage.folder / "ray-token"),
        "REARVIEW_SNAPSHOTS__URL": str(stage.folder / "snapshots"),
        "REARVIEW_ENCRYPTION__KEY_FILE": str(key),
        "REARVIEW_ACTORS__HOSTS": "3",
        "REARVIEW_RAY__RESOURCE": "rearview_host",
    }
    services = [Service(stage.folder / name, environment) for name in ("left", "right")]
    try:
        yield [service.start() for service in services]
    finally:
        for service in services:
            if service.process is not None and service.process.poll() is None:
                service.process.kill()
                service.process.wait()


def writing(stage: Stage, service: Service, first: int, count: int, token: str) -> Writing:
    assert service.ready is not None
    path = stage.folder / f"book-{len(stage.books)}"
    stage.books.append(path)
    target = {"url": service.ready.url, "token": token}
    plan = {"row": stage.row, "target": target, "first": first, "count": count, "workers": 6, "users": 12}
    made = Writing(path, plan)
    stage.parts.append(made)
    return made


def hosts_of(raylet: int) -> list[int]:
    return [pid for pid in children(raylet) if "HostActor" in command_line(pid)]


def node_killed(stage: Stage) -> Outcome:
    """Two services write; a node with a host on it is killed, and one is added. Its users are back in seconds."""
    outcome = Outcome()
    nodes = three_nodes(stage)
    with two_services(stage, nodes) as services:
        token = services[0].token
        clients = [writing(stage, service, 10_000 * n, 400, token) for n, service in enumerate(services)]
        for client in clients:
            client.until_acked(60)
        spread = [raylet for raylet in nodes.raylets if hosts_of(raylet)]
        outcome.expect(len(spread) > 1, f"hosts are spread over nodes, but stand on {len(spread)}")
        victim = next(raylet for raylet in nodes.raylets[1:] if hosts_of(raylet))  # The first is the head.
        killed_at = time.monotonic()
        nodes.kill(victim)
        outcome.injections += 1
        silent = _longest_silence(stage, clients, killed_at)
        outcome.said = f", users back in {silent:.1f} s"
        outcome.expect(silent < BACK_WITHIN, f"a user was away for {silent:.1f} s")
        nodes.add()
        outcome.injections += 1
        for client in clients:
            client.finish()
        until(lambda: all(ready(service) for service in services), "both services are ready")
        return checked(stage, services[1], outcome, token)


def _longest_silence(stage: Stage, clients: list[Writing], since: float) -> float:
    """Seconds until every user has had a write acknowledged that was begun after the kill."""
    before = {(ack.user, ack.key) for ack in stage.book().acks}
    users = {f"{stage.row}-{n}" for n in range(12)}
    while True:
        book: Book = stage.book()
        back = {ack.user for ack in book.acks if (ack.user, ack.key) not in before}
        done = time.monotonic() - since
        if back >= users or done > 30 or all(client.process.poll() is not None for client in clients):
            return done
        time.sleep(0.05)


def cluster_dies(stage: Stage) -> Outcome:
    """The cluster that a service has joined dies: the service says so and ends, for its supervisor to start it."""
    outcome = Outcome()
    nodes = three_nodes(stage)
    with two_services(stage, nodes) as services:
        client = writing(stage, services[0], 0, 60, services[0].token)
        client.finish()
        time.sleep(6)  # Longer up than a start that fails.
        for raylet in list(nodes.raylets):
            nodes.kill(raylet)
        for pid in children(nodes.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        outcome.injections = 1
        process = services[0].process
        assert process is not None
        assert process.stderr is not None
        until(lambda: process.poll() is not None, "the service ends", 60)
        said = process.stderr.read()
        outcome.expect("does not answer any more" in said, f"it says that the cluster is gone: {said[-300:]}")
        outcome.expect("No Ray cluster answers at" in said, f"it says where it looked: {said[-300:]}")
        outcome.verdict.acked = 0  # What is stored is checked by the other rows.
    return outcome


ROWS: list[Row] = [
    Row("3n", "cluster: three nodes, two services, a node killed and one added", node_killed),
    Row("4n", "cluster: the cluster that a service has joined dies", cluster_dies),
]
