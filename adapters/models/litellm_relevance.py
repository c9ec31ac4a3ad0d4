"""A chat model that tells which of the found statements help to answer a query, through litellm."""

from collections.abc import Sequence

from actors.model_gate import Done
from adapters.models.judge_prompts import SCORES, fits_messages
from adapters.models.litellm_judge import LitellmJudge
from adapters.models.litellm_library import Endpoint
from engine.errors import Unavailable
from engine.judgement import IMPORTANCE_MAX, read_object

SCORES_TOKENS_MAX = 1_500
FITS_FROM = 3


class LitellmRelevance:
    """Implements `actors.model_host.RankingModel`. Scores are 0 to 1; what lies below `drops_below` is no answer."""

    drops_below: float | None = FITS_FROM / IMPORTANCE_MAX

    def __init__(self, endpoint: Endpoint) -> None:
        self._chat = LitellmJudge(endpoint)

    async def rerank(self, query: str, texts: Sequence[str], seconds: float) -> Done[Sequence[float]]:
        """One score per text, in the order of the texts."""
        reply, tokens = await self._chat.said(fits_messages(query, texts), "scores", SCORES, SCORES_TOKENS_MAX, seconds)
        return Done(_scores(reply, len(texts)), tokens)


def _scores(reply: str, count: int) -> list[float]:
    """Raises: Unavailable for a reply that does not score every text exactly once."""
    rows = (read_object(reply) or {}).get("scores")
    scores: dict[int, float] = {}
    for row in rows if isinstance(rows, list) else ():
        number, score = (row.get("text"), row.get("score")) if isinstance(row, dict) else (None, None)
        if not isinstance(number, int) or not isinstance(score, int) or not 0 <= score <= IMPORTANCE_MAX:
            raise Unavailable.of("the model's scores cannot be read", code="model_reply")
        if number in scores:
            raise Unavailable.of("the model scored a text twice", code="model_reply")
        scores[number] = score / IMPORTANCE_MAX
    if set(scores) != set(range(1, count + 1)):
        raise Unavailable.of("the model scored other texts than it was shown", code="model_reply")
    return [scores[number] for number in range(1, count + 1)]
