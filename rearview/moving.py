"""Moving everybody from one embedding model to another while the service runs, and what a start makes of the settings.

The record in the store says which model is in force. Users are moved one after another, each as a whole; a user who was
not reached yet is answered from the old space. What was done is kept: after a break, users who have arrived are passed
over. The last round is made after the new model is in force, so that nobody who was new meanwhile is left behind.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from actors.model_client import ModelCalls, ModelClient
from actors.parts import EmbedderSpec
from actors.ports import SpaceStore
from actors.spaces import SpaceRecord, decode_record, encode_record
from adapters.observed import Asks
from engine.errors import Conflict, Corrupt, RearviewError, Unavailable
from rearview.embedder_spec import BUNDLED_SPEC, same_space, settings_with
from rearview.model_wiring import FIRST_CALL_SECONDS
from rearview.settings import BUNDLED, Settings
from rearview.space_wiring import OtherModelCalls, spec_in_settings

log = logging.getLogger("rearview.moving")
USERS_AT_ONCE = 2
FAILURES_MAX = 4  # In one round; then the round waits.
AGAIN_SECONDS = 2.0
AGAIN_MAX_SECONDS = 60.0
SETTLE_SECONDS = 5.0  # Longer than a host needs to learn which model is in force.


class KnowsUsers(Protocol):
    """The journal, by shape."""

    def users(self) -> AsyncIterator[str]: ...


@dataclass(slots=True)
class Progress:
    """How far a move is. `state` is "none", "moving", "waiting" (a problem; it goes on by itself) or "done"."""

    state: str = "none"
    users: int = 0
    users_moved: int = 0
    users_damaged: int = 0  # Whose stored bytes fail a check: they are passed over.
    texts: int = 0
    problem: str = ""


async def settings_in_force(
    settings: Settings, store: SpaceStore, journal: KnowsUsers
) -> tuple[Settings, SpaceRecord | None, str]:
    """The settings with the embedder that memories were made with, the record, and what an operator should hear.

    A store without users takes the model of the settings. Raises: Unavailable, OSError.
    """
    wanted, found = spec_in_settings(settings), await store.read()
    record = None if found is None else decode_record(found)
    if record is None or same_space(record.current, wanted) or not await _anybody(journal):
        # Where the server is may change; the space stays.
        return settings, None if record is None else replace(record, current=_completed(wanted, record)), ""
    return (
        settings_with(settings, record.current),
        record,
        f"The settings name the embedding model {wanted.model}, but the memories are in the space of "
        f"{record.current.model} ({record.current.dimensions} dimensions), which goes on answering. To move them while "
        f"the service runs: rearview reembed --model {wanted.model}. To keep them: set REARVIEW_MODELS__EMBEDDER="
        f"{record.current.model}.",
    )


def _completed(wanted: EmbedderSpec, record: SpaceRecord) -> EmbedderSpec:
    known = record.current
    if not same_space(known, wanted):
        return wanted
    return replace(wanted, dimensions=wanted.dimensions or known.dimensions, key_file=known.key_file)


async def _anybody(journal: KnowsUsers) -> bool:
    async for _ in journal.users():
        return True
    return False


class Mover:
    """Moves users of one service. One move at a time."""

    def __init__(
        self,
        directory: Asks,
        journal: KnowsUsers,
        store: SpaceStore,
        calls: Callable[[], ModelCalls],
        remember: Callable[[EmbedderSpec], None] = lambda spec: None,
    ) -> None:
        self._directory = directory
        self._journal = journal
        self._store = store
        self._calls = calls
        self._remember = remember  # Keeps the dimension of a model for the next start.
        self._running: asyncio.Task[None] | None = None
        self.progress = Progress()

    async def begin(self, settings: Settings, record: SpaceRecord | None) -> None:
        """Write down which model is in force, and go on with a move that was under way. Raises: Unavailable."""
        current = spec_in_settings(settings) if record is None else record.current
        record = SpaceRecord(current) if record is None else record
        await self._store.write(encode_record(record))
        if record.target is not None:
            self._run(record)

    async def start(self, wanted: Mapping[str, object]) -> dict[str, object]:
        """Begin to move everybody to a model: `model`, and perhaps `dimensions`, `api_base` and `api_key_file`.

        Raises: Unavailable when the model gives no vector; Conflict while users are moved to another one.
        """
        spec = await self._reached(wanted)
        record = await self._record()
        if self._running is not None and not self._running.done():
            if record.target is not None and same_space(record.target, spec):
                return await self.status()
            await self._halt()
        if record.target is None and same_space(record.current, spec):
            return await self.status()
        self._remember(spec)
        record = record.moving_to(spec)
        await self._store.write(encode_record(record))
        self._run(record)
        return await self.status()

    async def status(self) -> dict[str, object]:
        """Which model is in force, and how far a move is."""
        record = await self._record()
        return {
            "model": record.current.model,
            "dimensions": record.current.dimensions,
            "moving_to": None if record.target is None else record.target.model,
            **asdict(self.progress),
        }

    async def stop(self) -> None:
        """Leave off; the next start goes on."""
        await self._halt()

    async def _halt(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _record(self) -> SpaceRecord:
        found = await self._store.read()
        if found is None:
            raise Unavailable.of("The service has not written down its embedding model yet.")
        return decode_record(found)

    async def _reached(self, wanted: Mapping[str, object]) -> EmbedderSpec:
        """The model with the dimension that it gives, asked of itself. Raises: Unavailable."""
        model = str(wanted["model"])
        if model == BUNDLED:
            return BUNDLED_SPEC
        spec = EmbedderSpec(
            model,
            0,
            str(wanted.get("api_base") or ""),
            int(str(wanted.get("dimensions") or 0)),
            str(wanted.get("api_key_file") or ""),
        )
        try:
            client = ModelClient(OtherModelCalls(self._calls(), spec))
            reply = await client.ask("dimensions", {}, seconds=FIRST_CALL_SECONDS)
        except Unavailable as error:
            raise Unavailable.of(f"The embedding model gave no vector: {error.sentence}") from None
        dimensions = reply["dimensions"]
        assert isinstance(dimensions, int), "the model host answers with a number"
        if spec.asked_for and spec.asked_for != dimensions:
            raise Conflict.of(f"The model gives {dimensions} dimensions.", field="dimensions", code="model_dimensions")
        return replace(spec, dimensions=dimensions)

    def _run(self, record: SpaceRecord) -> None:
        self.progress = Progress("moving")
        self._running = asyncio.get_running_loop().create_task(self._move(record))

    async def _move(self, record: SpaceRecord) -> None:
        assert record.target is not None, "a move has an end"
        await self._patiently(record.target)
        await self._store_patiently(record.moved())
        # A host may have taken a new user into the old space a moment ago.
        await asyncio.sleep(SETTLE_SECONDS)
        await self._patiently(record.target)
        self.progress.state = "done"

    async def _store_patiently(self, record: SpaceRecord) -> None:
        while True:
            with contextlib.suppress(RearviewError):
                return await self._store.write(encode_record(record))
            await asyncio.sleep(AGAIN_SECONDS)

    async def _patiently(self, spec: EmbedderSpec) -> None:
        """Rounds over everybody until one goes through without a failure."""
        delay = AGAIN_SECONDS
        while True:
            try:
                await self._round(spec)
            except RearviewError as error:
                log.warning("moving to another embedding model waits: %s", error.sentence)
                self.progress.state, self.progress.problem = "waiting", error.sentence
                await asyncio.sleep(delay)
                delay = min(2 * delay, AGAIN_MAX_SECONDS)
                continue
            self.progress.problem = ""
            return

    async def _round(self, spec: EmbedderSpec) -> None:
        users = list(dict.fromkeys([user_id async for user_id in self._journal.users()]))
        progress = self.progress
        progress.users, progress.users_moved, progress.users_damaged = len(users), 0, 0
        failures: list[RearviewError] = []
        for start in range(0, len(users), USERS_AT_ONCE):
            tried = (self._tried(user_id, spec) for user_id in users[start : start + USERS_AT_ONCE])
            failures += [failure for failure in await asyncio.gather(*tried) if failure is not None]
            if len(failures) >= FAILURES_MAX:
                break  # It is not the user, then.
        if failures:
            raise failures[-1]

    async def _tried(self, user_id: str, spec: EmbedderSpec) -> RearviewError | None:
        """Move a user, or say what was in the way; one who cannot be served keeps nobody else."""
        try:
            await self._user(user_id, spec)
        except Corrupt:
            self.progress.users_damaged += 1
        except RearviewError as error:
            return error
        return None

    async def _user(self, user_id: str, spec: EmbedderSpec) -> None:
        while True:
            reply = await self._directory.ask(user_id, "reembed", asdict(spec))
            embedded = reply["embedded"]
            self.progress.texts += embedded if isinstance(embedded, int) else 0
            self.progress.state = "moving"
            if reply["moved"]:
                self.progress.users_moved += 1
                return
