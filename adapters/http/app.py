"""The HTTP application: routes, the door in front of them, and problem documents for whatever goes wrong."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from adapters.http.dify import dify_routes
from adapters.http.docs_page import docs_page
from adapters.http.doors import Doors
from adapters.http.errors import PROBLEM_JSON, HttpProblem, document
from adapters.http.openapi import openapi_document
from adapters.http.parts import HttpParts
from adapters.http.retrieval import retrieval_routes
from adapters.http.table import ENDPOINTS, api_routes

CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}


def create_app(parts: HttpParts) -> FastAPI:
    """One application for one run: the lifespans of other protocols can be entered once."""
    app = FastAPI(
        title="Rearview",
        version=parts.version,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan(parts),
        # Spans and logs of a framework would carry what people said; ours carry route names.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.router.redirect_slashes = False
    app.router.routes.extend(
        [*api_routes(parts), *_own_pages(parts), *dify_routes(parts), *retrieval_routes(parts), *parts.extra_routes]
    )
    app.add_exception_handler(HTTPException, _framework_problem)
    app.add_exception_handler(Exception, _unexpected_problem)
    app.add_middleware(Doors, parts=parts)
    return app


def _lifespan(parts: HttpParts):  # type: ignore[no-untyped-def]  # FastAPI's own type for this is private.
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for enter in parts.lifespans:
                await stack.enter_async_context(enter())
            yield

    return lifespan


def _own_pages(parts: HttpParts) -> Sequence[Route]:
    description = to_json(openapi_document(ENDPOINTS, version=parts.version, public_url=parts.public_url))
    page = docs_page(ENDPOINTS, version=parts.version)

    async def healthz(_: Request) -> Response:
        return _json({"status": "ok", "version": parts.version})

    async def readyz(_: Request) -> Response:
        ready, progress = await parts.ready()
        return _json({"status": "ready" if ready else "recovering", **progress}, 200 if ready else 503)

    async def openapi(_: Request) -> Response:
        return Response(description, media_type="application/json")

    async def docs(_: Request) -> Response:
        return HTMLResponse(page)

    return [Route("/healthz", healthz), Route("/readyz", readyz), Route("/openapi.json", openapi), Route("/docs", docs)]


def _json(values: dict[str, object], status: int = 200) -> Response:
    headers = {"Retry-After": "1"} if status == 503 else None
    return Response(to_json(values), status, headers, "application/json")


async def _framework_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = CODES.get(error.status_code, "rejected")
    detail = "There is nothing at this path." if error.status_code == 404 else "The request cannot be taken."
    return _problem(request, HttpProblem(error.status_code, code, detail, headers=error.headers))


async def _unexpected_problem(request: Request, _: Exception) -> Response:
    # The error goes on to the server's log after this answer; its text may hold content and is not for clients.
    return _problem(request, HttpProblem(500, "internal", "Something went wrong inside. It was logged."))


def _problem(request: Request, problem: HttpProblem) -> Response:
    body = document(problem, request.scope.get("rearview.request_id", ""))
    return Response(body, problem.status, problem.headers, PROBLEM_JSON)
