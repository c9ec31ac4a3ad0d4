"""Which host a user lives on: rendezvous hashing, so that another number of hosts moves as few users as possible.

Each user has exactly one host name at a time. Users that match a `dedicated` pattern have a host of their own,
named by a hash of the id, because a host name shows up in process lists and logs where an id must not.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Placement:
    """Names of the shared hosts, and shell-style patterns of the users who get a host of their own."""

    hosts: tuple[str, ...]
    dedicated: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.hosts, "at least one shared host is needed"
        assert len(set(self.hosts)) == len(self.hosts), "host names are distinct"

    @staticmethod
    def shared(count: int, dedicated: Sequence[str] = ()) -> "Placement":
        """`count` hosts with the usual names."""
        return Placement(tuple(f"host-{index}" for index in range(count)), tuple(dedicated))

    def is_dedicated(self, user_id: str) -> bool:
        return any(fnmatchcase(user_id, pattern) for pattern in self.dedicated)

    def host_of(self, user_id: str) -> str:
        """The one host name of this user."""
        user = user_id.encode("utf-8", "surrogatepass")
        if self.is_dedicated(user_id):
            return "dedicated-" + hashlib.sha256(user).hexdigest()[:32]
        if len(self.hosts) == 1:
            return self.hosts[0]
        return max(self.hosts, key=lambda name: hashlib.blake2b(user, key=name.encode(), digest_size=8).digest())
