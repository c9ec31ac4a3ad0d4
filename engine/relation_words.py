"""Words by which one statement tells how it stands to another. Used by `engine.relation`; all on the folded view."""

import re

from engine.signs import Signs

# Something comes on top of what there was.
ADDS = re.compile(
    r"也(?!不(?!吃|喝|喜|爱|碰|看|用)|许|就|不再)|同样|以及|另外还|此外|除了.{1,20}还|照.{1,3}不误|还(?=爱|喜欢|会|"
    r"有|吃|喝|看|养|想|学|要|讨厌|怕|对|不吃|不喝|不喜)|又(?=迷上|爱上|喜欢上|养|买|添|学|多|加)|再加|都喜欢|"
    r"\b(as well|too|also|another|both|an? (second|third)|in addition|additionally|besides|plus|on top of that|"
    r"and still)\b"
)
# Something is not as it was.
_CHANGES = (
    r"改(?!天|日|变|革|造|编|善|进|正在|良|装|错|作业|卷|作文|论文|稿|bug)|(?<!要)换(成|了|到|为|回|用|去|掉|车|牙|"
    r"工|手|号)|都?改(?=刷)|搬(到|去|进|回|了|家)|不再|已(经)?不|不.{1,10}了($|,)|现在(改|两|二|三|有|没|归|都|住|"
    r"用|是|叫|在|的|找|去|穿|做|开|更|喜欢|能|会|不|只)|升(到|级|了|为|.{1,20}了$)|迁(到|完|了|至)|(切|转)(到|成|"
    r"换|去|正|至)|调(到|去|成|整|为|走)|更正|纠正|更新|写(错|反)|打错|说错|记错|登记错|搞错|弄错|量错|应该是|"
    r"其实是|不是.{1,12}(而)?是|是.{1,12}(,|而)不(是|在)|又(开始|改|换|回|统一|.{1,2}回)|如今|延(到|期|后)|提前(到|"
    r"至)|推迟|重新|变(成|为)|宁可|没有.{1,8}了|过期|退(掉|了|休)|考上|之前是|还是(?!不)(用|在|换|喜欢|回|不|写|选)|"
    r"想了想|[离辞]职|不由|不在|[涨降减加瘦胖长]到|修好|还清|结清|出生了|搬走|找到工作|倒闭|拆迁|分到|到期(?=没|了|"
    r"未)|没续|住到|续(到|了)|上(小学|初中|高中|大学)了|(剪|染|烫)(短|了|成)|配了|转网|送走|还剩|统一成|推到|接了|"
    r"放弃|别发|别打|延误|老是|回去|改(?=[后明下今周\d])|换(?=[\u4e00-\u9fff]{2}了)|戒(了|掉|烟|酒)|吊销|注销|卖了|"
    r"送人了|领养了|查出来|不让|出国|毕业了|分手|离婚了|结婚了|领证|买车了|买房了|\b(correction|moved|"
    r"switch(ed)?( \w+)? (to|over)|switched|changed|swapped|no longer|any ?more|instead|turns? out|upgraded|renamed|"
    r"replaced|migrated|relocated|scrap|these days|used to|not .{1,24} but|i meant|typo|retimed|rescheduled|"
    r"postponed|pushed|delayed|has left|left,|gone off|gone over|now|i've (finally )?got my own|(got|was) promoted|"
    r"from (now|here) on|is sold|no more|i checked|measured again|wrong|so it's just|started (as|at)|quit|resigned|"
    r"left my|back to|went (up|down|abroad)|(rose|raised|dropped|increased|reduced|cut|up|down) to|test says|"
    r"told me|learned to|got (married|divorced|engaged)|adopted|bought|lost my|is gone|make it|have moved|"
    r"i've moved|behind me|dropped|drop the|cancelled|joined|sold|called off|took over|took up|settled in|died|"
    r"broke down|closed down|put me on|down to|after the switch|rather than|i'd rather|become|became|cut my|"
    r"worn me out|finished|given up|gave up|took back|got .{1,20} back|can't do|put (it )?back|"
    r"the .{1,20} put .{1,24} back|is ours|expired|started (eating|drinking|wearing|school|primary|secondary|using|"
    r"at)|mode .{0,20}from now|i wear .{0,16}now|had .{0,16}surgery|put back|born|(is|been|was|got it) (repaired|"
    r"fixed)|paid .{1,20} back|paid in full|broke up|off the .{0,12}list|won me over|come round to|sits in|"
    r"since (the|last)|stepped down|graduated|found a job|gone back|traded .{1,40} for|made me an?|transferred|"
    r"(has |have )?closed (down|the)|full time again|new address|moved out|split up|can swim|have learned|"
    r"i prefer .{1,30} now|i'm on .{1,20} now|actually,? make)\b|转正|定居(?=.{1,6}了)|摘(了|掉)|生了|辞退|换人|"
    r"换套餐|搬出来|录用|(?<!最)好了$|不干了|(?<!已经)都放|\b(ditched|dumped|let (me|him|her|us|the \w+) go|"
    r"got hired|was hired|took me on|taken me on|is history|are over|came off|healed|the baby arrived|grown (to|on)|"
    r"as of|taken over|got rid of|since (spring|summer|autumn|winter|january|february|march|april|june|july|august|"
    r"september|october|november|december|i switched|we switched)|moved on to|changed to|qualified|have expired|"
    r"has expired|no longer)\b"
)
CHANGES = Signs({"changes": _CHANGES})
# It was so long ago.
PAST_LIFE = re.compile(
    r"小时候|以前|年轻的?时|退休前|上学(那会|时)|(早|前)些年|\b(as a (teenager|child|kid|student|boy|girl)|"
    r"when i was|years ago|before i retired|in my (youth|twenties|thirties|teens))\b"
)
# All that it says is how something was, not what is in its place.
ONLY_THEN = re.compile(
    r"^(i|we|he|she|they|my \w+)( also| once)? used to (?!it\b)((?!\b(but|now|until|and)\b)[^,;:.!?，；])+\W*$"
)
# A general statement that there is something.
EXISTS = re.compile(
    r"^(我|我家|我们家?|家里|我.{1,3})(也|还|现在)?(有|养|会|在|做|开|学|搞|当)|^(i|we|my \w+)('ve| have|'m|'s| is|"
    r" also)*( got)? ?(have|got|own|play|work|am|an?|in|at|study|studies|speak|do|keep|live)\b"
)
# A place left open.
SOMEWHERE = re.compile(r"国外|外地|外国|海外|\b(abroad|overseas|away)\b")
# Other people at large.
OTHERS = re.compile(r"别人|人家|他人|大家|\b(people|others|someone|everyone|nobody)\b")
# A clause that ends in 了 tells of a new state.
NEW_STATE = re.compile(r"(?<!太)(?<!极)了(?=,|$)")
# Words that say a job began or ended.
NEW_JOB = re.compile(
    r"换了?工作|找到工作|毕业了|升|调|入职|[辞离]职|跳槽|考上|开(了|始)|不当|现在(是|做|当|在)|调(到|去)|"
    r"\b(started (as|at)|new job|found a job|stepped down|graduated|gone back to work|traded|made me|closed|"
    r"transferred|full time again|back in the office|behind me|quit|resigned|staff (post|role)|retired|joined|"
    r"got the job|these days|no longer|now)\b|录用|转正|不干了|去了|\b(hired|took me on|let me go|looking for work|"
    r"are over|is history|qualified)\b"
)
# Measurements, of which each day has its own.
ABOUT_A_READING = re.compile(
    r"称重|体重|血压|血糖|体温|心率|跑(了|步)|步数|公斤|读数|余额|weigh|weight|blood|pulse|steps|ran |reading|"
    r"balance|temperature|\d ?(kg|lbs|km|bpm)"
)
# An event that stands for a time.
SCHEDULED = re.compile(r"定在|定于|是|安排在|在|预约|booked|scheduled|is on|set for|is at|leaves at|starts at")
# What an identifying number follows.
ID_LEAD = re.compile(
    r"(?:订单|包裹|快递|运单|单号|工单|发票|航班|车次|房间|合同|案件|批次|票|账户|卡|order|parcel|package|ticket|"
    r"case|invoice|flight|room|booking|contract|batch|account|issue|pr)\s?(?:号|number|no\.?|"
    r"#)?\s?[:#]?\s?([a-z]{0,4}[-·]?\d[\w-]*)"
)
# One of several of a kind, named by what stands before.
CLASS_BEFORE = re.compile(
    r"([a-z甲乙丙丁东西南北左右大小上下前后新老男女\d一二三四五六七八九十]) ?(栋|组|班|楼|院|区|号线|号楼|部|队|"
    r"抽屉|环境|卡|女儿|儿子|闺女|孩子|眼|手|脚|耳|卧|厅|门|侧|边的|教|舍|厂|车间|单元|哥|姐|弟|妹|姨|舅|叔|姑)"
)
# Here a value begins, not the name of the thing.
IN_VALUE = re.compile(r"(在|到|成|为|是|去|进|住|搬|改|换|:)\s?.{0,2}$")
# A statement that says how much, where or which.
MEASURED = re.compile(
    r"(是|在|叫|为|:|每月|每周|定|用|归|放|住|穿|有|涨|交|限|管|属|停|部署|跑|抬头|号|改|到|换|迁|搬|升|读|念|上|"
    r"叫)|\'s\b|要|共|剩|只|能|\b(has|have|there|takes?|lasts?|holds?|seats?|weighs?|closes?|opens?|starts?|ends?|"
    r"lives?|is|are|was|in|at|on|to|called|costs?|from|uses?|runs?|leaves?|gets?|weighs?|a month|pays?|named|"
    r"reports?|keeps?)\b"
)
# What one can have, do or be in several ways at once: another one does not push the first out.
SEVERAL = re.compile(
    r"过敏|喜欢|不?(吃|喝|碰|看)|会(说|弹|讲|做|拉|唱|打)|学|养了|有(?!美签|签证|车|驾照)|去了|做了|买了|参加|准备|"
    r"(带|附|给)上?|推荐|想|打算|练|报了|认识|去过|得过|做过|\b(allerg\w+|intoleran\w+|likes?|loves?|enjoys?|hates?|"
    r"dislikes?|speaks?|plays?|learn\w*|stud\w+|prepar\w+|trying|working on|own|have (a|an|two|three|four|some)|"
    r"been to|went|bought|reading|practi\w+|always|add|need|want|plan\w*|can|do|did|had|grow|keep|collect)\b"
)
CLASS_WORDS_IN_VALUE = re.compile(r"(上|读|念|第|住|在|到|去|进)$")
# Up to here the sentence only names its thing; from here on it says something of it.
SAID_OF = re.compile(
    r"\b(?:i|we|he|she|it|they|you|is|are|was|were|be|been|has|have|had|in|at|on|to|from|by|until|since|for|than|"
    r"about)\b|[:=：]|我(?!的|们的|家|爸|妈|哥|姐|弟|妹|老)|"
    r"[在是叫住为有等到去从于比:：上读念穿涨延改搬换升定喝吃买卖养要]|每"
)
# Two of a kind that are named apart by one word of these.
CONTRASTS = (
    re.compile(r"(公司|工作|单位|私人|个人|学校)(?=的?(邮箱|手机|电话|微信|电脑|账号|号码))"),
    re.compile(r"\b(work|private|personal|school|business)(?= (e-?mail|phone|mobile|laptop|account|number|address))"),
    re.compile(r"(测试|生产|预发|开发|线上)(?=环境|服|库|端口)"),
    re.compile(r"\b(staging|production|prod|dev|test)\b"),
    re.compile(r"(?<![上改值换])(上午|下午|早|中|晚|夜|白)(?=(班|场|课|市))"),
    re.compile(r"\b(front|rear|back|upper|lower)\b(?= (tyre|tire|door|wheel|light|seat|bunk|shelf))"),
    re.compile(r"(左|右)(?=[边眼手脚耳侧膝])"),
    re.compile(r"\b(left|right)\b(?= (eye|hand|ear|knee|foot|drawer|side|leg|arm|shoulder))"),
)
