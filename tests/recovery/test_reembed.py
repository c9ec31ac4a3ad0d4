"""Moving to another embedding model of another dimension while a real service answers, over a kill and a restart."""

import importlib.util
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.model_stub import ModelStub
from tests.model_stub import running as stub_running
from tests.service import Service, running, wait_until

pytestmark = [
    pytest.mark.recovery,
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="litellm is not installed"),
]
PLANTS = ("fern", "oak", "ivy", "moss", "palm", "rose", "tulip", "maple", "cedar", "lotus", "clover", "bamboo")
STUB_SPACE = "openai/stub/64"


@pytest.fixture
def stub() -> Iterator[ModelStub]:
    with stub_running() as stub:
        yield stub


class Traffic:
    """Writes and searches of one user, one after another, until it is told to stop. Any error is kept."""

    def __init__(self, service: Service, user: str) -> None:
        self.written: list[str] = []
        self.searches = 0
        self.problems: list[str] = []
        self._service, self._user = service, user
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._write), threading.Thread(target=self._search)]

    def __enter__(self) -> "Traffic":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def _write(self) -> None:
        with self._service.client(self._user) as client:
            while not self._stop.wait(0.02):
                content = f"Shelf {len(self.written)} of the greenhouse holds {len(self.written) * 7} pots."
                answer = client.post("/memories", json={"content": content, "tier": "semantic"})
                if answer.status_code == 201:
                    self.written.append(content)
                else:
                    self.problems.append(f"{answer.status_code} {answer.json().get('rule', answer.text[:200])}")

    def _search(self) -> None:
        with self._service.client(self._user) as client:
            while not self._stop.wait(0.02):
                answer = client.post("/search", json={"query": "Where does the lotus stand?"})
                self.searches += 1
                if answer.status_code != 200 or not answer.json()["memories"]:
                    self.problems.append(f"search {answer.status_code} {answer.text[:200]}")


def fill(service: Service, user: str) -> None:
    with service.client(user) as client:
        for number, plant in enumerate(PLANTS):
            content = f"My {plant} stands in room {number} and is watered by neighbour {number}."
            assert client.post("/memories", json={"content": content, "tier": "semantic"}).status_code == 201


def firsts(service: Service, user: str) -> list[str]:
    """The first answer to a question about each plant."""
    with service.client(user) as client:
        answers = [client.post("/search", json={"query": f"Where does the {plant} stand?"}).json() for plant in PLANTS]
    return [answer["memories"][0]["content"].split()[1] for answer in answers]


def space(service: Service, user: str) -> str:
    with service.client(user) as client:
        return str(client.get("/stats").json()["space"])


def moving(service: Service) -> dict[str, Any]:
    with service.client() as client:
        return dict(client.get("/v1/reembed").json())


def begin(service: Service, stub: ModelStub) -> httpx.Response:
    with service.client() as client:
        client.timeout = httpx.Timeout(90.0)
        return client.post("/v1/reembed", json={"model": "openai/stub", "api_base": stub.api_base})


def test_everybody_moves_to_another_dimension_under_traffic_over_a_model_that_fails_and_a_kill(
    tmp_path: Path, stub: ModelStub
) -> None:
    users = ("alice", "bob", "carol")
    with running(tmp_path) as service:
        for user in users:
            fill(service, user)
        before = firsts(service, "alice")
        assert before == list(PLANTS)
        stub.embeddings_fault = "garbage"
        refused = begin(service, stub)
        assert (refused.status_code, moving(service)["moving_to"]) == (503, None)
        assert stub.api_base not in refused.text
        stub.embeddings_fault = ""
        asked = len(stub.calls)
        with Traffic(service, "alice") as traffic:
            assert begin(service, stub).status_code == 202
            wait_until(lambda: len(stub.calls) > asked + 1, 60, "the first texts are embedded")
            stub.embeddings_fault = "http_500"
            wait_until(lambda: moving(service)["state"] == "waiting", 60, "the model is away")
        assert traffic.problems == []
        assert len(traffic.written) > 10
        assert traffic.searches > 2
        for user in users:
            assert firsts(service, user) == before
        service.kill()
        stub.embeddings_fault = ""
        service.start()  # The settings still name the bundled model.
        with Traffic(service, "bob") as more:
            wait_until(lambda: moving(service)["state"] == "done", 90, "the move goes on by itself")
        assert more.problems == []
        assert (moving(service)["model"], moving(service)["dimensions"]) == ("openai/stub", 64)
        assert {space(service, user) for user in (*users, "new")} == {STUB_SPACE}
        wait_until(lambda: firsts(service, "bob") == before, 20, "recall is as before")
        for user, written in (("alice", traffic.written), ("bob", more.written)):
            with service.client(user) as client:
                total = client.get("/memories", params={"limit": 1}).json()["total"]
            assert total == len(PLANTS) + len(written), "no write was lost"
