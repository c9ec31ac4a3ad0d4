"""What a text says, clause by clause: which of it states something, and which asks, jokes, supposes or chats.

A statement that stands beside a question counts ("I have no oven, can I bake this in a pan?"), so the text is read
clause by clause and the clauses that state something are gathered per sentence.
"""

import re
from dataclasses import dataclass, replace

from engine.clauses import Clause, clauses_of
from engine.cues import cues_of
from engine.smalltalk import is_small_talk

STRONG = frozenset(
    {"health", "identity", "like", "possess", "standing", "habit", "number", "rule", "kin", "learn", "milestone"}
)
_ABOUT_SELF = frozenset({"self", "own", "kin", "health"})
_ORDER = frozenset({"standing", "remember"})


_TO_AGENT = re.compile(
    r"^(你|您)(?!们)(?!.{0,12}(时候|时$|以后|每次|错))|^(you|you're|you've|your|u)\b(?!.{0,30}\b(wrong|can drop|"
    r"should always|may)\b)"
)

# "Which fruit suits a diabetic like me?" tells, though it asks.
_AS_ONE_WHO = re.compile(
    r"(像|以|作为)?我(这种|这样的?|作为).{1,10}(人|患者|体质|者|党)|作为(一个|一名)?.{1,8}[,，]?我|"
    r"\bas an? [\w -]{3,30} (like me|myself|,? i\b)|"
    r"\b(like me|with my (\w+ )?(allergy|asthma|diabetes|condition|knee|back|budget of))\b"
)
# Said before a question these only lead up to it: "I want to relax, any ideas?"
_IDLE = frozenset({"plan", "vague", "meta", "agent", "passing", "ask", "unsure", "generic", "if"})
# "Do you know that I love taking photos?" tells, though it asks.
_YOU_KNOW = re.compile(
    r"^(?:你知道(?:吗)?(?=.{0,3}我)|(?:did|do) you know (?:that )?(?=i |i'm|my )|you know(?: what)? (?=i |i'm|my ))"
)
# "写周报我换回飞书了": what is spoken of stands first, the user after it; "帮我写" is a request.
_FRONTED = re.compile("(?!.{0,4}(?:帮|给|替|为|教|跟)我).{2,8}我(?!的)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence's stating clauses, joined, with their cues together and one by one."""

    text: str
    cues: frozenset[str]
    parts: tuple[frozenset[str], ...]

    @property
    def unsure(self) -> bool:
        """Whether the doubt covers what is said, not only an aside ("maybe that is why")."""
        if any("hedge" in part for part in self.parts):
            return True
        doubted = ["unsure" in part for part in self.parts]
        return any(doubted) and (doubted[0] or not any(part & STRONG for part in self.parts if "unsure" not in part))


@dataclass(frozen=True, slots=True)
class Reading:
    """All statements of a text, and what the rest of it was ("question", "request", "chitchat", "hypothetical"...)."""

    statements: tuple[Statement, ...]
    rest: tuple[str, ...]


def read(text: str) -> Reading:
    """Read a text of any length; at most CLAUSES_MAX clauses are looked at."""
    sentences: dict[int, list[Clause]] = {}
    for clause in clauses_of(text):
        sentences.setdefault(clause.sentence, []).append(clause)
    statements: list[Statement] = []
    rest: list[str] = []
    for sentence in sentences.values():
        stated, others = _read_sentence(sentence)
        rest += others
        if stated is not None:
            statements.append(stated)
    return Reading(tuple(statements), tuple(rest))


def _read_sentence(clauses: list[Clause]) -> tuple[Statement | None, list[str]]:
    kept: list[str] = []
    parts: list[frozenset[str]] = []
    others: list[str] = []
    supposing = False
    asks = any(clause.asks for clause in clauses)
    for clause in clauses:
        if is_small_talk(clause.text):
            others.append("chitchat")
            continue
        if _YOU_KNOW.match(clause.text):
            clause = replace(clause, text=_YOU_KNOW.sub("", clause.text).removesuffix("吗"), asks=False)
        seen = cues_of(clause.text)
        supposing = supposing or ("if" in seen and not seen & {"standing"})
        kind = _kind(clause, seen, asks=asks)
        if kind != "statement":
            others.append(kind)
            continue
        kept.append(clause.text)
        parts.append(seen)
    cues = frozenset[str]().union(*parts)
    if supposing and not cues & {"standing", "remember"}:
        return None, [*others, "hypothetical"]
    return (Statement(", ".join(kept), cues, tuple(parts)) if kept else None), others


def _kind(clause: Clause, cues: frozenset[str], *, asks: bool) -> str:
    """What one clause does."""
    if _TO_AGENT.match(clause.text) and "self" not in cues and not (asks and clause.last):
        return "chitchat"
    if cues & _ORDER and not (clause.asks and clause.last):
        return "statement"
    told = "self" in cues and ("like" in cues or ("change" in cues and _FRONTED.match(clause.text)))
    if "ask" in cues and not told:
        return "request"
    if _AS_ONE_WHO.search(clause.text):
        return "statement"
    if "question" in cues and (clause.last or clause.asks or "self" not in cues):
        return "question"
    if clause.asks and clause.last:
        return "question"
    if asks and not (cues & _ABOUT_SELF and (cues & STRONG or not cues & _IDLE)):
        return "question"
    return "statement"
