"""A model server on loopback, OpenAI-compatible or Ollama by the path that is asked: vectors by hashed character
n-grams, scripted chat, faults on request.

Faults of `chat` and `embeddings`: `http_NNN`, `stall`, `garbage`, `cut_off`, `fenced`, `prose`, `refusal`, `huge`,
`bare_number`, `zero`, `nan`, `one_too_few`, `short`. `no_formats` makes it refuse `response_format`, `no_dimensions`
the wish for dimensions, and `dislikes` is a word that no text may hold.
"""

import http.server
import json
import math
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

HUGE_CHARS = 10_000_000


class ModelStub(http.server.ThreadingHTTPServer):
    """Start it with `running()`. `calls` holds what was asked, as (path, body)."""

    daemon_threads, request_queue_size = True, 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api_base = f"http://127.0.0.1:{self.server_port}/v1"
        self.dimensions = 64
        self.importance = 8
        self.relations: list[Mapping[str, object]] = []
        self.statements: list[Mapping[str, object]] = []
        self.scores: list[Mapping[str, object]] = []
        self.chat_fault = ""
        self.embeddings_fault = ""
        self.no_formats: frozenset[str] = frozenset()
        self.no_dimensions = False
        self.dislikes = ""
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.released = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up waiting is expected here."""

    def asked(self, path: str) -> list[dict[str, Any]]:
        """The bodies of the calls to a path."""
        return [body for called, body in self.calls if called.endswith(path)]


@contextmanager
def running() -> Iterator[ModelStub]:
    """A stub that answers until the end of the block."""
    stub = ModelStub()
    thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.released.set()
        stub.shutdown()
        stub.server_close()
        thread.join(5)


def hashed_vector(text: str, dimensions: int) -> list[float]:
    """Character 1- to 3-grams, hashed into dimensions; of unit length. Texts that share words are near each other."""
    sums = [0.0] * dimensions
    for size in (1, 2, 3):
        for start in range(len(text) - size + 1):
            mark = zlib.crc32(text[start : start + size].lower().encode("utf-8", "replace"))
            sums[mark % dimensions] += 1.0 if mark >> 31 else -1.0
    norm = math.sqrt(sum(number * number for number in sums)) or 1.0
    return [number / norm for number in sums]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", 1 << 16
    server: ModelStub

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        self.server.calls.append((self.path, body))
        embeds = self.path.endswith(("/embeddings", "/api/embed"))
        fault = self.server.embeddings_fault if embeds else self.server.chat_fault
        if fault.startswith("http_"):
            return self._send(int(fault[5:]), {"error": {"message": "a fault that was asked for"}})
        if fault == "stall":
            self.server.released.wait(60)
        if fault == "garbage":
            return self._send_bytes(200, b"\xff\x00<html>not json")
        if self._disliked(body):
            return self._send(400, {"error": {"message": "that is not supported"}})
        value = self._embeddings(body, fault) if embeds else self._chat(body, fault)
        return self._send(200, _as_ollama(value) if "/api/" in self.path else value)

    def _disliked(self, body: Mapping[str, Any]) -> bool:
        server = self.server
        return (
            (body.get("response_format") or {}).get("type") in server.no_formats
            or ("dimensions" in body and server.no_dimensions)
            or bool(server.dislikes and server.dislikes in json.dumps(body, ensure_ascii=False))
        )

    def _embeddings(self, body: Mapping[str, Any], fault: str) -> Mapping[str, object]:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        dimensions = int(body.get("dimensions") or self.server.dimensions)
        rows: list[list[float]] = [hashed_vector(text, dimensions) for text in texts]
        if fault == "zero":
            rows = [[0.0] * dimensions for _ in rows]
        elif fault == "nan":
            rows[0] = [float("nan")] * dimensions
        elif fault == "one_too_few":
            rows = rows[1:]
        elif fault == "short":
            rows = [row[1:] for row in rows]
        # Backwards, because the order of a reply is in its indexes.
        data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)][::-1]
        usage = {"prompt_tokens": 7, "total_tokens": 7}
        return {"object": "list", "model": body["model"], "data": data, "usage": usage}

    def _chat(self, body: Mapping[str, Any], fault: str) -> Mapping[str, object]:
        server = self.server
        system = body["messages"][0]["content"] if "messages" in body else body["prompt"]
        answer: Mapping[str, object] = {"importance": server.importance, "relations": server.relations}
        if "list the statements" in system:
            answer = {"statements": server.statements}
        elif "help to answer a query" in system:
            answer = {"scores": server.scores}
        good = json.dumps(answer, ensure_ascii=False)
        said = {
            "fenced": f"```json\n{good}\n```",
            "prose": f"Sure:\n{good}\nAnything else?",
            "cut_off": good[: len(good) // 2],
            "refusal": "抱歉，我无法处理这个请求。I'm sorry, I cannot help with that.",
            "huge": "x" * HUGE_CHARS if fault == "huge" else "",
            "bare_number": f"I rate it {server.importance}/10.",
        }.get(fault, good)
        ended = "length" if fault == "cut_off" else "stop"
        return {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": ended, "message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
        }

    def _send(self, status: int, value: Mapping[str, object]) -> None:
        self._send_bytes(status, json.dumps(value).encode())

    def _send_bytes(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _as_ollama(value: Mapping[str, Any]) -> Mapping[str, object]:
    """The same reply in Ollama's own form."""
    if "data" in value:
        rows = sorted(value["data"], key=lambda row: int(row["index"]))
        return {"model": "stub", "embeddings": [row["embedding"] for row in rows], "prompt_eval_count": 7}
    choice = value["choices"][0]
    return {
        "model": "stub",
        "created_at": "2026-11-30T00:00:00Z",
        "message": choice["message"],
        "response": choice["message"]["content"],
        "done": True,
        "done_reason": choice["finish_reason"],
        "prompt_eval_count": 20,
        "eval_count": 5,
    }
