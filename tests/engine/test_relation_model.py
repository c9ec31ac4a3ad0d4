"""What the relation model may and may not decide beside the rules."""

import pytest

from adapters.models.query_table import QueryTable
from engine.facets import facets_of
from engine.keep_model import TextVectors
from engine.memory import Category
from engine.relation import Said
from engine.relation_model import chances, relation_between

VECTORS = TextVectors.of(QueryTable.load().stand_in)


def relation(older: str, newer: str, kind: str = "fact", *, alone: bool = True) -> str:
    similarity = float(VECTORS(older) @ VECTORS(newer))
    first, second = (Said(facets_of(text), Category(kind)) for text in (older, newer))
    return relation_between(first, second, similarity, alone=alone)


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("手术安排在周四", "手术提前了，周二就做", "event"),
        ("My landlord is Mr Gu", "房东换了，现在的房东姓邱", "fact"),
        ("Please write to me in British English.", "Use American spelling from now on.", "preference"),
    ],
)
def test_a_change_in_words_that_no_rule_lists_replaces(older: str, newer: str, kind: str) -> None:
    assert relation(older, newer, kind) == "replaces"


def test_what_is_ended_by_its_name_in_quotes_is_over() -> None:
    assert (
        relation("I have to visit the gallery, it is on my list.", 'I no longer need to "visit the gallery".')
        == "replaces"
    )


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I visited Rome in 1960", "I visited Rome in 1975"),
        ("1960 年我去过罗马", "1984 年我又去了一趟罗马"),
        ("装修日志：水电改完了", "装修日志：瓷砖贴完了"),
        ("Garden log: sowed the beans", "Garden log: pruned the roses"),
    ],
)
def test_happenings_stand_side_by_side(older: str, newer: str) -> None:
    assert relation(older, newer, "event") in ("coexists", "unrelated")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "My landlord's name is Mr. Qian, his phone extension is 4021.",
            "我已经在公司上班八年了，项目编号 GF-2093 是我负责的",
        ),
        ("我每周二、四晚上带团课", "I said Thursday nights but I meant I train on Tuesday nights."),
        ("Bee stings put me in hospital, I carry two pens.", "头孢我打过，休克了，往后开药得绕开它"),
        ("项目 CI 跑在 self-hosted runner 上", "My whole setup is an old ThinkPad now, I do all my editing on it"),
        ("I need to book a dentist, it is on my task list.", 'I no longer need "Visit the gallery" on my task list.'),
        ("我的待办里有看牙医", "我的待办里不再需要「参观画廊」了"),
        ("I'm allergic to peanuts, even a little bit is dangerous for me.", "哦对了，别忘了我对花生过敏"),
    ],
)
def test_a_change_of_something_else_retires_nothing(older: str, newer: str) -> None:
    assert relation(older, newer, alone=False) != "replaces"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("我有慢性胃炎", "My landlord changed, it is Mrs Qiu now"),
        ("凡是报价单，都给我写含税价", "Whenever you quote prices, put them in Swiss francs."),
    ],
)
def test_what_is_not_about_the_same_never_becomes_one(older: str, newer: str) -> None:
    assert relation(older, newer, "preference") not in ("same", "refines")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have two kids", "I've got 3 kids"),
        ("我在云栖物流上班", "我在云帆物流上班"),
        ("I eat meat", "I don't eat meat"),
        ("My dentist is Dr Salter", "My dentist is Dr Amin"),
        ("我周三有课", "我周四有课"),
        ("我妈对海鲜过敏", "我爸对海鲜过敏"),
    ],
)
def test_statements_that_differ_in_a_value_are_never_one(older: str, newer: str) -> None:
    assert relation(older, newer) not in ("same", "refines")


@pytest.mark.parametrize(
    ("older", "newer"), [("我住板橋", "會員資料：居住地 中和"), ("My middle name is Rae", "crm: middle_name=Ray")]
)
def test_a_record_that_names_its_field_is_about_that_field(older: str, newer: str) -> None:
    assert relation(older, newer) == "replaces"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My name is Ana and I live in Lisbon", "I used to live in Madrid"),
        ("I used to live in Madrid", "I live in Lisbon"),
        ("I work at Siemens", "I used to work at Bosch."),
        ("My dog is called Rex", "We got a second dog, she is called Luna"),
        ("My dog is called Rex", "I have another dog, she is called Luna"),
    ],
)
def test_an_earlier_life_or_one_more_of_a_kind_retires_nothing(older: str, newer: str) -> None:
    assert relation(older, newer) != "replaces"
    assert relation(older, newer, alone=False) != "replaces"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Lisbon", "I used to live in Lisbon"),
        ("I drink coffee every morning", "I used to drink coffee every morning"),
        ("I drink tea", "I used to drink tea, now I drink coffee"),
    ],
)
def test_what_was_known_and_is_told_as_past_is_over(older: str, newer: str) -> None:
    assert relation(older, newer) == "replaces"


def test_another_subject_is_left_alone_whatever_the_model_says() -> None:
    assert relation("My sister lives in Oslo", "My brother lives in Bergen now") == "unrelated"
    assert relation("Ben's allergic to cats", "Bea's allergic to dogs") == "unrelated"


def test_chances_are_probabilities_also_for_names_that_no_weight_knows() -> None:
    assert sum(chances(["bias", "never seen"])) == pytest.approx(1.0)
