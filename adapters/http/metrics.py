"""Counts of requests for Prometheus. Labels are route templates and status codes: never a user id, never content."""

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from adapters.observed import BUCKETS_MS


class Metrics:
    """Requests and their times since the process started; `registry` may hold what else the process counts."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._registry = registry if registry is not None else CollectorRegistry()
        self._requests = Counter(
            "rearview_http_requests_total", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._times = Histogram(
            "rearview_http_request_ms",
            "Time to answer, in milliseconds.",
            ("method", "route"),
            registry=self._registry,
            buckets=BUCKETS_MS,
        )
        self._foreign = Counter(
            "rearview_foreign_user_refused_total", "Requests for a user outside their token.", registry=self._registry
        )

    def seen(self, method: str, route: str, status: int, took_ms: float) -> None:
        """Count one answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._times.labels(method, route).observe(took_ms)

    def foreign(self) -> None:
        """Count one request that reached for a user outside its token."""
        self._foreign.inc()

    def text(self) -> str:
        """The Prometheus text format, version 0.0.4."""
        return generate_latest(self._registry).decode()
