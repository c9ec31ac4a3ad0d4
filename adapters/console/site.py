"""The console as routes: every page is a `Page` in a table, and `Place` plays them all the same way.

So no page can forget who is asking, what they may, whether the form came from one of our own pages, or the headers.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from actors.directory import ASKED_BY
from adapters.console.pages import HEADERS, Printer
from adapters.console.parts import FORM_BYTES_MAX, ConsoleParts
from adapters.console.sessions import Session, Sessions
from adapters.console.shown import problem
from adapters.console.visit import (
    ROOT,
    BrowserGone,
    Goto,
    Raw,
    Shown,
    Stream,
    Visit,
    body_of,
    cookies_of,
    decoded,
    header,
    pairs_of,
    url,
)
from adapters.identity import Forbidden, Principal, resolve_user
from adapters.rates import Refusal
from adapters.statuses import status_of
from engine.errors import RearviewError, Unavailable

Answer = Shown | Goto | Raw | Stream
Handler = Callable[[Visit], Awaitable[Answer]]
COOKIE, LANGUAGE_COOKIE, THEME_COOKIE = "rearview_session", "rearview_language", "rearview_theme"
LANGUAGES, THEMES = ("en", "zh"), ("auto", "light", "dark")
HTML = "text/html; charset=utf-8"

_log = logging.getLogger("rearview.console")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One method of one path below /console. `about`: one user, the service as a whole, or open to everybody.

    A page with a `raw_body` takes bytes that are no form; the session's mark comes in a header then.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    role: str = "read"
    about: Literal["user", "service", "open"] = "user"
    body_bytes_max: int = FORM_BYTES_MAX
    raw_body: bool = False


class Refused(Exception):
    """A browser that did not come from one of our own pages, or a page that is not there."""

    def __init__(self, status: int, english: str, chinese: str) -> None:
        super().__init__(english)
        self.status = status
        self.english = english
        self.chinese = chinese


class Place:
    """An ASGI application for one path: its pages by method."""

    def __init__(self, path: str, pages: Mapping[str, Page], site: "Site") -> None:
        self._path = path
        self._pages = dict(pages)
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["rearview.route"] = ROOT + self._path
        visit = self._site.visit_of(scope)
        try:
            answer = await self._play(visit, scope, receive)
        except BrowserGone:
            return
        except Refused as refused:
            answer = _error_page(visit, refused.status, visit.t(refused.english, refused.chinese))
        except RearviewError as error:
            answer = _error_page(visit, status_of(error), problem(error, visit.language))
        except asyncio.CancelledError:
            answer = _error_page(visit, 503, Unavailable.of("The service is stopping.").sentence)
        await self._site.send(answer, visit, scope, send)

    async def _play(self, visit: Visit, scope: Scope, receive: Receive) -> Answer:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        page = self._pages.get(method)
        if page is None:
            raise Refused(405, "This page cannot be used that way.", "不能这样使用此页面。")
        if method != "GET":
            check_origin(scope, self._site.parts.public_url)
        if page.about != "open":
            session = visit.session
            principal = None if session is None else await self._site.parts.verify(session.token)
            if session is None or principal is None:
                return _sign_in_first(visit, scope)
            visit.principal = principal
            if (refusal := await self._site.parts.rates.admit(principal)) is not None:
                raise _too_many(refusal)
        visit.query = {name: values[0] for name, values in pairs_of(scope["query_string"], "query").items()}
        visit.path = {name: decoded(value, name) for name, value in scope["path_params"].items()}
        if method != "GET":
            await self._read_form(page, visit, scope, receive)
        if page.about == "open":
            return await page.handler(visit)
        asked_by = ASKED_BY.set(visit.who.token_id)  # Also for the note that a foreign user gets of a refusal.
        try:
            visit.user = _permitted(page, visit.who, visit.path.get("user"))
            if visit.user:
                visit.here.visited(visit.user)
            return await page.handler(visit)
        finally:
            ASKED_BY.reset(asked_by)

    async def _read_form(self, page: Page, visit: Visit, scope: Scope, receive: Receive) -> None:
        mark = header(scope, b"x-csrf-token")
        if not page.raw_body:
            kind = header(scope, b"content-type").partition(";")[0].strip().lower()
            if kind != "application/x-www-form-urlencoded":
                raise Refused(415, "That is not a form of this console.", "这不是本控制台的表单。")
            lists = pairs_of(await body_of(receive, page.body_bytes_max), "form")
            visit.lists, visit.form = lists, {name: values[0] for name, values in lists.items()}
            mark = visit.form.get("csrf", "") or mark
        else:
            visit.body = await body_of(receive, page.body_bytes_max)
        if page.about != "open" and not visit.here.came_with(mark):
            raise Refused(
                403,
                "This form is out of date, or it came from another site. Go back, reload and try again.",
                "此表单已失效，或来自其他网站。请返回、刷新后重试。",
            )


class Site:
    """What the pages share: sessions, templates, and how an answer leaves."""

    def __init__(self, parts: ConsoleParts, sessions: Sessions, printer: Printer) -> None:
        self.parts = parts
        self.sessions = sessions
        self._printer = printer
        self._secure = parts.public_url.startswith("https://")

    def routes(self, pages: Sequence[Page]) -> list[Route]:
        """One route per path."""
        by_path: dict[str, dict[str, Page]] = {}
        for page in pages:
            assert page.method not in by_path.get(page.path, {}), "two pages for one method and path"
            by_path.setdefault(page.path, {})[page.method] = page
        return [Route(ROOT + path, Place(path, methods, self)) for path, methods in by_path.items()]

    def visit_of(self, scope: Scope) -> Visit:
        """A visit with its session, language and colours, and nobody's memories yet."""
        cookies = cookies_of(scope)
        session: Session | None = self.sessions.find(cookies.get(COOKIE, ""))
        language = cookies.get(LANGUAGE_COOKIE, "")
        if language not in LANGUAGES:
            language = _spoken(header(scope, b"accept-language"))
        theme = cookies.get(THEME_COOKIE, "")
        return Visit(
            self.parts,
            scope,
            session,
            None,
            cookies=cookies,
            language=language,
            theme=theme if theme in THEMES else "auto",
        )

    def cookie(self, name: str, value: str, *, seconds: int | None = None) -> str:
        """A `Set-Cookie` value: not for scripts, not for other sites."""
        life = "" if seconds is None else f"; Max-Age={seconds}"
        return f"{name}={value}; Path={ROOT}; HttpOnly; SameSite=Strict{life}{'; Secure' if self._secure else ''}"

    async def send(self, answer: Answer, visit: Visit, scope: Scope, send: Send) -> None:
        """Let an answer leave, with the headers that all of them carry."""
        headers = {**HEADERS, **answer.headers}
        if isinstance(answer, Stream):
            return await _send_stream(answer, headers, scope, send)
        status, body = 200, b""
        if isinstance(answer, Goto):
            # htmx follows redirects unseen and would put the page into a part of the page; this makes it go there.
            by_script = bool(header(scope, b"hx-request"))
            status = 204 if by_script else 303
            headers["hx-redirect" if by_script else "location"] = answer.where
        elif isinstance(answer, Raw):
            body, headers["content-type"] = answer.body, answer.media
        else:
            status, headers["content-type"] = answer.status, HTML
            body = self._printer.html(answer, visit)
        headers["content-length"] = str(len(body))
        if status == 204:
            del headers["content-length"]
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


async def _send_stream(answer: Stream, headers: Mapping[str, str], scope: Scope, send: Send) -> None:
    raw = [
        (name.encode(), value.encode("latin-1")) for name, value in {**headers, "content-type": answer.media}.items()
    ]
    await send({"type": "http.response.start", "status": 200, "headers": raw})
    if scope["method"] != "HEAD":
        async for piece in answer.pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def check_origin(scope: Scope, public_url: str) -> None:
    """Refuse a form that another site sent. Browsers name the origin with every form; what names none is no browser."""
    scheme, _, name = header(scope, b"origin").lower().partition("://")
    ours = {header(scope, b"host").lower(), urlsplit(public_url).netloc.lower()} - {""}
    if scheme not in ("http", "https") or name not in ours:
        _log.warning("refused a form that did not come from a page of the console")
        raise Refused(403, "Forms are taken from this console's own pages only.", "只接受来自本控制台页面的表单。")


def _too_many(refusal: Refusal) -> Refused:
    seconds = max(1, refusal.retry_after_s)
    return Refused(
        429,
        f"This token may ask {refusal.limit} times; try again in {seconds} s.",
        f"此令牌的请求次数已达上限（{refusal.limit}），请在 {seconds} 秒后重试。",
    )


def _permitted(page: Page, principal: Principal, named: str | None) -> str:
    user = resolve_user(principal, named) if page.about == "user" else ""
    if not principal.may(page.role):
        raise Forbidden.of(f"This needs a token with the role {page.role}.")
    return user


def _sign_in_first(visit: Visit, scope: Scope) -> Goto:
    visit.session = None
    path = scope.get("raw_path", b"").decode("latin-1") if scope["method"] == "GET" else ""
    query = scope["query_string"].decode("latin-1")
    return Goto(url("sign-in", next=f"{path}?{query}" if query else path))


def _error_page(visit: Visit, status: int, sentence: str) -> Shown:
    template = "problem_part.html" if header(visit.scope, b"hx-request") else "problem.html"
    return Shown(template, {"sentence": sentence, "status": status}, status)


def _spoken(accepted: str) -> str:
    """The language a browser asks for first, of those that there are."""
    first = accepted.partition(",")[0].strip().lower()
    return "zh" if first.startswith("zh") else "en"
