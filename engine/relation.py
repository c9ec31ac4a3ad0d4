"""How a newer statement stands to an older one: same, refines, replaces, coexists or unrelated.

First come the reasons why two statements are about different things (another subject, another contrasted thing, another
identifier); then the words that say what happened ("switched to", "as well", "no longer"); then what stands where the
two differ. Similarity only supports: on its own it decides nothing, because look-alikes have the highest.
"""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from engine.attributes import attributes_of
from engine.facets import Facets, contained, overlap
from engine.memory import Category

_ADDS = re.compile(
    r"也(?!不(?!吃|喝|喜|爱|碰|看|用)|许|就|不再)|同样|以及|另外|此外|除了.{1,20}还|照.{1,3}不误|还(?=爱|喜欢|会|有|吃|喝|看|养|想|学|要|讨厌|怕|对)|又(?=迷上|爱上|喜欢上|养|买|添|学|多|加)|再加|都喜欢|"
    r"\b(as well|too|also|another|both|in addition|additionally|besides|plus|on top of that|and still)\b"
)
_CHANGES = re.compile(
    r"改(成|为|到|用|了|叫|在|住|跟|刷|期|签|回|去|喝|吃|看|穿|坐|骑|学|练|做|当|由|归)|(?<!要)换(成|了|到|为|回|用|去|掉|车|牙|工|手|号)|都?改(?=刷)|搬(到|去|进|回|了|家)|不再|已(经)?不|不.{1,10}了($|,)|(?<!我)现在(改|都|住|用|是|叫|在|的|找|去|穿|做|开)|升(到|级|了|为)|迁(到|完|了|至)|切(到|成|换)|"
    r"调(到|去|成|整|为)|更正|纠正|更新|写(错|反)|打错|说错|记错|登记错|搞错|弄错|应该是|其实是|不是.{1,12}(而)?是|是.{1,12}(,|而)不(是|在)|又(开始|改|换|回|统一)|如今|转(到|成|为|去|正)|延(到|期|后)|提前(到|至)|推迟|重新|变(成|为)|宁可|没有.{1,8}了|过期|退(掉|了|休)|考上|之前是|还是(?!不)(用|在|换|喜欢|回|不)|想了想|离职|不由|不在|"
    r"\b(correction|moved?|switch(ed)?( \w+)? (to|over)|switched|changed|swapped|no longer|any ?more|instead|turns? out|upgraded|renamed|replaced|migrated|scrap|these days|used to|not .{1,24} but|i meant|typo|retimed|rescheduled|postponed|pushed|has left|gone off|now|i've (finally )?got my own|got promoted|from (now|here) on|is sold|no more|i checked|wrong|so it's just|started (as|at)|quit|left my|back to)\b"
)
_ABOUT_A_READING = re.compile(r"称重|体重|血压|血糖|体温|心率|跑(了|步)|步数|公斤|读数|余额|weigh|weight|blood|pulse|steps|ran |reading|balance|temperature|\d ?(kg|lbs|km|bpm)")
_SCHEDULED = re.compile(r"定在|定于|是|安排在|在|预约|booked|scheduled|is on|set for|is at|leaves at|starts at")
_ID_LEAD = re.compile(r"(?:订单|包裹|快递|运单|单号|工单|发票|航班|车次|房间|合同|案件|批次|票|账户|卡|order|parcel|package|ticket|case|invoice|flight|room|booking|contract|batch|account|issue|pr)\s?(?:号|number|no\.?|#)?\s?[:#]?\s?([a-z]{0,4}[-·]?\d[\w-]*)")
_CLASS_BEFORE = re.compile(r"([a-z甲乙丙丁东西南北左右大小上下前后新老男女\d一二三四五六七八九十]) ?(栋|组|班|楼|院|区|号线|号楼|部|队|女儿|儿子|闺女|孩子|眼|手|脚|耳|卧|厅|门|侧|边的|教|舍|厂|车间|期|季度|年级|单元|哥|姐|弟|妹|姨|舅|叔|姑)")
_IN_VALUE = re.compile(r"(在|到|成|为|是|去|进|住|搬|改|换|:)\s?.{0,2}$")
_COLOURS = frozenset("red blue white black green yellow grey gray silver brown pink purple orange first second third old new left right north south east west upper lower front back big small older younger elder eldest youngest".split())
_LEADERS = frozenset("我")
_NEAR = 0.5
# Up to here the sentence only names its thing; from here on it says something of it.
_SAID_OF = re.compile(
    r"\b(?:i|we|he|she|it|they|you|is|are|was|were|be|been|has|have|had|in|at|on|to|from|by|until|since|for|than|about)\b|[:=：]|"
    r"我(?!的|们的|家|爸|妈|哥|姐|弟|妹|老)|[在是叫住为有等到去从于比:：]|每"
)


@dataclass(frozen=True, slots=True)
class Said:
    """One side of a comparison. `vector_similarity` of a pair is passed beside it."""

    facets: Facets
    category: Category


def relation_of(older: Said, newer: Said, similarity: float) -> str:
    """The relation of the newer statement to the older one.

    similarity: centred cosine of their static vectors, -1 to 1; 0 where unknown.
    """
    a, b = older.facets, newer.facets
    if a.subject != b.subject and not _same_subject(a, b):
        return "unrelated"
    shared = overlap(a, b)
    same_things = attributes_of(a.view) & attributes_of(b.view)
    if _contrasted(a, b) or _other_identifier(a, b) or _other_named_thing(a, b):
        return "unrelated"
    near = shared >= 0.34 or similarity >= _NEAR or (bool(same_things) and (shared > 0.05 or similarity > 0.1))
    if not near:
        return "unrelated"
    changes = bool(_CHANGES.search(b.view))
    if _ADDS.search(b.view) and not changes and (a.negative == b.negative or newer.category is Category.PREFERENCE):
        return "coexists"
    if a.negative != b.negative and (shared >= 0.4 or same_things or similarity >= 0.6):
        return "replaces"
    if changes and (shared >= 0.2 or same_things or similarity >= _NEAR):
        return "replaces"
    if newer.category is Category.PREFERENCE and older.category is Category.PREFERENCE:
        return _of_preferences(a, b, shared, similarity)
    return _of_facts(older, newer, shared, similarity, bool(same_things))


def _of_preferences(a: Facets, b: Facets, shared: float, similarity: float) -> str:
    """Likings coexist, dated, unless they are the same."""
    if shared >= 0.85 and a.numbers == b.numbers and a.names == b.names and not _substituted(a, b):
        return "same"
    if similarity >= 0.45 and a.numbers and a.numbers == b.numbers:
        return "same"
    if contained(a, b) >= 0.99 and a.numbers <= b.numbers and len(b.words) > len(a.words) >= 2:
        return "refines"
    return "coexists" if shared or similarity >= _NEAR else "unrelated"


def _of_facts(older: Said, newer: Said, shared: float, similarity: float, same_things: bool) -> str:
    a, b = older.facets, newer.facets
    agree = a.numbers == b.numbers and a.days == b.days and (a.names == b.names or a.chinese != b.chinese)
    substituted = _substituted(a, b) if a.chinese == b.chinese else False
    if agree and not substituted and (shared >= 0.75 or similarity >= 0.6):
        return "same"
    if a.numbers <= b.numbers and a.days <= b.days and a.names <= b.names and contained(a, b) >= 0.75 and len(b.words) > len(a.words):
        return "refines"
    if b.numbers <= a.numbers and b.days <= a.days and b.names <= a.names and contained(b, a) >= 0.9:
        return "same"
    if a.chinese != b.chinese and a.numbers == b.numbers and (similarity >= 0.4 and (same_things or bool(a.numbers)) or similarity >= 0.55):
        return "same"
    if _topic_differs(a, b):
        return "unrelated"
    if _dated_readings(older, newer):
        return "coexists"
    if same_things:
        return "replaces"
    if shared >= 0.6 or (similarity >= 0.6 and shared >= 0.45):
        return "replaces" if _one_right_value(older, newer) else "coexists"
    return "coexists" if shared >= 0.5 else "unrelated"


def _one_right_value(older: Said, newer: Said) -> bool:
    """Facts have one; so do planned events, while happenings of different days stand side by side."""
    if Category.EVENT in (older.category, newer.category):
        a, b = older.facets, newer.facets
        same_identifier = bool(_identifiers(a.view) & _identifiers(b.view))
        return same_identifier or bool(_SCHEDULED.search(a.view) and _SCHEDULED.search(b.view))
    return True


def _dated_readings(older: Said, newer: Said) -> bool:
    """Measurements of different days: both stay."""
    a, b = older.facets.view, newer.facets.view
    return bool(_ABOUT_A_READING.search(a) and _ABOUT_A_READING.search(b)) and older.facets.numbers != newer.facets.numbers and Category.EVENT in (
        older.category, newer.category
    )


def _same_subject(a: Facets, b: Facets) -> bool:
    """The user and the user's own team count as one; "sister" and "妹妹" are left apart unless the scripts differ."""
    near = {"user", "world"}
    return {a.subject, b.subject} <= near or (a.chinese != b.chinese and a.subject[:6] == b.subject[:6] == "other:")


def _contrasted(a: Facets, b: Facets) -> bool:
    """Two of a kind named apart before anything is said of them: building A and B, left and right eye."""
    for first in _CLASS_BEFORE.finditer(a.view):
        if _IN_VALUE.search(a.view[: first.start()]):
            continue
        for second in _CLASS_BEFORE.finditer(b.view):
            if first[2] == second[2] and first[1] != second[1] and not _IN_VALUE.search(b.view[: second.start()]):
                return first[0] not in b.view
    return False


def _identifiers(view: str) -> frozenset[str]:
    return frozenset(_ID_LEAD.findall(view))


def _other_identifier(a: Facets, b: Facets) -> bool:
    """Orders, parcels, flights... with different numbers."""
    first, second = _identifiers(a.view), _identifiers(b.view)
    return bool(first and second) and not first & second


def _other_named_thing(a: Facets, b: Facets) -> bool:
    """Whether the two first differ in a number or a name that stands before anything is said of it.

    "Shelf 3 holds the box T3" and "Shelf 4 holds the box T4", "My friend Anna lives in Oslo" and "My friend Bea ...":
    what differs there says which thing is meant. After a verb, a preposition or a colon it would be a value.
    """
    for kind, a_from, a_to, b_from, b_to in _pieces(a, b):
        if kind != "replace":
            continue
        ours, theirs = a.words[a_from:a_to], b.words[b_from:b_to]
        if not (_names_one(ours, a) and _names_one(theirs, b)):
            return False
        return not _SAID_OF.search(_before(b, b_from)) and not _SAID_OF.search(_before(a, a_from))
    return False


def _names_one(words: tuple[str, ...], side: Facets) -> bool:
    return any(word[0].isdigit() or word in side.names for word in words)


def _before(side: Facets, word: int) -> str:
    """The text in front of a content word."""
    at = 0
    for earlier in side.words[:word]:
        found = side.view.find(earlier[:4], at)
        at = at if found < 0 else found + 1
    found = side.view.find(side.words[word][:4], at)
    return side.view[: max(found, at)]


def _pieces(a: Facets, b: Facets) -> list[tuple[str, int, int, int, int]]:
    """Where the content words of the two differ, as difflib opcodes."""
    codes = SequenceMatcher(None, a.words, b.words, autojunk=False).get_opcodes()
    return [code for code in codes if code[0] != "equal"]


def _substituted(a: Facets, b: Facets) -> bool:
    """Whether one content word stands in the place of another. Moved words are no substitution."""
    for kind, a_from, a_to, b_from, b_to in _pieces(a, b):
        if kind == "replace" and not (set(a.words[a_from:a_to]) <= set(b.words) or set(b.words[b_from:b_to]) <= set(a.words)):
            return True
    lost, new = set(a.words) - set(b.words), set(b.words) - set(a.words)
    return bool(lost) and bool(new)


def _topic_differs(a: Facets, b: Facets) -> bool:
    """Whether the statements differ at their very beginning and go on alike: they speak of different things.

    "东院食堂的灶台烧沼气" and "西院食堂的灶台烧沼气", "The blue van runs on diesel" and "The white van runs on petrol".
    """
    codes = SequenceMatcher(None, a.words, b.words, autojunk=False).get_opcodes()
    if not codes or codes[0][0] != "replace" or len(codes) < 2:
        return False
    _, a_from, a_to, b_from, b_to = codes[0]
    alike = sum(code[2] - code[1] for code in codes if code[0] == "equal")
    if a_to - a_from > 4 or b_to - b_from > 4 or alike < 2:
        return False
    return not re.match(r"我?(在|是|叫|住|有|用)", a.view) and not re.match(r"我?(在|是|叫|住|有|用)", b.view)
