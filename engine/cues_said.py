"""Cues of what a clause says: of whom, how lasting, a liking, a fact, a happening, an order. See `engine.cues`."""

from engine.cue_words import CLOCK, DAY_EN, DAY_ZH, KIN_EN, KIN_ZH

# name: (Chinese, English)
SAID: dict[str, tuple[str, str]] = {
    "own": (f"(我|咱)(的|家|们|这|那|{KIN_ZH}|\\w{{0,4}}(是|叫|在|有|会|住))|家里|家中", r"\b(my|our|mine|ours)\b"),
    "kin": (
        f"(我|我家|我们|咱|咱家|那个|我的)(大|小|二|三|前|现)?({KIN_ZH})",
        rf"\b(my|our)( \w+)? ({KIN_EN})\b|^(dad|mum|mom|gran|grandma|grandad|grandpa|nan)\b",
    ),
    "possess": (
        f"(我|咱|俺)(的(?!(建议|意见|帮助|天|妈呀|确|话))|家|们?这|们?那)\\w{{0,8}}(是|在|有|叫|放|归|为|停|用|姓|"
        f"到|属|装|写|要|只|不|没|都|搬|换|改|升|碰|带|吃|爱|怕|每)|(我|我家|咱家)({KIN_ZH})|家里.{{0,8}}(是|有|没|"
        f"装|用|养|放|叫|在|的)|我.{{0,3}}每(天|月|周|年)",
        r"\b(my|our)\s[\w' -]{1,40}?\b(is|are|was|were|has|have|had|isn't|aren't|hasn't|lives?|works?|carr(y|"
        r"ies)|runs?|only|never|always|loves?|hates?|likes?|goes|comes|starts?|ends?|moved|owns?|needs?|takes?|"
        r"uses?|prefers?|stays?|got|gets?|closes?|opens?|leaves?|said|can't|can|does|doesn't|don't|flies|plays?|"
        r"teaches|studies|turned|turns|handles?|passed|died)\b|\bmy [\w ]{1,24}'s\b|^(my|"
        r"our) [a-z]+( [a-z]+)? [a-z]{2,}s\b|\b(with|text|call|ask|for|to|of) my \w+",
    ),
    "day": (
        DAY_ZH
        + "|\\d{1,2}月\\d{1,2}[日号]?|\\d{1,2}[号日](?!楼|线|院|门)|"
        + "十?[一二三四五六七八九十]号(之前|前|要|去|那)|"
        + CLOCK,
        rf"\b({DAY_EN})\b|{CLOCK}|\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}/\d{{1,2}}",
    ),
    "clock": (CLOCK, CLOCK),
    "self": (
        r"我|咱|俺|本人|家里|家中|家人|自家|自己|^家[门楼]",
        r"\b(i|i'm|im|i've|ive|i'd|i'll|my|mine|me|myself|we|we're|we've|our|ours|us|let's)\b",
    ),
    "like": (
        r"喜欢|喜爱|最爱|更愿意|宁愿|不愿意?(?!意思)|偏向|铁杆|粉丝|死忠|不太?能接受|接受不了|信不过|最烦|"
        r"很烦(?=.{1,6}(会|人|声|打|电))|无.不欢|没有抵抗力|离不开|不玩|不戴|不养|怕光|更?舒服|合得来|解压|这一口|"
        r"吃不惯|喝不惯|住不惯|看不惯|闻不(得|了)|一定要|偏爱|偏好|钟爱|热爱|热衷|酷爱|爱(吃|喝|看|听|玩|用|穿|逛|"
        r"唱|读|养|好|画|打|去|种|收集|喂|这口|那口)|不爱|迷上|着迷|沉迷|痴迷|更?习惯|宁可|宁愿|讨厌|厌恶|反感|"
        r"受不了|受不惯|最怕|忌口|吃(全|纯|蛋奶|奶)?素|素食|斋|清真|口味|爱好|感兴趣|兴趣是|兴趣在|首选|倾向(于|"
        r"用)|合我(的)?胃口|不对我胃口|对.{1,8}无感|(我|一概|从来?|都|绝|概|就|也|又|还是|能).{0,3}不(吃|喝|碰|抽|"
        r"沾|戴|坐|穿|看|听|逛)|只(吃|喝|用|看|坐|穿|买|要|认|听|选|去)|比起.{1,14}更|对.{1,10}(情有独钟|"
        r"没有抵抗力|过敏性)|重口|无辣不欢|离不开",
        r"\b(really |absolutely |quite |much )?(love|enjoy|prefer|adore|hate|dislike|detest|loathe)(s|d)?\b|"
        r"\bwon't (touch|eat|drink|wear|use|go near)|weakness for|die-hard|\bsupporter|meat eater|hooked on|"
        r"crazy about|suits? me|not for me|drains? me|i (go|opt) for|much rather|is what i (listen|read|watch|eat|"
        r"drink|use)|would live on|only (eats?|drinks?|wears?|watch(es)?|listens?|buys?|uses?)|don't trust|"
        r"passion|\bfan\b|partial to|obsessed|sick of (?=\w+ing)|is my thing|can't abide|"
        r"more of an? [\w -]{2,24} person|i (work|sleep|think|concentrate) best|as far as i'm concerned|"
        r"i only follow|hardly ever|rarely|is out$|easy on the|\bhousehold\b|turns me off|puts me off|queasy|"
        r"my kind of|the best way to (unwind|relax)|unwind|\b(i|we|he|she|they|who|also|really|always|do|don't|"
        r"doesn't|never|not) (also |really |especially |particularly |mostly |just )?likes?\b|\blikes? (his|her|"
        r"their|my|to|the)\b|can't (stand|bear)|cannot (stand|bear)|fond of|keen on|big fan|\bfan of|favou?rite|"
        r"my (usual|go-to|thing|comfort)|i'd rather|would rather|\bvegan\b|vegetarian|pescatarian|\bhalal\b|"
        r"kosher|plant-based|teetotal|i (never|don't|do not|won't|only|always) (ever )?(eat|drink|touch|wear|"
        r"watch|use|fly|smoke|buy|do|take|go|listen|shop|read)|gone off|not my thing|how i take|"
        r"\binto (\w+ ){0,2}(music|films?|movies?|books?|games?|sports?|cooking|running|art)|hobby|hobbies|"
        r"interested in|passionate about|sweet tooth|no-go|works best for me|suits me|put off by",
    ),
    "health": (
        r"过敏|哮喘|糖尿|血糖|血压|高血脂|色弱|色盲|近视|远视|散光|怀孕|孕\d|孕期|备孕|手术|毫克|微克|剂量|服药|"
        r"吃药|药物|乳糖不耐|不耐受|麸质|痛风|癫痫|心脏|听力|轮椅|残疾|红肿|起疹|疹子|荨麻疹|皮试|洗肾|透析|确诊|"
        r"诊断|血型|骨折|腰椎|颈椎|关节|失眠|抑郁|焦虑症|多动症|偏头痛|贫血|甲状腺|肝|肾|胃(病|炎|不适|溃疡)|"
        r"晕(车|船|机|血|针)|恐高|会晕|一(吃|喝|碰|闻|沾).{1,10}就(起|喘|吐|痒|肿|拉|疼|痛|咳|晕|过|打|头|恶心|"
        r"难受|不舒服|胃|流|红|发)|碰.{0,6}就(喘|痒|咳|肿|打喷嚏)|流鼻血|义肢|助听器|左撇子|左利手|忌(辛|油|酒|糖|"
        r"盐)|不能(吃|喝|碰|沾|剧烈)|戒(烟|酒|糖)",
        r"allerg|intoleran|asthma|diabet|co?eliac|epilep|pregnan|inhaler|epipen|insulin|blood (type|pressure|"
        r"sugar|group)|migraine|adhd|dyslexi|colou?r.?blind|wheelchair|\bdeaf|hearing aid|medication|prescri|"
        r"\d ?m(c)?g\b|\bdos(e|age)\b|diagnos|swell(s|ing)? up|i swell|breaks? (me )?out in|\brash\b|\bhives\b|"
        r"surgery|arthritis|insomni|anxiety|depress|tinnitus|vertigo|left-handed|lefty|short-?sighted|"
        r"near-?sighted|glasses|pacemaker|ibs\b|gluten|lactose|can't (eat|have|drink|tolerate)|makes me (sick|ill|"
        r"itch|sneeze|cough|wheeze)|sober|bad (knee|back|hip)|health problem",
    ),
    "identity": (
        r"(我|他|她|它|名字|小名|大名|外号|网名|本名)(的名字)?(就)?(叫|姓|名叫|唤作|写作)|名字(是|叫|里)|姓\w(，|"
        r",|$|的|，)|不姓|我(其实|现在|目前|真的|确实|一直)?(是(?!不是|否|说|想|觉得|怕|为了|来|指|真|要)|"
        r"不是(?!不)|当|做|干)(?!梦|什么)|(在|于).{1,14}(工作|上班|任职|就职|当|做|教|读|念|上学|实习|定居|住|"
        r"长大|出生)|(住|搬)(在|到|进|去|校|了|.{0,6}(楼|号|层|区|路|街|巷|小区|市|县|镇|村))|我(现在|目前|一直|"
        r"家)?住|来自|老家|籍贯|户口|户籍|毕业于|毕业生|专业是|学历|职业|职位|生日|属(鼠|牛|虎|兔|龙|蛇|马|羊|猴|"
        r"鸡|狗|猪)|星座|身高|体重|鞋码|尺码|穿.{0,4}码|\d+ ?岁|[一二两三四五六七八九十]+岁|"
        r"[一两二]米[一二三四五六七八九\d]|个子(矮|高)|我.{0,2}(开|骑|用|戴|穿|养|住)(的是|着)|我戴|单身|已婚|"
        r"离异|离婚|结婚|丁克|独居|一个人住|合租|我?(还|也|已经|现在)?(没有?|有)(个|一|两|三|四|\d|鼻炎|高血压|"
        r"糖尿病|哮喘|房|车|弟|妹|哥|姐|女|儿|猫|狗|\d|台|辆|条|只|间|套|房|车|电梯|孩子|驾照|女儿|儿子|签|证|"
        r"执照|学历|经验|装|.{0,6}(证|签证|驾照|执照|孩子|房子?|车|猫|狗|电视))|养(了|着|的|过)|我?开(的|着|"
        r"了(一)?(家|间))|拥有|会(说|讲|弹|开|写|游泳|做|拉|吹|唱|骑|用|修)|精通|母语|信(佛|教|基督|伊斯兰)|党员|"
        r"双胞胎|独生|排行|我.{0,3}不会|在读|大[一二三四]|研[一二三]|博士|硕士|退伍|退休|自由职业|创业|独生|"
        r"离过.{0,2}婚|结婚.{1,4}年|租的|房贷|学历|六级|四级|二手|顶楼|朝(北|南|东|西)|(住|在|"
        r"家)?[一二三四五六七八九十\d]{1,3}楼|没有?电梯|刚满月|人(家)?$|长大|通勤|工龄|干了.{1,4}年|是(广东|四川|"
        r"湖南|东北|北京|上海|.{2,3})人",
        r"\bmy (full |first |last |middle |real |nick)?name('s| is)|\bi'?m called|call me|\bi('m| am|m)( actually|"
        r" now| currently| also)? (not )?(an? |the |from |based|married|single|divorced|widowed|engaged|retired|"
        r"self-employed|unemployed|between jobs|originally|bilingual|left|right|\d+|in my|on the|colou?r|trans|"
        r"gay|straight|jewish|muslim|christian|buddhist|hindu)|\b(i|we)( also| now| currently)? (work|live|run|"
        r"own|drive|speak|teach|study|manage|lead|rent|share|ride|row|commute|play|keep|report|freelance|"
        r"volunteer|come from|grew up|was born|weren't born|graduated|majored|moved|moderate|coach|practi[cs]e|"
        r"train|use|bake|grow)\b|\b(i|we)(('ve| have| haven't)( also| only| never)? (got|had|been|lived|worked)|"
        r" have| don't (have|own|drive|smoke|speak|live|work|eat|drink|use)| do not (have|own)|'ve no)\b|"
        r"i was born|born in|years old|\baged? \d|birthday|based in|resident of|citizen|mother tongue|"
        r"native language|occupation|profession|\bkids\b|twin\b|no middle name|nationality|passport|maiden name|"
        r"surname|for a living|by trade|hometown|can't (drive|swim|cook|read|ride|dance|whistle)|shoe size|"
        r"\b(foot|feet|ft) (one|two|three|four|five|six|seven|eight|nine|ten|eleven|\d)|\bfoot\b|i'm (only |"
        r"just )?(twenty|thirty|forty|fifty|sixty|seventy|eighty|\d\d)|on the (ground|first|second|third|fourth|"
        r"fifth|sixth|seventh|top|\d+th) floor|(no|without a) (lift|oven|garden|car|tv|dishwasher)|"
        r"i wear (a )?size|my size|(i|we) (can|could) (speak|play|drive|cook)|i've been an?\b|job is\b",
    ),
    "standing": (
        r"(的时候|的话|时)(把|将|结论|要|都|请|别|只|保留|用|按|先|不要|优先|记得|给)|所有.{1,8}(都|用|按|要|"
        r"一律)|(选|查|订|看|买|要)只(看|要|选|订)|^(选|查|订|买|打车|点菜|点餐|写|发|回|报|翻译|推荐|安排|出|做|"
        r"导航|排版|搜).{0,10}(只看|默认|不要|避开|保留|落款|别|按|用|带|先)|给我(控制|限制|保持|留)|别选|别推荐|"
        r"(记得|一律|尽量|注意)(避开|回避|简短|简洁|带上|加上|留)|回答尽量|控制在|落款|不用敬语|永远(选|订|用|给|"
        r"要|不)|(写|做|推荐|总结|翻译|订|查|算|回答|安排|规划|列).{1,8}(的?时候?|时)(把|将|,|要|请|$)|要含税|"
        r"都(按|要|用|得|带|含|加)|以后(?!再说|再聊|的事|可以一起|我们|也会|我也)|今后|往后|之后.{0,8}(一律|都|请|"
        r"帮|记得|顺便)|从(今以后|今往后|现在起|现在开始|今天起|这以后)|一律|每次|每回|每逢|每当|凡是|但凡|始终|"
        r"永远|总是|总要|默认|统一|长期有效|一直这么|都这么办|都这样|务必|(别|不要|不许|不准)(再)?(给我|用|"
        r"放(?!心)|安排|推荐|发|写|安排|加|打|在|往|把|叫我|跟我用)|请(称呼|叫)我|叫我|称呼我|都要|都得|都用|都给|"
        r"都按|只要.{1,12}就|优先|先.{1,12}再|先.{0,6}给|记得(都|每|总)|不准|禁止|(最多|最少|不超过|至少)(给|写|"
        r"列|用|放|说|发)|(写|放|列|标)在(最)?(后|前|开头|结尾|末尾)",
        r"\balways\b|\bnever\b|\bonly,? please|(flights?|ones?|metric|direct|trains?|hotels?|results?|"
        r"answers?) only\b|\b(every|all|any) (code|answer|repl(y|ies)|emails?|recipes?|messages?|reports?|quotes?|"
        r"prices?|links?|dates?|chart|summar(y|ies)|output)|^(please )?(leave|keep|scale|round|limit|sign|format|"
        r"write|express|label|address|quote|cap|prefix|leave out|skip|avoid|include|reply|answer|respond|talk|"
        r"speak)\b (?!down|this|that|it\b|me a|a (poem|story|song|letter|letter|function|script|haiku)|an? )|"
        r"\bwhen you (write|reply|answer|show|send|recommend|suggest|book|plan|order|translate|talk)|^no (?!one|"
        r"problem|need|worries|thanks|idea|doubt)[\w ]{3,20}\b(after|before|on|at|in|please)\b|no exceptions|"
        r"formalities|\bwhen(ever)? you [a-z]+|in any \w+ you|spell out|put the \w+ (first|last|at the)|"
        r"just call me|be (blunt|brief|concise|direct|honest|formal|informal)|when it comes to|(in|for) any|"
        r"from (now|here) on|going forward|in (the )?future\b|any ?time|every ?time|whenever|by default|each time|"
        r"as a rule|at all times|henceforth|\bstop (suggesting|sending|using|recommending|adding|asking|calling)|"
        r"don't ever|\bassume\b|please (use|call me|keep|address|reply|answer|don't)|(^|please |just )call me|"
        r"^use \w+|^(keep|give|show|send) (me |your |all |my )?\w+ (prices|answers|replies|distances|dates|units|"
        r"responses|reports?|times)|no (calls|meetings|emails|messages) (on|before|after)|don't (schedule|book|"
        r"send|suggest|recommend|call me|use|put|ever)|(^|over )to (metric|imperial)|for everything|one rule|"
        r"house rule|\b(at most|maximum of|no more than|up to) \w+ (items?|words?|lines?|sentences?|points?|"
        r"bullets?)|at the (bottom|top|end|start)\b",
    ),
    "habit": (
        r"每(天|晚|日|周|月|年|早|逢|个|星期|礼拜|季|半年)|经常|常常|时常|通常|一般(都|会|是|在)?|平时|平常|从来|"
        r"一直(都|在|是|以来)?|向来|习惯|定期|天天|老是|总(是|会|得|喜欢)?(?!之|体|的|共)|轮班|夜班|早班|晚班|"
        r"作息|周[一二三四五六日](休|上|都|不)|一三五|二四六|换季|一到|毕竟|随身|常年|长年",
        r"\b(every|each) (\w+ )?(day|morning|night|evening|week|weekend|month|year|summer|winter|spring|autumn|"
        r"other|mon|tues|wednes|thurs|fri|satur|sun)|\b(daily|weekly|monthly|usually|often|normally|regularly|"
        r"typically|generally|mostly)\b|tend to|most (days|mornings|nights|weekends)|\bon (mon|tues|wednes|thurs|"
        r"fri|satur|sun)days\b|twice a|once a|times a (week|month|day|year)|(i am|i'm|am) used to|my routine|"
        r"my habit|night shift|on shift|since (i|my|school|the|college|\d)|for (years|decades)|by (7|8|9|10|11|"
        r"seven|eight|nine|ten|eleven) (most|each|every)",
    ),
    "learn": (
        r"在?学(习|着|会)?(做|弹|画|跳|打|吉他|钢琴|画画|书法|开车|游泳|编程|攀岩|\w{0,4}语|乐器)|正在(学|看|读|"
        r"准备|写|尝试|练|研究|追|做|申请|装修|找工作)|(最近|近来|现在|目前|一直)(我)?(也|还|都)?(一直)?(在|开始|"
        r"迷|热衷)(?!犯|想|思|考虑|忙|看一些|跟|和你)|练习|练(琴|字|瑜伽|拳)|报了(个|班|名)|备考|考研|考公|自学|"
        r"进修|上.{0,4}课|尝试(着|去)?(做|学|一)|创业|报了.{0,4}(课|班)|开始(写|学|练|跑|用)|(在|正)自学|控糖|"
        r"读书会|一直(在|想)",
        r"\b(i'm|i am|i've|i have|we're|been)( also| currently| recently| just| now)? (been )?(learning|studying|"
        r"practi[sc]ing|training|taking (\w+ )?(lessons|classes)|preparing|reading|working on|building|writing a|"
        r"restoring|knitting|trying to (learn|keep|lose|quit|get|eat|maintain)|maintaining|saving)|"
        r"started (learning|taking|studying)|trying to maintain|\b(just )?(signed up for|registered for|"
        r"joined) an?\b|started (keeping|writing|learning|going|doing)|teaching myself|been into",
    ),
    "plan": (
        r"打算|准备(去|做|考|买|换|搬|在|把|开|报)|计划|想(去|学|考|买|当|换|塑造|成为|开一|做一名|减|练)|决定|"
        r"立志|目标|梦想|下(周|月|个月).{0,6}(要|去|会)|要(去|搬|考|参加|交|出差|做|见|开)|将(要|会|在|于)|会(去|"
        r"在).{0,8}(举办|举行|参加)|约了|定在|订了|安排在|定于|报名|想当|以后想|有一天",
        r"planning (to|on)|\bi plan|my plan|going to|gonna|\bintend|i want to|i'd (like|love) to|i hope to|"
        r"would love to|my (goal|dream|ambition)|decided to|about to|signed up|i'm (flying|moving|going|getting|"
        r"seeing|meeting|visiting|starting|running|driving|hosting|leaving|taking)|we're (flying|moving|going|"
        r"getting|hosting|visiting)|is (booked|scheduled|set|due|planned) (for|on|at)|i've got an? .{1,40}(at|on|"
        r"tomorr?ow|tonight)|(appointment|interview|exam|meeting|viewing|surgery|check-?up|flight|wedding)|"
        r"\bwant to (become|be|travel|learn|visit|see)\b|one day",
    ),
    "future": (
        r"明天|明晚|明早|后天|下(个)?(周|月|星期|礼拜|学期|季度)|明年|今晚|这(个)?(周末|周[一二三四五六日])|之前|"
        r"以前(要|得)|月底|年底|截止|到期|国庆|春节|元旦|要去|约了|安排|定在|改到|延到|将",
        r"tomorr?ow|tonight|next |this (afternoon|evening|weekend|friday|saturday|sunday|monday)|in (a|an|one|two|"
        r"three|\d+) (days?|weeks?|months?)|\b(by|before|until|due)\b|upcoming|\bwill\b|\bhas? (been )?moved (to|"
        r"me)|booked|i've got an?|i'm (flying|seeing|meeting)|scheduled",
    ),
    "past": (
        r"昨|前天|上(个)?(周|月|星期|礼拜)|去年|前年|刚(刚|才)?|了|过",
        r"yesterday|last |\bago\b|this morning|\b\w{3,}ed\b|\b(had|went|got|bought|sold|paid|met|saw|took|made|"
        r"lost|found|won|left|broke|was|were|started|came|began|did)\b",
    ),
    "deal": (
        r"付(款|了|清|定金|首付)|还(款|清|贷)|缴|退(款|货|订|租)|下单|订(了|好|到|票|单)|预订|预约|买(了|的|到)|"
        r"卖(了|掉)|寄(了|出|到)|签收|发货|送达|到账|花了|(交|办|修|换|装|搬|做|考|办理)(好|完|过|成)了?|换(了|掉|"
        r"成|到)|送去|修(理|好|车)|维修|考(过|上)|通过了|录取|签约|签了|续费|过户|上了?牌|挂号|转账|开通|注销|"
        r"挂失|改签|理赔|报销|维保|体检|复诊|看诊|拔牙|打疫苗|接种|验收|交付|上线了|到货|取件|已创建|已预订|"
        r"已确认|已支付|已取消|打赢|赢了|输了|出(了)?成绩|获奖|中标|拿到",
        r"\b(paid|completed|plates|refund|booked|ordered|bought|sold|signed|delivered|shipped|renewed|cancell?ed|"
        r"rescheduled|repaired|fixed|replaced|serviced|returned|received|installed|posted|submitted|passed|failed|"
        r"adopted|hired|reserved|withdrew|transferred|deposited|donated|claimed|retimed|moved (me|to)|confirmed|"
        r"appointment|reservation|booking|invoice|payment|charged|cost me|spent)\b|\b(won|got my results|"
        r"passed with)\b",
    ),
    "occasion": (
        r"面试|体检|过户|上牌|上了牌|白内障|伴郎|伴娘|挂号|考试|科目[一二三四]|聚餐|聚会|家长会|复诊|手术|胃镜|"
        r"肠镜|婚礼|葬礼|生日(会|宴)|演出|演唱会|比赛|航班|高铁|培训|讲座|答辩|开会(?!中|呢)|吃饭(?!了)|见面|看房|"
        r"搬(新)?家|飞(?=[一-鿿]{2})|出差|拔(了|牙)|疫苗|团建|验收|线上分享|年会|看牙|牙医|值班|相亲|旅(游|行)|"
        r"露营|过生日|住院|接机|签合同|来修|上门|安装|聚一聚|约(好|了|会)|路演|直播|(去|到|带.{1,4}去)(云南|北京|"
        r"上海|海南|青岛|成都|日本|[一-鿿]{2}(玩|旅游|出差))",
        r"\b(interview|check-?up|meetings?|dinner with|lunch with|drinks with|wedding|funeral|exam|test|flights?|"
        r"fly(ing)?|surgery|endoscopy|operation|appointment|viewing|party|reunion|webinar|concert|match|trip|"
        r"birthday (do|party|dinner)|plumber|electrician|hospital|dentist|vaccin\w+|jab|conference|rehearsal|"
        r"recital|graduation|picnic|parents' evening|hearing|inspection|delivery|survey|call with|move (into|"
        r"house)|driving test|scan|physio|haircut|performance)\b",
    ),
    "keeps": (
        r"在.{1,6}(手里|那儿|那里|这儿|那边)|对接人|联系人|负责人|代表|指的是|(钥匙|公章|证件|护照|户口本|药箱?|"
        r"工具|充电器|雨伞|备用|文件|合同|说明书|遥控器|发票|保单|猫粮|狗粮|电池|快递|行李|相机|存折|"
        r"银行卡).{0,8}(在|放|存|搁|收)|(找|归|由|问).{1,8}(批|审|签|领|管|负责|小|老)|公休|打烊|闭馆|停业|不营业|"
        r"休息日|(贴|挂|放|存|摆|藏|停|收|锁)在|的(事|问题)(找|问|联系)",
        r"\b(keys?|passport|documents?|tools?|charger|umbrella|manual|remote|first aid|torch|medicine|contracts?|"
        r"parcels?|spare \w+|paperwork|batteries)\b.{0,24}\b(is|are|in|on|under|with|at|behind|goes?|go)\b|"
        r"\bgoes? through\b|\bask \w+ (in|from)\b|\b(has|have|holds?) the (\w+ )?keys?\b|closed on|shut (on|at)|"
        r"kept (for|in|at)",
    ),
    "does": (
        r"^(我|我们|咱|俺)(们|家)?(?!们?(会|要|想|觉得|知道|明白|的|也|也是|也觉得|可以|能|应该|相信|希望|认为|"
        r"感到|感觉|理解|同意|考虑|试|去|来|再|先|马上|这就|回去|今天|现在|刚|遇到|发现|找到|听|看看|看了|说|"
        r"问))[一-鿿]",
        r"\b(i|we|nobody|everyone|he|she)( also| mostly| only| really)? (?!am|was|were|have|had|will|would|can|"
        r"could|should|may|might|must|do\b|did|don't|didn't|think|thought|guess|know|knew|see|saw|hope|wish|want|"
        r"need|understand|feel|felt|appreciate|agree|believe|suppose|mean|get it|got|just|think|hear|heard|ran|"
        r"look|looked|wonder|like|love|hate|enjoy|say|said|tell|told|ask|asked|find|found|try|tried|keep)\w{2,}\b",
    ),
    "am": (
        r"^我(现在|目前|其实|本来|已经)?(是|在|有|没有?|属|当)(?!想|说|怕|不是|点|些|一些|一点|个问题|时|办法|事)",
        r"\b(i'm|i am|im|we're|we are|i've been)\b(?! (so|really|very|just|not sure|sorry|going|here|back|in a|"
        r"at the|on my|fine|good|ok|okay|happy|sad|tired|hungry|bored|busy|glad|afraid|curious|excited|thinking|"
        r"looking|wondering|trying|having|feeling|done|ready|stuck|late|waiting|a bit|kidding|joking|only|"
        r"watching|sure|confused|lost)\b)",
    ),
    "milestone": (
        r"结婚|领证|离婚|生(了|下)(个|一|儿|女|孩|宝)|出生|去世|过世|走了一?年|怀孕|毕业|入职|离职|辞职|退休|"
        r"升(职|了|为|任|上)|转正|转行|跳槽|裁员|失业|搬家|搬到|搬进|买房|买车|考上|拿到.{0,6}(证|驾照|offer|"
        r"学位)|订婚|分手|求婚|移民|入籍|入伍|退伍|创办|开业|领养|改名",
        r"\b(married|engaged|divorced|separated|born|gave birth|passed away|died|graduated|retired|promoted|"
        r"got the job|new job|quit|resigned|laid off|redundant|made redundant|moved (house|to|in|into)|bought (a|"
        r"our|my) (house|flat|home|car)|adopted|proposed|broke up|citizenship|started (a|at|as|my))\b",
    ),
    "todo": (
        r"(记得|别忘(了|记)?|提醒我|得(把|去|给|交|买|还|约|打|找|跟|办|问|做|写|记|取|拿|接|送|换|续|修|洗|补|带|"
        r"赶|订)|赶在.{1,8}前|要还(?=花呗|款|钱|贷|信用)|费用?还没交|还(要|得)(给|补|去|交|买)|需要(把|去|给|交|"
        r"买|办|联系)|还没(交|买|还|办|约|写|回|付|给|寄|取|订|做|报)|该(交|去|买|还|办|约|换|付|续)|(之前|以前|"
        r"前|内)(要|得|必须|需|交|完成|提交|把|还|给)|要(给|把|交|还|取|补|续|提交|完成|寄|约|买|打|回复|联系|"
        r"去(交|取|还|办|买|拿|接|送|寄))|截止|待办)",
        r"\b(i|we) (still |really |also )?(have|need|got|ought|must|should|had better|'ve got|"
        r"'d better)( to)? (?!be|a\b|an\b|no\b|two|three|the\b|been|some|say|admit|always|never|also)\w+|\b(i|"
        r"we)('ve got to|'ve still to|'d better| gotta| must| still have to)|remind me|don't (let me )?forget to|"
        r"remember to|\bdue (on|by|in|at|next|this|tomorrow)|\bdeadline|to-?do|\b(has|have|needs?) to be (in|done|"
        r"sent|paid|submitted|finished|handed|ready)|\bgot to [a-z]+|still to (pay|do|send|buy|book|call)|"
        r"i've yet to|needs \w+ing|still (haven't|need)|^(need|must|have) to [a-z]+|^must [a-z]+|i owe|wake me|"
        r"by (monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|tomorrow|tonight|the \d+|end of|next)",
    ),
    "rule": (
        r"统一|规定|规矩|政策|数据库|服务器|机房|主键|超时|日志|缓存|集群|仓库|后端|前端|(测试|生产|线上|"
        r"预发)环境|约定|规范|流程是|惯例|标准是|我们?(组|部门|公司|团队|单位|项目|学校|校队|小区|店|厂|院|班|库|"
        r"仓库|sdk|api|ci)|咱们?(组|部门|公司|团队|单位|项目)|我们.{0,6}(用|跑|部署|放|走|是|有|没有|归|采用)|"
        r"项目(里|的|用|组)|公司(的|里|规定|要求|让|统一)?|接口|端口|分支|部署|版本(号)?(是|为|用|升)|线上|"
        r"生产环境|测试环境|staging|prod|命名|必须|不准|禁止|只(能|有|许|准|限)|(都|一律)(放|用|走|按|写|要|叫|归|"
        r"存)|忽略大小写|找他|找她|归.{1,6}管|负责|开门|关门|营业|不开火|上班时间|打卡|限(载|速|高|行)|截(止|单)|"
        r"周报|例会|周会|值班|食堂|停车场|办公室|会议室|打印机|工位|无线|wifi|机房|烧的是|可以|不可以|不能",
        r"\b(database|servers?|cluster|timeouts?|endpoints?|logs|backups?|schema|repos?(itory)?|pipeline|tickets?|"
        r"commits?|front ?end|back ?end|merges?|releases?|approvals?|expenses)\b.{0,30}\b(is|are|in|on|for|with|"
        r"to|must|should|needs?|carry|closes?|runs?)\b|\b(our|the) (team|company|office|school|club|building|"
        r"warehouse|shop|project|repo|board|department|class|group|landlord|gym|clinic|lab|store|church|choir|api|"
        r"service|app|server|database|stand-?up|sprint|default|canteen|printer|van|dog|cat|boiler|deposit|plot|"
        r"allotment|survey)\b|policy|\brule\b|convention|guidelines?|\b(here|names|tickets|branches|commits|"
        r"releases) (are|is|go|must)\b|deploy|staging|prod(uction)?\b|\bbranch|cut-?off|\bmust\b|required|blocked|"
        r"not allowed|forbidden|means|\blives? in|\bholds?\b|doesn't support|cash only|allowed|only .{1,20} (may|"
        r"can|has|have|is|are)|opening hours|opens? (at|on|from)|closes? (at|on)|lives in|is (called|named|stored|"
        r"kept|located|in the|on the|at the|run by|owned|under)|runs on|version \d|port \d|we('re| are)? (use|"
        r"using|deploy|ship|release|keep|run|have|don't)",
    ),
    "number": (
        r"号码|编号|型号|证号|卡号|账号|户号|尾号|车牌|单号|学号|工号|好友码|识别码|邮编|邮箱|门牌|地址(是|在|：|"
        r":|改|换|写)|电话(是|号)|手机号?(是|尾|号|换)|微信号|qq|口径|规格|尺寸|容量|\d+ ?(公斤|千克|厘米|cm|平米|"
        r"平方|兆|m|gb|tb|块|元|万|千|度|毫克|克|ml|毫升|码|页|人|个|台|楼|层|栋|室|号|岁|名|路|段|巷|弄)|"
        r"[一二三四五六七八九十百千两]{1,5}(公斤|斤|平|兆|块|元|万|度|层|楼|栋|室|片|套|人|只|辆)",
        r"\b(number|id|code|serial|plate|postcode|zip|address|account|reference|ref|sku|model|isbn|vin|iban|"
        r"licen[cs]e)\b.{0,24}(is|:|=|#|ends|was|reads)|@[\w.]+|\b\d{1,5} \w+ (street|st|road|rd|avenue|ave|lane|"
        r"close|row|drive|way|court|square|place|terrace|reach|hill|gardens|mews|quay)\b|\b\w+ (row|close|quay) |"
        r"flat \d|apt\.? ?\d|\b\d+(\.\d+)? ?(kg|lbs?|cm|mm|km|miles?|gb|tb|mb|litres?|ml|usd|gbp|eur|%|scoops|"
        r"people|stone|rooms?|bedrooms?|sq ?m)\b|[$£€]\d|\bpin\b",
    ),
    "remember": (
        r"记住|记一下|记下|帮我记|请记|记着|记好|记录一下|备注|(跟|和|给)你(说|讲)(一声|一下|个|件|下|，|,|$)|"
        r"告诉你(一|个|件|下|，|,|:)|顺便说|顺带(一提|说)|顺便提|提醒你一句|说明一下|存一下|存下|供你参考|要知道|"
        r"报备|给自己留",
        r"\bremember( that| this|:| my| i)|keep in mind|\bnote (that|down)|for the record|make a note|"
        r"don't forget (that|my|i)|just so you know|by the way|\bfyi\b|\bbtw\b|for (future )?reference|"
        r"you should know|save this|store this|write (this|that) down|heads up|jot|\bnote to self",
    ),
    "change": (
        r"^不是.{1,10}$|改(成|为|到|用|了|叫|在|住|跟|刷|期|签|回)|换(成|了|到|为|回|用|去|掉)|搬(到|去|进|回|了|"
        r"家)|不再|已经不|不.{1,6}了$|现在(是|改|住|用|叫|都|在|开|穿|我)|升(到|级|了|为)|迁(到|完|了)|调(到|去|"
        r"成)|更正|纠正|写(错|反)|打错|说错|记错|登记错|搞错|应该是|其实是|不是.{1,12}(是|,是)|又(开始|改|换|回)|"
        r"终于|如今|转(到|成|为|去)|延(到|期)|提前到|推迟|重新",
        r"^not \w+$|one letter|got (it|that) wrong|spelled|spelt|\b(correction|moved|switched|changed|swapped|"
        r"no longer|any ?more|instead|turns out|upgraded|renamed|replaced|migrated|now|scrap|actually|transferred|"
        r"these days|used to|not .{1,24} but|i meant|typo|retimed|has left|gone off|anymore|got my own)\b",
    ),
}
