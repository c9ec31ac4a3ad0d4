"""Signs in a clause of what kind of statement it is, in Chinese and English.

Each cue is one pattern per script over the folded view (lower case, Simplified). Cues are classes of words (liking,
health, habit, standing order...), not sentences: what a set of them is worth is decided in `engine.screen` and
`engine.keep_model`. Every pattern is linear: no nested repeats, bounded gaps.
"""

import re

from engine.cues_done import DONE
from engine.cues_said import SAID
from engine.signs import Signs

_CJK = re.compile("[\u3400-\u9fff\U0001f300-\U0001faff]|\\[")
_LATIN = re.compile("[a-z]|[\U0001f300-\U0001faff]|[$£€@\\d]")
_ALL = SAID | DONE
_CHINESE = Signs({name: zh for name, (zh, _) in _ALL.items()})
_ENGLISH = Signs({name: en for name, (_, en) in _ALL.items()})
CUE_NAMES = tuple(_ALL)
_NONE = frozenset[str]()


def cues_of(clause: str) -> frozenset[str]:
    """Names of the cues a clause shows. `clause` is text of the folded view."""
    chinese = _CHINESE.found_in(clause) if _CJK.search(clause) else _NONE
    return chinese | _ENGLISH.found_in(clause) if _LATIN.search(clause) else chinese
