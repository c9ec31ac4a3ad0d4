"""Spans say what was asked and how it ended, belong together, and carry nothing of what people said."""

from collections.abc import Mapping

import httpx
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry
from starlette.types import Receive, Scope, Send

from adapters.observed import Observed, Operations
from engine.errors import Unavailable
from rearview.tracing import Tracing, tracing_to

SECRET = "花生"
TRACE = "0af7651916cd43dd8448eb211c80319c"


class Scripted:
    def __init__(self, error: Unavailable | None) -> None:
        self._error = error

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
        if self._error is not None:
            raise self._error
        return {"memories": []}


async def spans_of_a_search(error: Unavailable | None = None) -> dict[str, ReadableSpan]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing = Tracing(provider)
    asks = Observed(Scripted(error), Operations(CollectorRegistry()), tracing)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["rearview.route"] = "/v1/users/{user}/search"
        status = 200
        try:
            await asks.ask("geheim", "search", {"query": SECRET})
        except Unavailable:
            status = 503
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    transport = httpx.ASGITransport(app=tracing.around(app))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        await client.post("/v1/users/geheim/search", headers={"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"})
    tracing.close()
    return {span.name: span for span in exporter.get_finished_spans()}


async def test_an_operation_is_below_its_request_and_that_below_the_callers_span() -> None:
    spans = await spans_of_a_search()
    request, asked = spans["POST /v1/users/{user}/search"], spans["ask search"]
    assert asked.parent is not None and request.context is not None
    assert asked.parent.span_id == request.context.span_id
    assert format(request.context.trace_id, "032x") == TRACE
    assert dict(request.attributes or {}) == {"http.response.status_code": 200}


async def test_a_span_carries_the_code_of_an_error_and_no_word_of_anybody() -> None:
    spans = await spans_of_a_search(Unavailable.of("The store cannot be reached."))
    assert spans["ask search"].status.description == "unavailable"
    shown = "".join(span.to_json() for span in spans.values())
    assert SECRET not in shown and "geheim" not in shown and "reached" not in shown


def test_an_address_that_nobody_listens_on_does_no_harm(caplog: pytest.LogCaptureFixture) -> None:
    tracing = tracing_to("http://127.0.0.1:9/v1/traces")
    with tracing.span("search"):
        pass
    tracing.close()
