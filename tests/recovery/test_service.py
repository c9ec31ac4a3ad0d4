"""The whole service, killed in each of its parts: whatever was acknowledged is there afterwards, once."""

import json
import os
import signal
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.service import Service, command_line, processes_of, running, wait_until

pytestmark = pytest.mark.recovery

WRITES = 200


def text_of(number: int) -> str:
    return f"Shelf {number} of the archive in our basement holds the box labelled T{number:04d}."


def write_all(service: Service, user: str, numbers: range) -> dict[int, int]:
    """Write concurrently; returns number -> seq of everything that was acknowledged."""
    acked: dict[int, int] = {}

    def one(number: int) -> None:
        with service.client(user) as client:
            for _ in range(40):
                try:
                    answer = client.post(
                        "/memories",
                        headers={"Idempotency-Key": f"w{number}"},
                        json={"content": text_of(number), "tier": "semantic", "category": "fact"},
                    )
                except httpx.TransportError:
                    continue
                if answer.status_code == 201:
                    acked[number] = answer.json()["seq"]
                    return
                assert answer.status_code in (503, 504), answer.text
                wait_for_retry(answer)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, numbers))
    return acked


def wait_for_retry(answer: httpx.Response) -> None:
    """What a polite client does with 503: wait as long as it was told, up to half a second."""
    import threading

    threading.Event().wait(min(0.5, float(answer.headers.get("Retry-After", "0.5"))))


def listed(service: Service, user: str) -> list[dict]:
    memories, cursor = [], ""
    with service.client(user) as client:
        while True:
            page = client.get("/memories", params={"limit": 200, **({"cursor": cursor} if cursor else {})}).json()
            memories += page["memories"]
            cursor = page["next_cursor"]
            if not cursor:
                return memories


def check_ledger(service: Service, user: str, acked: dict[int, int]) -> None:
    """Every acknowledged write exactly once, `seq` without a gap, and each found by its own words."""
    texts = [memory["content"] for memory in listed(service, user)]
    for number in acked:
        assert texts.count(text_of(number)) == 1
    assert sorted(acked.values()) == list(range(1, len(acked) + 1))
    with service.client(user) as client:
        for number in list(acked)[::20]:
            hits = client.post("/search", json={"query": text_of(number), "top_k": 3}).json()["memories"]
            assert text_of(number) in [hit["content"] for hit in hits]


def test_200_acknowledged_writes_survive_kill_9_of_valkey_of_ray_and_of_the_service(tmp_path: Path) -> None:
    # A cluster that somebody else's shell names is not ours: without `ray.address` we start our own.
    with running(tmp_path / "data", environment={"RAY_ADDRESS": "127.0.0.1:1"}) as service:
        acked = write_all(service, "ledger", range(WRITES))
        assert len(acked) == WRITES
        for pid in service.children("valkey-server"):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: ready_again(service), 20, "the service uses a new Valkey")
        check_ledger(service, "ledger", acked)
        kill_ray_and_service(service)
        wait_until(lambda: not processes_of(service.data_dir, -1), 10, "nothing of the killed service is left")
        service.start()
        check_ledger(service, "ledger", acked)
        more = write_all(service, "ledger", range(WRITES, WRITES + 5))
        assert sorted(more.values()) == list(range(WRITES + 1, WRITES + 6))


def ready_again(service: Service) -> bool:
    with service.client("ledger") as client:
        return (
            client.get("/memories", params={"limit": 1}).json().get("stale") is None
            and client.post("/memories", json={"content": "ok"}).status_code == 200
        )


def kill_ray_and_service(service: Service) -> None:
    victims = [pid for pid in processes_of(service.data_dir, service._pid) if "valkey" not in command_line(pid)]
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    service.kill()


def test_kill_9_of_the_service_alone_leaves_no_orphan_and_loses_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service:
        acked = write_all(service, "solo", range(20))
        service.kill()
        wait_until(lambda: not processes_of(service.data_dir, -1), 10, "no orphan of ours stays behind")
        service.start()
        check_ledger(service, "solo", acked)


def test_a_host_killed_during_writes_is_back_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service, ThreadPoolExecutor(1) as pool:
        write_all(service, "host", range(3))
        writing = pool.submit(write_all, service, "host", range(3, 60))
        wait_until(lambda: len(listed(service, "host")) >= 10, 20, "writes are under way")
        for pid in service.children("ray::HostActor"):
            os.kill(pid, signal.SIGKILL)
        acked = writing.result()
        assert len(acked) == 57
        texts = [memory["content"] for memory in listed(service, "host")]
        assert all(texts.count(text_of(number)) == 1 for number in range(60))


def test_sigterm_drains_snapshots_and_ends_within_ten_seconds(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service:
        acked = write_all(service, "calm", range(30))
        assert service.stop() < 10
        assert not processes_of(service.data_dir, -1)
        assert list((service.data_dir / "snapshots").rglob("*.snap")), "a snapshot was written"
        assert not (service.data_dir / "run" / "serve.json").exists()
        service.start()
        check_ledger(service, "calm", acked)


def test_a_second_service_on_the_same_directory_is_refused_in_words(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service:
        second = Service(service.data_dir)
        with pytest.raises(AssertionError, match="uses this data directory"):
            second.start()
        assert second.process is not None
        assert second.process.wait(10) == 1
        second._close()
        with service.client("x") as client:
            assert client.get("/memories").status_code == 200


def test_the_test_clock_moves_what_the_service_believes(tmp_path: Path) -> None:
    file = tmp_path / "clock"
    file.write_text("0")
    with running(tmp_path / "data", "--test-clock", str(file)) as service, service.client("time") as client:
        kept = client.post(
            "/memories",
            json={
                "content": "My train to Hamburg leaves from platform 7 today.",
                "tier": "working",
                "conversation": "c1",
            },
        ).json()
        assert kept["memory"]["expires_at"] is not None
        asked = {"query": "platform of my train to Hamburg", "conversation": "c1", "min_relevance": 0}
        assert client.post("/search", json=asked).json()["memories"]
        file.write_text("3700")
        assert not client.post("/search", json=asked).json()["memories"]
        assert client.get(f"/memories/{kept['memory']['id']}").status_code == 404


def test_health_and_readiness_need_no_token_and_everything_else_does(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service:
        assert service.ready is not None
        for path in ("/healthz", "/readyz"):
            with urllib.request.urlopen(service.ready.url + path, timeout=5) as answer:
                assert json.loads(answer.read())["status"] in ("ok", "ready")
        assert httpx.get(f"{service.ready.url}/v1/users/a/memories", trust_env=False).status_code == 401


@pytest.mark.parametrize("part", ["raylet/raylet", "gcs_server", "ray::RuntimeEnvAgent"])
def test_a_ray_that_died_makes_the_service_start_anew_at_the_same_address(tmp_path: Path, part: str) -> None:
    """A raylet ends with its agents, and nothing but a new start brings it back; calls would wait for ever."""
    with running(tmp_path / "data") as service:
        acked = write_all(service, "alice", range(3))
        wait_until(steady_since(5.5), 10, "longer up than a start that fails")
        before = service.children("raylet/raylet")
        for pid in service.children(part):
            os.kill(pid, signal.SIGKILL)
        acked |= write_all_again(service, "alice", range(3, 6))
        wait_until(lambda: is_ready(service) and service.children("raylet/raylet") not in ([], before), 60, "anew")
        assert sorted(acked) == list(range(6))
        held = [memory["content"] for memory in listed(service, "alice")]
        assert sorted(held) == [text_of(number) for number in range(6)]
        assert service.process is not None
        assert service.process.poll() is None


def is_ready(service: Service) -> bool:
    try:
        with service.client() as client:
            return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def steady_since(seconds: float) -> Callable[[], bool]:
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def write_all_again(service: Service, user: str, numbers: range) -> dict[int, int]:
    """Write until all are acknowledged; a service that starts anew refuses connections meanwhile."""
    acked: dict[int, int] = {}

    def all_there() -> bool:
        acked.update(write_all(service, user, numbers))
        return len(acked) == len(numbers)

    wait_until(all_there, 90, "every write is acknowledged")
    return acked
