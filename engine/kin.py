"""Who a subject is across both languages, so that "my sister" and "我妹妹" can be told from the user.

People in a role ("my manager", "the dentist") are a thing of the user's, like a phone number: another name for the
manager replaces the first.
"""

import re

_RELATIONS = """
mother=妈妈|老妈|母亲|妈|mum|mom|mother
father=爸爸|老爸|父亲|爸|dad|father
parents=爸妈|父母|parents?
wife=老婆|妻子|太太|媳妇|爱人|wife
husband=老公|丈夫|先生|husband
partner=对象|伴侣|男友|男朋友|女友|女朋友|未婚夫|未婚妻|partner|spouse|girlfriend|boyfriend
daughter=女儿|闺女|daughter
son=儿子|son
child=孩子|宝宝|小孩|娃|kids?|child(ren)?|baby|toddler
sister=姐姐|妹妹|姐|妹|sisters?
brother=哥哥|弟弟|哥|弟|brothers?
grandmother=奶奶|外婆|姥姥|grandma|grandmother|gran|nan
grandfather=爷爷|外公|姥爷|grandpa|grandfather
friend=朋友|闺蜜|发小|friend|mate
colleague=同事|colleague|coworker
flatmate=室友|舍友|同屋|flatmate|roommate|housemate
dog=狗|dog|puppy
cat=猫|cat|kitten
"""
_ROLES = (
    "老板|上司|领导|经理|主管|组长|导师|老师|教练|医生|房东|助理|律师|boss|leader|manager|supervisor|teacher|coach|doctor|"
    "dentist|landlord|landlady|assistant|client|mentor|team lead|neighbou?r"
)
_ROLE = "role"


def _both_languages(words: str) -> str:
    """A pattern of alternatives in which English words stand alone."""
    return "|".join(rf"\b(?:{word})\b" if word[0].isascii() else word for word in words.split("|"))


_WORDS = {line.partition("=")[0]: line.partition("=")[2] for line in _RELATIONS.split()} | {_ROLE: _ROLES}
_RELATION_OF = tuple((name, re.compile(rf"^(?:大|小|二|三|老)?(?:{words})$")) for name, words in _WORDS.items())
_MENTION_OF = {name: re.compile(_both_languages(words)) for name, words in _WORDS.items()}


def kin_of(subject: str) -> str:
    """Which other being a subject is; empty for the user, the world, and people named by what they are to the user."""
    if not subject.startswith("other:"):
        return ""
    who = subject.removeprefix("other:").lower()
    name = next((name for name, pattern in _RELATION_OF if pattern.match(who)), who)
    if name == _ROLE:
        return ""
    size = re.match("[大小二三]", who)
    return (size[0] if size else "") + name


def kin_mentioned(subject: str, view: str) -> bool:
    """Whether a text of the folded view at least mentions who a subject is."""
    who = subject.removeprefix("other:").lower()
    pattern = _MENTION_OF.get(kin_of(subject).lstrip("大小二三"))
    return who in view or (pattern is not None and bool(pattern.search(view)))
