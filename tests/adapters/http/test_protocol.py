"""What is no HTTP, or too much of it, gets a problem document from a real server."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import pytest
import uvicorn

from adapters.http.protocol import HEADER_BYTES_MAX, URL_BYTES_MAX, BoundedProtocol
from tests.adapters.http.service import Service


@pytest.fixture
async def port(service: Service) -> AsyncIterator[int]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(service.app, http=BoundedProtocol, ws="none", log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it.
        await asyncio.sleep(0)
    yield listening.getsockname()[1]
    server.should_exit = True
    await serving
    listening.close()


async def answered(port: int, raw: bytes) -> tuple[int, dict[str, str], bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(raw)
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
    body = await reader.readexactly(int(headers["content-length"]))
    writer.close()
    await writer.wait_closed()
    return int(lines[0].split()[1]), headers, body


@pytest.mark.parametrize(
    ("raw", "status", "field"),
    [
        (b"GET /v1/users/" + b"u" * 100_000 + b"/memories HTTP/1.1\r\nHost: localhost\r\n\r\n", 413, "user_id"),
        (b"GET /" + b"x" * (URL_BYTES_MAX + 1) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 413, "path"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (HEADER_BYTES_MAX + 1) + b"\r\n\r\n", 413, "headers"),
        (b"nonsense\r\n\r\n", 400, ""),
    ],
)
async def test_what_the_parser_refuses_is_a_problem(port: int, raw: bytes, status: int, field: str) -> None:
    got, headers, body = await answered(port, raw)
    assert (got, headers["content-type"]) == (status, "application/problem+json")
    problem = json.loads(body)
    assert (problem["status"], problem["request_id"]) == (status, headers["x-request-id"])
    assert [fault["field"] for fault in problem.get("errors", [])] == ([field] if field else [])


async def test_the_real_parser_keeps_an_encoded_slash(port: int, service: Service) -> None:
    token, _ = await service.tokens.create(users=("a/b%2Fc d",))
    raw = (
        f"GET /v1/users/a%2Fb%252Fc%20d/memories HTTP/1.1\r\nHost: localhost:{port}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    )
    status, _, _ = await answered(port, raw.encode())
    assert (status, service.last.user) == (200, "a/b%2Fc d")
