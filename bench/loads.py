"""What a benchmark does to a server on loopback: one request after another, or wrk with many connections."""

import http.client
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds a call."""

    p50: float
    p99: float
    calls: int

    @classmethod
    def of(cls, seconds: list[float]) -> "Timing":
        ordered = sorted(seconds)
        return cls(
            statistics.median(ordered) * 1e3,
            ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1e3,
            len(ordered),
        )

    def __str__(self) -> str:
        return f"p50 {self.p50:7.2f} ms   p99 {self.p99:7.2f} ms   ({self.calls} calls)"


def timed(call: Callable[[], object], calls: int, warm_up: int = 50) -> Timing:
    """Run a call many times, one after another."""
    for _ in range(warm_up):
        call()
    seconds = []
    for _ in range(calls):
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return Timing.of(seconds)


class Caller:
    """One keep-alive connection that posts JSON."""

    def __init__(self, url: str, token: str = "") -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def post(self, path: str, body: object, headers: Mapping[str, str] | None = None) -> dict:
        sent = self._headers | dict(headers or {})
        try:
            self._connection.request("POST", path, json.dumps(body).encode(), sent)
        except (BrokenPipeError, ConnectionResetError):  # The server closed an idle connection.
            self._connection.close()
            self._connection.request("POST", path, json.dumps(body).encode(), sent)
        answer = self._connection.getresponse()
        data = answer.read()
        assert answer.status < 300, (answer.status, data[:300])
        return json.loads(data)


def wrk(
    url: str,
    bodies: Iterator[object],
    *,
    token: str = "",
    connections: int = 16,
    seconds: int = 5,
    headers: Mapping[str, str] | None = None,
) -> float | None:
    """Requests a second with wrk, cycling through the bodies; None where wrk is not installed."""
    if shutil.which("wrk") is None:
        return None
    lines = "\n".join(f"  [==[{json.dumps(body, ensure_ascii=False)}]==]," for body in bodies)
    more = "".join(f", [{json.dumps(name)}]={json.dumps(value)}" for name, value in (headers or {}).items())
    script = (
        f"bodies = {{\n{lines}\n}}\nlocal i = 0\n"
        "request = function()\n  i = i % #bodies + 1\n"
        "  return wrk.format('POST', nil, {['Content-Type']='application/json', "
        f"['Authorization']='Bearer {token}'{more}}}, bodies[i])\nend\n"
        "done = function(s, l, r)\n"
        "  io.write('RATE ', s.requests / s.duration * 1e6, ' ERRORS ', s.errors.status, '\\n')\n"
        "end\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "load.lua"
        file.write_text(script, encoding="utf-8")
        done = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(file), url],
            capture_output=True,
            text=True,
            check=True,
        )
    words = next(line for line in done.stdout.splitlines() if line.startswith("RATE ")).split()
    assert words[3] == "0", f"{words[3]} requests failed"
    return float(words[1])
