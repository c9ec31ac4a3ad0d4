"""Hosts as Ray actors. The only file that knows Ray: it wraps `MemoryHost`, finds hosts by name, maps Ray's errors.

A host is a detached named actor that Ray restarts for ever (`max_restarts=-1`) but whose calls are never repeated by
Ray (`max_task_retries=0`): Ray's repeats were measured to run a side effect three times for one call, so repeating is
left to the directory, which knows what is harmless to repeat. Ray does not keep a paused old process from waking up
beside its successor; the epoch in the journal does.

`ray` is imported when it is first needed. Its native part reads the environment at import (token, usage reports), so
the environment must be set first, and processes that never talk to a host need not pay for the import.
"""

import asyncio
import contextlib
import importlib
import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from actors.garbage import spare_what_stays
from actors.host import HostParts, MemoryHost
from actors.model_host import ModelHost
from actors.placement import Placement
from actors.ray_address import answers, must_answer
from actors.ray_place import forget_old_sessions, private_temp_dir, set_environment
from actors.releases import NEWER_HOSTS, must_be_replaced
from actors.requests import Request, pack_requests
from engine.errors import Unavailable

_log = logging.getLogger("rearview.ray")
NAMESPACE = "rearview"
OBJECT_STORE_BYTES = 80 * 1024 * 1024  # Ray refuses less than 75 MiB; batches are far smaller than this.
CONCURRENT_CALLS = 1_000
WARM_WORKERS_MAX = 4  # Ray starts a worker per CPU ahead of need, and hosts move in. Hosts themselves ask for no CPU.
HOST_SHARE = 0.001  # Of the resource, so that it says where and never how many.
MODEL_HOST_NAME = "model-host"
PYTHON_COMMAND = "_build_python_executable_command_memory_profileable"  # how Ray starts its agents
CHILD = Path(__file__).with_name("ray_child.py")
# Parts of a head node that one service does not use. Without them start takes a third of the time and 250 MB less.
UNUSED_PARTS = ("start_api_server", "start_monitor", "start_log_monitor")


def _ray() -> ModuleType:
    import ray  # Not before the environment is set.

    return ray


@dataclass(frozen=True, slots=True)
class HostSpec:
    """What a host's process is told. `parts` is "module:function"; the function takes `settings_json`.

    `models` is the same for the model host, which takes `models_json`; empty when no remote model is configured.
    """

    placement: Placement
    parts: str
    settings_json: str = field(repr=False)
    namespace: str = NAMESPACE
    models: str = ""
    models_json: str = field(default="", repr=False)  # It holds keys.
    release: str = ""
    resource: str = ""  # Of Ray's: hosts live only on nodes that offer it.


@dataclass(frozen=True, slots=True)
class Waits:
    """How long a caller waits for Ray, in seconds."""

    call: float = 60.0
    start: float = 60.0  # Seconds of work on an idle machine; a starved one needs its time.
    stuck: float = 10.0  # A host that answered before and is silent for this long is ended and started anew.
    stop: float = 6.0
    again: float = 0.05


class HostActor:
    """One host in its Ray process."""

    def __init__(self, name: str, spec: HostSpec) -> None:
        parts = cast(HostParts, _built(spec.parts, spec.settings_json))
        runtime = RayRuntime(spec)
        if spec.models and parts.with_models is not None:
            parts = parts.with_models(parts, runtime.models())
        leads = name == spec.placement.hosts[0]
        self._host = MemoryHost(
            replace(
                parts,
                owns=lambda user_id: spec.placement.host_of(user_id) == name,
                elsewhere=runtime.wake if leads else None,
            )
        )
        self._started = False
        self._release = spec.release

    async def call(self, batch: bytes) -> bytes:
        return await self._host.call(batch)

    async def ping(self) -> int:
        """The process id; shows that the host is up. The first one begins its work beside the calls."""
        if not self._started:
            self._started = True
            spare_what_stays()
            await self._host.start()
        return os.getpid()

    async def figures(self) -> dict[str, int]:
        return {"pid": os.getpid(), **self._host.figures()}

    async def release(self) -> str:
        """What code this process runs."""
        return self._release

    async def stop(self) -> None:
        """Passivate everybody. The actor answers nothing but pings from now on."""
        await self._host.stop()


class ModelActor:
    """The model host in its Ray process."""

    def __init__(self, spec: HostSpec) -> None:
        self._host = cast(ModelHost, _built(spec.models, spec.models_json))

    async def call(self, request: bytes) -> bytes:
        return await self._host.call(request)


def _built(factory: str, settings_json: str) -> object:
    """What the function "module:function" makes of the settings."""
    module, _, function = factory.partition(":")
    return getattr(importlib.import_module(module), function)(settings_json)


class RayModelCalls:
    """The model host as this process reaches it: found or started when it is first asked. Implements `ModelCalls`."""

    def __init__(self, spec: HostSpec) -> None:
        self._spec = spec
        self._actor: Any = None

    def submit(self, request: bytes) -> "Future[bytes]":
        """Raises: Unavailable with code "model_host_lost"; so does the future."""
        answer: Future[bytes] = Future()
        try:
            asked = self._found().call.remote(request).future()
        except (ValueError, RuntimeError, _ray().exceptions.RayError):
            self._actor = None
            raise _models_lost() from None
        asked.add_done_callback(lambda done: self._pass_on(done, answer))
        return answer

    def end(self) -> None:
        """End its process, if there is one."""
        with contextlib.suppress(_ray().exceptions.RayError, ValueError):
            _ray().kill(_ray().get_actor(MODEL_HOST_NAME, namespace=self._spec.namespace), no_restart=True)

    def _found(self) -> Any:
        if self._actor is None:
            self._actor = (
                _ray()
                .remote(ModelActor)
                .options(
                    name=MODEL_HOST_NAME,
                    namespace=self._spec.namespace,
                    lifetime="detached",
                    get_if_exists=True,
                    max_restarts=-1,
                    max_task_retries=0,
                    num_cpus=0,
                    max_concurrency=CONCURRENT_CALLS,
                )
                .remote(self._spec)
            )
        return self._actor

    def _pass_on(self, done: "Future[bytes]", answer: "Future[bytes]") -> None:
        if not answer.set_running_or_notify_cancel():
            return  # Whoever asked has stopped waiting.
        error = done.exception()
        if error is None:
            answer.set_result(done.result())
            return
        self._actor = None  # Ray starts it again; a handle of one that is dead for good would stay dead.
        answer.set_exception(_models_lost())


def _models_lost() -> Unavailable:
    return Unavailable.of("the model host is gone", code="model_host_lost")


class RayHandle:
    """A host as this process reaches it."""

    def __init__(self, actor: Any, waits: Waits) -> None:
        self._actor = actor
        self._waits = waits
        self._looking: asyncio.Task[None] | None = None

    async def call(self, batch: bytes) -> bytes:
        """Raises: Unavailable with code "host_lost"; nothing of Ray's own text, which holds paths and addresses."""
        timer = asyncio.get_running_loop().call_later(self._waits.stuck, self._look_after)
        try:
            return cast(bytes, await self._wait(self._actor.call, self._waits.call, batch))
        finally:
            timer.cancel()

    def _look_after(self) -> None:
        """A call takes long. The host may be busy with it, or stand still; the second is seen by a ping."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._end_if_stuck())

    async def _end_if_stuck(self) -> None:
        """Ray does not notice a process that stands still. Ended, it fails the calls that wait for it at once."""
        try:
            await self._wait(self._actor.ping, self._waits.stuck)
        except Unavailable:
            await self.restart()

    async def ping(self) -> int:
        """The host's process id. Raises: as `call`."""
        return cast(int, await self._wait(self._actor.ping, self._waits.call))

    async def figures(self) -> dict[str, int]:
        """How the host is (`MemoryHost.figures`), with its process id. Raises: as `call`."""
        return cast("dict[str, int]", await self._wait(self._actor.figures, self._waits.call))

    async def release(self) -> str:
        """The release that the host runs; "" for one too old to say. Raises: as `call`."""
        method = getattr(self._actor, "release", None)
        return "" if method is None else cast(str, await self._wait(method, self._waits.call))

    async def stop(self) -> None:
        """Let the host passivate everybody, and end it. One that takes too long is ended before it is through."""
        with contextlib.suppress(Unavailable):
            await self._wait(self._actor.stop, self._waits.stop)
        with contextlib.suppress(_ray().exceptions.RayError, ValueError):
            await asyncio.to_thread(_ray().kill, self._actor, no_restart=True)

    async def restart(self) -> None:
        """End the process; Ray starts another one under the same name."""
        with contextlib.suppress(_ray().exceptions.RayError, ValueError):
            await asyncio.to_thread(_ray().kill, self._actor, no_restart=False)

    async def _wait(self, method: Any, seconds: float, *args: object) -> object:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(method.remote(*args).future()), seconds)
        except TimeoutError:
            raise Unavailable.of("the host did not answer in time", code="host_lost") from None
        except _ray().exceptions.RayError:
            raise Unavailable.of("the host is gone", code="host_lost") from None


def _own_node() -> Any:
    """Ray's own account of the processes it started from here; None when there are none."""
    return getattr(importlib.import_module("ray._private.worker"), "_global_node", None)


class RayRuntime:
    """Finds and starts hosts. Made by `start_local` or `connect`, or inside a host, which is in a cluster already."""

    def __init__(
        self, spec: HostSpec, waits: Waits | None = None, *, owns_cluster: bool = False, address: str = ""
    ) -> None:
        self.owns_cluster = owns_cluster
        self.address = address  # Of somebody else's cluster.
        self._spec = spec
        self._waits = waits or Waits()
        self._handles: dict[str, RayHandle] = {}
        self._suspects: set[str] = set()
        self._starting: dict[str, asyncio.Task[RayHandle]] = {}

    async def host(self, name: str) -> RayHandle:
        """The host of this name, found or started, and answering.

        Raises: Unavailable with code "host_lost" when it does not come up in time.
        """
        handle = self._handles.get(name)
        if handle is not None:
            return handle
        task = self._starting.get(name)
        if task is None:
            task = self._starting[name] = asyncio.get_running_loop().create_task(self._find(name))
            task.add_done_callback(lambda done: self._starting.pop(name, None))
        return await asyncio.shield(task)

    def forget(self, name: str) -> None:
        if self._handles.pop(name, None) is not None:
            self._suspects.add(name)

    def use(self, spec: HostSpec) -> None:
        """What hosts that are started from now on are told."""
        self._spec = spec

    def models(self) -> RayModelCalls:
        """The way to the model host. Nothing is started before somebody asks it something."""
        return RayModelCalls(self._spec)

    async def start_hosts(self) -> None:
        """Start all shared hosts, so that each watches over what falls due for its users. Raises: as `host`."""
        await asyncio.gather(*(self.host(name) for name in self._spec.placement.hosts))

    async def figures(self) -> dict[str, dict[str, int]]:
        """How every host is that is shared or that this process knows, by name; an empty map for one that is lost."""
        names = list(dict.fromkeys((*self._spec.placement.hosts, *self._handles)))
        asked = await asyncio.gather(*(self._figures_of(name) for name in names))
        return dict(zip(names, asked, strict=True))

    async def _figures_of(self, name: str) -> dict[str, int]:
        try:
            return await (await self.host(name)).figures()
        except Unavailable:
            return {}

    async def wake(self, user_id: str) -> None:
        """See to what is due for a user with a host of their own, who may be known to no process at the moment."""
        if self._spec.placement.is_dedicated(user_id):
            handle = await self.host(self._spec.placement.host_of(user_id))
            await handle.call(pack_requests([Request(0, user_id, "maintain", {})]))

    async def stop_hosts(self) -> None:
        """Let every host that this process knows passivate its users, then end its process.

        In somebody else's cluster the hosts stay: they serve other processes as well.
        """
        handles = [self._handles.pop(name) for name in list(self._handles)]
        if self.owns_cluster:
            await asyncio.gather(*(handle.stop() for handle in handles))
            if self._spec.models:
                await asyncio.to_thread(self.models().end)

    def cluster_lives(self) -> bool:
        """Whether every process of this process's own cluster runs; hosts are Ray's to watch, the cluster is ours.

        A raylet goes when one of its agents does, and nothing brings it back: calls then wait for ever.
        """
        node = _own_node() if self.owns_cluster else None
        return node is None or not node.dead_processes()

    async def cluster_answers(self) -> bool:
        """Whether somebody else's cluster can be reached. Calls into a dead one would wait for ever."""
        return await answers(self.address)

    def kill_cluster(self) -> None:
        """End what is left of a cluster that died, without a word to it: Ray's own way out waits for the dead."""
        self._handles.clear()
        node = _own_node() if self.owns_cluster else None
        for _, process in [] if node is None else node.live_processes():
            process.kill()
            process.wait()

    def shutdown(self) -> None:
        """Leave the cluster; ends it when this process started it."""
        self._handles.clear()
        _ray().shutdown()

    async def _find(self, name: str) -> RayHandle:
        """Get or create, then ask until it answers. Ray may hand out an actor that died a moment ago: ask again."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._waits.start
        while True:
            try:
                handle = RayHandle(await asyncio.to_thread(self._get_or_create, name), self._waits)
                await self._answers(handle, name, deadline - loop.time())
                if must_be_replaced(await handle.release(), self._spec.release):
                    _log.warning("%s runs an older release; it is ended and started anew", name)
                    await handle.stop()
                    continue
                self._handles[name] = handle
                return handle
            except (Unavailable, TimeoutError, ValueError, _ray().exceptions.RayError) as error:
                if isinstance(error, Unavailable) and error.code == NEWER_HOSTS:
                    raise
                if loop.time() >= deadline:
                    raise Unavailable.of("the host did not start in time", code="host_lost") from None
                await asyncio.sleep(self._waits.again)

    async def _answers(self, handle: RayHandle, name: str, seconds: float) -> None:
        """Wait for a ping's answer. Ray does not notice a process that stands still, so a suspect is ended here.

        The old process may wake up later beside its successor: the epoch in the journal keeps it from writing.
        """
        suspect = name in self._suspects
        try:
            await asyncio.wait_for(handle.ping(), max(0.1, min(seconds, self._waits.stuck) if suspect else seconds))
        except TimeoutError:
            if suspect:
                await handle.restart()
            raise
        finally:
            self._suspects.discard(name)

    def _get_or_create(self, name: str) -> Any:
        actor_class = _ray().remote(HostActor)
        return actor_class.options(
            name=name,
            namespace=self._spec.namespace,
            lifetime="detached",
            get_if_exists=True,
            max_restarts=-1,
            max_task_retries=0,
            num_cpus=0,
            max_concurrency=CONCURRENT_CALLS,
            resources={self._spec.resource: HOST_SHARE} if self._spec.resource else None,
            scheduling_strategy="SPREAD",  # Over the nodes, so that the loss of one moves as few users as possible.
        ).remote(name, self._spec)


def start_local(spec: HostSpec, *, temp_dir: Path, token_file: Path) -> RayRuntime:
    """Start a Ray of our own: loopback, token, no dashboard. Call it from the main thread and before Ray is imported.

    All of Ray's processes ask the kernel to be killed when the thread that started them ends (its agents by way of
    `ray_child.py`), so nothing is left behind even by kill -9 of this process. For the same reason a thread that ends
    early must not start them.
    """
    set_environment(token_file)
    ray = _ray()
    place = private_temp_dir(temp_dir)
    forget_old_sessions(place)
    with _lean_head_node():
        ray.init(
            address="local",  # Never a cluster that RAY_ADDRESS or a leftover file names.
            num_cpus=min(len(spec.placement.hosts), WARM_WORKERS_MAX),
            include_dashboard=False,
            _node_ip_address="127.0.0.1",
            log_to_driver=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=str(place),
            logging_level="error",
            namespace=spec.namespace,
        )
    return RayRuntime(spec, owns_cluster=True)


def connect(spec: HostSpec, *, address: str, token_file: Path | None = None) -> RayRuntime:
    """Join the cluster at `address`. Raises: Unavailable when it cannot be reached."""
    must_answer(address)
    set_environment(token_file)
    ray = _ray()
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", namespace=spec.namespace)
    except (ConnectionError, RuntimeError, ray.exceptions.RayError):
        raise Unavailable.of("the Ray cluster cannot be reached", code="host_lost") from None
    return RayRuntime(spec, address=address)


@contextlib.contextmanager
def _lean_head_node() -> Iterator[None]:
    """While Ray starts: loopback, no dashboard, autoscaler and log monitor, and agents that die with their raylet.

    Ray takes "127.0.0.1" for a wish to be reached from elsewhere, and then listens on every interface.

    These are Ray's own internals. A release that has them no more under these names starts with all its parts.
    """
    services = importlib.import_module("ray._private.services")
    node = importlib.import_module("ray._private.node").Node
    with contextlib.ExitStack() as undo:
        for name in UNUSED_PARTS:
            _replaced(undo, node, name, lambda old: lambda self, *args, **kwargs: None)
        constants = importlib.import_module("ray._private.ray_constants")
        _replaced(undo, constants, "ENABLE_RAY_CLUSTER", lambda old: False)
        _replaced(undo, services, PYTHON_COMMAND, lambda old: lambda *args: [*old(*args), str(CHILD)])
        yield


def _replaced(undo: contextlib.ExitStack, owner: object, name: str, make: Callable[[Any], Any]) -> None:
    old = getattr(owner, name, None)
    if old is not None:
        setattr(owner, name, make(old))
        undo.callback(setattr, owner, name, old)
