"""A small linear model beside the rules of `engine.relation`: what two statements look like together, not which words.

Three logistic regressions (both stay, the newer replaces, the two are one) over what is common and what differs: bins
of similarity and of shared words, numbers, names, days, years, polarity, single-valued things, words of change, kinds.
The weights are in `engine.relation_weights`, made by bench/train_relation_model.py from pairs of our own (bench/data).

The rules' reasons to keep two apart hold whatever the model says. It speaks where rules keep both for want of a word
they know ("the launch slipped to the 24th"), and against them only when it is nearly sure that both stay. Two
statements become one only where numbers, days, names and polarity agree.
"""

import base64
import math

import numpy as np

from engine import relation_weights
from engine.attributes import PLAIN_ATTRIBUTES, SURE_ATTRIBUTES
from engine.facets import contained, contradicts
from engine.memory import Category, Float32Array
from engine.relation import Pair, Said, agree, by_rules, general, topic_differs, within

BOTH, REPLACES, ONE = range(3)
# Chances from which the model is followed: alone, among others that come as close, and against the rules.
_SURE_ALONE = 0.5
_SURE_AMONG = 0.6
_SURE_BOTH_STAY = 0.7
_SURE_ONE = 0.7
# What two statements without a common thing must share for one to replace the other.
_SHARED_TO_REPLACE = 0.2
_NEAR_TO_REPLACE = 0.45
_NEAR = 0.12  # Of similarity or of shared words; with less there is nothing to compare.

_COLUMNS = {name: column for column, name in enumerate(relation_weights.NAMES.split())}
_WEIGHTS: Float32Array = (
    np.frombuffer(base64.b64decode(relation_weights.WEIGHTS), dtype="<f2").astype(np.float32).reshape(3, -1)
)


def relation_between(older: Said, newer: Said, similarity: float, *, alone: bool = False) -> str:
    """The relation of the newer statement to the older one, by rules and model. As `engine.relation.relation_of`."""
    pair = Pair(older, newer, similarity, alone)
    ruled = by_rules(pair)
    apart = ruled in ("unrelated", "coexists")
    if apart and (pair.kept_apart or not comparable(pair)):
        return ruled
    stay, replaces, one = chances(features(pair))
    if not apart:
        sure = bool(pair.things & PLAIN_ATTRIBUTES)  # Of a name or a home there is one, whatever the two look like.
        return "coexists" if stay >= _SURE_BOTH_STAY and not sure else ruled
    if one >= _SURE_ONE:
        return _as_one(pair) or ruled
    return "replaces" if replaces >= (_SURE_ALONE if alone else _SURE_AMONG) and _may_replace(pair) else ruled


def comparable(pair: Pair) -> bool:
    """Whether the two have enough in common for the model to say anything."""
    return pair.similarity >= _NEAR or pair.shared >= _NEAR or bool(pair.things)


def _may_replace(pair: Pair) -> bool:
    """Whether the two speak of one thing, and a standing one or with a word of change.

    To retire what is true is worse than to keep both, so a likely change is not enough: it must be the change of this.
    Of happenings and to-dos only a word of change retires one; otherwise they stand side by side.
    """
    standing = {Category.FACT, Category.PREFERENCE}
    if pair.b.adds and not pair.b.changes:
        return False  # What comes on top pushes nothing out.
    if not (pair.b.changes or pair.b.new_state or set(pair.categories) <= standing):
        return False
    same_words = pair.a.chinese == pair.b.chinese and pair.shared >= _SHARED_TO_REPLACE
    one_thing = bool(pair.things) and (pair.b.changes or bool(pair.things & SURE_ATTRIBUTES))
    if same_words or one_thing or pair.similarity >= _NEAR_TO_REPLACE:
        return True
    return pair.alone and pair.b.changes  # Nothing else is known that the change could be of.


def _as_one(pair: Pair) -> str:
    """The word "same" or "refines" where nothing that must agree differs, else an empty string."""
    a, b = pair.a, pair.b
    if a.negative != b.negative or (a.chinese == b.chinese and pair.substituted and pair.shared >= 0.6):
        return ""  # One word in the place of another in an otherwise equal sentence is another value.
    if len(b.words) > len(a.words) + 1 and within(a, b):
        return "refines"
    return "same" if agree(a, b) or within(b, a) else ""


def chances(names: list[str]) -> tuple[float, float, float]:
    """Probabilities that both stay, that the newer replaces the older, and that the two are one."""
    logits = _WEIGHTS[:, [_COLUMNS[name] for name in names if name in _COLUMNS]].sum(axis=1).tolist()
    parts = [1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit)))) for logit in logits]
    total = sum(parts)
    return parts[BOTH] / total, parts[REPLACES] / total, parts[ONE] / total


def features(pair: Pair) -> list[str]:
    """Names of the inputs that are on for a pair."""
    a, b, newer = pair.a, pair.b, pair.newer
    script = "x" if a.chinese != b.chinese else ""
    near, common = f"near{min(3, max(0, int(pair.similarity * 4)))}", f"common{min(3, int(pair.shared * 4))}"
    cue = "changes" if b.changes else "new" if b.new_state else "adds" if b.adds else "plain"
    kinds = f"kinds:{pair.older.category.value[0]}{newer.category.value[0]}"
    things = f"things:{_things(pair)}"
    polarity = f"polarity:{a.negative == b.negative}"
    numbers, names = f"numbers:{_compared(a.numbers, b.numbers)}", f"names:{_compared(a.names, b.names)}"
    kin = "kin:" + ("none" if not a.kin and not b.kin else str(a.kin == b.kin))
    several, swapped = f"several:{a.several + b.several}", f"swapped:{pair.substituted}"
    longer = len(b.words) - len(a.words)
    return [
        "bias",
        f"{script}similar:{max(-2, min(10, math.floor(pair.similarity * 10)))}",
        f"{script}shared:{int(pair.shared * 10)}",
        f"script:{script}",
        cue,
        f"changed:{a.changes}",
        kin,
        f"subject:{a.subject == b.subject}",
        things,
        kinds,
        polarity,
        f"denies:{contradicts(a, b)}",
        numbers,
        names,
        f"days:{_compared(a.days, b.days)}",
        f"years:{_compared(a.years, b.years)}",
        f"first-in:{int(contained(a, b) * 4)}",
        f"second-in:{int(contained(b, a) * 4)}",
        swapped,
        f"longer:{max(-3, min(4, longer))}",
        several,
        f"measured:{a.measured + b.measured}",
        f"general:{general(a)}",
        f"long-ago:{b.long_ago}",
        f"begins:{topic_differs(pair)}",
        f"{cue}&{near}",
        f"{cue}&{common}",
        f"{cue}&{kinds}",
        f"{cue}&{things}",
        f"{cue}&{kin}",
        f"{cue}&{several}",
        f"{cue}&{numbers}",
        f"{numbers}&{common}",
        f"{numbers}&{several}",
        f"{kinds}&{common}",
        f"{kinds}&{polarity}",
        f"{things}&{common}",
        f"{things}&{near}",
        f"{polarity}&{near}",
        f"{script}{near}&{common}",
        f"{swapped}&{near}",
        f"{swapped}&{common}",
        f"{names}&{near}",
        f"longer{longer > 2}&{near}",
    ]


def _things(pair: Pair) -> str:
    """Whether both speak of a thing with one value."""
    first, second = pair.a.things, pair.b.things
    if pair.things:
        return "sure" if pair.things & SURE_ATTRIBUTES else "some"
    if first and second:
        return "apart"
    return "one" if first or second else "none"


def _compared(first: frozenset[str], second: frozenset[str]) -> str:
    """How two sets stand to each other, in a word."""
    if first == second:
        return "equal" if first else "none"
    if not first or not second:
        return "gone" if first else "new"
    if first < second or second < first:
        return "more" if first < second else "less"
    return "partly" if first & second else "differ"
