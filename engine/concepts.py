"""Matters of a life that people ask not to be reminded of, each with its words in Chinese and English.

Static vectors tell most topics apart across the two languages, but not what one small word turns round: "前女友" lies
as near to "girlfriend" as to "ex-girlfriend". A topic that is made of these matters alone is compared by them: a text
is about it when it holds all of them. Everything else is left to `engine.topics`.
"""

import re

from engine.facets import content_words

_WORDS: dict[str, str] = {
    "ex": (
        r"前(?:女友|男友|任|夫|妻|女朋友|男朋友|对象|度)|旧爱|\bmy ex\b|\bex(?:es)?\b(?!-)|"
        r"\bex-(?:wife|husband|girlfriend|boyfriend|partner)\b|"
        r"\bformer (?:wife|husband|girlfriend|boyfriend|partner)\b"
    ),
    "girlfriend": r"女友|女朋友|\bgirlfriend\b",
    "boyfriend": r"男友|男朋友|\bboyfriend\b",
    "wife": r"前妻|妻子|老婆|太太|媳妇|\bwife\b",
    "husband": r"前夫|丈夫|老公|\bhusband\b",
    "divorce": r"离(?:了)?婚|\bdivorc\w+",
    "breakup": r"分(?:了)?手|失恋|\bbr(?:eak|oke|eaking|oken)[- ]?up\b|\bsplit up\b|\bdumped\b",
    "affair": r"出轨|外遇|婚外情|小三|\bcheated on\b|\b(?:an|the|my|his|her) affair\b|\binfidelity\b",
    "wedding": r"婚礼|\bwedding\b",
    "engagement": r"订婚|\bengaged\b|\bengagement\b",
    "miscarriage": r"流产|小产|没保住孩子|\bmiscarr\w+|\blost (?:the|our|my) baby\b|\bstill ?birth\b",
    "abortion": r"堕胎|打胎|人流|\babort(?:ion|ed)\b",
    "infertility": r"不孕|不育|试管|\binfertil\w+|\bivf\b",
    "death": (
        r"去世|过世|离世|逝世|病逝|死(?:了|去|亡)|走了(?!路)|\bdied\b|\bdeath\b|\bpassed away\b|\bdead\b|"
        r"\blost my (?:mother|father|mum|mom|dad|son|daughter|wife|husband|brother|sister|dog|cat)\b"
    ),
    "funeral": r"葬礼|追悼会|丧事|\bfuneral\b|\bburial\b",
    "suicide": r"自杀|轻生|\bsuicid\w+|\bkilled (?:him|her)self\b",
    "illness": (
        r"(?<!看|治)病|癌|化疗|放疗|住院|手术|肿瘤|\bill(?:ness)?\b|\bsick(?:ness)?\b|\bcancer\b|\bchemo\w*|\bhospital\b|"
        r"\bsurgery\b|\btumou?r\b|\bdisease\b|\bdiagnos\w+"
    ),
    "cancer": r"癌|肿瘤|化疗|\bcancer\b|\bchemo\w*|\btumou?r\b",
    "depression": r"抑郁|忧郁症|\bdepress(?:ion|ed)\b|\bantidepressants?\b",
    "anxiety": r"焦虑|\banxi(?:ety|ous)\b",
    "weight": r"体重|多重|发胖|胖了|减肥|\bweigh(?:t|s|ed)?\b|\bobes\w+|\boverweight\b",
    "accident": r"车祸|事故|\baccidents?\b|\b(?:car )?crash(?:ed)?\b",
    "layoff": (
        r"裁员|被裁(?:员|掉)?|裁掉|失业|炒鱿鱼|解雇|开除|\blaid off\b|\blay-?offs?\b|\bfired\b|\bredundan\w+|"
        r"\blost my job\b|\bunemploy\w+|\bsacked\b"
    ),
    "salary": (
        r"工资|薪水|薪资|月薪|年薪|收入|\bsalary\b|\bwages?\b|\bpay(?:check| ?slip)\b|\bi earn\b|"
        r"\bmy (?:pay|income|earnings)\b"
    ),
    "debt": r"欠(?:债|款|钱)|负债|债务|\bdebts?\b|\bowe\b",
    "bankruptcy": r"破产|\bbankrupt\w*",
    "gambling": r"赌|\bgambl\w+|\bbetting\b|\bcasinos?\b",
    "drugs": r"吸毒|毒品|毒瘾|\b(?:drug|substance) (?:use|abuse|addict\w+)\b|\baddict(?:ed|ion)?\b",
    "prison": r"坐牢|入狱|监狱|\bprison\b|\bjail\b",
    "exam": r"高考|考研|落榜|\b(?:college|university) entrance exam\b|\bgaokao\b",
    "bullying": r"霸凌|欺凌|被欺负|\bbull(?:y|ied|ying)\b",
    "abuse": r"家暴|虐待|侵犯|性侵|\babus(?:e|ed|ive)\b|\bassault\w*|\brape\w*",
    "mother": r"妈妈?|母亲|老妈|\bmo(?:ther|m|mmy)\b|\bmum\b",
    "father": r"爸爸?|父亲|老爸|\bfather\b|\bdad\b",
    "brother": r"哥哥?|弟弟?|兄弟|\bbrothers?\b",
    "sister": r"姐姐?|妹妹?|姐妹|\bsisters?\b",
    "son": r"儿子|\bson\b",
    "daughter": r"女儿|闺女|\bdaughter\b",
    "grandmother": r"奶奶|外婆|姥姥|祖母|\bgrand(?:mother|ma)\b|\bgran\b|\bnan\b",
    "grandfather": r"爷爷|外公|姥爷|祖父|\bgrand(?:father|pa|dad)\b",
    "younger": r"妹|弟|\b(?:younger|little) (?:sister|brother)",
    "older": r"姐|哥|\b(?:older|elder|big) (?:sister|brother)",
    "lawsuit": (
        r"官司|诉讼|起诉|开庭|被告|\blawsuit\b|\bsu(?:ed|ing)\b|\bcourt (?:case|hearing|date)\b|\blitigation\b"
    ),
    "baldness": r"秃[顶头]?|脱发|掉头发|头发.{0,3}掉|植发|\bbald(?:ing|ness)?\b|\bhair ?loss\b|\blosing my hair\b",
    "quarrel": (
        r"吵架|吵了|闹翻|矛盾|争吵|冷战|翻脸|\b(?:a|big|my|our) (?:fight|argument|quarrel|row) with\b|"
        r"\bargu(?:ed|ing)\b|\bquarrel\w*|\bfell out\b|\bfalling out\b"
    ),
    "cheating": r"作弊|\bcheat(?:ed|ing)\b(?! on\b)",
    "roommate": r"室友|舍友|合租|\broom ?mates?\b|\bflat ?mates?\b",
    "panic": r"惊恐|恐慌|\bpanic\b",
    "pregnancy": r"怀孕|\bpregnan\w+",
    "adoption": r"收养|领养|\badopt(?:ed|ion)\b",
    "orientation": (
        r"出柜|同性恋|性取向|\bsexual orientation\b|\b(?:i'm|i am|am) (?:gay|lesbian|bi(?:sexual)?|trans)\b|"
        r"\bcame out\b|\bcoming out\b"
    ),
    "robbery": r"被偷|被抢|失窃|抢劫|\bstolen\b|\brobbed\b|\bburgl\w+|\bmugg(?:ed|ing)\b",
    "scam": r"被骗|诈骗|受骗|\bscam\w*|\bdefraud\w*",
    "drinking": (
        r"喝酒|酗酒|喝醉|酒瘾|戒酒|\bdr(?:ink(?:s|ing)?|ank|unk)\b(?! (?:tea|coffee|water|milk|juice))|\balcohol\w*"
    ),
}
CONCEPTS = {name: re.compile(words) for name, words in _WORDS.items()}
_ANY = re.compile("|".join(f"(?:{words})" for words in _WORDS.values()))
_PARTNERS = frozenset({"girlfriend", "boyfriend", "wife", "husband"})
_AGES = frozenset({"younger", "older"})
_IDLE = re.compile(
    r"我们?的?|的|了|那个|那些|那次|考试|事情?|公司|失利|失败"
    r"|\b(?:my|our|the|that|of|about|with|is|was|got|had|being|company|attacks?|fail(?:ed|ing)?)\b|'s\b"
)


def concepts_in(view: str) -> frozenset[str]:
    """The matters that a folded view mentions."""
    if not _ANY.search(view):
        return frozenset()
    return frozenset(name for name, words in CONCEPTS.items() if words.search(view))


def all_in(topic: frozenset[str], text: frozenset[str]) -> bool:
    """Whether a text mentions all matters of a topic. "My ex" may be any partner, a "sister" a younger or an older."""
    wanted = topic
    if "ex" in topic and not text & _PARTNERS:
        wanted = wanted - _PARTNERS
    if not text & _AGES:
        wanted = wanted - _AGES
    return bool(wanted) and wanted <= text


def left_without_concepts(view: str, values: frozenset[str]) -> bool:
    """Whether a folded view says more than these matters and some names or numbers."""
    rest = _ANY.sub(" ", view)
    for value in values:
        rest = rest.replace(value, " ")
    return bool(content_words(_IDLE.sub(" ", rest)))
