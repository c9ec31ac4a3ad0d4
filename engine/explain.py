"""Why a memory was found, in numbers that multiply out to its score and in one sentence of the query's language."""

import re

from engine.memory import Memory
from engine.ranking import DAY_MS, PARTS, Ranked

_TERMS_SHOWN = 3
_HAN = re.compile(r"[\u3400-\u9fff]")


def language_of(text: str) -> str:
    """ "zh" for a text with Chinese characters, else "en"."""
    return "zh" if _HAN.search(text) else "en"


def hint_for(query: str) -> str:
    """What to ask the user when nothing relevant is remembered."""
    if language_of(query) == "zh":
        return "没有找到相关的记忆；可以直接问用户，或换一种说法，例如补充人名、地点或时间。"
    return "Nothing relevant is remembered; ask the user, or rephrase with a name, a place or a time."


def explanation(
    order: Ranked,
    row: int,
    *,
    query: str,
    encoder: str,
    memory: Memory,
    terms: tuple[str, ...],
    bearing: bool,
    now_ms: int,
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
        {"name": boost.name, "factor": factor} for boost in order.boosts if (factor := float(boost.factors[row])) != 1.0
    ]
    in_time = any(boost["name"] == "date" for boost in boosts)
    why["boosts"] = [*boosts, {"name": "scale", "factor": order.scale}]
    why["sentence"] = sentence(query, terms, age_days, bearing=bearing, in_time=in_time)
    return why


def sentence(query: str, terms: tuple[str, ...], age_days: float, *, bearing: bool, in_time: bool) -> str:
    """One sentence a person understands, in the language of the query."""
    if language_of(query) == "zh":
        words = "、".join(terms[:_TERMS_SHOWN])
        reasons = [f"提到了“{words}”"] * bool(terms) + ["正是所问的时间"] * in_time + ["与这类请求有关"] * bearing
        return "，".join([*(reasons or ["意思与问题相近"]), f"{_ago_zh(age_days)}说的。"])
    words = ", ".join(f'"{term}"' for term in terms[:_TERMS_SHOWN])
    reasons = [f"mentions {words}"] * bool(terms) + ["lies in the time asked about"] * in_time
    reasons += ["bears on such a request"] * bearing
    joined = " and ".join(reasons or ["close in meaning"])
    return f"{joined[0].upper()}{joined[1:]}; said {_ago_en(age_days)}."


def _ago_zh(age_days: float) -> str:
    return "今天" if age_days < 1 else f"{int(age_days)} 天前"


def _ago_en(age_days: float) -> str:
    if age_days < 1:
        return "today"
    return "a day ago" if age_days < 2 else f"{int(age_days)} days ago"
