"""Remote models with a real service: started only when configured, found again when lost, never in a write's way."""

import importlib.util
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.model_stub import ModelStub
from tests.model_stub import running as stub_running
from tests.service import Service, running, wait_until

pytestmark = [
    pytest.mark.recovery,
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="litellm is not installed"),
]
ACTOR = "ModelActor"


@pytest.fixture
def stub() -> Iterator[ModelStub]:
    with stub_running() as stub:
        yield stub


def judging(stub: ModelStub) -> dict[str, str]:
    return {
        "REARVIEW_MODELS__JUDGE": "openai/stub",
        "REARVIEW_MODELS__JUDGE_API_BASE": stub.api_base,
        "REARVIEW_MODELS__JUDGE_API_KEY": "a-key",
        "REARVIEW_MODELS__SCORING": "inline",
    }


def embedding(stub: ModelStub) -> dict[str, str]:
    return {"REARVIEW_MODELS__EMBEDDER": "openai/stub", "REARVIEW_MODELS__EMBEDDER_API_BASE": stub.api_base}


def write(client: httpx.Client, text: str) -> dict[str, object]:
    answer = client.post("/memories", json={"content": text})
    assert answer.status_code in (200, 201), answer.text
    return dict(answer.json())


def judged(client: httpx.Client, text: str) -> bool:
    score = write(client, text)["score"]
    assert isinstance(score, dict)
    return score["by"] == "llm"


def contents(client: httpx.Client, query: str) -> list[str]:
    answer = client.post("/search", json={"query": query, "min_relevance": 0.0})
    assert answer.status_code == 200, answer.text
    return [one["content"] for one in answer.json()["memories"]]


def test_no_model_process_runs_where_no_model_is_configured(tmp_path: Path) -> None:
    with running(tmp_path) as service, service.client("u") as client:
        assert write(client, "I am allergic to peanuts")["outcome"] == "stored"
        assert service.children(ACTOR) == []
        assert "rearview_models_up" not in metrics(service)


def metrics(service: Service) -> str:
    with service.client() as client:
        return client.get("/metrics").text


def test_a_judge_that_dies_costs_opinions_and_no_memory_and_comes_back(tmp_path: Path, stub: ModelStub) -> None:
    with running(tmp_path, environment=judging(stub)) as service, service.client("u") as client:
        wait_until(lambda: judged(client, "I am allergic to peanuts"), 60, "the library is loaded")
        (process,) = service.children(ACTOR)
        os.kill(process, signal.SIGKILL)
        lost = write(client, "I work as a nurse in Lyon")
        assert lost["outcome"] == "stored"
        wait_until(lambda: judged(client, "My dog is called Rex and he is three"), 60, "the model host is back")
        assert "I work as a nurse in Lyon" in contents(client, "nurse")
        assert "rearview_models_up 1" in metrics(service)
        stub.chat_fault = "stall"
        answer = client.post("/memories", json={"content": "My locker at the gym is number 12"}).json()
        assert answer["outcome"] == "stored"
        assert answer["degraded"] == ["judge"]
        assert contents(client, "locker") == ["My locker at the gym is number 12", *contents(client, "locker")[1:]]
    assert "a-key" not in "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*.log"))


def test_a_remote_embedder_is_found_out_about_once_and_may_be_away_at_the_next_start(
    tmp_path: Path, stub: ModelStub
) -> None:
    with running(tmp_path, environment=embedding(stub)) as service, service.client("u") as client:
        write(client, "Our cat is called Mimi")
        wait_until(lambda: client.get("/stats").json()["vectors_pending"] == 0, 60, "the vector comes")
    stub.embeddings_fault = "http_500"
    with running(tmp_path, environment=embedding(stub)) as service, service.client("u") as client:
        write(client, "The key to the shed hangs in the hall")
        assert contents(client, "shed key")[0] == "The key to the shed hangs in the hall"
        assert contents(client, "the cat called Mimi")[0] == "Our cat is called Mimi"
        stub.embeddings_fault = ""
        wait_until(lambda: client.get("/stats").json()["vectors_pending"] == 0, 90, "the vector comes")


def test_a_first_start_without_the_models_dimensions_is_refused_with_a_reason(tmp_path: Path, stub: ModelStub) -> None:
    stub.embeddings_fault = "http_500"
    with pytest.raises(AssertionError, match="EMBEDDER_DIMENSIONS"), running(tmp_path, environment=embedding(stub)):
        pass
