"""`rearview bench` measures, leaves nothing behind, and says what went wrong."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from rearview.__main__ import main
from rearview.benchmark_load import Latency
from rearview.made_up import queries, statements


class PlainService:
    """Answers what the benchmark asks. `broken` names a path that gets an error instead."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.users: set[str] = set()
        self.erased: set[str] = set()
        self.broken = ""
        self.pending = 2
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(5)

    async def _start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    def close(self) -> None:
        async def end() -> None:
            self._server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                body = await self._body(reader, head)
                method, path = head.split(" ", 2)[:2]
                status, answer = self._answer(method.upper(), path.split("?")[0], body)
                data = json.dumps(answer).encode()
                writer.write(
                    f"HTTP/1.1 {status} x\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(data)}\r\n\r\n".encode()
                    + data
                )
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    async def _body(self, reader: asyncio.StreamReader, head: str) -> bytes:
        if "content-length:" in head:
            return await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
        body = b""
        while "transfer-encoding: chunked" in head:
            size = int(await reader.readline(), 16)
            body += (await reader.readexactly(size + 2))[:-2]
            if not size:
                break
        return body

    def _answer(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, object]]:
        user, _, rest = path.removeprefix("/v1/users/").partition("/")
        self.users.add(user)
        self.calls[rest or method] += 1
        if rest == self.broken and rest:
            return 500, {"code": "internal", "detail": "broken", "title": "broken"}
        if method == "DELETE":
            self.erased.add(user)
            return 200, {"erased": {}, "receipt": "", "complete_by": ""}
        if rest == "import":
            return 200, {"imported": body.count(b"\n"), "refused": []}
        if rest == "stats":
            self.pending = max(0, self.pending - 1)
            return 200, {"vectors_pending": self.pending}
        return 200, {"memories": []}


@pytest.fixture
def service() -> Iterator[PlainService]:
    made = PlainService()
    yield made
    made.close()


@pytest.fixture
def flags(service: PlainService, tmp_path: Path) -> list[str]:
    token = tmp_path / "token"
    token.write_text("secret")
    return [
        "bench",
        "--url",
        service.url,
        "--token-file",
        str(token),
        "--memories",
        "7",
        "--calls",
        "10",
        "--connections",
        "3",
        "--seconds",
        "0.1",
    ]


def test_it_fills_measures_and_erases_a_user_of_its_own(
    service: PlainService, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*flags, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["write"]["calls"] == 10
    assert figures["searches a second, new texts"] > 0
    assert len(service.users) == 1
    assert service.users == service.erased
    assert next(iter(service.users)).startswith("bench-")
    assert service.calls["stats"] == 2
    assert service.calls["memories"] == 11


def test_what_fails_is_said_and_the_user_is_erased_all_the_same(
    service: PlainService, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    service.broken = "search"
    assert main(flags) == 1
    captured = capsys.readouterr()
    assert "HTTP 500: internal" in captured.err
    assert captured.out == ""
    assert service.erased == service.users


def test_without_a_service_or_a_token_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--data-dir", str(tmp_path)]) == 2
    assert "no token" in capsys.readouterr().err


def test_the_median_and_the_last_percent_are_those_of_the_calls() -> None:
    latency = Latency.of([float(n) for n in range(1, 201)])
    assert (latency.p50, latency.p99, latency.calls) == (100.5, 199.0, 200)


def test_made_up_texts_differ_and_are_the_same_in_every_run() -> None:
    texts = list(islice(statements(), 400))
    assert len(set(texts)) == 400
    assert texts == list(islice(statements(), 400))
    assert set(texts).isdisjoint(islice(statements(seed=7), 400))
    asked = list(islice(queries(), 100))
    assert len(set(asked)) == 100
    assert any("课" in text for text in asked)
