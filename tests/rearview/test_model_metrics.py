"""What /metrics says of remote models."""

from concurrent.futures import Future

import pytest

from engine.errors import Unavailable
from rearview.model_metrics import model_metrics
from tests.actors.models import LocalCalls, ScriptedJudge, client_of, model_host


async def test_calls_breakers_and_spending_are_counted_by_purpose() -> None:
    judge = ScriptedJudge()
    host = model_host(judge=judge)
    client = await client_of(host)
    await client.ask("judge", {"statement": {"text": "我对花生过敏"}, "known": []}, seconds=5.0)
    judge.code = "model_refused"
    with pytest.raises(Unavailable):
        await client.ask("judge", {"statement": {"text": "我对花生过敏"}, "known": []}, seconds=5.0)
    lines = (await model_metrics(LocalCalls(host))).splitlines()
    for line in (
        "rearview_models_up 1",
        'rearview_model_calls_total{purpose="judge",result="ok"} 1',
        'rearview_model_calls_total{purpose="judge",result="model_refused"} 1',
        'rearview_model_attempts_total{purpose="judge"} 2',
        'rearview_model_breaker_open{purpose="judge"} 0',
        'rearview_model_calls_today{purpose="judge"} 2',
        'rearview_model_tokens_today{purpose="judge"} 10',
    ):
        assert line in lines
    assert "花生" not in "\n".join(lines)
    types = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(types) == len(set(types)), "a metric is described once"


class Gone:
    def submit(self, request: bytes) -> "Future[bytes]":
        raise Unavailable.of("the model host is gone", code="model_host_lost")


async def test_a_model_host_that_is_gone_is_one_line() -> None:
    assert "rearview_models_up 0" in (await model_metrics(Gone())).splitlines()
