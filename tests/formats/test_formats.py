"""Bytes written by every released format version still read. Files here are only ever added, never rewritten."""

from pathlib import Path

from engine.events import MemoryEdited, MemorySuperseded, MemoryWritten, SettingsChanged
from engine.memory import Category, Memory, Revision, Sensitivity, Source, Status, Tier
from persistence.codec import decode_events, decode_state
from persistence.frame import unframe
from persistence.sealing import DataKey, Sealer

HERE = Path(__file__).parent

MEMORY = Memory(
    memory_id="01",
    content="我对花生过敏。 I am allergic to peanuts.",
    tier=Tier.SEMANTIC,
    category=Category.FACT,
    source=Source.USER,
    confidence=1.0,
    importance=0.75,
    status=Status.ACTIVE,
    created_at_ms=1_760_000_000_000,
    updated_at_ms=1_760_000_000_001,
    said_at_ms=1_759_999_999_999,
    valid_from_ms=1_759_999_999_999,
    space="home",
    sensitivity=Sensitivity.SENSITIVE,
    tags=("health", "健康"),
    metadata={"turn": 3, "parts": [1.5, None, {"x": True}]},
    occurred_at_ms=-1,
    pinned=True,
    derived_from=("00",),
    version=2,
    revisions=(Revision("I am allergic to nuts.", 1_760_000_000_001, "more exact", 1),),
    marks=("masked",),
)
EVENTS = [
    MemoryWritten(MEMORY),
    MemorySuperseded("00", "01", 1_760_000_000_000, 1_759_999_999_999),
    MemoryEdited("01", 1_760_000_000_002, "moved", {"tier": Tier.EPISODIC, "tags": ("a",), "pinned": False}),
    SettingsChanged({"time_zone": "Asia/Shanghai", "half_life_days": 7.5}, 1_760_000_000_003),
]


SEALER = Sealer("用户 1", DataKey(b"key id 1", bytes(range(32))), seals=True, random_bytes=lambda count: b"n" * count)


def test_an_entry_of_version_1_is_read_whether_or_not_its_user_has_a_key_by_now() -> None:
    stored = (HERE / "entry-1.bin").read_bytes()
    assert decode_events(stored) == EVENTS
    assert decode_events(SEALER.open_entry(4, stored)) == EVENTS


def test_a_sealed_entry_is_read() -> None:
    stored = (HERE / "entry-2-sealed.bin").read_bytes()
    assert decode_events(SEALER.open_entry(4, stored)) == EVENTS


def test_a_sealed_snapshot_is_read() -> None:
    stored = unframe((HERE / "snapshot-2-sealed.bin").read_bytes(), "用户 1")
    assert stored.key_id == b"key id 1".hex()
    assert SEALER.open_snapshot(stored) == unframe((HERE / "snapshot-1.bin").read_bytes(), "用户 1")


def test_a_snapshot_of_version_1_is_read() -> None:
    snapshot = unframe((HERE / "snapshot-1.bin").read_bytes(), "用户 1")
    assert (snapshot.epoch, snapshot.seq, snapshot.space_id, snapshot.key_id) == (2, 4, "e5-small/384", "")
    assert snapshot.vector_rows == ("01",)
    assert len(snapshot.vectors) == 4 * 384
    assert decode_state(snapshot.state) == ([MEMORY], {"time_zone": "Asia/Shanghai"}, [], [])
