"""Which key seals what is stored of a user. The wrapped key lies in the head of the journal and goes with it.

An erasure that drops the head therefore drops the key: whatever copy of the sealed bytes is left somewhere can never
be read again, once the store's own file was rewritten.
"""

from engine.errors import Unavailable
from persistence import keys
from persistence.master_key import MASTER_KEY, MasterKey
from persistence.redis_client import RedisClient
from persistence.sealing import DATA_KEY_BYTES, KEY_ID_BYTES, DataKey, RandomBytes, Sealer

FIELD = "key"


class RedisUserKeys:
    """See `actors.ports.UserKeys`."""

    def __init__(
        self, client: RedisClient, master: MasterKey | None, *, seals: bool, random_bytes: RandomBytes
    ) -> None:
        """`seals`: whether new bytes are sealed. Without a master key nobody who has a key can be read."""
        self._client = client
        self._master = master
        self._seals = seals
        self._random_bytes = random_bytes

    async def of(self, user_id: str) -> Sealer:
        """The sealer of a user, with a key that is made at the first use.

        Raises: Unavailable (the master key is missing or another one, or the store cannot be reached), Corrupt.
        """
        found = await self._wrapped(user_id)
        if found is None and not self._seals:
            return Sealer(user_id, None, seals=False, random_bytes=self._random_bytes)
        if self._master is None:
            raise _missing()
        if found is None:
            new = DataKey(self._random_bytes(KEY_ID_BYTES), self._random_bytes(DATA_KEY_BYTES))
            wrapped = self._master.wrap(user_id, new, self._random_bytes)
            # Only where there is none: another owner may have been faster, and theirs is in use already then.
            await self._client.read("HSETNX", keys.head(user_id), FIELD, wrapped)
            found = await self._wrapped(user_id)
            assert found is not None, "it was put there just now"
        data_key = self._master.unwrap(user_id, found)
        return Sealer(user_id, data_key, seals=self._seals, random_bytes=self._random_bytes)

    async def look(self, user_id: str) -> Sealer:
        """The same, but nobody gets a new key. Raises: as `of`."""
        found = await self._wrapped(user_id)
        if found is None:
            return Sealer(user_id, None, seals=False, random_bytes=self._random_bytes)
        if self._master is None:
            raise _missing()
        data_key = self._master.unwrap(user_id, found)
        return Sealer(user_id, data_key, seals=False, random_bytes=self._random_bytes)

    async def _wrapped(self, user_id: str) -> bytes | None:
        found: bytes | None = await self._client.read("HGET", keys.head(user_id), FIELD)
        return found


def _missing() -> Unavailable:
    return Unavailable.of(
        "The master key is missing, so this user's memories can be neither read nor sealed.", code=MASTER_KEY
    )


class PlainUserKeys:
    """Keys in memory, or none. `keys` is open to tests that take one away; an erasure does not reach it."""

    def __init__(self, random_bytes: RandomBytes | None = None) -> None:
        """With `random_bytes` everything is sealed."""
        self.keys: dict[str, DataKey] = {}
        self._random_bytes = random_bytes

    async def of(self, user_id: str) -> Sealer:
        if self._random_bytes is None:
            return Sealer(user_id, None, seals=False, random_bytes=bytes)
        if user_id not in self.keys:
            self.keys[user_id] = DataKey(self._random_bytes(KEY_ID_BYTES), self._random_bytes(DATA_KEY_BYTES))
        return Sealer(user_id, self.keys[user_id], seals=True, random_bytes=self._random_bytes)

    look = of
