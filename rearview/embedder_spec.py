"""An embedding model as the record of spaces names it, and the settings with it in the place of their own."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr

from actors.parts import EmbedderSpec
from rearview.settings import BUNDLED, BUNDLED_DIMENSIONS, Settings

BUNDLED_SPEC = EmbedderSpec(BUNDLED, BUNDLED_DIMENSIONS)


def same_space(first: EmbedderSpec, second: EmbedderSpec) -> bool:
    """Whether vectors of the one may be compared with vectors of the other: where a server is does not matter."""
    return first.model == second.model and (
        first.dimensions == second.dimensions or 0 in (first.dimensions, second.dimensions)
    )


def settings_with(settings: Settings, spec: EmbedderSpec) -> Settings:
    """The settings as if they named this embedder. Raises: OSError when the file of its key cannot be read."""
    if spec.model == BUNDLED:
        changes: dict[str, object] = {"embedder": BUNDLED, "embedder_dimensions": 0}
    else:
        changes = {"embedder": spec.model, "embedder_api_base": spec.api_base, "embedder_dimensions": spec.asked_for}
        if spec.key_file:
            changes["embedder_api_key"] = SecretStr(Path(spec.key_file).read_text("utf-8").strip())
    return settings.model_copy(update={"models": settings.models.model_copy(update=changes)})


def spec_from(plain: Mapping[str, object]) -> EmbedderSpec:
    """An embedder as the model host is told of it."""
    return EmbedderSpec(**plain)  # type: ignore[arg-type]
