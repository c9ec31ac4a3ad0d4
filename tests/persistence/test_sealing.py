"""What is sealed opens only with the right key, for the right user and in the right place."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Corrupt, Unavailable
from persistence.master_key import MasterKey
from persistence.sealing import MARK, DataKey, Sealer
from persistence.values import Snapshot

TEXT = b"\x82\xa1v\x01\xa6events\x90 My locker opens with 83174."
_numbers = itertools.count(1)


def different(count: int) -> bytes:
    """Bytes that never come twice, as random ones."""
    return next(_numbers).to_bytes(count, "big")


KEY = DataKey(b"k" * 8, b"s" * 32)


def sealer(user_id: str = "alice", data_key: DataKey | None = KEY, *, seals: bool = True) -> Sealer:
    return Sealer(user_id, data_key, seals=seals and data_key is not None, random_bytes=different)


SNAPSHOT = Snapshot(
    "alice", 3, 7, bytes(range(32)), "e5/384", b"state " + TEXT, b"vector00vector01", ("m1", "m2"), words=b"words"
)


@given(st.binary(min_size=1, max_size=300), st.integers(1, 2**53))
def test_an_entry_comes_back_as_it_was(body: bytes, seq: int) -> None:
    sealed = sealer().seal_entry(seq, body)
    assert sealer().open_entry(seq, sealed) == body
    assert body not in sealed or len(body) < 5


@given(st.data())
def test_no_bit_of_a_sealed_entry_can_be_changed(data: st.DataObject) -> None:
    sealed = bytearray(sealer().seal_entry(5, TEXT))
    sealed[data.draw(st.integers(0, len(sealed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    if bytes(sealed[:2]) != MARK:
        return  # It is taken for one that was never sealed, which the codec then refuses.
    with pytest.raises(Corrupt):
        sealer().open_entry(5, bytes(sealed))


def test_an_entry_does_not_open_elsewhere() -> None:
    sealed = sealer().seal_entry(5, TEXT)
    for other, seq in [
        (sealer(), 6),
        (sealer("bob"), 5),
        (sealer(data_key=DataKey(KEY.key_id, b"t" * 32)), 5),
        (sealer(data_key=DataKey(b"another!", KEY.key)), 5),
        (sealer(data_key=None), 5),
    ]:
        with pytest.raises(Corrupt):
            other.open_entry(seq, sealed)
    with pytest.raises(Corrupt):
        sealer().open_entry(5, sealed[:20])


def test_what_was_stored_before_sealing_still_opens_and_what_is_sealed_opens_after_it_was_turned_off() -> None:
    assert sealer().open_entry(5, TEXT) == TEXT
    assert sealer().open_snapshot(SNAPSHOT) == SNAPSHOT
    off = sealer(seals=False)
    assert off.seal_entry(6, TEXT) == TEXT
    assert off.seal_snapshot(SNAPSHOT) == SNAPSHOT
    assert off.open_entry(5, sealer().seal_entry(5, TEXT)) == TEXT
    assert off.open_snapshot(sealer().seal_snapshot(SNAPSHOT)) == SNAPSHOT


def test_a_sealed_snapshot_shows_its_header_and_nothing_else() -> None:
    sealed = sealer().seal_snapshot(SNAPSHOT)
    assert (sealed.user_id, sealed.seq, sealed.vector_rows) == ("alice", 7, ("m1", "m2"))
    assert sealed.key_id == KEY.key_id.hex()
    for plain in (b"state", b"vector0", b"words", TEXT):
        assert plain not in sealed.state + sealed.vectors + sealed.words
    assert sealer().open_snapshot(sealed) == SNAPSHOT
    without = replace(SNAPSHOT, vectors=b"", vector_rows=(), words=b"")
    assert sealer().open_snapshot(sealer().seal_snapshot(without)) == without


@pytest.mark.parametrize(
    "changed",
    [
        {"user_id": "bob"},
        {"epoch": 4},
        {"seq": 8},
        {"chain": bytes(32)},
        {"space_id": "other/384"},
        {"vector_rows": ("m2", "m1")},
        {"key_id": "00" * 8},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_part_of_a_snapshot_does_not_open_under_another_header(changed: dict[str, object]) -> None:
    sealed = sealer().seal_snapshot(SNAPSHOT)
    with pytest.raises(Corrupt):
        sealer().open_snapshot(replace(sealed, **changed))  # type: ignore[arg-type]


def test_parts_of_a_snapshot_cannot_change_places() -> None:
    sealed = sealer().seal_snapshot(SNAPSHOT)
    with pytest.raises(Corrupt):
        sealer().open_snapshot(replace(sealed, state=sealed.words, words=sealed.state))


def test_the_same_bytes_are_never_sealed_alike() -> None:
    assert len({sealer().seal_entry(5, TEXT)[10:22] for _ in range(100)}) == 100, "a nonce came twice"


def test_a_wrapped_key_opens_with_its_master_key_and_for_its_user_only() -> None:
    master, other = MasterKey(b"m" * 32), MasterKey(b"n" * 32)
    wrapped = master.wrap("alice", KEY, different)
    assert master.unwrap("alice", wrapped) == KEY
    assert KEY.key not in wrapped
    with pytest.raises(Corrupt):
        master.unwrap("bob", wrapped)
    with pytest.raises(Unavailable) as raised:
        other.unwrap("alice", wrapped)
    assert raised.value.code == "master_key"
    for damaged in (wrapped[:-1] + bytes([wrapped[-1] ^ 1]), b"\x02" + wrapped[1:], wrapped[:-1]):
        with pytest.raises(Corrupt):
            master.unwrap("alice", damaged)


def test_a_key_never_shows_in_a_message() -> None:
    assert "s" * 4 not in repr(KEY)
    assert repr(MasterKey(b"m" * 32)) == f"MasterKey({MasterKey(b'm' * 32).key_id.hex()})"
