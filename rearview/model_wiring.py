"""Where the settings of models become objects: the model host's own, and what a memory host needs to ask it."""

from collections.abc import Mapping
from dataclasses import replace

from actors.model_client import ModelCalls, ModelClient
from actors.model_gate import GateLimits
from actors.model_host import ModelHost, ModelParts, ModelTimes
from actors.parts import HostParts
from adapters.models.litellm_embedder import LitellmEmbedder
from adapters.models.litellm_judge import LitellmJudge
from adapters.models.litellm_library import Endpoint, library
from adapters.models.litellm_relevance import LitellmRelevance
from adapters.models.litellm_reranker import LitellmReranker
from adapters.models.providers import dimensions_of, rows_of
from adapters.models.query_table import QueryTable
from adapters.models.remote_embedder import RemoteEmbedder
from adapters.models.remote_space import NoTable, RemoteSpace, SpaceFile
from adapters.models.spend_file import SpendFile
from engine.errors import Unavailable
from rearview.clock import clock, monotonic_ms
from rearview.embedder_spec import settings_with, spec_from
from rearview.settings import BUNDLED, ModelSettings, Settings

MODEL_HOST = "rearview.model_wiring:model_host"
FOLDER = "models"
FIRST_CALL_SECONDS = 90.0  # The library is imported first, and a local model may have to be loaded.
MARGIN_SECONDS = 1.0
QUERY_THREADS = 8


def model_host(settings_json: str) -> ModelHost:
    """Build the model host. Runs inside its own process; imports no model library yet."""
    settings = Settings.model_validate_json(settings_json)
    models, folder = settings.models, settings.data_path / FOLDER
    return ModelHost(
        ModelParts(
            now_ms=clock(settings.test.clock_file),
            monotonic_ms=monotonic_ms,
            ledger=SpendFile(folder / "spend.json"),
            prepare=_import_library,
            judge=_judge(models),
            embedder=_embedder(models, space_file(settings)),
            reranker=_reranker(models),
            space_file=None if models.embedder == BUNDLED else space_file(settings),
            limits=GateLimits(daily_calls=models.daily_calls, daily_tokens=models.daily_tokens),
            times=ModelTimes(judge_ms=int(models.judge_seconds * 1000), query_ms=int(models.query_seconds * 1000)),
            other=lambda embedder: other_embedder(settings, embedder),
        )
    )


def other_embedder(settings: Settings, embedder: Mapping[str, object]) -> ModelParts:
    """What the model host uses for an embedder beside that of the settings. Raises: OSError when its key is missing."""
    chosen = settings_with(settings, spec_from(embedder))
    models, file = chosen.models, space_file(chosen)
    return ModelParts(
        now_ms=clock(settings.test.clock_file),
        monotonic_ms=monotonic_ms,
        ledger=SpendFile(file.path.with_suffix(".spend")),
        prepare=_import_library,
        embedder=_embedder(models, file),
        space_file=file,
        limits=GateLimits(daily_calls=models.daily_calls, daily_tokens=models.daily_tokens),
        times=ModelTimes(query_ms=int(models.query_seconds * 1000)),
    )


def _import_library() -> None:
    library()


def _judge(models: ModelSettings) -> LitellmJudge | None:
    if not models.judge:
        return None
    return LitellmJudge(Endpoint(models.judge, models.judge_api_base, models.judge_api_key.get_secret_value()))


def _embedder(models: ModelSettings, file: SpaceFile) -> LitellmEmbedder | None:
    if models.embedder == BUNDLED:
        return None
    endpoint = Endpoint(models.embedder, models.embedder_api_base, models.embedder_api_key.get_secret_value())
    asked_for = models.embedder_dimensions
    return LitellmEmbedder(
        endpoint,
        dimensions=asked_for or file.dimensions(),
        rows=rows_of(models.embedder),
        ask_for=asked_for not in (0, dimensions_of(models.embedder)),
    )


def _reranker(models: ModelSettings) -> LitellmReranker | LitellmRelevance | None:
    if not models.reranker:
        return None
    key = models.reranker_api_key.get_secret_value()
    endpoint = Endpoint(models.reranker, models.reranker_api_base, key)
    return LitellmRelevance(endpoint) if models.reranker_kind == "chat" else LitellmReranker(endpoint)


def space_file(settings: Settings) -> SpaceFile:
    """Where what is known of the remote embedder's space is kept."""
    return SpaceFile(settings.data_path / FOLDER, settings.models.embedder, settings.models.embedder_dimensions)


def known_dimensions(settings: Settings) -> int:
    """The remote embedder's dimension, from the settings, an earlier run, or the list of known models; else 0."""
    return space_file(settings).dimensions() or dimensions_of(settings.models.embedder)


async def found_dimensions(settings: Settings, calls: ModelCalls) -> int:
    """The remote embedder's dimension, asked of the model itself and kept.

    Raises: Unavailable when it cannot be reached: without the number nothing can be stored in its space.
    """
    try:
        reply = await ModelClient(calls).ask("dimensions", {}, seconds=FIRST_CALL_SECONDS)
    except Unavailable as error:
        raise Unavailable.of(
            f"The embedding model {settings.models.embedder} gave no vector ({error.sentence}), so its number of "
            "dimensions is not known. Start its server, or set REARVIEW_MODELS__EMBEDDER_DIMENSIONS.",
            code=error.code,
        ) from None
    dimensions = reply["dimensions"]
    assert isinstance(dimensions, int), "the model host answers with a number"
    space_file(settings).write({"dimensions": dimensions})
    return dimensions


def in_remote_space(parts: HostParts, settings: Settings, dimensions: int) -> HostParts:
    """A host's parts for the space of a remote embedder: no table, so queries go to the model, or to words alone."""
    models, table = settings.models, QueryTable.load()
    rows = rows_of(models.embedder)
    space = RemoteSpace(models.embedder, dimensions, space_file(settings).read())
    no_table = NoTable(dimensions)

    def with_embedder(parts: HostParts, calls: ModelCalls) -> HostParts:
        embedder = RemoteEmbedder(
            ModelClient(calls), space, passages_seconds=ModelTimes().embed_ms / 1000, query_seconds=models.query_seconds
        )
        return with_judge(replace(parts, embedder=lambda: embedder), calls, settings)

    return replace(
        parts,
        space=space.space,
        static=no_table,
        likeness=table.stand_in,
        query_encoder="quality",
        query_budget_ms=int((models.query_seconds + MARGIN_SECONDS) * 1000),
        with_models=with_embedder,
        limits=replace(parts.limits, embed_batch=rows, embed_at_once=rows, query_threads=QUERY_THREADS),
    )


def with_judge(parts: HostParts, calls: ModelCalls, settings: Settings) -> HostParts:
    """A host's parts with the judge as the settings want it."""
    models = settings.models
    return replace(
        parts,
        models=ModelClient(calls),
        scoring=models.scoring if models.judges else "off",
        judge_seconds=models.judge_seconds + MARGIN_SECONDS,
        reranks=bool(models.reranker),
        rerank_drops=models.reranker_kind == "chat",
    )
