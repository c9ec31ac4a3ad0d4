"""The master key: 32 bytes in a file, which wrap every user's data key. It never lies in the store or in a backup.

The store remembers the id of the key it was first used with. A service that is started with another one, or with none,
refuses before anything is written: it could read nobody, and what it wrote could later be read by nobody.
"""

import hashlib
import os
import re
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.errors import Corrupt, Unavailable
from persistence import keys
from persistence.redis_client import RedisClient
from persistence.sealing import DATA_KEY_BYTES, KEY_ID_BYTES, NONCE_BYTES, DataKey, RandomBytes

VERSION = b"\x01"
MASTER_KEY = "master_key"
"""Code of the Unavailable raised when the master key is missing, or another one than is needed."""

_HEX = re.compile(r"[0-9a-fA-F]{64}")
_START = len(VERSION) + 2 * KEY_ID_BYTES


class MasterKey:
    """Wraps data keys: `01 | master key id 8 | key id 8 | nonce 12 | ciphertext and tag`, bound to the user."""

    def __init__(self, key: bytes) -> None:
        assert len(key) == 32
        self._aes = AESGCM(key)
        self.key_id = hashlib.sha256(b"rearview master key\0" + key).digest()[:KEY_ID_BYTES]

    def __repr__(self) -> str:
        return f"MasterKey({self.key_id.hex()})"

    def wrap(self, user_id: str, data_key: DataKey, random_bytes: RandomBytes) -> bytes:
        """A data key as it may be stored."""
        start, nonce = VERSION + self.key_id + data_key.key_id, random_bytes(NONCE_BYTES)
        return start + nonce + self._aes.encrypt(nonce, data_key.key, start + user_id.encode("utf-8"))

    def unwrap(self, user_id: str, wrapped: bytes) -> DataKey:
        """The data key of this user. Raises: Unavailable (wrapped by another master key), Corrupt."""
        if wrapped[: len(VERSION)] != VERSION or len(wrapped) != _START + NONCE_BYTES + DATA_KEY_BYTES + 16:
            raise Corrupt.of("A user's wrapped key is in a form that this release does not know.")
        if master_of(wrapped) != self.key_id:
            raise Unavailable.of(_another(self.key_id, master_of(wrapped).hex()), code=MASTER_KEY)
        start, sealed = wrapped[:_START], wrapped[_START:]
        try:
            key = self._aes.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], start + user_id.encode("utf-8"))
        except InvalidTag:
            raise Corrupt.of("A user's wrapped key was altered, or it is another user's.") from None
        return DataKey(start[-KEY_ID_BYTES:], key)


def master_of(wrapped: bytes) -> bytes:
    """The id of the master key that wrapped this."""
    return wrapped[len(VERSION) : len(VERSION) + KEY_ID_BYTES]


def read_master_key(path: Path) -> MasterKey | None:
    """The key in a file, None when there is no such file. Raises: Unavailable for a file that holds none."""
    try:
        text = path.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable.of(
            f"The master key file {path} cannot be read ({error.strerror}).", code=MASTER_KEY
        ) from None
    if not _HEX.fullmatch(text):
        raise Unavailable.of(
            f"The master key file {path} must hold 64 hexadecimal digits (openssl rand -hex 32).", code=MASTER_KEY
        )
    return MasterKey(bytes.fromhex(text))


def make_master_key(path: Path, random_bytes: RandomBytes) -> MasterKey:
    """A new key in a file that only its owner may read.

    Durable: the file and its name when it returns; without it every memory sealed from now on would be lost.
    Raises:  OSError; also when the file is there already, which is never overwritten.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = random_bytes(32)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(key.hex().encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
    return MasterKey(key)


async def settle_master_key(
    client: RedisClient, path: Path, *, seals: bool, may_make: bool, random_bytes: RandomBytes
) -> None:
    """See that the key file and the store belong together; make the file where neither knows a key yet.

    Raises: Unavailable with what to do; nothing was changed then.
    """
    known, master = await client.read("GET", keys.MASTER_KEY), read_master_key(path)
    if master is None and known is not None:
        raise Unavailable.of(
            f"The master key file {path} is missing, and this store is sealed with master key {_shown(known)}. Put the "
            "file back, or name it with REARVIEW_ENCRYPTION__KEY_FILE. Nothing was changed.",
            code=MASTER_KEY,
        )
    if master is None and not seals:
        return
    if master is None and not may_make:
        raise Unavailable.of(
            f"There is no master key file {path}. Make one: openssl rand -hex 32 > {path}", code=MASTER_KEY
        )
    if master is None:
        master = make_master_key(path, random_bytes)
    await client.read("SET", keys.MASTER_KEY, master.key_id.hex(), "NX")
    known = await client.read("GET", keys.MASTER_KEY)
    if known != master.key_id.hex().encode():
        sentence = f"{_another(master.key_id, _shown(known))} It is read from {path}. Nothing was changed."
        raise Unavailable.of(sentence, code=MASTER_KEY)


def _another(used: bytes, wanted: str) -> str:
    return (
        f"Another master key is in use ({used.hex()}) than the one that this store is sealed with ({wanted}). Put the "
        "right file back."
    )


def _shown(known: bytes | None) -> str:
    return (known or b"").decode("ascii", "replace")
