"""Everything a running service consists of, started in order and stopped in the reverse one."""

import asyncio
import contextlib
import errno
import logging
import os
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from prometheus_client import CollectorRegistry
from starlette.routing import Route

from actors.coalescer import CoalescerLimits
from actors.directory import Directory
from actors.garbage import spare_what_stays
from actors.model_client import ModelCalls, ModelClient
from actors.placement import Placement
from actors.ray_runtime import HostSpec, RayRuntime, connect, start_local
from adapters.console.app import console_routes
from adapters.console.parts import ConsoleParts, Verify
from adapters.http.app import create_app
from adapters.http.metrics import Metrics
from adapters.http.parts import LOOPBACK_HOSTS, HttpParts
from adapters.http.protocol import BoundedProtocol
from adapters.mcp.server import build_mcp, scope_user
from adapters.observed import Asks, Observed, Operations
from adapters.rates import Rates
from adapters.tokens import TokenBook
from engine.errors import RearviewError, Unavailable
from persistence.dump import refuse_half_restored
from persistence.embedded_valkey import EmbeddedValkey
from persistence.master_key import settle_master_key
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.redis_schedule import RedisSchedule
from persistence.redis_spaces import RedisSpaces
from persistence.redis_tokens import RedisTokens
from rearview.admission import issuer_tokens, rates_of, verifier
from rearview.clock import clock, new_id, new_token, random_bytes
from rearview.health import health_of
from rearview.host_metrics import host_metrics
from rearview.maintenance import maintain_everyone
from rearview.model_metrics import model_metrics
from rearview.model_wiring import FIRST_CALL_SECONDS, MODEL_HOST, found_dimensions, known_dimensions
from rearview.moving import Mover, settings_in_force
from rearview.settings import BUNDLED, RedisSettings, Settings, words
from rearview.space_wiring import remember_dimensions
from rearview.tracing import Tracing, tracing_to
from rearview.version import VERSION
from rearview.wiring import HOST_PARTS, redis_url

log = logging.getLogger("rearview.serve")
TOKEN_FILE = "admin-token"
RAY_TOKEN_FILE = "keys/ray-token"
WATCH_SECONDS = 1.0
KNOCKS_MAX = 3  # A cluster of somebody else's is given up after this many in a row without an answer.
SETTINGS_CHECK_SECONDS = 5.0
DRAIN_SECONDS = 3


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: SIGTERM must drain the actors too, in our order."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Stack:
    """One service. `start` once, `stop` once; `ended` returns when a part died that cannot be started again."""

    def __init__(self, settings: Settings, *, after_ray: Callable[[], None]) -> None:
        self.settings = settings
        self._after_ray = after_ray
        self.url = ""
        self.token_file = settings.data_path / TOKEN_FILE
        self._valkey: EmbeddedValkey | None = None
        self._client: RedisClient | None = None
        self._ray: RayRuntime | None = None
        self._server: uvicorn.Server | None = None
        self._bound: socket.socket | None = None
        self.lost_ray = False
        self._unanswered = 0
        self._serving: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._ready = False
        self._registry = CollectorRegistry()
        self._tracing: Tracing | None = None
        self._shared_hosts: tuple[str, ...] = ()
        self._end_streams: Callable[[], None] = lambda: None
        self._settings_problem = ""
        self._warming: asyncio.Task[None] | None = None
        self._mover: Mover | None = None

    async def start(self) -> None:
        """Bring everything up. Raises: RearviewError or OSError saying what is wrong; `stop` cleans up what came up."""
        self.settings.data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings = await self._with_journal(self.settings)
        # Taken before the seconds that Ray needs, so that a port in use is said at once.
        self._bound = listening_socket(settings.http.host, settings.http.port)
        self._client = RedisClient(redis_url(settings))
        journal = RedisJournal(self._client, settings.durability)
        await journal.check()
        await refuse_half_restored(self._client)
        await settle_master_key(
            self._client,
            settings.master_key_path,
            seals=settings.encryption.enabled,
            may_make=not settings.encryption.key_file,
            random_bytes=random_bytes,
        )
        spaces = RedisSpaces(self._client)
        settings, record, problem = await settings_in_force(settings, spaces, journal)
        if problem:
            log.warning("%s", problem)
        placement = Placement.shared(
            settings.actors.hosts,
            ("*",) if settings.actors.isolation == "dedicated" else words(settings.actors.dedicated),
        )
        self._shared_hosts = placement.hosts
        spec = host_spec(settings, placement)
        self._ray = self._start_ray(spec)
        self._after_ray()
        await self._see_to_models(settings)
        if settings.tracing.endpoint:
            self._tracing = tracing_to(settings.tracing.endpoint)
        directory = Observed(
            Directory(self._ray, placement, CoalescerLimits()), Operations(self._registry), self._tracing
        )
        now_ms = clock(settings.test.clock_file)
        tokens = TokenBook(RedisTokens(self._client), now_ms=now_ms, new_id=new_id, new_token=new_token)
        await tokens.ensure_first(self.token_file)
        self._mover = Mover(directory, journal, spaces, self._ray.models, partial(remember_dimensions, settings))
        await self._listen(settings, directory, tokens)
        await self._ray.start_hosts()
        await self._mover.begin(settings, record)
        self._watching = asyncio.create_task(self._watch(journal))
        spare_what_stays()
        self._ready = True

    async def stop(self) -> None:
        """Drain, passivate, end every process that we started."""
        self._ready = False
        for task in (self._watching, self._warming):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        if self._mover is not None:
            await self._mover.stop()
        self._end_streams()
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await asyncio.gather(self._serving, return_exceptions=True)
        elif self._bound is not None:
            self._bound.close()
        if self._ray is not None and self.lost_ray:
            self._ray.kill_cluster()
        elif self._ray is not None:
            await self._ray.stop_hosts()
            self._ray.shutdown()
        if self._tracing is not None:
            await asyncio.to_thread(self._tracing.close)
        if self._client is not None:
            await self._client.close()
        if self._valkey is not None:
            await self._valkey.stop()

    async def ended(self) -> None:
        """Returns when the service can no longer do its work."""
        assert self._serving is not None and self._watching is not None
        done, _ = await asyncio.wait([self._serving, self._watching], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if (fault := task.exception()) is not None:
                log.error("the service ends because a part of it failed", exc_info=fault)

    async def _with_journal(self, settings: Settings) -> Settings:
        """The settings with the URL of the journal in use; starts the bundled server where none is named."""
        if settings.redis.url:
            return settings
        self._valkey = EmbeddedValkey(settings.data_path, settings.durability)
        await self._valkey.start()
        return settings.model_copy(update={"redis": RedisSettings(url=self._valkey.url)})

    async def _see_to_models(self, settings: Settings) -> None:
        """Have the model host get ready beside the start, and know the remote embedder's dimensions before the hosts.

        Raises: Unavailable when these are not known and the model cannot be asked.
        """
        if not settings.models.remote:
            return
        assert self._ray is not None
        calls = self._ray.models()
        if settings.models.embedder != BUNDLED and not known_dimensions(settings):
            await found_dimensions(settings, calls)
        self._warming = asyncio.create_task(warm_models(calls))

    def _start_ray(self, spec: HostSpec) -> RayRuntime:
        """Join the cluster that the settings name, or start our own. Blocks for seconds, before the port opens."""
        ray = self.settings.ray
        if ray.address:
            token_file = Path(ray.token_file) if ray.token_file else None
            return connect(spec, address=ray.address, token_file=token_file)
        token_file = self.settings.data_path / RAY_TOKEN_FILE
        write_secret_once(token_file, new_token())
        return start_local(spec, temp_dir=self.settings.data_path / "run" / "ray", token_file=token_file)

    async def _listen(self, settings: Settings, directory: Asks, tokens: TokenBook) -> None:
        """Open the port. Requests that need a user are refused with 503 until the hosts are there."""
        http = settings.http
        hosts = (*LOOPBACK_HOSTS, *words(http.allowed_hosts))
        # The protocol's own check must let through what the door in front of it does.
        names = (*hosts, urlsplit(http.public_url).netloc) if http.public_url else hosts
        door = build_mcp(directory, version=VERSION, allowed_hosts=names, allowed_origins=words(http.allowed_origins))
        self._end_streams = door.end_streams
        config = uvicorn.Config(
            app="",
            host=http.host,
            port=http.port,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=DRAIN_SECONDS,
            loop="uvloop",
            http=BoundedProtocol,
            ws="none",
            server_header=False,
        )
        bound = self._bound
        assert bound is not None, "the port was taken before Ray was started"
        port = bound.getsockname()[1]
        shown = "127.0.0.1" if http.host in ("0.0.0.0", "127.0.0.1", "localhost") else http.host
        self.url = f"http://{shown}:{port}"
        assert self._client is not None, "the journal is there before the port opens"
        now_ms = clock(settings.test.clock_file)
        rates, issuer = rates_of(settings, self._client, now_ms), issuer_tokens(settings, now_ms)
        app = create_app(
            HttpParts(
                directory=directory,
                tokens=tokens,
                rates=rates,
                other_tokens=issuer,
                now_ms=now_ms,
                new_id=new_id,
                version=VERSION,
                limits=settings.policy().limits,
                ready=self.ready,
                allowed_hosts=hosts,
                allowed_origins=words(http.allowed_origins),
                maintain_all=partial(maintain_everyone, directory, RedisSchedule(self._client), now_ms),
                mover=self._mover,
                public_url=http.public_url or self.url,
                extra_routes=[*door.routes, *self._console(settings, directory, verifier(tokens, issuer), rates)],
                lifespans=[door.lifespan],
                scope_user=scope_user,
                metrics=Metrics(self._registry),
                more_metrics=partial(self._more_metrics, settings.models.remote),
            )
        )
        config.app = app if self._tracing is None else self._tracing.around(app)
        self._server = _Server(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[bound]))
        while not self._server.started:
            if self._serving.done():
                raise Unavailable.of("The HTTP server did not start.")
            await asyncio.sleep(0.01)

    def _console(self, settings: Settings, directory: Asks, verify: Verify, rates: Rates) -> list[Route]:
        assert self._ray is not None and self._client is not None, "hosts and store come before the port"
        parts = ConsoleParts(
            directory=directory,
            verify=verify,
            rates=rates,
            now_ms=clock(settings.test.clock_file),
            new_id=new_id,
            new_secret=new_token,
            version=VERSION,
            public_url=settings.http.public_url,
            policy=settings.policy(),
            health=partial(health_of, settings, self._ray, RedisJournal(self._client), self._registry),
        )
        return console_routes(parts)

    async def _more_metrics(self, with_models: bool) -> str:
        if self._ray is None:
            return ""
        hosts = host_metrics(await self._ray.figures(), self._shared_hosts)
        return hosts + await model_metrics(self._ray.models()) if with_models else hosts

    async def ready(self) -> tuple[bool, dict[str, object]]:
        """Whether requests can be answered, and what is missing."""
        if self._settings_problem:
            return False, {"problem": self._settings_problem}
        return self._ready, {}

    async def _watch(self, journal: RedisJournal) -> None:
        """Start a dead bundled server again, end when Ray is dead, and notice settings that could lose data."""
        since_check = 0.0
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if self._valkey is not None and self._valkey.pid is None:
                log.error("the bundled store has died; starting it again")
                with contextlib.suppress(RearviewError):
                    await self._valkey.start()
            if self._ray is not None and await self._ray_is_gone(self._ray):
                self.lost_ray = True
                return
            since_check += WATCH_SECONDS
            if since_check >= SETTINGS_CHECK_SECONDS:
                since_check = 0.0
                await self._check_settings(journal)

    async def _ray_is_gone(self, ray: RayRuntime) -> bool:
        if not ray.cluster_lives():
            log.error("Ray has died")
            return True
        self._unanswered = 0 if await ray.cluster_answers() else self._unanswered + 1
        if self._unanswered < KNOCKS_MAX:
            return False
        log.error("the Ray cluster at %s (ray.address) does not answer any more", ray.address)
        return True

    async def _check_settings(self, journal: RedisJournal) -> None:
        problem = ""
        try:
            await journal.check()
        except RearviewError as error:
            problem = error.sentence
        if problem and problem != self._settings_problem:
            log.error("%s", problem)
        self._settings_problem = problem


def host_spec(settings: Settings, placement: Placement) -> HostSpec:
    """What the hosts are told; the keys of models only reach the model host's own part of it."""
    return HostSpec(
        placement,
        HOST_PARTS,
        settings.model_dump_json(),
        settings.ray.namespace,
        # Started when it is first asked something: users may be moved to a remote model at any time.
        models=MODEL_HOST,
        models_json=settings.revealed_json(),
    )


async def warm_models(calls: ModelCalls) -> None:
    """Import the model library while nobody waits for it. A model that cannot be used is said so loudly, once."""
    try:
        await ModelClient(calls).ask("warm", {}, seconds=FIRST_CALL_SECONDS)
    except RearviewError as error:
        log.warning("the configured models cannot be used: %s", error.sentence)


def write_secret_once(path: Path, secret: str) -> None:
    """A file only this user can read, made at the first start and kept."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w", encoding="ascii") as out:
            out.write(secret)


def listening_socket(host: str, port: int) -> socket.socket:
    """Bound to the one port of this service; port 0 takes a free one. Raises: Unavailable naming host and port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        hint = " Is one running already? Another port: --port." if error.errno == errno.EADDRINUSE else ""
        sentence = f"Cannot listen on {host} port {port}: {error.strerror}.{hint}"
        raise Unavailable.of(sentence, code="port_in_use") from None
    made.set_inheritable(False)
    return made
