"""Spans to an OTLP/HTTP address, where `tracing.endpoint` names one and the extra `tracing` is installed.

A span is named by method and route template or by operation, and carries a status; never a user, an id or a text.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.errors import RearviewError
from rearview.settings import SettingsError
from rearview.version import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

SERVICE = "rearview"


class Tracing:
    """Spans of one process; `close` sends what is left."""

    def __init__(self, provider: "TracerProvider") -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer(SERVICE, VERSION)
        self._propagator = TraceContextTextMapPropagator()

    def span(self, op: str) -> AbstractContextManager[object]:
        """A span of an operation below the request's, marked with the code of an error that passes through."""
        return self._span(f"ask {op}")

    @contextmanager
    def _span(self, name: str) -> Iterator[Any]:
        from opentelemetry.trace import Status, StatusCode

        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            try:
                yield span
            except RearviewError as error:
                span.set_status(Status(StatusCode.ERROR, error.code))
                raise

    def around(self, app: ASGIApp) -> ASGIApp:
        """The same application with a span for each request; a `traceparent` header makes it part of the caller's."""
        from opentelemetry.trace import SpanKind

        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                return await app(scope, receive, send)
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            with self._tracer.start_as_current_span(
                scope["method"], context=self._propagator.extract(headers), kind=SpanKind.SERVER, record_exception=False
            ) as span:

                async def answered(message: Message) -> None:
                    if message["type"] == "http.response.start":
                        span.set_attribute("http.response.status_code", message["status"])
                    await send(message)

                try:
                    await app(scope, receive, answered)
                finally:
                    span.update_name(f"{scope['method']} {scope.get('rearview.route', 'other')}")

        return traced

    def close(self) -> None:
        """Send what has not been sent, for a few seconds at most."""
        self._provider.shutdown()


def tracing_to(endpoint: str) -> Tracing:
    """Raises: SettingsError when the extra is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SettingsError("tracing.endpoint needs the extra: pip install '.[tracing]' in Rearview's folder") from None
    provider = TracerProvider(resource=Resource.create({"service.name": SERVICE, "service.version": VERSION}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return Tracing(provider)
