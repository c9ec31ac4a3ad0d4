"""What bears on a request without sharing a word or a topic with it: who asks for a restaurant must be told of the
allergy, who asks what is nearby of where the user lives.

Each situation has words of requests and words of memories that bear on them, in both languages. It only ever adds
candidates: it never hides anything, and a memory found this way still says so in its explanation.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Situation:
    """`asks` recognises the request; `words` are those of memories that matter then, as a keyword query; `bears`
    recognises such a memory, because a keyword query also finds what shares no more than a character; `vital` those
    that do harm when they are forgotten.
    """

    name: str
    asks: re.Pattern[str]
    words: str
    bears: re.Pattern[str]
    vital: re.Pattern[str]

    def weight(self, content: str, *, own: bool) -> float:
        """How much a memory bears on the request, 0 to 1. What concerns somebody else matters less."""
        if self.bears.search(content) is None:
            return 0.0
        weight = 1.0 if self.vital.search(content) else _TASTE_WEIGHT
        return weight if own else weight * _OTHERS_WEIGHT


_TASTE_WEIGHT = 0.6
_OTHERS_WEIGHT = 0.6


def _situation(name: str, asks: str, vital: str, tastes: str) -> Situation:
    words = f"{vital} {tastes}"
    return Situation(name, re.compile(asks, re.IGNORECASE), words, _any_of(words), _any_of(vital))


def _any_of(words: str) -> re.Pattern[str]:
    patterns = [rf"\b{word}\b" if word.isascii() else word for word in words.split()]
    return re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)


SITUATIONS = (
    _situation(
        "food",
        r"餐厅|饭店|饭馆|忌口|点菜|吃什么|吃点|好吃的|外卖|点餐|点菜|点个|菜谱|食谱|做饭|做什么菜|晚饭|晚餐|午饭|午餐|早餐|夜宵|聚餐|请客|零食|甜品|火锅店"
        r"|\b(restaurant|dinner|lunch|breakfast|brunch|supper|eat out|to eat|takeout|take-?away|recipe|cook|menu|snack"
        r"|dessert|meal|food)s?\b",
        "过敏 不能吃 清真 乳糖不耐 麸质 "
        "allergic allergy allergies intolerant intolerance halal kosher gluten lactose coeliac",
        "忌口 素食 吃素 不吃 减肥 节食 口味 vegetarian vegan diet",
    ),
    _situation(
        "place",
        r"附近|周边|周围|本地|这边|当地|天气|哪里玩|去哪玩|好玩的|通勤|快递到|送到哪|寄到"
        r"|\b(nearby|near me|around here|close by|in the area|local|weather|commute|things to do|deliver|ship to)\b",
        "住在 我住 家住 搬到 搬家 搬去 定居 live living moved",
        "地址 所在城市 lives address based hometown",
    ),
    _situation(
        "address",
        r"地址|住址|门牌|住(在)?(哪|什么地方)|家(住|在)?哪"
        r"|\b(address|where (do|did|does|am|is|are) (i|we|my family|my home) ?(live|living|staying)?|where i live)\b",
        "住在 我住 家住 现居 搬到 搬家 搬去 定居 地址 live lives lived living moved address",
        "",
    ),
    _situation(
        "gift",
        r"送什么|礼物|生日送|买什么给|\b(gift|present)s?\b",
        "",
        "喜欢 爱好 收藏 生日 likes loves hobby hobbies birthday collects favourite favorite",
    ),
    _situation(
        "health",
        r"吃什么药|药店|感冒|发烧|头疼|头痛|看病|挂号|健身计划|锻炼计划|疫苗"
        r"|\b(medicine|medication|painkiller|prescription|vaccine|doctor|workout plan|headache|fever)s?\b",
        "过敏 怀孕 高血压 糖尿病 哮喘 心脏病 allergic allergy pregnant diabetes diabetic asthma hypertension",
        "手术 受伤 服药 surgery injury injured medication",
    ),
    _situation(
        "travel",
        r"订票|机票|航班|高铁|火车票|选座|订酒店|订房|行程|旅行计划"
        r"|\b(flight|plane ticket|train ticket|hotel|book a room|itinerary|seat)s?\b",
        "",
        "靠窗 靠过道 晕车 晕船 护照 签证 里程 会员 无烟房 恐高 "
        "window aisle seat seats passport visa carsick seasick airsick loyalty membership",
    ),
)


def situations_in(query: str) -> tuple[Situation, ...]:
    """Those that a request falls under."""
    return tuple(situation for situation in SITUATIONS if situation.asks.search(query))
