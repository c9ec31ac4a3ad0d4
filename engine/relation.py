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

from engine.attributes import PLAIN_ATTRIBUTES, SURE_ATTRIBUTES
from engine.facets import Facets, contained, contradicts, overlap
from engine.kin import kin_mentioned, kin_of
from engine.memory import Category
from engine.same_words import word_set

_ADDS = re.compile(
    r"也(?!不(?!吃|喝|喜|爱|碰|看|用)|许|就|不再)|同样|以及|另外还|此外|除了.{1,20}还|照.{1,3}不误|还(?=爱|喜欢|会|"
    r"有|吃|喝|看|养|想|学|要|讨厌|怕|对|不吃|不喝|不喜)|又(?=迷上|爱上|喜欢上|养|买|添|学|多|加)|再加|都喜欢|"
    r"\b(as well|too|also|another|both|in addition|additionally|besides|plus|on top of that|and still)\b"
)
_CHANGES = re.compile(
    r"改(?!天|日|变|革|造|编|善|进|正在|良|装|错|作业|卷|作文|论文|稿|bug)|(?<!要)换(成|了|到|为|回|用|去|掉|车|牙|"
    r"工|手|号)|都?改(?=刷)|搬(到|去|进|回|了|家)|不再|已(经)?不|不.{1,10}了($|,)|现在(改|两|二|三|有|没|归|都|住|"
    r"用|是|叫|在|的|找|去|穿|做|开|更|喜欢|能|会|不|只)|升(到|级|了|为|.{1,20}了$)|迁(到|完|了|至)|(切|转)(到|成|"
    r"换|去|正|至)|"
    r"调(到|去|成|整|为|走)|更正|纠正|更新|写(错|反)|打错|说错|记错|登记错|搞错|弄错|量错|应该是|其实是|"
    r"不是.{1,12}(而)?是|是.{1,12}(,|而)不(是|在)|又(开始|改|换|回|统一|.{1,2}回)|如今|延(到|期|后)|提前(到|至)|"
    r"推迟|重新|变(成|为)|宁可|没有.{1,8}了|过期|退(掉|了|休)|考上|之前是|还是(?!不)(用|在|换|喜欢|回|不|写|选)|"
    r"想了想|[离辞]职|不由|不在|"
    r"[涨降减加瘦胖长]到|修好|还清|结清|出生了|搬走|找到工作|倒闭|拆迁|分到|到期(?=没|了|未)|没续|住到|续(到|了)|"
    r"上(小学|初中|高中|大学)了|(剪|染|烫)(短|了|成)|配了|转网|送走|还剩|统一成|推到|接了|放弃|别发|别打|延误|老是|"
    r"回去|改(?=[后明下今周\d])|换(?=[\u4e00-\u9fff]{2}了)|戒(了|掉|烟|酒)|吊销|注销|卖了|送人了|领养了|查出来|"
    r"不让|出国|毕业了|分手|离婚了|结婚了|领证|买车了|买房了|"
    r"\b(correction|moved|switch(ed)?( \w+)? (to|over)|switched|changed|swapped|no longer|any ?more|instead|"
    r"turns? out|upgraded|renamed|replaced|migrated|relocated|scrap|these days|used to|not .{1,24} but|i meant|"
    r"typo|retimed|rescheduled|postponed|pushed|delayed|has left|left,|gone off|gone over|now|"
    r"i've (finally )?got my own|(got|was) promoted|from (now|here) on|is sold|no more|i checked|measured again|"
    r"wrong|so it's just|started (as|at)|quit|resigned|left my|back to|went (up|down|abroad)|(rose|raised|dropped|"
    r"increased|reduced|cut|up|down) to|test says|told me|learned to|got (married|divorced|engaged)|adopted|bought|"
    r"lost my|is gone|make it|have moved|i've moved|behind me|dropped|drop the|cancelled|joined|sold|called off|"
    r"took over|took up|settled in|died|broke down|closed down|put me on|down to|after the switch|rather than|"
    r"i'd rather|become|became|cut my|worn me out|finished|given up|gave up|took back|got .{1,20} back|can't do|"
    r"put (it )?back|the .{1,20} put .{1,24} back|is ours|expired|started (eating|drinking|wearing|school|primary|"
    r"secondary|using|at)|mode .{0,20}from now|i wear .{0,16}now|had .{0,16}surgery|put back|born|(is|been|was|"
    r"got it) (repaired|fixed)|paid .{1,20} back|paid in full|broke up|off the .{0,12}list|won me over|"
    r"come round to|sits in|since (the|last)|stepped down|graduated|found a job|gone back|traded .{1,40} for|"
    r"made me an?|transferred|(has |have )?closed (down|the)|full time again|new address|moved out|split up|"
    r"can swim|have learned|i prefer .{1,30} now|i'm on .{1,20} now|actually,? make)\b"
)
_CONTRASTS = (
    re.compile(r"(公司|工作|单位|私人|个人|学校)(?=的?(邮箱|手机|电话|微信|电脑|账号|号码))"),
    re.compile(r"\b(work|private|personal|school|business)(?= (e-?mail|phone|mobile|laptop|account|number|address))"),
    re.compile(r"(测试|生产|预发|开发|线上)(?=环境|服|库|端口)"), re.compile(r"\b(staging|production|prod|dev|test)\b"),
    re.compile(r"(?<![上改值换])(上午|下午|早|中|晚|夜|白)(?=(班|场|课|市))"), re.compile(
        r"\b(front|rear|back|upper|lower)\b(?= (tyre|tire|door|wheel|light|seat|bunk|shelf))"),
    re.compile(r"(左|右)(?=[边眼手脚耳侧膝])"), re.compile(
        r"\b(left|right)\b(?= (eye|hand|ear|knee|foot|drawer|side|leg|arm|shoulder))"),
)
_PAST_LIFE = re.compile(
    r"小时候|以前|年轻的?时|退休前|上学(那会|时)|(早|前)些年|\b(as a (teenager|child|kid|student|boy|girl)|"
    r"when i was|years ago|before i retired|in my (youth|twenties|thirties|teens))\b")
_EXISTS = re.compile(
    r"^(我|我家|我们家?|家里|我.{1,3})(也|还|现在)?(有|养|会|在|做|开|学|搞|当)|"
    r"^(i|we|my \w+)('ve| have|'m|'s| is| also)*( got)? ?(have|got|own|play|work|am|an?|in|at|study|studies|speak|do|"
    r"keep|live)\b"
)
_EXISTING = word_set("有 养 会 在 做 开 学 工 作 上 班 当 have play job live keep study")
_LIKING = word_set("喜 欢 爱 偏 like prefer")
_OPEN_THINGS = frozenset({"instrument", "pets", "siblings", "school", "allergy food"})
_SOMEWHERE = re.compile(r"国外|外地|外国|海外|\b(abroad|overseas|away)\b")
_OTHERS = re.compile(r"别人|人家|他人|大家|\b(people|others|someone|everyone|nobody)\b")
_NEW_STATE = re.compile(r"(?<!太)(?<!极)了(?=,|$)")
_NEW_JOB = re.compile(
    r"换了?工作|找到工作|毕业了|升|调|入职|[辞离]职|跳槽|考上|开(了|始)|不当|现在(是|做|当|在)|调(到|去)|"
    r"\b(started (as|at)|new job|found a job|stepped down|graduated|gone back to work|traded|made me|closed|"
    r"transferred|full time again|back in the office|behind me|quit|resigned|staff (post|role)|retired|joined|"
    r"got the job|these days|no longer|now)\b")
_ABOUT_A_READING = re.compile(
    r"称重|体重|血压|血糖|体温|心率|跑(了|步)|步数|公斤|读数|余额|weigh|weight|blood|pulse|steps|ran |reading|"
    r"balance|temperature|\d ?(kg|lbs|km|bpm)")
_SCHEDULED = re.compile(r"定在|定于|是|安排在|在|预约|booked|scheduled|is on|set for|is at|leaves at|starts at")
_ID_LEAD = re.compile(
    r"(?:订单|包裹|快递|运单|单号|工单|发票|航班|车次|房间|合同|案件|批次|票|账户|卡|order|parcel|package|ticket|"
    r"case|invoice|flight|room|booking|contract|batch|account|issue|pr)\s?(?:号|number|no\.?|"
    r"#)?\s?[:#]?\s?([a-z]{0,4}[-·]?\d[\w-]*)")
_CLASS_BEFORE = re.compile(
    r"([a-z甲乙丙丁东西南北左右大小上下前后新老男女\d一二三四五六七八九十]) ?(栋|组|班|楼|院|区|号线|号楼|部|队|"
    r"抽屉|环境|卡|女儿|儿子|闺女|孩子|眼|手|脚|耳|卧|厅|门|侧|边的|教|舍|厂|车间|单元|哥|姐|弟|妹|姨|舅|叔|姑)")
_IN_VALUE = re.compile(r"(在|到|成|为|是|去|进|住|搬|改|换|:)\s?.{0,2}$")
_MEASURED = re.compile(
    r"(是|在|叫|为|:|每月|每周|定|用|归|放|住|穿|有|涨|交|限|管|属|停|部署|跑|抬头|号|改|到|换|迁|搬|升|读|念|上|"
    r"叫)|\'s\b|\b(is|are|was|in|at|on|to|called|costs?|from|uses?|runs?|leaves?|gets?|weighs?|a month|pays?|named|"
    r"reports?|keeps?)\b")
# What one can have, do or be in several ways at once: another one does not push the first out.
_SEVERAL = re.compile(
    r"过敏|喜欢|不?(吃|喝|碰|看)|会(说|弹|讲|做|拉|唱|打)|学|养了|有(?!美签|签证|车|驾照)|去了|做了|买了|参加|准备|"
    r"(带|附|给)上?|推荐|想|打算|练|报了|认识|去过|得过|做过"
    r"|\b(allerg\w+|intoleran\w+|likes?|loves?|enjoys?|hates?|dislikes?|speaks?|plays?|learn\w*|stud\w+|prepar\w+|"
    r"trying|working on|own|have (a|an|two|three|four|some)|been to|went|bought|reading|practi\w+|always|add|need|"
    r"want|plan\w*|can|do|did|had|grow|keep|collect)\b"
)
_TITLES = frozenset("老小阿大")
_CLASS_WORDS_IN_VALUE = re.compile(r"(上|读|念|第|住|在|到|去|进)$")
# Up to here the sentence only names its thing; from here on it says something of it.
_SAID_OF = re.compile(
    r"\b(?:i|we|he|she|it|they|you|is|are|was|were|be|been|has|have|had|in|at|on|to|from|by|until|since|for|than|"
    r"about)\b|[:=：]|"
    r"我(?!的|们的|家|爸|妈|哥|姐|弟|妹|老)|[在是叫住为有等到去从于比:：上读念穿涨延改搬换升定喝吃买卖养要]|每"
)


@dataclass(frozen=True)
class Said:
    """One side of a comparison. What its words say is looked up once, however many it is compared with."""

    facets: Facets
    category: Category

    @cached_property
    def changes(self) -> bool:
        """Whether it says that something is not as it was."""
        return _CHANGES.search(self.facets.view) is not None

    @cached_property
    def adds(self) -> bool:
        """Whether it says that something comes on top."""
        return _ADDS.search(self.facets.view) is not None

    @cached_property
    def long_ago(self) -> bool:
        """Whether it speaks of an earlier life."""
        return _PAST_LIFE.search(self.facets.view) is not None

    @cached_property
    def new_state(self) -> bool:
        """Whether a clause of it ends in 了, as a new state does."""
        return _NEW_STATE.search(self.facets.view) is not None


@dataclass(frozen=True)
class _Pair:
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
    a, b = older.facets, newer.facets
    pair = _Pair(older, newer, similarity, alone)
    if not _same_subject(a, b) or _contrasted(a, b) or _other_identifier(a, b) or _other_named_thing(pair):
        return "unrelated"
    changes = newer.changes and _can_change(pair)
    if newer.adds and not changes and (a.negative == b.negative or newer.category is Category.PREFERENCE):
        return "coexists" if pair.shared >= 0.1 or similarity >= 0.3 else "unrelated"
    if _denied_outright(pair, changes):
        return "replaces"
    if newer.long_ago and not older.long_ago:
        return _beside(pair)
    if changes and (_alike_in_kind(pair) or pair.shared >= 0.45) and (_sure_things(pair) or _supported(pair)):
        return "replaces"
    if not _near(pair):
        return "unrelated"
    if newer.new_state and not older.new_state and _of_new_state(pair):
        return "replaces"
    if pair.categories == (Category.PREFERENCE, Category.PREFERENCE):
        return _of_preferences(pair)
    return _of_facts(pair)


def _beside(pair: _Pair) -> str:
    """Both stay; whether a reply mentions the older one depends on how much they share."""
    return "coexists" if pair.shared >= 0.4 else "unrelated"


def _near(pair: _Pair) -> bool:
    """Whether the two may concern the same thing at all."""
    if pair.shared >= 0.3 or pair.similarity >= 0.42:
        return True
    if pair.categories == (Category.FACT, Category.FACT) and pair.things & PLAIN_ATTRIBUTES:
        return True
    return bool(pair.things) and (pair.shared >= 0.15 or pair.similarity >= 0.25)


def _denied_outright(pair: _Pair, changes: bool) -> bool:
    """Whether one denies just what the other asserts. A happening alone does not deny a standing fact."""
    if not contradicts(pair.a, pair.b) or bool(_OTHERS.search(pair.a.view)) != bool(_OTHERS.search(pair.b.view)):
        return False
    return _can_change(pair) and (_near(pair) or bool(pair.things)) and (changes or _alike_in_kind(pair))


def _supported(pair: _Pair) -> bool:
    """Whether a word of change concerns this older statement: much in common, or one thing and a little."""
    support = pair.shared + 0.7 * max(0.0, pair.similarity)
    support += (0.2 if pair.a.names & pair.b.names else 0.0) + (0.15 if pair.alone else 0.0)
    return support >= 0.45 or (bool(pair.things) and support >= 0.06)


def _of_new_state(pair: _Pair) -> bool:
    """A Chinese sentence that ends in 了 tells of a new state; alone that is a weak sign, so much must be shared."""
    facts = pair.categories == (Category.FACT, Category.FACT)
    return facts and pair.shared >= 0.3 and pair.shared + 0.7 * max(0.0, pair.similarity) >= 0.7


def _alike_in_kind(pair: _Pair) -> bool:
    return (pair.newer.category is Category.EVENT) == (pair.older.category is Category.EVENT)


def _can_change(pair: _Pair) -> bool:
    """A to-do changes nothing but a to-do, and a happening no liking."""
    if pair.newer.category is Category.TASK:
        return pair.older.category is Category.TASK
    return pair.newer.category is not Category.EVENT or pair.older.category is not Category.PREFERENCE


def _sure_things(pair: _Pair) -> bool:
    """Whether both speak of a thing with one value, however little else they share."""
    return bool(pair.things & SURE_ATTRIBUTES) or ("job" in pair.things and bool(_NEW_JOB.search(pair.b.view)))


def _of_preferences(pair: _Pair) -> str:
    """Likings coexist, dated, unless they are the same."""
    a, b, shared, similarity = pair.a, pair.b, pair.shared, pair.similarity
    if a.negative == b.negative and a.numbers == b.numbers and a.names == b.names:
        if not _substituted(pair) and (shared >= 0.7 or (shared >= 0.4 and similarity >= 0.75)):
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


def _of_facts(pair: _Pair) -> str:
    """What stands where the two differ decides: nothing, more detail, another thing, or another value."""
    if told_again := _said_again(pair):
        return told_again
    if _topic_differs(pair):
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


def _one_happening(pair: _Pair) -> bool:
    """Whether two reports tell of one event, as a user and a bank do. Of one parcel they would be two stages."""
    if Category.EVENT not in pair.categories or not _agree(pair.a, pair.b):
        return False
    alike = pair.similarity >= 0.8 and pair.shared >= 0.4
    return alike and not _identifiers(pair.a.view) & _identifiers(pair.b.view)


def _said_again(pair: _Pair) -> str:
    """The word "same" or "refines" where the two say one thing, else an empty string."""
    a, b, similarity = pair.a, pair.b, pair.similarity
    one_script = a.chinese == b.chinese
    substituted = one_script and _substituted(pair)
    if _agree(a, b) and not substituted and (pair.shared >= 0.6 or (similarity >= 0.6 and pair.shared >= 0.3)):
        return "same"
    if _general(a) and len(b.words) > len(a.words) + 1 and _within(a, b) and _spelled_out(pair):
        return "refines"
    # One word lost is a value changed ("云栖物流", "云帆物流"), so nothing may be lost.
    if contained(a, b) == 1.0 and len(b.words) > len(a.words) and _within(a, b):
        return "refines"
    if contained(b, a) == 1.0 and b.names <= a.names and _within(b, a):
        return "same"
    if one_script or contradicts(a, b):
        return ""
    if a.numbers == b.numbers:
        alike = similarity >= 0.55 or (similarity >= 0.38 and bool(pair.things or a.numbers))
        return "same" if alike else ""
    general = a.numbers < b.numbers and len(a.topic) <= 6
    return "refines" if general and (similarity >= 0.45 or (similarity >= 0.2 and bool(pair.things))) else ""


def _general(facets: Facets) -> bool:
    """Whether a short statement only says that there is something: a dog, an instrument, a job at a bank."""
    return len(facets.words) <= 4 and _EXISTS.search(facets.view) is not None


def _spelled_out(pair: _Pair) -> bool:
    """Whether the newer statement names what the general one left open."""
    heads = [word for word in pair.a.words if word not in _EXISTING]
    kept = bool(heads) and all(word in pair.b.words or word in pair.b.subject_words for word in heads)
    if kept and pair.similarity >= 0.4:
        return True
    return pair.similarity >= 0.45 and bool(pair.things & _OPEN_THINGS or _SOMEWHERE.search(pair.a.view))


def _agree(a: Facets, b: Facets) -> bool:
    """Whether all that must be equal in one statement is equal. Names are only compared within one script."""
    names = a.names == b.names or a.chinese != b.chinese
    return a.numbers == b.numbers and a.days == b.days and names and not contradicts(a, b)


def _within(a: Facets, b: Facets) -> bool:
    """Whether the second holds all numbers, days and names of the first and denies nothing of it."""
    names = a.names <= b.names or a.chinese != b.chinese
    return a.numbers <= b.numbers and a.days <= b.days and names and not contradicts(a, b)


def _another_value(pair: _Pair) -> bool:
    """Whether the two give different values of one thing, by words shared or by a single-valued thing of both."""
    if pair.things and pair.similarity >= (0.2 if kin_of(pair.a.subject) else 0.3):
        return True
    several = _SEVERAL.search(pair.a.view) and _SEVERAL.search(pair.b.view)
    if several and not (pair.a.numbers != pair.b.numbers and pair.shared >= 0.75):
        return False
    return pair.shared >= 0.5 or (pair.shared >= 0.35 and (pair.similarity >= 0.6 or bool(pair.things)))


def _one_right_value(pair: _Pair) -> bool:
    """A fact that says how much, where or which has one; so do planned events. Happenings stand side by side."""
    first, second = pair.a.view, pair.b.view
    if Category.EVENT in pair.categories:
        same_identifier = bool(_identifiers(first) & _identifiers(second))
        return same_identifier or bool(_SCHEDULED.search(first) and _SCHEDULED.search(second))
    if Category.TASK in pair.categories:
        return False
    return bool(pair.things and kin_of(pair.a.subject)) or bool(_MEASURED.search(first) and _MEASURED.search(second))


def _dated_readings(pair: _Pair) -> bool:
    """Measurements of different days: both stay."""
    readings = _ABOUT_A_READING.search(pair.a.view) and _ABOUT_A_READING.search(pair.b.view)
    return bool(readings) and pair.a.numbers != pair.b.numbers and Category.EVENT in pair.categories


def _same_subject(a: Facets, b: Facets) -> bool:
    """Whether both may speak of the same one.

    The user and the user's own team count as one, and so does whoever the other statement at least mentions: "I have a
    dog" and "my dog is called Rufus". A person in a role ("my manager is...") is a thing of the user's.
    """
    first, second = kin_of(a.subject), kin_of(b.subject)
    if first == second:
        return True
    if first and second:
        return False
    named, other = (a, b) if first else (b, a)
    return kin_mentioned(named.subject, other.view)


def _contrasted(a: Facets, b: Facets) -> bool:
    """Two of a kind named apart before anything is said of them: building A and B, left and right eye."""
    for group in _CONTRASTS:
        ours, theirs = set(group.findall(a.view)), set(group.findall(b.view))
        if ours and theirs and not ours & theirs:
            return True
    for first in _CLASS_BEFORE.finditer(a.view):
        if _IN_VALUE.search(a.view[: first.start()]):
            continue
        for second in _CLASS_BEFORE.finditer(b.view):
            if first[2] == second[2] and first[1] != second[1] and not _IN_VALUE.search(b.view[: second.start()]):
                return first[0] not in b.view and not _CLASS_WORDS_IN_VALUE.search(b.view[: second.start()])
    return False


def _identifiers(view: str) -> frozenset[str]:
    return frozenset(_ID_LEAD.findall(view))


def _other_identifier(a: Facets, b: Facets) -> bool:
    """Orders, parcels, flights... with different numbers."""
    first, second = _identifiers(a.view), _identifiers(b.view)
    return bool(first and second) and not first & second


def _other_named_thing(pair: _Pair) -> bool:
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
        return not _SAID_OF.search(_before(b, b_from)) and not _SAID_OF.search(_before(a, a_from))
    return False


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


def _substituted(pair: _Pair) -> bool:
    """Whether one content word stands in the place of another. Moved words are no substitution."""
    ours, theirs = set(pair.a.words), set(pair.b.words)
    for kind, a_from, a_to, b_from, b_to in pair.codes:
        moved = set(pair.a.words[a_from:a_to]) <= theirs or set(pair.b.words[b_from:b_to]) <= ours
        if kind == "replace" and not moved:
            return True
    return bool(ours - theirs) and bool(theirs - ours)


def _topic_differs(pair: _Pair) -> bool:
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
