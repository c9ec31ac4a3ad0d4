"""One word for one thing, for comparing statements: Taiwan and the mainland, everyday synonyms, kinship.

`one_word` is applied to the folded view, where Traditional characters are Simplified already.
"""

import re

from engine.stems import stem

_SAME = """
计程车=出租车; 的士=出租车; 印表机=打印机; 列印=打印; 影印=复印; 网路=网络; 软体=软件; 硬体=硬件; 萤幕=屏幕;
滑鼠=鼠标; 随身碟=u盘; 硬碟=硬盘; 资料库=数据库; 伺服器=服务器; 程式=程序; 捷运=地铁; 公车=公交车; 巴士=公交车;
脚踏车=自行车; 单车=自行车; 机车=摩托车; 冷气=空调; 便当=盒饭; 马铃薯=土豆; 洋芋=土豆; 番茄=西红柿; 凤梨=菠萝;
奇异果=猕猴桃; 酪梨=牛油果; 幼稚园=幼儿园; 国小=小学; 国中=初中; 品质=质量; 资讯=信息; 讯息=消息; 简讯=短信;
行动电话=手机; 固定电话=座机; 市话=座机; 电邮=邮箱; 信箱=邮箱; 礼拜=周; 星期=周; 爸爸=爸; 妈妈=妈; 老爸=爸;
老妈=妈; 父亲=爸; 母亲=妈; 妻子=老婆; 太太=老婆; 媳妇=老婆; 爱人=老婆; 丈夫=老公; 先生=老公; 闺女=女儿;
使用者=用户; 半个小时=30分钟; 半小时=30分钟; 一刻钟=15分钟; 一个人住=独居; 热爱=喜欢; 喜爱=喜欢; 爱吃=喜欢吃;
爱喝=喜欢喝; 爱看=喜欢看; 爱听=喜欢听; 爱玩=喜欢玩; 讨厌=不喜欢; 上班=工作; 妹妹=妹; 姐姐=姐; 哥哥=哥; 弟弟=弟;
天天=每天; 每逢=一到; 搭=坐; 吸烟=抽烟; 睡不好=睡眠不好; living on my own=live alone; on my own=alone;
half an hour=30 minutes; half hour=30 minutes; a quarter of an hour=15 minutes
"""
_SAME_STEMS = """
allergic=allergy; allergies=allergy; love=like; enjoy=like; adore=like; hate=dislike; loathe=dislike; working=job;
work=job; named=call; name=call; car=vehicle; flat=apartment; kid=child; children=child
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    found = (pair.split("=") for pair in re.split(r"[;\n]", text) if "=" in pair)
    return [(word.strip(), same.strip()) for word, same in found]


_WORDS = tuple(_pairs(_SAME))
_STEMS = {stem(word): stem(same) for word, same in _pairs(_SAME_STEMS)}


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as plain text."""
    return frozenset(text.split())


def one_word(view: str) -> str:
    """The view with each synonym replaced by the word that stands for its group."""
    for word, same in _WORDS:
        if word in view:
            view = view.replace(word, same)
    return view


def same_stem(word: str) -> str:
    """The stem that stands for a group of English words."""
    found = stem(word)
    return _STEMS.get(found, found)
