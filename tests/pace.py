"""How the work for a text grows with its length, told apart from how busy the machine is."""

import time
from collections.abc import Callable

_STEPS = 16
_TRIES = 5


def grows_linearly(do: Callable[[str], object], text: str) -> bool:
    """Whether the whole of a text costs in proportion to a sixteenth of it.

    Only the processor time of this thread counts, and the least of several tries, so another process, a thread of
    another test or a garbage collection cannot decide. A quadratic step would cost 256 times as much; four times the
    proportion is allowed, for tables that leave the processor's caches.
    """
    part = text[: len(text) // _STEPS]
    small = _least(do, part)
    return any(_least(do, text, tries=1) <= 4 * _STEPS * small for _ in range(_TRIES))


def _least(do: Callable[[str], object], text: str, tries: int = _TRIES) -> float:
    took = []
    for _ in range(tries):
        started = time.thread_time()
        do(text)
        took.append(time.thread_time() - started)
    return max(min(took), 50e-6)
