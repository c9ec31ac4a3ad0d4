"""Entries and receipts for the contract tests, with a true chain."""

import hashlib

from persistence.codec import entry_chain
from persistence.values import NO_CHAIN, Entry, Receipt


def chained(bodies: list[bytes], *, after: int = 0, chain: bytes = NO_CHAIN) -> list[Entry]:
    """One entry per body, after the entry `after` that had this chain hash."""
    entries = []
    for seq, body in enumerate(bodies, start=after + 1):
        chain = entry_chain(chain, seq, body)
        entries.append(Entry(seq, body, chain))
    return entries


def receipt(key: str, *, seq: int, body: bytes = b"body", at_ms: int = 1_000_000_000_000) -> Receipt:
    return Receipt(key, hashlib.sha256(body).digest(), seq, b"outcome", at_ms)
