"""What is counted of what the actors are asked."""

from collections.abc import Mapping

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from adapters.observed import Observed, Operations
from engine.errors import Conflict, RearviewError

SECRET = "我的银行卡尾号是 4417"


class Scripted:
    def __init__(self, reply: dict[str, object] | RearviewError) -> None:
        self._reply = reply

    async def ask(
        self,
        user_id: str,
        op: str,
        args: Mapping[str, object],
        *,
        idempotency_key: str = "",
        min_seq: int = 0,
        client: str = "",
    ) -> dict[str, object]:
        if isinstance(self._reply, RearviewError):
            raise self._reply
        return self._reply


async def counted(op: str, reply: dict[str, object]) -> list[str]:
    registry = CollectorRegistry()
    assert await Observed(Scripted(reply), Operations(registry)).ask("alice", op, {"content": SECRET}) is reply
    text = generate_latest(registry).decode()
    assert "alice" not in text and SECRET not in text
    return text.splitlines()


async def test_a_write_is_counted_by_its_outcome_and_rule() -> None:
    lines = await counted("write", {"outcome": "superseded", "rule": "value_changed", "memory": {"content": SECRET}})
    assert 'rearview_operations_total{op="write",result="ok"} 1.0' in lines
    assert 'rearview_write_outcomes_total{outcome="superseded",rule="value_changed"} 1.0' in lines
    assert 'rearview_operation_ms_count{op="write"} 1.0' in lines


async def test_every_decision_of_a_talk_is_counted() -> None:
    written = [{"outcome": "kept", "rule": "scored"}, {"outcome": "skipped", "rule": "small_talk"}]
    lines = await counted("turns", {"written": written})
    assert 'rearview_write_outcomes_total{outcome="kept",rule="scored"} 1.0' in lines
    assert 'rearview_write_outcomes_total{outcome="skipped",rule="small_talk"} 1.0' in lines


async def test_a_search_counts_what_it_found_withheld_and_lacked() -> None:
    lines = await counted(
        "search",
        {"memories": [], "abstained": True, "withheld": {"below_floor": 3, "pending": 0}, "degraded": ["rerank"]},
    )
    assert "rearview_searches_abstained_total 1.0" in lines
    assert "rearview_search_memories_total 0.0" in lines
    assert 'rearview_withheld_total{reason="below_floor"} 3.0' in lines
    assert 'rearview_degraded_total{what="rerank"} 1.0' in lines
    assert not any("pending" in line for line in lines)


async def test_an_error_goes_on_and_is_counted_by_its_code() -> None:
    registry = CollectorRegistry()
    error = Conflict.of("It was changed meanwhile.", code="seq_conflict")
    with pytest.raises(Conflict):
        await Observed(Scripted(error), Operations(registry)).ask("alice", "edit", {})
    assert 'rearview_operations_total{op="edit",result="seq_conflict"} 1.0' in generate_latest(registry).decode()
