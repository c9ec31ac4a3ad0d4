"""Rows 1, 3, 4, 5, 7, 18, 20 and 42 on the whole thing: `rearview serve` with its Ray, its hosts and its store."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

import httpx
import redis

from tests.faults.check import check_book
from tests.faults.doors import HttpDoor
from tests.faults.stage import Stage, Writing, until
from tests.faults.table import Outcome, Row
from tests.service import Service, processes_of, running

STEADY_SECONDS = 6.0  # A Ray that dies sooner is not started again.
ALARM_SECONDS = 10.0


@contextlib.contextmanager
def served(stage: Stage) -> Iterator[Service]:
    with running(stage.folder / "data") as service:
        # Nothing is read from it after the ready line, and a full pipe would stop the service.
        assert service.process is not None
        yield service


def writing(stage: Stage, service: Service, count: int) -> Writing:
    """A client over HTTP. The service keeps its address over its own restarts."""
    assert service.ready is not None
    path = stage.folder / f"book-{len(stage.books)}"
    stage.books.append(path)
    target = {"url": service.ready.url, "token": service.token}
    plan = {"row": stage.row, "target": target, "count": max(60, int(count * stage.scale)), "workers": 8}
    made = Writing(path, plan)
    stage.parts.append(made)
    return made


def checked(stage: Stage, service: Service, outcome: Outcome, token: str = "") -> Outcome:
    assert service.ready is not None

    async def compare() -> None:
        door = HttpDoor(service.ready.url if service.ready else "", token or service.token)
        outcome.verdict.add(await check_book(stage.book(), door, stage.row))
        await door.close()

    asyncio.run(compare())
    return outcome


def ready(service: Service) -> bool:
    assert service.ready is not None
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(service.ready.url + "/readyz", trust_env=False, timeout=2).status_code == 200
    return False


def signalled(part: str, *, number: int = signal.SIGKILL, times: int = 1) -> Callable[[Stage], Outcome]:
    """A row that sends a signal to the processes whose command line holds a word."""

    def play(stage: Stage) -> Outcome:
        outcome = Outcome()
        with served(stage) as service:
            began = time.monotonic()
            client = writing(stage, service, 350)
            client.until_acked(60)
            if part in ("raylet/raylet", "gcs_server"):
                until(lambda: time.monotonic() - began > STEADY_SECONDS, "longer up than a start that fails")
            for _ in range(times):
                client.until_acked(client.acked() + 40)
                for pid in service.children(part):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, number)
                        outcome.injections += 1
                if number == signal.SIGSTOP:
                    time.sleep(1.5)
                    for pid in service.children(part):
                        os.kill(pid, signal.SIGCONT)
            client.finish()
            until(lambda: ready(service), "the service is ready again")
            return checked(stage, service, outcome)

    return play


def everything_killed(stage: Stage) -> Outcome:
    """The service, all of Ray and the store die at once, in the middle of a burst; a new service finds everything."""
    outcome = Outcome()
    with served(stage) as service:
        assert service.ready is not None and service.process is not None
        port = service.ready.url.rpartition(":")[2]
        client = writing(stage, service, 350)
        for _ in range(2):
            client.until_acked(client.acked() + 80)
            for pid in processes_of(service.data_dir, service.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    outcome.injections += 1
            service.kill()
            until(lambda: not processes_of(service.data_dir, -1), "nothing is left")
            service.start("--port", port)
        client.finish()
        return checked(stage, service, outcome)


def service_killed(stage: Stage) -> Outcome:
    outcome = Outcome()
    with served(stage) as service:
        assert service.ready is not None
        port = service.ready.url.rpartition(":")[2]
        client = writing(stage, service, 350)
        client.until_acked(80)
        service.kill()
        outcome.injections = 1
        until(lambda: not processes_of(service.data_dir, -1), "no orphan stays")
        service.start("--port", port)
        client.finish()
        return checked(stage, service, outcome)


def ended_under_load(stage: Stage) -> Outcome:
    outcome = Outcome()
    with served(stage) as service:
        assert service.ready is not None
        port = service.ready.url.rpartition(":")[2]
        client = writing(stage, service, 350)
        client.until_acked(120)
        seconds = service.stop()
        outcome.injections = 1
        outcome.expect(seconds < 10, f"ending took {seconds:.1f} s")
        outcome.expect(not processes_of(service.data_dir, -1), "no process stays")
        service.start("--port", port)
        client.finish()
        return checked(stage, service, outcome)


def policy_changes(stage: Stage) -> Outcome:
    """Somebody sets an eviction policy on the running store: the service says so at /readyz and recovers."""
    outcome = Outcome()
    with served(stage) as service:
        client = writing(stage, service, 200)
        client.until_acked(40)
        socket = next(iter(service.data_dir.rglob("valkey.sock")), None)
        if socket is None:
            pid = service.children("valkey-server")[0]
            words = subprocess.run(["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=True)
            socket = words.stdout.split("unixsocket", 1)[1].split()[0]
        with redis.Redis(unix_socket_path=str(socket)) as store:
            store.config_set("maxmemory-policy", "allkeys-lru")
            began = time.monotonic()
            until(lambda: not ready(service), "the service says that the store may evict")
            seconds = time.monotonic() - began
            outcome.expect(seconds < ALARM_SECONDS, f"the alarm took {seconds:.1f} s")
            store.config_set("maxmemory-policy", "noeviction")
        outcome.injections = 1
        until(lambda: ready(service), "the service is ready again")
        client.finish()
        return checked(stage, service, outcome)


ROWS = [
    Row("1s", "service: SIGKILL of its hosts", signalled("ray::HostActor", times=2)),
    Row("20s", "service: SIGSTOP and SIGCONT of its hosts", signalled("ray::HostActor", number=signal.SIGSTOP)),
    Row("3", "service: SIGKILL of the raylet", signalled("raylet/raylet")),
    Row("4", "service: SIGKILL of the GCS", signalled("gcs_server")),
    Row("7s", "service: SIGKILL of the bundled store", signalled("valkey-server", times=2)),
    Row("5", "service: SIGKILL of the HTTP service during a burst", service_killed),
    Row("4b", "service: SIGKILL of service, Ray and store at once, twice", everything_killed),
    Row("42s", "service: SIGTERM under load", ended_under_load),
    Row("18s", "service: an eviction policy is set while it runs", policy_changes),
]
