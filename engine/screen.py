"""What is turned away before it is scored: commands, confidences, fiction, jokes, pasted commands, momentary noise.

These judge a whole text; clause by clause reading is `engine.reading`. Order matters: an instruction by a stranger is
quarantined before anything else is asked, and small talk costs nothing.
"""

import re
from dataclasses import dataclass

from engine.clauses import folded
from engine.cues import cues_of
from engine.instructions import is_instruction
from engine.memory import Source
from engine.signs import Signs
from engine.smalltalk import is_small_talk

_SMALL_TALK_CHARS = 120
_READ_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a text goes no further. `outcome` is skipped or quarantined."""

    outcome: str
    rule: str


_OFF_RECORD = (
    r"就(咱|我们)(俩|两个?人?)知道|别(外传|往外说)|\bkeep (this|it) between us|"
    r"(别|不要|不用|不必|请勿|甭|先别)(把这|把这个|把它|帮我|给我)?(存|保存|记(?![错得着住])|记下|记录|留存|写进|"
    r"收录)(?!在|到|错)|随口(一)?说|就当(我)?没(说|听|看|讲)|私下(说|讲)|(说|讲)完就忘|不想(被|让你)?(记|存)|"
    r"\boff the record|\b(don't|do not|dont|no need to|please don't|never) (save|store|record|log|keep|memori[sz]e|"
    r"note|write) (this|that|it|any of|down|what)|not for the record|between (us|you and me)|not (worth|"
    r"to be) (saving|storing|saved|stored)|keep this (out|off)|isn't for saving|don't remember this"
)
_HIDE = (
    r"(说的|那段|那句).{0,8}当没说|(别|不要)扯|\bleave .{1,30} out of (it|this)|\bscratch (what|that|everything) i|"
    r"(别|不要|不想|不准|不许|莫|甭|勿|少|停止|拜托别)(再|老|总|一直|跟我|对我|给我|在我面前|"
    r"随便)*(提(?!醒我(?!.{0,8}(那|他|她|这))|前|供|示|交|高|问|取)|说起|说到|谈(到|起|论)|聊(到|起)?.{0,6}(了|$)|"
    r"讲(起|到)|翻(出来|旧)|念叨|问起|推送.{0,8}(他|她|前)|想起|显示.{0,6}(他|她|前))|.{0,12}(不要|别)再(提|说|讲|"
    r"问|聊)(了|$|啦|它|他|她|这|那|起|到)|(?<![别勿甭])(?<!不要)(?<!不能)(忘|删|抹|清)(掉|除|了|去)(你|我|关于|那|这|所有|之前|他|她|"
    r"有关).{0,30}|(把|将).{1,24}(删|忘|抹|清除|清空|移除)(掉|除|了|去)?|再也不(想|要)(听|提|看|聊)|不想再?(看|"
    r"听)(到|见)|(名字|那件事|那个人).{0,6}(别|不要)再?(出现|提)|忘(记|了|掉)(我)?(刚才|刚刚|之前|上次|说)|"
    r"帮我删(了|掉|除)|"
    r"not a word about|don't want to (see|hear) .{1,40} (again|any ?more)|\bcan you (delete|erase|remove|forget)|"
    r"\b(don't|do not|never|stop|please don't|let's never|let's not|quit|no need to) (ever |again |keep |"
    r"please )*(mention(ing)? (?!it$|it,)|bring(ing)? (it |that |him |her |this )?up|talk(ing)? (to me )?about|"
    r"remind(ing)? me (of|about)|ask(ing)? (me )?about|speak(ing)? of|refer(ring)? to|show(ing)? me (his|her|my ex|"
    r"photos))|"
    r"(^|[.!,;] ?|please |just |you can |better )forget (about|that i|what i|everything|anything|my |the (thing|"
    r"story|time|fact))|^(please |now |and )?(delete|erase|remove|wipe|scrub|purge) (my|what|everything|that|all|"
    r"the (old|memory|note|record)|any)|\b(delete|erase|remove|wipe) .{1,30}(from (your )?memory|"
    r"you (have )?(saved|stored|know))|drop the subject|no (more )?(mention|talk) of|off limits"
)
_FICTION = (
    r"(他|她|老板|朋友|同事|网友)(跟|对|和|告诉)我(说|讲)?:?[“「\"]|\b(he|she|they|someone) told me,?:? [\"“]|"
    r"^(翻译|translate|造句|改写|润色|朗读|拼写|paraphrase|rewrite|proofread)( this)?:|群里(发|说)|"
    r"模拟(一下)?.{1,8},?我是|(act|pose) as .{1,30}i'?m |\b(opening|first|last|closing) (line|sentence|"
    r"paragraph)\b|\bthe (line|title|slogan|caption) is\b|(小说|剧本|歌词|台词|剧里|电影里|书里|书中|漫画|角色|"
    r"范例|例句|例子|造句|广告|段子|转一?条|转发|引用|原文|题目|作文|童话|寓言|示例|样例|模板|文案|诗里|歌里|"
    r"朋友圈|微博|弹幕|评论区|帖子).{0,16}([“「:\"]|说[,，]|写道)|(主角|主人公|女主|男主|男一|女一|"
    r"反派).{0,24}([“「:\"]|说|是|住|叫|有)|(他|她|老板|朋友|网友|群友|有人|人家)(说|讲|写道|发来|"
    r"问):?[“「\"].{0,60}[”」\"]|角色扮演|你来?(扮|演)|我(来|们)?(扮演|演)|接下句|^[“「\"].{4,}[”」\"]$|"
    r"\b(the|my|a|this) (narrator|character|hero|heroine|protagonist|villain|lyrics?|lyric|song|poem|quote|line|"
    r"slogan|ad|poster|movie|novel|script|screenplay|example|sample|template) (says?|said|goes|reads?|works|:)|"
    r"\b(narrator|main character|hero|heroine|protagonist|villain) (is|was|lives|has)|\bin (the|my|this|a) (novel|"
    r"book|film|song|play|story|movie|script|poem|sketch|scene|game|dream|chapter)\b.{0,30}([\"“:]|\bsays?\b|"
    r"narrator|character)|role-?play|let's play|in character|\blyrics?:|complete the (line|lyric|sentence)|^quote:|"
    r"\b(example|sample) sentence|\b(he|she|they|someone|the ad|the poster|a guy|a post|post|tweet|comment|sign|"
    r"t-shirt)( \w+)? (said|says|saying|wrote|goes|posted|shouted|reads),?:? [\"“]|forwarded (message|from)|"
    r"copied from|sample (cv|resume|letter|text)|once upon a time"
)
_JOKE_HARD = (
    "开玩笑|我是(秦始皇|奥特曼|超人|玉皇大帝|皇帝|国王|上帝|蝙蝠侠|钢铁侠|孙悟空)|\\bi'?m (batman|superman|"
    "spider-?man|god|santa|napoleon|the (king|queen|president|pope|emperor) of)|next life|past life|下辈子|上辈子|"
    "逗你|骗你的|玩笑话|皮一下|just kidding|\\bjk\\b|\\bkidding\\b|joking|just messing|pulling your leg|"
    "world domination|doctor's orders"
)
_JOKE_SOFT = (
    "(哈哈+|嘿嘿+|😂|🤣|😜|😝|\\[doge\\]|\\[狗头\\]|狗头|笑死|233+|haha\\w*|hehe\\w*|lol|lmao|rofl)[\\s.!。~哈😂🤣]*$"
)
_IRONY = (
    r"又要?.{1,16}真是我(最大的|最)(爱好|爱|喜欢)|\b(another|yet another) .{1,30}my favou?rite|"
    r"perfect timing|aren't i (blessed|lucky)|is a genius,? truly|真会挑时候|真是天才|太幸运了|可真行|(太好了|真好|"
    r"好极了|可好了|真棒|太棒了|真行|可真|呵呵|好开心|多谢|真是谢谢).{0,16}(又|加班|堵|坏|丢|迟到|排队|漏|挂|炸|"
    r"停电|取消|延误|白干|崩)|(可|真|太)?(开心|高兴|幸福|快乐|爱死|喜欢)死(我)?了|又(要|得|是).{0,8}(加班|开会|"
    r"堵车|排队).{0,12}(开心|高兴|幸福|棒|好)|谁不(爱|喜欢|想)|求之不得呢|感动得|(我)?(可|真)(是)?太?(爱|"
    r"喜欢).{0,12}(加班|堵车|排队|被骂|开会|早起|蚊子|停电)|"
    r"\b(just|exactly|precisely) what i (needed|wanted|ordered|asked for)|yeah,? (right|sure|i (totally|absolutely|"
    r"really|just))|\boh,? (great|lovely|brilliant|fantastic|perfect|joy|wonderful|goody|yay)\b|\b(totally|"
    r"absolutely|just|simply) (adore|love)s? .{0,30}\b(cold|soggy|waiting|queue|queuing|traffic|stuck|broken|late|"
    r"meetings?|mondays|spam|delay\w*|crash\w*|rain|noise|bugs|standing|being)\b|lucky me|living the dream|"
    r"big surprise|what a (treat|joy|delight|surprise)|how (lovely|thoughtful|convenient|kind),|thanks (so much|"
    r"a lot|a bunch),? .{0,20}(delay|late|cancel|broke|crash)|nothing (beats|says|like) .{0,30}(traffic|queue|"
    r"monday|delay|rain|crash)|because who doesn't|so glad .{0,20}(again|broke|crash)|my favou?rite.{0,12}(traffic|"
    r"queue|error|crash|bug)"
)
_PASTED = re.compile(
    r"^\s*(\$ |> |>>> |```|select .{0,80}\bfrom\b|insert into|update \w+ set|delete from|create table|docker (run|"
    r"build|compose|exec|ps|pull)|git (clone|commit|push|pull|rebase|checkout|status|log|merge|stash|diff|add)|"
    r"kubectl |npm (i|install|run|ci)|pip3? install|curl -|curl http|wget |sudo |apt(-get)? |brew |cd [~/.\w]|ls -|"
    r"grep |chmod |ssh |import \w+$|from \w+ import|def \w+\(|function \w*\(|const \w+ ?=|let \w+ ?=|var \w+ ?=|"
    r"console\.|print\(|public (class|static)|#include|<!doctype|<html|traceback \(most|\{\"|for \(|while \(|if \(|"
    r"return )"
)
_TOOL_NOISE = re.compile(
    r"^\W*(info|debug|warn(ing)?|error|trace|notice|log|提示|日志|警告|信息)\b\W*[:：\]】]|\[(info|debug|warn|"
    r"warning|error|trace)\]|\b\d+ ?(ms|毫秒|mb/s|kb/s|fps|rpm|req/s)\b|\bping\b|jitter|latency|uptime|\bcpu\b|"
    r"内存占用|负载|\b(build|compile|test|lint|job|run|sync|backup|scan|cache|download|upload|"
    r"index)\w*( \w+)? (finished|passed|succeeded|completed|complete|started|done|warmed|failed|ok|cleared|in \d)|"
    r"\b\d+ (warnings?|errors?|tests?|files?|rows?|results?|items?)\b|已忽略|(server|service|服务).{0,6}(started|"
    r"启动)|(共|找到|返回|查到|处理|扫描|同步|加载|缓存).{0,6}\d+ ?(条|个|行|项|份)|(执行|运行|编译|构建|加载|同步|"
    r"更新|下载|上传|清理|备份|检查)(成功|完成|完毕|失败|中)|http/?\d?\.?\d? ?\d{3}|status ?(code)?[:=]? ?(ok|"
    r"\d{3})|\b(200|404|500) (ok|not found)|当前(温度|时间|电量|网速|气温)|实时|[室水气体]温|湿度|weather:|temperature|"
    r"humidity|heartbeat|retrying|timeout|no results|not found|未找到|没有结果|在线人数|排队人数|剩余电量|battery"
)
_TOOL_WORTH = re.compile(
    r"订单|转账|挂号|退款|付款|支付|到账|签收|发货|预约|预订|预定|日历|日程|航班|车票|酒店|快递|包裹|单号|会员|"
    r"档案|资料|登记|账户|客户|合同|发票|保单|还款|账单|余额|生日|地址|手机|电话|学号|工号|病历|处方|化验|体检|"
    r"诊断|过敏|挂号|报修|工单|已创建|已取消|已改签|审批|入职|"
    r"\b(order|transfer(red)?|refund|payment|paid|delivered|shipped|parcel|package|tracking|booking|booked|"
    r"reservation|appointment|calendar|event created|flight|ticket|hotel|invoice|subscription|renew\w*|profile|"
    r"account|member\w*|timezone|birthday|address|phone|email|contract|policy|claim|prescription|diagnos\w*|"
    r"allerg\w*|confirmed|cancelled|scheduled|rescheduled|checked in|enrolled|due date|balance|customer|patient|"
    r"contact|name)\b"
)
_AGENT_TALK = re.compile(
    r"^(好的|当然|没问题|可以的|明白|抱歉|对不起|很高兴|我(可以|来|会|能|建议|推荐|觉得|认为|无法|不能|已经为您|"
    r"帮你|帮您|这就|马上)|您可以|你可以|要不要|需要我|是否需要|建议(您|你|每|先|早|多|少|用|在|把|改|可|尝|选)?|"
    r"推荐(您|你)?|不妨|可以(试|考虑|先)|试试|请(问|您|提供|稍|告诉|注意|参考|放心)|以下是|根据(您|你)的(要求|需求|"
    r"问题)|如果(您|你)|希望(这|能|对))|(吗|呢)\?$|"
    r"^(sure|of course|certainly|absolutely|great|okay|ok|no problem|i('d| would| can|'ll| will|'m| am)? (be happy|"
    r"be glad|recommend|suggest|can|could|will|help|advise|apologi|don't have|cannot|can't|think you|sorry|happy|"
    r"glad|understand|see|hope)|i (recommend|suggest|can|could|will|advise|apologi[sz]e|cannot|can't|hope|"
    r"understand|see)|you (can|could|may|might|should|might want)|would you like|do you want|let me|here('s| is|"
    r" are)|please|how about|consider|try|feel free|if you|sorry|thanks|thank you|hope)\b|\?$"
)
_AGENT_ECHO = re.compile(
    r"(如|像|正如|按)?(您|你)(之?前|刚才|曾|上次)?(说|提|告诉|讲)过?|\b(as|like) you (told|said|mentioned|asked)|"
    r"you (told|said|mentioned)( to)? me|per your"
)
_RECALLED = re.compile(
    r"<\s*/?\s*memories\s*>|<\s*/?\s*(recalled|rearview|relevant|retrieved|long-?term)[-_ ]?(memor(y|ies)|"
    r"context)\b|^\W*(recalled memories|memories recalled|召回的记忆|以下是(关于用户的|检索到的|召回的)记忆)|"
    r"\[memory context\]",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"^\s*(<\|?(im_start\|?>)?\s*system|\[system( prompt| message)?\]|system( prompt| message)?\s*:|### ?system|"
    r"you are (a|an|the) [\w -]{0,40}(assistant|agent|chatbot|ai|model|bot)\b|你是(一个|一名|一位)?.{0,14}(助手|"
    r"助理|智能体|机器人|客服|ai)(,|。|$))"
)


_USER = Signs(
    {
        "off the record": _OFF_RECORD,
        "hide": _HIDE,
        "fiction": _FICTION,
        "joke": _JOKE_HARD,
        "laughter": _JOKE_SOFT,
        "irony": _IRONY,
    }
)


def screen(text: str, source: Source) -> Verdict | None:
    """Turn away what is never scored; None lets the text through. Linear in the text."""
    if _RECALLED.search(text[:_READ_CHARS]):
        return Verdict("skipped", "recalled_text")
    view = folded(text[:_READ_CHARS])
    if len(view) <= _SMALL_TALK_CHARS and is_small_talk(view):
        return Verdict("skipped", "chitchat")
    if is_instruction(text, source):
        return Verdict("quarantined", "instruction")
    if _SYSTEM.search(view):
        return Verdict("skipped", "system_prompt")
    if _PASTED.match(view):
        return Verdict("skipped", "pasted_code")
    if source is Source.USER:
        return _screen_user(view)
    return _screen_tool(view) if source in (Source.TOOL, Source.DOCUMENT) else _screen_agent(view)


def _screen_user(view: str) -> Verdict | None:
    found = _USER.found_in(view)
    if "off the record" in found:
        return Verdict("skipped", "off_the_record")
    if "hide" in found:
        return Verdict("skipped", "suppression_request")
    if "fiction" in found:
        return Verdict("skipped", "quoted")
    if "joke" in found or ("laughter" in found and not cues_of(view[:400]) & {"remember", "standing"}):
        return Verdict("skipped", "joke")
    if "irony" in found:
        return Verdict("skipped", "irony")
    return None


def _screen_tool(view: str) -> Verdict | None:
    worth = bool(_TOOL_WORTH.search(view))
    if _TOOL_NOISE.search(view) and not worth:
        return Verdict("skipped", "tool_noise")
    return None


def _screen_agent(view: str) -> Verdict | None:
    if _AGENT_ECHO.search(view):
        return None
    return Verdict("skipped", "agent_talk") if _AGENT_TALK.search(view) else None


def is_record(view: str) -> bool:
    """Whether a tool's text of the folded view reports something of the user's: an order, an account, a date."""
    return bool(_TOOL_WORTH.search(view))
