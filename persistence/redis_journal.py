"""The journal in Redis or Valkey: one stream per user, written only by the functions of `append.lua`.

Each mutation is one FCALL, so that fence, idempotency, order and append are decided together inside the server.
An append is durable when it returns, as far as `check` said: `appendfsync always` puts it on the disk first.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgpack

from engine.errors import Conflict, Corrupt, Indeterminate, StaleEpoch, Unavailable
from persistence import keys
from persistence.redis_client import NO_FUNCTION, RedisClient
from persistence.values import NO_CHAIN, AuditHead, Entry, Head, Receipt, check_entries

PAGE_ENTRIES = 200
"""Entries per XRANGE. At the longest texts a page is about 6 MB."""

SCAN_KEYS = 1000

_BODY_HASH_BYTES = 32
Run = Callable[..., Awaitable[Any]]
_LIBRARY = Path(__file__).with_name("append.lua").read_text("utf-8")
_LIBRARY_VERSION = int(_LIBRARY.split("local VERSION = ", 1)[1].split("\n", 1)[0])


INFO_SHOWN = (
    "valkey_version",
    "redis_version",
    "used_memory_human",
    "connected_clients",
    "aof_last_write_status",
    "aof_last_bgrewrite_status",
    "aof_current_size",
    "uptime_in_seconds",
)


class RedisJournal:
    """See `actors.ports.Journal`. One instance serves all users of a process."""

    def __init__(self, client: RedisClient, durability: str = "strict") -> None:
        """`durability` is what `check` insists on: "strict" or "relaxed"."""
        assert durability in ("strict", "relaxed")
        self._client = client
        self._durability = durability
        self._store: bytes | None = None

    async def open(self, user_id: str) -> Head:
        """Take over a user. Opening twice is harmless, so a lost reply is Unavailable too.

        Raises: Unavailable, also when the store was emptied under the running service; Corrupt.
        """
        if self._store is None:
            await self._know_store()
        epoch, seq, chain = await self._call("rearview_open", user_id, (), run=self._client.read)
        if seq and len(chain) != len(NO_CHAIN):
            raise Corrupt.of("The journal's head holds no chain hash.")
        if seq == 0:
            # A user without entries is either new or has just lost them all.
            await self._know_store()
        return Head(epoch, seq, chain if seq else NO_CHAIN)

    async def look(self, user_id: str) -> Head | None:
        """The head as it is, without taking over; None for a user the journal does not know. Raises Unavailable."""
        epoch, seq, chain = await self._client.read("HMGET", keys.head(user_id), "epoch", "seq", "chain")
        return None if epoch is None else Head(int(epoch), int(seq or 0), chain or NO_CHAIN)

    async def append(
        self,
        user_id: str,
        entries: Sequence[Entry],
        *,
        epoch: int,
        after_seq: int,
        receipt: Receipt | None,
        now_ms: int,
        audit: Entry | None = None,
    ) -> Receipt | None:
        """Make entries durable, all or none, and remember the receipt and the audit entry with them.

        Durable: all entries when it returns. None when it raises, except Indeterminate: then all or none.
        Returns: None when appended; the first receipt when this key and body were already done (nothing appended).
        Raises:  Conflict, StaleEpoch, Corrupt (another last seq than `after_seq`), Unavailable, Indeterminate.
        """
        check_entries(entries, after_seq, receipt)
        words: list[bytes | str | int] = [epoch, after_seq, now_ms, "", b"", "", b"", b""]
        if receipt is not None:
            words[3] = receipt.key
            words[4] = receipt.body_hash + msgpack.packb([receipt.seq, receipt.outcome], use_bin_type=True)
        if audit is not None:
            words[5:8] = (audit.seq - 1, audit.body, audit.chain)
        for entry in entries:
            words += (entry.body, entry.chain)
        answer = await self._call("rearview_append", user_id, words)
        return _appended(answer, after_seq, "" if receipt is None else receipt.key)

    async def receipt(self, user_id: str, key: str, now_ms: int) -> Receipt | None:
        """What this idempotency key did in the last 24 h. Raises Unavailable, Corrupt."""
        found = await self._call("rearview_receipt", user_id, (key, now_ms), run=self._client.look_up)
        return _receipt(key, found[0], found[1]) if found else None

    async def read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]:
        """Entries with a larger seq, in order, in pages. Raises Unavailable, Corrupt (an entry of another shape)."""
        stream = keys.journal(user_id)
        while True:
            page = await self._client.read("XRANGE", stream, f"{after_seq + 1}-0", "+", "COUNT", PAGE_ENTRIES)
            for item in page:
                entry = _entry(item)
                after_seq = entry.seq
                yield entry
            if len(page) < PAGE_ENTRIES:
                return

    async def last_seq(self, user_id: str) -> int:
        """The seq of the last entry ever appended, trimmed or not; 0 for none. Raises Unavailable."""
        return int(await self._client.look_up("HGET", keys.head(user_id), "seq") or 0)

    async def trim(self, user_id: str, to_seq: int) -> int:
        """Drop entries up to and including `to_seq`; returns how many. Raises Unavailable."""
        return int(await self._call("rearview_trim", user_id, (to_seq,), run=self._client.read))

    async def erase(self, user_id: str) -> int:
        """Drop every key of a user but the audit trail; returns how many entries went. Raises Unavailable.

        Every owner is fenced by it, the one that erased as well: open again to go on.
        """
        return int(await self._call("rearview_erase", user_id, (), run=self._client.read))

    async def audit_head(self, user_id: str) -> AuditHead:
        """Where the audit trail stands. Raises: Unavailable, Corrupt."""
        names = ("number", "chain", "anchor", "anchor_chain")
        number, chain, anchor, anchor_chain = await self._client.read("HMGET", keys.audit_head(user_id), *names)
        try:
            return AuditHead(int(number or 0), chain or NO_CHAIN, int(anchor or 0), anchor_chain or NO_CHAIN)
        except ValueError as error:
            raise Corrupt.of("The head of the audit trail cannot be read.") from error

    async def audit_add(self, user_id: str, entry: Entry, *, only: bool = False) -> None:
        """Add one audit entry of its own, after the one before it. `only`: drop all before it, as an erasure does.

        Raises: StaleEpoch when somebody else added one meanwhile, Corrupt, Unavailable, Indeterminate.
        """
        words = (entry.seq - 1, entry.body, entry.chain, "1" if only else "")
        _appended(await self._call("rearview_audit", user_id, words), 0, "")

    async def audit_page(self, user_id: str, first: int, count: int) -> list[Entry]:
        """Audit entries from a number on, oldest first. Raises: Unavailable, Corrupt (an entry of another shape)."""
        stream = keys.audit(user_id)
        return [_entry(one) for one in await self._client.read("XRANGE", stream, f"{first}-0", "+", "COUNT", count)]

    async def audit_trim(self, user_id: str, last: Entry) -> None:
        """Drop audit entries up to and including this one. Raises: Unavailable."""
        # The anchor first: should this end in between, what is still there before the anchor is passed over.
        await self._client.read("HSET", keys.audit_head(user_id), "anchor", last.seq, "anchor_chain", last.chain)
        await self._client.read("XTRIM", keys.audit(user_id), "MINID", "=", f"{last.seq + 1}-0")

    async def users(self) -> AsyncIterator[str]:
        """Every user the journal knows, in no order; one that comes or goes meanwhile may be missed or repeated."""
        cursor: bytes | str = "0"
        while True:
            cursor, found = await self._client.read("SCAN", cursor, "MATCH", keys.HEADS_PATTERN, "COUNT", SCAN_KEYS)
            for key in found:
                yield keys.user_of_key(key)
            if cursor in (b"0", "0"):
                return

    async def check(self) -> str:
        """Load the functions and look at the settings that decide whether data can be lost.

        Returns: the durability in force: "strict" (`appendfsync always`) or "relaxed" (`everysec`).
        Raises:  Unavailable with a sentence for the operator.
        """
        await self._load(only_newer=True)
        await self._know_store()
        settings = await self._settings()
        if settings.get("appendonly") != "yes":
            raise Unavailable.of("The store keeps nothing on disk: set `appendonly yes`.", code="store_settings")
        if settings.get("maxmemory-policy") != "noeviction":
            raise Unavailable.of(
                "The store may evict memories: set `maxmemory-policy noeviction`.", code="store_settings"
            )
        fsync = settings.get("appendfsync")
        if fsync not in ("always", "everysec"):
            raise Unavailable.of("The store never flushes to disk: set `appendfsync always`.", code="store_settings")
        if self._durability == "strict" and fsync != "always":
            raise Unavailable.of(
                "Durability is strict, but the store flushes once a second: set `appendfsync always` there, "
                "or REARVIEW_DURABILITY=relaxed here.",
                code="store_settings",
            )
        return "strict" if fsync == "always" else "relaxed"

    async def figures(self) -> dict[str, str]:
        """What the store says of itself: the settings that `check` looks at, its version, memory and file.

        Raises: Unavailable.
        """
        lines = bytes(await self._client.read("INFO")).decode("utf-8", "replace").splitlines()
        known = dict(line.split(":", 1) for line in lines if ":" in line)
        return {**await self._settings(), **{name: known[name] for name in INFO_SHOWN if name in known}}

    async def close(self) -> None:
        """Close the idle connections of its client."""
        await self._client.close()

    async def _know_store(self) -> None:
        """Raises Unavailable when this is not the store that was here before: it would look like a new, empty one."""
        store = await self._fcall("rearview_store", (keys.STORE,), (), run=self._client.read)
        if self._store is not None and store != self._store:
            raise Unavailable.of(
                "The store was emptied or replaced while the service ran. Bring the old one back; "
                "if it was meant, restart the service.",
                code="store_replaced",
            )
        self._store = store

    async def _settings(self) -> dict[str, str]:
        """The server's settings by name. Where CONFIG is forbidden they cannot be known, and that is refused too."""
        try:
            flat = await self._client.read("CONFIG", "GET", "append*", "maxmemory-policy")
        except Unavailable as error:
            raise Unavailable.of(
                f"The store's settings cannot be read with CONFIG GET. {error.sentence}", code=error.code
            ) from error
        texts = [bytes(word).decode() for word in flat]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    async def _call(
        self, function: str, user_id: str, words: Sequence[bytes | str | int], *, run: Run | None = None
    ) -> Any:
        """One function call over the keys of one user."""
        return await self._fcall(function, _keys_of(user_id), words, run=run or self._client.write)

    async def _fcall(self, function: str, on: Sequence[str], words: Sequence[bytes | str | int], *, run: Run) -> Any:
        """One function call. A missing library is loaded, once, and the call repeated."""
        command = ("FCALL", function, len(on), *on, *words)
        try:
            return await run(*command)
        except Unavailable as error:
            if error.code != NO_FUNCTION:
                raise
        await self._load(only_newer=False)
        return await run(*command)

    async def _load(self, *, only_newer: bool) -> None:
        """Put our functions into the server. A newer library than ours stays: it serves older callers too."""
        if only_newer:
            try:
                if int(await self._client.read("FCALL_RO", "rearview_version", 0)) >= _LIBRARY_VERSION:
                    return
            except Unavailable as error:
                if error.code != NO_FUNCTION:
                    raise
        await self._client.read("FUNCTION", "LOAD", "REPLACE", _LIBRARY)


@lru_cache(maxsize=8192)  # About 1 KB each; the users one host serves at a time.
def _keys_of(user_id: str) -> tuple[str, ...]:
    """In the order of append.lua."""
    kinds = (keys.head, keys.journal, keys.receipts, keys.receipt_times, keys.audit, keys.audit_head)
    return tuple(key(user_id) for key in kinds)


def _appended(answer: list[Any], after_seq: int, key: str) -> Receipt | None:
    word = answer[0]
    if word == b"OK":
        return None
    if word == b"DUP":
        return _receipt(key, answer[1], answer[2])
    if word == b"CONFLICT":
        raise Conflict.of("This idempotency key was used for another request.")
    if word == b"FENCED":
        raise StaleEpoch.of("Another owner has taken over this user.")
    if word == b"SEQ":
        raise Corrupt.of(f"The journal ends at {answer[1]}, its owner expected {after_seq}.")
    if word == b"AUDIT":
        # Somebody else noted something meanwhile. The next owner reads where the trail ends.
        raise StaleEpoch.of("The audit trail of this user goes on from elsewhere.")
    if word == b"BROKEN":
        raise Corrupt.of("The journal or the audit trail holds entries that its head does not know.")
    raise Indeterminate.of("The store answered an append in an unknown way.")


def _receipt(key: str, packed: bytes, at_ms: bytes) -> Receipt:
    try:
        seq, outcome = msgpack.unpackb(packed[_BODY_HASH_BYTES:], raw=False)
        return Receipt(key, packed[:_BODY_HASH_BYTES], seq, outcome, int(float(at_ms)))
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise Corrupt.of("A stored receipt cannot be read.") from error


def _entry(item: Any) -> Entry:
    """A stream entry `<seq>-0` with fields b and c."""
    stream_id, fields = item
    seq, _, zero = stream_id.partition(b"-")
    if zero != b"0" or fields is None or len(fields) != 4 or (fields[0], fields[2]) != (b"b", b"c"):
        raise Corrupt.of(f"Journal entry {stream_id.decode()} is not one of ours.")
    return Entry(int(seq), fields[1], fields[3])
