"""Parts of a host for tests with real processes: a real journal and real files, vectors by hash."""

import json
import time

from actors.parts import HostLimits, HostParts
from persistence.recovery import Recover
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_schedule import RedisSchedule
from persistence.snapshots import SnapshotStore
from tests.actors.world import KEEPS_ALL, SPACE, PlainEmbedder, PlainStatic

PARTS = "tests.recovery.plain_parts:host_parts"


def settings_json(url: str, snapshots: str) -> str:
    return json.dumps({"url": url, "snapshots": snapshots})


def host_parts(settings: str) -> HostParts:
    values = json.loads(settings)
    client = RedisClient(values["url"])
    journal, snapshots = RedisJournal(client), SnapshotStore.at(values["snapshots"])
    return HostParts(
        journal=journal,
        snapshots=snapshots,
        recovery=Recover(journal, snapshots),
        schedule=RedisSchedule(client),
        embedder=PlainEmbedder,
        static=PlainStatic(),
        space=SPACE,
        now_ms=lambda: time.time_ns() // 1_000_000,
        monotonic_ms=lambda: time.monotonic_ns() / 1_000_000,
        new_id=lambda: f"id-{time.monotonic_ns():x}",
        policy=KEEPS_ALL,
        limits=HostLimits(sweep_ms=100, snapshot_every=50),
    )
