"""The background queue of vectors is derived: killed while it is full, it costs nothing that was acknowledged."""

import json
from pathlib import Path

import httpx
import pytest

from tests.recovery.test_service import kill_ray_and_service, listed
from tests.service import processes_of, running, wait_until

pytestmark = pytest.mark.recovery

IMPORTED = 60
# Nothing that one could take for news of another.
WRITTEN = (
    "My sister Ida plays the cello.",
    "我对花生过敏",
    "I keep two hives of bees behind the garden shed.",
    "I drive an old blue Volvo.",
    "I was born in Trondheim.",
)
SECONDS_MAX = 120.0


def pending(client: httpx.Client) -> int:
    return int(client.get("/stats").json()["vectors_pending"])


def test_kill_9_while_the_vector_queue_is_full_loses_nothing_and_every_vector_is_made_after_it(tmp_path: Path) -> None:
    texts = [f"I like walking trail number {number} above the lake, with a picnic." for number in range(IMPORTED)]
    more = list(WRITTEN)
    lines = "\n".join(json.dumps({"content": text}) for text in texts)
    with running(tmp_path / "data") as service:
        with service.client("queue") as client:
            answer = client.post("/import", content=lines, headers={"Content-Type": "application/x-ndjson"})
            assert answer.json()["imported"] == IMPORTED
            for text in more:
                written = client.post("/memories", json={"content": text})
                assert (written.status_code, written.json()["indexed"]) == (201, "pending")
            waiting = pending(client)
            assert waiting > IMPORTED // 2, "the queue is to be full when the kill comes"
        kill_ray_and_service(service)
        wait_until(lambda: not processes_of(service.data_dir, -1), 10, "nothing of the killed service is left")
        service.start()
        assert sorted(memory["content"] for memory in listed(service, "queue")) == sorted(texts + more)
        with service.client("queue") as client:
            assert client.post("/search", json={"query": more[-1]}).json()["memories"][0]["content"] == more[-1]
            wait_until(lambda: pending(client) == 0, SECONDS_MAX, "every memory has the model's vector")
            hits = client.post("/search", json={"query": "散步的小路", "top_k": 5}).json()["memories"]
            assert hits and all("trail" in hit["content"] for hit in hits), "found by the vector alone"
