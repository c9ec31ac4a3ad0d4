"""The best candidates say what is asked for in the words of the memories: their direction is added to the query's.

Pseudo relevance feedback (Rocchio 1971) on vectors, with a light hand: the query stays most of it, so that one wrong
candidate cannot lead it away. It helps the table's queries, whose vectors are coarser than those of the memories,
more than the model's (bench/recall.md). Relevance, and with it the floor, does not see it.
"""

import numpy as np

from engine.candidates import directions, products
from engine.memory import Float32Array
from engine.question import Candidates, Question
from engine.ranking import Float64Array
from engine.state import UserState

_BEST = 3
_OF_EACH = 4  # Where there are few candidates the best are half of all, and point nowhere.


def heard(
    state: UserState, question: Question, found: Candidates, first: Float64Array, shelves: tuple[str, ...]
) -> Float32Array:
    """Products with the query and, by its share, with the mean direction of the candidates that are first so far.

    product = (q + share * unit(sum of score * direction over the best three)) . p

    Shapes:  first (m,), the scores so far -> (m,).
    """
    policy = question.policy
    share = policy.feedback_model if question.query.encoder == "model" else policy.feedback_static
    best = np.argsort(-first, kind="stable")[: min(_BEST, len(first) // _OF_EACH)]
    if share <= 0.0 or len(best) == 0 or first[best[0]] <= 0.0:
        return found.semantic
    direction = first[best].astype(np.float32) @ directions(state, question, found.slots[best], shelves)
    norm = float(np.sqrt(direction @ direction))
    if norm < 1e-6:
        return found.semantic
    added: Float32Array = found.semantic + np.float32(share / norm) * products(state, direction, found.slots, shelves)
    return added
