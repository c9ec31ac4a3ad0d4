"""Embedding models beside the one of the settings: how a host makes parts for another space, and who embeds for it."""

from concurrent.futures import Future
from dataclasses import asdict, replace

from actors.model_client import ModelCalls
from actors.model_host import OTHER
from actors.parts import EmbedderSpec, HostParts
from actors.requests import pack
from adapters.models.bundled_e5 import BundledE5
from adapters.models.query_table import bundled_table
from adapters.models.space import bundled_space
from rearview.embedder_spec import BUNDLED_SPEC, settings_with
from rearview.model_wiring import in_remote_space, known_dimensions, space_file
from rearview.settings import BUNDLED, Settings


def spec_in_settings(settings: Settings) -> EmbedderSpec:
    """The embedder that the settings name; `dimensions` is 0 where nobody knows it yet."""
    models = settings.models
    if models.embedder == BUNDLED:
        return BUNDLED_SPEC
    dimensions = known_dimensions(settings)
    return EmbedderSpec(models.embedder, dimensions, models.embedder_api_base, models.embedder_dimensions)


class OtherModelCalls:
    """The model host, asked about another embedder than that of its settings. Implements `ModelCalls`."""

    def __init__(self, calls: ModelCalls, spec: EmbedderSpec) -> None:
        self._calls = calls
        self._spec = asdict(spec)

    def submit(self, request: bytes) -> "Future[bytes]":
        return self._calls.submit(pack([OTHER, {"embedder": self._spec, "request": request}]))


def with_spaces(parts: HostParts, calls: ModelCalls, settings: Settings) -> HostParts:
    """A host's parts that know how to make parts for another space."""
    own = spec_in_settings(settings)

    def in_space(base: HostParts, spec: EmbedderSpec) -> HostParts:
        if spec.model == own.model and spec.dimensions == base.space.dimensions:
            return base
        chosen = settings_with(settings, spec)
        if spec.model == BUNDLED:
            return _in_bundled_space(base, settings)
        made = in_remote_space(base, chosen, spec.dimensions)
        assert made.with_models is not None, "a remote space is asked through the model host"
        reached = made.with_models(made, OtherModelCalls(calls, spec))
        # Only the embedder is another one; judge and reranker stay those of the settings.
        return replace(reached, models=base.models, with_models=base.with_models, in_space=base.in_space)

    return replace(parts, in_space=in_space)


def _in_bundled_space(base: HostParts, settings: Settings) -> HostParts:
    usual = HostParts.__dataclass_fields__["query_budget_ms"].default
    limits = type(base.limits)()
    return replace(
        base,
        embedder=BundledE5,
        static=bundled_table(),
        space=bundled_space(),
        likeness=None,
        query_encoder=settings.models.query_encoder,
        query_budget_ms=usual,
        limits=replace(
            base.limits,
            embed_batch=limits.embed_batch,
            embed_at_once=limits.embed_at_once,
            query_threads=limits.query_threads,
        ),
    )


def remember_dimensions(settings: Settings, spec: EmbedderSpec) -> None:
    """Keep what a model said of itself, so that a start while its server is away knows it. Raises: OSError."""
    file = space_file(settings_with(settings, spec))
    if spec.model != BUNDLED and not file.dimensions():
        file.write({"dimensions": spec.dimensions})
