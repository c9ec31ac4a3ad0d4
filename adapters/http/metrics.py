"""Counts of requests for Prometheus. Labels are route templates and status codes: never a user id, never content."""

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate

BUCKETS_MS = (1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0)

Label = tuple[str, str]  # (method, route template)


class Metrics:
    """Requests and their times since the process started."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str, int], int] = defaultdict(int)
        self._times: dict[Label, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS_MS) + 1))
        self._sums_ms: dict[Label, float] = defaultdict(float)

    def seen(self, method: str, route: str, status: int, took_ms: float) -> None:
        """Count one answered request."""
        self._requests[method, route, status] += 1
        self._times[method, route][bisect_left(BUCKETS_MS, took_ms)] += 1
        self._sums_ms[method, route] += took_ms

    def text(self) -> str:
        """The Prometheus text format, version 0.0.4."""
        lines = [
            "# HELP rearview_http_requests_total Requests answered.",
            "# TYPE rearview_http_requests_total counter",
        ]
        lines += [
            f'rearview_http_requests_total{{method="{method}",route="{route}",status="{status}"}} {number}'
            for (method, route, status), number in sorted(self._requests.items())
        ]
        lines += [
            "# HELP rearview_http_request_ms Time to answer, in milliseconds.",
            "# TYPE rearview_http_request_ms histogram",
        ]
        for (method, route), counts in sorted(self._times.items()):
            labels = f'method="{method}",route="{route}"'
            running = list(accumulate(counts))
            lines += [
                f'rearview_http_request_ms_bucket{{{labels},le="{bound:g}"}} {number}'
                for bound, number in zip(BUCKETS_MS, running, strict=False)
            ]
            lines.append(f'rearview_http_request_ms_bucket{{{labels},le="+Inf"}} {running[-1]}')
            lines.append(f"rearview_http_request_ms_sum{{{labels}}} {self._sums_ms[method, route]:.3f}")
            lines.append(f"rearview_http_request_ms_count{{{labels}}} {running[-1]}")
        return "\n".join(lines) + "\n"
