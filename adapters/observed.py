"""What the actors are asked and how it ended, for Prometheus and, where it is switched on, as spans.

Labels are names of operations, outcomes and rules: each from a list in the code. Never a user, an id or a text.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram

from engine.errors import RearviewError

BUCKETS_MS = (1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0)
OK = "ok"


class Asks(Protocol):
    """`actors.directory.Directory`, by shape."""

    async def ask(
        self,
        user_id: str,
        op: str,
        args: Mapping[str, object],
        *,
        idempotency_key: str = "",
        min_seq: int = 0,
        client: str = "",
    ) -> dict[str, object]: ...


class Spans(Protocol):
    """Where spans go; `op` is an operation's name."""

    def span(self, op: str) -> AbstractContextManager[object]: ...


class NoSpans:
    """The default: tracing is off."""

    def span(self, op: str) -> AbstractContextManager[object]:
        """Nothing is recorded."""
        return nullcontext()


class Operations:
    """Counts of operations by how they ended; one for a registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, words: str, *labels: str) -> Counter:
            return Counter(name, words, labels, registry=registry)

        self.asked = counter("rearview_operations_total", "Operations by how they ended.", "op", "result")
        self.took = Histogram(
            "rearview_operation_ms",
            "Time an operation took behind the adapters, in milliseconds.",
            ("op",),
            registry=registry,
            buckets=BUCKETS_MS,
        )
        self.outcomes = counter("rearview_write_outcomes_total", "Decisions about writes by rule.", "outcome", "rule")
        self.hits = counter("rearview_search_memories_total", "Memories that searches returned.")
        self.abstained = counter("rearview_searches_abstained_total", "Searches that returned nothing over noise.")
        self.withheld = counter("rearview_withheld_total", "Memories held back from searches, by reason.", "reason")
        self.degraded = counter("rearview_degraded_total", "Replies that a missing part made poorer.", "what")

    def ended(self, op: str, result: str, took_ms: float) -> None:
        """One operation is over; `result` is `ok` or an error's code."""
        self.asked.labels(op, result).inc()
        self.took.labels(op).observe(took_ms)

    def replied(self, op: str, reply: Mapping[str, object]) -> None:
        """Count what a reply says was decided."""
        for written in _decisions(op, reply):
            self.outcomes.labels(str(written.get("outcome")), str(written.get("rule") or "none")).inc()
        if op == "search":
            found = reply.get("memories")
            self.hits.inc(len(found) if isinstance(found, list) else 0)
            if reply.get("abstained"):
                self.abstained.inc()
        withheld = reply.get("withheld")
        if isinstance(withheld, Mapping):
            for reason, number in withheld.items():
                if isinstance(number, int) and number:
                    self.withheld.labels(str(reason)).inc(number)
        degraded = reply.get("degraded")
        for what in degraded if isinstance(degraded, list | tuple) else ():
            self.degraded.labels(str(what)).inc()


class Observed:
    """Asks the same of the same actors, and counts."""

    def __init__(self, asks: Asks, operations: Operations, spans: Spans | None = None) -> None:
        self._asks = asks
        self._operations = operations
        self._spans: Spans = spans or NoSpans()

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
        """As `Directory.ask`."""
        with self._counted(op), self._spans.span(op):
            reply = await self._asks.ask(
                user_id, op, args, idempotency_key=idempotency_key, min_seq=min_seq, client=client
            )
        self._operations.replied(op, reply)
        return reply

    @contextmanager
    def _counted(self, op: str) -> Iterator[None]:
        started = time.perf_counter()
        result = "broken"
        try:
            yield
            result = OK
        except RearviewError as error:
            result = error.code
            raise
        finally:
            self._operations.ended(op, result, (time.perf_counter() - started) * 1e3)


def _decisions(op: str, reply: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The decisions about writes in a reply: of one write, or of a talk's turns."""
    if op in ("write", "edit"):
        return [reply]
    written = reply.get("written") if op == "turns" else None
    return [row for row in written if isinstance(row, Mapping)] if isinstance(written, list) else []
