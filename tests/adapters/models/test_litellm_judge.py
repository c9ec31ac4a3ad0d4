"""The judge through litellm, against a stub that can go wrong in every way that models do."""

from collections.abc import Mapping
from typing import Any

import pytest

from adapters.models.litellm_judge import LitellmJudge
from adapters.models.litellm_library import Endpoint
from engine.errors import Unavailable
from tests.model_stub import ModelStub

STATEMENT = {"text": "我对花生过敏。", "said_by": "user", "about": ""}


def judge_of(stub: ModelStub) -> LitellmJudge:
    return LitellmJudge(Endpoint("openai/stub", stub.api_base, "a-key"))


async def opinion(stub: ModelStub, *known: str, seconds: float = 5.0) -> Mapping[str, Any]:
    done = await judge_of(stub).judge({"statement": STATEMENT, "known": list(known)}, seconds)
    return done.value


@pytest.mark.parametrize("fault", ["", "fenced", "prose", "bare_number"])
async def test_an_opinion_is_read_whatever_it_is_wrapped_in(stub: ModelStub, fault: str) -> None:
    stub.chat_fault = fault
    assert (await opinion(stub))["importance"] == 8


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("http_429", "model_rate_limited"),
        ("http_500", "model_failed"),
        ("http_503", "model_failed"),
        ("http_401", "model_denied"),
        ("http_404", "model_denied"),
        ("stall", "model_timeout"),
        ("garbage", "model_failed"),
        ("cut_off", "model_cut_off"),
        ("refusal", "model_reply"),
        ("huge", "model_reply"),
    ],
)
async def test_every_failure_is_unavailable_with_its_own_code(stub: ModelStub, fault: str, code: str) -> None:
    stub.chat_fault = fault
    with pytest.raises(Unavailable) as refused:
        await opinion(stub, seconds=0.5 if fault == "stall" else 20.0)
    assert refused.value.code == code


@pytest.mark.parametrize("fault", ["http_429", "http_500", "stall"])
async def test_the_library_repeats_nothing_by_itself(stub: ModelStub, fault: str) -> None:
    stub.chat_fault = fault
    with pytest.raises(Unavailable):
        await opinion(stub, seconds=0.5)
    assert len(stub.calls) == 1


async def test_a_dead_server_is_unavailable(stub: ModelStub) -> None:
    judge = LitellmJudge(Endpoint("openai/stub", "http://127.0.0.1:9/v1", ""))
    with pytest.raises(Unavailable):
        await judge.judge({"statement": STATEMENT, "known": []}, 5.0)


async def test_a_server_without_schemas_is_asked_for_an_object_and_then_for_plain_text(stub: ModelStub) -> None:
    stub.no_formats = frozenset({"json_schema"})
    judge = judge_of(stub)
    args: Mapping[str, object] = {"statement": STATEMENT, "known": []}
    assert (await judge.judge(args, 5.0)).value["importance"] == 8
    stub.no_formats = frozenset({"json_schema", "json_object"})
    assert (await judge.judge(args, 5.0)).value["importance"] == 8
    forms = [(body.get("response_format") or {}).get("type") for body in stub.asked("/chat/completions")]
    assert forms == ["json_schema", "json_object", "json_object", None], "what was refused once is not tried again"


async def test_the_statement_travels_as_data_and_known_memories_are_numbered(stub: ModelStub) -> None:
    stub.relations = [{"memory": 2, "relation": "replaces"}, {"memory": 7, "relation": "same"}]
    found = await opinion(stub, "我爱吃花生", "我什么都吃")
    assert found["relations"] == [{"memory": 1, "relation": "replaces"}]
    (body,) = stub.asked("/chat/completions")
    assert '"text": "我对花生过敏。"' in body["messages"][1]["content"]
    assert '{"memory": 2, "text": "我什么都吃"}' in body["messages"][1]["content"]
    assert body["temperature"] == 0


async def test_tokens_are_counted(stub: ModelStub) -> None:
    assert (await judge_of(stub).judge({"statement": STATEMENT, "known": []}, 5.0)).tokens == 25


async def test_statements_of_a_talk_are_found_with_their_turns(stub: ModelStub) -> None:
    stub.statements = [
        {"text": "用户住在杭州。", "turn": 2, "importance": 9},
        {"text": "?", "turn": 5, "importance": 1},
    ]
    turns = [{"role": "assistant", "content": "你住哪儿？"}, {"role": "user", "content": "我住杭州"}]
    done = await judge_of(stub).extract({"turns": turns}, 5.0)
    assert done.value == {"statements": [{"text": "用户住在杭州。", "turn": 1, "importance": 9}]}
    stub.chat_fault = "refusal"
    with pytest.raises(Unavailable):
        await judge_of(stub).extract({"turns": turns}, 5.0)


async def test_no_text_and_no_key_reaches_the_log(stub: ModelStub, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    for fault in ("", "http_500", "garbage"):
        stub.chat_fault = fault
        if not fault:
            await opinion(stub)
            continue
        with pytest.raises(Unavailable) as refused:
            await opinion(stub)
        assert "花生" not in str(refused.value)
    shown = "\n".join(record.getMessage() for record in caplog.records)
    assert "花生" not in shown
    assert "a-key" not in shown
    assert "a-key" not in repr(Endpoint("m", "b", "a-key"))
