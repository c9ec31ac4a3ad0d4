"""What the HTTP application is made from; `rearview.wiring` fills it in."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from starlette.routing import BaseRoute

from adapters.http.metrics import Metrics
from adapters.identity import Principal
from adapters.observed import Asks
from adapters.rates import Rates
from adapters.tokens import TokenBook
from engine.policy import Limits

BODY_BYTES_MAX = 1 << 20  # one call; an import is a stream without an end
IMPORT_LINE_BYTES_MAX = 256 * 1024
IMPORT_BATCH_LINES = 200
IMPORT_BATCH_BYTES = 256 * 1024
IMPORT_DOCUMENT_BYTES_MAX = 32 << 20  # for `application/json`, which cannot be read by lines
IMPORT_REFUSED_SHOWN_MAX = 1_000
EXPORT_PAGE_LINES = 200
QUERY_CHARS_MAX = 16_384
PATH_CHARS_MAX = 8_192

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")


class Moves(Protocol):
    """Moves everybody's vectors to another embedding model; `rearview.moving` is one."""

    async def start(self, wanted: Mapping[str, object]) -> dict[str, object]: ...

    async def status(self) -> dict[str, object]: ...


async def _ready() -> tuple[bool, dict[str, object]]:
    return True, {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpParts:
    """`allowed_hosts` are names, for any port unless they name one; `allowed_origins` are further web pages that may
    call, as `https://name`; `scope_user` makes what other protocols look for in `scope["user"]`; `maintain_all` runs
    what is due for every user and returns counts; `more_metrics` adds lines from other processes to `/metrics`;
    `other_tokens` knows tokens that are not in the book, such as an issuer's.
    """

    directory: Asks
    tokens: TokenBook
    rates: Rates
    now_ms: Callable[[], int]
    new_id: Callable[[], str]
    version: str = "0"
    limits: Limits = field(default_factory=Limits)
    ready: Callable[[], Awaitable[tuple[bool, dict[str, object]]]] = _ready
    maintain_all: Callable[[], Awaitable[dict[str, object]]] | None = None
    allowed_hosts: tuple[str, ...] = LOOPBACK_HOSTS
    allowed_origins: tuple[str, ...] = ()
    public_url: str = "http://127.0.0.1:8100"
    extra_routes: Sequence[BaseRoute] = ()
    lifespans: Sequence[Callable[[], AbstractAsyncContextManager[None]]] = ()
    scope_user: Callable[[Principal], object] | None = None
    metrics: Metrics = field(default_factory=Metrics)
    more_metrics: Callable[[], Awaitable[str]] | None = None
    mover: "Moves | None" = None
    other_tokens: Callable[[str], Awaitable[Principal | None]] | None = None
