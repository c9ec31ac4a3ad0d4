"""Search and write over HTTP beside bare FastAPI, bare Ray and a bare FCALL append of the same run.

python -m bench latency [--memories 1000] [--calls 500]
"""

import itertools
import json
import socket
import tempfile
import time
import urllib.request
from pathlib import Path

from bench.baselines import bare_append, bare_fastapi, bare_ray
from bench.loads import Caller, Timing, timed, wrk
from rearview.made_up import queries, statements
from tests.service import running

# Of the same kind as the new ones: a question that finds nothing would cost less.
ONE_QUESTION = {"query": next(queries(seed=3))}


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def latency(memories: int, calls: int) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory(prefix="rv-bench-") as name:
        folder = Path(name)
        append = bare_append(folder / "append", calls)
        ray = bare_ray(calls)
        port = free_port()
        with bare_fastapi(port) as url:
            caller = Caller(url)
            echo = timed(lambda: caller.post("/echo", {"query": "any good place for dinner"}), calls)
            echo_rate = wrk(url + "/echo", ({"query": q} for q in itertools.islice(queries(), 500)))
        _row("bare FastAPI echo", echo)
        _row("bare Ray echo", ray)
        _row("bare FCALL append, fsync", append)
        with running(folder / "data") as service:
            assert service.ready is not None
            _service(service.ready.url, service.token, memories, calls, base=(echo, ray, append, echo_rate))


def _service(
    url: str, token: str, memories: int, calls: int, base: tuple[Timing, Timing, Timing, float | None]
) -> None:
    echo, ray, append, echo_rate = base
    caller, path = Caller(url, token), "/v1/users/bench"
    write = _writes(caller, path, calls)
    _row("write, strict", write, f"{write.p50 / (echo.p50 + ray.p50 + append.p50):.2f} x of the three bare ones")
    fill(url, token, memories)
    settle(url, token)
    fresh = queries()
    search = timed(lambda: caller.post(path + "/search", {"query": next(fresh)}), calls)
    _row(
        f"search, {memories} memories, new texts",
        search,
        f"{search.p50 / (echo.p50 + ray.p50):.2f} x of bare FastAPI + bare Ray",
    )
    same = timed(lambda: caller.post(path + "/search", ONE_QUESTION), calls)
    _row("search, the same text", same)
    rate = wrk(f"{url}{path}/search", ({"query": q} for q in itertools.islice(queries(), 2000)), token=token)
    repeated = wrk(f"{url}{path}/search", iter([ONE_QUESTION]), token=token)
    if rate is not None and repeated is not None and echo_rate is not None:
        print(
            f"wrk, 16 connections: echo {echo_rate:.0f}/s, search of new texts {rate:.0f}/s, "
            f"of one text {repeated:.0f}/s ({rate / repeated:.2f})"
        )


def _writes(caller: Caller, path: str, calls: int) -> Timing:
    texts = statements()
    return timed(lambda: caller.post(path + "/memories", {"content": next(texts)}), calls, warm_up=20)


def fill(url: str, token: str, memories: int) -> None:
    """Import made-up memories for the user `bench`."""
    lines = "\n".join(
        json.dumps({"content": text}, ensure_ascii=False) for text in itertools.islice(statements(seed=7), memories)
    )
    request = urllib.request.Request(
        f"{url}/v1/users/bench/import",
        lines.encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"},
    )
    with urllib.request.urlopen(request, timeout=600) as answer:
        assert json.loads(answer.read())["imported"] == memories


def settle(url: str, token: str, seconds: float = 600) -> None:
    """Wait until every document has its own vector: measure the finished state."""
    request = urllib.request.Request(f"{url}/v1/users/bench/stats", headers={"Authorization": f"Bearer {token}"})
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with urllib.request.urlopen(request, timeout=60) as answer:
            if not json.loads(answer.read())["vectors_pending"]:
                return
        time.sleep(0.5)
    raise TimeoutError("the background queue did not drain")


def _row(name: str, timing: Timing, note: str = "") -> None:
    print(f"{name:36} {timing}  {note}", flush=True)
