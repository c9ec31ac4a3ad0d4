"""`rearview doctor`: is everything that is stored still right? Looks at it all and changes nothing unless told to.

With the bundled store the service must be stopped: the doctor starts that store itself. With a store of your own
(`REARVIEW_REDIS__URL`) it looks on beside a running service, takes nobody over, and looks again at a user who changed
meanwhile. `--repair` changes derived data only: what a crash left unfinished, and a damaged snapshot of a user who can
be read back without it. What was damaged in the journal is never "put right": only a backup can do that.
"""

import argparse
import asyncio
import logging
import sys
from collections.abc import Coroutine, Sequence

from actors.hydrate import hydrate
from actors.parts import HostParts
from actors.passivate import take_snapshot
from engine.errors import RearviewError, Unavailable
from persistence.files import open_files
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_schedule import RedisSchedule
from persistence.redis_spaces import RedisSpaces
from rearview.clock import clock
from rearview.doctor_files import check_data_directory, check_files, check_schedule, journal_name
from rearview.doctor_proof import check_erased, check_master_key, check_rewrites
from rearview.doctor_store import check_store, check_stray_keys
from rearview.doctor_users import LOOKS_MAX, UserDoctor, UserReport
from rearview.findings import Finding, Level, fine, note, wrong
from rearview.model_wiring import known_dimensions
from rearview.moving import settings_in_force
from rearview.opened_store import opened_store
from rearview.settings import BUNDLED, ModelSettings, Settings, SettingsError, load_settings
from rearview.wiring import host_parts, redis_url, snapshots_url

SOUND, SOMETHING_WRONG, COULD_NOT_LOOK = 0, 1, 2
VECTORS_CHECKED = 20
USERS_SHOWN = 20
IN_USE = "directory_in_use"


def doctor(args: argparse.Namespace) -> int:
    """Look, say, and repair if told to; returns the exit status."""
    # What reading back reports to the log is said here in sentences.
    logging.getLogger("rearview.snapshots").addHandler(logging.NullHandler())
    try:
        settings = load_settings({"data_dir": args.data_dir} if args.data_dir else {})
        own_store = bool(settings.redis.url)
        if args.repair and own_store and not args.service_is_stopped:
            raise SettingsError(
                "with a store of your own nobody can see whether a service still uses it: stop every one, then say so "
                "with --service-is-stopped"
            )
        if not own_store and not settings.data_path.is_dir():
            raise SettingsError(f"there is no data directory {settings.data_path}")
        return asyncio.run(_examine(settings, args))
    except SettingsError as error:
        print(f"rearview: {error}", file=sys.stderr)
    except Unavailable as error:
        print(f"rearview: {error.sentence}", file=sys.stderr)
        if error.code == IN_USE:
            print(
                "The doctor starts the bundled store itself, so it needs the directory alone. "
                "A store of your own (REARVIEW_REDIS__URL) can be looked at while the service runs.",
                file=sys.stderr,
            )
    except (RearviewError, OSError, ValueError) as error:
        print(f"rearview: {getattr(error, 'sentence', error)}", file=sys.stderr)
    return COULD_NOT_LOOK


async def _examine(settings: Settings, args: argparse.Namespace) -> int:
    async with opened_store(settings) as with_store:
        alone = not settings.redis.url or args.service_is_stopped
        in_force, problem = await _with_embedder_in_force(with_store)
        checkup = Checkup(in_force, shown=args.verbose or bool(args.user), alone=alone)
        if problem:
            print(note("models", problem).line())
        try:
            await checkup.run(args.user)
            findings = await _repaired(checkup.findings) if args.repair else checkup.findings
        finally:
            await checkup.close()
    bad = sum(finding.level is Level.WRONG for finding in findings)
    print("Everything is right." if not bad else f"{bad} thing{'s are' if bad > 1 else ' is'} wrong.")
    return SOMETHING_WRONG if bad else SOUND


async def _with_embedder_in_force(settings: Settings) -> tuple[Settings, str]:
    """The settings with the model that memories were made with, so that a repair keeps their vectors, and a word of it.

    Raises: Unavailable, OSError.
    """
    client = RedisClient(redis_url(settings))
    try:
        journal = RedisJournal(client, settings.durability)
        in_force, _, problem = await settings_in_force(settings, RedisSpaces(client), journal)
    finally:
        await client.close()
    return in_force, problem


class Checkup:
    """One look at everything. Findings are printed as they come and kept in `findings`.

    `alone`: no service changes anything meanwhile.
    """

    def __init__(self, settings: Settings, *, shown: bool, alone: bool) -> None:
        self._settings = settings
        self._alone = alone
        self._shown = shown
        self._client = RedisClient(redis_url(settings))
        self._parts = _parts(settings)
        assert isinstance(self._parts.journal, RedisJournal), "only a stored journal can be examined"
        self._journal = self._parts.journal
        self.findings: list[Finding] = []

    async def run(self, user_id: str) -> None:
        """All users, or the one named. Raises: Unavailable, OSError."""
        store = journal_name(self._settings.redis.url)
        self._say([fine("settings", f"data in {self._settings.data_path}, {store}")])
        if self._settings.test.clock_file:
            self._say([note("clock", "a test moves the clock of this service")])
        now_ms = clock(self._settings.test.clock_file)()
        self._say(await check_store(self._client, self._settings.durability, now_ms))
        settings = self._settings
        seals, key_file = settings.encryption.enabled, settings.master_key_path
        self._say(await check_master_key(self._client, key_file, seals=seals))
        users = {user async for user in self._journal.users()}
        await self._users([user_id] if user_id else sorted(users), named=bool(user_id))
        if not user_id:
            await self._everything_else(frozenset(users))

    async def close(self) -> None:
        """Close the connections to the store."""
        await self._client.close()
        await self._journal.close()

    async def _everything_else(self, users: frozenset[str]) -> None:
        self._say(await check_stray_keys(self._client, self._journal))
        self._say(await check_rewrites(self._client))
        self._say(await check_erased(self._client, self._parts.journal, users))
        self._say(await check_schedule(RedisSchedule(self._client), users))
        self._say(await check_files(snapshots_url(self._settings), users))
        self._say(check_data_directory(self._settings.data_path, in_use=not self._alone))

    async def _users(self, users: Sequence[str], *, named: bool) -> None:
        url = snapshots_url(self._settings)
        looks_max = 1 if self._alone else LOOKS_MAX
        one_by_one = UserDoctor(self._parts, self._journal, url, looks_max=looks_max, vectors_max=VECTORS_CHECKED)
        memories = sound = 0
        for user_id in users:
            report = await one_by_one.look_at(user_id)
            memories, sound = memories + report.memories, sound + report.sound
            self._say(self._with_repairs(report, url), quiet=not (self._shown or len(users) <= USERS_SHOWN))
        if not named:
            self._say([fine("users", f"{len(users)} with {memories} memories; nothing is wrong with {sound} of them")])

    def _with_repairs(self, report: UserReport, url: str) -> list[Finding]:
        """A damaged snapshot is derived data as long as its user can be read back without it."""
        if not report.damaged:
            return report.findings

        async def write_anew() -> str:
            return await _fresh_snapshot(report.user_id, self._parts, list(report.damaged), url)

        which = "; ".join(f"snapshot {path} is damaged: {reason}" for path, reason in report.damaged.items())
        return [*report.findings, wrong(report.place, which, write_anew if report.recoverable else None)]

    def _say(self, findings: Sequence[Finding], *, quiet: bool = False) -> None:
        self.findings += findings
        for finding in findings:
            if not quiet or finding.level is not Level.OK:
                print(finding.line(), flush=True)


def _parts(settings: Settings) -> HostParts:
    """A host's parts. Where a remote embedder's space is not known yet, no snapshot can hold vectors of it either."""
    if settings.models.embedder != BUNDLED and not known_dimensions(settings):
        settings = settings.model_copy(update={"models": ModelSettings()})
    return host_parts(settings.model_dump_json())


async def _fresh_snapshot(user_id: str, parts: HostParts, damaged: Sequence[str], url: str) -> str:
    """Write a verified snapshot from what can be read back, then remove the damaged files.

    Raises: RearviewError or OSError; the damaged files stay then.
    """
    actor = await hydrate(user_id, parts, later=_not_now)
    await parts.snapshots.write(user_id, await take_snapshot(actor))
    files = open_files(url)
    for path in damaged:
        await asyncio.to_thread(files.remove, path)
    return f"wrote a snapshot of entry {actor.seq} of {user_id} and removed {len(damaged)} damaged"


def _not_now(work: Coroutine[object, object, None]) -> None:
    """What an owner would do beside its calls; this one makes no calls."""
    work.close()


async def _repaired(findings: Sequence[Finding]) -> list[Finding]:
    """Do every repair; what was put right is wrong no longer."""
    left = []
    for finding in findings:
        if finding.repair is None:
            left.append(finding)
            continue
        try:
            done = await finding.repair()
        except (RearviewError, OSError) as error:
            print(wrong(finding.place, f"not put right: {getattr(error, 'sentence', error)}").line())
            left.append(finding)
        else:
            print(fine("repair", done).line())
    return left
