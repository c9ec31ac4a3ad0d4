"""A ranking model (cross-encoder) through litellm's rerank call."""

from collections.abc import Sequence

from actors.model_gate import Done
from adapters.models.litellm_library import Endpoint, answered, library, tokens_of
from engine.errors import Unavailable


class LitellmReranker:
    """Implements `actors.model_host.RankingModel`. Its scores have no common scale, so it drops nothing."""

    drops_below: float | None = None

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def rerank(self, query: str, texts: Sequence[str], seconds: float) -> Done[Sequence[float]]:
        """One relevance score per text, in the order of the texts; higher is better."""
        reply = await answered(
            library().arerank(
                **self._endpoint.arguments(), query=query, documents=list(texts), top_n=len(texts), timeout=seconds
            )
        )
        scores: list[float | None] = [None] * len(texts)
        try:
            for row in reply.results:
                scores[int(row["index"])] = float(row["relevance_score"])
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            raise Unavailable.of("the model's ranking cannot be read", code="model_reply") from None
        given = [score for score in scores if score is not None]
        if len(given) != len(texts):
            raise Unavailable.of("the model ranked another number of texts", code="model_reply")
        return Done(given, tokens_of(reply, len(query) + sum(map(len, texts))))
