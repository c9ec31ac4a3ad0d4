"""`rearview serve`: the journal, the actors and the doors, started in order and ended in the reverse one.

Order matters twice. Valkey and Ray are started from the main thread, because the kernel ties a child's life to the
*thread* that made it, so a kill -9 of this process leaves no orphan. And the `ready` line is printed only when a
request can be answered.
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvloop

from engine.errors import RearviewError
from rearview.clock import monotonic_ms
from rearview.ready_line import Ready, forget_ready_file, ready_line, write_ready_file
from rearview.settings import Settings, SettingsError, load_settings
from rearview.stack import Stack

EXIT_REFUSED = 1
EXIT_USAGE = 2
STEADY_MS = 5_000  # A Ray that dies sooner than this after the start would die again.


def serve(args: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT; returns the exit status."""
    try:
        settings = load_settings(_flags(args))
    except SettingsError as error:
        print(f"rearview: {error}", file=sys.stderr)
        return EXIT_USAGE
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr
    )
    if settings.test.clock_file:
        print(
            "rearview: THE CLOCK IS MOVED BY --test-clock. This is for tests and never for people's memories.",
            file=sys.stderr,
        )
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # Two OpenMP threads on two busy cores cost 1.7 s at p99.
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(_run(settings))
    except RearviewError as error:
        print(f"rearview: {error.sentence}", file=sys.stderr)
    except OSError as error:
        print(f"rearview: {error}", file=sys.stderr)
    return EXIT_REFUSED


def _flags(args: argparse.Namespace) -> Mapping[str, Any]:
    flags: dict[str, Any] = {}
    http = {name: value for name in ("host", "port") if (value := getattr(args, name, None)) is not None}
    if http:
        flags["http"] = http
    if args.data_dir:
        flags["data_dir"] = args.data_dir
    if getattr(args, "test_clock", None):
        flags["test"] = {"clock_file": str(Path(args.test_clock).resolve())}
    return flags


async def _run(settings: Settings) -> int:
    """Start, say so, wait to be told to stop, stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def listen_for_signals() -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)

    listen_for_signals()
    # Ray puts a handler of its own in their place, which would end the process in the middle of a drain.
    stack = Stack(settings, after_ray=listen_for_signals)
    try:
        await stack.start()
        ready = Ready(stack.url, str(stack.token_file), os.getpid())
        write_ready_file(settings.data_path, ready)
        print(ready_line(ready), flush=True)
        if sys.stdout.isatty():  # A program that reads the line needs no lesson.
            _say_how(ready)
        ready_at_ms = monotonic_ms()
        ended = await _first(stop.wait(), stack.ended())
    finally:
        forget_ready_file(settings.data_path, os.getpid())
        await stack.stop()
    if stack.lost_ray and monotonic_ms() - ready_at_ms >= STEADY_MS:
        _start_anew(stack.url)
    return EXIT_REFUSED if ended else 0


def _start_anew(url: str) -> None:
    """Become a fresh process under the same id. A process that was connected to a dead Ray cannot join another one:
    its library waits for the dead for a minute and then ends the process.
    """
    print("rearview: starting anew", file=sys.stderr, flush=True)
    port = str(urlsplit(url).port)  # The one that clients know, also where any free one was asked for.
    os.execv(sys.executable, [sys.executable, "-m", "rearview", *sys.argv[1:], "--port", port])


async def _first(stop: Any, ended: Any) -> bool:
    """Wait for either; True when the stack ended by itself."""
    tasks = [asyncio.ensure_future(stop), asyncio.ensure_future(ended)]
    done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return tasks[1] in done


def _say_how(ready: Ready) -> None:
    """How to write and search, for the person who just started it."""
    print(
        f"""
  TOKEN=$(cat {ready.token_file})

  curl -s {ready.url}/v1/users/alice/memories -H "Authorization: Bearer $TOKEN" \\
       -H 'Content-Type: application/json' -d '{{"content": "I am allergic to peanuts"}}'

  curl -s {ready.url}/v1/users/alice/search -H "Authorization: Bearer $TOKEN" \\
       -H 'Content-Type: application/json' -d '{{"query": "any good place for dinner?"}}'

  MCP: {ready.url}/mcp    OpenAPI: {ready.url}/openapi.json (both with the token)    Ctrl-C ends it.
""",
        file=sys.stderr,
        flush=True,
    )
