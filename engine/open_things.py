"""Questions about what is still open, and statements that only say that something no longer is.

"What is left on my list?" shares its words with "that is off my list": by meaning and by word the one looks like the
best answer to the other, and is none. Such a statement stays findable by every other question.
"""

import re

from engine.clauses import folded

_ASKS = re.compile(
    r"(还|剩|尚).{0,4}(有|剩|差|没).{0,4}(什么|哪些|啥|多少|几).{0,6}(事|任务|待办|工作|活|要做|没做|没办|未完成)|"
    r"待办(事项|清单|列表)?(上|里|中)?(还)?(有|剩|都)?.{0,3}(什么|哪些|啥|是)|(什么|哪些|啥).{0,6}(待办|没(做|办|完成|弄)|"
    r"未完成|要做的(事|任务)?)|(要|该|得|需要)(做|办|完成)(什么|哪些|啥)|"
    r"\b(to-?do(s| list)?|tasks?|errands?|chores?|action items?|things?)\b.{0,24}\b(remain(s|ing)?|left|pending|open|"
    r"outstanding|due|still|upcoming|have i got|do i have|on my (list|plate))\b|"
    r"\b(remain(s|ing)?|left|pending|open|outstanding|unfinished|upcoming)\b.{0,24}\b(to-?dos?|tasks?|errands?|"
    r"chores?|action items?|on my (to-?do )?list)\b|\bwhat('s| is| are)?\b.{0,16}\b(on|in) my (to-?do|task) list\b|"
    r"\bwhat (do|should|must) i (still |yet )?(have|need)? ?(to )?(do|finish|get done|take care of)\b|"
    r"\bstill (have|need) to do\b"
)
_CLOSED = re.compile(
    r"(已经?|都|终于|刚刚?|总算).{0,12}(做完|完成|搞定|办好|办完|弄好|弄完|交了|处理(完|好)|写完|结束)|(做|办|弄|写|交|忙|"
    r"处理|准备)(完|好)了|(不用|不必|无需|不需要)(再)?(做|办|管|跟|记|提醒|处理|写|交|买|去|准备|弄|参加)|(从|在).{0,8}(清单|列表|待办)(上|里|中)?"
    r".{0,4}(删|去|划|移)(掉|除|去)|取消了|"
    r"\b(no longer|don't|do not|didn't|won't) (have to |need(ed)? to |need )?(track|do|plan|worry|attend|schedul|"
    r"prepar|review|book|buy|visit|renew|updat)\w*|\bno longer (need|have|track|plan)\w*|\b(i|we|i've|we've|have|has|"
    r"had|already|just|finally|actually|got)\b.{0,16}\b(finished|completed|wrapped up|crossed off|checked off|"
    r"took care of|taken care of|done with|submitted|attended)\b|\b(is|are|was|that's|it's|been|all)( \w+)? "
    r"(done|finished|completed?|taken care of|sorted|cancell?ed)\b|\b(remove|take|cross|scratch|strike)\b.{0,40}"
    r"\b(off|from)\b.{0,16}\blist\b|\bdone with\b|\bmark(ed)? .{1,40} (as )?(done|complete)"
)
_OPEN = re.compile(
    r"还(要|需|得|差|有|剩|没)|接下来|下一步|\b(still|also|next i|but i) (need|have|must|want)\b|"
    r"\b(remaining|left to do)\b"
)


def asks_for_open_things(query: str) -> bool:
    """Whether a question is after what is still to be done."""
    return _ASKS.search(folded(query[:400])) is not None


def only_closes(content: str) -> bool:
    """Whether a text says that something is done or dropped, and nothing of what is still to do."""
    view = folded(content[:400])
    return _CLOSED.search(view) is not None and _OPEN.search(view) is None
