"""Search and write over HTTP beside bare FastAPI, bare Ray and a bare FCALL append, in turns (`bench.side_by_side`).

python -m bench latency [--memories 1000] [--calls 500]
"""

import contextlib
import itertools
import json
import socket
import tempfile
import time
import urllib.request
from pathlib import Path

from bench.baselines import bare_fastapi
from bench.loads import Caller, wrk
from bench.side_by_side import Once, bare_append, bare_ray, in_turns
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
    with tempfile.TemporaryDirectory(prefix="rv-bench-") as name, contextlib.ExitStack() as open_:
        folder = Path(name)
        service = open_.enter_context(running(folder / "data"))
        assert service.ready is not None
        url, token = service.ready.url, service.token
        echo_url = open_.enter_context(bare_fastapi(free_port()))
        echo = Caller(echo_url)
        bare = {
            "bare FastAPI echo": lambda: echo.post("/echo", ONE_QUESTION),
            "bare Ray echo": open_.enter_context(bare_ray()),
        }
        append = open_.enter_context(bare_append(folder / "append"))
        caller, path, texts, fresh = Caller(url, token), "/v1/users/bench", statements(), queries()
        _rows(
            {**bare, "bare FCALL append, fsync": append},
            {"write, strict": lambda: caller.post(path + "/memories", {"content": next(texts)})},
            calls,
        )
        fill(url, token, memories)
        settle(url, token)
        _rows(
            bare,
            {
                f"search, {memories} memories, new texts": lambda: caller.post(
                    path + "/search", {"query": next(fresh)}
                ),
                "search, one text": lambda: caller.post(path + "/search", ONE_QUESTION),
            },
            calls,
        )
        _throughput(echo_url, url + path + "/search", token)


def _rows(bare: dict[str, Once], ours: dict[str, Once], calls: int) -> None:
    timings = in_turns({**bare, **ours}, calls)
    least = sum(timings[name].p50 for name in bare)
    for name, timing in timings.items():
        note = f"{timing.p50 / least:.2f} x of the bare ones together" if name in ours else ""
        print(f"{name:36} {timing}  {note}", flush=True)


def _throughput(echo_url: str, target: str, token: str) -> None:
    echo = wrk(echo_url + "/echo", ({"query": q} for q in itertools.islice(queries(), 500)))
    new = wrk(target, ({"query": q} for q in itertools.islice(queries(), 2000)), token=token)
    one = wrk(target, iter([ONE_QUESTION]), token=token)
    if echo is not None and new is not None and one is not None:
        print(
            f"wrk, 16 connections: echo {echo:.0f}/s, search of new texts {new:.0f}/s, "
            f"of one text {one:.0f}/s ({new / one:.2f})"
        )


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
