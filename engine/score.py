"""How much a statement is worth keeping: density, relevance, durability, explicitness, each 0 to 1.

Durability is what a small linear model over cues (`engine.keep_model`) gives for "worth having later"; explicitness
says how plainly the user says it of their own world; density how much it tells; relevance how much of the current
task's words it shares (0.5 without a task). The total is the weighted sum of `WritePolicy`. Numbers here were set on
sentences of our own and checked on labelled files: bench/write_decisions.md.
"""

import re

from engine.decision import Score
from engine.policy import WritePolicy
from engine.same_words import word_set
from engine.tokens import document_tokens

_PLAIN = (
    ("remember", 1.0),
    ("standing", 0.95),
    ("health", 0.85),
    ("self", 0.85),
    ("own", 0.85),
    ("rule", 0.75),
    ("number", 0.7),
    ("todo", 0.8),
    ("like", 0.75),
    ("deal", 0.7),
    ("day", 0.6),
)
_UNIT = re.compile(r"[a-z][a-z'-]*|\d[\d.,:/-]*|[\u4e00-\u9fff]")
_CJK = re.compile("[\u4e00-\u9fff]")
_FUNCTION_WORDS = word_set(
    "the a an is are was were be been to of in on at for with and or but so it its that this i my me we our you your "
    "do does did have has had not no as by from if then just really very"
)


def explicitness(cues: frozenset[str]) -> float:
    """How plainly it is said: 1 when asked to remember, 0.4 for a remark that names nobody."""
    plain = max((worth for name, worth in _PLAIN if name in cues), default=0.4)
    return plain * (0.6 if "unsure" in cues or "if" in cues else 1.0)


def density(text: str) -> float:
    """How much a text of the folded view tells: different words with meaning, numbers counted twice; full at 7."""
    units = {unit for unit in _UNIT.findall(text[:400]) if unit not in _FUNCTION_WORDS}
    weight = sum(0.5 if _CJK.match(unit) else 2.0 if unit[0].isdigit() else 1.0 for unit in units)
    return min(1.0, 0.3 + 0.1 * weight)


def relevance(text: str, task: str) -> float:
    """Share of the task's words that the text has, from 0.3; 0.5 where there is no task."""
    wanted = set(document_tokens(task)) - _FUNCTION_WORDS
    if not wanted:
        return 0.5
    return 0.3 + 0.7 * min(1.0, 3 * len(wanted & set(document_tokens(text))) / len(wanted))


def score_of(text: str, cues: frozenset[str], durability: float, *, task: str, policy: WritePolicy) -> Score:
    """The four numbers and their weighted total, rounded to 3 digits. `text` is of the folded view."""
    parts = density(text), relevance(text, task), durability, explicitness(cues)
    weights = policy.density_weight, policy.relevance_weight, policy.durability_weight, policy.explicitness_weight
    total = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    told, fits, lasts, plain = (round(part, 3) for part in parts)
    return Score(told, fits, lasts, plain, round(total, 3), policy.threshold, "rules")
