"""What must agree before two statements may be taken for one: numbers, codes, days, names, polarity, subject.

No similarity of vectors separates duplicates from look-alikes ("order 440917" and "order 440971" have a cosine of
0.93), so these are read from the words. Everything works on the folded view, with words of Taiwan and the mainland
made one and counted words (两, two, half an hour) turned into digits.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.attributes import attributes_of
from engine.clauses import folded
from engine.kin import kin_of
from engine.relation_words import (
    ADDS,
    CHANGES,
    CLASS_BEFORE,
    CONTRASTS,
    ID_LEAD,
    IN_VALUE,
    MEASURED,
    NEW_STATE,
    PAST_LIFE,
    SEVERAL,
)
from engine.same_words import one_word, same_stem, word_set
from engine.stems import stem
from engine.subject import subject_of

_READ_CHARS = 600
_LIGHT = frozenset(
    stem(word)
    for word in word_set(
        "go come get make take use put give keep look see say tell want need plan thing time people year know think "
        "feel like dislike lot bit new good one end"
    )
)
_ASKING = re.compile(r"[^,，。.!！;；?？\n]{0,120}[?？]")
_DIGIT_ZH = {c: str(i) for i, c in enumerate("零一二三四五六七八九")} | {"两": "2", "〇": "0"}
_UNITS_ZH = {"十": 10, "百": 100, "千": 1_000}
_COUNT_ZH = re.compile(
    r"([一二三四五六七八九十两百千万零]{1,7})(?=[点号月日年层楼栋座室组班个只条辆台套间位人名杯片粒颗瓶次遍回倍斤公"
    r"克千万百元块岁码度级期届等门路院天周份张支口双对分小秒]|"
    r"$)|(?<=[周第])([一二三四五六日天])|(?<=[每约])([一二三四五六七八九十两]{1,3})(?=[万千百])"
)
_COUNT_EN = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "noon": "12:00",
    "midnight": "0:00",
}
_WORDS_EN = re.compile(r"\b(" + "|".join(_COUNT_EN) + r")\b")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_NUMBER = re.compile(r"[a-z]{0,6}[-·]?\d[\da-z]*(?:[.:,/·-]\d[\da-z]*)*")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w.-]{2,64}")
_DAY_WORD = re.compile(
    r"周[一二三四五六日天末\d]|上午|下午|早上|晚上|中午|凌晨|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:am|"
    r"pm)\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:morning|"
    r"afternoon|evening)s?\b"
)
_NOT_ZH = re.compile(
    r"(?<!是)(?<!要)(?<!会)(?<!能)(?<!好)(?<!对)不(?!到|了(?!解)|惯|着|动|同|错|断|仅|但|过(?!敏)|管|论|得不|如|久|"
    r"少|客气|是不|不|再是)|没(?!准|事|错)|无(?!论|锡|线|糖|人机|名)|未(?!来|婚|必)|别(?!的|人|墅|针)|"
    r"戒(?:了|掉)?|停(?:了|掉|用|止)|注销|吊销"
)
_DOUBLE_NOT_ZH = re.compile(r"不是不|不得不|没有不|并非不|不会不|不能不|无不")
_NOT_EN = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|without|neither|nor|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|"
    r"can't|cannot|couldn't|won't|wouldn't|haven't|hasn't|hadn't|stopped|quit|gave up|given up|unable)\b"
)
_AFTER_NOT_ZH = re.compile(_NOT_ZH.pattern.join(("(?:", ")")) + r"(?:有|了|再|让|是)?([^,。;!?]{1,10})")
_AFTER_NOT_EN = re.compile(_NOT_EN.pattern + r"([^,.;!?]{1,40})")
_UNDONE_ZH = re.compile(r"([\u4e00-\u9fff]{1,4})被?(?:吊销|注销|取消|退掉|卖掉|卖了|丢了|没了|过期)")
_NAME = re.compile(r"(?<![.!?。] )(?<!^)\b[A-Z][a-zA-Z]{1,20}\b|\b[A-Z]{2,}[a-zA-Z]*\b")
_LETTER_ZH = re.compile(r"(?<=[\u4e00-\u9fff ])[A-Z](?=[\u4e00-\u9fff ]|$)")
_NOT_NAMES = word_set("I I'm I've I'll I'd My The A An It He She We You They This That")
_FUNCTION_ZH = frozenset(
    "的了是在就也都很把被个和跟与到给上里吧呢吗呀啊着过得地之其这那我你他她它们家还又最已经再又会要去来用说有为从只"
    "挺真太对每条位名些什么样现改换成搬不没中条只头匹辆台间套张本座栋幢件"
)
_STOP_EN = word_set(
    "a an the is are was were be been being am i i'm i've i'd i'll my mine me we we're our us it its it's that "
    "this these those of to in on at for with by from as and or but so if then "
    "own owns do does did have has had got get gets will would can could just really very also too now you your "
    "yours s t re ve ll d there here he she his her they their them who which what how when where please some any "
    "all "
    "not no don't doesn't isn't aren't can't over up out off back again still always"
)
_TIME_WORDS = re.compile(
    r"(?:周|星期)[一二三四五六日天末\d]|每(?:天|周|月|年|晚|早|次)|(?:今|明|后|昨|前)(?:天|晚|早|年)|(?:上|下|这|"
    r"本)(?:个)?(?:周|月|年)|上午|下午|早上|晚上|中午|凌晨|最近|近来|目前|现在|如今|以后|之后|今后|已经|一直|平时|"
    r"之前|终于|一般|经常|常常|通常|其实|帮我|记一下|记住|记得|对了|另外|顺便说一下|顺便|你好|谢谢|更正一下|更正"
    r"|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|yesterday|tonight|every|each|daily|weekly|"
    r"next|last|this|week|month|year|day|morning|afternoon|evening|night|now|currently|these days|recently|lately|"
    r"usually|always|often|sometimes|ago|am|pm|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|thanks|hi|hello|okay|ok|correction|remember|note|actually|anyway)\b"
)
_TOKEN = re.compile(r"过敏|[a-z][a-z'-]*[a-z]|[a-z]|[\u4e00-\u9fff]|\d[\d.:,/-]*")


@dataclass(frozen=True)
class Facets:
    """What a statement holds that another must share to be the same.

    `text` is what it states, `view` that folded and with counting words in digits, `told` the view without its subject.
    The rest is read when it is first asked for, and kept: most comparisons end at the first difference.
    """

    text: str
    view: str
    told: str
    subject: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Content tokens in order."""
        return content_words(self.told)

    @cached_property
    def subject_words(self) -> frozenset[str]:
        """Content tokens that only name the subject."""
        if self.told == self.view:
            return frozenset()
        return frozenset(content_words(self.view)) - frozenset(self.words)

    @cached_property
    def topic(self) -> Mapping[str, float]:
        """What it is about, weighed: stems, Chinese characters and pairs of them, without times and numbers."""
        return _topic(self.told)

    @cached_property
    def topic_weight(self) -> float:
        """The sum of the weights of `topic`."""
        return sum(self.topic.values())

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers, codes with digits, and e-mail addresses."""
        return _numbers(self.view)

    @cached_property
    def days(self) -> frozenset[str]:
        """Words for days, months and parts of a day."""
        return frozenset(_DAY_WORD.findall(self.view))

    @cached_property
    def names(self) -> frozenset[str]:
        """Capitalised words and single letters, lower-cased."""
        found = (*_NAME.findall(self.text), *_LETTER_ZH.findall(self.text))
        return frozenset(name.lower() for name in found if name not in _NOT_NAMES)

    @cached_property
    def denied(self) -> tuple[frozenset[str], ...]:
        """The parts of the topic that stand after a denial, one set for each."""
        return _denied(self.view)

    @cached_property
    def negative(self) -> bool:
        """Whether it denies."""
        return is_negative(self.view)

    @cached_property
    def things(self) -> frozenset[str]:
        """Single-valued things that it speaks of: a name, a home, a job."""
        return attributes_of(self.view)

    @cached_property
    def kin(self) -> str:
        """Which other being it is about; empty for the user, the world, and people in a role."""
        return kin_of(self.subject)

    @cached_property
    def contrasts(self) -> tuple[frozenset[str], ...]:
        """Words that tell two of a kind apart, for each kind."""
        return tuple(frozenset(group.findall(self.view)) for group in CONTRASTS)

    @cached_property
    def classes(self) -> tuple[re.Match[str], ...]:
        """One of several of a kind ("building A"), each named where no value begins."""
        found = CLASS_BEFORE.finditer(self.view)
        return tuple(match for match in found if not IN_VALUE.search(self.view[: match.start()]))

    @cached_property
    def changes(self) -> bool:
        """Whether it says that something is not as it was."""
        return CHANGES.any_in(self.view)

    @cached_property
    def adds(self) -> bool:
        """Whether it says that something comes on top."""
        return ADDS.search(self.view) is not None

    @cached_property
    def long_ago(self) -> bool:
        """Whether it speaks of an earlier life."""
        return PAST_LIFE.search(self.view) is not None

    @cached_property
    def new_state(self) -> bool:
        """Whether a clause of it ends in 了, as a new state does."""
        return NEW_STATE.search(self.view) is not None

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Numbers of orders, parcels, flights..."""
        return frozenset(ID_LEAD.findall(self.view))

    @cached_property
    def years(self) -> frozenset[str]:
        """Years that it names, 1800 to 2099."""
        return frozenset(_YEAR.findall(self.view)) if _DIGIT.search(self.view) else frozenset()

    @cached_property
    def several(self) -> bool:
        """Whether it is of a kind of which one can have or do several."""
        return SEVERAL.search(self.view) is not None

    @cached_property
    def measured(self) -> bool:
        """Whether it says how much, where or which."""
        return MEASURED.search(self.view) is not None

    @cached_property
    def chinese(self) -> bool:
        """Whether it is (also) written in Chinese characters."""
        return _CHINESE.search(self.view) is not None


def facets_of(text: str) -> Facets:
    """Read the facets of a text; only its first 600 characters count."""
    text = _without_questions(text[:_READ_CHARS])
    original = folded(text)
    view = counted(original)
    subject = subject_of(text, original)
    return Facets(text, view, _without_subject(view, subject), subject)


def _numbers(view: str) -> frozenset[str]:
    if _DIGIT.search(view) is None and "@" not in view:
        return frozenset()
    found = (number.rstrip(".,:/-") for number in _NUMBER.findall(view) if any(c.isdigit() for c in number))
    return frozenset(found) | frozenset(_ADDRESS.findall(view))


def _without_questions(text: str) -> str:
    """The text without the clause that asks, when it also states something."""
    stated = (_ASKING.sub("", text) if "?" in text or "？" in text else text).strip()
    return stated if len(stated) >= 4 else text


def _without_subject(view: str, subject: str) -> str:
    """The view without the one it is about: that both speak of a daughter does not make them speak of one thing."""
    who = counted(subject.removeprefix("other:").lower()) if subject.startswith("other:") else ""
    return view.replace(who, " , ") if len(who) > 1 or "\u4e00" <= who <= "\u9fff" else view


def _topic(view: str) -> Mapping[str, float]:
    """Weights of what a text is about: a stem 1.5, a pair of Chinese characters 1, one character 0.4."""
    weights: dict[str, float] = {}
    before = ""
    for word in content_words(_TIME_WORDS.sub(" , ", view)):
        if word[0].isdigit():
            before = ""
            continue
        if not "\u4e00" <= word[0] <= "\u9fff":
            weights[word] = 0.3 if word in _LIGHT else 1.5
            before = ""
            continue
        weights[word] = 0.4 if len(word) == 1 else 1.0
        if before:
            weights[before + word] = 1.0
        before = word
    return weights


def _denied(view: str) -> tuple[frozenset[str], ...]:
    """Parts of the topic that each denial covers: up to a few words after it."""
    spans = [match[1] for match in _AFTER_NOT_ZH.finditer(_DOUBLE_NOT_ZH.sub("", view))]
    spans += [match[1] for match in _UNDONE_ZH.finditer(view)]
    found: list[frozenset[str]] = []
    for span in spans:
        found.append(frozenset([word for word in content_words(span)[:5] if not word[0].isdigit()]))
    for match in _AFTER_NOT_EN.finditer(view):
        words = content_words(match[1])[:3]
        found.append(frozenset([word for word in words if not word[0].isdigit() and word not in _LIGHT]))
    return tuple(span for span in found if span)


def counted(view: str) -> str:
    """One word for one thing, and digits for counting words: "两只" and "2只" read alike."""
    view = _COUNT_ZH.sub(lambda match: _digits_zh(match[0]), one_word(view))
    return _WORDS_EN.sub(lambda match: _COUNT_EN[match[0]], view)


def _digits_zh(word: str) -> str:
    """A Chinese number up to 99,999,999 in digits; "三千六" is 3600."""
    if word in ("日", "天"):
        return "7"
    if not any(unit in word for unit in "十百千万"):
        return "".join(_DIGIT_ZH.get(c, c) for c in word)
    total = section = digit = 0
    last_unit = 1
    for character in word:
        if character == "万":
            total, section, digit, last_unit = (total + section + digit) * 10_000, 0, 0, 10_000
        elif character in _UNITS_ZH:
            last_unit = _UNITS_ZH[character]
            section, digit = section + (digit or 1) * last_unit, 0
        else:
            digit = int(_DIGIT_ZH.get(character, "0"))
    if digit and last_unit >= 100 and "零" not in word:
        digit *= last_unit // 10
    return str(total + section + digit)


def is_negative(view: str) -> bool:
    """Whether the statement denies: an odd number of denials, each double denial counted as none."""
    view = _DOUBLE_NOT_ZH.sub("", view)
    return (len(_NOT_ZH.findall(view)) + len(_NOT_EN.findall(view))) % 2 == 1


def content_words(view: str) -> tuple[str, ...]:
    """Tokens that carry content: characters of Chinese, stems of English, numbers."""
    found: list[str] = []
    for token in _TOKEN.findall(view):
        if "\u4e00" <= token[0] <= "\u9fff":
            if token not in _FUNCTION_ZH:
                found.append(token)
        elif token not in _STOP_EN:
            found.append(same_stem(token.removesuffix("'s")) if token[0].isalpha() else token.rstrip(".,:/-"))
    return tuple(found)


def overlap(first: Facets, second: Facets) -> float:
    """Share of what the two are about that they have in common, by weight (Dice), 0-1."""
    a, b = first.topic, second.topic
    if not a or not b:
        return 0.0
    total = first.topic_weight + second.topic_weight
    return 2 * sum(weight for part, weight in a.items() if part in b) / total


def contained(inner: Facets, outer: Facets) -> float:
    """Share of the inner statement's content words that the outer one has, 0-1."""
    words = set(inner.words)
    return len(words & (set(outer.words) | outer.subject_words)) / len(words) if words else 0.0


def contradicts(first: Facets, second: Facets) -> bool:
    """Whether one denies what the other asserts: most of what a denial covers, and the other does not deny it too."""
    return _denies(first, second) or _denies(second, first)


def _denies(one: Facets, other: Facets) -> bool:
    denied_too = frozenset[str]().union(*other.denied)
    share = 0.8 if other.chinese else 0.6
    return any(len(span & other.topic.keys()) >= share * len(span) and not span & denied_too for span in one.denied)
