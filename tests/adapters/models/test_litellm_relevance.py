"""The chat model that tells answers from what only shares a word, against the stub."""

import json
from collections.abc import Sequence

import pytest

from adapters.models.litellm_library import Endpoint
from adapters.models.litellm_relevance import LitellmRelevance
from engine.errors import Unavailable
from tests.model_stub import ModelStub

TEXTS = ("我的苹果电脑是去年买的", "我喜欢吃苹果")


async def scores(stub: ModelStub, seconds: float = 20.0) -> Sequence[float]:
    model = LitellmRelevance(Endpoint("openai/stub", stub.api_base, "a-key"))
    return (await model.rerank("苹果好吃吗", TEXTS, seconds)).value


@pytest.mark.parametrize("fault", ["", "fenced", "prose"])
async def test_scores_come_in_the_order_of_the_texts_whatever_that_of_the_reply(stub: ModelStub, fault: str) -> None:
    stub.chat_fault = fault
    stub.scores = [{"text": 2, "score": 9}, {"text": 1, "score": 0}]
    assert await scores(stub) == [0.0, 0.9]
    assert LitellmRelevance.drops_below is not None and 0.0 < LitellmRelevance.drops_below < 0.9


async def test_query_and_texts_travel_as_data(stub: ModelStub) -> None:
    stub.scores = [{"text": 1, "score": 0}, {"text": 2, "score": 9}]
    await scores(stub)
    (body,) = stub.asked("/chat/completions")
    assert json.loads(body["messages"][1]["content"]) == {
        "query": "苹果好吃吗",
        "texts": [{"text": 1, "says": TEXTS[0]}, {"text": 2, "says": TEXTS[1]}],
    }
    assert all(text not in body["messages"][0]["content"] for text in TEXTS)


@pytest.mark.parametrize("given", [
    [], [{"text": 1, "score": 5}], [{"text": 1, "score": 5}, {"text": 1, "score": 5}],
    [{"text": 1, "score": 5}, {"text": 3, "score": 5}], [{"text": 1, "score": 11}, {"text": 2, "score": 5}],
    [{"text": 1, "score": 5}, {"text": 2, "score": "high"}], ["5", "5"],
])  # fmt: skip
async def test_scores_that_are_not_one_for_each_text_are_a_failure(stub: ModelStub, given: list[object]) -> None:
    stub.scores = given  # type: ignore[assignment]
    with pytest.raises(Unavailable) as refused:
        await scores(stub)
    assert refused.value.code == "model_reply"


@pytest.mark.parametrize(("fault", "code"), [
    ("stall", "model_timeout"), ("http_500", "model_failed"), ("cut_off", "model_cut_off"), ("refusal", "model_reply"),
])  # fmt: skip
async def test_every_failure_is_unavailable_with_its_own_code(stub: ModelStub, fault: str, code: str) -> None:
    stub.chat_fault = fault
    with pytest.raises(Unavailable) as refused:
        await scores(stub, 0.5 if fault == "stall" else 20.0)
    assert refused.value.code == code
