"""Deletion that can be proven: every byte that the service leaves on a disk is searched for the text and its vector."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from persistence import keys
from persistence.embedded_valkey import EmbeddedValkey
from persistence.frame import unframe
from persistence.keys import snapshot_directory
from persistence.master_key import read_master_key
from persistence.redis_client import RedisClient
from persistence.sealing import Sealer
from persistence.user_keys import RedisUserKeys
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

    def vector_of(self, memory_id: str, sealer: Sealer) -> bytes:
        """The bytes of the model's vector of a memory, as the newest snapshot that has it holds them, once opened."""
        folder = self.data_dir / "snapshots" / snapshot_directory(USER)
        for path in sorted(folder.glob("*.snap"), reverse=True):
            snapshot = sealer.open_snapshot(unframe(path.read_bytes(), USER))
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


@dataclass(frozen=True)
class UserSecret:
    """A user's key as it is stored, and what it opens."""

    wrapped: bytes
    sealer: Sealer


def secret_of(place: Place) -> UserSecret:
    """Looked up in the store of the running service."""

    async def look() -> UserSecret:
        client = RedisClient(EmbeddedValkey(place.data_dir).url)
        master = read_master_key(place.data_dir / keys.MASTER_KEY_FILE)
        wrapped = await client.read("HGET", keys.head(USER), "key")
        sealer = await RedisUserKeys(client, master, seals=False, random_bytes=os.urandom).look(USER)
        await client.close()
        return UserSecret(wrapped or b"", sealer)

    return asyncio.run(look())


@pytest.fixture
def place() -> Iterator[Place]:
    """Below a short path: Ray's sockets lie there, and their paths hold 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="rv", ignore_cleanup_errors=True) as root:
        yield Place(Path(root))


@pytest.mark.parametrize("sealed", [False, True], ids=["encryption off", "encryption on"])
def test_after_a_purge_and_after_an_erasure_no_file_holds_the_text_or_its_vector(place: Place, sealed: bool) -> None:
    place.environment["REARVIEW_ENCRYPTION__ENABLED"] = str(sealed).lower()
    with running(place.data_dir, environment=place.environment) as service, service.client(USER) as client:
        remembered(service, KEPT)
        doomed = remembered(service, CANARY)
        secret = secret_of(place)
        vector = place.vector_of(doomed, secret.sealer)
        assert CANARY in found(service, "number of my locker at the pool")
        # The search finds what is there: the text and the vector, or, where these are sealed, their key.
        assert kinds(place.holding(CANARY.encode())) == (set() if sealed else {"aof", "snapshot"})
        assert kinds(place.holding(vector)) == (set() if sealed else {"snapshot"})
        assert not sealed or kinds(place.holding(secret.wrapped)) == {"aof"}

        purged = client.delete(f"/memories/{doomed}", params={"purge": "true", "wait": "true"}).json()
        assert purged["aof_rewritten"] is True
        assert purged["erased"]["memories"] == purged["erased"]["vectors"] == 1
        assert purged["erased"]["snapshots"] >= 1
        assert place.holding(CANARY.encode()) == []
        assert place.holding(vector) == []
        assert CANARY not in found(service, "number of my locker at the pool")
        assert KEPT in found(service, "how do I get to work?")

        doomed = remembered(service, CANARY)
        vector = place.vector_of(doomed, secret.sealer)
        assert kinds(place.holding(CANARY.encode())) == (set() if sealed else {"aof", "snapshot"})
        with service.client() as admin:
            erased = admin.delete(f"/v1/users/{USER}", params={"wait": "true"}).json()
        assert erased["aof_rewritten"] is True
        assert erased["erased"]["memories"] == 2
        gone = [CANARY.encode(), vector, KEPT.encode(), *([secret.wrapped] if sealed else [])]
        assert [needle for needle in gone if place.holding(needle)] == []
        assert found(service, "number of my locker at the pool") == []
        service.stop()
        assert [needle for needle in gone if place.holding(needle)] == []


@pytest.mark.timeout(240)  # Four starts, two of which are refused.
def test_out_of_the_bin_everything_is_back_search_included_and_only_the_right_master_key_opens_it(
    tmp_path: Path,
) -> None:
    with running(tmp_path / "data") as service, service.client(USER) as client:
        memory_id = remembered(service, CANARY)
        before = client.get(f"/memories/{memory_id}").json()
        hit_before = client.post("/search", json={"query": "number of my locker at the pool"}).json()["memories"][0]
        deadline = client.delete(f"/memories/{memory_id}").json()["restorable_until"]
        assert deadline > before["created_at"]
        assert found(service, "number of my locker at the pool") == []
        service.stop()
        only_the_right_key_starts(service.data_dir)
        service.start()
        came_back(service, memory_id, before, hit_before)


def only_the_right_key_starts(data_dir: Path) -> None:
    """Without the file and with another one: a clear sentence, and nothing is made or overwritten."""
    key_file = data_dir / keys.MASTER_KEY_FILE
    right = key_file.read_bytes()
    for wrong in (None, b"0" * 64):
        key_file.unlink()
        if wrong is not None:
            key_file.write_bytes(wrong)
        refused = subprocess.run(
            [sys.executable, "-m", "rearview", "serve", "--port", "0", "--data-dir", str(data_dir)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (refused.returncode, refused.stdout) == (1, "")
        assert ("is missing" if wrong is None else "Another master key") in refused.stderr
        assert "Traceback" not in refused.stderr
        assert (key_file.read_bytes() if key_file.exists() else None) == wrong
        key_file.write_bytes(right)


def came_back(service: Service, memory_id: str, before: dict, hit_before: dict) -> None:
    with service.client(USER) as client:
        assert client.post(f"/memories/{memory_id}/restore", json={}).status_code == 200
        after = client.get(f"/memories/{memory_id}").json()
        moved = {name for name in before if before[name] != after[name]}
        assert moved <= {"updated_at", "version", "versions", "seq"}, json.dumps([before, after])
        wait_until(lambda: client.get("/stats").json()["vectors_pending"] == 0, 30, "its vector is made again")
        hit = client.post("/search", json={"query": "number of my locker at the pool"}).json()["memories"][0]
        assert hit["content"] == CANARY
        assert hit["relevance"] == pytest.approx(hit_before["relevance"], abs=0.02)
