"""Faults that a run must find. `put` replaces an attribute: monkeypatch's `setattr`, or the built-in one."""

from collections.abc import Callable, Sequence

from actors.requests import Request
from actors.user_memory import UserMemory
from engine.state import fold
from persistence.codec import decode_events
from persistence.plain_journal import PlainJournal
from persistence.values import Entry, Receipt

Put = Callable[[type, str, object], None]


def fence_nobody(put: Put) -> None:
    """The store looks neither at the epoch nor at where the audit trail ends, which would fence as well."""
    real = PlainJournal.append

    async def unfenced(
        self: PlainJournal,
        user_id: str,
        entries: Sequence[Entry],
        *,
        epoch: int,
        after_seq: int,
        receipt: Receipt | None,
        now_ms: int,
        audit: Entry | None = None,
    ) -> Receipt | None:
        return await real(
            self, user_id, entries, epoch=self._epochs[user_id], after_seq=after_seq, receipt=receipt, now_ms=now_ms
        )

    put(PlainJournal, "append", unfenced)


def apply_too_early(put: Put) -> None:
    """The actor shows what is not stored yet."""
    append = UserMemory._append

    async def too_early(
        self: UserMemory, entries: tuple[Entry, ...], receipt: Receipt | None, audit: Entry | None
    ) -> Receipt | None:
        for entry in entries:
            fold(self.state, decode_events(entry.body))
        return await append(self, entries, receipt, audit)

    put(UserMemory, "_append", too_early)


def forget_keys(put: Put) -> None:
    """The actor neither looks at idempotency keys nor remembers them."""

    async def nothing(self: UserMemory, request: Request) -> None:
        return None

    put(UserMemory, "receipt_of", nothing)
    put(UserMemory, "new_receipt", lambda self, request, note, **more: None)


PLANTED = {"fence nobody": fence_nobody, "apply too early": apply_too_early, "forget keys": forget_keys}
