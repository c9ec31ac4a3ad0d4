"""One request of a browser on its way through: who it is, what it brought, and how to ask and answer."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Literal
from urllib.parse import parse_qsl, quote, unquote_to_bytes

from starlette.types import Receive, Scope

from actors.directory import ASKED_BY
from adapters.console.parts import FORM_BYTES_MAX, FORM_FIELDS_MAX, ConsoleParts
from adapters.console.sessions import Session
from adapters.identity import Principal, ceiling_of, readable_spaces, require_space_write, within_sight
from engine.errors import InvalidMemory, TooLarge
from engine.normalise import refuse_bad_characters

ROOT = "/console"
NoticeKind = Literal["good", "warning", "bad"]


class BrowserGone(Exception):
    """The browser hung up in the middle of its own request; there is nobody to answer."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A page, or a part of one, from a template."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Goto:
    """Look at another page, as after every change that was made."""

    where: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes as they are: a style sheet, a file to keep."""

    body: bytes
    media: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes as they come: a file too large to hold."""

    pieces: AsyncIterator[bytes]
    media: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Visit:
    """`user` is inside the token ("" where a page is about none); `query` and `form` hold the first value of each name,
    `lists` all values of the form.
    """

    parts: ConsoleParts
    scope: Scope
    session: Session | None
    principal: Principal | None
    user: str = ""
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    lists: Mapping[str, list[str]] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"
    theme: str = "auto"

    @property
    def who(self) -> Principal:
        """The caller of a page that needs one."""
        assert self.principal is not None, "the page is open to everybody, so it has no caller"
        return self.principal

    @property
    def here(self) -> Session:
        """The session of a page that needs one."""
        assert self.session is not None, "the page is open to everybody, so it has no session"
        return self.session

    @property
    def may_write(self) -> bool:
        return self.principal is not None and self.principal.may("write")

    @property
    def is_admin(self) -> bool:
        return self.principal is not None and self.principal.may("admin")

    @property
    def section(self) -> str:
        """Which entry of the navigation this page belongs to: the segment after the user."""
        segments = self.scope["path"].removeprefix(ROOT + "/").split("/")
        return segments[2] if len(segments) > 2 and segments[0] == "u" else segments[0]

    @property
    def address(self) -> str:
        """Where this page is, to come back to after changing language or colours."""
        if self.scope["method"] != "GET":
            return self.about("memories") if self.user else ROOT
        path = self.scope.get("raw_path", b"").decode("latin-1")
        query = self.scope["query_string"].decode("latin-1")
        return f"{path}?{query}" if query else path

    @property
    def partial(self) -> str:
        """The id of the part of the page that the browser asks for, "" for the whole page."""
        return header(self.scope, b"hx-target") if header(self.scope, b"hx-request") else ""

    def t(self, english: str, chinese: str) -> str:
        """One of two, in the language of the page."""
        return chinese if self.language == "zh" else english

    def url(self, *segments: str, **query: str) -> str:
        """The address of a page of the console; what is about a user starts with "u", user."""
        return url(*segments, **query)

    def about(self, *segments: str, **query: str) -> str:
        """The address of a page about this user."""
        return url("u", self.user, *segments, **query)

    def notice(self, kind: NoticeKind, english: str, chinese: str) -> None:
        """Say this on the next page."""
        self.here.notices.append((kind, self.t(english, chinese)))

    def say(self, kind: NoticeKind, sentence: str) -> None:
        """Say this, in the words of the engine, on the next page."""
        self.here.notices.append((kind, sentence))

    async def ask(self, op: str, args: Mapping[str, object], *, once: bool = False) -> dict[str, object]:
        """Ask this user's actor. `once` passes the form's own key on, so that a form sent twice counts once."""
        key = self._key() if once else ""
        asked_by = ASKED_BY.set(self.who.token_id)
        try:
            reply = await self.parts.directory.ask(self.user, op, args, idempotency_key=key, client=self.who.agent)
            return within_sight(self.who, reply)
        finally:
            ASKED_BY.reset(asked_by)

    def _key(self) -> str:
        """The key of the form. It is kept with what the form did, so it has the bounds of other keys."""
        key = f"console-{given}" if (given := self.form.get("once", "")) else ""
        if len(key) > (chars_max := self.parts.policy.limits.idempotency_key_chars_max):
            raise TooLarge.of(f"At most {chars_max} characters.", field="once")
        refuse_bad_characters(key, "once")
        return key

    def sight(self) -> dict[str, object]:
        """The arguments that bound what an actor shows to what the token may see."""
        return {"spaces": list(readable_spaces(self.who)), "max_sensitivity": self.who.max_sensitivity}

    def ceiling(self) -> dict[str, object]:
        return ceiling_of(self.who)

    async def memory(self, memory_id: str) -> dict[str, object]:
        """One memory with its history. Raises: UnknownMemory, also for one that the token cannot see."""
        return await self.ask("get", {"memory_id": memory_id, **self.sight()})

    async def require_writable(self, memory_id: str) -> dict[str, object]:
        """The memory, held against a token for some spaces only. Raises: UnknownMemory, Forbidden."""
        memory = await self.memory(memory_id)
        require_space_write(self.who, str(memory["space"]))
        return memory


def url(*segments: str, **query: str) -> str:
    """An address below /console; whatever stands in a segment stays inside it."""
    path = "/".join([ROOT, *(quote(segment, safe="") for segment in segments)])
    given = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items() if value)
    return f"{path}?{given}" if given else path


def header(scope: Scope, name: bytes) -> str:
    """The first header of this (lower-case) name, or an empty string."""
    return next((value.decode("latin-1") for n, value in scope["headers"] if n == name), "")


def cookies_of(scope: Scope) -> dict[str, str]:
    """The cookies that came; none at all when they are not well formed."""
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(header(scope, b"cookie"))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}


def decoded(value: str, name: str) -> str:
    """A path segment as it was meant. It was routed still encoded, so `%2F` is part of an id."""
    try:
        return unquote_to_bytes(value.encode("latin-1")).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        raise InvalidMemory.of("It is not UTF-8.", field=name) from None


def pairs_of(raw: bytes, where: str) -> dict[str, list[str]]:
    """Names and values of a query string or a form. Raises: InvalidMemory."""
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=FORM_FIELDS_MAX)
    except ValueError:
        raise InvalidMemory.of("It is not UTF-8, or has too many parts.", field=where) from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        # Browsers send line ends of forms as CR LF, whatever the text had.
        found.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return found


async def body_of(receive: Receive, bytes_max: int = FORM_BYTES_MAX) -> bytes:
    """The whole body. Raises: TooLarge, BrowserGone."""
    pieces, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BrowserGone
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size > bytes_max:
            raise TooLarge.of(f"At most {bytes_max} bytes in one form.", field="form")
        pieces.append(piece)
        more = message.get("more_body", False)
    return b"".join(pieces)
