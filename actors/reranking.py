"""A ranking model's second look at the best of a search, capped in time; without it the first order stands."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from actors.parts import HostParts
from engine.commands import Recall
from engine.errors import Unavailable
from engine.memory import Sensitivity
from engine.recall import RecallResult
from engine.rerank import reranked
from engine.secrets import mask_secrets

LOOKED_AT = 20
TEXT_CHARS_MAX = 1_000


def widened(parts: HostParts, recall: Recall) -> Recall:
    """The search as it must be made so that a second look has something to choose from; itself when there is none."""
    if not parts.reranks or parts.models is None or recall.rerank == "off":
        return recall
    return replace(recall, top_k=max(recall.top_k, LOOKED_AT))


async def second_look(parts: HostParts, recall: Recall, found: RecallResult) -> tuple[RecallResult, bool]:
    """The hits in their final order and number, and whether the model had its say.

    Nothing that is marked sensitive is shown: where such a memory is among the hits, the first order stands.
    """
    first = replace(found, hits=found.hits[: recall.top_k])
    looked_at = found.hits[:LOOKED_AT]
    if len(looked_at) < (1 if parts.rerank_drops else 2) or recall.top_k > LOOKED_AT:
        return first, True
    if any(hit.memory.sensitivity is not Sensitivity.NORMAL for hit in looked_at):
        return first, True
    assert parts.models is not None, "a search is widened only for a model"
    texts = [mask_secrets(hit.memory.content[:TEXT_CHARS_MAX]).text for hit in looked_at]
    try:
        reply = await parts.models.ask(
            "rerank", {"query": recall.query[:TEXT_CHARS_MAX], "texts": texts}, seconds=parts.rerank_seconds
        )
    except Unavailable:
        return first, False
    scores = cast("Sequence[float]", reply["scores"])
    below = cast("float | None", reply.get("drops_below"))
    seen = replace(found, hits=looked_at)
    return reranked(seen, scores, query=recall.query, top_k=recall.top_k, drops_below=below), True
