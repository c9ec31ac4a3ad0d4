"""Whether a message calls for recall at all.

It does when it speaks of the past, points at something that is not in it, is about the user, or asks for something that
depends on them; or when the task changed. Small talk and questions about the world do not.

Rules only, so that a workflow can ask before every step. In doubt the answer is yes: a search costs a millisecond, a
forgotten allergy more. Rules that say no come first where a message carries its own material ("translate this: ...").
"""

import re

from engine.normalise import normalised_view
from engine.smalltalk import is_small_talk

# What is quoted or follows a colon is material to work on; pronouns in it point at nothing of ours.
_MATERIAL = re.compile(r"[:：].{6,}$|“[^”]*”|\"[^\"]*\"|「[^」]*」|《[^》]*》", re.DOTALL)
_PAST = re.compile(
    r"上次|上回|上一次|之前|以前|先前|从前|曾经|当时|那时|刚才|刚刚|昨天|前天|前几天|上周|上个?月|去年|前年|上学期|后来|来着|记得|忘了|提过|说过|聊到|约定"
    r"|继续上|接着(?!说$)|老样子|老规矩|照旧|照常|一样的|跟.{0,6}一样|还是那|再来一|又"
    r"|\b(last (time|week|month|year|night|summer|winter|spring|fall|autumn)|yesterday|before|previous(ly)?|earlier|ago"
    r"|remember|remind|forg[eo]t|again|as usual|the usual|used to|same as|the same|left off|still on|told you|tell you"
    r"|mentioned|we (talked|decided|agreed|discussed)|where did|did (he|she|they|we|i)|have i|back then|so far)\b"
)
_POINTS_BACK = re.compile(
    r"上面的|换一个|下一个|另一个"
    r"|那个|那家|那件|那份|那位|那次|那本|那天|那些|这次|这件事|它|他|她|咱们|我们"
    r"|\b(it|he|she|they|him|her|them|those|these"
    r"|that (one|bug|cafe|place|contract|thing|project|person|book|email|file)"
    r"|this person|the other one|another one|there)\b"
)
_ABOUT_USER = re.compile(
    r"我(?!国|们国家)|本人|俺|咱|自我介绍"
    r"|\b(my|mine|i|i'm|i've|i'd|me|our|us|we)\b"
)
_DEPENDS_ON_USER = re.compile(
    r"推荐|建议|规划|旅行|旅游|天气|好看的|好玩|选哪|哪个好|适合|该不该|应该|礼物|吃什么|喝什么|穿什么|看什么|去哪|住哪|玩什么|附近|周边|计划|行程|安排|约|按老地址|"
    r"孩子|老婆|老公|老爸|老妈|女儿|儿子"
    r"|\b(recommend|suggest|should|which|choose|pick|book|plan|gift|near(by)?|dinner|lunch|breakfast|restaurant|hotel|trip"
    r"|good place|weather|weekend|tonight|diet)\b"
)
# Questions about the world and requests that carry everything they need. "How do I ..." asks for a method, not for me.
_SELF_CONTAINED = re.compile(
    r"^(请|帮我)?(解释|翻译|写一?[首个则篇]|讲个|列出|给出|介绍|定义|计算|换算|把.{0,40}(翻译|改得|换算|格式化))"
    r"|什么是|是什么意思|什么叫|的区别"
    r"|等于(几|多少)|(首都|作者|沸点|公式|光速)|几点了|^(如何|怎么)(?!样)"
    r"|^(please )?(explain|translate|write (a|an) (poem|story|fable|function|quicksort|haiku|joke|song|script)"
    r"|tell me a joke"
    r"|list|define|convert|compute|calculate|format|sort|state|describe|give an example|make this)\b"
    r"|\bwhat (is|are|does) (a|an|the (capital|boiling|difference|longest|word|meaning|speed)|[\d]+)\b"
    r"|^how (do|does|can|to|many|fast|tall|far|old)\b|^why (do|does|is|are)\b|\bwhat time is it\b"
)
# Who asks is not what is asked about: "tell me about black holes", "帮我写个函数".
_COURTESY = re.compile(
    r"请问|请|麻烦(你|您)?"
    r"|(你|您)?(可以|能不能|能)?(帮|给|替|告诉)我(讲讲|讲|说说|说|做|看看)?(?!的|妈|爸|儿|女|老)|我想(知道|了解|问一?下?)(?!我)"
    r"|\b(can|could|would|will) you( please)?( help me( to)?)?\b"
    r"|\b(tell|give|show|teach) me( about)?\b(?! (what|when|where)? ?(i|my)\b)"
    r"|\bi('d| would)? (want|like) to know\b|\bfor me\b|\bhelp me( to)?\b|\bplease\b"
)
_ONLY_WORK = re.compile(
    r"^(继续|下一步|好的?|行|可以|运行|开始吧|next( step)?|go ahead|continue|ok(ay)?|yes|sure)[。.!！]?$"
)


def recall_needed(text: str, task: str = "", previous_task: str = "") -> tuple[bool, str]:
    """Decide by rules, in Chinese and English. The word says which rule spoke."""
    if task and task != previous_task:
        return True, "task_switch"
    message = _MATERIAL.sub(" ", normalised_view(text)).strip()
    if not message or _ONLY_WORK.match(message) or is_small_talk(message):
        return False, "nothing_to_recall"
    if _PAST.search(message):
        return True, "past"
    message = _COURTESY.sub(" ", message).strip()
    if _SELF_CONTAINED.search(message) and not re.search(r"我的|\bmy\b", message):
        return False, "self_contained"
    if _POINTS_BACK.search(message):
        return True, "points_back"
    if _ABOUT_USER.search(message):
        return True, "about_user"
    if _DEPENDS_ON_USER.search(message):
        return True, "depends_on_user"
    return False, "nothing_to_recall"
