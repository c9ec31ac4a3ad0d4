"""The doctor's look at the store: the settings that decide whether data can be lost, its disk, its clock."""

from collections.abc import Mapping

from engine.errors import Unavailable
from persistence import keys
from persistence.dump import refuse_half_restored
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from rearview.findings import Finding, fine, note, wrong

CLOCKS_APART_MS = 5_000
FULL_SHARE = 0.9
MAJOR_VERSION_MIN = 7  # Functions came with Redis 7; Valkey counts on from there.


async def check_store(client: RedisClient, durability: str, now_ms: int) -> list[Finding]:
    """Settings, disk, room, clock. Raises: Unavailable when the store cannot be reached."""
    info = _pairs(bytes(await client.read("INFO")).decode("utf-8", "replace"))
    return [
        _version(info),
        *await _settings(client, durability),
        *_disk(info),
        *_room(info),
        await _clock(client, now_ms),
        *await _identity(client),
        *await _restored(client),
    ]


async def _restored(client: RedisClient) -> list[Finding]:
    try:
        await refuse_half_restored(client)
    except Unavailable as error:
        return [wrong("store", error.sentence)]
    return []


def _pairs(text: str) -> dict[str, str]:
    return dict(line.split(":", 1) for line in text.split("\r\n") if ":" in line)


def _version(info: Mapping[str, str]) -> Finding:
    version = info.get("valkey_version") or info.get("redis_version", "?")
    name = "Valkey" if "valkey_version" in info else "Redis"
    if not version.split(".")[0].isdigit() or int(version.split(".")[0]) < MAJOR_VERSION_MIN:
        return wrong("store", f"{name} {version} is too old; it needs functions, which came with Redis 7")
    return fine("store", f"{name} {version}")


async def _settings(client: RedisClient, durability: str) -> list[Finding]:
    try:
        flat = await client.read("CONFIG", "GET", "append*", "maxmemory-policy")
    except Unavailable as error:
        return [wrong("store", f"the settings cannot be read with CONFIG GET, so nothing is sure: {error.sentence}")]
    texts = [bytes(word).decode() for word in flat]
    found = dict(zip(texts[::2], texts[1::2], strict=True))
    fsync_wanted = ("always",) if durability == "strict" else ("always", "everysec")
    wanted = {
        "appendonly": (("yes",), "nothing is kept on disk otherwise"),
        "appendfsync": (fsync_wanted, f"durability is {durability}"),
        "maxmemory-policy": (("noeviction",), "the store may throw memories away otherwise"),
    }
    return [
        fine("store", f"{name} {found[name]}")
        if found.get(name) in values
        else wrong("store", f"{name} is {found.get(name, 'not known')}; set `{name} {values[0]}`: {why}")
        for name, (values, why) in wanted.items()
    ]


def _disk(info: Mapping[str, str]) -> list[Finding]:
    findings = []
    for name, what in (
        ("aof_last_write_status", "write to the append-only file"),
        ("aof_last_bgrewrite_status", "rewrite of the append-only file"),
    ):
        if (status := info.get(name, "ok")) != "ok":
            findings.append(wrong("store", f"the last {what} failed ({status}); is its disk full?"))
    return findings


def _room(info: Mapping[str, str]) -> list[Finding]:
    used, most = int(info.get("used_memory", 0)), int(info.get("maxmemory", 0))
    shown = f"{used / 1e6:.0f} MB in use"
    if not most:
        return [fine("store", f"{shown}, no limit")]
    if used > FULL_SHARE * most:
        return [wrong("store", f"{shown} of {most / 1e6:.0f} MB: it will soon take no writes; raise maxmemory")]
    return [fine("store", f"{shown} of {most / 1e6:.0f} MB")]


async def _clock(client: RedisClient, now_ms: int) -> Finding:
    seconds, microseconds = await client.read("TIME")
    apart_ms = now_ms - (int(seconds) * 1000 + int(microseconds) // 1000)
    if abs(apart_ms) > CLOCKS_APART_MS:
        direction = "ahead of" if apart_ms > 0 else "behind"
        return wrong("clock", f"this machine's is {abs(apart_ms) / 1000:.0f} s {direction} the store's")
    return fine("clock", "this machine and the store agree")


async def _identity(client: RedisClient) -> list[Finding]:
    if await client.read("EXISTS", keys.STORE):
        return []
    return [note("store", "no service has used this store yet, or it was emptied")]


async def check_stray_keys(client: RedisClient, journal: RedisJournal) -> list[Finding]:
    """Journals without a head: entries that nobody owns. Raises: Unavailable."""
    known = {keys.journal(user_id) async for user_id in journal.users()}
    strays, cursor = 0, b"0"
    while True:
        cursor, found = await client.read("SCAN", cursor, "MATCH", f"{keys.PREFIX}:{{u:*}}:journal", "COUNT", 1000)
        strays += sum(bytes(key).decode("ascii", "replace") not in known for key in found)
        if cursor in (b"0", "0"):
            break
    if not strays:
        return []
    return [wrong("store", f"{strays} journals have no head, so nobody owns their entries; restore the store's backup")]
