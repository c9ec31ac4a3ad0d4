"""Requests made from the OpenAPI document, as it allows them and as it does not: no answer is a 5xx, and each is one
that the document tells of.

schemathesis makes them; they are played in this process over real actors, so that what is behind the door is tried too.
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok

from actors.directory import Directory
from actors.local_hosts import LocalHosts
from actors.placement import Placement
from adapters.http.openapi import openapi_document
from adapters.http.table import ENDPOINTS
from tests.actors.world import World
from tests.adapters.http.service import HOST, Service, running

DOCUMENT = openapi_document(ENDPOINTS, version="1", public_url=HOST)
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok)}
EXAMPLES = 12


@schemathesis.serializer("application/x-ndjson")
def as_lines(_: Any, value: Any) -> bytes:
    """A body of lines, which is text for the document."""
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "surrogatepass")


class NobodyMoves:
    """Answers as a service does that has never moved to another model."""

    async def start(self, _: object) -> dict[str, object]:
        return {"state": "moving"}

    async def status(self) -> dict[str, object]:
        return {"state": "none"}


async def nobody_is_due() -> dict[str, object]:
    return {}


# A purge of everything and a body without an end would make the other examples pointless or slow.
LEFT_OUT = frozenset({"DELETE /v1/users/{user}"})
# These take nothing that could be wrong.
WITHOUT_INPUT = frozenset({"GET /healthz", "GET /readyz"})
TRIED = [
    (label, mode)
    for label in sorted(set(OPERATIONS) - LEFT_OUT)
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    if mode is GenerationMode.POSITIVE or label not in WITHOUT_INPUT
]


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


@pytest.fixture(scope="module")
def service(runner: asyncio.Runner) -> Iterator[Service]:
    stack, hosts = AsyncExitStack(), LocalHosts(World().parts)
    directory = Directory(hosts, Placement.shared(1))
    yield runner.run(
        stack.enter_async_context(running(directory=directory, maintain_all=nobody_is_due, mover=NobodyMoves()))
    )
    runner.run(stack.aclose())
    runner.run(hosts.stop())


def test_every_endpoint_is_in_the_document_and_tried() -> None:
    assert {f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS} <= set(OPERATIONS)


@pytest.mark.parametrize(("label", "mode"), TRIED, ids=lambda part: getattr(part, "value", part))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_any_request_gets_an_answer_that_the_document_tells_of(
    runner: asyncio.Runner, service: Service, label: str, mode: GenerationMode, data: st.DataObject
) -> None:
    operation = OPERATIONS[label]
    case = data.draw(operation.as_strategy(generation_mode=mode))
    answer = runner.run(played(service, case))
    assert answer.status_code < 500, answer.text
    told = DOCUMENT["paths"][operation.path][operation.method]["responses"]
    assert str(answer.status_code) in {*told, "405"}, answer.text
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json().keys() >= {"type", "title", "status", "detail", "code", "request_id"}


async def played(service: Service, case: Case) -> httpx.Response:
    sent: dict[str, Any] = case.as_transport_kwargs(base_url=HOST)
    headers = {
        name: str(value) for name, value in (sent.get("headers") or {}).items() if name.lower() != "authorization"
    }
    body = sent.get("json")
    content = json.dumps(body).encode() if "json" in sent and body is not None else sent.get("data")
    raw = {name: value.encode("latin-1", "replace") for name, value in headers.items()}
    request = service.admin.build_request(
        sent["method"], sent["url"], params=sent.get("params"), headers=raw, content=content
    )
    return await service.admin.send(request)
