"""Bytes of one user, sealed with that user's data key: AES-256-GCM, so that no byte can be changed or moved unnoticed.

An entry is sealed whole: `C1 01 | key id 8 | nonce 12 | ciphertext and tag`. No msgpack begins with C1, which is how
entries of before are told apart. A snapshot keeps its header readable, because recovery must choose one without a key;
its state, vectors and words are sealed one by one as `nonce 12 | ciphertext and tag`, and what the header says is bound
to them. Nonces are random: with 2**32 pieces under one key the chance that two share one is below 2**-32.

The hash chain is over the sealed bytes, so journal, recovery and doctor check it without any key.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import msgpack
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.errors import Corrupt
from persistence.values import Snapshot

MARK = b"\xc1\x01"
KEY_ID_BYTES = 8
NONCE_BYTES = 12
DATA_KEY_BYTES = 32
_START = len(MARK) + KEY_ID_BYTES

RandomBytes = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class DataKey:
    """The secret of one user. `key_id` is random and says nothing of the key."""

    key_id: bytes
    key: bytes

    def __repr__(self) -> str:
        return f"DataKey({self.key_id.hex()})"


class Sealer:
    """Seals and opens what is stored of one user. Without a key it passes everything through as it is.

    `seals`: whether new bytes are sealed; old ones are opened either way.
    """

    def __init__(self, user_id: str, data_key: DataKey | None, *, seals: bool, random_bytes: RandomBytes) -> None:
        assert data_key is not None or not seals, "nothing is sealed without a key"
        self.seals = seals
        self._user = user_id.encode("utf-8")
        self._data_key = data_key
        self._random_bytes = random_bytes
        self._aes = None if data_key is None else AESGCM(data_key.key)

    @property
    def key_id(self) -> str:
        """The id of the key in use, or an empty string."""
        return "" if self._data_key is None else self._data_key.key_id.hex()

    def seal_entry(self, seq: int, body: bytes) -> bytes:
        """The body as it is stored."""
        if not self.seals:
            return body
        assert self._data_key is not None
        return MARK + self._data_key.key_id + self._seal(body, self._of_entry(seq))

    def open_entry(self, seq: int, stored: bytes) -> bytes:
        """The body that was stored. Raises: Corrupt when it was sealed with another key or for another place."""
        if stored[: len(MARK)] != MARK:
            return stored
        self._check(stored[len(MARK) : _START].hex(), f"Journal entry {seq}")
        return self._open(stored[_START:], self._of_entry(seq), f"Journal entry {seq}")

    def seal_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot as it is stored; an empty part stays empty."""
        if not self.seals:
            return snapshot
        named = replace(snapshot, key_id=self.key_id)
        return replace(
            named,
            state=self._seal(snapshot.state, _of_part(named, "state")),
            vectors=self._seal(snapshot.vectors, _of_part(named, "vectors")) if snapshot.vectors else b"",
            words=self._seal(snapshot.words, _of_part(named, "words")) if snapshot.words else b"",
        )

    def open_snapshot(self, stored: Snapshot) -> Snapshot:
        """The snapshot that was stored, with an empty key id. Raises: Corrupt as `open_entry`."""
        if not stored.key_id:
            return stored
        what = f"The snapshot of entry {stored.seq}"
        self._check(stored.key_id, what)
        return replace(
            stored,
            key_id="",
            state=self._open(stored.state, _of_part(stored, "state"), what),
            vectors=self._open(stored.vectors, _of_part(stored, "vectors"), what) if stored.vectors else b"",
            words=self._open(stored.words, _of_part(stored, "words"), what) if stored.words else b"",
        )

    def _of_entry(self, seq: int) -> bytes:
        return b"rearview entry\0" + seq.to_bytes(8, "big") + self._user

    def _seal(self, plain: bytes, bound_to: bytes) -> bytes:
        assert self._aes is not None
        nonce = self._random_bytes(NONCE_BYTES)
        assert len(nonce) == NONCE_BYTES
        return nonce + self._aes.encrypt(nonce, plain, bound_to)

    def _open(self, sealed: bytes, bound_to: bytes, what: str) -> bytes:
        assert self._aes is not None
        try:
            return self._aes.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound_to)
        except (InvalidTag, ValueError):
            raise Corrupt.of(f"{what} cannot be opened: its bytes were altered, or are of another place.") from None

    def _check(self, key_id: str, what: str) -> None:
        if not self.key_id:
            raise Corrupt.of(f"{what} is sealed, and this user has no key any more.")
        if key_id != self.key_id:
            raise Corrupt.of(f"{what} is sealed with another key than this user's.")


def _of_part(snapshot: Snapshot, part: str) -> bytes:
    """Everything that the header says, so that no part can be moved to another snapshot, user or order of rows."""
    audit = [snapshot.audit_number, snapshot.audit_chain] if snapshot.audit_number else []
    packed: bytes = msgpack.packb(
        [
            "rearview snapshot",
            part,
            snapshot.user_id,
            snapshot.epoch,
            snapshot.seq,
            snapshot.chain,
            snapshot.space_id,
            snapshot.key_id,
            list(snapshot.vector_rows),
            *audit,
        ],
        use_bin_type=True,
    )
    return packed
