"""Where a statement belongs: its category, its tier, and when it happens."""

import re
from collections.abc import Mapping

from engine.memory import Category, Tier

_LASTING = frozenset({"health", "identity", "like", "habit", "standing", "number", "kin", "possess"})
_TRANSACTION = re.compile(
    r"单号|订单|快递|运单|取件|包裹|预订号|订座号|流水号|报修|工单号|挂号|受理号|案件编号|座位|航班|车次|\b(order|"
    r"tracking|booking|confirmation|case|ticket|ref(erence)?|invoice|claim|parcel|flight|seat|"
    r"gate)\b.{0,12}(number|no|id|ref|code|is|:|#)|\b(order|parcel|case|ticket|booking)\b [a-z]*\d"
)
_TO_AGENT = re.compile(
    r"我|帮|你|\b(me|my|i|we|us|you|your)\b|^(always|never|don't|please|use|keep|give|show|send|call|assume|reply|"
    r"answer|any ?time|every ?time|from now on|stop|switch)|推荐|回答|回复|报|写|发|提醒|安排|订|查|算|先|要|按|用"
)
_ORGANISATION = re.compile(
    r"我们(组|部门|公司|团队|单位|项目|学校|的)|公司|团队|部门|项目|后端|前端|接口|代码|分支|数据库|api|仓库|线上|"
    r"生产|测试|prod|staging|\b(board|policy|company|team|office|every visitor|staff|employees|branch\w*|repo|"
    r"deploy\w*|code|service|database|here)\b|规定|政策|制度"
)
_REQUESTS = re.compile(r"给我|帮我|叫我|称呼我|提醒我|跟我|对我|推荐|\b(me|for me|my)\b")
RULE_WEIGHT = 0.3
_DIET = re.compile(r"吃.{0,3}素|素食|不能吃辣|清真|vegan|vegetarian|pescatarian|halal|kosher")
_ALLERGY = re.compile(
    r"过敏|allerg|不耐|intoleran|起疹|红肿|swell|\brash\b|hives|哮喘|asthma|能喘|就(喘|痒|吐|肿|晕)|会晕"
)


def category_of(view: str, cues: frozenset[str], chances: Mapping[str, float], *, for_task: bool) -> Category:
    """The kind of a statement of the folded view, from its cues. `for_task`: it only serves the current task."""
    if for_task:
        return Category.TASK
    if _ALLERGY.search(view):
        return Category.FACT
    return Category(max(chances, key=lambda name: chances[name] + RULE_WEIGHT * (name == by_rules(view, cues))))


def by_rules(view: str, cues: frozenset[str]) -> Category:
    """The kind that the order of the cues suggests."""
    if "standing" in cues:
        return _standing(view, cues)
    done = "deal" in cues and "past" in cues and "future" not in cues
    if "todo" in cues and not cues & {"habit", "health"} and not done:
        return Category.TASK
    if ("like" in cues or _DIET.search(view)) and "milestone" not in cues:
        return Category.PREFERENCE
    if _happens(view, cues):
        return Category.EVENT
    return Category.FACT


def _standing(view: str, cues: frozenset[str]) -> Category:
    """A standing order to the agent is a preference; a rule of an organisation is a fact."""
    if _REQUESTS.search(view) or "like" in cues:
        return Category.PREFERENCE
    if _ORGANISATION.search(view) and "rule" in cues:
        return Category.FACT
    if {"habit", "identity"} & cues and not re.search("以后|一律|from now|always|never|务必|every time", view):
        return Category.FACT
    return Category.PREFERENCE if _TO_AGENT.search(view) else Category.FACT


def _happens(view: str, cues: frozenset[str]) -> bool:
    """Whether it is a happening: a milestone or deal with a sign of when, or a dated plan."""
    if "habit" in cues or ("number" in cues and _TRANSACTION.search(view) and "deal" not in cues):
        return False
    if "milestone" in cues and cues & {"past", "day"}:
        return "day" in cues or bool(
            re.search(r"领证|结婚|生了|出生|毕业|去世|过世|获奖|\b(married|born|graduated|died|engaged)\b", view)
        )
    if "deal" in cues and cues & {"past", "day"}:
        return bool(cues & {"day"}) or "change" not in cues
    return "day" in cues and bool(cues & {"future", "past", "plan", "deal"}) and not cues & {"rule"}


def tier_of(view: str, category: Category, cues: frozenset[str], *, for_task: bool) -> Tier:
    """Semantic for what lasts, episodic for happenings, to-dos and numbers of one transaction, working for the task."""
    if for_task:
        return Tier.WORKING
    if category in (Category.EVENT, Category.TASK):
        return Tier.EPISODIC
    if category is Category.FACT and _TRANSACTION.search(view) and "own" not in cues:
        return Tier.EPISODIC
    return Tier.SEMANTIC


def serves_task_only(cues: frozenset[str], task: str) -> bool:
    """Whether a statement made during a task is about that task and nothing that lasts."""
    return bool(task) and not cues & _LASTING
