"""The doctor's look at what proves deletion: the master key, audit trails of erased users, rewrites that wait."""

from pathlib import Path

from actors.audit import verify
from actors.ports import Journal
from engine.errors import Unavailable
from persistence import keys
from persistence.master_key import read_master_key
from persistence.redis_client import RedisClient
from persistence.redis_rewrites import RedisRewrites
from rearview.doctor_users import audit_finding
from rearview.findings import Finding, fine, note, wrong


async def check_master_key(client: RedisClient, path: Path, *, seals: bool) -> list[Finding]:
    """Whether the file and the store belong together. Raises: Unavailable when the store cannot be read."""
    known = await client.read("GET", keys.MASTER_KEY)
    try:
        master = read_master_key(path)
    except Unavailable as error:
        return [wrong("keys", error.sentence)]
    if master is None and known is not None:
        return [wrong("keys", f"the master key file {path} is missing: nobody can be read until it is put back")]
    if master is None:
        return [note("keys", "nothing is sealed yet" if seals else "sealing is turned off")]
    if known is not None and known != master.key_id.hex().encode():
        return [wrong("keys", f"{path} holds another master key than the one that this store is sealed with")]
    return [fine("keys", f"the master key is {master.key_id.hex()}")]


async def check_rewrites(client: RedisClient) -> list[Finding]:
    """Whether the append-only file still holds what was dropped. Raises: Unavailable."""
    rewrites = RedisRewrites(client)
    now = await rewrites.progress()
    waiting = now.wanted - now.done
    if waiting <= 0:
        return [fine("store", "its append-only file holds nothing that was purged or erased")]

    async def rewrite() -> str:
        await rewrites.rewrite()
        return "rewrote the append-only file without what was dropped"

    asked = now.soon > now.done
    why = "purges or erasures" if asked else "memories that ran out by themselves"
    return [note("store", f"its append-only file may still hold the bytes of {why}; a service rewrites it", rewrite)]


async def check_erased(client: RedisClient, journal: Journal, users: frozenset[str]) -> list[Finding]:
    """Audit trails of users whose journal is gone. Raises: Unavailable."""
    findings: list[Finding] = []
    cursor: bytes | str = "0"
    while True:
        cursor, found = await client.read("SCAN", cursor, "MATCH", keys.AUDIT_HEADS_PATTERN, "COUNT", 1000)
        for key in found:
            user_id = keys.user_of_key(key)
            if user_id not in users:
                place = f"erased user {user_id}"
                findings.append(audit_finding(place, await verify(journal, user_id)))
        if cursor in (b"0", "0"):
            return findings
