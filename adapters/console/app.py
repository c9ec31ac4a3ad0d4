"""The console put together: its routes, for whoever serves HTTP."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from adapters.console import ask, forgetting, health, memories, memory, replay, review, trail, transfer
from adapters.console.entry import entry_pages
from adapters.console.pages import Assets, Printer
from adapters.console.parts import ConsoleParts
from adapters.console.sessions import Sessions
from adapters.console.site import Page, Refused, Site
from adapters.console.visit import ROOT, Visit

USER_PAGES: tuple[Page, ...] = (
    *memories.PAGES,
    *memory.PAGES,
    *review.PAGES,
    *ask.PAGES,
    *replay.PAGES,
    *forgetting.PAGES,
    *transfer.PAGES,
    *trail.PAGES,
)


def console_routes(parts: ConsoleParts) -> list[Route]:
    """Every page below /console, an answer for what is none, and the way there from the bare address."""
    assets = Assets()
    sessions = Sessions(now_ms=parts.now_ms, new_secret=parts.new_secret)
    site = Site(parts, sessions, Printer(assets, parts.version))
    nowhere = Page(method="GET", path="/{rest:path}", handler=_nowhere, about="service")
    pages = site.routes([*entry_pages(site, assets), *health.PAGES, *USER_PAGES, nowhere])
    return [Route("/", _front, methods=["GET"]), *pages]


async def _front(_: Request) -> Response:
    # Who opens the address that the service printed is a person with a browser.
    return RedirectResponse(ROOT, 303, {"cache-control": "no-store"})


async def _nowhere(_: Visit) -> None:  # type: ignore[return]  # It never answers.
    raise Refused(404, "There is no such page.", "没有这个页面。")
