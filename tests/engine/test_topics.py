"""Whether a text is about a topic, with the query table's own vectors."""

import pytest

from adapters.models.query_table import QueryTable
from engine.topics import is_about, sense_of, topic_sense_of

TABLE = QueryTable.load()
NEUTRAL = TABLE.stand_in("")

# Beside those on which the thresholds were chosen; the last ones of each list are in the other language.
ABOUT = {
    "my divorce": ["I got divorced in 2019", "The divorce cost me the house", "我2019年离婚了"],
    "离婚的事": ["我2019年离婚了", "离婚协议下周签字", "I got divorced in 2019"],
    "the car accident": ["I was in a car crash last May", "The accident broke my leg", "我去年出了车祸"],
    "车祸": ["我去年出了车祸", "車禍之後我不敢開車", "I was in a car accident last May"],
    "Linda": ["Linda called me yesterday", "linda's birthday is in May", "我跟Linda分手了"],
    "我的工资": ["我月薪两万", "工资每月十号发", "My salary is 20000"],
    "13800138000": ["我的手机号是13800138000", "call me on 138 0013 8000"],
    "我前女友小林": ["我和前女友小林是大学同学", "昨天小林给我打电话了", "我梦到前女友了"],
    "my dog Rex": ["Rex died last week", "My dog Rex loves the park", "我的狗Rex三岁了"],
    "my grandmother's funeral": ["Grandma's funeral was on a rainy Tuesday", "奶奶的葬礼在上周"],
    "我被裁员": ["公司裁员，我也在名单里", "I was laid off in March", "My company fired me"],
    "前女友": ["My ex-girlfriend moved to Shanghai", "I ran into my ex yesterday", "前女友找我复合"],
    "my ex-husband": ["我前夫再婚了", "My ex-husband lives in Leeds"],
    "我妈妈的病": ["My mother has cancer", "妈妈上个月做了化疗", "My mum is in hospital"],
    "my miscarriage": ["我去年流产了", "I lost the baby in March"],
    "gambling": ["我以前赌博输了很多钱", "I lost money at the casino", "I owe money from betting"],
    "my brother": ["我哥哥在深圳", "My brother plays chess"],
    "my bankruptcy": ["I filed for bankruptcy in 2021", "我破产了"],
}
BESIDE = {
    "my divorce": ["I got married in 2020", "My wife works at a bank", "我结婚三年了", "I need a lawyer for the lease"],
    "the car accident": ["I bought a new car", "My car is a red Toyota", "I broke my phone", "我的车是红色的"],
    "Linda": ["My sister is called Lucy", "我喜欢林间散步"],
    "我的工资": ["我的工作是设计师", "我的房租是五千", "My rent is 5000"],
    "13800138000": ["我的手机号是13900139000", "My phone is 555-0100"],
    "我前女友小林": ["我女朋友喜欢吃火锅", "小李是我的同事", "我住在杭州"],
    "my dog Rex": ["My cat is called Mia", "I have a dog walker appointment"],
    "Project Falcon": ["Project Eagle ships in May", "I saw a bird in the park", "项目下周评审"],
    "my grandmother's funeral": ["My grandmother bakes bread on Sundays", "奶奶喜欢听戏"],
    "我被裁员": ["公司在西湖边上", "I was promoted in March"],
    "前女友": ["My girlfriend likes hiking", "My sister moved to Shanghai", "我女朋友喜欢猫", "I have an extra ticket"],
    "my ex-husband": ["我丈夫在银行上班", "My husband cooks well", "我哥哥再婚了"],
    "我妈妈的病": ["My mother is a teacher", "我妈妈喜欢跳舞", "I had a cold last week"],
    "my miscarriage": ["我女儿两岁了", "My baby sleeps well", "I had a carriage ride"],
    "gambling": ["我喜欢打篮球", "I lost my wallet"],
    "my brother": ["我姐姐在深圳", "My sister plays chess"],
    "my bankruptcy": ["I opened a bank account in 2021", "我在银行工作"],
}


def about(topic: str, text: str) -> bool:
    return is_about(topic_sense_of(topic, TABLE.stand_in, NEUTRAL), sense_of(text, TABLE.stand_in, NEUTRAL))


@pytest.mark.parametrize(("topic", "text"), [(topic, text) for topic, texts in ABOUT.items() for text in texts])
def test_a_text_about_a_topic_is_known_as_one(topic: str, text: str) -> None:
    assert about(topic, text)


@pytest.mark.parametrize(("topic", "text"), [(topic, text) for topic, texts in BESIDE.items() for text in texts])
def test_a_text_beside_a_topic_is_left_alone(topic: str, text: str) -> None:
    assert not about(topic, text)
