"""How a newer statement stands to an older one: same, refines, replaces, coexists or unrelated.

First come the reasons why two statements are about different things (another subject, another contrasted thing, another
identifier); then denial of the very thing the other asserts; then the words that say what happened ("switched to", "as
well"); then what stands where the two differ. Similarity only supports: on its own it decides nothing, because
look-alikes have the highest. In doubt both are kept: a wrongly retired fact is worse than two that stand side by side.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain

from engine.attributes import PLAIN_ATTRIBUTES, SURE_ATTRIBUTES
from engine.facets import Facets, contained, contradicts, overlap
from engine.kin import kin_mentioned
from engine.memory import Category
from engine.relation_words import (
    ABOUT_A_READING,
    CLASS_WORDS_IN_VALUE,
    EXISTS,
    NEW_JOB,
    ONLY_THEN,
    OTHERS,
    SAID_OF,
    SCHEDULED,
    SOMEWHERE,
)
from engine.same_words import word_set

_EXISTING = word_set("有 养 会 在 做 开 学 工 作 上 班 当 have play job live keep study")
_LIKING = word_set("喜 欢 爱 偏 like prefer")
_OPEN_THINGS = frozenset({"instrument", "pets", "siblings", "school", "allergy food"})
_TITLES = frozenset("老小阿大")

_QUOTED = re.compile(r"[\"“]([^\"“”]{2,80})[\"”]|[「『《]([^」』》]{2,80})[」』》]")


@dataclass(frozen=True)
class Said:
    """One side of a comparison."""

    facets: Facets
    category: Category


@dataclass(frozen=True)
class Pair:
    """Both sides and what is known of them together, each read when it is first asked for."""

    older: Said
    newer: Said
    similarity: float
    alone: bool

    @cached_property
    def shared(self) -> float:
        """How much of their topics they share, 0-1."""
        return overlap(self.a, self.b)

    @cached_property
    def things(self) -> frozenset[str]:
        """Single-valued things that both speak of."""
        return self.a.things & self.b.things if self.b.things else self.b.things

    @cached_property
    def codes(self) -> Sequence[tuple[str, int, int, int, int]]:
        """How the content words of the older become those of the newer, as difflib opcodes."""
        return SequenceMatcher(None, self.a.words, self.b.words, autojunk=False).get_opcodes()

    @cached_property
    def kept_apart(self) -> bool:
        """Whether the two are about different ones: another subject, contrasted thing, identifier or named thing."""
        a, b = self.a, self.b
        if not _same_subject(a, b) or _contrasted(a, b) or _other_identifier(a, b):
            return True
        return _other_named_thing(self) or _other_quoted_thing(a, b) or _of_another_past(a, b)

    @cached_property
    def substituted(self) -> bool:
        """Whether one content word stands in the place of another. Moved words are no substitution."""
        ours, theirs = set(self.a.words), set(self.b.words)
        for kind, a_from, a_to, b_from, b_to in self.codes:
            moved = set(self.a.words[a_from:a_to]) <= theirs or set(self.b.words[b_from:b_to]) <= ours
            if kind == "replace" and not moved:
                return True
        return bool(ours - theirs) and bool(theirs - ours)

    @property
    def a(self) -> Facets:
        return self.older.facets

    @property
    def b(self) -> Facets:
        return self.newer.facets

    @property
    def categories(self) -> tuple[Category, Category]:
        return self.older.category, self.newer.category


def relation_of(older: Said, newer: Said, similarity: float, *, alone: bool = False) -> str:
    """The relation of the newer statement to the older one.

    similarity: centred cosine of their static vectors, -1 to 1; 0 where unknown.
    alone: nothing else known comes close, so a word of change can only mean this one.
    """
    return by_rules(Pair(older, newer, similarity, alone))


def by_rules(pair: Pair) -> str:
    """The relation of the newer statement of a pair to the older one."""
    older, newer, a, b, similarity = pair.older, pair.newer, pair.a, pair.b, pair.similarity
    if pair.kept_apart:
        return "unrelated"
    changes = newer.facets.changes and _can_change(pair)
    if newer.facets.adds and not changes and (a.negative == b.negative or newer.category is Category.PREFERENCE):
        return "coexists" if pair.shared >= 0.1 or similarity >= 0.3 else "unrelated"
    if _denied_outright(pair, changes):
        return "replaces"
    if newer.facets.long_ago and not older.facets.long_ago:
        return _beside(pair)
    if changes and (_alike_in_kind(pair) or pair.shared >= 0.45) and (_sure_things(pair) or _supported(pair)):
        return "replaces"
    if not _near(pair):
        return "unrelated"
    if newer.facets.new_state and not older.facets.new_state and _of_new_state(pair):
        return "replaces"
    if pair.categories == (Category.PREFERENCE, Category.PREFERENCE):
        return _of_preferences(pair)
    return _of_facts(pair)


def _beside(pair: Pair) -> str:
    """Both stay; whether a reply mentions the older one depends on how much they share."""
    return "coexists" if pair.shared >= 0.4 else "unrelated"


def _near(pair: Pair) -> bool:
    """Whether the two may concern the same thing at all."""
    if pair.shared >= 0.3 or pair.similarity >= 0.42:
        return True
    if pair.categories == (Category.FACT, Category.FACT) and pair.things & PLAIN_ATTRIBUTES:
        return True
    return bool(pair.things) and (pair.shared >= 0.15 or pair.similarity >= 0.25)


def _denied_outright(pair: Pair, changes: bool) -> bool:
    """Whether one denies just what the other asserts. A happening alone does not deny a standing fact."""
    if not contradicts(pair.a, pair.b) or bool(OTHERS.search(pair.a.view)) != bool(OTHERS.search(pair.b.view)):
        return False
    return _can_change(pair) and (_near(pair) or bool(pair.things)) and (changes or _alike_in_kind(pair))


def _supported(pair: Pair) -> bool:
    """Whether a word of change concerns this older statement: much in common, or one thing and a little."""
    support = pair.shared + 0.7 * max(0.0, pair.similarity) + (0.2 if pair.a.names & pair.b.names else 0.0)
    if pair.alone:
        return support >= 0.3 or (bool(pair.things) and support >= 0.06)
    return support >= 0.55 or (bool(pair.things) and support >= 0.3)


def _of_new_state(pair: Pair) -> bool:
    """A Chinese sentence that ends in 了 tells of a new state; alone that is a weak sign, so much must be shared."""
    facts = pair.categories == (Category.FACT, Category.FACT)
    return facts and pair.shared >= 0.3 and pair.shared + 0.7 * max(0.0, pair.similarity) >= 0.7


def _alike_in_kind(pair: Pair) -> bool:
    return (pair.newer.category is Category.EVENT) == (pair.older.category is Category.EVENT)


def _can_change(pair: Pair) -> bool:
    """A to-do changes nothing but a to-do, and a happening no liking."""
    if pair.newer.category is Category.TASK:
        return pair.older.category is Category.TASK
    return pair.newer.category is not Category.EVENT or pair.older.category is not Category.PREFERENCE


def _sure_things(pair: Pair) -> bool:
    """Whether both speak of a thing with one value, however little else they share."""
    return bool(pair.things & SURE_ATTRIBUTES) or ("job" in pair.things and bool(NEW_JOB.search(pair.b.view)))


def _of_preferences(pair: Pair) -> str:
    """Likings coexist, dated, unless they are the same."""
    a, b, shared, similarity = pair.a, pair.b, pair.shared, pair.similarity
    if a.negative == b.negative and a.numbers == b.numbers and a.names == b.names:
        if not pair.substituted and (shared >= 0.7 or (shared >= 0.4 and similarity >= 0.75)):
            return "same"
        if (a.numbers and similarity >= 0.45 and shared >= 0.2) or (a.chinese != b.chinese and similarity >= 0.55):
            return "same"
    if len(b.words) <= len(a.words) or not a.numbers <= b.numbers or a.negative != b.negative:
        return "coexists"
    heads = [word for word in a.words if word not in _LIKING]
    detailed = len(b.words) > len(a.words) + 2 and similarity >= 0.5 and bool(heads)
    if (len(a.words) >= 2 and contained(a, b) >= 0.99) or (detailed and all(word in b.words for word in heads)):
        return "refines"
    return "coexists"


def _of_facts(pair: Pair) -> str:
    """What stands where the two differ decides: nothing, more detail, another thing, or another value."""
    if told_again := _said_again(pair):
        return told_again
    if topic_differs(pair):
        return "unrelated"
    if _dated_readings(pair):
        return "coexists"
    if _one_happening(pair):
        return "same"
    if pair.things & SURE_ATTRIBUTES and Category.TASK not in pair.categories:
        return "replaces"
    if Category.PREFERENCE in pair.categories or bool(pair.a.numbers) != bool(pair.b.numbers):
        return _beside(pair)
    return "replaces" if _another_value(pair) and _one_right_value(pair) else _beside(pair)


def _one_happening(pair: Pair) -> bool:
    """Whether two reports tell of one event, as a user and a bank do. Of one parcel they would be two stages."""
    if Category.EVENT not in pair.categories or not agree(pair.a, pair.b):
        return False
    alike = pair.similarity >= 0.8 and pair.shared >= 0.4
    return alike and not pair.a.identifiers & pair.b.identifiers


def _said_again(pair: Pair) -> str:
    """The word "same" or "refines" where the two say one thing, else an empty string."""
    a, b, similarity = pair.a, pair.b, pair.similarity
    one_script = a.chinese == b.chinese
    swapped = one_script and pair.substituted
    if agree(a, b) and not swapped and (pair.shared >= 0.6 or (similarity >= 0.6 and pair.shared >= 0.3)):
        return "same"
    if general(a) and len(b.words) > len(a.words) + 1 and within(a, b) and _spelled_out(pair):
        return "refines"
    # One word lost is a value changed ("云栖物流", "云帆物流"), so nothing may be lost.
    if contained(a, b) == 1.0 and len(b.words) > len(a.words) and within(a, b):
        return "refines"
    if contained(b, a) == 1.0 and b.names <= a.names and within(b, a):
        return "same"
    if one_script or contradicts(a, b):
        return ""
    if a.numbers == b.numbers:
        alike = similarity >= 0.55 or (similarity >= 0.38 and bool(pair.things or a.numbers))
        return "same" if alike else ""
    opens = a.numbers < b.numbers and len(a.topic) <= 6
    return "refines" if opens and (similarity >= 0.45 or (similarity >= 0.2 and bool(pair.things))) else ""


def general(facets: Facets) -> bool:
    """Whether a short statement only says that there is something: a dog, an instrument, a job at a bank."""
    return len(facets.words) <= 4 and EXISTS.search(facets.view) is not None


def _spelled_out(pair: Pair) -> bool:
    """Whether the newer statement names what the general one left open."""
    heads = [word for word in pair.a.words if word not in _EXISTING]
    kept = bool(heads) and all(word in pair.b.words or word in pair.b.subject_words for word in heads)
    if kept and pair.similarity >= 0.4:
        return True
    return pair.similarity >= 0.45 and bool(pair.things & _OPEN_THINGS or SOMEWHERE.search(pair.a.view))


def agree(a: Facets, b: Facets) -> bool:
    """Whether all that must be equal in one statement is equal. Names are only compared within one script."""
    names = a.names == b.names or a.chinese != b.chinese
    return a.numbers == b.numbers and a.days == b.days and names and not contradicts(a, b)


def within(a: Facets, b: Facets) -> bool:
    """Whether the second holds all numbers, days and names of the first and denies nothing of it."""
    names = a.names <= b.names or a.chinese != b.chinese
    return a.numbers <= b.numbers and a.days <= b.days and names and not contradicts(a, b)


def _another_value(pair: Pair) -> bool:
    """Whether the two give different values of one thing, by words shared or by a single-valued thing of both."""
    if pair.things and pair.similarity >= (0.2 if pair.a.kin else 0.3):
        return True
    several = pair.a.several and pair.b.several
    if several and not (pair.a.numbers != pair.b.numbers and pair.shared >= 0.75):
        return False
    return pair.shared >= 0.5 or (pair.shared >= 0.35 and (pair.similarity >= 0.6 or bool(pair.things)))


def _one_right_value(pair: Pair) -> bool:
    """A fact that says how much, where or which has one; so do planned events. Happenings stand side by side."""
    first, second = pair.a.view, pair.b.view
    if Category.EVENT in pair.categories:
        same_identifier = bool(pair.a.identifiers & pair.b.identifiers)
        return same_identifier or bool(SCHEDULED.search(first) and SCHEDULED.search(second))
    if Category.TASK in pair.categories:
        return False
    return bool(pair.things and pair.a.kin) or (pair.a.measured and pair.b.measured)


def _dated_readings(pair: Pair) -> bool:
    """Measurements of different days: both stay."""
    readings = ABOUT_A_READING.search(pair.a.view) and ABOUT_A_READING.search(pair.b.view)
    return bool(readings) and pair.a.numbers != pair.b.numbers and Category.EVENT in pair.categories


def _same_subject(a: Facets, b: Facets) -> bool:
    """Whether both may speak of the same one.

    The user and the user's own team count as one, and so does whoever the other statement at least mentions: "I have a
    dog" and "my dog is called Rufus". A person in a role ("my manager is...") is a thing of the user's.
    """
    first, second = a.kin, b.kin
    if first == second:
        return True
    if first and second:
        return False
    named, other = (a, b) if first else (b, a)
    return kin_mentioned(named.subject, other.view)


def _contrasted(a: Facets, b: Facets) -> bool:
    """Two of a kind named apart before anything is said of them: building A and B, left and right eye."""
    for ours, theirs in zip(a.contrasts, b.contrasts, strict=True):
        if ours and theirs and not ours & theirs:
            return True
    for first in a.classes:
        for second in b.classes:
            if first[2] == second[2] and first[1] != second[1]:
                return first[0] not in b.view and not CLASS_WORDS_IN_VALUE.search(b.view[: second.start()])
    return False


def _other_identifier(a: Facets, b: Facets) -> bool:
    """Orders, parcels, flights... with different numbers."""
    first, second = a.identifiers, b.identifiers
    return bool(first and second) and not first & second


def _other_named_thing(pair: Pair) -> bool:
    """Whether the two first differ in a number or a name that stands before anything is said of it.

    "Shelf 3 holds the box T3" and "Shelf 4 holds the box T4", "My friend Anna lives in Oslo" and "My friend Bea ...":
    what differs there says which thing is meant. After a verb, a preposition or a colon it would be a value.
    """
    a, b = pair.a, pair.b
    if not (a.numbers or a.names) or not (b.numbers or b.names):
        return False
    for kind, a_from, a_to, b_from, b_to in pair.codes:
        if kind != "replace":
            continue
        ours, theirs = a.words[a_from:a_to], b.words[b_from:b_to]
        if not (_names_one(ours, a) and _names_one(theirs, b)):
            return False
        return not SAID_OF.search(_before(b, b_from)) and not SAID_OF.search(_before(a, a_from))
    return False


def _other_quoted_thing(a: Facets, b: Facets) -> bool:
    """Whether the newer ends something that it quotes, of which the older, which quotes nothing, says no word.

    'I no longer track "Visit the gallery" on my list' leaves the dentist on that list.
    """
    if not b.negative or _QUOTED.search(a.view):
        return False
    quoted = " ".join(filter(None, chain.from_iterable(_QUOTED.findall(b.view))))
    words = [word for word in b.words if word in quoted]
    return bool(words) and not any(word in a.view for word in words)


def _of_another_past(a: Facets, b: Facets) -> bool:
    """Whether one only tells how something was, with a word the other lacks: a home of long ago is not the home."""
    then, other = (b, a) if ONLY_THEN.search(b.view) else (a, b)
    return ONLY_THEN.search(then.view) is not None and bool(set(then.words) - set(other.words) - {"use"})


def _names_one(words: tuple[str, ...], side: Facets) -> bool:
    return bool(words) and (words[0][0].isdigit() or words[0] in side.names)


def _before(side: Facets, word: int) -> str:
    """The text in front of a content word."""
    at = 0
    for earlier in side.words[:word]:
        found = side.view.find(earlier[:4], at)
        at = at if found < 0 else found + 1
    found = side.view.find(side.words[word][:4], at)
    return side.view[: max(found, at)]


def topic_differs(pair: Pair) -> bool:
    """Whether the statements differ at their very beginning and go on alike: they speak of different things.

    "东院食堂的灶台烧沼气" and "西院食堂的灶台烧沼气", "The blue van runs on diesel" and "The white van runs on petrol".
    """
    a, b, codes = pair.a, pair.b, pair.codes
    if len(codes) > 1 and codes[0][0] == "equal" and codes[0][2] == 1 and a.words[0] in _TITLES:
        codes = codes[1:]
    if len(codes) < 2 or codes[0][0] != "replace":
        return False
    _, a_from, a_to, b_from, b_to = codes[0]
    alike = sum(code[2] - code[1] for code in codes if code[0] == "equal")
    if a_to - a_from > 4 or b_to - b_from > 4 or (alike < 2 and codes[-1][0] != "equal"):
        return False
    return not any(re.match(r"我?(在|是|叫|住|有|用)|\b(i|i'm|we) ", side.view) for side in (a, b))
