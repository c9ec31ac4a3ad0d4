"""Whom a statement is about: "user", "world", or "other:<who>"."""

import re

from engine.cue_words import KIN_EN, KIN_ZH
from engine.same_words import word_set
from engine.signs import Signs

_KIN_ZH = re.compile(
    rf"(?:我|咱|俺|我们|我家|咱家|用户|使用者)(?:的|家|们)?(?:那个|这个)?((?:大|小|二|三|前|新|老|同桌|高中|"
    rf"大学)?(?:{KIN_ZH}))(?!家|们的)([\u4e00-\u9fff]{{0,3}}?|"
    rf"[a-z]{{2,12}})(?=[是的在有叫不最也都爱喜对只会住说要姓属开养得想碰吃穿用生今明昨发从每总经一很把给去学做换搬"
    rf"了过,， ]|"
    rf"$)"
)
_KIN_START_ZH = re.compile(
    rf"^((?:大|小|二|"
    rf"三)?(?:{KIN_ZH}))(?=[是的在有叫不最也都爱喜对只会住说要姓属开养得想碰吃穿用生发从每总经学做换搬])"
)
_KIN_EN = re.compile(
    rf"\b(?:my|our|the user's|user's|an?)(?: (?:school|college|old|close|good|older|younger|big|little|elder|"
    rf"eldest|youngest|twin|best|new|ex|late|oldest|step|"
    rf"half))*[ -]((?:{KIN_EN}))\b(?! and i\b)(?:'s)?(?:,? (?!is\b|was\b|has\b|and\b|who\b|does\b|can\b|loves?\b|"
    rf"hates?\b|likes?\b|goes\b|lives?\b|works?\b|takes?\b|gets?\b|may\b|might\b|carries\b|runs?\b|plays?\b|"
    rf"[a-z]+s\b)([a-z]{{2,14}}))?"
)
_KIN_ANY_ZH = re.compile(
    rf"((?:高中|大学|小学)?(?:{KIN_ZH}))(?=[在有叫不最也都爱喜住要姓开养得想吃穿用生发从每总结去离考生搬出])"
)
_TEAM = (
    r"我们(?!家)(组|部门|公司|团队|单位|项目|学校|班|校队|小区|店|厂|院|村|楼|sdk|api|ci|default|的 ?(sdk|api|ci|"
    r"项目|库|服务))|咱们?(组|部门|公司|团队|单位|项目)|^(公司|项目|团队|部门|后端|前端|接口|线上|办公室|周会|例会|"
    r"食堂|仓库)|\b(our|the) (team|company|office|school|project|repo|board|department|warehouse|shop|api|service|"
    r"app|staging|prod\w*|build|branch\w*|database|sprint|stand-?up|class|club)\b|\bstaging\b|\bprod\b|\bbranch\w*|"
    r"\bapi\b"
)
_LEADING_NAME = re.compile(
    r"^([A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?)(?:'s)? (?:is|was|has|lives|works|likes|loves|hates|prefers|naps|"
    r"carries|goes|takes|wants|needs|can't|doesn't|never|always|only|eats|drinks|plays|teaches|runs|owns|moved|"
    r"speaks)\b"
)
_NOT_NAMES = word_set(
    "The This That There Here It He She They We You What Who How My Our Your His Her Their If When Please Monday "
    "Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September "
    "October November December Gym Rent Dinner Lunch Work School Office Red Correction Today Yesterday Everything "
    "Nothing Everyone"
)
_THIRD_ZH = re.compile(
    r"^(老|小|阿)?([\u4e00-\u9fff])(?:姐|哥|总|工|经理|老师|大夫|医生|律师|师傅|阿姨|"
    r"叔)(?=[是的在有叫不最也都爱喜对只会住说要开])|^(他|她)(?=[是的在有叫不最也都爱喜对只会住说要])|"
    r"新来的([\u4e00-\u9fff]{2,6}?)姓"
)


_SHOWN = Signs(
    {
        "kin": _KIN_ZH.pattern,
        "kin first": _KIN_START_ZH.pattern,
        "any kin": _KIN_ANY_ZH.pattern,
        "english kin": _KIN_EN.pattern,
        "third": _THIRD_ZH.pattern,
        "team": _TEAM,
    }
)


def subject_of(original: str, view: str) -> str:
    """Whom a statement is about. `view` is the folded view of `original`; capitals are read from the original."""
    view = view[:400]
    shown = _SHOWN.found_in(view)
    kin = _KIN_ZH.search(view) if "kin" in shown else None
    kin = kin or (_KIN_START_ZH.search(view) if "kin first" in shown else None)
    if kin is not None and not _self_first(view, kin.start()):
        return "other:" + kin[1]
    kin = _KIN_ANY_ZH.search(view) if "any kin" in shown else None
    if kin is not None and not re.search("我|咱|家里", view[: kin.start()]):
        return "other:" + kin[1]
    kin = _KIN_EN.search(view) if "english kin" in shown else None
    if kin is not None and not _self_first(view, kin.start()):
        return "other:" + kin[1]
    name = _LEADING_NAME.match(original)
    if name is not None and name[1].split()[0] not in _NOT_NAMES:
        return "other:" + name[1]
    third = _THIRD_ZH.search(view) if "third" in shown else None
    if third is not None:
        return "other:" + (third[4] or third[0])
    if "team" in shown:
        return "world"
    return "user"


def _self_first(view: str, kin_at: int) -> bool:
    """Whether the statement is about the user and the relative only takes part ("I live with my parents")."""
    before = view[:kin_at]
    return bool(re.search(r"我|咱|\b(i|i'm|im|i've|ive|i'll|i'd|we)\b", before))
