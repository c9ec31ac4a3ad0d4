"""`rearview mcp`: an MCP server on stdin and stdout that hands tool calls to the service.

The main thread reads lines and answers at once whatever it can (`bridge_protocol`); tool calls go to worker threads,
which find or start the service (`bridge_service`) and wait for it. stdout carries nothing but protocol messages: the
real one is moved aside first, and anything else that prints goes to stderr.
"""

import argparse
import json
import os
import queue
import sys
import threading
from typing import Any, BinaryIO

from adapters.tools.text import error_payload, to_json
from rearview.bridge_protocol import Conversation, Message, ToolCall
from rearview.version import VERSION

WORKERS = 8
LINE_BYTES_MAX = 8 * 1024 * 1024
DRAIN_SECONDS_MAX = 30.0
LOCAL_USER = "local"


def run(args: argparse.Namespace) -> int:
    """The command: serves until stdin ends."""
    wire_in, wire_out = sys.stdin.buffer, _claim_stdout()
    bridge = Bridge(args, wire_out)
    try:
        for line in _lines(wire_in):
            bridge.take(line)
        bridge.drain()
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # The client has gone; there is nobody to tell.
    # Worker threads may hang in a call to the service; nothing of ours needs an orderly end.
    os._exit(0)


def _claim_stdout() -> BinaryIO:
    """The wire as a private file; descriptor 1 becomes stderr, for us and every child."""
    sys.stdout.flush()
    wire = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return wire


def _lines(wire_in: BinaryIO) -> Any:
    while line := wire_in.readline(LINE_BYTES_MAX):
        if line.strip():
            yield line


class Bridge:
    """One client and its calls in flight."""

    def __init__(self, args: argparse.Namespace, wire_out: BinaryIO) -> None:
        self._args = args
        # The token of a data directory's own service is for every user, and a desktop client knows no user ids.
        self._user: str = args.user or ("" if _address(args) else LOCAL_USER)
        self._conversation = Conversation(VERSION)
        self._wire_out = wire_out
        self._calls: queue.SimpleQueue[ToolCall] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._in_flight: set[str | int] = set()
        self._link: Any = None
        self._one_link = threading.Lock()
        self._workers = 0

    def take(self, line: bytes) -> None:
        """Handle one line. Never blocks on the service."""
        taken = self._conversation.take(line)
        with self._changed:
            self._conversation.cancelled &= self._in_flight
        if isinstance(taken, ToolCall):
            with self._changed:
                self._in_flight.add(taken.request_id)
            self._calls.put(taken)
            self._hire(len(self._in_flight))
        elif taken is not None:
            self._write(taken)
            # The client is served; use the time until its first call to find or start the service.
            if not self._workers:
                self._hire(1)
                threading.Thread(target=self._warm_up, daemon=True).start()

    def drain(self) -> None:
        """Wait for the calls in flight, so that a client that only pipes its requests in gets its answers."""
        with self._changed:
            self._changed.wait_for(lambda: not self._in_flight, timeout=DRAIN_SECONDS_MAX)

    def _hire(self, wanted: int) -> None:
        while self._workers < min(wanted, WORKERS):
            self._workers += 1
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            call = self._calls.get()
            answer = self._answer(call)
            with self._changed:
                wanted = call.request_id not in self._conversation.cancelled
                self._conversation.cancelled.discard(call.request_id)
            if wanted:
                self._write(answer)
            with self._changed:
                self._in_flight.discard(call.request_id)
                self._changed.notify_all()

    def _answer(self, call: ToolCall) -> Message:
        from rearview.bridge_service import NoService

        try:
            status, body = self._service_link().call(_filled_in(call, self._user))
            answer = json.loads(body) if status == 200 else None
        except NoService as gone:
            return self._tool_error(call, "unavailable", str(gone), "Tell the user; calling again may help later.")
        except ValueError:
            answer, status = None, 502
        if isinstance(answer, dict) and ("result" in answer or "error" in answer):
            return {**answer, "id": call.request_id}
        return self._tool_error(call, *_words_for(status))

    def _tool_error(self, call: ToolCall, code: str, message: str, hint: str) -> Message:
        payload = error_payload(code, "", message, hint=hint, retryable=code == "unavailable")
        return self._conversation.success(
            call.request_id,
            {"content": [{"type": "text", "text": to_json(payload)}], "structuredContent": payload, "isError": True},
        )

    def _service_link(self) -> Any:
        with self._one_link:
            if self._link is None:
                self._link = _make_link(self._args)
            return self._link

    def _warm_up(self) -> None:
        from rearview.bridge_service import NoService

        try:
            self._service_link().find()
        except NoService as gone:
            print(f"rearview: {gone}", file=sys.stderr)

    def _write(self, message: Message) -> None:
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        with self._changed:
            view = memoryview(data)
            while view:
                view = view[self._wire_out.write(view) :]


def _address(args: argparse.Namespace) -> str:
    """The address of the service that is meant; empty for the one of a data directory."""
    place = args.data_dir or args.port
    return args.url or ("" if place else os.environ.get("REARVIEW_URL", ""))


def _make_link(args: argparse.Namespace) -> Any:
    # The HTTP client loads only now, after the first answers are out.
    from rearview.bridge_service import ServiceLink, Wanted

    return ServiceLink(
        Wanted(
            url=_address(args),
            token=os.environ.get("REARVIEW_TOKEN", ""),
            token_file=args.token_file or "",
            data_dir=args.data_dir or "",
            port=args.port,
        )
    )


def _filled_in(call: ToolCall, user: str) -> ToolCall:
    """The call with the user of this bridge, and with a key where it can take one, so that it may be sent again."""
    from adapters.tools.table import BY_NAME
    from rearview.clock import new_id

    given = call.params.get("arguments") or {}
    arguments = {**given, "user_id": given.get("user_id") or user}
    takes_key = any(argument.name == "idempotency_key" for argument in BY_NAME[call.params["name"]].arguments)
    if takes_key and not given.get("idempotency_key"):
        arguments["idempotency_key"] = f"bridge-{new_id()}"
    return ToolCall(call.request_id, {**call.params, "arguments": arguments}, call.version, call.modern)


def _words_for(status: int) -> tuple[str, str, str]:
    """Code, message and hint for an answer of the service that is not a result."""
    if status in (401, 403):
        return "unauthorized", "The memory service refused the token of this connection.", "Tell the user."
    if status == 413:
        return "too_large", "The request is larger than the memory service takes.", "Send less at once."
    if status == 421:
        return "unavailable", "The memory service does not serve this host name.", "Tell the user."
    return "unavailable", f"The memory service answered with status {status}.", "Call again in a few seconds."
