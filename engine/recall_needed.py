"""Whether a message calls for recall at all: it speaks of the past, points at something, or the task changed."""

import re

_PAST_ZH = re.compile(r"上次|之前|以前|上回|曾经|记得|还是那个|那个|它|老样子|照旧")
_PAST_EN = re.compile(
    r"\b(last time|before|previously|earlier|remember|again|as usual|that one|used to)\b", re.IGNORECASE,
)


def recall_needed(text: str, task: str = "", previous_task: str = "") -> tuple[bool, str]:
    """Decide by rules, in Chinese and English; the second value says which rule spoke."""
    if task != previous_task and task:
        return True, "task_switch"
    if _PAST_ZH.search(text) or _PAST_EN.search(text):
        return True, "past"
    return False, "nothing_points_back"
