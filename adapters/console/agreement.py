"""Whether a ranking agrees with what people said of its hits. Arithmetic on the steps of a trace; asks nobody."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

SAMPLE = 100
GOAL = 0.8
LABELS_MIN = 10
"""Below so many labels a share says nothing yet: at ten the 95 % interval of 80 % still reaches from 49 to 94."""

Step = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LabelledHit:
    """One hit of one search; `right` None is not labelled yet."""

    step: Step
    hit: Mapping[str, object]
    right: bool | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Of `labels` hits `agreed` are as people said they should be."""

    labels: int
    agreed: int

    @property
    def share(self) -> float | None:
        """None where nothing is labelled."""
        return self.agreed / self.labels if self.labels else None

    @property
    def too_low(self) -> bool:
        """Whether the ranking should be tuned: enough labels, and too few that agree."""
        return self.labels >= LABELS_MIN and self.agreed < GOAL * self.labels


def hits_in(steps: Sequence[Step]) -> list[LabelledHit]:
    """Every hit that can still be read."""
    return [
        LabelledHit(step, hit, cast("bool | None", hit["right"]))
        for step in steps
        if step["text"]
        for hit in cast("list[Mapping[str, object]]", step["recalled"])
        if hit["content"]
    ]


def sampled(steps: Sequence[Step], size: int = SAMPLE) -> list[LabelledHit]:
    """Up to `size` hits, picked by a hash of what they are: as good as chance, and the same at every look."""

    def place(one: LabelledHit) -> bytes:
        return hashlib.sha256(f"{one.step['search_id']} {one.hit['memory_id']}".encode("utf-8", "replace")).digest()

    return sorted(hits_in(steps), key=place)[:size]


def standing_of(hits: Sequence[LabelledHit]) -> Standing:
    """How many of the labelled hits were right to return."""
    labelled = [hit for hit in hits if hit.right is not None]
    return Standing(len(labelled), sum(bool(hit.right) for hit in labelled))


def compared(asked_again: Sequence[tuple[Step, Sequence[str]]]) -> dict[str, Standing]:
    """The ranking that was in force beside another, over the labels of the same searches.

    `asked_again` has each step with the ids that the other ranking returns. A hit that was right must be among them,
    one that was wrong must not.
    """
    hits = hits_in([step for step, _ in asked_again])
    found = {str(step["search_id"]): frozenset(ids) for step, ids in asked_again}
    labelled = [hit for hit in hits if hit.right is not None]
    agreed = sum((str(hit.hit["memory_id"]) in found[str(hit.step["search_id"])]) == hit.right for hit in labelled)
    return {"saved": standing_of(hits), "tried": Standing(len(labelled), agreed)}


def questions_of(steps: Sequence[Step]) -> list[dict[str, object]]:
    """The searches that somebody found a right answer to, as questions of a labelled file."""
    questions: dict[str, dict[str, object]] = {}
    for one in hits_in(steps):
        if one.right:
            question = questions.setdefault(
                str(one.step["search_id"]), {"text": one.step["text"], "gold": [], "alt": [], "stale": []}
            )
            cast("list[str]", question["gold"]).append(str(one.hit["memory_id"]))
    return list(questions.values())
