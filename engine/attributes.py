"""Things a person has one current value of (name, home, job, car...), in Chinese and English.

Two statements about the same of these, of the same subject, cannot both be current; this is also what ties
"我把车换成 SUV 了" to "I drive a hatchback". What one can have several of (likings, allergies, pets) is not listed.
"""

from engine.signs import Signs

_PATTERNS: dict[str, tuple[str, str]] = {
    "name": (
        "^(更正一下,|其实)?我(不?叫|姓|的名字|本名|名叫)|^(我的?)?(姓名|名字|真名|全名)|我的名字|档案姓名|"
        "不姓.{1,4}姓|姓名 ?[:= ]",
        r"\bmy (full |first |last |real )?name|i'?m called|(address|call) me|(^|[:_ ])(first_|last_|middle_|"
        r"full_)?name ?[:=]",
    ),
    "birthday": (
        "生日|出生(日期|于|年)|年(出)?生(?=$|,|的)",
        r"birthday|born (on|in \d)|date of birth|birth_?(year|date|day)",
    ),
    "age": ("^我?(今年)?\\d+岁", r"\bi'm \d{1,2}\b(?! (cm|kg|st|min))|i am \d{1,2} years"),
    "home": (
        "(我|我家|^)(现在|目前|已经|一直|们家|家|们)?(不)?住(?!院|得|不|习惯|校|宿)|住址|(?<!公司)(?<!办公室)搬(到|"
        "去|进|回|了?家)(?!.{0,3}[楼层]了)|我?家?在.{2,12}(路|街|巷|小区|号楼|单元)|家(住|搬)|改住|我家地址|"
        "我?base在|我 ?base ?在|relocate|住.{1,5}房|家门牌|^我家(现在)?在|定居|(居住地|所在地|所在城市|现居|"
        "常住地?) ?[:= ]",
        r"\b(i|we)( also| still| now)? live\b(?! (alone|on my own|by)| with [\w ]{1,24}$)|\bliving (in|at)|\b(i|"
        r"we)('ve| have)? (just |finally )?moved (to|back|into|out|in\b|house)|\bmy (home )?address|own place|"
        r"we've moved|new address|live at|my (flat|house|apartment|place) is in|(in|rent) (the|an?) (flat|cottage|"
        r"house|studio)|home is|is home\b|based in|\breside|(^|[:_ ])(city|town|home|residence) ?[:=]",
    ),
    "mail": (
        "(收件|寄件|邮寄|收货|快递)(地址|到|寄)",
        r"\bmy (post|mail|parcels?|deliver\w+)\b|(shipping|delivery|postal|mailing) address",
    ),
    "household": ("户口|户籍|籍贯", r"hometown"),
    "job": (
        "(职业|职位|单位|雇主) ?[:=]|(我|我的)(工作|职业)是|我(现在|目前|以前|退休前)?(是|当|做|在做|不当|"
        "不做)(了)?(一?名|一?个|"
        "一?位)?.{0,8}(老师|教师|医生|护士|律师|会计|编辑|记者|司机|厨师|程序员|工程师|经理|助理|销售|设计师|翻译|"
        "警察|公务员|学生|班主任|书记员|顾问|教练|职员|家教|保安|店长|主播|摄影师|开发|咖啡师)|(在|于|"
        "去了?).{1,12}(工作|上班|任职|就职|坐办公室|做(?!手术|过)|当|教|跑)|跳槽|实习生|正式员工|录用|找工作|"
        "去了.{1,8}(社|公司|厂|店|局|院|所)|[辞离]职|自由(撰稿|职业)|"
        "考上.{0,4}(教师|老师|公务员)|失业|待业|找到工作|退休|读研|毕业了|不[当做].{1,6}了|开(了)?.{0,3}(店|公司|"
        "厂)|开(计程|出租)车|送外(卖|送)|调(去|到)|早班|晚班|夜班",
        r"\bi('m| am)( now| actually| just)?( an?| the)? ?(?!vegetarian|early|late|fast|bigger|older|younger|"
        r"another|over|under|after|ever|never|non)[\w -]{0,24}?([a-z]{3,}(eer|er|or|ist|ian|ant|ician)|student|"
        r"nurse|chef|pilot|clerk|cook|judge|vet|barista|head of \w+|dad|mum|mom)\b(?! (of|than|to)\b)|\b(i|"
        r"we)( also| still| now)? work\b|my (new )?job\b|\bfreelanc\w+|started (as|at|a (new )?job)|(staff|new|"
        r"desk) (post|role|position|job)|between jobs|unemployed|\bemployed|quit my job|found a job|"
        r"looking for work|hired|intern at|took me on|shifts at|drive for an?|let me go|"
        r"i joined [a-z]+|\bresigned|graduated|i (teach|run an?|manage an?)\b|(and|to) (teach|work)\b|made me an?|"
        r"stepped down|retired|laid off|for a living|\bpilot\b|i'm in \w+ now|tutoring|back in the office|"
        r"work remotely|full time|my shift|(occupation|employer|job|job_title) ?[:=]",
    ),
    "living with": (
        "合租|独居|一个人住|(跟|和).{1,4}一起?住|室友",
        r"share an? (flat|house|apartment)|live (alone|with)|living (alone|with)|flatmate|roommate|moved out",
    ),
    "title": (
        "职位|职级|title|升(职|了|为|任|.{1,20}了)|头衔|我是.{1,4}(助理|经理|主管|总监)",
        r"\btitle\b|promoted|my (role|position)|i'm an? [\w ]{0,12}(assistant|manager|director|lead|associate)\b|"
        r"made (team )?lead",
    ),
    "boss": (
        "(领导|老板|上司|经理|主管|组长|leader).{0,4}(是|叫|换|变|改)|汇报",
        r"report to|\bmy (manager|boss|supervisor|lead|line manager)\b",
    ),
    "phone": (
        "手机(号|尾号|号码)|电话号?(是|尾号|换|改)|新号(码)?",
        r"\bmy (new )?(phone|mobile|cell|number)( number)?\b|new number",
    ),
    "email": ("邮箱|电邮|email", r"\be-?mail( address)?\b"),
    "plate": ("车牌", r"licen[cs]e plate|number plate|registration"),
    "car": (
        "开(的|着|辆|车)|(我|家).{0,4}(车)(?!位|牌|险|库|间|站)|换(了)?车|车(换|是)|suv|两厢|轿车|电动车",
        r"\bi drive\b|\bmy (new )?(car|vehicle|ride)\b(?!.{0,3}insur)|\bdon't have a car|no car|\bsuv\b|hatchback|"
        r"\bvan\b|cargo bike",
    ),
    "commute": (
        "(上班|通勤|到公司).{0,6}(坐|骑|走|开|搭|挤)|(坐|骑|走|开|搭).{0,8}上班",
        r"\b(drive|walk|cycle|bike|row|commute|get|take .{1,20}) to work|to the office",
    ),
    "doctor": ("(家庭|主治)?医生(是|换)?|大夫|看牙|牙医|牙科", r"\bmy (doctor|gp|dentist|physician|therapist|vet)\b"),
    "bank": ("工资卡|工资(发|打)|开户行", r"salary (card|account)|my bank\b|bank with|paid into"),
    "insurance": ("(车|保)险(公司|在|是|换)?|投保", r"\binsur(ed|ance|es)\b"),
    "broadband": ("宽带|(家|我).{0,3}网(络|速)|\\d+ ?(兆|m)\\b", r"broadband|internet (plan|speed|provider)"),
    "database": ("数据库|项目的?库|的库", r"\bdatabase\b|\bdb\b"),
    "ci": ("\\bci\\b", r"\bci\b|build server|pipeline"),
    "branch": ("default branch|默认分支|主分支|主干", r"default branch|main branch|trunk"),
    "version": ("(sdk|版本|python|node|java|系统).{0,8}(是|用|升|为|\\d)", r"\b(sdk|version|runtime)\b.{0,16}\d"),
    "desk": ("工位|座位|办公桌", r"\bmy (desk|seat)\b"),
    "office": ("办公室(在|搬|改|换|临时)?|公司(在|搬|地址)", r"\b(our|the|my) (new )?office\b"),
    "parking": ("车位", r"parking (space|spot|bay)"),
    "married": (
        "^我?(还|现在|已经|上个月|去年|刚)?(是)?(单身|结婚|已婚|离婚|离异|领证|没结婚|未婚|离过)|我.{0,6}(领证|"
        "结婚|离婚|单身)",
        r"\b(i'm|i am|we're|we got|i got|we've been|i've been)( not| still| now)? (single|married|divorced|engaged|"
        r"widowed)\b",
    ),
    "size": ("穿.{0,6}码|尺码|鞋码", r"\b(shoe|dress|shirt|clothes) size|i (wear|take) (a )?size"),
    "weight": ("我的?体重", r"\bi weigh\b|my weight"),
    "height": ("身高|米(七|八|六|五)", r"\bi'm .{0,12}(cm|foot|feet) ?(tall|\w+)?\b|my height|\bcm tall"),
    "blood": ("血型|[aobAOB] ?型血", r"blood (type|group)"),
    "rent": ("房租|月租", r"\bmy rent\b"),
    "seat": ("靠窗|过道|走道", r"window seats?|\baisle\b"),
    "coffee": ("咖啡|美式|拿铁|摩卡|卡布", r"coffee|lattes?|americanos?|espresso|cappuccino|flat white"),
    "language of answers": (
        "(用|说|讲)(中文|英文|英语|普通话|粤语)|回答",
        r"(in|to) (english|chinese|french|german|spanish|dutch)",
    ),
    "exercise": ("健身|跑步|锻炼", r"\bgym\b|\brun(ning)?\b"),
    "baby": ("怀孕|生了|预产期|分娩", r"\bpregnant|baby (arrived|was born)|gave birth|due in"),
    "pets": ("宠物|领养了|养了", r"\bpets?\b|adopted|corgi"),
    "diet": (
        "吃.{0,3}素|吃荤|红肉|吃肉|不吃肉|烤肉|素食|牛羊肉",
        r"vegan|vegetarian|\beat(ing)? (meat|chicken|fish|beef|pork)|carnivore|meat-eater|pescatarian",
    ),
    "nuts": ("坚果|花生|核桃", r"\bnuts?\b|peanuts?"),
    "units": ("公制|英制|摄氏|华氏|公里|英里", r"\b(metric|imperial|celsius|fahrenheit|kilomet(er|re)s|miles)\b"),
    "payment": (
        "付款|付现金|现金|刷卡|扫码|支付宝|微信支付|货到付款",
        r"\b(pay|paying) (by|with|in)|\bin cash|by card",
    ),
    "wine": (
        "",
        r"\b(red|white|ros[eé])( wine)?\b.{0,20}(usual|headaches?|switched|prefer)|switched to (red|white)|\bwine\b",
    ),
    "milk": ("", r"\b(oat|soy|almond|cow'?s?|whole|skimmed) milk|\bmilk\b"),
    "allergy food": ("食物过敏", r"food allergy|the food i'm allergic"),
    "instrument": ("弹(的)?(琴|钢琴|吉他|古筝|贝斯)", r"\binstrument|\bi play the\b"),
    "siblings": ("独生|兄弟姐妹", r"only child|siblings"),
    "driving": ("驾照|会开车", r"driving licen[cs]e|can't drive|learned to drive"),
    "visa": ("签证|美签|绿卡", r"\bvisa\b|green card"),
    "chart": ("条形图|直条图|柱状图|折线图|饼图|图表", r"\b(bar|line|pie) charts?\b"),
    "phone model": ("手机(是|用)|用(苹果|安卓|华为|小米)|iphone", r"\b(iphone|android|pixel|galaxy)\b"),
    "editor": ("编辑器|vscode|vim|ide", r"\b(vs ?code|vim|emacs|neovim|intellij|editor)\b"),
    "school": (
        "(在|上|念|读).{1,10}(大学|中学|小学|高中|初中|学院|本科|研究生)|读书|转学|住.{0,3}(宿舍|舍|校外)",
        r"\b(study|studies|studying) (at|in)|go(es)? to .{1,20}(school|college|university)",
    ),
}
_SIGNS = Signs({name: "|".join(f"(?:{p})" for p in pair if p) for name, pair in _PATTERNS.items()})
# Of these a second value always means that the first is over, however little else the two statements share.
SURE_ATTRIBUTES = frozenset(
    {
        "name",
        "birthday",
        "home",
        "living with",
        "household",
        "title",
        "boss",
        "phone",
        "email",
        "plate",
        "married",
        "size",
        "weight",
        "height",
        "blood",
        "desk",
        "parking",
        "bank",
        "commute",
        "broadband",
    }
)
# Of these even two statements without a common word or a word of change cannot both be current.
PLAIN_ATTRIBUTES = frozenset(
    {"name", "birthday", "home", "household", "phone", "email", "plate", "married", "size", "height", "blood"}
)


def attributes_of(view: str) -> frozenset[str]:
    """Names of the single-valued things that a text of the folded view speaks of."""
    return _SIGNS.found_in(view[:400])
