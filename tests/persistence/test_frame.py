"""No damaged snapshot is ever believed."""

import hashlib
from dataclasses import replace

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Corrupt
from persistence.frame import MAGIC, frame, unframe
from tests.contract.test_snapshots import snapshot

WHOLE = b"".join(frame(snapshot()))


def test_an_untouched_frame_is_read() -> None:
    assert unframe(WHOLE, "alice") == snapshot()


def test_a_keyword_index_travels_along_and_a_frame_without_one_is_as_before() -> None:
    with_words = replace(snapshot(), words=b"words")
    data = b"".join(frame(with_words))
    assert unframe(data, "alice") == with_words
    assert b"words_bytes" in data
    assert b"words_bytes" not in WHOLE
    for length in range(len(data)):
        with pytest.raises(Corrupt):
            unframe(data[:length], "alice")


@pytest.mark.parametrize("bit", range(8))
def test_every_single_bit_flip_is_refused(bit: int) -> None:
    for position in range(len(WHOLE)):
        data = bytearray(WHOLE)
        data[position] ^= 1 << bit
        with pytest.raises(Corrupt):
            unframe(bytes(data), "alice")


def test_every_truncation_and_every_extra_byte_is_refused() -> None:
    for length in range(len(WHOLE)):
        with pytest.raises(Corrupt):
            unframe(WHOLE[:length], "alice")
    with pytest.raises(Corrupt):
        unframe(WHOLE + b"\0", "alice")


@given(st.binary(max_size=200))
def test_foreign_bytes_are_refused(data: bytes) -> None:
    for foreign in (data, MAGIC + data, WHOLE[:52] + data):
        with pytest.raises(Corrupt):
            unframe(foreign, "alice")


def test_a_frame_of_another_format_version_is_refused_with_advice() -> None:
    prefix = WHOLE[:8] + (2).to_bytes(2, "big") + WHOLE[10:20]
    newer = prefix + hashlib.sha256(prefix + WHOLE[52:]).digest() + WHOLE[52:]
    with pytest.raises(Corrupt, match="use the release that wrote it"):
        unframe(newer, "alice")


def test_without_the_hash_a_flipped_bit_would_have_passed() -> None:
    """The positive control: the same payload, read as bare msgpack, accepts a changed letter."""
    payload = msgpack.packb({"content": "peanut"})
    assert msgpack.unpackb(payload.replace(b"peanut", b"peanuT")) == {"content": "peanuT"}
