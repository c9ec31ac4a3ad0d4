"""Signs in a clause of what kind of statement it is, in Chinese and English.

Each cue is one pattern per script over the folded view (lower case, Simplified). Cues are classes of words (liking,
health, habit, standing order...), not sentences: what a set of them is worth is decided in `engine.screen` and
`engine.keep_model`. Every pattern is linear: no nested repeats, bounded gaps.
"""

import re

from engine.cues_done import DONE
from engine.cues_said import SAID

_CJK = re.compile("[\u3400-\u9fff\U0001f300-\U0001faff]|\\[")
_LATIN = re.compile("[a-z]|[\U0001f300-\U0001faff]|[$£€@\\d]")
_COMPILED = {name: (re.compile(zh), re.compile(en)) for name, (zh, en) in (SAID | DONE).items()}
CUE_NAMES = tuple(_COMPILED)


def cues_of(clause: str) -> frozenset[str]:
    """Names of the cues a clause shows. `clause` is text of the folded view."""
    chinese, latin = _CJK.search(clause) is not None, _LATIN.search(clause) is not None
    return frozenset(
        [
            name
            for name, (zh, en) in _COMPILED.items()
            if (chinese and zh.search(clause)) or (latin and en.search(clause))
        ]
    )
