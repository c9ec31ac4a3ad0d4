"""Words of kinship and of time, of which several patterns are made."""

KIN_ZH = (
    "老婆|妻子|太太|媳妇|爱人|对象|老公|丈夫|先生|男友|男朋友|女友|女朋友|未婚夫|未婚妻|伴侣|爸妈|父母|爸爸|妈妈|"
    "老爸|老妈|爸|妈|父亲|母亲|"
    "儿子|女儿|闺女|孩子|宝宝|小孩|哥哥|姐姐|弟弟|妹妹|哥|姐|弟|妹|妹夫|姐夫|嫂子|弟媳|爷爷|奶奶|外公|外婆|姥姥|"
    "姥爷|公公|婆婆|岳父|岳母|"
    "丈人|丈母娘|叔叔|伯伯|舅舅|舅妈|姑姑|姑妈|姨妈|阿姨|婶婶|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹|侄子|侄女|"
    "外甥|孙子|孙女|"
    "室友|舍友|同屋|邻居|同事|同学|朋友|闺蜜|哥们|发小|老板|上司|领导|经理|主管|组长|导师|老师|教练|医生|房东|助理|"
    "徒弟|师傅|客户|合伙人|狗|猫|猫咪|狗狗|娃|boss|leader"
)
KIN_EN = (
    "wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|mum|mom|mother|dad|father|parents?|son|daughter|"
    "kids?|children|child|baby|"
    "toddler|brothers?|sisters?|siblings?|twin|grandma|grandpa|grandmother|grandfather|gran|nan|aunt|auntie|uncle|"
    "cousins?|niece|nephew|"
    "in-laws?|mother-in-law|father-in-law|brother-in-law|sister-in-law|flatmate|roommate|housemate|neighbou?r|"
    "colleague|coworker|friend|"
    "best friend|mate|boss|manager|supervisor|teacher|coach|doctor|dentist|landlord|landlady|assistant|client|"
    "mentor|team lead|"
    "dog|cat|puppy|kitten|rabbit|parrot|hamster|tortoise|turtle|horse"
)
DAY_ZH = (
    "(周|星期|礼拜)[一二三四五六日天末]|[今明后昨前]天|[今明昨]晚|[今明昨]早|今[早晚]|[下上这本](个)?(周|月|星期|"
    "礼拜|学期|季度)|[明去后前今]年|国庆|春节|元旦|五一|中秋|端午|清明|暑假|寒假|月底|月初|年底|周末"
)
CLOCK = r"\d{1,2}[:点]\d{0,2}|\d{1,2} ?(am|pm)\b|[一二三四五六七八九十]{1,3}点(半|钟|一刻)?"
MONTHS = (
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|"
    "dec(ember)?"
)
DAY_EN = (
    r"today|tonight|tomorr?ow|yesterday|this (morning|afternoon|evening|week|weekend|month|year)|(next|last) (week|"
    r"weekend|month|year|mon|tues?|"
    r"wed|thurs?|fri|sat|sun)\w*|(mon|tues|wednes|thu?rs|thur|fri|satur|sun)day|weekend|in (a|an|one|two|three|"
    r"four|five|six|\d+) "
    rf"(days?|weeks?|months?|hours?)|(\d+|two|three|a few|a couple of) (days|weeks|months|years) ago|"
    rf"({MONTHS}) \d{{1,2}}|\d{{1,2}}(st|nd|rd|th)?( of)? ({MONTHS})\b|half (past )?\w+"
)
