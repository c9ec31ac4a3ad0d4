"""Cues of what a clause does: asks, requests, supposes, jokes, chats, doubts. See `engine.cues`."""

# name: (Chinese, English)
DONE: dict[str, tuple[str, str]] = {
    "question": (
        r"[吗嘛]$|[吗嘛]\?|(?<!没)(?<!没有)什么(?!的|都)|怎么|怎样|咋|哪(?!怕)|谁(?!的资|都)|(?<![好十])几(点|"
        r"号(?!楼)|个(?!同事|朋友|人)|月|岁|次|时|家|种|天|楼|层)|多少|多(大|久|远|长|高|快|贵)|为(什么|啥|何)|"
        r"是否|能不能|要不要|会不会|是不是|有没有|可不可以|好不好|对不对|该不该|行不行|如何|啥|呢$|有何|区别",
        r"^(and |so |but |ok |hey |hi |um |well |also )?(what(?! a\b| an\b)|how|why|when(?! (it comes|i |you |we |"
        r"my |the ))|where(?! i |as)|who(?!ever)|whom|whose|which|can(?!')|could(?!')|would(?!n't rather)|will|"
        r"should|shall|do(?!n't)|does(?!n't)|did(?!n't)|is(?!n't)|are|am|was|were|have you|has|any (ideas|chance|"
        r"tips|good|suggestions|recommendations|thoughts)|got any|what's|who's|where's|how's|whats|hows|isn't|"
        r"aren't|don't you|doesn't)\b",
    ),
    "ask": (
        r"^(那|那么|嗯|哦|好|麻烦|请|你|您|能|先|再|快|赶紧|就|顺便|你能|可以|能不能|可否|劳驾|拜托|下次)*(帮|替|"
        r"给我|为我|查|搜|找|写(?!字楼|真|生)|翻译|总结|推荐|解释|讲(?!师|座|台)|告诉|列(?!车)|算(?!法|盘)|"
        r"画(?!室|家|廊|展|册|面|像|框|板|院)|生成|看看|看下|规划|设(一|个|成|为)|放(?!假|学|疗|射)|播|打开|关(掉|"
        r"上)|继续|说说|说一|介绍|举|分析|比较|对比|转一?(条|成)|把这|把下|把上|把刚|润色|改写|检查|提取|整理|"
        r"模拟|扮演|描述|编(?!辑|号|程|制|码)|续写|起个|取个|来(个|一|点)|出(个|几)|教我|给(我|一|几|个)|示范|"
        r"重复|输出|回答|朗读|念|计算|预测|评价|点评|帮忙|分享|接着)|(推荐|建议|意见|方法|技巧|办法)(一下|一些|"
        r"给我)?(吗|吧|呢)?$|推荐(一|几|给|点|下)|(给|教|告诉|推荐|介绍)(我)?(一些|一点|点|几|个)",
        r"^(ok |okay |so |and |then |now |also |hey |please |pls |kindly |just |quickly |go ahead and )*(can you|"
        r"could you|would you|will you|give me|show me|tell me|find|check|write|draft|translate|summari[sz]e|"
        r"explain|list|make|create|generate|play|set|open|compute|calculate|convert|flip|pick|help|look up|"
        r"look at|search|compare|recommend|suggest|describe|compose|name|sketch|fix|rewrite|book|order|let's|roll|"
        r"plan|turn|add|remove|sort|count|draw|print|run|schedule|cancel|read|edit|proofread|paraphrase|outline|"
        r"brainstorm|analy[sz]e|evaluate|solve|define|provide|imagine|act as|walk me|teach me|try|guess|rank|"
        r"choose|estimate|design|send|pull up|pass me|remind yourself|start|stop|repeat|continue|wait|hold on|"
        r"think|take|ensure|explore|discuss|prepare|craft)\b|\bany (good )?(recommendations|suggestions|advice|"
        r"tips|ideas)|can you (recommend|suggest|give|tell|help|teach|explain)|could you (recommend|suggest|give|"
        r"tell|help)|please (recommend|suggest|help|give|tell|explain|write|make|find|check|show)",
    ),
    "if": (
        r"假设|假如|如果|要是|倘若|设想|万一|假想|若(?!干|无其事)|想象(一下|你|我|自己)|(等|哪天|"
        r"有朝一日)我?(中奖|中了|发财|发了财|有钱)|下辈子|上辈子|就好了$|多好$|比方说|打个比方|换作|换成(是)?你",
        r"\b(suppose|supposing|imagine|pretend|hypothetically|what if|let's say|say i|assuming|in theory|"
        r"if i (were|was|had|won|could|became|ever|inherit|got)|if only|wish i|one day i'll|were i to|would i|"
        r"i'd (be|move|buy|live|sell|quit|open))\b|^(if|say) ",
    ),
    "joke": (
        r"开玩笑|逗你(玩|的)?|骗你的|哈哈哈|(?<=[\u4e00-\u9fff])哈哈|吹牛|月球|火星|外星|穿越|玩笑|😂|🤣|狗头|"
        r"\[doge\]|段子|皮一下|我是(秦始皇|奥特曼|超人|玉皇|皇帝|国王|上帝)|笑死|门票你包|v我50|地球(人|球长)|"
        r"[哈死，。！~]\s?233+(?!\d)",
        r"\b(just kidding|jk|kidding|joking|haha+|hehe|lol|lmao|rofl|as if|pun intended|just messing|"
        r"pulling your leg)\b|😂|🤣|😜|doctor's orders|on (mars|the moon)|world domination|talk to (my|her|"
        r"his) (agent|people)",
    ),
    "irony": (
        r"(可|真|太|好)(开心|高兴|幸福|棒|好|幸运|爽|贴心|会|美)(死了|死我了|呢|了啊|啊)?(?=.{0,3}$)|呵呵|真(会|"
        r"行|棒)啊|又(要)?加班|好极了|谢谢您嘞|感动得|真是(谢谢|太)|(正好|刚好)是我(想|要)的|求之不得|巴不得",
        r"\b(yeah right|yeah,? i totally|oh great|oh,? (lovely|brilliant|fantastic|perfect|joy|wonderful)|"
        r"just what i (needed|wanted)|exactly what i (ordered|needed|wanted)|how (lovely|wonderful|nice) of|"
        r"thanks a lot|big surprise|shocker|what a (treat|joy|surprise)|can't wait to (sit|queue|do)|"
        r"totally (adore|love)|so much fun|lucky me|my lucky day|wow|living the dream|love (it when|that for me|"
        r"how)|nothing (better|like)|who doesn't love)\b",
    ),
    "passing": (
        r"我(正)?在(等|开会|排队|路上|吃|忙|赶|坐|走|睡|洗|地铁|公交|楼下)|刚(刚|才)?(到|吃|看|醒|下班|起|回|碰|"
        r"打完)|接个?电话|等我|先去洗|肚子|冻死|怎么还不|有点(冷|热|困|累|撑|饿|胀|咸|晕)|(?<!我)这会儿|"
        r"(?<!我)现在正|此刻|快没电|没电了|信号|在路上|堵(车|在|死)|排队|没睡好|好?困(死|s|了|啊|$)|累(死|s|坏|瘫|"
        r"了|$)|饿(死|了|$|s)|渴(死|了)|冷死|热死|头(疼|痛|晕)(?!药)|(?<!不)无聊|心情(不好|不错|很|好|糟)|好烦|"
        r"烦死|郁闷|打喷嚏|电梯里|地铁上|公交上|开会(中|呢)|马上(到|就|回)|等(一下|会|下)|待会|稍后|(今天|今早|"
        r"今晚|刚刚?|刚才).{0,10}(挤|堵|下雨|热|冷|累|困|忙|饿|吃|喝|睡|迟到|散步|天气)|天(儿|气)(真|很|好|不错|"
        r"挺|这么)|适合晒|下(雨|雪)了|周五了|终于(熬|下班|周|放)|加班中|在忙|卡(住|死)了|网(好|太)?(卡|慢)|折腾|"
        r"顺$|吐槽|今天(我|真|好|又|是|的)",
        r"(percent|battery|throat|stuffed|bloated|signing off|that's all|here i am|should have worn|next door|"
        r"upstairs|outside)\b|^(just|still|off|going|waiting|stuck|freezing|feeling|had|having|slept)\b|\b(i'm|im|"
        r"i am|feeling|so|a bit|really|pretty|quite) (so |really |a bit |very |super |just |pretty )?(tired|"
        r"exhausted|bored|hungry|starving|thirsty|cold|hot|sleepy|busy|stuck|late|sick of|fed up|running late|"
        r"freezing|knackered|stressed|sad|happy|excited|annoyed|grumpy|down|overwhelmed|confused|lost|ok|okay|"
        r"fine|good|back|here|in|at)\b|killing time|\bbrb\b|(phone|battery|laptop)('s| is)? (dying|almost dead|"
        r"about to die|nearly dead|low)|stuck in|in traffic|on the (bus|train|tube|way)|right now|at the moment|"
        r"just (woke|got home|landed|ate|had)|raining|sunny|the weather|weather('s| is| has)|\b(for|"
        r"had) (breakfast|lunch|dinner)|this (queue|form|meeting|train|traffic)|ugh|long day|what a day|"
        r"goes on forever|one sec|hang on|(wi-?fi|signal|internet) (is|keeps|dropped)",
    ),
    "agent": (
        r"^(你|您)(可|真|太|好|也|这|是|很|说|讲|懂|给|推荐|提)|你(可|也|真|好|太|很)(真|太|会|棒|厉害|聪明|贴心|"
        r"可爱|幽默|逗|好笑|funny|cute|nice)|你说得|你的(建议|回答|推荐|意见|陪伴|帮助|支持)|(这些|这个|那|很|"
        r"非常)?(好)?(建议|意见|方法|主意)(很|都|非常|真|不错)|谢|感谢|(跟|和|与)你聊|陪(着|伴)我|你最近|请教|"
        r"希望我们|我也(这么|这样)(觉得|想)|不客气|客气|辛苦|陪伴|听(上去|起来)|很有(道理|用|帮助)|有道理|懂了|"
        r"明白|有意思",
        r"^(haha |lol |wow |oh |aw+ |well )*(you('re|r| are| do| really| always| made| make| have been| crack|"
        r" rock| got)|ur )|your (advice|suggestions?|help|answer|recommendations?|companionship|support|time|"
        r"encouragement)|thank|thx|cheers|appreciate|sounds (great|good|nice|interesting|delicious|like a plan)|"
        r"(that|it|this|these|those)('s| is| are| sounds?| all sound| make| makes)( really| very| a| an| some|"
        r" all| great| such)* (great|good|nice|helpful|useful|sense|true|interesting|wonderful|amazing|awesome|"
        r"cool|funny|perfect|right|practical|idea|suggestions?|advice)|good (point|idea|suggestion|call|one)|"
        r"well said|glad to hear|nice to (meet|chat|talk)|great (idea|advice|suggestion|chat)",
    ),
    "meta": (
        r"(和|跟|与|同)你(聊|分享|说|谈|请教|讨论|讲)|(想|来)(问|请教|聊|谈)(你|一个|一些|问)?|(问|请教)你|聊(聊|"
        r"天|些|一聊)|我(会|要|也会|一定会?|愿意)?(好好|努力|继续|认真|仔细|尽力|尽量|试着|试试|考虑|记住|注意|"
        r"尝试|去查|去找|加油|坚持|多)|分享|听我|愿意听|再(聊|见|来找你)|下次(再|见|聊|还能|还想)|不知道(该)?(怎么|"
        r"如何|什么|从)|"
        r"遇到.{0,8}(问题|麻烦|困难)|有(个|一个|一些|几个)(问题|烦恼|疑问|想法)|怎么办|烦恼|相信(最后|自己|会)|"
        r"听到你|向你学习|得向你|了解你",
        r"\b(want(ed)? to|like to|love to|came to|here to) (talk|chat|share|discuss|ask|tell|hear|speak)|talk (to|"
        r"with) you|chat with you|share (with you|some|my)|\bi('ll| will) (definitely |try|think|consider|keep|"
        r"give|study|check|look|do|take|practice|work|remember|come|let)|try (my best|that|it|these|them|your)|"
        r"encountered|don't know (how|what|where)|what should i|another question|question for you|"
        r"have a (question|problem)|talk again|next time|goodbye|see you|bye|good (morning|night|evening)|"
        r"catch you|keep in touch|stay in touch|let me know|feel free|\bi (believe|think so|never knew|agree|"
        r"feel the same)\b|\bi'm (sure|happy to|glad)\b|happy to hear|get to know you|know more about you|"
        r"looking forward|can't wait|learn (it |that )?from (you|your)|learned something|believing in me|"
        r"have to go on|do my best",
    ),
    "generic": (
        r"据说|听说|听人说|光速|地球|太阳|沸点|熔点|朝(诗人|代)|人一天|每秒.{1,8}公里|(其实)?(是|属于)(哺乳动物|"
        r"浆果|水果|植物|昆虫|鱼类|行星|元素)|传闻|科学家|研究(表明|发现|显示)|世界上|全世界|地球|人类|世上|"
        r"一般来说|理论上|历史上|(全国|全球|国内|台湾|中国|日本|世界|欧洲|非洲|亚洲)(最|第一)|最(高|大|长|深|古老|"
        r"快)的(山|河|湖|城市|国家|动物|建筑|楼|桥|海|星)|首都|的人(都|一般|通常)|新闻(说|里|上)|人家说|俗话|古人|"
        r"大家都知道|这部(电影|剧|书)|这本书|讲述|主角|情节|剧情|网上(说|看)|星座|运势|算命|(生活|人生|社会|"
        r"未来)(就|有|应该|需要|谁|是|充满|总)|人(们)?应该|健康第一",
        r"^(?!my |our |the |this |these |those |his |her |all |we |they |you |there )[a-z]+s (are|have|can|live|"
        r"blink|eat|sleep|contain|were) |^people\b|per second|a second$|^(light|water|sound|gold|honey|blood|"
        r"sunlight) |\b(apparently|did you know|scientists|studies show|research|fun fact|they say|people (who|"
        r"say|in|are|should|need|often)|most people|everyone|in general|the (tallest|highest|largest|longest|"
        r"biggest|fastest|oldest|capital|universe|earth|moon|sun)|humans|mankind|history|the movie|the film|"
        r"the book|the novel|the story|is about|you can|you need|one (should|must|can)|experts|some (guy|man|"
        r"woman|lady|bloke|kid|people|dude)|a (guy|man|woman|stranger) )\b|\b(life is|society|the future|humanity|"
        r"horoscope|fortune teller|comes first|wasn't built)\b|\bwe (must|should|all|can all|can help|need to|"
        r"have to)\b",
    ),
    "vague": (
        r"一些|某(个|些|种)|有点|有些|好几|东西$|什么的|之类|一(部|本|首|个)(很|非常|有趣|好)|很多(人|事|东西)|"
        r"各种|问题|麻烦|困难|烦恼|感(觉|到|受)|启发|收获|帮助|道理|努力",
        r"\b(some|something|somewhere|someone|things?|stuff|a (book|movie|film|series|problem|question|lot|bit)|"
        r"many|several|various|nice|good|great|interesting|problems?|troubles?|worries|feel|felt|inspired|helpful|"
        r"useful|learned a lot)\b",
    ),
    "unsure": (
        r"(?<!不)可能(?!性|的话)|我猜|说不准|没(测|查|验|试)过|不(太|是很|大)?确定|拿不准|也许|或许|说不定|大概|不确定|"
        r"没(想好|定|决定|准)|(记|想|搞|弄)不(太)?清|记不得|不太记得|好像|似乎|估计|应该(是|在|有)?.{0,8}(吧|？|"
        r"\?)|没准|拿不准|吃不准|犹豫|纠结|再说|得问问|要看(天气|情况|票|时间)|看情况|不好说|八成|兴许|怕是|未必|"
        r"印象里|在考虑|考虑要不要|忘了是|不太?肯定|有可能",
        r"\b(might|maybe|perhaps|possibly|probably|not sure|may well|unsure|still discussing|weather (holds|"
        r"permitting)|waiting to hear|haven't decided|undecided|i think|i guess|i suppose|i believe|"
        r"can't remember|don't (quite |really )?remember|don't recall|i forget|not certain|may have|could be|"
        r"could have|supposedly|need to check|if i remember|or was it|don't trust me|thinking (of|about)|"
        r"considering|"
        r"(i|we|he|she|they|it) may (?!\d)[a-z]+|in two minds|on the fence|hopefully|tentative)\b|\bmay (be|have|go|"
        r"move|not)\b|\b(reckon|"
        r"toying with|nothing's decided)\b",
    ),
    "hedge": (
        r"不太?(确定|肯定)|没(想好|定|决定|准|打定主意)|(记|想|搞|弄)不(太)?清|记不得|拿不准|吃不准|再说$|看情况|"
        r"不好说|得(问问|查一下|看看|问一下|查查|翻翻|翻一下|找找|核实|确认|量一下|量量)|忘了是|还是.{1,6}来着|"
        r"等通知|还在商量|要看(天气|情况|票|时间)",
        r"\b(not (quite |really |entirely )?(sure|certain|settled)|unsure|haven't decided|undecided|nothing('s|"
        r" is) decided|can't remember|don't remember|i forget|(need|have) to (check|look|ask|measure|confirm)|"
        r"in two minds|"
        r"not (a )?(hundred|100)( percent|%)? sure|"
        r"on the fence|hard to say|still (discussing|thinking about)|never (had it )?tested|to be confirmed|"
        r"not settled|waiting to hear|depends)\b|,? i think$|,? i believe$",
    ),
    "guess": (
        r"可能|大概|大约|约莫|也许|估计|似乎|好像|应当是|应该(是|在|有|会|喜欢)|或许|看来|推测|猜测|猜(是|想|他|她)|"
        r"看样子|"
        r"想必|多半|疑似|看起来|推断|倾向|判断|像是|根据.{2,20}(看|推|判)|从.{2,20}(看|来看|判断)|据.{2,10}(推|判|"
        r"看)",
        r"\b(likely|probably|perhaps|maybe|might|possibly|presumably|apparently|seems?|appears?|looks (as|like)|"
        r"suggests?|i (think|guess|suspect|infer|assume)|based on|judging|may be|may have|could be|inferred?|"
        r"guess|suspected|sounds like|must be)\b|\bmay \w+",
    ),
}
