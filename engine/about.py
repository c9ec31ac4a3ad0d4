"""Forgetting by topic: what a request such as "forget my old address" means.

The topic is looked up like any query, but among everything that was ever current, so that no older version of the
same statement stays behind, and with a stricter floor: a search that shows one memory too many costs a glance, a
request to forget that bins one too many loses something the user still wants. All of it is restorable for 7 days.
"""

from collections.abc import Sequence

from engine.commands import Recall
from engine.events import MemoryBinned
from engine.memory import Memory
from engine.policy import Policy

# Chosen on bilingual topics against short statements: the right ones came out at 0.51 to 0.88, others below 0.40.
ABOUT_RELEVANCE_MIN = 0.5
ABOUT_STATUSES = ("active", "pending", "superseded", "archived", "quarantined")


def recall_about(about: str, *, spaces: tuple[str, ...], max_sensitivity: str, policy: Policy) -> Recall:
    """The search that finds what the topic means, within what the caller may see."""
    return Recall(
        query=about, top_k=policy.limits.top_k_max, statuses=ABOUT_STATUSES, spaces=spaces,
        min_relevance=ABOUT_RELEVANCE_MIN, rerank="off", max_sensitivity=max_sensitivity,
    )


def decide_forget_about(
    found: Sequence[Memory], reason: str, *, now_ms: int, policy: Policy
) -> tuple[MemoryBinned, ...]:
    """Move all of them to the bin. Nothing found: nothing happens."""
    until_ms = now_ms + policy.forget.bin_ms
    return tuple(MemoryBinned(memory.memory_id, now_ms, until_ms, reason) for memory in found)
