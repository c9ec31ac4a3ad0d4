"""What must agree before two statements may be taken for one: numbers, codes, days, names, polarity, subject.

No similarity of vectors separates duplicates from look-alikes ("order 440917" and "order 440971" have a cosine of
0.93), so these are read from the words. Everything works on the folded view, with words of Taiwan and the mainland
made one and counted words (两, two, half an hour) turned into digits.
"""

import re
from dataclasses import dataclass

from engine.clauses import folded
from engine.stems import stem
from engine.subject import subject_of

_READ_CHARS = 600
_SAME_WORDS = (
    ("计程车", "出租车"), ("的士", "出租车"), ("印表机", "打印机"), ("列印", "打印"), ("影印", "复印"), ("网路", "网络"), ("软体", "软件"), ("硬体", "硬件"),
    ("萤幕", "屏幕"), ("滑鼠", "鼠标"), ("随身碟", "u盘"), ("硬碟", "硬盘"), ("资料库", "数据库"), ("伺服器", "服务器"), ("程式", "程序"), ("网站", "网站"),
    ("捷运", "地铁"), ("公车", "公交车"), ("巴士", "公交车"), ("脚踏车", "自行车"), ("单车", "自行车"), ("机车", "摩托车"), ("冷气", "空调"), ("冰箱", "冰箱"),
    ("便当", "盒饭"), ("马铃薯", "土豆"), ("洋芋", "土豆"), ("番茄", "西红柿"), ("凤梨", "菠萝"), ("奇异果", "猕猴桃"), ("花生酱", "花生酱"), ("酪梨", "牛油果"),
    ("幼稚园", "幼儿园"), ("国小", "小学"), ("国中", "初中"), ("品质", "质量"), ("资讯", "信息"), ("讯息", "消息"), ("简讯", "短信"), ("行动电话", "手机"),
    ("固定电话", "座机"), ("市话", "座机"), ("电邮", "邮箱"), ("信箱", "邮箱"), ("礼拜", "周"), ("星期", "周"), ("爸爸", "爸"), ("妈妈", "妈"), ("老爸", "爸"), ("老妈", "妈"),
    ("父亲", "爸"), ("母亲", "妈"), ("妻子", "老婆"), ("太太", "老婆"), ("媳妇", "老婆"), ("爱人", "老婆"), ("丈夫", "老公"), ("先生", "老公"), ("闺女", "女儿"), ("使用者", "用户"),
    ("半个小时", "30分钟"), ("半小时", "30分钟"), ("一刻钟", "15分钟"), ("分机", "分机"), ("一个人住", "独居"), ("吉他", "吉他"), ("面试", "面试"), ("口试", "口试"),
    ("living on my own", "live alone"), ("on my own", "alone"), ("half an hour", "30 minutes"), ("half hour", "30 minutes"), ("a quarter of an hour", "15 minutes"), ("for a living", "work"),
)
_DIGIT_ZH = {c: str(i) for i, c in enumerate("零一二三四五六七八九")} | {"两": "2", "〇": "0"}
_COUNT_ZH = re.compile(r"([一二三四五六七八九十两百千]{1,5})(?=[点号月日年层楼栋座室组班个只条辆台套间位人名杯片粒颗瓶次遍回倍斤公克千万百元块岁码度级期届等门路院天周份张支口双对分小秒]|$)|(?<=[周第])([一二三四五六日天])|(?<=[每约])([一二三四五六七八九十两]{1,3})(?=[万千百])")
_COUNT_EN = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
    "eleven": "11", "twelve": "12", "noon": "12:00", "midnight": "0:00",
}
_WORDS_EN = re.compile(r"\b(" + "|".join(_COUNT_EN) + r")\b")
_NUMBER = re.compile(r"[a-z]{0,6}[-·]?\d[\da-z]*(?:[.:,/·-]\d[\da-z]*)*")
_DAY_WORD = re.compile(r"周[一二三四五六日天末\d]|上午|下午|早上|晚上|中午|凌晨|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:am|pm)\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:morning|afternoon|evening)s?\b")
_NOT_ZH = re.compile(r"(?<!要)(?<!是)(?<!会)(?<!能)(?<!好)(?<!对)不(?!同|错|断|仅|但|过|管|论|得不|如|久|少|客气|是不|不)|没(?!准|事|错)|(?<![了])无(?!论|锡|线|糖|人机|名)|非(?!常|洲)|未(?!来|婚|必)|别(?!的|人|墅|针)|戒(?:了|掉)?|停(?:了|掉|用)|取消|退掉|过期")
_DOUBLE_NOT_ZH = re.compile(r"不是不|不得不|没有不|并非不|不会不|不能不|无不")
_NOT_EN = re.compile(r"\b(?:not|no|never|none|nothing|nobody|without|neither|nor|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|cannot|couldn't|won't|wouldn't|haven't|hasn't|hadn't|stopped|quit|gave up|off|no longer|any ?more|anymore|unable|lost)\b")
_NAME = re.compile(r"(?<![.!?。] )(?<!^)\b[A-Z][a-zA-Z]{1,20}\b|\b[A-Z]{2,}[a-zA-Z]*\b")
_NOT_NAMES = frozenset("I I'm I've I'll I'd My The A An It He She We You They This That".split())
_FUNCTION_ZH = frozenset("的了是在就也都很把被个和跟与到给上里吧呢吗呀啊着过得地之其这那我你他她它们家还又最已经再又会要去来用说有为从只挺真太对每条位名些什么样现改换成搬不没中")
_STOP_EN = frozenset(
    "a an the is are was were be been being am i i'm i've i'd i'll my mine me we we're our us it its it's that this these those of to in on at for with by from as and or but so if then "
    "do does did have has had got get gets will would can could just really very also too now there here he she his her they their them who which what how when where please some any all "
    "not no don't doesn't isn't aren't can't over up out off back again still always".split()
)
_TOKEN = re.compile(r"[a-z][a-z'-]*[a-z]|[a-z]|[\u4e00-\u9fff]|\d[\d.:,/-]*")


@dataclass(frozen=True, slots=True)
class Facets:
    """What a statement holds that another must share to be the same. `words` are content tokens, in order."""

    view: str
    words: tuple[str, ...]
    numbers: frozenset[str]
    days: frozenset[str]
    names: frozenset[str]
    negative: bool
    subject: str
    chinese: bool


def facets_of(text: str) -> Facets:
    """Read the facets of a text; only its first 600 characters count."""
    text = text[:_READ_CHARS]
    original = folded(text)
    view = counted(original)
    chinese = bool(re.search("[\u4e00-\u9fff]", view))
    numbers = frozenset(number.rstrip(".,:/-") for number in _NUMBER.findall(view) if any(c.isdigit() for c in number))
    return Facets(
        view=view, words=content_words(view), numbers=numbers, days=frozenset(_DAY_WORD.findall(view)),
        names=frozenset(name.lower() for name in _NAME.findall(text) if name not in _NOT_NAMES), negative=is_negative(original),
        subject=subject_of(text, original), chinese=chinese,
    )


def counted(view: str) -> str:
    """One word for one thing, and digits for counting words: "两只" and "2只" read alike."""
    for word, same in _SAME_WORDS:
        if word in view:
            view = view.replace(word, same)
    view = _COUNT_ZH.sub(lambda match: _digits_zh(match[0]), view)
    return _WORDS_EN.sub(lambda match: _COUNT_EN[match[0]], view)


def _digits_zh(word: str) -> str:
    if word in ("日", "天"):
        return "7"
    if any(unit in word for unit in "百千") or not word:
        return word
    tens, ten, ones = word.partition("十")
    if not ten:
        return "".join(_DIGIT_ZH.get(c, c) for c in word)
    return (_DIGIT_ZH.get(tens, "") if tens else "1") + (_DIGIT_ZH.get(ones, "") if ones else "0")


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
            found.append(stem(token.removesuffix("'s")) if token[0].isalpha() else token.rstrip(".,:/-"))
    return tuple(found)


def overlap(first: Facets, second: Facets) -> float:
    """Share of content words in common (Dice), 0-1."""
    a, b = set(first.words), set(second.words)
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def contained(inner: Facets, outer: Facets) -> float:
    """Share of the inner statement's content words that the outer one has, 0-1."""
    words = set(inner.words)
    return len(words & set(outer.words)) / len(words) if words else 0.0
