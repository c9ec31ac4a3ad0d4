"""Why a memory was found, in numbers that multiply out to its score and in one sentence of the query's language."""

import re

from engine.memory import Memory
from engine.ranking import DAY_MS, PARTS, Ranked

_HAN = re.compile(r"[\u3400-\u9fff]")


def language_of(text: str) -> str:
    """"zh" for a text with Chinese characters, else "en"."""
    return "zh" if _HAN.search(text) else "en"


def hint_for(query: str) -> str:
    """What to ask the user when nothing relevant is remembered."""
    if language_of(query) == "zh":
        return "没有找到相关的记忆；可以直接问用户，或换一种说法，例如补充人名、地点或时间。"
    return "Nothing relevant is remembered; ask the user, or rephrase with a name, a place or a time."


def explanation(
    order: Ranked, row: int, *, query: str, encoder: str, memory: Memory, terms: tuple[str, ...], now_ms: int
) -> dict[str, object]:
    """The `why` of one hit. (sum of the parts) * (product of the factors) equals the score."""
    why: dict[str, object] = {}
    for name in PARTS:
        value, weight = float(order.values[name][row]), order.weights[name]
        why[name] = {"value": value, "weight": weight, "part": value * weight}
    age_days = max(0.0, (now_ms - memory.said_at_ms) / DAY_MS)
    why["semantic"]["encoder"] = encoder  # type: ignore[index]
    why["keyword"]["terms"] = list(terms)  # type: ignore[index]
    why["recency"]["age_days"] = round(age_days, 3)  # type: ignore[index]
    boosts = [
        {"name": boost.name, "factor": float(boost.factors[row])}
        for boost in order.boosts if boost.factors[row] != 1.0
    ]
    why["boosts"] = [*boosts, {"name": "scale", "factor": order.scale}]
    why["sentence"] = sentence(query, terms, age_days)
    return why


def sentence(query: str, terms: tuple[str, ...], age_days: float) -> str:
    """One sentence a person understands."""
    if language_of(query) == "zh":
        words = "、".join(terms[:3])
        reason = f"提到了“{words}”" if terms else "意思与问题相近"
        return f"{reason}，{age_days:.0f} 天前说的。"
    reason = "mentions " + ", ".join(f'"{term}"' for term in terms[:3]) if terms else "close in meaning"
    return f"{reason.capitalize()}; said {age_days:.0f} days ago."
