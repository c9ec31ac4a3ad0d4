"""One snapshot as bytes that can be checked before anything is believed.

    magic 8 | version 2 | reserved 2 | payload length 8 | SHA-256 32 | payload
    payload = header length 4 | header (msgpack map) | state | vectors | words (where the header has `words_bytes`)

Numbers are big-endian. The hash covers everything before and after itself, so any flipped bit and any truncation is
noticed. The header names the user, so that two users' files cannot be swapped. `key_id` is reserved for encryption.
"""

import hashlib
import struct
from typing import Any

import msgpack

from engine.errors import Corrupt
from persistence.values import Snapshot

MAGIC = b"RVSNAP\r\n"
VERSION = 1
_PREFIX = struct.Struct(">8sHHQ")
_HASH_BYTES = 32
_LENGTH = struct.Struct(">I")
_WORDS = "words_bytes"  # Left out where there are none, as in files of older releases.
_AUDIT = "audit"  # Likewise: number and chain hash of the last audit entry.
_HEADER_NAMES = {"user", "epoch", "seq", "chain", "space", "key_id", "rows", "state_bytes", "vectors_bytes"}


def frame(snapshot: Snapshot) -> list[bytes]:
    """The parts of the file, in order. They are not joined, because vectors may take tens of megabytes."""
    fields: dict[str, object] = {
        "user": snapshot.user_id,
        "epoch": snapshot.epoch,
        "seq": snapshot.seq,
        "chain": snapshot.chain,
        "space": snapshot.space_id,
        "key_id": snapshot.key_id,
        "rows": list(snapshot.vector_rows),
        "state_bytes": len(snapshot.state),
        "vectors_bytes": len(snapshot.vectors),
    }
    if snapshot.words:
        fields[_WORDS] = len(snapshot.words)
    if snapshot.audit_number:
        fields[_AUDIT] = [snapshot.audit_number, snapshot.audit_chain]
    header = msgpack.packb(fields, use_bin_type=True)
    payload = [_LENGTH.pack(len(header)), header, snapshot.state, snapshot.vectors, snapshot.words]
    prefix = _PREFIX.pack(MAGIC, VERSION, 0, sum(map(len, payload)))
    return [prefix, _digest(prefix, payload), *payload]


def unframe(data: bytes, user_id: str) -> Snapshot:
    """The snapshot inside. Raises Corrupt unless every byte is as written and it belongs to this user."""
    start = _PREFIX.size + _HASH_BYTES
    if len(data) < start:
        raise Corrupt.of("The snapshot is cut short.")
    magic, version, reserved, length = _PREFIX.unpack_from(data)
    view = memoryview(data)
    if magic != MAGIC:
        raise Corrupt.of("This is no snapshot file.")
    if len(data) != start + length:
        raise Corrupt.of("The snapshot has another length than it says.")
    if _digest(view[: _PREFIX.size], [view[start:]]) != data[_PREFIX.size : start]:
        raise Corrupt.of("The snapshot's bytes do not match its SHA-256.")
    if (version, reserved) != (VERSION, 0):
        raise Corrupt.of("The snapshot is in a format that this release does not know; use the release that wrote it.")
    return _snapshot(data, start, user_id)


def _snapshot(data: bytes, start: int, user_id: str) -> Snapshot:
    """From here on the bytes are as we wrote them; a surprise means that another program wrote them."""
    header_start = start + _LENGTH.size
    state_start = header_start + _LENGTH.unpack_from(data, start)[0]
    header = _header(data[header_start:state_start])
    if header["user"] != user_id:
        raise Corrupt.of("The snapshot belongs to another user.")
    vectors_start = state_start + header["state_bytes"]
    words_start = vectors_start + header["vectors_bytes"]
    if words_start + header.get(_WORDS, 0) != len(data):
        raise Corrupt.of("The snapshot's parts do not add up.")
    audit_number, audit_chain = header.get(_AUDIT, (0, b""))
    return Snapshot(
        user_id=user_id,
        epoch=header["epoch"],
        seq=header["seq"],
        chain=header["chain"],
        space_id=header["space"],
        state=data[state_start:vectors_start],
        vectors=data[vectors_start:words_start],
        vector_rows=tuple(header["rows"]),
        key_id=header["key_id"],
        words=data[words_start:],
        audit_number=audit_number,
        audit_chain=audit_chain,
    )


def _header(packed: bytes) -> dict[str, Any]:
    try:
        header = msgpack.unpackb(packed, raw=False)
    except (ValueError, msgpack.UnpackException) as error:
        raise Corrupt.of("The snapshot's header cannot be read.") from error
    if not isinstance(header, dict) or header.keys() - {_WORDS, _AUDIT} != _HEADER_NAMES:
        raise Corrupt.of("The snapshot's header has other fields than this release knows.")
    return header


def _digest(prefix: bytes | memoryview, payload: list[bytes] | list[memoryview]) -> bytes:
    digest = hashlib.sha256(prefix)
    for part in payload:
        digest.update(part)
    return digest.digest()
