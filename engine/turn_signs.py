"""What a turn of a talk does beside telling something: what ranking needs to know of it, in Chinese and English.

Read once, when a memory is put, off the beginning of its folded view.
"""

import re
from dataclasses import dataclass

from engine.clauses import folded
from engine.cues_done import DONE
from engine.signs import Signs

_READ_CHARS = 400
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("[a-z]")
_SPEAKER = r"^\W*(?:[^\W\d_][\w .'-]{0,30}?\s*:\s)?\W*"

# Whoever confirms repeats what somebody else said.
_CONFIRMS = (
    rf"{_SPEAKER}(?:记下|已记|已经记|记住了|我记住|收到)",
    rf"{_SPEAKER}(?:noted|got it|understood|will do|i'?ll remember|i'?ve (?:noted|recorded|saved))\b",
)
# An order for all that follows, at the beginning of a sentence; in Chinese followed by what is to be done.
_ORDERS = (
    r"(?:^|[。!?;,.:\s])(?:以后|今后|往后|每次|永远|一律|始终|从(?:现在|今天|今)起?(?:开始)?)"
    r"(?:请|都|你|别|不要|默认|用|回答|回复|必须|要|给我|叫我|称呼)",
    r"^\W*(?:(?:please|pls|and|also|so|ok|okay|hey),? )*"
    r"(?:always|never|from now on|going forward|in (?:the )?future|whenever|every time|each time|remember to always"
    r"|make sure (?:to|you) always|don't ever|do not ever)\b",
)
# A statement that something is not as it was.
_CHANGES = (
    r"改(?:成|为|到|用|了|叫|在|住|期|签|回)|换(?:成|了|到|为|回|用)|搬(?:到|去|进|回|了)|不再|已经不|现在|最新|更新|升(?:到|级|了|为)"
    r"|调(?:到|整|成|为)|更正|纠正|其实是|又(?:开始|改|换)|如今|转(?:到|成|为|去)|延(?:到|期|后)|提前到|推迟|重新"
    r"|(?:增加|减少|涨|降|提高|降低)(?:到|至)|变成|变为|终于",
    r"\b(?:correction|moved|moving|switch(?:ed)?|chang(?:ed?|ing)|swapped|no longer|any ?more|instead|turns out"
    r"|upgraded?|renamed|replaced|migrated|now|actually|these days|used to|new|recently|updated?|updating"
    r"|increas(?:ed?|ing)|decreas(?:ed?|ing)|adjust(?:ed)?|extended|rescheduled|postponed|pushed|improved|raised|lowered|reduced"
    r"|dropped|grown?|latest|revised|finally|since then|just found out)\b",
)
_EXPRESSIONS = {"confirms": _CONFIRMS, "orders": _ORDERS, "changes": _CHANGES, "about_talk": DONE["meta"]}
_CHINESE = Signs({name: chinese for name, (chinese, _) in _EXPRESSIONS.items()})
_ENGLISH = Signs({name: english for name, (_, english) in _EXPRESSIONS.items()})
_NONE = frozenset[str]()


@dataclass(frozen=True, slots=True)
class TurnSigns:
    """`confirms`: repeats what was just said. `orders`: tells the agent what to do from now on. `changes`: says that
    something is not as it was. `about_talk`: is about the talk itself, its questions, thanks and plans to talk again.
    """

    confirms: bool
    orders: bool
    changes: bool
    about_talk: bool


def turn_signs(content: str) -> TurnSigns:
    """The signs of one text."""
    view = folded(content[:_READ_CHARS])
    found = _CHINESE.found_in(view) if _HAN.search(view) else _NONE
    if _LATIN.search(view):
        found |= _ENGLISH.found_in(view)
    return TurnSigns(**{name: name in found for name in _EXPRESSIONS})
