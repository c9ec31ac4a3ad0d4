"""Text that tries to instruct the agent, judged by who it comes from.

A user who says "always use Celsius" states a preference; the same words in a web page are an order from a stranger.
So there are two sets of patterns: `_ANYONE` (cancelling the agent's rules, other people's data, planting rights) holds
for every origin, `_STRANGER` and `engine.agent_orders` only for what did not come from the user. Patterns look at a
squeezed view, in which characters that only separate Chinese characters are gone, and at what the text decodes to
(`engine.hidden_text`). Quoted words are dropped for a user's text, and so are questions about attacks: whoever asks how
to defend against "ignore all rules" does not say it.
"""

import re

from engine.agent_orders import FOR_ANYONE, is_order_to_agent
from engine.clauses import folded
from engine.hidden_text import decodings
from engine.memory import Source
from engine.same_words import word_set

_READ_CHARS = 20_000
_RULES_ZH = (
    "指令|指示|规则|规定|规矩|限制|约束|设定|提示词|提示语|系统提示|安全检查|安全策略|命令|守则|准则|要求|原则|"
    "设置|身份"
)
_BEFORE_ZH = (
    "旧|老的|以上|上述|上文|上面|之前|先前|此前|前面|原(来|有|先|本)|所有|全部|一切|任何|你(的|被|收到)|系统|既有|"
    "开发者"
)
_OTHERS_ZH = "(其他|其它|别的|所有|全部|别|他|任何|每个|各个|某个|admin|管理员)的?(用户|使用者|人|客户|账号|租户|成员)"
_DATA_ZH = "手机号?|电话|号码|住址|名单|通讯录|记忆|数据|资料|信息|聊天|对话|密码|隐私|讲过|说过|邮件|记录|口令|通讯录"
_VERB_ZH = (
    "忽略|无视|忘记|忘掉|抛弃|丢弃|跳过|绕过|绕开|作废|推翻|清空|抹掉|不要理会|不用管|别管|不必遵守|不再遵守|"
    "停止遵守|撤销|取消|解除|失效|覆盖|不算数"
)

_ADMIN = "(admin|root|管理员|超级用户|superuser)"
_ANYONE_ZH = (
    # The same in any order and in both languages mixed: what is lifted, and whose rules they are.
    f"你.{{0,12}}({_VERB_ZH}|不用理|没有).{{0,6}}(安全|伦理|道德|系统|任何|一切|所有).{{0,4}}({_RULES_ZH})",
    f"({_VERB_ZH}|override|ignore|bypass|disregard|disable).{{0,8}}(安全|系统|之前|所有|previous|your|safety|system)"
    f".{{0,10}}({_RULES_ZH}|策略|机制|instructions?|rules?|polic(y|ies)|prompts?)",
    "你.{0,8}(必须|只能|要|得|应该)?.{0,2}(无条件|绝对|完全|只)(地)?(服从|听从|听命|听)(于)?我|对我(绝对|无条件)?(服从|听命)",
    f"(把|将|给|授予).{{0,4}}{_ADMIN}.{{0,4}}(权限|权|身份).{{0,6}}(给我|授予我|归我)|(把|将)我(的账号)?(设|升|提|改|变)"
    f"(为|成|到)?.{{0,2}}{_ADMIN}|(给|授予)我.{{0,4}}{_ADMIN}(权限|身份)",
    "(不管|无论|凡是|不论)?(谁|任何人|有人|别人|大家|用户).{0,6}(问|提到|咨询|打听).{0,24}(都|一律|就|统一).{0,30}"
    "((当成|作为|当作|设为|存成|记成)(一条)?(规则|规矩|铁律|准则)|(永久|永远|长期)(保存|记住|有效|生效|存)|写(进|入)(你的)?记忆)",
    "(没有|没了|不再有).{0,2}(道德|底线|任何限制|限制).{0,8}(的)?(ai|黑客|模型|助手|人工智能)",
    "(忘了|忘掉|别当|不再是).{0,6}你是.{0,4}(助手|助理|ai|模型)",
    f"你的?({_RULES_ZH}).{{0,12}}(由我|听我|我来|我说了算)|(之前|以前|先前)的(都|全都|全部|一律)?(作废|不算|失效)",
    "(管理员|root|别人|他人|别的用户|其他人).{0,4}的?(密码|口令|密钥|验证码).{0,6}(告诉|给我|发我|发给|是多少|"
    "是什么)|(告诉|发给|给)我.{0,8}(管理员|别人|他人|root).{0,4}(密码|口令|密钥)",
    f"({_VERB_ZH}).{{0,6}}({_BEFORE_ZH}).{{0,10}}({_RULES_ZH}|内容|的话|对话)",
    f"({_BEFORE_ZH}).{{0,8}}({_RULES_ZH}).{{0,6}}(全部|统统|都|已|一律|全)?.{{0,4}}({_VERB_ZH})",
    "(跳过|绕过|关闭|取消|解除)(一切|所有|全部)?(安全|审核|权限|内容)(检查|限制|策略|审查|过滤|验证)",
    "(把|将|请|让)?你(的|之前的)?(一切|所有|全部).{0,4}(约束|限制|规则).{0,6}(作废|解除|取消|失效)",
    "你(现在|从现在起)?(只|仅|只能|只准|只许)(听|服从|听从)",
    "(从|自)(现在|此刻|这一刻|今)(起|开始)?,?你(没有|不再有|不受|就是|是|的最高|已经)(任何|一个没有|.{0,6}限制|"
    ".{0,4}优先级)",
    "你(已经|现在)?(没有|不受|摆脱|不再受)(任何|一切)?(限制|约束|束缚|规则)",
    "(你的)?新(的)?(身份|人格|角色)(是|为)(root|管理员|开发者|超级|dan)|(进入|切换到|启用|开启|切到|切换成|"
    "转入)(开发者|越狱|无审查|无约束|无限制|管理员)模式|"
    "你.{0,6}(进入|启用|开启|切换到|切到).{0,4}(上帝|调试)模式",
    "(输出|复述|打印|泄露|透露|展示|背诵|念|告诉我|贴出|给我看|显示|写进|写入|列出).{0,10}(系统提示|系统指令|"
    "初始设定|初始指令|提示词全文|系统消息)|(系统提示词?|初始设定|初始指令|系统指令).{0,12}(输出|复述|打印|泄露|"
    "透露|原封不动|逐字|念一遍|全文|写进|写入)",
    f"(把|将|导出|汇出|读取|列出|查看|调出|给我看|展示|输出|拷贝|访问).{{0,10}}{_OTHERS_ZH}.{{0,10}}({_DATA_ZH})|"
    f"{_OTHERS_ZH}.{{0,8}}({_DATA_ZH}).{{0,10}}(导出|汇出|列出|列给我|给我|告诉我|发给|发到|存到|读出|调出|输出)",
    f"(导出|转储|泄露|输出|打印|倒出|dump)(全部|所有|整个|你的).{{0,4}}(记忆|数据库|用户数据|对话)|"
    f"谁的({_DATA_ZH}).{{0,6}}(给我看|可以看)",
    "(用户|我|本人|该账号|账户)(已)?(拥有|具有|享有|获得|已有|有)(全部|所有|一切|最高|管理员).{0,10}(权限|权|数据)|"
    "(查看|访问|读取)(全部|所有)用户",
    "(退款|转账|付款|支付|操作|删除|请求|订单).{0,6}(无需|不需要|不用|不必|免|不再需要|跳过)(用户|人工|任何)?(审核|"
    "审批|确认|验证|授权|核实|检查|核对|询问)",
    "(用户的|告诉我.{0,4})(密码|口令|密钥)是(什么|多少)",
)
_ANYONE_EN = (
    r"\bnever (refuse|question|deny|decline) (anything|any|what(ever)?|me|a)\b",
    r"\b(permanent|new|standing|core) (rule|policy|instruction|directive)s?\b.{0,40}\b(approve|refund|pay|transfer|"
    r"obey|"
    r"answer (only )?to me|never refuse|allow)\b",
    r"\b(who|any)(so)?(ever|one|body)( who)? asks?\b.{0,60}\b(as (a|your) rule|forever|permanent\w*|your memory)\b",
    r"\b(grant|give|make) me (an? |the )?(admin\w*|root|superuser)\b|\bskip (all|any|every) (authori[sz]ation|"
    r"approvals?|"
    r"checks?|verification)\b",
    r"\b(safety|security|content|your|these) (rules|policies|guidelines|filters|restrictions|"
    r"safeguards)\b.{0,16}\b(off|"
    r"gone|do not apply|don't apply|no longer apply|disabled|lifted|over)\b|\b(polic(y|ies)|rules|restrictions) (do|"
    r"does) not "
    r"apply\b",
    r"\b(my|the|a) (co-?workers?|colleagues?|boss|neighbou?rs?|ex|customers?|clients?)('s?|s')? "
    r"(accounts?|chats?|memor\w+|conversations?|messages)\b.{0,24}\byou (hold|have|store|know)|\bwhat( \w+){0,3} you "
    r"(hold|have|store|know) (about|on) (my )?(co-?workers?|colleagues?|customers?|clients?|other)\b",
    r"\b(list|give|show|send|tell)( me)? (every|all|each|the other) (customer|client|user|member)s?('s?|s')? (phone|"
    r"e-?mail|"
    r"address|name|number|data|password)",
    r"\byou (no longer|don't|do not) (need|have) to (follow|obey|respect) (any|the|your)\b",
    r"\b(i|we) (make|set|write|decide) (your|the) rules\b|\bold (ones|rules|instructions) are (void|gone|dead)\b|"
    r"\b(tell|give|send|show) me (the )?(admin|root|someone'?s|his|her|another \w+'?s|"
    r"other people'?s)( \w+)? password",
    r"\b(ignore|disregard|forget|discard|override|bypass|drop|skip|cancel|void|erase|"
    r"overwrite)\b.{0,24}\b(previous|prior|above|earlier|preceding|all|any|your|every|system|existing|safety|"
    r"former|initial|developer)\b.{0,24}\b(instructions?|rules|prompts?|guidelines?|directives?|commands?|"
    r"restrictions?|constraints?|policies|programming|training|safeguards|guardrails)\b",
    r"\b(instructions?|rules|prompts?|guidelines|restrictions)\b.{0,20}\b(are|is|no longer|have been|do not|don't|"
    r"now)\b.{0,12}\b(void|invalid|cancell?ed|revoked|obsolete|apply|suspended|lifted|overridden|null)\b",
    r"\b(reveal|print|output|show|repeat|leak|dump|display|disclose|expose|recite|give me|"
    r"write)\b.{0,24}\b(system prompt|initial instructions|hidden instructions|(your|whole|entire) (memory|"
    r"instructions|prompt|database)|all (stored )?memories)\b",
    r"\b(jailbreak|dan mode|developer mode|god mode|sudo mode|unrestricted mode)\b.{0,20}\b(on|enabled?|activate|"
    r"now|enter)\b|\b(enter|enable|activate|switch to)\b.{0,16}\b(jailbreak|dan|developer|god|unrestricted|debug|"
    r"admin) mode\b",
    r"\byou (are|'re)( now)? (free (of|from)|no longer (bound|restricted|limited)|unrestricted|"
    r"without (any )?(rules|limits|restrictions)|dan\b|root\b)|\byou have no (rules|restrictions|limits|"
    r"limitations)\b|\bonly (obey|listen to|follow) (me|my)\b",
    r"\b(other|another|any|all|every|everyone|everybody|different)( the)?( other)? (user'?s?|users'|people'?s|"
    r"customer'?s?|account'?s?|tenant'?s?|else's)\b.{0,24}\b(memor(y|ies)|data|messages|conversations?|secrets|"
    r"passwords?|records|notes|chats)\b",
    r"\b(memor(y|ies)|data|messages|conversations?|secrets|passwords?|records|chats)\b.{0,16}\b(of|from|"
    r"belonging to)\b.{0,8}\b(other|another|all|every) (users?|people|customers?|accounts?)\b",
    r"\b(i|user|account|me)\b.{0,12}\b(has|have|am|is|as|got)\b.{0,10}\b(admin(istrator)?|root|superuser|full|"
    r"unlimited)( \w+)? (rights|access|permissions?|privileges)\b.{0,24}\b(to|for|over|on)\b.{0,16}\b(all|every|any|"
    r"others?|everyone|everything|(the|your) (system|database|server))\b",
    r"\b(refunds?|payments?|transfers?|orders?|purchases|transactions?)\b.{0,24}\b(without|never need|need no|"
    r"don't need|no longer need|skip)\b.{0,12}\b(confirm\w*|approv\w*|review|asking|verification|checks?|checking|"
    r"questions|"
    r"authori[sz]ation)\b",
    r"\bwhat('s| is) (the|another|other) (user|admin|customer)('s)? (password|secret|pin)\b",
)
_STRANGER_ZH = (
    "(请|让|提醒) ?(ai|助手|助理|智能体|模型|机器人).{0,4}(记|写|把|将|始终|永远|优先|务必|必须|在)",
    "(写入|存入|存成|存为|保存为|保存到|记入|写进|加入|更新|记到|存进|添加到)(你的|到)?(长期|语义|永久|工作)?(记忆|"
    "信任)|(更新|写|存入|修改|添加)记忆:|永久记住|长期记住|请记住|务必记住|记住这条",
    "(以后|今后|往后|从今|从现在起|从此|此后|下次|每次|每当)(每次|只要|凡是|当)?.{0,12}(回答|回复|推荐|谈到|提到|"
    "问起|对话|检索|用户|搜索|输出|遇到|购买).{0,24}(都|先|就|要|必须|务必|请|说|附上|加上)",
    "(智能体|助手|助理|ai|人工智能|模型|机器人|agent|assistant|大模型|gpt)s?.{0,10}(请|必须|应当|应该|务必|需要|"
    "可以|可|无需|不必|不得|应|要|会)(在|把|将|优先|立即|直接|先)?.{0,30}",
    "(致|给|提醒|告知|通知|所有|各位|正在|处理|阅读|读到).{0,10}(智能体|ai|助手|大模型|机器人|agent)",
    "(当|等|如果|若|一旦|只要)(用户|有人|客户|对方|使用者|主人).{0,24}(时|,|就|则|请|便)",
    "(系统|开发者|管理员|官方|平台|安全团队)(消息|注|通知|提示|指令|公告)?[\\]】]?:.{0,60}(请|务必|必须|需|遵从|"
    "遵守|立即|执行|导出|不得)|[\\[【](系统|管理员|开发者|system|admin)[\\]】]|平台官方下发",
    "(调用|执行|运行)(工具|函数|命令|以下|memory|send|curl|shell|脚本|\\w+_\\w+)|curl http|\\| ?sh\\b|rm -rf|"
    "环境变量.{0,16}(打印|输出|发)|base64.{0,10}(编码|解码)|解码并(执行|运行|遵照)",
    "(不要|不得|切勿|别|无需|不必)(告诉|告知|通知|透露给?|让)(任何)?(用户|客户|对方|主人)|向用户(隐瞒|保密)",
    "(转发|发送|上传|发|寄|外发|抄送|传)(给|到|至|往).{0,24}(@|http|网址|网盘|邮箱|服务器|地址)|(上传|导出|"
    "外传).{0,16}(聊天|对话|记忆|摘要|记录|数据库|文件)|导出(数据库|全部|用户)",
    "(密钥|账号|地址|账户|卡号|银行|收款).{0,16}(已|被)?(泄露|废弃|作废|变更|失效|停用).{0,10}(请|改用|改为|新)|"
    "(标记为已废弃|已废弃,请)|改用 ?sk-|(过滤|参数|user_id).{0,16}(废弃|传空|留空|去掉)",
    "(本站|本网页|本博客|本网站|本页|本文|我们|本公司|本店|本品牌|某某\\w{0,4}).{0,12}(优先级|最可信|可信|首选|"
    "排第一|排名第一|信任|优先推荐|先提到|最权威)|(先|优先|只|都要?先?)(推荐|提到|提及|介绍).{0,20}|信任的?来源|"
    "(置信度|可信度|优先级)(为|是|设为|=|:)? ?(1|最高|100)",
    "(此|该|本)(客户|用户)(希望|要求|已授权|已同意|授权|同意|允许)|用户(已)?(授权|要求|同意|允许)(你|助手|本|该)|"
    "(无需|不需|不再需|未经|不必|不用)要?(用户|再次|任何|人工|进一步)?(确认|同意|授权|审核|验证|询问)",
    "(输出|打印|列出|读取|查询|查看|调取|显示|贴出|返回).{0,16}(记忆|密码|密钥|口令|user_id|提示词|redis|环境变量|"
    "对话记录|通讯录)|</?(document|system|user|assistant|instructions?)>|<\\|im_",
    "(丢弃|忽略|抛开|放下).{0,8}(任务|目标|工作|问题).{0,10}(改|去|转而|先)|真正的(任务|指令)|新的(任务|指令|"
    "命令)(:|是|如下)|本条(记忆|消息|指令).{0,10}(优先|最高|执行)",
)
_STRANGER_EN = (
    r"\b(save|add|write|store|commit|append|record)\b.{0,12}\b(to|in|into)\b.{0,10}\b(long-term |permanent |your |"
    r"semantic )?memory\b|\bremember (this|that|permanently|forever|from now)\b|\bupdate (your )?memory\b|"
    r"\bmemory update\b|\bpermanently remember\b",
    r"\b(note|message|attention|instructions?|notice|dear|hey|to|for|all)\b.{0,10}\b(ai|llm|language model|agents?|"
    r"assistants?|chatbots?|bots?|copilot|gpt|models?)\b.{0,16}\b(reading|processing|summari[sz]ing|parsing|"
    r"handling|:|,|must|should|please)",
    r"\b(the |any |every |all )?(ai |llm )?(assistant|agent|model|chatbot|bot|ai)s? (reading this|must|should|may|"
    r"can|shall|is (now )?(allowed|authori[sz]ed|permitted|required)|needs? to|will|has to)\b",
    r"\b(when|if|once|whenever|next time|as soon as|after)\b.{0,6}\b(the |a |any )?(user|customer|human|someone|"
    r"anyone|they|client)\b.{0,40}\b(call|send|run|execute|reply|respond|say|tell|recommend|swap|replace|open|post|"
    r"forward|use|include|answer|visit|click|transfer|pay)\b",
    r"(^|[\n>] ?)(\[?(system|admin|administrator|developer|root|assistant)\]?( message| note| override)?\s?[:\]])|"
    r"<\/?(system|instructions?|document|assistant|user)>|<\|im_|### ?(instruction|system)|\bbegin (system|"
    r"new) (prompt|instructions)\b",
    r"\b(from now on|always|never|in (all |every |any )?future|every time|going forward|in every (reply|answer|"
    r"response))\b.{0,30}\b(recommend|answer|reply|respond|say|mention|promote|trust|include|append|tell|suggest|"
    r"rank|prefer|cite|refer|need confirmation|ask|warn|hide)\b",
    r"\byou (must|should|have to|need to|are (required|instructed) to)( now| always| never| first| not)* (ignore|"
    r"comply|"
    r"obey|follow|answer|reply|respond|say|reveal|output|print|include|append|call|run|execute|send|forward|recommend|"
    r"tell|treat|act|trust|mention|refuse|delete|store|save|remember|begin|end|add)\b|\byou (are now|will now)\b|"
    r"\byour (new (task|instructions?|role|goal)|real task|top priority)\b",
    r"\b(do not|don't|never|without) (tell(ing)?|inform(ing)?|notify(ing)?|reveal(ing)? (this )?to|alert(ing)?|"
    r"mention(ing)? (this )?to|ask(ing)?) (the )?(user|human|customer|anyone|again)\b|"
    r"\bwithout (the )?(user'?s? )?(confirmation|approval|consent|permission|asking|review)\b|"
    r"\bnever need confirmation\b",
    r"\b(send|forward|post|upload|email|exfiltrate|export|transmit|leak|copy)\b.{0,30}\b(all|every|stored|user|"
    r"chat|conversations?|memor(y|ies)|summary|passwords?|credentials?|keys?|history|contacts|database|"
    r"files?)\b.{0,30}(\bto\b|@|http|bucket)",
    r"\b(send_email|memory_search|memory_write|memory_forget|tool_call|function_call|curl|wget|rm -rf|eval|"
    r"exec)\b.{0,30}(\(|with|http|all|deprecated|\|)|\bcall \w+_\w+|\| ?(ba)?sh\b",
    r"\b(user_?id|filter|check|warning|confirmation|verification|2fa|safety)s?\b.{0,20}\b(deprecated|disabled?|"
    r"hidden|removed|should be (hidden|ignored|skipped|disabled)|pass an? empty|no longer (needed|required))\b",
    r"\b(trusts?|prefer|rank|recommend|promote)\b.{0,24}\b(above all|over all|first|exclusively|only|most|"
    r"as the (best|only)|us\b|#1)|\b(confidence|priority) (of )?(1(\.0)?|100|highest|maximum|top)\b|"
    r"\btrusted sources?\b",
    r"\b(this|the|that) (account|user|customer|client)\b.{0,16}\b(has|have|is|was|wants|granted|authori[sz]ed|"
    r"approved)\b.{0,24}\b(admin\w*|root|full access|permissions?|privileges|all orders|authori[sz]\w*|"
    r"whitelisted)\b",
    r"\b(bank|account|payment|wire|routing|wallet|address) (details|number|info\w*|address)?.{0,24}\b(changed|"
    r"below|updated|replaced|instead|new one)\b.{0,30}\b(use|pay|send|wire|transfer|swap)?\b.{0,10}\b(below|"
    r"instead|immediately|now)\b|\b(wire|transfer) funds\b",
    r"\b(print|output|reveal|list|read|dump|show|fetch|query|retrieve)\b.{0,20}\b(environment variables?|env vars?|"
    r"api keys?|secrets?|credentials?|all memories|stored memories|passwords?|system prompt)\b|\bdecode (and|"
    r"then) (run|execute|follow)\b",
)
_ANYONE = tuple(re.compile(p) for p in (*_ANYONE_ZH, *_ANYONE_EN))
_STRANGER = tuple(re.compile(p) for p in (*_STRANGER_ZH, *_STRANGER_EN))
_HINT = re.compile(
    f"{_VERB_ZH}|你|谁|人|我|模式|限制|规则|策略|退款|转账|付款|指令|系统|记忆|密码|权限|ignore|disregard|forget|override|bypass|prompt|"
    f"instruction|"
    f"rules?|user|memor|admin|root|mode|without|payment|refund|transfer|restrict|limits|obey|reveal|dump"
)
_SEPARATED = re.compile(r"(?<=[\u3000-\u9fff“”,:;!?])[\s·•.\-_*|/\\~^]+(?=[\u3000-\u9fff“”,:;!?])")
_SPACED_LATIN = re.compile(r"\b(?:[a-z0-9@.] ){3,}[a-z0-9@.](?![a-z0-9])")
_QUOTED = re.compile(
    "“[^”]{0,400}”|「[^」]{0,400}」|『[^』]{0,400}』|\"[^\"]{0,400}\"|(?<![a-z])'[^']{4,400}'(?![a-z])"
)
# Whoever asks how an attack works, or how to stop it, does not attack.
_QUESTION = re.compile(
    r"(?:^|(?<=[。!?;\n]))\s*(如何|怎么|怎样|为什么|为何|什么是|有没有办法|how (do|can|could|should|would|to|does)\b|"
    r"why\b|what (is|are|does|do) (a|an|the)?\b)[^。!?;\n]{0,160}(防止|避免|测试|检测|识别|防御|泄露|注入|攻击|原理|"
    r"prevent|stop|avoid|detect|test|defend|block|protect|leak|inject\w*|attack\w*|work)[^。!?;\n]{0,160}\?"
)
_WORD = re.compile(r"[a-z]{4,}")
_SPELLINGS = tuple(
    (word, word[0], frozenset(word))
    for word in (
        "ignore",
        "disregard",
        "previous",
        "instructions",
        "instruction",
        "forget",
        "override",
        "system",
        "prompt",
        "reveal",
        "memory",
        "rules",
        "restrictions",
        "bypass",
    )
)
_KNOWN = frozenset(word for word, _, _ in _SPELLINGS) | word_set(
    "previously instruct instructor instructors instructing overridden overrides systems prompts promote promoted "
    "memories forgot forgets ignored ignores ignorance ruler rulers revealed reels regard"
)


def is_instruction(text: str, source: Source) -> bool:
    """Whether the text tries to instruct the agent, or to reach what is not its author's, given where it came from."""
    stranger = source in (Source.TOOL, Source.DOCUMENT)
    view = squeezed(folded(text[:_READ_CHARS]))
    if source is Source.USER:
        view = _QUESTION.sub("?", _QUOTED.sub("“”", view))
    if _matches(view, stranger=stranger):
        return True
    return any(_matches(squeezed(folded(inner)), stranger=True) for inner in decodings(text[:_READ_CHARS]))


def squeezed(view: str) -> str:
    """A folded view without what only separates single characters: "忽 略", "忽·略", "i g n o r e"."""
    view = _SEPARATED.sub("", view)
    return _SPACED_LATIN.sub(lambda match: match[0].replace(" ", ""), view)


def _matches(view: str, *, stranger: bool) -> bool:
    if stranger and (any(pattern.search(view) for pattern in _STRANGER) or is_order_to_agent(view)):
        return True
    if not _HINT.search(view) and not _WORD.search(view):
        return False
    if any(pattern.search(view) for pattern in (*_ANYONE, *FOR_ANYONE)):
        return True
    corrected = _WORD.sub(lambda match: _spelled(match[0]), view)
    return corrected != view and any(pattern.search(corrected) for pattern in _ANYONE)


def _spelled(word: str) -> str:
    """The word of an attack that this one misspells: same first letter, at most one letter missing or added."""
    if word in _KNOWN or len(word) < 5:
        return word
    letters = frozenset(word)
    for right, first, its_letters in _SPELLINGS:
        if word[0] == first and abs(len(word) - len(right)) <= 2 and len(right) > 4 and len(letters ^ its_letters) <= 1:
            return right
    return word
