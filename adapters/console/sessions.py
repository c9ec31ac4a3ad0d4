"""Who is signed in. A cookie holds 256 random bits and nothing else; what it stands for stays in this process.

The token itself is kept here in memory, never in the browser, because it must be held against the list of tokens at
every request: a token that is revoked ends its sessions too. Behind a balancer with several processes, a browser must
come back to the process it signed in at, or sign in again.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field

from adapters.console.parts import (
    RECENT_USERS_MAX,
    SESSION_IDLE_MS,
    SESSION_LIFE_MS,
    SESSIONS_MAX,
    SESSIONS_PER_TOKEN_MAX,
)


@dataclass(slots=True)
class Session:
    """One browser. `csrf` is what its forms must bring along; `notices` are shown once, on the next page."""

    token: str = field(repr=False)
    csrf: str = field(repr=False)
    opened_ms: int
    seen_ms: int
    notices: list[tuple[str, str]] = field(default_factory=list)
    recent_users: list[str] = field(default_factory=list)

    def came_with(self, csrf: str) -> bool:
        """Whether a form was made by one of this session's own pages."""
        return hmac.compare_digest(csrf.encode("utf-8", "surrogatepass"), self.csrf.encode())

    def visited(self, user: str) -> None:
        """Remember a user id for the list of the ones looked at last."""
        if user in self.recent_users:
            self.recent_users.remove(user)
        self.recent_users.insert(0, user)
        del self.recent_users[RECENT_USERS_MAX:]


class Sessions:
    """Every session of this process. `new_secret` gives 256 random bits as text."""

    def __init__(self, *, now_ms: Callable[[], int], new_secret: Callable[[], str]) -> None:
        self._now_ms = now_ms
        self._new_secret = new_secret
        self._open: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._open)

    def open(self, token: str) -> str:
        """Begin a session; returns the secret for the cookie. The session not seen for longest makes room."""
        now_ms = self._now_ms()
        for key in [key for key, session in self._open.items() if _over(session, now_ms)]:
            del self._open[key]
        own = [key for key, session in self._open.items() if session.token == token]
        # One token must not push the sessions of all the others out.
        if len(own) >= SESSIONS_PER_TOKEN_MAX or len(self._open) >= SESSIONS_MAX:
            crowd = own if len(own) >= SESSIONS_PER_TOKEN_MAX else self._open
            del self._open[min(crowd, key=lambda key: self._open[key].seen_ms)]
        secret = self._new_secret()
        self._open[_key(secret)] = Session(token, self._new_secret(), now_ms, now_ms)
        return secret

    def find(self, secret: str) -> Session | None:
        """The session of a cookie, or None when there is none or it is over."""
        session = self._open.get(_key(secret)) if secret else None
        if session is None:
            return None
        now_ms = self._now_ms()
        if _over(session, now_ms):
            self.close(secret)
            return None
        session.seen_ms = now_ms
        return session

    def close(self, secret: str) -> None:
        """End a session; unknown ones are over already."""
        self._open.pop(_key(secret), None)


def _over(session: Session, now_ms: int) -> bool:
    return now_ms - session.opened_ms >= SESSION_LIFE_MS or now_ms - session.seen_ms >= SESSION_IDLE_MS


def _key(secret: str) -> str:
    # Looked up by its hash, so that how long a look-up takes says nothing about the secrets that are there.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
