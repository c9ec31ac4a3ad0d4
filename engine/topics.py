"""Whether a text is about a topic such as "my ex-girlfriend Lin", "那次车祸" or "138 0013 8000".

Four signs: the topic's own words stand in the text, a value of it does (a name, a number, a nickname), both are about
the same matters of a life (`engine.concepts`), or the two mean nearly the same by the static vectors, which hold across
Chinese and English. A text that names somebody else or another number instead is about those. The thresholds were
chosen on 22 topics in both languages (all of 76 texts about them are known, none of 75 beside them is taken for one);
on ten others, looked at only afterwards, 16 of 29 were known and 2 of 29 taken, before their matters were added.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.clauses import folded
from engine.concepts import all_in, concepts_in, left_without_concepts
from engine.facets import Facets, contained, facets_of
from engine.memory import Float32Array
from engine.normalise import content_key

# Least likeness of a text that shares no word with the topic, some of its words (which alone makes two texts alike,
# however different their matter), or is written in the other script.
SAME_TOPIC = 0.46
SAME_TOPIC_PARTLY_NAMED = 0.56
SAME_TOPIC_OTHER_SCRIPT = 0.50
# A shared value needs little more than not to be a coincidence, and less where the topic has only the one.
WITH_VALUE = 0.3
WITH_THE_VALUE = 0.2
_NUMBER_DIGITS_MIN = 3
_LATIN_NAME = re.compile(r"\b[A-Z][A-Za-z]+\b")
_TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "the", "my", "our"})
_LATIN = re.compile(r"[a-z]")
_NICKNAME = re.compile(r"(?:[小老阿][\u4e00-\u9fff])")
_NO_NICKNAMES = frozenset(
    "小" + second for second in "时学区组孩说心吃费便姐事声狗猫车腿店镇麦米程班名朋伙的了型"
) | frozenset("老" + second for second in "师板家人婆公是早实虎鼠年爸妈外乡爷大二三了的")
_LEAD = re.compile(
    r"^(?:关于|有关)?(?:我们?的?|咱们?的?|那次|那个|那件|这次|这个|这件|the |my |our |that |this |about )+"
)
_TAIL = re.compile(r"(?:的?(?:那|这)?(?:件|些|点)?(?:事情|事儿|事))$")
_CODE = re.compile(r"[\s().-]+(?=\d)")
_SINGLE_WORD = re.compile(r"[a-z0-9'-]+")


@dataclass(frozen=True, slots=True)
class Sense:
    """What is compared of a text. `own` is the part of its vector that is its own, shape (dimensions,), unit norm."""

    own: Float32Array
    facets: Facets
    view: str
    key: str
    digits: frozenset[str]
    concepts: frozenset[str]


@dataclass(frozen=True, slots=True)
class TopicSense:
    """The same of a topic, with the words that it is named by and the values that give it away."""

    sense: Sense
    core: str
    names: frozenset[str]
    values: frozenset[str]
    concepts_only: bool


def centred(vector: Float32Array, neutral: Float32Array) -> Float32Array:
    """The part of a document vector that is its own: all vectors of a model share a large common part."""
    own = vector - (vector @ neutral) * neutral
    norm = float(np.linalg.norm(own))
    return own if norm < 1e-6 else (own / norm).astype(np.float32)


def sense_of(text: str, likeness: Callable[[str], Float32Array], neutral: Float32Array) -> Sense:
    """Read a text. `neutral` is the likeness of an empty text."""
    view = folded(text)
    joined = _CODE.sub("", view)
    digits = frozenset(found for found in re.findall(r"\d+", joined) if len(found) >= _NUMBER_DIGITS_MIN)
    return Sense(centred(likeness(text), neutral), facets_of(text), view, content_key(text), digits, concepts_in(view))


def topic_sense_of(about: str, likeness: Callable[[str], Float32Array], neutral: Float32Array) -> TopicSense:
    """Read a topic. A capital at its beginning may be a name or a mere beginning, so it proves but never refutes."""
    sense = sense_of(about, likeness, neutral)
    core = _TAIL.sub("", _LEAD.sub("", sense.view)).strip(" ,.!?。;\"'“”")
    capitals = [word.lower() for word in _LATIN_NAME.findall(about) if word.lower() not in _TITLES]
    capitals = [word for word in capitals if word in _SINGLE_WORD.findall(core)]
    # The first word of a topic has a capital anyway, so where there are others these are the names.
    begins = bool(capitals) and about.lower().lstrip().startswith(capitals[0])
    names = set(capitals[1:] if begins else capitals)
    nicknames = {word for word in _NICKNAME.findall(core) if word not in _NO_NICKNAMES}
    values = frozenset((names or set(capitals)) | nicknames)
    concepts_only = bool(sense.concepts) and not left_without_concepts(core, values | sense.digits)
    return TopicSense(sense, core, frozenset(names), values, concepts_only)


def is_about(topic: TopicSense, text: Sense) -> bool:
    """Whether a text is about a topic."""
    likeness = float(topic.sense.own @ text.own)
    if topic.sense.digits & text.digits:
        return True
    view = text.view
    if len(topic.core) >= 2 and topic.sense.facets.words and stands_in(topic.core, view):
        return True
    least = WITH_VALUE if len(topic.values) > 1 else WITH_THE_VALUE
    if likeness >= least and any(stands_in(value, view) for value in topic.values):
        return True
    if about_another(topic, text):
        return False
    if topic.concepts_only and all_in(topic.sense.concepts, text.concepts):
        return True
    return likeness >= _least_likeness(topic, text)


def about_another(topic: TopicSense, text: Sense) -> bool:
    """Whether a text names others or holds other numbers where the topic has a name or number, and lacks these."""
    if topic.sense.digits and text.digits:
        return not topic.sense.digits & text.digits
    if not topic.names or not text.facets.names or topic.sense.facets.chinese != text.facets.chinese:
        return False
    return not any(stands_in(name, text.view) for name in topic.names)


def _least_likeness(topic: TopicSense, text: Sense) -> float:
    mine, theirs = topic.sense.facets, text.facets
    beside = topic.concepts_only or bool(topic.sense.concepts & text.concepts)
    partly = beside and not all_in(topic.sense.concepts, text.concepts)
    if partly or (mine.chinese == theirs.chinese and 0 < contained(mine, theirs) < 1):
        return SAME_TOPIC_PARTLY_NAMED
    return SAME_TOPIC_OTHER_SCRIPT if mine.chinese != theirs.chinese else SAME_TOPIC


def stands_in(words: str, view: str) -> bool:
    """Whether words stand in a folded view; Latin ones as whole words."""
    if not _LATIN.search(words):
        return words in view
    return re.search(rf"(?<![a-z0-9]){re.escape(words)}(?:'?s)?(?![a-z0-9])", view) is not None
