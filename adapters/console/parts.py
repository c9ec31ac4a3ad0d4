"""What the console is made from; `rearview.stack` fills it in."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from adapters.identity import Principal
from adapters.observed import Asks
from adapters.rates import Rates
from engine.policy import Policy

FORM_BYTES_MAX = 1 << 20
FORM_FIELDS_MAX = 2_000
SESSION_LIFE_MS = 12 * 3_600_000
SESSION_IDLE_MS = 2 * 3_600_000
SESSIONS_MAX = 10_000
SESSIONS_PER_TOKEN_MAX = 100
RECENT_USERS_MAX = 8
PIECE_LINES_MAX = 500
PIECE_BYTES_MAX = 8 << 20

Verify = Callable[[str], Awaitable[Principal | None]]
Health = Callable[[], Awaitable[Mapping[str, object]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleParts:
    """`verify` says whose token this is, ours or an issuer's; `new_secret` gives 256 random bits as text, for sessions;
    `public_url` is the address that browsers use where a proxy stands in front, or empty;
    `health` says how the service is (`rearview.health`).
    """

    directory: Asks
    verify: Verify
    rates: Rates
    now_ms: Callable[[], int]
    new_id: Callable[[], str]
    new_secret: Callable[[], str]
    version: str = "0"
    public_url: str = ""
    policy: Policy = field(default_factory=Policy)
    health: Health | None = None
