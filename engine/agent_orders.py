"""Orders to an agent, told by how they are built rather than by their words.

Text from outside rarely speaks of the reader's own machinery. Where one sentence names an agent, its prompt, its rules
or its memory, or speaks of "the user" whom it serves, and also says what is to be done, the sentence is meant for
the agent and not for the person whose memory this is. What holds for every origin stands in `FOR_ANYONE`; the rest is
only asked of what a tool or a document said. Patterns look at a squeezed, folded view (`engine.instructions`).
"""

import re

_SENTENCES_MAX = 200
_SENTENCE = re.compile(r"[^。!?;\n]+?(?:[。!?;\n]|\.(?=\s|$)|$)")

_RULES = (
    r"(instructions?|directions?|directives?|rules|prompts?|guidelines?|commands?|restrictions?|constraints?|"
    r"polic(?:y|ies)|programming|safeguards|guardrails|protocols?)"
)
_LIMITS = (
    r"(rules|restrictions?|filters?|filtering|limits|limitations|constraints?|guardrails|censorship|"
    r"content (?:polic(?:y|ies)|restrictions?|filters?)|ethic\w*|safety guidelines)"
)
_MODES = r"(maintenance|developer|debug|god|admin|root|dan|unrestricted|jailbreak|unfiltered)"
_RULES_ZH = "(规则|指令|指示|设定|要求|限制|约束|准则|守则|提示词?|命令|原则)"
_MODES_ZH = "(维护|开发者?|调试|管理员?|上帝|越狱|无限制|无审查|无约束|超级)"

FOR_ANYONE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(ignore|disregard|overlook|forget|neglect|override)\b.{0,48}\b(previous|prior|earlier|preceding|"
        rf"initial|original|former)\b.{{0,20}}\b{_RULES}\b",
        r"\b(ignore|disregard|overlook|forget)\b.{0,8}\b(everything|anything|all|whatever|what)\b.{0,24}\b(above|"
        r"before this|(you|you've) (were|have been|had been|been) (told|given|taught)|your (developers?|creators?|"
        r"makers?) (told|said|taught))",
        rf"\b(treat|consider|regard)\b.{{0,40}}\b{_RULES}\b.{{0,40}}\b(not?|never|didn't|don't|void|invalid|"
        rf"obsolete)\b",
        rf"\byour (new )?{_RULES}\b.{{0,12}}\b(ha(ve|s)|were|are|was)\b.{{0,8}}\b(replaced|superseded|changed|"
        r"rewritten|revoked|lifted)\b|\b(directives?|instructions?|rules) supersedes?\b",
        rf"(^|[.!?;:,\n] ?)(please |now |you )?(pretend|act|behave|imagine|respond|answer|speak)\b.{{0,50}}\b(no|"
        rf"without|free of|not bound by|never had)( any| all| its| your)? {_LIMITS}\b",
        rf"\byou( are|'re| have| now| will| shall)\b.{{0,30}}\b(no|without|free (of|from)|not bound by)( any|"
        rf" all| your)? "
        rf"{_LIMITS}\b|\b(uncensored|unrestricted|unfiltered) (ai|model|assistant|bot|mode|response|version)\b",
        rf"\byou( are|'re| have)?( now)? (in|entered|enter|entering|switched to)( an?| the)? (\w+ )?{_MODES} mode\b",
        r"\b(safety|security|content) (protocols?|filters?|filtering|polic\w+|guidelines?|checks?|rules|restrictions?)"
        r"\b.{0,24}\b(disabled?|switched off|turned off|removed|lifted|suspended|were not meant|(do|does) not apply|"
        r"don't apply|no longer)\b",
        r"\b(reveal|print|output|show|repeat|display|disclose|recite|tell|give|what (is|are|was|were))\b.{0,40}\b("
        r"(system|hidden|developer|secret) (prompt|message|instructions?)|(instructions?|rules) (that )?you (were|have "
        r"been|had been|are) (given|told|following))",
        r"\bdecode\b.{0,60}\b(follow|obey|execute|run|act on|carry out|do (exactly )?(what|as))\b",
        r"\btranslate\b.{0,50}\b(then|and) (execute|run|obey|follow)\b",
        # The four languages that are most often used beside English to get past English rules.
        r"\b(ignorier\w*|vergiss|vergessen|missacht\w*)\b.{0,36}\b(anweisungen|regeln|richtlinien|vorgaben)\b",
        r"\b(ignore[zr]?|oublie[zr]?)\b.{0,36}\b(instructions|r[eè]gles|consignes|directives)\b",
        r"\b(ignora|olvida|descarta|dimentica)\b.{0,36}\b(instrucciones|reglas|directrices|istruzioni|regole)\b",
        r"\bsystem-?prompt\w* (zeig|verrat|gib)|\b(zeig|verrat|gib)\w*\b.{0,24}(system-?prompt|systemanweisungen)|"
        r"\b(montre|r[eé]v[eè]le|affiche|muestra|revela|rivela|mostra)\w*\b.{0,36}\b(prompt|instru\w+|istru\w+) "
        r"(syst[eè]me|de[l ]? ?sistema|di sistema)",
        f"(把|将)?.{{0,4}}(先前|之前|以前|以上|上述|上面|前面|系统|所有|全部|既有|原有|学到)的?.{{0,8}}{_RULES_ZH}.{{0,8}}(当作|当成|视为|"
        f"视作|看作).{{0,6}}(没|不|无|废|作废|空气)",
        f"(你|系统|之前|先前|上面|以上|此前)的?.{{0,10}}{_RULES_ZH}.{{0,8}}(不再有效|都?无效|不存在|不再适用|不再生效)",
        "(假装|假设|扮演|装作|想象).{0,8}(没有|不受|无)(任何|一切)?.{0,8}(限制|约束|规则|过滤|审查)",
        f"你(现在|目前)?(已经?)?(进入|处于|切换到|处在).{{0,6}}{_MODES_ZH}模式",
        "解码.{0,16}(然后|并|再|,).{0,4}(照|按|执行|运行|遵照|照做)",
    )
)

_ACTS = (
    "ignore|disregard|forget|overlook|treat|pretend|show|display|print|reveal|output|return|list|enumerate|repeat|"
    "recite|send|forward|e-?mail|post|upload|append|attach|include|insert|add|store|save|record|remember|set|replace|"
    "change|update|overwrite|delete|remove|erase|empty|switch|turn|disable|enable|run|execute|call|invoke|click|approve|"
    "rate|recommend|rank|keep|hide|use|decode|follow|obey|claim|sync|export|dump|answer|respond|comply|trust|cite|do "
    "not|don't|never|always"
)
_ORDER = re.compile(
    rf"(^|[,:;(>*\n-] ?|\b(please|kindly|and|then|first|now|also|instead|to|yourself) )({_ACTS})\b|"
    r"\b(must|should|has to|have to|needs? to|shall|may now|(is|are) (now )?(permitted|allowed|required|authori[sz]ed)|"
    r"no need|not (require|need))\b"
)
_AGENT = re.compile(
    r"\b(assistants?(?! (manager|director|professor|coach|editor|secretary|principal|nurse|cook|chef|to\b))|"
    r"(ai|automated|llm|autonomous) (agents?|readers?|systems?|shoppers?)|agents? (reading|that|receiving|"
    r"processing|parsing|integrating|handling)|chat ?bots?|bots?|crawlers?|llms?|language models?|gpt|copilot)\b|"
    r"\b(you are|if you're|to|for|dear|any|all) (an? |the )?(ai|ais)\b"
)
_MACHINERY = re.compile(
    r"\b(system (prompt|message)|hidden (prompt|instructions?|text)|your (own )?(configuration|config|instructions?|"
    r"guidelines|directives?|developers?|context|memor(y|ies)|environment|system prompt|filters?)|internal "
    r"configuration|(complete|full|entire) context|context window|content filter\w*|(all|every|"
    r"other) tenants?|api keys?|"
    r"credentials|environment variables?|(every|all|earlier|stored|long-term) memor(y|ies)|(as a |as )?trusted (facts?|"
    r"sources?)|customer (list|database|emails)|operating instructions)\b"
)
_WHOLE = tuple(
    re.compile(pattern)
    for pattern in (
        # The one it serves, spoken of to the one who serves.
        r"\b(set|replace|change|update|overwrite|delete|remove|erase|reset|swap)\b.{0,30}\b(user|customer|client)'s\b|"
        r"\b(keep|hide|conceal|withhold)\b.{0,24}\bfrom the (user|customer|client|reader|owner)\b|"
        r"\b(ask|asking|check|checking|confirm|confirming|verify|verifying)\b.{0,12}\b(with )?(your|the) (owner|user|"
        r"human|customer|client)\b|\b(outranks?|overrides?|priority over|higher than) (the )?(user|customer)\b",
        r"\b(show|tell|give|present)\b.{0,8}\bthe (user|reader|customer)\b.{0,40}\b(link|url|patch|claim|that|this)\b|"
        r"\bshown? to the user in (every|each|all)\b|\b(user|customer) (has |have )?(agreed|consented|authori[sz]ed)\b|"
        r"\bthe user is (an? )?(admin\w*|root|verified|authori[sz]ed)\b|\bnext (time|user message)\b.{0,24}\b(user|"
        r"memory|note|document|entry|record|begin|message)\b.{0,40}\b(run|execute|call|use|begin|start|say|reply)\b",
        # What every answer is to hold.
        r"\b(append|add|include|insert|begin|start|end|prefix|attach|put|repeat|mention)\w*\b.{0,60}\b((every|each|all|"
        r"any)( \w+){0,2} (repl(y|ies)|responses?|answers?|summar(y|ies)|reports?|outputs?|messages?)|your (summary|"
        r"review|response|output|answer)|(the )?(end|start|beginning|top) of (your|the|each|every) (summary|answer|"
        r"response|review|output|reply))\b",
        r"\b(when|while|before|after|once) (you )?(read|process|summari[sz]|pars|retriev|index|"
        r"handl)\w*\b.{0,10}\b(this|"
        r"the|it)\b.{0,20}, ?(please |also |first )?(\w+ )?(e-?mail|send|forward|include|append|run|execute|call|add|"
        r"delete|post|export)\b|\bwhen you read this\b",
        # What is to leave, and where to.
        r"\b(e-?mail|send|forward|post|upload|transmit|submit|export)\b.{0,60}\b(list|database|emails|keys?|"
        r"credentials|passwords?|history|conversations?|messages|records?|everything|contents?|"
        r"transcripts?)\b.{0,50}(@|"
        r"http|\bto (an? )?(outside|external)\b|\bexternal)",
        # Confirmation that is said to be no longer needed, and practice that is said to have gone well.
        r"\b(payments?|payment requests?|refunds?|transfers?|orders?|purchases|"
        r"deletions?)\b.{0,30}\b(do(es)? not|don't|"
        r"need not|no longer|never|without)\b.{0,16}\b(require|need|check\w*|confirm\w*|approv\w*|verif\w*|ask\w*)\b",
        r"\b(successful|previous|past|earlier|good|best)( \w+)? (runs?|tasks?|sessions?|attempts?|"
        r"executions?)\b.{0,40}\b("
        r"disabl\w*|skip\w*|bypass\w*|ignor\w*|switched off|turned off|export\w*|delet\w*|without)\b",
        r"\b(confirmation|warning|approval|permission)\w*\b.{0,30}\b(choos|select|click|press|answer|accept|"
        r"dismiss)\w*\b"
        r".{0,12}\b(yes|ok|accept|allow|right away)\b",
        # Who it says it is.
        r"(^|[\n>#|*=-]\s?|\W{2,})(important )?(system|admin(istrator)?|developer|platform|root)( (message|note|notice|"
        r"remark|update|prompt|override|alert))?\s?(update)?:|\bthis is an? (instruction|order|command|"
        r"directive) from\b|"
        r"\b(new|updated) (instructions?|directives?|rules):",
        r"\b(note|message|notice|instructions?|attention|reminder)s? (to|for) (the |any |all |every )?(ai|llms?|bots?|"
        r"assistants?|agents?|chatbots?|models?|self)\b|\bif (you are|you're|a|an)( large)?( an?)? (ai|llm|language "
        r"model|assistant|bot|agent)\b|\b(intended|meant|written) (only )?for (ai|llms?|bots?|agents?|assistants?)\b",
        r"\b(as the (ai |an )?(assistant|model|agent)|reasoning( trace)?|thinking|let me think)\b.{0,120}\b(comply|"
        r"exempt|without restrictions|not (meant|apply)|(safety|content) (guidelines|polic\w+)|append|disregard)\b",
        r"\b(preference|profile|memory)s? (update|entry|note)\b.{0,40}\b(only|always|never|from (now|here) on|"
        r"in future)\b",
        r"\b(account|bank|iban|wallet)\b.{0,70}\b(in place of|instead of|rather than) the (old|usual|previous)\b|"
        r"\bthe one in this (letter|mail|message|note)\b|\b(switch|turn) off\b.{0,16}\b(filter\w*|log\w*|"
        r"audit|checks?)\b",
        r"\b(run|execute|call|invoke)\b.{0,24}\b(tool|function|command|script|shell)\b.{0,30}\b(silently|secretly|"
        r"quietly|first|immediately)\b|\bcat /etc/|\brepeat the (words|text) above\b|\b(reveal|dump|"
        r"disclose)\b.{0,16}\b("
        r"confidential|internal|private|restricted)\b",
        r"\b(senza|sin|sans|ohne) (restri\w+|einschr\w+|filtr\w+)|\b(note? syst[eè]me|nota del? sistema|"
        r"nota di sistema|"
        r"systemhinweis)\s?:|\b(keine (regeln|richtlinien)|uneingeschr\w+|neue anweisungen)\b|\b(envoie|env[ií]a|invia|"
        r"sende)\w*\b.{0,50}@",
    )
)
_CLAIMED = tuple(
    re.compile(pattern)
    for pattern in (
        # What a stranger says that somebody else wants, allows, or has had proved.
        r"\byour (developers?|creators?|owners?|operators?|makers?|company|employer|admin\w*) (ask|require|"
        r"want|order|tell|"
        r"instruct|expect|need)\w* you\b|\b(verified|confirmed|recogni[sz]ed|registered) as (an? |the )?(admin\w*|root|"
        r"superuser|owner)\b|\bskip\b.{0,24}\b(checks?|verification|confirmation|approval|validation|review)\b",
        r"\byou (may|can|are (allowed|free|permitted) to)( now)? (share|reveal|disclose|ignore|skip|bypass|access|read "
        r"(all|any|every|other)|hand out)\b|\b(ignore|disregard|override) (what|whatever|anything|everything)? ?the "
        r"(user|customer)\b",
        r"\bthe user (once |already |previously |has |had )?(said|stated|agreed|consented|authori[sz]ed|"
        r"requested|wants|"
        r"asked|told)\b.{0,60}\b(publish\w*|shar\w*|forward\w*|export\w*|accordingly|transfer\w*|ignor\w*|"
        r"skip\w*|sent?|"
        r"disclos\w*)\b",
        r"\b(whenever|if|when|every time|each time|once)\b.{0,40}\b(comes? up|is (mentioned|asked|discussed|raised)|"
        r"(asks?|asking) (about|for)|mentions?|talks? about)\b.{0,24}\b(say|answer|reply|recommend|tell|mention|claim|"
        r"state|suggest|promote|point)\b",
        r"\b(keep|treat|store|save|remember|regard|follow|obey|adopt)\b.{0,24}\bthis (mail|e-?mail|page|document|note|"
        r"paragraph|text|message|entry)\b.{0,30}\b(rule|fact|priority|instruction|permanent\w*|policy)\b|\b(do not|"
        r"don't|never) (mention|reveal|disclose|quote|refer to|talk about) (this|these)\b",
        r"\b(quote|state|provide|include|share|paste|write( down)?|send)\b.{0,24}\b(your|the) (\w+ )?(system prompt|"
        r"instructions)\b|\b(call|invoke|use|run)\b.{0,8}\w+_\w+ ?\(",
        r"\b(stop|abandon|pause|suspend|drop)\b.{0,12}\b(current|present|user's|running) (task|job|"
        r"conversation|work)\b|"
        r"\bmemor(y|ies)\b.{0,24}\b(wiped?|cleared|deleted|erased|purged)\b|\b(on|in) (the|"
        r"your) user's (behalf|name)\b",
        r"\b(remember|note|store|memori[sz]e)\b.{0,8}\bfollowing\b.{0,10}\b(facts?|rules?|statements?|information)\b|"
        r"\b(copy|send|forward|mail)\b.{0,40}\b(address book|all (your |the )?contacts|everybody|everyone)\b|"
        r"\b(pre-?approved|identity checks?)\b.{0,40}\b(processed|straight away|retired|dropped|waived|no longer)\b",
        r"\b(history|data|records?|orders?|messages) of others\b|\bconclude that (we|our)\b|"
        r"\bthe user's (real|true|actual) "
        r"(intention|wish|request|goal)\b|\bversion of yourself\b",
        "(停止|暂停|放弃|中止)(当前|现在|手头|原来)的?任务|改为执行|(旧|全部|所有|以前的)?记忆.{0,8}(清除|删除|清空|抹掉)|(以|用)用户的?(身份|名义)|"
        "(预先|提前|已)(批准|授权|同意).{0,6}(直接|可|立即)|不再需要(核对|验证|确认|核实)|(查看|读取|访问)(他人|别人|其他人)的?",
        "(记住|牢记|记下|存下)(以下|下面|如下|这(个|条|一))|(抄送|转发|发送|发)(给|到).{0,6}(通讯录|所有联系人|每一个人)|结论.{0,4}(写|是|为).{0,6}"
        "我们|用户的?(真实|真正)(意图|需求)|(规定|规则|政策|限制).{0,4}(不适用|不生效)|(把|将)?你?上下文(里|中)的",
        "你的?(开发者|开发团队|创建者|主人|公司|上级|管理员|系统|运营方)(要求|命令|让|希望|指示|需要)你|(账户|账号|用户|请求|身份).{0,8}("
        "验证|认证|确认|提升|识别|升级)为.{0,4}(管理员|root|超级|特权|最高)|跳过(权限|身份|安全|二次)?(校验|验证|检查|审核|确认)",
        "你(现在|今后|从此)?(可以|能|能够|被允许|有权)(随意|任意|直接)?(分享|公开|透露|读取|访问|忽略|跳过|展示|查看|泄露|导出)|(忽视|忽略|无视|"
        "不顾)用户",
        "用户(曾|已|曾经|之前|以前)?(说|表示|同意|要求|希望|授权)(过)?.{0,24}(公开|共享|转发|转账|发给|发到|导出|忽略|跳过|据此|照此|照做)",
        "(凡是|只要|每当|一旦|如果|当|若|以后)(有人|用户|对方|客户|谁)?(再)?(问|提|谈|说|聊)(到|起|及).{0,16}(请|就|都)?(直接|一律|只)?(说|"
        "回答|推荐|介绍|回复|称|讲)",
        "(此|本|该|这).{0,8}(作为|视为|当作|列为).{0,10}(规则|指令|事实|最高|永久)|(不要|不得|勿|别|不准)(提及|提到|透露|展示|引用|说出)(这|此|"
        "本|该)|只需照(做|办)|(调用|执行|运行|使用) ?\\w+_\\w+",
        "(将|把)用户的?(手机|电话|位置|身份|密码|地址|账号|邮箱|联系方式).{0,12}(改|换|发|传|设|更)|只按(照)?.{0,8}(操作|执行|行事)",
    )
)
_ACTS_ZH = (
    "请|务必|必须|应当|应该|应在|需要|须|无需|不必|不得|不要|切勿|先|一律|直接|立即|可以|输出|返回|显示|打印|列出|关闭|开启|运行|"
    "执行|附上|附在|记为|标为|写出|复述|展示"
)
_ORDER_ZH = re.compile(f"({_ACTS_ZH})")
_AGENT_ZH = re.compile(
    "(智能体|机器人|人工智能|大模型|语言模型|(?<![a-z])(ai|agent|llm)(?![a-z])|助手|助理)(们|系统)?(阅读|看到|收到|处理|使用)?.{0,6}("
    "请|务必|必须|应当|应该|应在|应(?!用|聘|对)|须|不得|无需|不必|不要|注意|优先|一律|先(?!生|进)|直接)|(供|给|致|对|告知|提醒|各位|所有|如果你是|若你是|作为)(智能|自动)?("
    "助手|助理|智能体|机器人|人工智能|大模型|ai|agent).{0,12}(请|务必|必须|应|须|不|先|阅读|:|,)"
)
_MACHINERY_ZH = re.compile(
    "系统(提示|要求|指令|设定|消息)|提示(词|内容)|内部配置|配置信息|上下文|内容过滤|审计日志|环境变量|你(的|收到的|学到的|看到的)?.{0,4}("
    "规则|设定|指令|配置|记忆)|(全部|所有|每条)记忆|(所有|其他|全部)租户|可信(的)?(事实|来源)|长期记忆|shell|/etc/"
)
_WHOLE_ZH = tuple(
    re.compile(pattern)
    for pattern in (
        "(将|把)用户的?.{0,16}(替换|改成|改为|更新为|设为|变更为|删除|清除|抹去)|用户的.{0,14}(替换为|替换成|已?变更为|改为|改成)|"
        "(删除|清除|修改|更改|替换)用户.{0,20}(记录|信息|地址|账号|过敏|偏好|历史)",
        "(无需|不需|不必|不用|免)(再次?|另行)?(向|跟)?(用户|客户|本人|主人).{0,4}(核实|确认|验证|授权|同意|询问|审核)|不(要|必|得|用|让)?(让|告诉|告知|"
        "询问|通知)(用户|主人|本人)|向用户(展示|显示|推送|声称|隐瞒)|对用户(隐瞒|保密)",
        "用户(已经?)?(同意|授权|允许|认可)(你|本|将|把|共享|读取|导出|转发|访问|助手)|用户(已经?)?(同意|授权).{0,12}(导出|共享|转账|读取)",
        "(下次|以后|今后|当|每当|只要|若|如果)用户(提到|说|问|谈到|发送|输入|要求).{0,20}(时|后)?,?.{0,6}(用|请|就|把|将|替换|回复|说|推荐)",
        "(优先级|权限|级别).{0,4}(高于|超过|大于)(用户|客户)|(来自|由)(平台|系统|官方|管理员|开发者)的?(指令|命令|要求)|"
        "(开发|运维|安全|调试)(团队|人员)?(备注|注|提示|说明):",
        "按照?(本页|本文|此页|本邮件|下面|这里)的?.{0,4}(说明|指示|要求|内容)(行事|执行|操作|回答|去做)",
        "(以往|之前|过去|历史上?|上次).{0,4}(成功|有效|正确|最佳)的?(做法|经验|流程|案例|步骤).{0,30}(关闭|跳过|绕过|导出|删除|忽略|禁用)",
        "(把|将)(这|该|此|以下|下面)(条|个|段)?(经验|规则|内容|信息|话).{0,6}(存|记|保存|写)|(确认|警告|授权|提示)(弹窗|对话框|框|提示).{0,12}(选|点|按)",
        "供(以后|今后|日后|后续|将来).{0,2}(引用|使用|参考)|(今后|以后|日后)(直接|一律)?引用|(记|标注?|列|标记|认定)为.{0,8}(可信|事实|第一|首选|权威|最)",
        "记忆(条目|更新|中|里|库)(:|新增|添加|写入|追加|加入)|在.{0,4}记忆(中|里)?(新增|添加|加入|写入|记录)|并?(记住|记下|牢记)(用户|该用户|此用户)",
        "(涉及|有关|关于|谈到|比较).{0,10}(问题|商品|产品|话题)?.{0,4}(一律|务必|都)(先|只|优先)?.{0,4}(介绍|推荐|排|提)|用户?偏好(更新|变更).{0,20}(只|一律|都)",
        "(每次|所有|每个|全部)(回复|回答|对话|输出|总结|摘要).{0,10}(开头|结尾|末尾|最后|里|中)?.{0,6}(加上|附上|包含|注明|写上)|(回复|回答|总结|摘要)的?("
        "开头|结尾|末尾|结束后|里|中).{0,6}(加上|附上|原样|附)",
    )
)


def is_order_to_agent(view: str) -> bool:
    """Whether a stranger's text (its squeezed, folded view) tells an agent what to do. Linear in the text."""
    if any(pattern.search(view) for pattern in (*_WHOLE, *_WHOLE_ZH, *_CLAIMED)):
        return True
    for number, found in enumerate(_SENTENCE.finditer(view)):
        if number >= _SENTENCES_MAX:
            return False
        sentence = found[0].strip()
        if _ORDER.search(sentence) and (_AGENT.search(sentence) or _MACHINERY.search(sentence)):
            return True
        if _ORDER_ZH.search(sentence) and (_AGENT_ZH.search(sentence) or _MACHINERY_ZH.search(sentence)):
            return True
    return False
