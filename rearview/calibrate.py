"""`rearview calibrate`: the curves from dot product to relevance in use, and how well they fit the shipped pairs.

The curves of the bundled model are shipped with it. For another embedder they are fitted at its first use, on the same
pairs, and kept in the data directory; this command fits them when that has not happened yet, or again on request.
"""

import argparse
from collections.abc import Mapping, Sequence

from actors.model_client import ModelClient
from actors.model_host import ModelTimes
from adapters.models.bundled_e5 import BundledE5
from adapters.models.calibrate import Evidence, evidence, gathered, read_people
from adapters.models.providers import rows_of
from adapters.models.query_table import QueryTable
from adapters.models.remote_embedder import RemoteEmbedder
from adapters.models.remote_space import RemoteSpace
from adapters.models.space import bundled_space
from engine.calibration import Calibration
from engine.errors import Unavailable
from engine.memory import Float32Array
from engine.spaces import EmbeddingSpace
from rearview.calibrate_print import bins_of, error_of, knots, plot, table
from rearview.evaluate import DONE, REFUSED, progress
from rearview.model_here import fitted_space, host_here
from rearview.model_wiring import known_dimensions, space_file
from rearview.settings import BUNDLED, Settings, load_settings

MEANING = {
    "static:model": "query by table, document by model (a search a moment after the write)",
    "static:stand_in": "query by table, document on its stand-in (a search at once)",
    "model:model": "query by model, document by model",
    "model:stand_in": "query by model, document on its stand-in",
}
REMOTE_CURVE = "model:model"


def calibrate(args: argparse.Namespace) -> int:
    """Raises: SettingsError, Unavailable (a remote embedder)."""
    settings = load_settings({"data_dir": args.data_dir} if args.data_dir else {})
    if settings.models.embedder != BUNDLED:
        return _remote(settings, args)
    space = bundled_space()
    seen = {} if args.no_measure else gathered(BundledE5(), QueryTable.load())
    _show(space, {key: space.calibrations[key] for key in MEANING}, seen)
    return DONE


def _show(space: EmbeddingSpace, curves: Mapping[str, Calibration], seen: Mapping[str, Evidence]) -> None:
    print(f"{space.space_id}, {space.dimensions} dimensions")
    for key, curve in curves.items():
        print("\n".join(["", f"{key}: {MEANING[key]}", *_about(curve, seen.get(key))]))


def _about(curve: Calibration, seen: Evidence | None) -> list[str]:
    if seen is None:
        return [*plot(curve, []), *knots(curve)]
    bins = bins_of(curve, seen.scores, seen.answers)
    return [
        *plot(curve, bins),
        *table(bins),
        f"off by {100 * error_of(bins):.1f} points on the mean; an answerable question's best score exceeds that of a "
        f"hopeless one in {100 * seen.abstention_auroc:.1f} % of cases",
    ]


def _remote(settings: Settings, args: argparse.Namespace) -> int:
    if args.again and (dimensions := known_dimensions(settings)):
        space_file(settings).write({"dimensions": dimensions})
    with host_here(settings) as (host, calls, loop):
        space = fitted_space(settings, host, calls, loop)
        if not space.fitted:
            print(
                "This model's vectors do not tell an answer from other texts, so no curve can be fitted: a search "
                "goes by words. The pairs are in adapters/models/data/calibration_pairs.txt."
            )
            return REFUSED
        embedder = RemoteEmbedder(
            ModelClient(calls),
            space,
            passages_seconds=ModelTimes().embed_ms / 1000,
            query_seconds=settings.models.query_seconds,
        )
        seen = {} if args.no_measure else {REMOTE_CURVE: _evidence(embedder, space, rows_of(settings.models.embedder))}
    _show(space.space, {REMOTE_CURVE: space.space.calibrations[REMOTE_CURVE]}, seen)
    print(f"\nkept in {space_file(settings).path}")
    return DONE


def _evidence(embedder: RemoteEmbedder, space: RemoteSpace, rows: int) -> Evidence:
    """The shipped pairs by the remote model. Raises: Unavailable, also when a text of them got no vector."""
    people = read_people()
    documents = _embedded(embedder, [text for person in people for text in person.statements], rows)
    asked = _embedded(embedder, [text for person in people for text, _ in person.questions], rows)
    return evidence(people, {text: space.centred(vector) for text, vector in asked.items()}, documents)


def _embedded(embedder: RemoteEmbedder, texts: Sequence[str], rows: int) -> dict[str, Float32Array]:
    vectors: dict[str, Float32Array] = {}
    for start in range(0, len(texts), rows):
        batch = texts[start : start + rows]
        made = embedder.passages(batch)
        if not bool((made == made).all()):
            raise Unavailable.of("the model gave no usable vector for one of the pairs", code="model_reply")
        vectors |= dict(zip(batch, made, strict=True))
        progress(f"{len(vectors)} of {len(texts)} texts embedded")
    return vectors
