"""What carries nothing: greetings, thanks, acknowledgements, laughter, emoji, in Chinese and English.

The text is peeled: known phrases and particles go, and if nothing with meaning is left it was small talk. Peeling
beats a list of whole sentences, because people combine: "好的收到，谢谢啦", "ok cool thx".
"""

import re

_ZH = re.compile(
    "(?:好(?:的|滴|哒|嘞|咧|啊|吧|呀|喔|哦|哟|呢|了|耶|极了)?|嗯+|恩恩*|哦+|喔+|噢+|呃+|唔+|ok|okay|okk|收到|"
    "明白(?:了)?|了解(?:了)?|知道(?:了|啦)?|懂(?:了|啦)?|清楚(?:了)?|"
    "没(?:问题|事|关系|有了|有)|不(?:客气|用谢|用客气|谢|用了|用|必了|必|要紧|碍事)|没啥|行(?:吧|啊|的|呀|了|嘞)?|"
    "可以(?:的|啊|了)?|成(?:吧|交)?|对(?:的|啊|呀|对|吧)?|是(?:的|啊|呀|呢|吧)|"
    "谢+(?:你|您|啦|了|大家|朋友)?|多谢(?:你|您|啦|了)?|感谢(?:你|您)?|非常|十分|太|辛苦(?:你|您)?(?:啦|了)?|"
    "麻烦(?:你|您)?(?:啦|了)|拜托(?:了|啦)|"
    "你好|您好|大家好|早(?:安|上好|啊)?|上午好|中午好|下午好|晚上好|晚安|嗨|嘿|哈喽|哈罗|hello|hi|hey|喂|在(?:吗|"
    "么|不在|不)|在(?:的|呢)|有人(?:吗|在吗)|"
    "再见|拜拜|拜|回(?:聊|见)|回头(?:聊|见|说)|改天(?:聊|见)|明天(?:见|聊)|下次(?:见|聊|再聊)|先(?:这样|这么着|"
    "到这(?:里|儿)?|不聊了|走了|撤了|忙去了)|就(?:这样|这么定了?|这么办)|那(?:就|先)?|下线了|"
    "哈+|嘿嘿+|嘻嘻+|呵呵+|呜+|哇+|哎(?:呀|哟|唷)?|唉+|嘿哟|天(?:哪|呐|啊)|我的天|我去|卧槽|666+|2?3{3,}|牛(?:逼|"
    "啊|哇)?|赞|棒|真?厉害|真?不错|太?好了|太棒了|真棒|很好|好耶|加油|恭喜|笑(?:死|不活)(?:我|了)*|"
    "辛苦|多多|关照|请多关照|很?高兴认识你|原来如此|原来是这样|这样(?:啊|子)?|怪不得|难怪|有道理|说得对|确实|的确|"
    "当然|必须的|安排|冲|妥了?|没毛病|随便|无所谓|都行|都可以|继续|接着来|开始吧|走起|爱你|比心|么么哒|朋友|亲|宝|"
    "兄弟|老铁|各位|ai|伴侣|小助手|助手)"
)
_ZH_PARTICLES = re.compile("[啦吧呀哦喔的了哈嘛呢啊嗯噢耶咯喽嘞哟唷呗哒滴呐嘿吗么我你您就那先再也真太很都]+")
_EN = re.compile(
    r"\b(?:ok(?:ay|ey|ie)?|k+|kk|yes|yep|yeah|yea|yup|ya|no|nope|nah|sure(?: thing)?|cool|great|good|nice|fine|"
    r"perfect|awesome|amazing|wonderful|excellent|brilliant|lovely|sweet|neat|"
    r"thanks?(?: you)?(?: so much| a lot| a bunch| again| very much| a million)?|thank|thx+|tx|ty|tysm|cheers|ta|"
    r"appreciate(?: it| that)?|much appreciated|got it|gotcha|roger(?: that)?|copy(?: that)?|noted|understood|"
    r"i see|i understand|i got it|makes sense|"
    r"right|alright|all right|all good|fair enough|sounds? (?:good|great|like a plan|fine)|that works|works for me|"
    r"will do|done|deal|agreed|exactly|indeed|totally|absolutely|definitely|of course|true|"
    r"hi+|hello|hey+|hiya|howdy|yo|sup|what'?s up|greetings|good (?:morning|afternoon|evening|night|day)|morning|"
    r"night(?: night)?|bye+|bye-bye|goodbye|see (?:you|ya)(?: later| tomorrow| soon| around)?|cya|later|ttyl|"
    r"take care|have a (?:good|nice|great) (?:day|one|night|evening|weekend)|"
    r"please|pls|plz|sorry|my bad|oops|no (?:problem|worries|prob|need|biggie)|np|nvm|never ?mind|"
    r"you'?re (?:welcome|right|the best|great|awesome|a star|a lifesaver)|welcome|my pleasure|don'?t mention it|"
    r"don'?t worry(?: about it)?|happy to help|it'?s (?:ok|okay|fine|all good|nothing)|that'?s (?:ok|okay|fine|"
    r"great|all|it|right|true|cool|nice|awesome|it for today|good to know)|"
    r"i'?m (?:good|fine|ok|okay|in|done|back|here|all set)|same here|me too|same|say no more|enough said|lol+|lmao|"
    r"rofl|haha+h?|hehe+|heh|omg|wow+|whoa|aww*|oh+|ooh+|ah+|hm+|hmm+|mm+|mhm|uh(?:-?huh)?|um+|er+|well|so|then|"
    r"and|but|just|really|very|too|that|it|this|for|the|a|all|again|now|you|u|me|my friend|friend|buddy|mate|man|"
    r"dude|bro|folks|everyone|there|ai|companion|lovely to (?:meet|chat)(?: you)?|nice (?:to meet you|one|work|"
    r"job)|good (?:job|work|one|luck|stuff)|well done|congrat(?:ulation)?s|"
    r"how are you(?: doing)?(?: today)?|how'?s it going|how have you been(?: recently| lately)?|long time no see|"
    r"anyone there|are you there|you there|test(?:ing)?|go on|carry on|continue|go ahead|let'?s go|let'?s do it|"
    r"whatever|idk|dunno|maybe later|not now|up to you|talk (?:soon|later)|let'?s talk(?: again)?(?: tomorrow|"
    r" later| soon)?|brb|gtg|gotta go|will talk later|you (?:crack me up|rock|made my day)|cracking me up|so funny|"
    r"u r funny|bless you|God bless)\b"
)
_STICKER = re.compile(r"\[[^\[\]\s]{1,8}\]|:[a-z_]{2,20}:|[:;]-?[)(dp]+|\^_*\^|<3")
_LEFT = re.compile(r"[^\W_]")
_LAUGHTER = re.compile(r"2?3{4,}|6{3,}|h?a?(?:ha){2,}|哈{2,}|w{3,}\b|233+")


def peeled(view: str) -> str:
    """What is left of a text of the folded view once small talk is taken away."""
    rest = _LAUGHTER.sub(" ", _STICKER.sub(" ", view))
    rest = _ZH.sub(" ", rest)
    rest = _EN.sub(" ", rest)
    rest = _ZH_PARTICLES.sub(" ", rest)
    return " ".join(_LEFT.findall(rest)) if not re.search(r"[^\W_]{2,}", rest) else rest.strip()


def is_small_talk(view: str) -> bool:
    """Whether nothing with meaning is left. A lone character that survives peeling carries nothing either."""
    rest = peeled(view)
    return not _LEFT.search(rest) or (len(_LEFT.findall(rest)) <= 1 and not any(c.isdigit() for c in rest))
