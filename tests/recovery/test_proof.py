"""Deletion that can be proven: every byte that the service leaves on a disk is searched for the text and its vector."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from persistence.frame import unframe
from persistence.keys import snapshot_directory
from tests.service import Service, running, wait_until

pytestmark = pytest.mark.recovery

USER = "canary"
CANARY = "My locker at the Bluebird swimming pool opens with the number 83174."
KEPT = "I take the tram to work every morning."


class Place:
    """A service whose every file lies below one directory: data, snapshots, temporary files, caches, home."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data_dir = root / "data"
        for name in ("tmp", "home", "cache"):
            (root / name).mkdir()
        self.environment = {
            "TMPDIR": str(root / "tmp"),
            "HOME": str(root / "home"),
            "XDG_CACHE_HOME": str(root / "cache"),
        }

    def holding(self, needle: bytes) -> list[str]:
        """The files that hold these bytes, by path below the root."""
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        assert len(files) > 20, "the logs of Ray and of the store are searched too"
        return sorted(str(path.relative_to(self.root)) for path in files if needle in path.read_bytes())

    def vector_of(self, memory_id: str) -> bytes:
        """The bytes of the model's vector of a memory, as the newest snapshot that has it holds them."""
        folder = self.data_dir / "snapshots" / snapshot_directory(USER)
        for path in sorted(folder.glob("*.snap"), reverse=True):
            snapshot = unframe(path.read_bytes(), USER)
            if memory_id in snapshot.vector_rows:
                rows = np.frombuffer(snapshot.vectors, np.float32).reshape(len(snapshot.vector_rows), -1)
                return rows[snapshot.vector_rows.index(memory_id)].tobytes()
        raise AssertionError("no snapshot holds the vector")


def remembered(service: Service, text: str) -> str:
    """Write it, wait for the model's vector, and have a snapshot taken."""
    with service.client(USER) as client:
        memory_id = client.post("/memories", json={"content": text, "tier": "semantic"}).json()["memory"]["id"]
        wait_until(lambda: client.get("/stats").json()["vectors_pending"] == 0, 30, "the model's vector is there")
    snapshot_now(service)
    return str(memory_id)


def snapshot_now(service: Service) -> None:
    with service.client() as client:
        assert client.post("/v1/maintenance", json={"user": USER}).status_code == 200


def found(service: Service, query: str) -> list[str]:
    with service.client(USER) as client:
        hits = client.post("/search", json={"query": query}).json()["memories"]
        return [hit["content"] for hit in hits]


def kinds(paths: list[str]) -> set[str]:
    return {"aof" if ".aof" in path else "snapshot" if path.endswith(".snap") else path for path in paths}


@pytest.fixture
def place() -> Iterator[Place]:
    """Below a short path: Ray's sockets lie there, and their paths hold 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="rv", ignore_cleanup_errors=True) as root:
        yield Place(Path(root))


def test_after_a_purge_and_after_an_erasure_no_file_holds_the_text_or_its_vector(place: Place) -> None:
    with running(place.data_dir, environment=place.environment) as service, service.client(USER) as client:
        remembered(service, KEPT)
        doomed = remembered(service, CANARY)
        vector = place.vector_of(doomed)
        assert CANARY in found(service, "number of my locker at the pool")
        assert kinds(place.holding(CANARY.encode())) == {"aof", "snapshot"}, "the search finds what is there"
        assert kinds(place.holding(vector)) == {"snapshot"}

        purged = client.delete(f"/memories/{doomed}", params={"purge": "true", "wait": "true"}).json()
        assert purged["aof_rewritten"] is True
        assert purged["erased"]["memories"] == purged["erased"]["vectors"] == 1
        assert purged["erased"]["snapshots"] >= 1
        assert place.holding(CANARY.encode()) == []
        assert place.holding(vector) == []
        assert CANARY not in found(service, "number of my locker at the pool")
        assert KEPT in found(service, "how do I get to work?")

        doomed = remembered(service, CANARY)
        vector = place.vector_of(doomed)
        assert kinds(place.holding(CANARY.encode())) == {"aof", "snapshot"}
        with service.client() as admin:
            erased = admin.delete(f"/v1/users/{USER}", params={"wait": "true"}).json()
        assert erased["aof_rewritten"] is True
        assert erased["erased"]["memories"] == 2
        for needle in (CANARY.encode(), vector, KEPT.encode()):
            assert place.holding(needle) == []
        assert found(service, "number of my locker at the pool") == []
        service.stop()
        for needle in (CANARY.encode(), vector, KEPT.encode()):
            assert place.holding(needle) == []


def test_out_of_the_bin_everything_is_back_search_included(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service, service.client(USER) as client:
        memory_id = remembered(service, CANARY)
        before = client.get(f"/memories/{memory_id}").json()
        hit_before = client.post("/search", json={"query": "number of my locker at the pool"}).json()["memories"][0]
        deadline = client.delete(f"/memories/{memory_id}").json()["restorable_until"]
        assert deadline > before["created_at"]
        assert found(service, "number of my locker at the pool") == []
        service.stop()
        service.start()
        came_back(service, memory_id, before, hit_before)


def came_back(service: Service, memory_id: str, before: dict, hit_before: dict) -> None:
    with service.client(USER) as client:
        assert client.post(f"/memories/{memory_id}/restore", json={}).status_code == 200
        after = client.get(f"/memories/{memory_id}").json()
        moved = {name for name in before if before[name] != after[name]}
        assert moved <= {"updated_at", "version", "seq"}, json.dumps([before, after])
        wait_until(lambda: client.get("/stats").json()["vectors_pending"] == 0, 30, "its vector is made again")
        hit = client.post("/search", json={"query": "number of my locker at the pool"}).json()["memories"][0]
        assert hit["content"] == CANARY
        assert hit["relevance"] == pytest.approx(hit_before["relevance"], abs=0.02)
