"""Where settings become objects. Hosts call `host_parts` by its import path, so that actors need not know adapters."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from actors.parts import HostLimits, HostParts
from adapters.models.bundled_e5 import BundledE5
from adapters.models.query_table import bundled_table
from adapters.models.space import bundled_space
from persistence.master_key import read_master_key
from persistence.recovery import Recover
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_rewrites import RedisRewrites
from persistence.redis_schedule import RedisSchedule
from persistence.redis_spaces import RedisSpaces
from persistence.redis_tokens import RedisTokens
from persistence.snapshots import SnapshotStore
from persistence.user_keys import RedisUserKeys
from rearview.clock import clock, monotonic_ms, new_id, offset_ms, random_bytes
from rearview.model_wiring import in_remote_space, known_dimensions, with_judge
from rearview.settings import BUNDLED, Settings
from rearview.space_wiring import with_spaces

HOST_PARTS = "rearview.wiring:host_parts"


def redis_url(settings: Settings) -> str:
    """The journal's URL with the password of `redis.password_file` put in. Raises: OSError when it cannot be read."""
    url = settings.redis.url
    if not settings.redis.password_file:
        return url
    password = Path(settings.redis.password_file).read_text(encoding="utf-8").strip()
    parts = urlsplit(url)
    user = quote(parts.username or "", safe="")
    netloc = f"{user}:{quote(password, safe='')}@{parts.netloc.rpartition('@')[2]}"
    return urlunsplit(parts._replace(netloc=netloc))


def snapshots_url(settings: Settings) -> str:
    """Where snapshots go."""
    return settings.snapshots.url or str(settings.data_path / "snapshots")


def host_parts(settings_json: str) -> HostParts:
    """Build what one host uses. Runs inside the host's process. Raises: Unavailable for an unusable master key file."""
    settings = Settings.model_validate_json(settings_json)
    client = RedisClient(redis_url(settings))
    journal = RedisJournal(client, settings.durability)
    snapshots = SnapshotStore.at(snapshots_url(settings))
    actors = settings.actors
    user_keys = RedisUserKeys(
        client, read_master_key(settings.master_key_path), seals=settings.encryption.enabled, random_bytes=random_bytes
    )
    parts = HostParts(
        journal=journal,
        snapshots=snapshots,
        recovery=Recover(journal, snapshots),
        schedule=RedisSchedule(client),
        rewrites=RedisRewrites(client),
        keys=user_keys,
        audit_entries_max=settings.audit.entries_max if settings.audit.enabled else 0,
        embedder=BundledE5,
        static=bundled_table(),
        space=bundled_space(),
        now_ms=clock(settings.test.clock_file),
        monotonic_ms=_steady(settings.test.clock_file),
        new_id=new_id,
        policy=settings.policy(),
        durability=settings.durability,
        query_encoder=settings.models.query_encoder,
        limits=HostLimits(
            live_users_max=actors.live_users_max,
            memory_bytes_max=actors.memory_mb * 1_000_000,
            idle_ms=int(actors.idle_seconds * 1000),
            snapshot_every=actors.snapshot_entries,
        ),
        with_models=lambda parts, calls: with_spaces(with_judge(parts, calls, settings), calls, settings),
        spaces=RedisSpaces(client),
    )
    if settings.models.embedder == BUNDLED:
        return parts
    dimensions = known_dimensions(settings)
    assert dimensions, "the service finds out the dimensions before it starts its hosts"
    made = in_remote_space(parts, settings, dimensions)
    reach = made.with_models
    assert reach is not None, "a remote space is asked through the model host"
    return replace(made, with_models=lambda parts, calls: with_spaces(reach(parts, calls), calls, settings))


def token_store(settings: Settings) -> RedisTokens:
    """Where token records are kept."""
    return RedisTokens(RedisClient(redis_url(settings)))


def _steady(test_offset_file: str) -> Callable[[], float]:
    """A clock that never jumps; a test's clock moves both, or every step of it would look like a jump."""
    if not test_offset_file:
        return monotonic_ms
    path = Path(test_offset_file)
    return lambda: monotonic_ms() + offset_ms(path)
