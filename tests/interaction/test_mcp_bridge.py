"""`rearview mcp` as a client's child process: it answers at once, keeps its wire clean, and ends with its client."""

import asyncio
import fcntl
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from adapters.mcp.server import build_server
from persistence.keys import LOCK_FILE
from rearview.bridge_protocol import Conversation, ToolCall
from rearview.bridge_service import DATA_LOCK, NoService, ServiceLink, Wanted
from tests.adapters.mcp.doubles import ListDirectory, served_door

ROOT = Path(__file__).resolve().parents[2]
VERSION = "0.1"
MakeLink = Callable[[], ServiceLink]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def request(method: str, params: dict[str, Any] | None = None, request_id: int = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}).encode()


@contextmanager
def bridge(*arguments: str, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        [sys.executable, "-m", "rearview", "mcp", *arguments],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ask(process: "subprocess.Popen[bytes]", line: bytes) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def nowhere(tmp_path: Path) -> tuple[str, ...]:
    """Arguments for a service that does not answer."""
    token = tmp_path / "token"
    token.write_text("alice\n", encoding="utf-8")
    return "--url", "http://127.0.0.1:9", "--token-file", str(token)


def test_it_answers_initialize_and_the_list_without_a_service(tmp_path: Path) -> None:
    with bridge(*nowhere(tmp_path)) as process:
        hello = ask(process, request("initialize", HELLO))
        listed = ask(process, request("tools/list", request_id=2))
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    assert len(listed["result"]["tools"]) == 6


def test_without_a_service_a_call_says_so_in_words_for_the_model(tmp_path: Path) -> None:
    with bridge(*nowhere(tmp_path)) as process:
        ask(process, request("initialize", HELLO))
        answer = ask(process, request("tools/call", {"name": "memory_list", "arguments": {}}, 2))
    said = answer["result"]["structuredContent"]
    assert answer["result"]["isError"]
    assert (said["status"], said["code"], said["retryable"]) == ("error", "unavailable", True)
    assert json.loads(answer["result"]["content"][0]["text"]) == said


def test_it_ends_when_its_client_does(tmp_path: Path) -> None:
    with bridge(*nowhere(tmp_path)) as process:
        ask(process, request("initialize", HELLO))
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(5) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff",
        b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","method":"unheard/of"}',
    ],
)
def test_a_broken_line_does_not_end_the_conversation(line: bytes) -> None:
    conversation = Conversation(VERSION)
    taken = conversation.take(line)
    assert taken is None or (isinstance(taken, dict) and taken["error"]["code"] in (-32700, -32600))
    answer = conversation.take(request("initialize", HELLO))
    assert isinstance(answer, dict)
    assert "result" in answer


async def test_its_own_answers_equal_those_of_the_service() -> None:
    server = build_server(ListDirectory(), version=VERSION)
    async with Client(server, mode="auto") as client:
        discovered = client.session.discover_result
        assert discovered is not None
        listed = await client.list_tools()
    modern = Conversation(VERSION)
    found, tools = (modern.take(request(method, {"_meta": META})) for method in ("server/discover", "tools/list"))
    assert isinstance(found, dict)
    assert isinstance(tools, dict)
    same = {"supportedVersions", "capabilities", "instructions", "resultType", "_meta"}
    theirs = discovered.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert {key: found["result"][key] for key in same} == {key: theirs[key] for key in same}
    shown = listed.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert {key: tools["result"][key] for key in ("tools", "ttlMs", "cacheScope")} == {
        key: shown[key] for key in ("tools", "ttlMs", "cacheScope")
    }


async def test_its_handshake_equals_that_of_the_service() -> None:
    server = build_server(ListDirectory(), version=VERSION)
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01", "2026-07-28"):
        answer = Conversation(VERSION).take(request("initialize", {**HELLO, "protocolVersion": version}))
        assert isinstance(answer, dict)
        expected = version if version < "2026" and version > "2000" else "2025-11-25"
        assert answer["result"]["protocolVersion"] == expected
    async with Client(server, mode="legacy") as client:
        theirs = client.session.initialize_result
        assert theirs is not None
        shown = theirs.model_dump(by_alias=True, exclude_none=True, mode="json")
    for key in ("capabilities", "serverInfo", "instructions"):
        assert answer["result"][key] == shown[key]


def test_the_first_request_settles_the_era() -> None:
    modern = Conversation(VERSION)
    modern.take(request("server/discover", {"_meta": META}))
    refused = modern.take(request("initialize", HELLO))
    assert isinstance(refused, dict)
    assert refused["error"]["code"] == -32022
    bare = modern.take(request("tools/list"))
    assert isinstance(bare, dict)
    assert bare["error"]["code"] == -32602
    future = {**META, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}
    later = modern.take(request("tools/list", {"_meta": future}))
    assert isinstance(later, dict)
    assert later["error"]["data"]["supported"] == ["2026-07-28"]
    old = Conversation(VERSION)
    old.take(request("initialize", HELLO))
    mixed = old.take(request("tools/list", {"_meta": META}))
    assert isinstance(mixed, dict)
    assert mixed["error"]["code"] == -32600
    for conversation in (Conversation(VERSION), old):
        unknown = conversation.take(request("resources/list"))
        assert isinstance(unknown, dict)
        assert unknown["error"]["code"] == -32601


async def test_calls_in_flight_when_the_input_ends_are_still_answered() -> None:
    """As when a script pipes its requests in and reads what comes out."""
    async with served_door(ListDirectory()) as url:
        lines = b"\n".join(
            [
                request("initialize", HELLO),
                *(
                    request("tools/call", {"name": "memory_write", "arguments": {"content": f"fact {n}"}}, n + 2)
                    for n in range(20)
                ),
            ]
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "rearview",
            "mcp",
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "REARVIEW_URL": url, "REARVIEW_TOKEN": "alice"},
        )
        out, _ = await process.communicate(lines)
    answers = [json.loads(line) for line in out.splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(1, 22))
    assert all(answer["result"]["structuredContent"]["status"] == "stored" for answer in answers if answer["id"] > 1)


async def test_a_refused_token_is_an_error_in_words() -> None:
    async with served_door(ListDirectory()) as url:
        link = ServiceLink(Wanted(url=url, token="nobody"))
        status, _ = await asyncio.to_thread(
            link.call, ToolCall(1, {"name": "memory_list", "arguments": {}}, "2025-06-18", False)
        )
        link.close()
    assert status == 401


def test_an_address_without_a_token_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(NoService, match="token"):
        ServiceLink(Wanted(url="http://127.0.0.1:9")).find()


STAND_IN = """
import http.server, json, os, sys, pathlib
run = pathlib.Path(sys.argv[1]) / "run"
with (run / "starts").open("a") as starts:
    starts.write("x")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()
    def log_message(self, *words):
        print("chatter on stdout")
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
(run / "token").write_text("secret")
fresh = run / "serve.tmp"
fresh.write_text(json.dumps({"url": f"http://127.0.0.1:{server.server_port}", "token_file": str(run / "token"),
                             "pid": os.getpid()}))
fresh.replace(run / "serve.json")
server.serve_forever()
"""


@pytest.fixture
def make_link(tmp_path: Path) -> Iterator[MakeLink]:
    """Makes links to the service of one data directory; what they started is ended."""
    links: list[ServiceLink] = []

    def make() -> ServiceLink:
        command = [sys.executable, "-c", STAND_IN, str(tmp_path)]
        link = ServiceLink(Wanted(data_dir=str(tmp_path)), lambda *_: command)
        links.append(link)
        return link

    yield make
    for process in (process for link in links for process in link.started):
        process.kill()
        process.wait()


def test_two_bridges_that_start_together_start_one_service(tmp_path: Path, make_link: MakeLink) -> None:
    found: list[str] = []
    links = [make_link() for _ in range(4)]
    threads = [threading.Thread(target=lambda link=link: found.append(link.find().url)) for link in links]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found) == 4
    assert (tmp_path / "run" / "starts").read_text(encoding="utf-8") == "x"


def test_a_service_that_cannot_start_is_reported_with_its_log(tmp_path: Path) -> None:
    link = ServiceLink(Wanted(data_dir=str(tmp_path)), lambda *_: [sys.executable, "-c", "raise SystemExit('no')"])
    with pytest.raises(NoService, match=r"serve\.log"):
        link.find()
    assert "no" in (tmp_path / "run" / "serve.log").read_text(encoding="utf-8")


def test_a_service_that_somebody_else_is_starting_is_waited_for(tmp_path: Path) -> None:
    """The bridge's own attempt ends at once, because the data directory is in use."""
    assert LOCK_FILE == DATA_LOCK
    attempted = threading.Event()

    def serve(data_dir: Path, port: int | None) -> list[str]:
        attempted.set()
        return [sys.executable, "-c", "raise SystemExit('in use')"]

    (tmp_path / "run").mkdir()
    with (tmp_path / LOCK_FILE).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found: list[str] = []
        bridge_thread = threading.Thread(
            target=lambda: found.append(ServiceLink(Wanted(data_dir=str(tmp_path)), serve).find().token)
        )
        bridge_thread.start()
        assert attempted.wait(10)
        with subprocess.Popen([sys.executable, "-c", STAND_IN, str(tmp_path)]) as other:
            bridge_thread.join(30)
            other.kill()
    assert found == ["secret"]


def test_the_file_of_a_killed_service_is_not_believed(tmp_path: Path, make_link: MakeLink) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / "run").mkdir()
    stale = {"url": "http://127.0.0.1:9", "token_file": "gone", "pid": ended.pid}
    (tmp_path / "run" / "serve.json").write_text(json.dumps(stale), encoding="utf-8")
    assert make_link().find().token == "secret"


def test_a_process_id_that_another_process_has_by_now_is_not_believed(tmp_path: Path, make_link: MakeLink) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "token").write_text("old", encoding="utf-8")
    stale = {"url": "http://127.0.0.1:9", "token_file": str(tmp_path / "token"), "pid": os.getpid()}
    (tmp_path / "run" / "serve.json").write_text(json.dumps(stale), encoding="utf-8")
    assert make_link().find().token == "secret"


def test_a_killed_service_of_ours_is_noticed_without_waiting_for_it(make_link: MakeLink) -> None:
    link = make_link()
    first = link.find()
    link.started[0].kill()
    assert link.find(lost=first).url != first.url


def test_a_service_that_was_lost_is_started_again(tmp_path: Path, make_link: MakeLink) -> None:
    link = make_link()
    first = link.find()
    link.started[0].kill()
    link.started[0].wait()
    second = link.find(lost=first)
    assert second.url != first.url
    assert len(link.started) == 2
